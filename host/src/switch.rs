//! The switch in the environment that keeps every extension from running.

use std::env;

/// Switches all extensions off, on every path: nothing of any is started.
pub(crate) const SWITCH: &str = "EXTLINE_EXTENSIONS";

/// Whether the environment switches all extensions off, by `EXTLINE_EXTENSIONS=off`: whoever starts anything of one by
/// itself asks before.
pub fn is_switched_off() -> bool {
    env::var(SWITCH).is_ok_and(|value| is_off(&value))
}

pub(crate) fn is_off(value: &str) -> bool {
    matches!(value.trim().to_ascii_lowercase().as_str(), "off" | "0" | "false" | "no")
}
