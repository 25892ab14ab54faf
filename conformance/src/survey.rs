//! What an extension said about itself at its first start, and how it can be asked whether it
//! still lives.

use std::time::Duration;

use serde_json::Value;

use crate::conversation::{Arrived, SOFT};

/// What an extension said about itself at its first start.
#[derive(Clone, Debug, Default)]
pub struct Survey {
    /// Its `hello`.
    pub hello: Value,
    /// Its `register_tool` frames.
    pub tools: Vec<Value>,
    /// Its `register_command` frames.
    pub commands: Vec<Value>,
    /// Its `subscribe` frames.
    pub subscriptions: Vec<Value>,
    /// It wrote `ready`.
    pub ready: bool,
    /// How it is asked whether it lives.
    pub canary: Canary,
    /// How long it takes to answer that, half of the time.
    pub pace: Duration,
}

/// A question that a living extension answers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Canary {
    /// A call of a tool that nobody registered.
    Tool,
    /// A command that nobody registered.
    Command,
    /// A call that the author allowed.
    Allowed {
        /// The tool.
        tool: String,
        /// Its arguments, a JSON object.
        args: String,
    },
    /// A command that the author allowed.
    AllowedCommand {
        /// The command, without its slash.
        command: String,
        /// What stands behind it.
        args: String,
    },
    /// It answers none of these.
    #[default]
    None,
}

impl Survey {
    /// What was registered in a conversation.
    pub(crate) fn of(frames: &[Arrived]) -> Self {
        let mut survey = Self::default();
        for frame in frames.iter().filter_map(|arrived| arrived.frame.as_ref().ok()) {
            match frame["type"].as_str() {
                Some("hello") if survey.hello.is_null() => survey.hello = frame.clone(),
                Some("register_tool") => survey.tools.push(frame.clone()),
                Some("register_command") => survey.commands.push(frame.clone()),
                Some("subscribe") => survey.subscriptions.push(frame.clone()),
                Some("ready") => survey.ready = true,
                _ => {}
            }
        }
        survey
    }

    /// How many registrations it wrote.
    pub fn registrations(&self) -> usize {
        self.tools.len() + self.commands.len() + self.subscriptions.len()
    }

    /// The names in one list of its subscriptions: `events`, `intercept`, `guards`.
    pub fn subscribed<'a>(&'a self, list: &'a str) -> impl Iterator<Item = &'a str> {
        self.subscriptions
            .iter()
            .filter_map(move |frame| frame[list].as_array())
            .flatten()
            .filter_map(Value::as_str)
    }

    /// Whether its `hello` names the capability.
    pub fn names(&self, capability: &str) -> bool {
        let names = self.hello["capabilities"].as_array();
        names.is_some_and(|names| names.iter().any(|name| name == capability))
    }

    /// Whether it is built on an SDK, as its `hello` says: then its frames are canonical.
    pub fn has_sdk(&self) -> bool {
        self.hello["sdk"].is_object()
    }

    /// The time a healthy answer may take: more for an extension that is slow anyway.
    pub fn soft(&self) -> Duration {
        (self.pace * 100).clamp(SOFT, SOFT * 5)
    }
}

impl Canary {
    /// The line that asks; `unknown` is a name that nobody registered.
    pub(crate) fn question(&self, id: &str, unknown: &str) -> String {
        let text = |text: &str| Value::from(text);
        match self {
            Self::Tool | Self::None => {
                format!(r#"{{"type":"tool_call","id":"{id}","name":"{unknown}","args":{{}}}}"#)
            }
            Self::Command => {
                format!(r#"{{"type":"command_invoked","id":"{id}","name":"{unknown}"}}"#)
            }
            Self::AllowedCommand { command, args } => {
                let (name, args) = (text(command), text(args));
                format!(r#"{{"type":"command_invoked","id":"{id}","name":{name},"args":{args}}}"#)
            }
            Self::Allowed { tool, args } => {
                let name = text(tool);
                format!(r#"{{"type":"tool_call","id":"{id}","name":{name},"args":{args}}}"#)
            }
        }
    }

    /// Whether a frame answers such a question, whatever it says.
    pub fn is_answer(&self, frame: &Value) -> bool {
        frame["type"] == self.answer_type()
    }

    /// The type of the frames that answer such a question.
    pub(crate) fn answer_type(&self) -> &'static str {
        if self.is_command() { "command_response" } else { "tool_result" }
    }

    fn is_command(&self) -> bool {
        matches!(self, Self::Command | Self::AllowedCommand { .. })
    }

    /// The answer, in words.
    pub fn answer(&self) -> &'static str {
        match self {
            Self::Tool | Self::None => "an answer to a call of a tool that nobody registered",
            Self::Command => "an answer to a command that nobody registered",
            Self::Allowed { .. } => "an answer to the call that was allowed",
            Self::AllowedCommand { .. } => "an answer to the command that was allowed",
        }
    }
}
