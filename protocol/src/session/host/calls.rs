//! What a host sends.

use std::time::{Duration, Instant};

use super::{HostSession, SendError, ToolCallOptions};
use crate::capability::Capability;
use crate::error_kind::ErrorKind;
use crate::frame::{
    self, CallToolResult, Cancel, CommandInvoked, ErrorInfo, Event, EventIntercept, EventPayload,
    Frame, PanelClose, PanelKey, PanelResize, Phase, Registered, Request, Response, ResponsePart,
    RpcError, ToolCall, ToolCancel,
};
use crate::id::Id;
use crate::json::RawJson;
use crate::method::PENDING_METHODS;
use crate::profile::CONFIG_CHANGED;
use crate::session::countdown::Countdown;
use crate::session::requests::Outgoing;
use crate::session::{CallKey, CallKind, HostEvent, ReplyError, RequestError};

/// What is about to happen, and what an extension is told of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Intercept {
    /// The point, as `tool_call`.
    pub event: String,
    /// Interceptors or guards; absent as a zot asks, which means both.
    pub phase: Option<Phase>,
    /// More about it.
    pub payload: EventPayload,
    /// The system prompt as it stands, for `before_agent_start`.
    pub system_prompt: Option<String>,
}

/// What a host sends.
impl HostSession {
    /// Calls a tool. The answer comes as [`HostEvent::ToolResult`] or [`HostEvent::CallFailed`].
    pub fn call_tool(
        &mut self,
        name: &str,
        args: RawJson,
        options: ToolCallOptions,
        now: Instant,
    ) -> Result<CallKey, SendError> {
        let (key, call) = self.begin_tool_call(name.to_owned(), args, options, now)?;
        self.write_call(key, &call)
    }

    /// The same for an extension in this process, which is given the frame as it is
    /// ([`ExtensionSession::handle_call`](crate::ExtensionSession::handle_call)) before anything that
    /// [`HostSession::poll_output`] gives out. Nothing is written, so no limit is looked at.
    pub fn begin_tool_call(
        &mut self,
        name: String,
        args: RawJson,
        options: ToolCallOptions,
        now: Instant,
    ) -> Result<(CallKey, ToolCall), SendError> {
        let refuse = self.profile.vocabulary.words().refuse_args;
        if let Some(why) = refuse.and_then(|refuse| refuse(args.get().len())) {
            return Err(SendError::TooLarge(why));
        }
        let timeout =
            (!options.interactive).then(|| options.timeout.unwrap_or(self.deadlines.tool));
        let key = self.open_call(CallKind::Tool, timeout, now)?;
        // A zot sends no deadline; the field says what differs from what hello_ack announced.
        let deadline_ms = self.profile.extline(options.timeout.and(timeout).map(as_millis));
        let session = self.profile.extline(self.ack.session.clone());
        let repeats = self.profile.vocabulary.words().repeats_calls;
        let operation_key = options.operation_key.filter(|_| repeats);
        let reconcile = options.reconcile && repeats;
        let id = key.id().clone();
        Ok((key, ToolCall { id, name, args, operation_key, reconcile, deadline_ms, session }))
    }

    /// Runs a command. The answer comes as [`HostEvent::CommandResponse`] or
    /// [`HostEvent::CallFailed`].
    pub fn invoke_command(
        &mut self,
        name: &str,
        args: &str,
        now: Instant,
    ) -> Result<CallKey, SendError> {
        let args = (!args.is_empty()).then(|| args.to_owned());
        let command = |id| CommandInvoked { id, name: name.to_owned(), args };
        self.call(CallKind::Command, Some(self.deadlines.command), now, command)
    }

    /// Asks about something before it happens. The answer comes as
    /// [`HostEvent::InterceptResponse`] or [`HostEvent::CallFailed`].
    pub fn intercept(&mut self, intercept: Intercept, now: Instant) -> Result<CallKey, SendError> {
        let Intercept { event, phase, payload, system_prompt } = self.profile.intercept(intercept);
        let intercept = |id| EventIntercept { id, event, phase, payload, system_prompt };
        self.call(CallKind::Intercept, Some(self.deadlines.intercept), now, intercept)
    }

    /// Asks the extension for something by method. The answer comes as [`HostEvent::Response`].
    pub fn request(
        &mut self,
        method: &str,
        params: Option<RawJson>,
        deadline: Option<Duration>,
        now: Instant,
    ) -> Result<CallKey, RequestError> {
        let listed = self.extension.as_ref().and_then(|hello| hello.methods.as_ref());
        let listed = listed.is_some_and(|methods| methods.iter().any(|name| name == method));
        let listed = listed || (self.has_pushed && PENDING_METHODS.contains(&method));
        if !listed || !self.supports(Capability::Rpc) {
            return Err(RequestError::Unsupported { method: method.to_owned() });
        }
        let deadline_ms = deadline.map(as_millis);
        let method = method.to_owned();
        let request = |id| Request { id, method, params, parent: None, deadline_ms };
        self.call(CallKind::Request, deadline, now, request).map_err(|error| match error {
            SendError::TooLarge(why) => RequestError::TooLarge(why),
            SendError::Closed => RequestError::ShuttingDown,
        })
    }

    /// No longer wants an answer. Where the extension understands that, it is told and has a
    /// little time to answer; else the call fails at once (`cancel.host`).
    pub fn cancel(&mut self, key: &CallKey, reason: &str, now: Instant) {
        let grace = self.deadlines.cancelled;
        let Some(call) = self.outgoing.get_mut(key) else { return };
        if std::mem::replace(&mut call.cancelled, true) {
            return;
        }
        // Nobody is asked any more on its behalf, so it does not stand still.
        let until = call.deadline.end(now).map_or(now + grace, |at| at.min(now + grace));
        if call.deadline.fix(until) {
            self.emit(HostEvent::Resumed { key: key.clone() });
        }
        self.send_cancel(key, reason);
        if !self.understands_cancel(key.kind()) || !self.profile.waits_for_cancelled {
            self.outgoing.close(key);
            let error = ErrorInfo::new(ErrorKind::Cancelled, "cancelled");
            self.emit(HostEvent::CallFailed { key: key.clone(), error });
        }
    }

    /// Tells what happened; an event that the profile does not know is not sent.
    pub fn send_event(&mut self, event: &Event) {
        let vocabulary = self.profile.vocabulary;
        if vocabulary.is_extline() {
            self.send_while_open(event);
        } else if vocabulary.has_event(&event.event) {
            let payload = vocabulary.trim_payload(event.payload.clone());
            self.send_while_open(&Event { event: event.event.clone(), payload });
        }
    }

    /// The configuration is another one from now on: an extension that understands it is told
    /// (`config.changed`), and one that has not said hello yet gets it in `hello_ack`.
    pub fn change_config(&mut self, config: RawJson) {
        self.ack.config = self.profile.extline(Some(config.clone()));
        if self.supports(Capability::Config) {
            let payload = EventPayload { config: Some(config), ..EventPayload::default() };
            self.send_while_open(&Event { event: CONFIG_CHANGED.to_owned(), payload });
        }
    }

    /// Passes a key on.
    pub fn panel_key(&mut self, key: &PanelKey) {
        self.send_while_open(key);
    }

    /// Tells a panel's new size.
    pub fn panel_resize(&mut self, resize: &PanelResize) {
        self.send_while_open(resize);
    }

    /// Tells that the user closed a panel.
    pub fn panel_close(&mut self, panel_id: &str) {
        self.send_while_open(&PanelClose { panel_id: panel_id.to_owned() });
    }

    /// Reports what was taken of the registrations, to an extension that understands it.
    pub fn report(&mut self, report: &Registered) {
        if self.supports(Capability::RegistrationReport) {
            self.send_while_open(report);
        }
    }

    /// Answers a `call_tool`; the frame's id is the call's. Content over 256 KiB is cut
    /// (`call.truncated`).
    pub fn reply_call_tool(
        &mut self,
        key: &CallKey,
        mut result: CallToolResult,
        now: Instant,
    ) -> Result<(), ReplyError> {
        self.close_asked(key, now).ok_or(ReplyError::AlreadyAnswered(key.kind()))?;
        result.id = key.id().clone();
        result.truncated |= frame::truncate(&mut result.content);
        if !self.is_open() {
            return Ok(());
        }
        if let Some(told) = self.profile.vocabulary.words().tell_result {
            self.send(&told(result));
        } else if let Err(unsendable) = self.outbox.push(&result) {
            let text = format!("too_large: the result of the tool is too large: {unsendable}");
            self.refuse_call_tool(result.id, &result.name, &text);
        }
        Ok(())
    }

    /// Answers a request of the extension's.
    pub fn reply_request(
        &mut self,
        key: &CallKey,
        result: Result<RawJson, RpcError>,
        now: Instant,
    ) -> Result<(), ReplyError> {
        self.close_asked(key, now).ok_or(ReplyError::AlreadyAnswered(key.kind()))?;
        let (result, error) = match result {
            Ok(result) => (Some(result), None),
            Err(error) => (None, Some(error)),
        };
        // A fork's frame for it is not answered.
        if !self.is_open() || !self.profile.vocabulary.is_extline() {
            return Ok(());
        }
        if let Err(unsendable) = self.outbox.push(&Response { id: key.id().clone(), result, error })
        {
            let message = format!("the answer is too large: {unsendable}");
            self.refuse_request(key.id().clone(), RpcError::new(ErrorKind::TooLarge, message));
        }
        Ok(())
    }

    /// Sends a part of an answer before the answer; `seq` counts the parts from 1.
    pub fn send_part(&mut self, key: &CallKey, seq: u64, data: RawJson) -> Result<(), SendError> {
        if self.open.get(key).is_none() || !self.is_open() {
            return Err(SendError::Closed);
        }
        let part = ResponsePart { id: key.id().clone(), seq, data };
        self.outbox.push(&part).map_err(|unsendable| SendError::TooLarge(unsendable.to_string()))
    }

    pub(super) fn send_cancel(&mut self, key: &CallKey, reason: &str) {
        if !self.understands_cancel(key.kind()) {
            return;
        }
        let id = key.id().clone();
        match key.kind() {
            CallKind::Tool => {
                let reason = self.profile.extline(Some(reason.to_owned()));
                self.send_while_open(&ToolCancel { id, reason });
            }
            _ => self.send_while_open(&Cancel { id }),
        }
    }

    fn call<F: Frame>(
        &mut self,
        kind: CallKind,
        timeout: Option<Duration>,
        now: Instant,
        frame: impl FnOnce(Id) -> F,
    ) -> Result<CallKey, SendError> {
        let key = self.open_call(kind, timeout, now)?;
        let frame = frame(key.id().clone());
        self.write_call(key, &frame)
    }

    fn open_call(
        &mut self,
        kind: CallKind,
        timeout: Option<Duration>,
        now: Instant,
    ) -> Result<CallKey, SendError> {
        if !self.is_open() {
            return Err(SendError::Closed);
        }
        let deadline = Countdown::new(timeout.map(|timeout| now + timeout));
        Ok(self.outgoing.open(kind, Outgoing { deadline, ..Outgoing::default() }))
    }

    fn write_call<F: Frame>(&mut self, key: CallKey, frame: &F) -> Result<CallKey, SendError> {
        if let Err(unsendable) = self.outbox.push(frame) {
            self.outgoing.close(&key);
            return Err(SendError::TooLarge(unsendable.to_string()));
        }
        Ok(key)
    }

    /// Between `hello_ack`, which is a host's first frame, and its last.
    fn is_open(&self) -> bool {
        self.extension.is_some() && !self.stage.is_ending()
    }

    fn send_while_open<F: Frame>(&mut self, frame: &F) {
        if self.is_open() {
            self.send(frame);
        }
    }
}

fn as_millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
