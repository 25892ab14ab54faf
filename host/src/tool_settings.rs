//! What a user sets for a single tool.

use std::collections::BTreeMap;

/// What a user set for a tool: it holds over what its author declares, and over the host's defaults.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ToolSettings {
    /// `false`: it is not offered, and not called. `true`: it is offered though its author proposes not to
    /// (`tool.preference`).
    pub enabled: Option<bool>,
    /// How long a call may take, in milliseconds.
    pub timeout_ms: Option<u64>,
    /// How much it is wanted where there is no room for all, from 0 to 1, in place of its author's word
    /// (`tool.preference-weight`).
    pub weight: Option<f64>,
    /// What it does, for models, in place of its author's words.
    pub description: Option<String>,
    /// The same of what is in its schema, by JSON pointers: `/properties/city` for the parameter `city`. One that
    /// leads nowhere changes nothing.
    pub parameters: BTreeMap<String, String>,
}
