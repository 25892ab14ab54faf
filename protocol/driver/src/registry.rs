//! Where an extension says what it offers and what it asks for: in what its session begins with, or to its
//! session once that has begun.

use extline_protocol::frame::{RegisterCommand, RegisterTool, Subscribe};
use extline_protocol::{
    ArgsValidator, ExtensionSession, RegisterError, Registrations, Requirement,
};

/// What is registered with.
#[derive(Debug)]
pub enum Registry<'a> {
    /// The session has not begun.
    Before(&'a mut Registrations),
    /// It has.
    Running(&'a mut ExtensionSession),
}

impl Registry<'_> {
    /// Offers a tool.
    ///
    /// # Errors
    ///
    /// It is wrong in itself, or the host takes no more.
    pub fn tool(&mut self, tool: &RegisterTool) -> Result<(), RegisterError> {
        match self {
            Self::Before(registrations) => Ok(registrations.tool(tool.clone())?),
            Self::Running(session) => session.register_tool(tool),
        }
    }

    /// Takes a tool back; unknown names are ignored.
    ///
    /// # Errors
    ///
    /// The host takes no tools any more.
    pub fn remove_tool(&mut self, name: &str) -> Result<(), RegisterError> {
        match self {
            Self::Before(registrations) => {
                registrations.remove_tool(name);
                Ok(())
            }
            Self::Running(session) => session.unregister_tool(name),
        }
    }

    /// Offers a command.
    ///
    /// # Errors
    ///
    /// It is wrong in itself.
    pub fn command(&mut self, command: &RegisterCommand) -> Result<(), RegisterError> {
        match self {
            Self::Before(registrations) => Ok(registrations.command(command.clone())?),
            Self::Running(session) => session.register_command(command),
        }
    }

    /// The events that are told, and the points at which it is asked.
    pub fn subscribe(&mut self) -> &mut Subscribe {
        match self {
            Self::Before(registrations) => &mut registrations.subscribe,
            Self::Running(session) => session.subscribe_mut(),
        }
    }

    /// Adds something that the extension cannot do without.
    pub fn require(&mut self, requirement: Requirement) {
        match self {
            Self::Before(registrations) => registrations.requirements.push(requirement),
            Self::Running(session) => session.require(requirement),
        }
    }
}

/// What checks the arguments of a tool, and what of its schema only the host can check, to be told to the author.
///
/// # Errors
///
/// The schema is none; in words that name the tool.
pub fn validator_of(tool: &RegisterTool) -> Result<(ArgsValidator, Vec<String>), String> {
    let validator = ArgsValidator::compile(&tool.schema)
        .map_err(|problem| format!("the schema of the tool {:?}: {problem}", tool.name))?;
    let unchecked = validator.unsupported().iter().map(ToString::to_string).collect();
    Ok((validator, unchecked))
}
