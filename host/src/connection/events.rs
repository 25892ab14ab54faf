//! What the session makes of the extension's frames, carried out.

use std::sync::Arc;
use std::time::{Duration, Instant};

use extline_protocol::frame::{RegisterCommand, RegisterTool, Rejection};
use extline_protocol::{HandshakeError, HostEvent, Notice as SessionNotice};

use super::Connection;
use super::calls::{CommandAnswer, Unanswered, Waiting};
use super::state::{Phase, State};
use crate::ending::Manner;
use crate::log::readable;
use crate::news::News;
use crate::notice::Notice;
use crate::offer::{Command, Tool};
use crate::problem::Problem;

/// A process that SIGKILL has not ended by then is given up; it waits for a device, as a rule.
const KILL_TAKES: Duration = Duration::from_secs(2);

impl Connection {
    /// Carries out what the session wants done, then writes what it wants said. Call it after
    /// everything that was done to the session.
    pub(super) fn carry_out(&self, state: &mut State, now: Instant) {
        while let Some(event) = state.session.poll_event() {
            note_flood(state, &event, now);
            self.handle(state, event, now);
        }
        if state.flood.is_too_much() && !state.is_ending() {
            state.failure.get_or_insert(Problem::Flood);
        }
        state.write(now);
        state.trace_input_end();
        let next = state.next_step();
        let task_sleeps_too_long = match (next, state.wake_at) {
            (Some(next), Some(wake_at)) => next < wake_at,
            (next, None) => next.is_some(),
            (None, Some(_)) => false,
        };
        let task_must_look = state.failure.is_some()
            || state.registrations_changed
            || state.is_ending()
            || state.queue.blocked().is_some();
        if task_sleeps_too_long || task_must_look {
            self.changed.notify_one();
        }
    }

    fn handle(&self, state: &mut State, event: HostEvent, now: Instant) {
        let extension = || self.name.clone();
        match event {
            HostEvent::Hello(_) => state.said_hello = true,
            HostEvent::HandshakeFailed(error) if error != HandshakeError::Ended => {
                state.failure.get_or_insert(error.into());
            }
            HostEvent::RegisterTool(tool) => self.register_tool(state, tool),
            HostEvent::UnregisterTool(name) => self.unregister_tool(state, &name),
            HostEvent::RegisterCommand(command) => self.register_command(state, command),
            HostEvent::Subscribe(subscribe) => {
                self.shared.registry().subscribe(self.index, subscribe);
                state.registrations_changed = true;
            }
            HostEvent::Rejected(rejection) => self.refuse(state, rejection),
            HostEvent::Ready => self.become_ready(state, now),
            HostEvent::Request { key, request } => self.request_asked(state, key, request),
            HostEvent::CallTool { key, call } => self.call_tool_asked(state, key, call),
            HostEvent::Cancelled { key } => state.stop_question(&key, "the extension gave up"),
            HostEvent::Notify { level, message } => {
                self.tell(News::Note { extension: extension(), level, message });
            }
            HostEvent::ClearNotes => self.tell(News::NotesCleared { extension: extension() }),
            HostEvent::Log(log) => {
                let fields = log.fields.as_ref().map(|fields| format!(" {fields}"));
                let fields = fields.unwrap_or_default();
                self.log.remark(&format!("{}: {}{fields}", log.level, log.message));
                self.tell(News::Log { extension: extension(), log });
            }
            HostEvent::Submit(text) => self.tell(News::Submit { extension: extension(), text }),
            HostEvent::SubmitSlash(text) => {
                self.tell(News::SubmitSlash { extension: extension(), text });
            }
            HostEvent::Notice(notice) => {
                let is_unknown =
                    matches!(notice, SessionNotice::UnknownType(_) | SessionNotice::Skipped(_));
                let notice = Notice::of(&notice, !state.said_hello);
                if is_unknown && !self.shared.likeness.profile.reports_unknown {
                    self.log.remark(&notice.text);
                } else {
                    self.notice(state, notice);
                }
            }
            HostEvent::StoppedReading => {
                state.stopped_reading = true;
                self.lose_output(state, Problem::LineTooLong, now);
            }
            HostEvent::CloseInput => {
                state.write(now);
                state.queue.close();
            }
            HostEvent::Terminate => {
                state.queue.close_now();
                state.manner = Manner::Terminated;
                state.trace_signal("SIGTERM");
                self.group.terminate();
            }
            HostEvent::Kill => {
                state.manner = Manner::Killed;
                state.trace_signal("SIGKILL");
                self.group.kill();
                state.give_up_after(KILL_TAKES, Problem::Unkillable, now);
            }
            HostEvent::OpenPanel(panel) => drop(self.open_panel(state, panel)),
            HostEvent::PanelRender(render) => self.render_panel(state, render),
            HostEvent::PanelClose(id) => self.close_panel(state, &id),
            event => self.handle_answer(state, event),
        }
    }

    /// An answer to something that was asked.
    fn handle_answer(&self, state: &mut State, event: HostEvent) {
        match event {
            HostEvent::ToolResult { key, result } => {
                state.stop_children(&key, "the call that it belongs to is answered");
                if let Some(Waiting::Tool { result: waiting, .. }) = state.waiting.remove(&key) {
                    // Whoever asked may have gone.
                    let _ = waiting.send(Ok(self.shared.likeness.seen(result)));
                }
            }
            HostEvent::ToolUpdate { key, update } => {
                if let Some(Waiting::Tool { name, updates, .. }) = state.waiting.get(&key) {
                    let update = Arc::new(update);
                    let tool = name.clone();
                    updates.send_replace(Some(Arc::clone(&update)));
                    let extension = self.name.clone();
                    self.tell(News::ToolUpdate { extension, tool, update });
                }
            }
            HostEvent::CommandResponse { key, response } => {
                state.stop_children(&key, "the command that it belongs to is answered");
                let panel = self.panel_of(state, &response);
                if let Some(Waiting::Command { response: waiting, .. }) = state.waiting.remove(&key)
                {
                    let _ = waiting.send(Ok(CommandAnswer { response, panel }));
                }
            }
            HostEvent::InterceptResponse { key, response } => {
                state.stop_children(&key, "the intercept that it belongs to is answered");
                if let Some(Waiting::Intercept { response: waiting, .. }) =
                    state.waiting.remove(&key)
                {
                    let _ = waiting.send(Ok(response));
                }
            }
            HostEvent::CallFailed { key, error } => {
                state.stop_children(&key, &error.message);
                if let Some(waiting) = state.waiting.remove(&key) {
                    waiting.fail(Unanswered::Failed(error));
                }
            }
            HostEvent::Response { key, result } => {
                state.stop_children(&key, "the request that it belongs to is answered");
                if let Some(waiting) = state.waiting.remove(&key) {
                    waiting.answer_request(result);
                }
            }
            HostEvent::ResponsePart { key, seq, data } => {
                self.part_received(state, &key, seq, data);
            }
            // A `shutdown_ack` asks for nothing; of an output that ended before `hello` the end of
            // the process tells more, in a moment.
            _ => {}
        }
    }

    fn become_ready(&self, state: &mut State, now: Instant) {
        if matches!(state.phase, Phase::Starting) {
            state.phase = Phase::Ready;
            self.shared.registry().settle(self.index);
            state.start_took = Some(now.saturating_duration_since(state.began));
            state.registrations_changed = true;
            self.tell(News::Started { extension: self.name.clone() });
            self.started.send_replace(true);
        }
    }

    fn register_tool(&self, state: &mut State, definition: RegisterTool) {
        match Tool::of_extension(&self.name, self.index, definition, &self.shared.likeness.profile)
        {
            Ok(tool) => {
                self.shared.registry().register_tool(self.index, tool);
                state.registrations_changed = true;
            }
            Err(rejection) => self.refuse(state, rejection),
        }
    }

    fn unregister_tool(&self, state: &mut State, name: &str) {
        if self.shared.registry().unregister_tool(self.index, name) {
            state.registrations_changed = true;
        } else {
            let text = format!("ignored unregister_tool: it has no tool {name:?}");
            self.notice(state, Notice::new(text));
        }
    }

    fn register_command(&self, state: &mut State, definition: RegisterCommand) {
        let (extension, owner) = (self.name.clone(), self.index);
        self.shared.registry().register_command(Command { extension, definition, owner });
        state.registrations_changed = true;
    }

    fn refuse(&self, state: &mut State, rejection: Rejection) {
        let text =
            format!("rejected the {} {:?}: {}", rejection.kind, rejection.name, rejection.message);
        self.notice(state, Notice::new(text));
        self.shared.registry().refuse(self.index, rejection);
        state.registrations_changed = true;
    }
}

/// Tells apart what somebody waits for and what nobody asked for.
fn note_flood(state: &mut State, event: &HostEvent, now: Instant) {
    let line = match event {
        HostEvent::ToolResult { .. }
        | HostEvent::CommandResponse { .. }
        | HostEvent::InterceptResponse { .. }
        | HostEvent::CallFailed { .. } => return state.flood.note_answer(),
        HostEvent::ToolUpdate { .. } => return state.flood.note_update(now),
        HostEvent::Notice(notice) => notice.to_string(),
        HostEvent::Notify { message, .. } => format!("notify: {}", readable(message.as_bytes())),
        HostEvent::Log(log) => format!("log: {}", readable(log.message.as_bytes())),
        HostEvent::ClearNotes => "clear_notes".to_owned(),
        HostEvent::Submit(_) => "submit".to_owned(),
        HostEvent::SubmitSlash(_) => "submit_slash".to_owned(),
        HostEvent::RegisterTool(tool) => format!("register_tool: {}", tool.name),
        HostEvent::UnregisterTool(name) => format!("unregister_tool: {name}"),
        HostEvent::RegisterCommand(command) => format!("register_command: {}", command.name),
        HostEvent::Subscribe(_) => "subscribe".to_owned(),
        HostEvent::Rejected(rejection) => format!("{}: {}", rejection.kind, rejection.message),
        HostEvent::OpenPanel(_) => "open_panel".to_owned(),
        HostEvent::PanelRender(_) => "panel_render".to_owned(),
        HostEvent::PanelClose(_) => "panel_close".to_owned(),
        _ => return,
    };
    state.flood.note_line(line, now);
}
