//! The cases that are built in.

use std::sync::LazyLock;

use super::{Case, Cases, parse};
use crate::texts::packed;

/// The files, each with the cases of one subject.
pub(crate) const FILES: [&str; 25] = [
    "framing.toml",
    "json.toml",
    "text.toml",
    "handshake.toml",
    "registration.toml",
    "tools.toml",
    "events.toml",
    "output.toml",
    "lifecycle.toml",
    "forward.toml",
    "kit-surface.toml",
    "kit-values.toml",
    "kit-results.toml",
    "kit-text.toml",
    "kit-calls.toml",
    "kit-cancel.toml",
    "kit-asks.toml",
    "kit-requests.toml",
    "kit-pending.toml",
    "kit-config.toml",
    "kit-services.toml",
    "kit-errors.toml",
    "kit-output.toml",
    "kit-moments.toml",
    "kit-panel.toml",
];

/// Every case that is built in, by name.
pub fn builtin() -> &'static Cases {
    static CASES: LazyLock<Cases> = LazyLock::new(|| {
        let cases = FILES.into_iter().flat_map(|file| {
            // The files are part of this crate; a test reads each of them.
            parse(file, packed(&format!("cases/{file}")))
                .unwrap_or_else(|error| unreachable!("{error}"))
        });
        cases.map(|case: Case| (case.id.clone(), case)).collect()
    });
    &CASES
}
