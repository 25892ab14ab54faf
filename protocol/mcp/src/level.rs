//! Levels of log messages: MCP's, and what ours are called there.

use extline_protocol::frame::Level;

/// MCP's, least first.
const NAMES: [&str; 8] =
    ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

/// What a client wants to be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct McpLevel(usize);

impl McpLevel {
    /// Until a client says something else.
    pub(crate) const INFO: Self = Self(1);

    pub(crate) fn named(name: &str) -> Option<Self> {
        NAMES.iter().position(|known| *known == name).map(Self)
    }

    pub(crate) fn of(level: &Level) -> Self {
        Self(match level {
            Level::Debug => 0,
            Level::Info | Level::Other(_) => 1,
            Level::Success => 2,
            Level::Warn => 3,
            Level::Error => 4,
        })
    }

    pub(crate) fn name(self) -> &'static str {
        NAMES[self.0]
    }
}
