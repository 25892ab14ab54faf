//! What extensions offer.

use std::time::Duration;

use extline_protocol::frame::{RegisterCommand, RegisterTool};
use extline_schema::ToolSchema;

/// A tool that an extension offers, with its schema ready for use.
#[derive(Debug)]
pub struct Tool {
    /// The extension that has it.
    pub extension: String,
    /// The tool as it was registered.
    pub definition: RegisterTool,
    /// `None` where the profile checks nothing (`zot.no-validation`).
    pub(crate) schema: Option<ToolSchema>,
    /// The extension's place in load order.
    pub(crate) owner: usize,
}

impl Tool {
    /// Its name.
    pub fn name(&self) -> &str {
        &self.definition.name
    }

    /// What it does, for the model; empty when it says nothing.
    pub fn description(&self) -> &str {
        self.definition.description.as_deref().unwrap_or_default()
    }

    /// Its own deadline, where it declares one.
    pub fn timeout(&self) -> Option<Duration> {
        self.definition.timeout_ms.map(Duration::from_millis)
    }
}

/// A slash command that an extension offers.
#[derive(Clone, Debug, PartialEq)]
pub struct Command {
    /// The extension that has it.
    pub extension: String,
    /// The command as it was registered.
    pub definition: RegisterCommand,
    /// The extension's place in load order.
    pub(crate) owner: usize,
}

impl Command {
    /// Its name, as it was registered.
    pub fn name(&self) -> &str {
        &self.definition.name
    }

    /// What it does, in a line; empty when it says nothing.
    pub fn description(&self) -> &str {
        self.definition.description.as_deref().unwrap_or_default()
    }
}
