//! What an extension sends unasked.

use std::time::Instant;

use thiserror::Error;

use super::fork::Fork;
use super::{ExtensionEvent, ExtensionSession, millis};
use crate::capability::Capability;
use crate::error_kind::ErrorKind;
use crate::frame::{
    CallTool, CallToolCancel, CallToolResult, Cancel, ClearNotes, Content, ErrorInfo, ForkToolCall,
    Level, Log, Notify, Parent, ParentKind, Progress, Request, RpcError, Submit, SubmitSlash,
    ToolUpdate,
};
use crate::json::RawJson;
use crate::limits::{UPDATE_INTERVAL, WAITING_LOG_BYTES};
use crate::method::{PUSH_METHOD, waits_for_person};
use crate::session::countdown::Countdown;
use crate::session::requests::Outgoing;
use crate::session::{CallKey, CallKind, Notice, RequestError};

/// How a call stands; a snapshot that replaces the one before.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Update {
    /// The blocks so far.
    pub content: Option<Vec<Content>>,
    /// More for the user's eyes.
    pub details: Option<RawJson>,
    /// How the content is shown to a person; not sent to a host that does not name `view`.
    pub view: Option<RawJson>,
    /// How far it is.
    pub progress: Option<Progress>,
}

#[derive(Debug, Default)]
pub(super) struct UpdateState {
    waiting: Option<Update>,
    written: u64,
    last: Option<Instant>,
}

/// A tool that cannot be called through the host.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum CallToolError {
    /// The host does not offer it.
    #[error("the host does not let extensions call tools (it does not offer call_tool)")]
    Unsupported,
    /// Arguments are always an object.
    #[error("the arguments must be a JSON object, and are {found}")]
    NotAnObject {
        /// What they are instead, shortened.
        found: String,
    },
    /// The tool call that it belongs to is answered already.
    #[error("the tool call it belongs to is already answered")]
    ParentEnded,
    /// The frame breaks a limit.
    #[error("the call is too large: {0}")]
    TooLarge(String),
    /// The session is ending.
    #[error("the session is ending")]
    ShuttingDown,
}

impl CallToolError {
    /// What kind of failure it is to the author.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Unsupported => ErrorKind::Unsupported,
            Self::NotAnObject { .. } => ErrorKind::Validation,
            Self::ParentEnded => ErrorKind::Stale,
            Self::TooLarge(_) => ErrorKind::TooLarge,
            Self::ShuttingDown => ErrorKind::Cancelled,
        }
    }
}

impl From<&CallToolError> for ErrorInfo {
    fn from(refused: &CallToolError) -> Self {
        Self::new(refused.kind(), refused.to_string())
    }
}

/// What an extension sends unasked.
impl ExtensionSession {
    /// Shows how a tool call stands. Never fails and never waits: without the host's
    /// `tool_update`, after the answer, or for another kind of call, nothing is sent; of several
    /// within 50 ms the last is (`update.rate`).
    pub fn update(&mut self, key: &CallKey, mut update: Update) {
        if key.kind() != CallKind::Tool || !self.supports(Capability::ToolUpdate) {
            return;
        }
        update.view = self.view_for_host(update.view);
        let Some(open) = self.open.get_mut(key) else { return };
        let state = open.update.get_or_insert_default();
        if state.waiting.replace(update).is_none() {
            self.updates.push(key.clone());
        }
    }

    /// Shows the user a note.
    pub fn notify(&mut self, level: Level, message: impl Into<String>) {
        self.send(&Notify { level, message: message.into() });
    }

    /// Takes the extension's notes back (upstream's addition).
    pub fn clear_notes(&mut self) {
        self.warn_old_host("clear_notes");
        self.send(&ClearNotes {});
    }

    /// Queues a prompt for the model (upstream's addition).
    pub fn submit(&mut self, text: impl Into<String>) {
        self.warn_old_host("submit");
        self.send(&Submit { text: text.into() });
    }

    /// Runs a slash command as if the user had typed it (upstream's addition).
    pub fn submit_slash(&mut self, text: impl Into<String>) {
        self.warn_old_host("submit_slash");
        self.send(&SubmitSlash { text: text.into() });
    }

    /// What a person might type: a slash command, or a prompt for the model.
    pub fn submit_typed(&mut self, text: String) {
        if text.starts_with('/') { self.submit_slash(text) } else { self.submit(text) }
    }

    /// Writes to the host's log, or, where it keeps none, to stderr by way of a notice. When too
    /// much waits to be written, the line is dropped and counted (`log.drop`).
    pub fn log(&mut self, level: Level, message: impl Into<String>, fields: Option<RawJson>) {
        let message = message.into();
        if !self.supports(Capability::Log) {
            self.notice(Notice::Log { level, message });
        } else if self.outbox.len() > WAITING_LOG_BYTES {
            self.logs_dropped += 1;
        } else {
            self.send(&Log { level, message, fields });
        }
    }

    /// Calls another tool through the host's registry, guards and approvals; the answer comes as
    /// [`ExtensionEvent::CallToolDone`]. With a parent, it ends with it: a tool call, or an intercept,
    /// which a host that does not offer `rpc` is not told.
    pub fn call_tool(
        &mut self,
        parent: Option<&CallKey>,
        name: &str,
        args: RawJson,
        now: Instant,
    ) -> Result<CallKey, CallToolError> {
        // A terva names no capabilities.
        if !self.supports(Capability::CallTool) && self.fork != Some(Fork::Terva) {
            return Err(CallToolError::Unsupported);
        }
        if !args.is_object() {
            let found = crate::json::excerpt(args.get());
            return Err(CallToolError::NotAnObject { found });
        }
        if self.stage.is_ending() {
            return Err(CallToolError::ShuttingDown);
        }
        if parent.is_some_and(|parent| self.open.get(parent).is_none()) {
            return Err(CallToolError::ParentEnded);
        }
        let of_intercept = parent.filter(|parent| parent.kind() == CallKind::Intercept);
        // The host lets the time of the intercept stand still while a person is asked below it.
        let of_intercept = of_intercept.filter(|_| self.supports(Capability::Rpc));
        let is_dialog = of_intercept.is_some();
        let outgoing = Outgoing { parent: parent.cloned(), is_dialog, ..Outgoing::default() };
        let key = self.outgoing.open(CallKind::CallTool, outgoing);
        let of_tool = parent.filter(|parent| parent.kind() == CallKind::Tool);
        let (id, name) = (key.id().clone(), name.to_owned());
        let pushed = if self.fork.is_some() {
            self.outbox.push(&ForkToolCall { id, name, args })
        } else {
            self.outbox.push(&CallTool {
                id,
                name,
                args,
                parent_id: of_tool.map(|parent| parent.id().clone()),
                parent: of_intercept.map(parent_of),
            })
        };
        if let Err(unsendable) = pushed {
            self.outgoing.close(&key);
            return Err(CallToolError::TooLarge(unsendable.to_string()));
        }
        if let Some(parent) = of_intercept {
            self.pause(parent, now);
        }
        Ok(key)
    }

    /// Asks the host for something by method; the answer comes as [`ExtensionEvent::Response`],
    /// `timeout` at the deadline. With a parent, it ends with it.
    pub fn request(
        &mut self,
        parent: Option<&CallKey>,
        method: &str,
        params: Option<RawJson>,
        deadline_ms: Option<u64>,
        now: Instant,
    ) -> Result<CallKey, RequestError> {
        self.may_use_methods(method)?;
        self.has_pushed |= method == PUSH_METHOD;
        if self.stage.is_ending() {
            return Err(RequestError::ShuttingDown);
        }
        if parent.is_some_and(|parent| self.open.get(parent).is_none()) {
            return Err(RequestError::ParentEnded);
        }
        let deadline = Countdown::new(deadline_ms.map(|duration| now + millis(duration)));
        let is_dialog = waits_for_person(method);
        let parent_key = parent.cloned();
        let outgoing = Outgoing { deadline, parent: parent_key, is_dialog, cancelled: false };
        let key = self.outgoing.open(CallKind::Request, outgoing);
        if let Some(fork) = self.fork {
            self.ask_fork(fork, key.clone(), method, params.as_ref());
            return Ok(key);
        }
        let frame = Request {
            id: key.id().clone(),
            method: method.to_owned(),
            params: self.with_state_version(method, params),
            parent: parent.map(parent_of),
            deadline_ms,
        };
        if let Err(unsendable) = self.outbox.push(&frame) {
            self.outgoing.close(&key);
            return Err(RequestError::TooLarge(unsendable.to_string()));
        }
        if let Some(parent) = parent.filter(|_| is_dialog) {
            self.pause(parent, now);
        }
        Ok(key)
    }

    /// The parameters of a request for `state.*` with the version of the values, unless they say one.
    fn with_state_version(&self, method: &str, params: Option<RawJson>) -> Option<RawJson> {
        let version = self.state_version.filter(|_| method.starts_with("state."));
        let (Some(version), Some(asked)) = (version, params.as_ref()) else { return params };
        // The host says what is wrong with what is no object.
        if !asked.is_object() || asked.at("/slot_version").is_some() {
            return params;
        }
        let text = asked.get();
        let members =
            text.find('{').and_then(|at| text.get(at + 1..)).unwrap_or("}").trim_ascii_start();
        let comma = if members.starts_with('}') { "" } else { "," };
        // One object, and a member before its others.
        Some(RawJson::of_part(&format!("{{\"slot_version\":{version}{comma}{members}")))
    }

    /// No longer wants the answer of a `call_tool` or `request`; it comes all the same.
    pub fn cancel_outgoing(&mut self, key: &CallKey) {
        let Some(outgoing) = self.outgoing.get_mut(key) else { return };
        if std::mem::replace(&mut outgoing.cancelled, true) {
            return;
        }
        if std::mem::take(&mut outgoing.is_dialog) {
            self.given_up.extend(outgoing.parent.clone());
        }
        if self.fork.is_some() {
            // It has no word for that.
            return;
        }
        let id = key.id().clone();
        match key.kind() {
            CallKind::CallTool => self.send(&CallToolCancel { id }),
            _ => self.send(&Cancel { id }),
        }
    }

    pub(super) fn cancel_children(&mut self, parent: &CallKey) {
        if self.outgoing.is_empty() {
            return;
        }
        for child in self.outgoing.children_of(parent) {
            self.cancel_outgoing(&child);
        }
    }

    pub(super) fn fail_overdue_requests(&mut self, now: Instant) {
        for key in self.outgoing.overdue(now) {
            self.cancel_outgoing(&key);
            self.outgoing.close(&key);
            let error = RpcError::new(ErrorKind::Timeout, "the host did not answer in time");
            self.lanes.control(ExtensionEvent::Response { key, result: Err(error) });
        }
        self.resume_given_up(now);
    }

    /// Answers for the host, which will not (`end.answers`).
    pub(super) fn fail_all_outgoing(&mut self, text: &str) {
        for key in self.outgoing.keys() {
            self.outgoing.close(&key);
            self.lanes.control(if key.kind() == CallKind::CallTool {
                let result = failed_call_tool(&key, text);
                ExtensionEvent::CallToolDone { key, result }
            } else {
                let error = RpcError::new(ErrorKind::Cancelled, text);
                ExtensionEvent::Response { key, result: Err(error) }
            });
        }
    }

    pub(super) fn write_updates(&mut self, now: Instant) {
        let waiting = std::mem::take(&mut self.updates);
        for key in waiting {
            let Some(open) = self.open.get_mut(&key) else { continue };
            let Some(state) = &mut open.update else { continue };
            if state.due().is_some_and(|due| due > now) {
                self.updates.push(key);
                continue;
            }
            let Some(Update { content, details, view, progress }) = state.waiting.take() else {
                continue;
            };
            state.last = Some(now);
            let seq = state.written + 1;
            let id = key.id().clone();
            let frame = ToolUpdate { id, seq, content, details, view, progress };
            // One over the limit costs no number: those on the wire have no gaps.
            match self.outbox.push(&frame) {
                Ok(()) => state.written = seq,
                Err(unsendable) => {
                    let why = unsendable.to_string();
                    self.notice(Notice::NotSent { frame_type: "tool_update", why });
                }
            }
        }
    }

    /// Whether a call waits with its first snapshot, which nothing holds back.
    pub(super) fn has_first_update(&self) -> bool {
        let states = self.updates.iter().filter_map(|key| self.open.get(key)?.update.as_ref());
        states.into_iter().any(|state| state.last.is_none())
    }

    pub(super) fn next_update(&self) -> Option<Instant> {
        let states = self.updates.iter().filter_map(|key| self.open.get(key)?.update.as_ref());
        states.filter_map(|state| state.due()).min()
    }

    pub(super) fn report_dropped_logs(&mut self) {
        if self.logs_dropped > 0 && self.outbox.is_empty() {
            let dropped = std::mem::take(&mut self.logs_dropped);
            let message =
                format!("{dropped} log lines were dropped: too much waited to be written");
            self.send(&Log { level: Level::Warn, message, fields: None });
        }
    }
}

impl UpdateState {
    /// When the next snapshot may be written; `None` when none was.
    fn due(&self) -> Option<Instant> {
        self.last.map(|last| last + UPDATE_INTERVAL)
    }
}

/// The answer to a `call_tool` that the host did not give.
pub(super) fn failed_call_tool(key: &CallKey, text: &str) -> CallToolResult {
    CallToolResult {
        id: key.id().clone(),
        name: String::new(),
        content: vec![Content::text(text)],
        is_error: true,
        truncated: false,
    }
}

fn parent_of(key: &CallKey) -> Parent {
    let kind = match key.kind() {
        CallKind::Tool | CallKind::CallTool => ParentKind::ToolCall,
        CallKind::Command => ParentKind::Command,
        CallKind::Intercept => ParentKind::Intercept,
        CallKind::Request => ParentKind::Request,
    };
    Parent { kind, id: key.id().clone() }
}
