//! What each frame of the host does.

use std::time::Instant;

use super::{ExtensionEvent, ExtensionSession, Open, PanelInput, Repetition, millis};
use crate::capability::Capability;
use crate::decode::Unusable;
use crate::error_kind::ErrorKind;
use crate::frame::{
    CallToolResult, Cancel, CommandInvoked, CommandResponse, ErrorInfo, Event, HostFrame, Level,
    Registered, Request, Response, ResponsePart, RpcError, ToolCall, ToolCancel, ToolResult,
};
use crate::id::Id;
use crate::json::RawJson;
use crate::method::{APPROVAL_METHOD, PENDING_METHODS};
use crate::name::cut_name;
use crate::outputs;
use crate::profile::CONFIG_CHANGED;
use crate::session::{CallKey, CallKind, Notice};

impl ExtensionSession {
    pub(super) fn handle_frame(&mut self, frame: HostFrame, now: Instant) {
        match frame {
            HostFrame::ToolCall(call) => self.handle_tool_call(call, now),
            HostFrame::ToolCancel(cancel) => self.handle_tool_cancel(cancel),
            HostFrame::CommandInvoked(command) => self.handle_command(command),
            HostFrame::Event(event) => self.handle_event(event),
            HostFrame::EventIntercept(intercept) => self.handle_intercept(intercept, now),
            HostFrame::PanelKey(key) => self.handle_panel(PanelInput::Key(key)),
            HostFrame::PanelResize(resize) => self.handle_panel(PanelInput::Resize(resize)),
            HostFrame::PanelClose(close) => {
                self.handle_panel(PanelInput::Close { panel_id: close.panel_id });
            }
            HostFrame::CallToolResult(result) => self.handle_call_tool_result(result, now),
            HostFrame::Request(request) => self.handle_request(request, now),
            HostFrame::Response(response) => self.handle_response(response, now),
            HostFrame::ResponsePart(part) => self.handle_response_part(part),
            HostFrame::Cancel(cancel) => self.handle_cancel(&cancel),
            HostFrame::HelloAck(ack) => self.handle_hello_ack(ack, now),
            HostFrame::Registered(report) => self.handle_registered(report, now),
            HostFrame::Shutdown(shutdown) => self.begin_shutdown(shutdown.reason, true, 0, now),
            HostFrame::Unknown(frame) => {
                if self.hear_fork(&frame, now) {
                    return;
                }
                if let Some(name) = self.inbox.new_type(&frame.frame_type) {
                    self.notice(Notice::UnknownType(name));
                }
            }
        }
    }

    /// Whoever waits for an answer to a bad frame gets one (`frm.unusable-reply`).
    pub(super) fn handle_unusable(&mut self, unusable: Unusable, now: Instant) {
        let Unusable { head, problem, .. } = unusable;
        if head.frame_type.as_deref() == Some("shutdown") {
            self.begin_shutdown(None, true, 0, now);
        }
        let (Some(frame_type), Some(id)) = (head.frame_type, head.id) else {
            self.notice(Notice::Skipped(problem));
            return;
        };
        let (kind, text) = (problem.kind(), format!("{}: {problem}", problem.kind()));
        let in_flight = match frame_type.as_str() {
            "tool_call" => self.open.find(CallKind::Tool, &id),
            "command_invoked" => self.open.find(CallKind::Command, &id),
            "request" => self.open.find(CallKind::Request, &id),
            "event_intercept" => self.open.find(CallKind::Intercept, &id),
            _ => None,
        };
        if let Some(key) = in_flight {
            self.notice(Notice::IdInUse { kind: key.kind(), id });
            return;
        }
        match frame_type.as_str() {
            "tool_call" => self.send(&ToolResult::error(id.clone(), ErrorInfo::new(kind, text))),
            "command_invoked" => self.send(&CommandResponse::error(id.clone(), text)),
            "request" => self.send(&error_response(id.clone(), RpcError::new(kind, text))),
            "event_intercept" => self.refuse_intercept(id.clone(), &text),
            "tool_result" => self.fail_call_tool(&id, &text, now),
            "response" => self.fail_request(&id, kind, &text, now),
            _ => {
                self.notice(Notice::Skipped(problem));
                return;
            }
        }
        self.notice(Notice::Refused { frame_type, id, problem });
    }

    fn handle_tool_call(&mut self, mut call: ToolCall, now: Instant) {
        if call.args == RawJson::null() {
            call.args = RawJson::empty_object();
        }
        let refusal = if self.stage.is_ending() {
            Some(ErrorInfo::new(ErrorKind::Cancelled, "cancelled"))
        } else if !self.registrations.has_tool(&call.name) {
            Some(ErrorInfo::unknown_tool(&call.name))
        } else if !call.args.is_object() {
            let found = crate::json::excerpt(call.args.get());
            let message = format!("the arguments must be a JSON object, and are {found}");
            Some(ErrorInfo {
                field: Some(String::new()),
                ..ErrorInfo::new(ErrorKind::Validation, message)
            })
        } else {
            None
        };
        let output = outputs::take(self.registrations.outputs(&call.name), &mut call.args);
        let refusal = refusal.or_else(|| output.as_ref().err().cloned().map(ErrorInfo::from));
        let Some(key) = self.open_call(CallKind::Tool, &call.id, &call.name) else { return };
        if let Some(error) = refusal {
            self.open.close(&key);
            self.send(&ToolResult::error(call.id, error));
            return;
        }
        if call.reconcile && !self.registrations.reconciles(&call.name) {
            self.open.close(&key);
            self.send(&ToolResult::unknown_outcome(call.id));
            return;
        }
        let deadline = call.deadline_ms.map(|duration| now + millis(duration));
        self.note_deadline(&key, deadline);
        self.note_repetition(&key, &call);
        if let Some(open) = self.open.get_mut(&key) {
            open.output = output.unwrap_or_default();
        }
        self.lanes.call(ExtensionEvent::ToolCall { key, call, deadline });
    }

    fn note_repetition(&mut self, key: &CallKey, call: &ToolCall) {
        if call.operation_key.is_none() && !call.reconcile {
            return;
        }
        if let Some(open) = self.open.get_mut(key) {
            let (operation_key, reconcile) = (call.operation_key.clone(), call.reconcile);
            open.repetition = Some(Box::new(Repetition { operation_key, reconcile }));
        }
    }

    fn handle_command(&mut self, mut command: CommandInvoked) {
        let registered = self.registrations.command_named(&command.name).map(str::to_owned);
        let refusal = match registered {
            _ if self.stage.is_ending() => Some("cancelled".to_owned()),
            None => Some(format!("unknown command {}", cut_name(&command.name))),
            Some(name) => {
                command.name = name;
                None
            }
        };
        let Some(key) = self.open_call(CallKind::Command, &command.id, &command.name) else {
            return;
        };
        if let Some(error) = refusal {
            self.open.close(&key);
            self.send(&CommandResponse::error(command.id, error));
            return;
        }
        self.lanes.call(ExtensionEvent::Command { key, command });
    }

    fn handle_request(&mut self, request: Request, now: Instant) {
        let Some(key) = self.open_call(CallKind::Request, &request.id, &request.method) else {
            return;
        };
        let deadline = request.deadline_ms.map(|duration| now + millis(duration));
        match self.asked_by(request, key.clone(), deadline) {
            Ok(event) => {
                self.note_deadline(&key, deadline);
                self.lanes.call(event);
            }
            Err(error) => {
                self.open.close(&key);
                self.send(&error_response(key.id().clone(), error));
            }
        }
    }

    /// What a request has the driver do.
    fn asked_by(
        &self,
        request: Request,
        key: CallKey,
        deadline: Option<Instant>,
    ) -> Result<ExtensionEvent, RpcError> {
        if self.stage.is_ending() {
            return Err(RpcError::new(ErrorKind::Cancelled, "cancelled"));
        }
        let is_pending = self.has_pushed && PENDING_METHODS.contains(&&*request.method);
        if !is_pending && !self.methods.contains(&request.method) {
            let message = format!("unknown method {}", cut_name(&request.method));
            return Err(RpcError::new(ErrorKind::Unsupported, message));
        }
        if self.asks_tools && request.method == APPROVAL_METHOD {
            let (tool, args) = self.asked_about(&request.params.unwrap_or_default())?;
            return Ok(ExtensionEvent::Approval { key, tool, args, deadline });
        }
        Ok(ExtensionEvent::Request { key, request, deadline })
    }

    /// The tool and the arguments of a call, of which the tool's function says whether it is to be approved
    /// (`tool.approval-failed`).
    fn asked_about(&self, params: &RawJson) -> Result<(String, RawJson), RpcError> {
        let args = params.at("/args").map(RawJson::of_part).filter(RawJson::is_object);
        let Some((tool, args)) = params.string("/tool").zip(args) else {
            let message = "it is asked with a tool and its args, an object";
            return Err(RpcError::new(ErrorKind::Validation, message));
        };
        if !self.registrations.advised().any(|advised| advised.name == tool) {
            let message = format!("no tool {} says more of its calls", cut_name(&tool));
            return Err(RpcError::new(ErrorKind::NotFound, message));
        }
        let mut args = args;
        // What is no form is refused when it is called.
        let _ = outputs::take(self.registrations.outputs(&tool), &mut args);
        Ok((tool.into_owned(), args))
    }

    /// Opens a call of the host's; an id that is in flight for its kind is reported (`id.in-flight`).
    pub(super) fn open_call(&mut self, kind: CallKind, id: &Id, name: &str) -> Option<CallKey> {
        let key = self.open.open(kind, id.clone(), Open::new(name));
        if key.is_none() {
            self.notice(Notice::IdInUse { kind, id: id.clone() });
        }
        key
    }

    fn handle_tool_cancel(&mut self, cancel: ToolCancel) {
        if let Some(key) = self.open.find(CallKind::Tool, &cancel.id) {
            let reason = cancel.reason.unwrap_or_else(|| "cancelled".to_owned());
            self.cancel_call(&key, reason);
        }
    }

    fn handle_cancel(&mut self, cancel: &Cancel) {
        if let Some(key) = self.open.find(CallKind::Request, &cancel.id) {
            self.cancel_call(&key, "cancelled".to_owned());
        }
    }

    /// Tells the handler once, and takes what it asked the host for with it (`cancel.tree`).
    pub(super) fn cancel_call(&mut self, key: &CallKey, reason: String) {
        let Some(open) = self.open.get_mut(key) else { return };
        if std::mem::replace(&mut open.cancelled, true) {
            return;
        }
        // One that waits gets its cancel right behind it, when it is handed out.
        if open.delivered {
            self.lanes.control(ExtensionEvent::Cancelled { key: key.clone(), reason });
        }
        self.cancel_children(key);
    }

    /// The configuration is the new one from here on, whether or not a handler is told
    /// (`config.newest`).
    fn handle_event(&mut self, event: Box<Event>) {
        if event.event == CONFIG_CHANGED
            && let Some(config) = event.payload.config.as_ref().filter(|config| config.is_object())
            && let Some(host) = &mut self.host
        {
            host.config = Some(config.clone());
        }
        if self.registrations.subscribe.wants(&event) && !self.stage.is_ending() {
            self.lanes.event(event);
        }
    }

    fn handle_registered(&mut self, report: Registered, now: Instant) {
        for rejection in &report.rejected {
            let notice = Notice::Rejected(rejection.clone());
            // Without a log the notice alone says it; `log` would say it a second time.
            if self.supports(Capability::Log) {
                self.log(Level::Warn, notice.to_string(), None);
            }
            self.notice(notice);
        }
        self.look_for_required(&report, now);
        self.lanes.control(ExtensionEvent::Registered(report));
    }

    pub(super) fn handle_call_tool_result(&mut self, result: CallToolResult, now: Instant) {
        match self.outgoing.close_id(CallKind::CallTool, &result.id) {
            Some((key, call)) => {
                self.dialog_over(&call, now);
                self.lanes.control(ExtensionEvent::CallToolDone { key, result });
            }
            None => self.notice(Notice::Unexpected { kind: CallKind::CallTool, id: result.id }),
        }
    }

    fn handle_response(&mut self, response: Response, now: Instant) {
        let Some((key, request)) = self.outgoing.close_id(CallKind::Request, &response.id) else {
            self.notice(Notice::Unexpected { kind: CallKind::Request, id: response.id });
            return;
        };
        self.dialog_over(&request, now);
        let result = match response.error {
            Some(error) => Err(error),
            None => Ok(response.result.unwrap_or_default()),
        };
        self.lanes.control(ExtensionEvent::Response { key, result });
    }

    fn handle_response_part(&mut self, part: ResponsePart) {
        if let Some(key) = self.outgoing.find(CallKind::Request, &part.id) {
            let (seq, data) = (part.seq, part.data);
            self.lanes.control(ExtensionEvent::ResponsePart { key, seq, data });
        }
    }

    /// An answer came that cannot be read: only its call fails.
    fn fail_call_tool(&mut self, id: &Id, text: &str, now: Instant) {
        let Some((key, call)) = self.outgoing.close_id(CallKind::CallTool, id) else { return };
        self.dialog_over(&call, now);
        let result = super::outgoing::failed_call_tool(&key, text);
        self.lanes.control(ExtensionEvent::CallToolDone { key, result });
    }

    fn fail_request(&mut self, id: &Id, kind: ErrorKind, text: &str, now: Instant) {
        let Some((key, request)) = self.outgoing.close_id(CallKind::Request, id) else { return };
        self.dialog_over(&request, now);
        let result = Err(RpcError::new(kind, text));
        self.lanes.control(ExtensionEvent::Response { key, result });
    }
}

pub(super) fn error_response(id: Id, error: RpcError) -> Response {
    Response { id, result: None, error: Some(error) }
}
