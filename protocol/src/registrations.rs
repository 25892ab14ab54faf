//! What an extension offers, checked where it is written down.

use thiserror::Error;

use crate::frame::{OutputFormat, RegisterCommand, RegisterTool, Replay, Subscribe};
use crate::json::write_number;
use crate::name::{NAME, is_offered};
use crate::outputs;
use crate::requirement::Requirement;

/// The tools, commands and subscriptions of an extension, in registration order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Registrations {
    tools: Vec<RegisterTool>,
    commands: Vec<RegisterCommand>,
    /// Events, intercept points and guards.
    pub subscribe: Subscribe,
    /// What the extension cannot do without.
    pub requirements: Vec<Requirement>,
}

/// A registration that no host should see (`reg.names`, `reg.schema`).
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum RegistrationError {
    /// The name has characters that models and hosts cannot handle.
    #[error(
        "the {kind} name {name:?} is not allowed: use 1 to {NAME} letters, digits, `_` and `-`"
    )]
    Name {
        /// `tool` or `command`.
        kind: &'static str,
        /// The name.
        name: String,
    },
    /// Two of one name.
    #[error("there are two {kind}s named {name:?}: rename one")]
    Duplicate {
        /// `tool` or `command`.
        kind: &'static str,
        /// The name.
        name: String,
    },
    /// An event cannot be narrowed so (`subscribe.filter`).
    #[error("the tools of the event {event:?}: {mistake}")]
    Filter {
        /// The event.
        event: String,
        /// What is wrong.
        mistake: String,
    },
    /// What it proposes is no preference.
    #[error("the preference of the tool {name:?}: {mistake}")]
    Preference {
        /// The tool.
        name: String,
        /// What is wrong.
        mistake: String,
    },
    /// The forms of its output cannot be chosen from.
    #[error("the outputs of the tool {name:?}: {mistake}")]
    Outputs {
        /// The tool.
        name: String,
        /// What is wrong.
        mistake: String,
    },
    /// The schema is no object.
    #[error("the schema of the tool {name:?} is {found}, and must be a JSON object")]
    Schema {
        /// The tool.
        name: String,
        /// What it is instead, shortened.
        found: String,
    },
}

/// What may be done with a call of a tool, as far as its hints say.
fn replay_of(tool: &RegisterTool) -> Option<Replay> {
    let hints = tool.annotations.as_ref();
    let is_idempotent = hints.and_then(|hints| hints.idempotent) == Some(true);
    if tool.only_looks() { Some(Replay::Safe) } else { is_idempotent.then_some(Replay::Idempotent) }
}

impl Registrations {
    /// Adds a tool. One with more than one of `outputs` has the argument `output` from here on. One that only looks
    /// may be called again, one that says it is idempotent with the same key, where the author says nothing of `replay`
    /// (`tool.replay`).
    pub fn tool(&mut self, mut tool: RegisterTool) -> Result<(), RegistrationError> {
        check_name("tool", &tool.name)?;
        check_schema(&tool)?;
        check_preference(&tool)?;
        if let Err(mistake) = outputs::declare(&mut tool) {
            return Err(RegistrationError::Outputs { name: tool.name, mistake });
        }
        if self.has_tool(&tool.name) {
            return Err(RegistrationError::Duplicate { kind: "tool", name: tool.name });
        }
        tool.replay = tool.replay.take().or_else(|| replay_of(&tool));
        self.tools.push(tool);
        Ok(())
    }

    /// Adds a command. Commands are matched without regard to case, so two that differ only in
    /// case are two of one name.
    pub fn command(&mut self, command: RegisterCommand) -> Result<(), RegistrationError> {
        check_name("command", &command.name)?;
        if self.command_named(&command.name).is_some() {
            return Err(RegistrationError::Duplicate { kind: "command", name: command.name });
        }
        self.commands.push(command);
        Ok(())
    }

    /// Takes a tool away; whether it was there.
    pub fn remove_tool(&mut self, name: &str) -> bool {
        let before = self.tools.len();
        self.tools.retain(|tool| tool.name != name);
        self.tools.len() < before
    }

    /// The tools.
    pub fn tools(&self) -> &[RegisterTool] {
        &self.tools
    }

    /// The tools about whose calls the host is to ask (`approval: {"dynamic": true}`).
    pub fn advised(&self) -> impl Iterator<Item = &RegisterTool> {
        self.tools.iter().filter(|tool| tool.approval.as_ref().is_some_and(|it| it.dynamic))
    }

    /// Whether a tool tells what became of a call (`replay: "reconcile"`).
    pub fn reconciles(&self, name: &str) -> bool {
        let tool = self.tools.iter().find(|tool| tool.name == name);
        tool.is_some_and(|tool| tool.replay == Some(Replay::Reconcile))
    }

    /// The forms in which a tool writes its value; empty where its author chose none.
    pub(crate) fn outputs(&self, name: &str) -> &[OutputFormat] {
        let tool = self.tools.iter().find(|tool| tool.name == name);
        tool.and_then(|tool| tool.outputs.as_deref()).unwrap_or_default()
    }

    /// The commands.
    pub fn commands(&self) -> &[RegisterCommand] {
        &self.commands
    }

    /// Whether there is such a tool.
    pub fn has_tool(&self, name: &str) -> bool {
        self.tools.iter().any(|tool| tool.name == name)
    }

    /// The registered spelling of a command.
    pub fn command_named(&self, name: &str) -> Option<&str> {
        let same = |command: &&RegisterCommand| command.name.eq_ignore_ascii_case(name);
        self.commands.iter().find(same).map(|command| command.name.as_str())
    }

    /// Whether an intercept at that point has a handler, as interceptor or as guard.
    pub fn intercepts(&self, point: &str) -> bool {
        let names = |points: &Option<Vec<String>>| {
            points.as_ref().is_some_and(|points| points.iter().any(|name| name == point))
        };
        names(&self.subscribe.intercept) || names(&self.subscribe.guards)
    }
}

/// Checks a tool's schema: a JSON object.
pub fn check_schema(tool: &RegisterTool) -> Result<(), RegistrationError> {
    if tool.schema.is_object() {
        return Ok(());
    }
    let found = crate::json::excerpt(tool.schema.get());
    Err(RegistrationError::Schema { name: tool.name.clone(), found })
}

fn check_preference(tool: &RegisterTool) -> Result<(), RegistrationError> {
    let Some(preference) = &tool.preference else { return Ok(()) };
    let weight = preference.weight.filter(|weight| !(0.0..=1.0).contains(weight));
    let parameters = preference.parameters.as_ref().filter(|parameters| !parameters.is_object());
    let mistake = match (weight, parameters) {
        (Some(weight), _) => {
            // As the codec writes it, which is linked anyway.
            let mut written = Vec::new();
            write_number(weight, &mut written);
            let weight = String::from_utf8_lossy(&written);
            format!("its weight is {weight}, and must be from 0 to 1")
        }
        (None, Some(parameters)) => {
            let found = crate::json::excerpt(parameters.get());
            format!("its parameters are {found}, and must be a JSON object")
        }
        (None, None) => return Ok(()),
    };
    Err(RegistrationError::Preference { name: tool.name.clone(), mistake })
}

fn check_name(kind: &'static str, name: &str) -> Result<(), RegistrationError> {
    if is_offered(name) {
        return Ok(());
    }
    Err(RegistrationError::Name { kind, name: name.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::Preference;
    use crate::json::RawJson;

    fn tool(name: &str, schema: RawJson) -> RegisterTool {
        RegisterTool { name: name.to_owned(), schema, ..RegisterTool::default() }
    }

    #[test]
    fn mistakes_are_named() {
        let mut registrations = Registrations::default();
        let error = registrations.tool(tool("a b", RawJson::empty_object())).unwrap_err();
        assert!(error.to_string().contains("\"a b\""));
        assert!(registrations.tool(tool("", RawJson::empty_object())).is_err());
        assert!(registrations.tool(tool(&"x".repeat(65), RawJson::empty_object())).is_err());
        let error = registrations.tool(tool("a", RawJson::null())).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the schema of the tool \"a\" is null, and must be a JSON object"
        );
        for (weight, parameters) in [(1.5, "{}"), (0.5, "[]")] {
            let (weight, parameters) = (Some(weight), RawJson::parse(parameters).ok());
            let preference = Some(Preference { weight, parameters, ..Preference::default() });
            let error = registrations
                .tool(RegisterTool { preference, ..tool("b", RawJson::empty_object()) });
            assert!(error.unwrap_err().to_string().contains("and must be"));
        }
        registrations.tool(tool("a", RawJson::empty_object())).unwrap();
        assert!(registrations.tool(tool("a", RawJson::empty_object())).is_err());
    }

    #[test]
    fn commands_are_the_same_whatever_their_case() {
        let command = |name: &str| RegisterCommand { name: name.to_owned(), ..Default::default() };
        let mut registrations = Registrations::default();
        registrations.command(command("Deploy")).unwrap();
        assert!(registrations.command(command("deploy")).is_err());
        assert_eq!(registrations.command_named("DEPLOY"), Some("Deploy"));
    }
}
