//! What a user sets for a single tool.

/// What a user set for a tool: it holds over what its author declares, and over the host's defaults.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolSettings {
    /// `false`: it is not offered, and not called.
    pub enabled: Option<bool>,
    /// How long a call may take, in milliseconds.
    pub timeout_ms: Option<u64>,
}
