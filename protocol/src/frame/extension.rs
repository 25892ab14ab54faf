//! The frames an extension sends.

use std::collections::BTreeMap;

use super::content::{Content, Effect, ErrorInfo, Progress};
use super::object::object;
use super::panel::Panel;
use super::rpc::Parent;
use super::tool::{Annotations, Approval, Execution, Exposure, OutputFormat, Preference, Replay};
use crate::id::Id;
use crate::json::RawJson;
use crate::word::words;

words! {
    /// How much a note or a log line matters.
    #[derive(Default)]
    pub enum Level {
        /// For those who look for a fault.
        Debug = "debug",
        /// Worth knowing.
        #[default]
        Info = "info",
        /// It worked.
        Success = "success",
        /// Something is off.
        Warn = "warn",
        /// Something failed.
        Error = "error",
    }
}

words! {
    /// What a host does with the answer to a command.
    #[derive(Default)]
    pub enum Action {
        /// Submits `prompt` to the model.
        Prompt = "prompt",
        /// Puts `insert` into the editor.
        Insert = "insert",
        /// Shows `display`.
        Display = "display",
        /// Opens the panel `open_panel`.
        OpenPanel = "open_panel",
        /// Nothing.
        #[default]
        Noop = "noop",
        /// Submits `prompt` as if the tool had been called (upstream's addition).
        ToolPrompt = "tool_prompt",
    }
}

words! {
    /// What an intercept answers when its handler fails or takes too long.
    pub enum OnFailure {
        /// It goes on.
        Allow = "allow",
        /// It must not happen.
        Block = "block",
    }
}

object! {
    /// The library an extension is written with.
    #[derive(Default)]
    pub struct SdkInfo {
        /// Its name.
        required name: String,
        /// Its version.
        lenient version: String,
        /// Its language.
        lenient language: String,
    }
}

impl SdkInfo {
    /// This project's SDK for a language: the crates have one version.
    pub fn extline(language: &str) -> Self {
        Self {
            name: "extline".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            language: language.to_owned(),
        }
    }
}

object! {
    /// The first frame of an extension (`hello.first`).
    #[derive(Default)]
    pub struct Hello = "hello" {
        /// The extension's name.
        required name: String,
        /// The extension's version.
        lenient version: String,
        /// What the extension understands.
        optional capabilities: Vec<String>,
        /// The library it is written with.
        optional sdk: SdkInfo,
        /// The methods it serves.
        optional methods: Vec<String>,
        /// Points at which nothing may pass before its guards can be asked (`guard.declared`).
        optional guards: Vec<String>,
        /// The newest start of zot's family that it reads; a fork refuses who does not say it.
        optional protocol_version: u64,
        /// The oldest protocol version of terva with which it can work.
        optional min_protocol: u64,
    }
}

object! {
    /// Offers a slash command.
    #[derive(Default)]
    pub struct RegisterCommand = "register_command" {
        /// Its name, without the slash; matched without regard to case.
        required name: String,
        /// What it does, in a line.
        optional description: String,
        /// What it takes, as `CITY [UNITS]`.
        optional usage: String,
    }
}

object! {
    /// Offers a tool to the model.
    #[derive(Default)]
    pub struct RegisterTool = "register_tool" {
        /// Its name.
        required name: String,
        /// What it does, for the model.
        optional description: String,
        /// JSON Schema of its arguments, an object.
        lenient schema: RawJson,
        /// JSON Schema of its structured result.
        optional output_schema: RawJson,
        /// The group it belongs to.
        optional namespace: String,
        /// What the group is.
        optional namespace_description: String,
        /// How the group is used.
        optional namespace_instructions: String,
        /// How it is offered; `direct` when absent.
        optional exposure: Exposure,
        /// It is offered only after a search.
        flag deferred: bool,
        /// It waits for a person, so no deadline holds.
        flag interactive: bool,
        /// What may be done with a call whose result was lost; `never` when absent.
        optional replay: Replay,
        /// Its name for a person.
        optional label: String,
        /// The provider must keep the model to the schema.
        flag strict: bool,
        /// Its own deadline, in milliseconds.
        optional timeout_ms: u64,
        /// What it does to the world.
        optional annotations: Annotations,
        /// Whether its calls may overlap; `parallel` when absent.
        optional execution: Execution,
        /// The same arguments give the same result until something mutates.
        flag pure: bool,
        /// When a user is asked.
        optional approval: Approval,
        /// How a call is shown: a view whose texts are templates over the args (capability `view`).
        optional call_view: RawJson,
        /// What it proposes to whoever chooses the tools of a turn.
        optional preference: Preference,
        /// The forms between which a model chooses by the argument `output`; the first is the one that holds unless it
        /// does. The session serves them, and no host is told.
        kept outputs: Vec<OutputFormat>,
    }
}

impl RegisterTool {
    /// Whether it declares that it changes nothing: it is `pure`, or `read_only` by its annotations.
    pub fn only_looks(&self) -> bool {
        let hints = self.annotations.as_ref();
        self.pure || hints.and_then(|hints| hints.read_only) == Some(true)
    }
}

object! {
    /// Takes a tool back (capability `tool_registry`).
    #[derive(Default)]
    pub struct UnregisterTool = "unregister_tool" {
        /// The tool.
        required name: String,
    }
}

object! {
    /// Which events of a kind are wanted.
    #[derive(Default)]
    pub struct EventFilter {
        /// Only those about these tools; `*` in a name stands for any text.
        optional tools: Vec<String>,
    }
}

object! {
    /// Asks for events and intercepts. An empty one changes nothing.
    #[derive(Default)]
    pub struct Subscribe = "subscribe" {
        /// Events to be told.
        optional events: Vec<String>,
        /// Points to be asked at.
        optional intercept: Vec<String>,
        /// Points at which guards are asked, after the last rewrite.
        optional guards: Vec<String>,
        /// What silence means, for each point.
        optional on_failure: BTreeMap<String, OnFailure>,
        /// Which of the events are wanted, by the name of the event; all where it is not named.
        optional filters: BTreeMap<String, EventFilter>,
    }
}

impl Subscribe {
    /// Adds a name to those of a kind, `event`, `guard` or `intercept`, once.
    pub fn add(&mut self, kind: &str, name: &str) {
        let names = match kind {
            "event" => &mut self.events,
            "guard" => &mut self.guards,
            _ => &mut self.intercept,
        };
        let names = names.get_or_insert_default();
        if !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }

    /// Says what a failure means at a point.
    pub fn set_on_failure(&mut self, point: &str, mode: &str) {
        let modes = self.on_failure.get_or_insert_default();
        modes.insert(point.to_owned(), OnFailure::from(mode));
    }
}

object! {
    /// All initial registrations are flushed.
    #[derive(Default)]
    pub struct Ready = "ready" {}
}

object! {
    /// The answer to a command.
    pub struct CommandResponse = "command_response" {
        /// The command's id.
        stamped id: Id,
        /// What the host does with it.
        lenient action: Action,
        /// For `prompt` and `tool_prompt`.
        optional prompt: String,
        /// For `insert`.
        optional insert: String,
        /// For `display`.
        optional display: String,
        /// For `tool_prompt`.
        optional tool_name: String,
        /// For `tool_prompt`.
        optional tool_args: RawJson,
        /// For `open_panel`.
        optional open_panel: Panel,
        /// Why it failed; when not empty, it wins over the action.
        optional error: String,
    }
}

impl CommandResponse {
    /// An answer that says nothing yet.
    pub fn new(id: Id, action: Action) -> Self {
        Self {
            id,
            action,
            prompt: None,
            insert: None,
            display: None,
            tool_name: None,
            tool_args: None,
            open_panel: None,
            error: None,
        }
    }

    /// The command failed.
    pub fn error(id: Id, message: impl Into<String>) -> Self {
        Self { error: Some(message.into()), ..Self::new(id, Action::Noop) }
    }
}

object! {
    /// The answer to a tool call: exactly one for each (`tool.one-reply`).
    pub struct ToolResult = "tool_result" {
        /// The call's id.
        stamped id: Id,
        /// The blocks for the model.
        lenient content: Vec<Content>,
        /// The call failed.
        flag is_error: bool,
        /// Tools to offer from now on.
        optional activate_tools: Vec<String>,
        /// The result as a value.
        optional structured_content: RawJson,
        /// More for the user's eyes, not for the model.
        optional details: RawJson,
        /// How the content is shown to a person (capability `view`).
        optional view: RawJson,
        /// Why it failed.
        optional error: ErrorInfo,
        /// What the call did to the world.
        optional effects: Vec<Effect>,
        /// How far the content may be trusted.
        optional trust: String,
    }
}

impl ToolResult {
    /// A result of these blocks.
    pub fn new(id: Id, content: Vec<Content>) -> Self {
        Self {
            id,
            content,
            is_error: false,
            activate_tools: None,
            structured_content: None,
            details: None,
            view: None,
            error: None,
            effects: None,
            trust: None,
        }
    }

    /// A failure: `is_error`, the error, and its message as text for hosts that know only the
    /// base (`tool.error-text`).
    pub fn error(id: Id, error: ErrorInfo) -> Self {
        let content = vec![Content::text(error.message.clone())];
        Self { is_error: true, error: Some(error), ..Self::new(id, content) }
    }

    /// It is not known what became of the call that is asked about (`tool.reconcile`).
    pub(crate) fn unknown_outcome(id: Id) -> Self {
        let mut result = Self::new(id, Vec::new());
        result.push_value(RawJson::of_repaired(r#"{"state":"unknown"}"#));
        result
    }

    /// Adds a value, which stands twice: as it is, and as text for those who know only text. A result holds
    /// one; a second takes its place, and its text stands behind that of the first.
    pub fn push_value(&mut self, value: RawJson) {
        self.content.push(Content::text(value.get()));
        self.structured_content = Some(value);
    }

    /// How many bytes its content and its value have, unescaped; `None` where there is more to it.
    pub(crate) fn plain_bytes(&self) -> Option<usize> {
        let has_more = self.activate_tools.is_some()
            || self.details.is_some()
            || self.view.is_some()
            || self.error.is_some()
            || self.effects.is_some();
        let value = self.structured_content.as_ref().map_or(0, |value| value.get().len());
        (!has_more).then(|| self.content.iter().map(Content::plain_bytes).sum::<usize>() + value)
    }
}

object! {
    /// How a call stands: a snapshot that replaces the one before (capability `tool_update`).
    pub struct ToolUpdate = "tool_update" {
        /// The call's id.
        stamped id: Id,
        /// 1 for the first snapshot.
        stamped seq: u64,
        /// The blocks so far.
        optional content: Vec<Content>,
        /// More for the user's eyes.
        optional details: RawJson,
        /// How the content is shown to a person (capability `view`).
        optional view: RawJson,
        /// How far it is.
        optional progress: Progress,
    }
}

object! {
    /// Calls another tool through the host (capability `call_tool`).
    pub struct CallTool = "call_tool" {
        /// Names the call among the extension's own.
        required id: Id,
        /// The tool.
        required name: String,
        /// Its arguments, an object.
        lenient args: RawJson,
        /// The tool call it belongs to.
        optional parent_id: Id,
        /// The intercept it belongs to (capability `rpc`).
        optional parent: Parent,
    }
}

object! {
    /// Calls a tool of the host's: under terva.
    pub struct ForkToolCall = "host_tool_call" {
        /// Names the call among the extension's own.
        required id: Id,
        /// The tool.
        required name: String,
        /// Its arguments, an object.
        lenient args: RawJson,
    }
}

object! {
    /// The extension no longer wants the result of a `call_tool`.
    pub struct CallToolCancel = "call_tool_cancel" {
        /// The call's id.
        required id: Id,
    }
}

object! {
    /// A note for the user.
    pub struct Notify = "notify" {
        /// How much it matters.
        lenient level: Level,
        /// The note.
        lenient message: String,
    }
}

object! {
    /// Takes the extension's notes back (upstream's addition).
    #[derive(Default)]
    pub struct ClearNotes = "clear_notes" {}
}

object! {
    /// Queues a prompt for the model (upstream's addition).
    #[derive(Default)]
    pub struct Submit = "submit" {
        /// The prompt.
        required text: String,
    }
}

object! {
    /// Runs a slash command as if the user had typed it (upstream's addition).
    #[derive(Default)]
    pub struct SubmitSlash = "submit_slash" {
        /// The line, with its slash.
        required text: String,
    }
}

object! {
    /// A line for the host's log (capability `log`).
    pub struct Log = "log" {
        /// How much it matters.
        lenient level: Level,
        /// The line.
        lenient message: String,
        /// Values that belong to it, an object.
        optional fields: RawJson,
    }
}

object! {
    /// The last frame of an extension that was asked to end.
    #[derive(Default)]
    pub struct ShutdownAck = "shutdown_ack" {}
}
