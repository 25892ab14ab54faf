//! `agent.*`, `tools.*`, `models.list`: how the agent stands, and what an extension may have it do.
//!
//! A host lists those methods that its agent has.

use serde::{Deserialize, Serialize};

#[cfg(feature = "schema")]
use schemars::JsonSchema;

use crate::method::answered;

/// Names that `tools.activate` and `tools.deactivate` take at most.
pub const NAMES: usize = 1000;
/// Bytes that the reason of `agent.abort` may have.
pub const REASON_BYTES: usize = 1024;

answered! {
    /// Says how the agent stands.
    "agent.state": StateMethod(GetState) => AgentState;
    /// Ends what the agent does for its user, and each call of a tool that has not ended.
    "agent.abort": AbortMethod(Abort) => Aborted;
    /// Lists the tools.
    "tools.list": ListToolsMethod(ListTools) => Tools;
    /// Offers tools again that were deactivated.
    "tools.activate": ActivateMethod(Names) => Changed;
    /// Takes tools out of what the model is offered; a call of one is refused.
    "tools.deactivate": DeactivateMethod(Names) => Changed;
    /// Lists the models that the agent has.
    "models.list": ListModelsMethod(ListModels) => Models;
}

/// What `agent.state` is asked with: nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct GetState {}

/// The answer to `agent.state`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct AgentState {
    /// Whether it waits for its user: no turn is under way.
    pub idle: bool,
    /// Messages of its user that wait for the turn to end.
    #[serde(default)]
    pub queued: u64,
    /// The model in use; empty where there is none.
    #[serde(default)]
    pub model: String,
    /// Whose model it is.
    #[serde(default)]
    pub provider: String,
    /// The project's folder.
    #[serde(default)]
    pub cwd: String,
    /// What the agent calls its mode, as "plan"; absent where it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<String>,
    /// Whether calls run that nobody was asked about, though they need an approval.
    #[serde(default)]
    pub auto_approve: bool,
    /// How full the conversation is; absent where the agent does not know.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<ContextUse>,
}

/// How full a conversation is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct ContextUse {
    /// Tokens that it has.
    pub tokens: u64,
    /// Tokens that it may have.
    pub window: u64,
}

/// What `agent.abort` is asked with.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Abort {
    /// Why, for the user: 1,024 bytes at most.
    #[serde(default)]
    pub reason: String,
}

/// The answer to `agent.abort`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Aborted {
    /// Calls of tools that it ended.
    pub calls: u64,
}

/// What `tools.list` is asked with: nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct ListTools {}

/// The answer to `tools.list`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Tools {
    /// All tools, by name; those that are not active too.
    pub tools: Vec<ListedTool>,
}

/// A tool of the agent's or of an extension.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct ListedTool {
    /// Its name.
    pub name: String,
    /// What it does.
    #[serde(default)]
    pub description: String,
    /// The extension that has it; absent for one of the agent's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extension: Option<String>,
    /// Whether the model is offered it.
    pub active: bool,
}

/// What `tools.activate` and `tools.deactivate` are asked with.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Names {
    /// The tools: 1 to 1,000. The others stay as they are.
    pub names: Vec<String>,
}

/// The answer to `tools.activate` and `tools.deactivate`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Changed {
    /// Those that were not so before.
    pub changed: Vec<String>,
}

/// What `models.list` is asked with: nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct ListModels {}

/// The answer to `models.list`. It has no keys and no addresses.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Models {
    /// The models.
    pub models: Vec<Model>,
}

/// A model.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Model {
    /// What the provider calls it.
    pub id: String,
    /// Whose model it is.
    pub provider: String,
    /// What people call it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Tokens that a conversation with it may have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_window: Option<u64>,
    /// Whether it is the one in use.
    #[serde(default)]
    pub current: bool,
}

macro_rules! nothing_to_check {
    ($($params:ty),*) => {$(
        impl $params {
            fn check(&self) -> Result<(), String> {
                Ok(())
            }
        }
    )*};
}
nothing_to_check!(GetState, ListTools, ListModels);

impl Abort {
    fn check(&self) -> Result<(), String> {
        if self.reason.len() > REASON_BYTES {
            return Err(format!("/reason: it has more than {REASON_BYTES} bytes"));
        }
        Ok(())
    }
}

impl Names {
    fn check(&self) -> Result<(), String> {
        if (1..=NAMES).contains(&self.names.len()) {
            return Ok(());
        }
        Err(format!("/names: they are 1 to {NAMES}"))
    }
}
