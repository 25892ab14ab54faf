//! What each frame of an extension does.

use std::time::Instant;

use super::lifecycle::Stage;
use super::{Asked, HandshakeError, HostEvent, HostSession};
use crate::capability::{Capabilities, Capability};
use crate::decode::Unusable;
use crate::error_kind::ErrorKind;
use crate::frame::{
    AnyFrame, CallTool, CallToolResult, Content, ErrorInfo, EventInterceptResponse, ExtensionFrame,
    RegisterTool, Rejection, Request, Response, RpcError,
};
use crate::id::Id;
use crate::json::{FieldError, RawJson};
use crate::method::{PUSH_METHOD, waits_for_person};
use crate::registrations::{RegistrationError, Registrations};
use crate::session::countdown::Countdown;
use crate::session::{CallKey, CallKind, Notice};

/// What a launcher writes before `hello`.
const BOOTSTRAP: &str = "bootstrap";

impl HostSession {
    pub(super) fn handle_frame(&mut self, frame: ExtensionFrame, now: Instant) {
        if matches!(self.stage, Stage::AwaitingHello { .. }) {
            match frame {
                ExtensionFrame::Unknown(frame)
                    if frame.frame_type == BOOTSTRAP && self.profile.bootstrap =>
                {
                    self.handle_bootstrap(&frame, now);
                }
                ExtensionFrame::Hello(hello) if !hello.name.is_empty() => {
                    let refuse = self.profile.vocabulary.words().refuse;
                    match refuse.and_then(|refuse| refuse(&hello)) {
                        None => self.accept(hello, now),
                        Some(why) => self.fail_handshake(HandshakeError::Version(why)),
                    }
                }
                ExtensionFrame::Hello(hello) => {
                    let why = "its name is empty".to_owned();
                    self.note_guards_of_refused(hello.guards.as_deref(), &why);
                    self.fail_handshake(HandshakeError::BadHello(why));
                }
                frame => {
                    let found = frame.frame_type().to_owned();
                    if let ExtensionFrame::Subscribe(subscribe) = &frame {
                        let why = "its subscribe came before hello";
                        self.note_guards_of_refused(subscribe.guards.as_deref(), why);
                    }
                    self.fail_handshake(HandshakeError::NotHello { found });
                }
            }
            return;
        }
        let vocabulary = self.profile.vocabulary;
        if !vocabulary.has_frame(frame.frame_type()) {
            self.handle_unknown(frame.frame_type());
            return;
        }
        match vocabulary.trim(frame) {
            ExtensionFrame::ToolResult(result) => match self.close(CallKind::Tool, &result.id) {
                Some(key) => self.emit(HostEvent::ToolResult { key, result }),
                None => self.unexpected(CallKind::Tool, result.id),
            },
            ExtensionFrame::ToolUpdate(update) => {
                // One that comes behind the result has lost a race in the extension; it is stale.
                if let Some(key) = self.outgoing.find(CallKind::Tool, &update.id) {
                    self.emit(HostEvent::ToolUpdate { key, update });
                }
            }
            ExtensionFrame::CommandResponse(response) => {
                match self.close(CallKind::Command, &response.id) {
                    Some(key) => self.emit(HostEvent::CommandResponse { key, response }),
                    None => self.unexpected(CallKind::Command, response.id),
                }
            }
            ExtensionFrame::EventInterceptResponse(response) => {
                self.handle_intercept_response(response);
            }
            ExtensionFrame::Response(response) => self.handle_response(response),
            ExtensionFrame::ResponsePart(part) => {
                if let Some(key) = self.outgoing.find(CallKind::Request, &part.id) {
                    self.emit(HostEvent::ResponsePart { key, seq: part.seq, data: part.data });
                }
            }
            ExtensionFrame::CallTool(call) => self.handle_call_tool(call, now),
            ExtensionFrame::CallToolCancel(cancel) => {
                self.cancel_open(CallKind::CallTool, &cancel.id, now);
            }
            ExtensionFrame::Request(request) => self.handle_request(request, now),
            ExtensionFrame::Cancel(cancel) => {
                self.cancel_open(CallKind::Request, &cancel.id, now);
            }
            ExtensionFrame::RegisterTool(tool) => self.handle_register_tool(tool),
            ExtensionFrame::UnregisterTool(tool) => self.emit(HostEvent::UnregisterTool(tool.name)),
            ExtensionFrame::RegisterCommand(command) => {
                let checked = Registrations::default().command(command.clone());
                match checked {
                    _ if !self.profile.validates => self.emit(HostEvent::RegisterCommand(command)),
                    Ok(()) => self.emit(HostEvent::RegisterCommand(command)),
                    Err(error) => self.reject("command", command.name, &error),
                }
            }
            ExtensionFrame::Subscribe(subscribe) => self.emit(HostEvent::Subscribe(subscribe)),
            ExtensionFrame::Ready(_) => self.handle_ready(),
            ExtensionFrame::Notify(note) => {
                self.emit(HostEvent::Notify { level: note.level, message: note.message });
            }
            ExtensionFrame::ClearNotes(_) => self.emit(HostEvent::ClearNotes),
            ExtensionFrame::Log(log) => self.emit(HostEvent::Log(log)),
            ExtensionFrame::Submit(submit) => self.emit(HostEvent::Submit(submit.text)),
            ExtensionFrame::SubmitSlash(submit) => self.emit(HostEvent::SubmitSlash(submit.text)),
            ExtensionFrame::OpenPanel(open) => self.emit(HostEvent::OpenPanel(open.panel)),
            ExtensionFrame::PanelRender(render) => self.emit(HostEvent::PanelRender(render)),
            ExtensionFrame::PanelClose(close) => self.emit(HostEvent::PanelClose(close.panel_id)),
            ExtensionFrame::ShutdownAck(_) => self.emit(HostEvent::ShutdownAck),
            ExtensionFrame::Hello(_) => {
                self.notice(Notice::OutOfPlace { frame_type: "hello", why: "it came before" });
            }
            ExtensionFrame::Unknown(frame) => match vocabulary.words().hear {
                Some(hear) if frame.frame_type != BOOTSTRAP => self.hear_as(&frame, hear, now),
                _ => self.handle_unknown(&frame.frame_type),
            },
        }
    }

    pub(super) fn handle_unknown(&mut self, frame_type: &str) {
        if let Some(name) = self.inbox.new_type(frame_type) {
            self.notice(Notice::UnknownType(name));
        }
    }

    /// An answer that cannot be read fails its call, a question that cannot is refused; anything
    /// else is skipped (`frm.unusable-reply`).
    pub(super) fn handle_unusable(&mut self, unusable: Unusable) {
        if matches!(self.stage, Stage::AwaitingHello { .. })
            && (unusable.head.frame_type.as_deref() == Some("hello") || !self.profile.skips_banner)
        {
            self.note_guards_of_unusable_hello(&unusable);
            self.fail_handshake(HandshakeError::BadHello(unusable.problem.to_string()));
            return;
        }
        let Unusable { head, problem, text } = unusable;
        if !self.profile.answers_unusable {
            self.notice(Notice::Skipped(problem));
            return;
        }
        if head.frame_type.as_deref() == Some("subscribe")
            && !matches!(self.stage, Stage::AwaitingHello { .. })
            && self.profile.guards_fail_closed
        {
            self.handle_partial_subscribe(text.as_deref(), problem);
            return;
        }
        let (Some(frame_type), Some(id)) = (head.frame_type, head.id) else {
            self.notice(Notice::Skipped(problem));
            return;
        };
        if matches!(self.stage, Stage::AwaitingHello { .. }) {
            // The first frame of a host is hello_ack, whatever it was asked before.
            self.notice(Notice::Skipped(problem));
            return;
        }
        let in_flight = match frame_type.as_str() {
            "call_tool" => self.open.find(CallKind::CallTool, &id),
            "request" => self.open.find(CallKind::Request, &id),
            _ => None,
        };
        if let Some(key) = in_flight {
            self.notice(Notice::IdInUse { kind: key.kind(), id });
            return;
        }
        let (kind, text) = (problem.kind(), problem.to_string());
        let handled = match frame_type.as_str() {
            "tool_result" => self.fail_call(CallKind::Tool, &id, kind, text),
            "command_response" => self.fail_call(CallKind::Command, &id, kind, text),
            "event_intercept_response" => self.fail_call(CallKind::Intercept, &id, kind, text),
            "response" => self.fail_call(CallKind::Request, &id, kind, text),
            "call_tool" => {
                self.refuse_call_tool(id.clone(), "", &format!("{kind}: {text}"));
                true
            }
            "request" => {
                self.refuse_request(id.clone(), RpcError::new(kind, text));
                true
            }
            _ => false,
        };
        self.notice(if handled {
            Notice::Refused { frame_type, id, problem }
        } else {
            Notice::Skipped(problem)
        });
    }

    fn close(&mut self, kind: CallKind, id: &Id) -> Option<CallKey> {
        self.outgoing.close_id(kind, id).map(|(key, _)| key)
    }

    fn fail_call(&mut self, kind: CallKind, id: &Id, code: ErrorKind, text: String) -> bool {
        let Some(key) = self.close(kind, id) else { return false };
        self.emit(if kind == CallKind::Request {
            HostEvent::Response { key, result: Err(RpcError::new(code, text)) }
        } else {
            HostEvent::CallFailed { key, error: ErrorInfo::new(code, text) }
        });
        true
    }

    /// Arguments that are no object make the answer unusable (`intercept.modified-args-host`),
    /// except beside a block, which wins over every change (`intercept.block-wins`).
    fn handle_intercept_response(&mut self, response: EventInterceptResponse) {
        let Some(key) = self.close(CallKind::Intercept, &response.id) else {
            self.unexpected(CallKind::Intercept, response.id);
            return;
        };
        // A zot passes anything on (`zot.no-validation`).
        let checked = response.modified_args.as_ref().filter(|_| self.profile.validates);
        let args = checked.filter(|args| !args.is_object());
        match args.filter(|_| !response.block) {
            None => self.emit(HostEvent::InterceptResponse { key, response }),
            Some(args) => {
                let error = FieldError::unexpected("an object", args.get()).below("modified_args");
                let text = format!("event_intercept_response: {error}");
                let error = ErrorInfo::new(ErrorKind::Protocol, text);
                self.emit(HostEvent::CallFailed { key, error });
            }
        }
    }

    fn handle_response(&mut self, response: Response) {
        let Some(key) = self.close(CallKind::Request, &response.id) else {
            self.unexpected(CallKind::Request, response.id);
            return;
        };
        let result = match response.error {
            Some(error) => Err(error),
            None => Ok(response.result.unwrap_or_default()),
        };
        self.emit(HostEvent::Response { key, result });
    }

    pub(super) fn handle_call_tool(&mut self, mut call: CallTool, now: Instant) {
        if call.args == RawJson::null() {
            call.args = RawJson::empty_object();
        }
        let refusal = if !self.offers(Capability::CallTool) {
            Some("unsupported: this host does not let extensions call tools")
        } else if !call.args.is_object() {
            Some("validation: the arguments must be a JSON object")
        } else {
            None
        };
        let parent = match (&call.parent_id, &call.parent) {
            (Some(id), _) => self.outgoing.find(CallKind::Tool, id),
            (None, parent) => parent.as_ref().and_then(|parent| self.parent(parent)),
        };
        let asked = Asked {
            overdue: Countdown::new(Some(now + self.deadlines.call_tool)),
            tool: call.name.clone(),
            parent,
            is_paused: false,
        };
        let Some(key) = self.open_question(CallKind::CallTool, &call.id, asked) else { return };
        if let Some(text) = refusal {
            self.open.close(&key);
            self.refuse_call_tool(call.id, &call.name, text);
            return;
        }
        self.emit(HostEvent::CallTool { key, call });
    }

    pub(super) fn handle_request(&mut self, request: Request, now: Instant) {
        let methods = self.ack.methods.as_deref().unwrap_or(&[]);
        let is_served = self.offers(Capability::Rpc) && methods.contains(&request.method);
        let asked = Asked {
            overdue: Countdown::default(),
            tool: String::new(),
            parent: request.parent.as_ref().and_then(|parent| self.parent(parent)),
            is_paused: false,
        };
        let Some(key) = self.open_question(CallKind::Request, &request.id, asked) else { return };
        if !is_served {
            self.open.close(&key);
            let message = format!("unknown method {}", request.method);
            self.refuse_request(request.id, RpcError::new(ErrorKind::Unsupported, message));
            return;
        }
        self.has_pushed |= request.method == PUSH_METHOD;
        if waits_for_person(&request.method) {
            self.pause_parent(&key, now);
        }
        self.emit(HostEvent::Request { key, request });
    }

    /// Opens a question of the extension's; an id that is in flight for its kind is reported
    /// (`id.in-flight`).
    fn open_question(&mut self, kind: CallKind, id: &Id, asked: Asked) -> Option<CallKey> {
        let key = self.open.open(kind, id.clone(), asked);
        if key.is_none() {
            self.notice(Notice::IdInUse { kind, id: id.clone() });
        }
        key
    }

    fn cancel_open(&mut self, kind: CallKind, id: &Id, now: Instant) {
        if let Some(key) = self.open.find(kind, id) {
            // It is answered later, and asks nobody any more.
            self.resume_parent(&key, now);
            self.emit(HostEvent::Cancelled { key });
        }
    }

    pub(super) fn refuse_call_tool(&mut self, id: Id, name: &str, text: &str) {
        let content = vec![Content::text(text)];
        let name = name.to_owned();
        let result = CallToolResult { id, name, content, is_error: true, truncated: false };
        match self.profile.vocabulary.words().tell_result {
            Some(told) => self.send(&told(result)),
            None => self.send(&result),
        }
    }

    pub(super) fn refuse_request(&mut self, id: Id, error: RpcError) {
        if self.profile.vocabulary.is_extline() {
            self.send(&Response { id, result: None, error: Some(error) });
        }
    }

    /// A tool without a schema is one of the base profile; any other value is a mistake.
    fn handle_register_tool(&mut self, mut tool: Box<RegisterTool>) {
        if self.stage == Stage::Ready && !self.profile.late_tools {
            let why = "the model's tools were settled when the extension was ready";
            self.notice(Notice::OutOfPlace { frame_type: "register_tool", why });
            return;
        }
        if tool.schema == RawJson::null() {
            tool.schema = serde_json::json!({"type": "object"}).into();
            self.notice(Notice::NoSchema(tool.name.clone()));
        }
        if !self.profile.validates {
            self.emit(HostEvent::RegisterTool(tool));
            return;
        }
        match Registrations::default().tool(RegisterTool::clone(&tool)) {
            Ok(()) => self.emit(HostEvent::RegisterTool(tool)),
            Err(error) => self.reject("tool", tool.name, &error),
        }
    }

    fn reject(&mut self, kind: &str, name: String, error: &RegistrationError) {
        let rejection = Rejection {
            kind: kind.to_owned(),
            name,
            code: ErrorKind::Validation,
            message: error.to_string(),
            winner: None,
        };
        self.emit(HostEvent::Rejected(rejection));
    }

    fn offers(&self, capability: Capability) -> bool {
        if self.profile.vocabulary.words().hear.is_some() {
            return true;
        }
        let names = self.ack.capabilities.as_deref().unwrap_or(&[]);
        Capabilities::named(names).contains(capability)
    }
}
