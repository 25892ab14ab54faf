//! A tool as the host has it, of an extension or of the agent itself, and which of them a model may have; a command.

mod builtin;
mod filter;

use std::sync::Arc;
use std::time::Duration;

use extline_model::{with_defaults, with_descriptions};
use extline_protocol::frame::{Execution, RegisterCommand, RegisterTool, Rejection};
use extline_protocol::{ErrorKind, Profile};
use extline_schema::{SchemaError, ToolSchema};
use tokio::sync::Semaphore;

pub(crate) use self::builtin::Builtin;
pub use self::builtin::{BuiltinCall, BuiltinToolError};
pub use self::filter::{MAX_TOKENS, ToolFilter};
use crate::descriptions::ToolDescription;
use crate::memory::Memory;
use crate::tool_settings::ToolSettings;

/// The name of the agent where others have an extension's.
pub(crate) const HOST: &str = "the host";

/// The weight of a tool that says none.
pub(crate) const USUAL_WEIGHT: f64 = 0.5;

/// A tool that an extension offers, or the agent itself, with its schema ready for use.
#[derive(Debug)]
pub struct Tool {
    /// The extension that has it; `the host` for one of the agent's own.
    pub extension: String,
    /// The tool as it was registered, in the agent's or its user's words where there are some
    /// ([`Descriptions`](crate::Descriptions), [`ToolSettings`](crate::config::ToolSettings)), and with the defaults that
    /// its preference proposes.
    pub definition: RegisterTool,
    /// `None` where the profile checks nothing (`zot.no-validation`).
    pub(crate) schema: Option<Arc<ToolSchema>>,
    pub(crate) owner: Owner,
    /// Held by the one call that may run, where only one may at a time.
    pub(crate) turn: Option<Arc<Semaphore>>,
    /// Roughly what it takes to keep it, in bytes.
    pub(crate) memory: usize,
}

/// Who runs a tool.
#[derive(Clone, Debug)]
pub(crate) enum Owner {
    /// The extension at that place in load order.
    Extension(usize),
    Agent(Builtin),
}

impl Tool {
    /// The tool of an extension, or why it cannot be used. `schema` is what was made of the one in
    /// its definition, where the profile has it checked.
    pub(crate) fn of_extension(
        extension: &str,
        owner: usize,
        mut definition: RegisterTool,
        schema: Option<Result<ToolSchema, SchemaError>>,
        profile: &Profile,
    ) -> Result<Self, Rejection> {
        let schema = match schema.transpose() {
            Ok(schema) => schema,
            Err(error) => {
                let is_too_large = error.is_too_large;
                return Err(Rejection {
                    kind: "tool".to_owned(),
                    message: format!("the schema of the tool {}: {error}", definition.name),
                    name: definition.name,
                    code: if is_too_large { ErrorKind::TooLarge } else { ErrorKind::Validation },
                    winner: None,
                });
            }
        };
        let preference = definition.preference.as_ref();
        if let Some(parameters) = preference.and_then(|it| it.parameters.as_ref()) {
            definition.schema = with_defaults(&definition.schema, parameters);
        }
        let mut tool = Self::new(extension, Owner::Extension(owner), definition, schema);
        if !profile.vocabulary.is_extline() {
            tool.turn = None;
        }
        Ok(tool)
    }

    pub(crate) fn new(
        extension: &str,
        owner: Owner,
        definition: RegisterTool,
        schema: Option<ToolSchema>,
    ) -> Self {
        let is_sequential = definition.execution == Some(Execution::Sequential);
        let turn = is_sequential.then(|| Arc::new(Semaphore::new(1)));
        let memory = definition.memory() + schema.as_ref().map_or(0, ToolSchema::memory);
        let schema = schema.map(Arc::new);
        Self { extension: extension.to_owned(), definition, schema, owner, turn, memory }
    }

    /// The same tool in the agent's words, and its user's, which count for more; what its arguments are held to stays.
    pub(crate) fn described(
        &self,
        agent: Option<&ToolDescription>,
        user: Option<&ToolSettings>,
    ) -> Self {
        let mut definition = self.definition.clone();
        let by_agent = agent.map(|it| (&it.description, &it.parameters));
        let by_user = user.map(|it| (&it.description, &it.parameters));
        for (description, parameters) in by_agent.into_iter().chain(by_user) {
            if description.is_some() {
                definition.description.clone_from(description);
            }
            let parameters = parameters.iter();
            let parameters = parameters.map(|(pointer, text)| (pointer.as_str(), text.as_str()));
            definition.schema = with_descriptions(&definition.schema, parameters);
        }
        if let Some(user) = user.filter(|it| it.enabled.is_some() || it.weight.is_some()) {
            let preference = definition.preference.get_or_insert_default();
            preference.enabled = user.enabled.or(preference.enabled);
            preference.weight = user.weight.or(preference.weight);
        }
        Self {
            extension: self.extension.clone(),
            definition,
            schema: self.schema.clone(),
            owner: self.owner.clone(),
            turn: self.turn.clone(),
            memory: self.memory,
        }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.definition.name
    }

    /// What it does, for the model; empty when it says nothing. Its user's words, where there are some.
    pub fn description(&self) -> &str {
        self.definition.description.as_deref().unwrap_or_default()
    }

    /// How much it is wanted where there is no room for all, from 0 to 1 (`tool.preference-weight`).
    pub fn weight(&self) -> f64 {
        let preference = self.definition.preference.as_ref();
        preference.and_then(|it| it.weight).unwrap_or(USUAL_WEIGHT).clamp(0.0, 1.0)
    }

    /// Whether it is offered where nobody names it (`tool.preference`).
    pub(crate) fn is_proposed(&self) -> bool {
        let preference = self.definition.preference.as_ref();
        preference.and_then(|it| it.enabled) != Some(false)
    }

    /// Its own deadline, where it declares one.
    pub fn timeout(&self) -> Option<Duration> {
        self.definition.timeout_ms.map(Duration::from_millis)
    }

    /// Whether it is one of the agent's own, see
    /// [`HostBuilder::builtin_tool`](crate::HostBuilder::builtin_tool).
    pub fn is_builtin(&self) -> bool {
        matches!(self.owner, Owner::Agent(_))
    }

    /// Whether it belongs to one extension, be it that the agent runs it for that one.
    pub(crate) fn is_of_extension(&self) -> bool {
        !(self.is_builtin() && self.extension == HOST)
    }

    /// The place in load order of the extension that has it.
    pub(crate) fn owner(&self) -> Option<usize> {
        match self.owner {
            Owner::Extension(owner) => Some(owner),
            Owner::Agent(_) => None,
        }
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
