//! What is about to happen, as an interceptor sees it and decides on it.

use std::path::Path;

use extline_protocol::frame::EventPayload;
use extline_protocol::{Change, RawJson};
use serde::de::DeserializeOwned;

use crate::asked::Asked;
use crate::{Decision, ToolError, args};

/// A tool call that is about to happen, at [`point::ToolCall`](crate::point::ToolCall).
///
/// ```
/// use extline::prelude::*;
/// use extline::testing::{Host, Moment};
///
/// let mut host = Host::new(|| {
///     Extension::new("slow", "1.0.0").intercept(point::ToolCall, async |call, _| {
///         let mut args: Value = call.args_as()?;
///         match call.tool() {
///             "sudo" => return Ok(call.block("no")),
///             "bash" => args["timeout"] = json!(60),
///             _ => return Ok(call.allow()),
///         }
///         Ok(call.rewrite(args))
///     })
/// });
/// let ruling = host.intercept(Moment::tool_call("bash", json!({ "command": "ls" })))?;
/// assert_eq!(ruling.rewritten(), Some(&json!({ "command": "ls", "timeout": 60 })));
/// # Ok::<(), extline::testing::Failure>(())
/// ```
#[derive(Clone, Debug)]
pub struct ToolUse {
    asked: Asked,
    args: RawJson,
}

impl ToolUse {
    pub(crate) fn new(asked: Asked) -> Self {
        let args = asked.payload().tool_args.clone().unwrap_or_else(RawJson::empty_object);
        Self { asked, args }
    }

    /// The tool's name.
    pub fn tool(&self) -> &str {
        self.payload().tool_name.as_deref().unwrap_or_default()
    }

    /// The model's id of the call, empty where the host does not say it.
    pub fn tool_id(&self) -> &str {
        self.payload().tool_id.as_deref().unwrap_or_default()
    }

    /// The arguments as they are now, byte for byte: as the model wrote them, or as the interceptors
    /// before have rewritten them. For an interceptor nobody has checked them against the tool's
    /// schema yet. A call without any has an empty object.
    pub fn args(&self) -> &RawJson {
        &self.args
    }

    /// The arguments as a type; a [`Value`](serde_json::Value) takes all that there are.
    ///
    /// # Errors
    ///
    /// Kind `validation`, with the member that does not fit.
    pub fn args_as<T: DeserializeOwned>(&self) -> Result<T, ToolError> {
        args::decode(&self.args)
    }

    /// All that the host says about the call.
    pub fn payload(&self) -> &EventPayload {
        self.asked.payload()
    }

    /// It goes on unchanged.
    pub fn allow(&self) -> Decision {
        Decision(Change::None)
    }

    /// It must not happen; the model reads why.
    pub fn block(&self, reason: impl Into<String>) -> Decision {
        Decision(self.block_with(reason))
    }

    /// The block, also for a guard.
    pub(crate) fn block_with(&self, reason: impl Into<String>) -> Change {
        self.asked.block(reason.into())
    }

    /// That a person is asked, for a guard.
    pub(crate) fn ask_with(&self, reason: impl Into<String>) -> Change {
        self.asked.ask(reason.into())
    }

    /// It goes on with other arguments, an object. Anything else counts as a handler that failed
    /// (`intercept.modified-args`).
    pub fn rewrite(&self, args: impl Into<RawJson>) -> Decision {
        self.made("rewrite", Change::Args(args.into()))
    }

    /// What the method of that name has made.
    pub(crate) fn made(&self, by: &'static str, change: Change) -> Decision {
        self.asked.made(by);
        Decision(change)
    }
}

/// A call of the model that is about to happen, at [`point::TurnStart`](crate::point::TurnStart).
///
/// ```
/// use extline::prelude::*;
/// use extline::testing::{Host, Moment};
///
/// let mut host = Host::new(|| {
///     Extension::new("thrifty", "1.0.0").intercept(point::TurnStart, async |turn, _| {
///         if turn.step() > 20 { turn.block("twenty calls are enough") } else { turn.allow() }
///     })
/// });
/// assert!(host.intercept(Moment::turn_start(1))?.is_allowed());
/// assert_eq!(host.intercept(Moment::turn_start(21))?.blocked(), Some("twenty calls are enough"));
/// # Ok::<(), extline::testing::Failure>(())
/// ```
#[derive(Clone, Debug)]
pub struct ModelCall(Asked);

impl ModelCall {
    pub(crate) fn new(asked: Asked) -> Self {
        Self(asked)
    }

    /// Its number within the prompt, from 1; 0 where the host does not say it.
    pub fn step(&self) -> u64 {
        self.payload().step.unwrap_or_default()
    }

    /// All that the host says about it.
    pub fn payload(&self) -> &EventPayload {
        self.0.payload()
    }

    /// It goes on.
    pub fn allow(&self) -> Decision {
        Decision(Change::None)
    }

    /// It must not happen; the user reads why.
    pub fn block(&self, reason: impl Into<String>) -> Decision {
        Decision(self.0.block(reason.into()))
    }
}

/// A message of the model, at [`point::AssistantMessage`](crate::point::AssistantMessage).
///
/// ```
/// use extline::prelude::*;
///
/// let extension = Extension::new("polite", "1.0.0")
///     .intercept(point::AssistantMessage, async |message, _| match message.text() {
///         "" => message.allow(),
///         text if text.contains("secret") => message.block("it has a secret"),
///         text => message.replace(text.replace("damn", "d***")),
///     });
/// ```
#[derive(Clone, Debug)]
pub struct Message(Asked);

impl Message {
    pub(crate) fn new(asked: Asked) -> Self {
        Self(asked)
    }

    /// Its text as it is now; empty for a message without text.
    pub fn text(&self) -> &str {
        self.payload().text.as_deref().unwrap_or_default()
    }

    /// All that the host says about it.
    pub fn payload(&self) -> &EventPayload {
        self.0.payload()
    }

    /// It stays as it is.
    pub fn allow(&self) -> Decision {
        Decision(Change::None)
    }

    /// It must not count.
    pub fn block(&self, reason: impl Into<String>) -> Decision {
        Decision(self.0.block(reason.into()))
    }

    /// It counts with another text. A zot takes an empty one for no change.
    pub fn replace(&self, text: impl Into<String>) -> Decision {
        self.0.made("replace");
        Decision(Change::Text(text.into()))
    }
}

/// A run of an agent that is about to begin, at
/// [`point::BeforeAgentStart`](crate::point::BeforeAgentStart). It cannot be blocked.
///
/// ```
/// use extline::prelude::*;
///
/// let extension = Extension::new("brief", "1.0.0")
///     .intercept(point::BeforeAgentStart, async |start, _| {
///         if !start.cwd().join("BRIEF").exists() {
///             return start.allow();
///         }
///         start.system_prompt(format!("{}\n\nAnswer in one line.", start.current_prompt()))
///     });
/// ```
#[derive(Clone, Debug)]
pub struct AgentStart(Asked);

impl AgentStart {
    pub(crate) fn new(asked: Asked) -> Self {
        Self(asked)
    }

    /// The system prompt as it is now; empty when there is none.
    pub fn current_prompt(&self) -> &str {
        self.0.intercept().system_prompt.as_deref().unwrap_or_default()
    }

    /// The model's provider, empty where the host does not say it.
    pub fn provider(&self) -> &str {
        self.payload().provider.as_deref().unwrap_or_default()
    }

    /// The model, empty where the host does not say it.
    pub fn model(&self) -> &str {
        self.payload().model.as_deref().unwrap_or_default()
    }

    /// The working directory, empty where the host does not say it.
    pub fn cwd(&self) -> &Path {
        Path::new(self.payload().cwd.as_deref().unwrap_or_default())
    }

    /// All else that the host says about it.
    pub fn payload(&self) -> &EventPayload {
        self.0.payload()
    }

    /// It goes on unchanged.
    pub fn allow(&self) -> Decision {
        Decision(Change::None)
    }

    /// It goes on with another system prompt; an empty one removes it.
    pub fn system_prompt(&self, prompt: impl Into<String>) -> Decision {
        self.0.made("system_prompt");
        Decision(Change::SystemPrompt(prompt.into()))
    }
}

/// A prompt of the user that the agent is about to take, at
/// [`point::UserPromptSubmit`](crate::point::UserPromptSubmit).
///
/// ```
/// use extline::prelude::*;
///
/// let extension = Extension::new("shell", "1.0.0")
///     .intercept(point::UserPromptSubmit, async |prompt, ctx| {
///         let Some(command) = prompt.text().strip_prefix('!') else { return prompt.allow() };
///         ctx.notify_info(format!("to run {command}, ask for it"));
///         prompt.handled()
///     });
/// ```
#[derive(Clone, Debug)]
pub struct UserPrompt(Asked);

impl UserPrompt {
    pub(crate) fn new(asked: Asked) -> Self {
        Self(asked)
    }

    /// What the user wrote, as it is now.
    pub fn text(&self) -> &str {
        self.payload().text.as_deref().unwrap_or_default()
    }

    /// Whether it waits for the turn to end.
    pub fn is_queued(&self) -> bool {
        self.payload().queued
    }

    /// All that the host says about it.
    pub fn payload(&self) -> &EventPayload {
        self.0.payload()
    }

    /// The agent takes it as it is.
    pub fn allow(&self) -> Decision {
        Decision(Change::None)
    }

    /// The agent does not take it; the user reads why.
    pub fn block(&self, reason: impl Into<String>) -> Decision {
        Decision(self.0.block(reason.into()))
    }

    /// The agent takes this text instead.
    pub fn replace(&self, text: impl Into<String>) -> Decision {
        self.0.made("replace");
        Decision(Change::Text(text.into()))
    }

    /// The extension has dealt with it: the agent sends nothing to the model (`prompt.handled`).
    pub fn handled(&self) -> Decision {
        Decision(self.0.handled())
    }
}
