//! What an extension said about itself at its first start, and how it can be asked whether it
//! still lives.

use std::time::Duration;

use serde::Serialize;
use serde_json::{Value, json};

use super::arrived::Arrived;
use super::mcp::{META, is_response, refused_by, request};
use super::protocol::{Era, Protocol};
use super::{SOFT, seconds};

/// A question with the name of a tool, in words.
const CALL: &str = "a call of a tool";

/// What an extension said about itself at its first start.
#[derive(Clone, Debug, Default)]
pub struct Survey {
    /// What it speaks.
    pub protocol: Protocol,
    /// The eras that a server speaks.
    pub eras: Vec<Era>,
    /// Its `hello`, or what a server answered to the request with which a client begins.
    pub hello: Value,
    /// Its `register_tool` frames, or the tools that a server lists.
    pub tools: Vec<Value>,
    /// The prompts that a server lists.
    pub prompts: Vec<Value>,
    /// The resources that a server lists.
    pub resources: Vec<Value>,
    /// The templates of resources that a server lists.
    pub templates: Vec<Value>,
    /// Its `register_command` frames.
    pub commands: Vec<Value>,
    /// Its `subscribe` frames.
    pub subscriptions: Vec<Value>,
    /// The tools that may be called and can be.
    pub callable: Vec<Callable>,
    /// What is wrong with the samples in the manifest, each with a JSON pointer into it.
    pub wrong_samples: Vec<String>,
    /// What was called at first contact, commands too.
    pub called: Vec<Called>,
    /// It wrote `ready`.
    pub ready: bool,
    /// How it is asked whether it lives.
    pub canary: Canary,
    /// What a call of a tool that nobody registered made of it.
    pub unknown_tool: Reaction,
    /// What a command that nobody registered made of it.
    pub unknown_command: Reaction,
    /// How long it takes to answer that, half of the time.
    pub pace: Duration,
}

/// A tool that may be called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Callable {
    /// Its name.
    pub name: String,
    /// Arguments for it, a JSON object.
    pub args: String,
    /// The arguments are those of the manifest.
    pub is_sample: bool,
}

impl Callable {
    /// What stands between the braces of the params of a call over MCP, without `_meta`.
    pub(crate) fn params(&self) -> String {
        call_params(&self.name, &self.args)
    }
}

/// The same of a tool and its arguments, which are JSON.
pub(crate) fn call_params(name: &str, args: &str) -> String {
    format!(r#""name":{},"arguments":{args}"#, Value::from(name))
}

/// What was called at first contact.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Called {
    /// `tool` or `command`.
    pub kind: &'static str,
    /// Its name.
    pub name: String,
    /// How long its answer took, in microseconds; nothing when none came in time.
    pub took_us: Option<u64>,
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
    /// The end that is asked for: it runs none of the author's code but that of the end.
    Shutdown,
    /// `ping`, of an MCP server.
    Ping,
    /// `server/discover`, of an MCP server.
    Discover,
    /// `tools/list`, of an MCP server that does not answer `ping`.
    Tools,
    /// It answers none of these.
    #[default]
    None,
}

/// What a question with a name that nobody registered makes of an extension.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reaction {
    /// It was not asked.
    #[default]
    Unasked,
    /// It answers with an error, as it should.
    Error,
    /// It answers without an error: it ran something for that name.
    Runs,
    /// No answer came in time, and one came later.
    Late,
    /// No answer came at all.
    Silent,
    /// The process ended.
    Ended,
}

impl Reaction {
    /// Why it cannot be asked whether it lives, with the case that says more: `what` was asked, and
    /// `errors` is the case that wants an error.
    fn obstacle(self, what: &str, errors: &str) -> Option<String> {
        let what = format!("{what} that nobody registered");
        match self {
            Self::Unasked | Self::Error => None,
            Self::Runs => Some(format!("it answers {what} without an error ({errors})")),
            Self::Late => Some(format!("its answer to {what} came later than {}", seconds(SOFT))),
            Self::Silent => Some(format!("it does not answer {what} (E-TOL-01)")),
            Self::Ended => Some(format!("it ends at {what} (E-TOL-01)")),
        }
    }
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

    /// Why it is not asked a second time for a tool or a command that nobody registered, and what to do.
    pub(crate) fn runs_any_name(&self) -> Option<String> {
        let (what, case) = match (self.unknown_tool, self.unknown_command) {
            (Reaction::Runs, _) => ("call of a tool", "E-TOL-02"),
            (_, Reaction::Runs) => ("command", "E-CMD-05"),
            _ => return None,
        };
        let why = "it would run the extension's code, as any";
        let how = "--call allows that, and --canary names a harmless call";
        Some(format!("{why} {what} does, whatever its name ({case}); {how}"))
    }

    /// Why it cannot be asked whether it lives, and what to do.
    pub(crate) fn no_canary(&self) -> String {
        let tool = self.unknown_tool.obstacle(CALL, "E-TOL-02");
        let why = tool.or_else(|| self.unknown_command.obstacle("a command", "E-CMD-05"));
        let why = why.unwrap_or_else(|| "it answers nothing that runs none of its code".to_owned());
        format!("{why}; mend that, or name a harmless call with --canary")
    }

    /// Why it is not asked with a tool that nobody registered, and what to do.
    pub(crate) fn no_tool_canary(&self) -> String {
        let why = self.unknown_tool.obstacle(CALL, "E-TOL-02").unwrap_or_default();
        format!("{why}; mend that")
    }

    /// Why it is not asked with a command that nobody registered, and what to do.
    pub(crate) fn no_command_canary(&self) -> String {
        let why = self.unknown_command.obstacle("a command", "E-CMD-05").unwrap_or_default();
        format!("{why}; mend that")
    }

    /// How long it takes to call each of the tools, or commands, that answered.
    pub(crate) fn pace_of(&self, kind: &str) -> Duration {
        let called = self.called.iter().filter(|called| called.kind == kind);
        Duration::from_micros(called.filter_map(|called| called.took_us).sum())
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

    /// Whether a server declares the capability, as `tools`, or a part of one, as `tools/listChanged`.
    pub(crate) fn declares(&self, capability: &str) -> bool {
        let place = format!("/capabilities/{capability}");
        let declared = self.hello.pointer(&place);
        declared.is_some_and(|declared| declared.is_object() || *declared == true)
    }

    /// The revision that a server speaks with the tester: the one that it answered to `initialize`.
    pub(crate) fn version(&self) -> &str {
        let newest = self.protocol.era().map(Era::revision).unwrap_or_default();
        self.hello["protocolVersion"].as_str().unwrap_or(newest)
    }

    /// A tool of a server that requires an argument, and arguments that its schema refuses.
    pub(crate) fn refusing(&self) -> Option<(&str, String)> {
        let refusing = |tool: &Value| refused_by(&tool["inputSchema"]);
        self.tools.iter().find_map(|tool| Some((tool["name"].as_str()?, refusing(tool)?)))
    }

    /// What a server that has completions completes: a reference, and the name of its argument.
    pub(crate) fn completes(&self) -> Option<(Value, String)> {
        let of_prompt = |prompt: &Value| {
            let argument = prompt["arguments"].as_array()?.first()?["name"].as_str()?;
            Some((json!({"type": "ref/prompt", "name": prompt["name"]}), argument.to_owned()))
        };
        let of_template = |template: &Value| {
            let uri = template["uriTemplate"].as_str()?;
            let (_, variable) = uri.split_once('{')?;
            let is_name = |letter: &char| letter.is_ascii_alphanumeric() || *letter == '_';
            let name = variable.trim_start_matches(['+', '#', '.', '/', ';', '?', '&']);
            let name: String = name.chars().take_while(is_name).collect();
            Some((json!({"type": "ref/resource", "uri": uri}), name))
        };
        let of_prompts = self.prompts.iter().find_map(of_prompt);
        let of_templates = || self.templates.iter().find_map(of_template);
        of_prompts.or_else(of_templates).filter(|_| self.declares("completions"))
    }

    /// Whether it is built on an SDK, as its `hello` says: then its frames are canonical.
    pub fn has_sdk(&self) -> bool {
        self.hello["sdk"].is_object()
    }

    /// The time a healthy answer may take: more for an extension that is slow anyway.
    pub fn soft(&self) -> Duration {
        (self.pace * 20).clamp(SOFT, SOFT * 5)
    }
}

impl Canary {
    /// The line that asks; `unknown` is a name that nobody registered.
    pub(crate) fn question(&self, id: &str, unknown: &str) -> String {
        let text = |text: &str| Value::from(text);
        match self {
            Self::Shutdown => r#"{"type":"shutdown"}"#.to_owned(),
            Self::Ping => format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#),
            Self::Discover => request(id, "server/discover", META),
            Self::Tools => request(id, "tools/list", ""),
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
        match self {
            Self::Ping | Self::Discover | Self::Tools => is_response(frame),
            _ => frame["type"] == self.answer_type(),
        }
    }

    /// The same question with so much in it that does not matter.
    pub(crate) fn wide_question(&self, id: &str, unknown: &str, pad: usize) -> String {
        let pad = "x".repeat(pad);
        let wide = format!(r#""_meta":{{"example.com/pad":"{pad}""#);
        match self {
            Self::Ping => request(id, "ping", &format!("{wide}}}")),
            Self::Tools => request(id, "tools/list", &format!("{wide}}}")),
            Self::Discover => {
                let meta = META.replacen(r#""_meta":{"#, &format!("{wide},"), 1);
                request(id, "server/discover", &meta)
            }
            _ => {
                let pad = format!(r#"{{"pad":"{pad}","#);
                self.question(id, unknown).replacen('{', &pad, 1)
            }
        }
    }

    /// The type of the frames that answer such a question.
    pub(crate) fn answer_type(&self) -> &'static str {
        match self {
            Self::Shutdown => "shutdown_ack",
            // Messages of JSON-RPC have no type.
            Self::Ping | Self::Discover | Self::Tools => "",
            Self::Command | Self::AllowedCommand { .. } => "command_response",
            Self::Tool | Self::Allowed { .. } | Self::None => "tool_result",
        }
    }

    /// The answer, in words.
    pub fn answer(&self) -> &'static str {
        match self {
            Self::Tool | Self::None => "an answer to a call of a tool that nobody registered",
            Self::Command => "an answer to a command that nobody registered",
            Self::Shutdown => "shutdown_ack, or the end of the process,",
            Self::Ping => "an answer to ping",
            Self::Discover => "an answer to server/discover",
            Self::Tools => "an answer to tools/list",
            Self::Allowed { .. } => "an answer to the call that was allowed",
            Self::AllowedCommand { .. } => "an answer to the command that was allowed",
        }
    }
}
