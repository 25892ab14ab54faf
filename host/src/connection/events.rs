//! What the session makes of the extension's frames, carried out.

use std::sync::Arc;
use std::time::{Duration, Instant};

use extline_protocol::frame::{RegisterCommand, Subscribe};
use extline_protocol::{HandshakeError, HostEvent, Notice as SessionNotice};

use super::Connection;
use super::calls::{CommandAnswer, Unanswered, Waiting};
use super::news::News;
use super::state::{Phase, State};
use crate::memory::{Memory, shorten};
use crate::report::{Author, Manner, Notice, Problem, readable};
use crate::tool::Command;

/// A process that SIGKILL has not ended by then is given up; it waits for a device, as a rule.
const KILL_TAKES: Duration = Duration::from_secs(2);

/// Longest line of a flood that is told, in bytes.
const NEWEST: usize = 1024;

impl Connection {
    /// Carries out what the session wants done, then writes what it wants said. Call it after
    /// everything that was done to the session.
    pub(super) fn carry_out(&self, state: &mut State, now: Instant) {
        while let Some(event) = state.session.poll_event() {
            note_flood(state, &event, now);
            if let Some(event) = state.registering.pass(event) {
                self.handle(state, event, now);
            }
        }
        state.check_memory();
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
        if state.is_draining && state.waiting.is_empty() {
            self.drained.notify_one();
        }
    }

    pub(super) fn handle(&self, state: &mut State, event: HostEvent, now: Instant) {
        let extension = || self.name.clone();
        match event {
            HostEvent::Hello(hello) => {
                state.said_hello = Some(now);
                state.kept_hello = hello.memory();
                state.author = Author::of(hello.sdk.as_ref());
                self.declare_guards(hello.guards.unwrap_or_default());
            }
            HostEvent::Bootstrap(message) => {
                self.shared.on_bootstrap.tell(&self.name, &message);
                self.tell(News::Bootstrap { extension: extension(), message });
            }
            HostEvent::HandshakeFailed(error) if error != HandshakeError::Ended => {
                state.failure.get_or_insert(error.into());
            }
            HostEvent::RegisterTool(tool) => self.register_tool(state, *tool),
            HostEvent::UnregisterTool(name) => self.unregister_tool(state, &name),
            HostEvent::RegisterCommand(command) => self.register_command(state, command),
            HostEvent::Subscribe(subscribe) => {
                self.note_filters(state, &subscribe);
                self.shared.registry().subscribe(self.index, subscribe);
                self.shared.standings.send_replace(());
                self.registrations_changed(state);
            }
            HostEvent::UnclearGuards { why } => {
                let text = format!(
                    "it guards, and at which points cannot be read: nothing passes until a \
                     subscribe says so ({why})"
                );
                let suggestion = Some("write \"guards\":[\"tool_call\"]".to_owned());
                self.shared.registry().guards_are_unclear(self.index, why);
                self.notice(state, Notice { text, suggestion });
            }
            HostEvent::Rejected(rejection) => self.refuse(state, rejection),
            HostEvent::Ready => self.become_ready(state, now),
            HostEvent::SaidReady => self.settle(state),
            HostEvent::Request { key, request } => self.request_asked(state, key, request),
            HostEvent::CallTool { key, call } => self.call_tool_asked(state, key, call),
            HostEvent::Cancelled { key } => state.stop_question(&key, "the extension gave up"),
            HostEvent::Paused { key } => {
                if let Some(above) = state.waiting.get_mut(&key).and_then(Waiting::above) {
                    above.pause();
                }
            }
            HostEvent::Resumed { key } => {
                if let Some(above) = state.waiting.get_mut(&key).and_then(Waiting::above) {
                    above.resume();
                }
            }
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
                let notice = Notice::of(&notice, state.author);
                if is_unknown && !self.shared.rules.profile.reports_unknown {
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
            HostEvent::ToolResult { key, mut result } => {
                if result.view.is_some() {
                    let what = format!("the result of {}", state.tool_of(&key));
                    self.check_view(state, &what, &mut result.view);
                }
                state.stop_children(&key, "the call that it belongs to is answered");
                if let Some(Waiting::Tool { result: waiting, .. }) = state.stop_waiting(&key) {
                    // Whoever asked may have gone.
                    let _ = waiting.send(Ok(self.shared.rules.seen(result)));
                }
            }
            HostEvent::ToolUpdate { key, mut update } => {
                if update.view.is_some() {
                    let what = format!("an update of {}", state.tool_of(&key));
                    self.check_view(state, &what, &mut update.view);
                }
                if let Some(Waiting::Tool { tool, updates, kept, .. }) = state.waiting.get_mut(&key)
                {
                    let memory = update.memory();
                    state.kept_answers =
                        state.kept_answers + memory - std::mem::replace(kept, memory);
                    let update = Arc::new(update);
                    let tool = tool.name().to_owned();
                    updates.send_replace(Some(Arc::clone(&update)));
                    let extension = self.name.clone();
                    self.tell(News::ToolUpdate { extension, tool, update });
                }
            }
            HostEvent::CommandResponse { key, response } => {
                state.stop_children(&key, "the command that it belongs to is answered");
                let panel = self.panel_of(state, &response);
                if let Some(Waiting::Command { response: waiting, .. }) = state.stop_waiting(&key) {
                    let _ = waiting.send(Ok(CommandAnswer { response: *response, panel }));
                }
            }
            HostEvent::InterceptResponse { key, response } => {
                state.stop_children(&key, "the intercept that it belongs to is answered");
                if let Some(Waiting::Intercept { response: waiting, .. }) = state.stop_waiting(&key)
                {
                    let _ = waiting.send(Ok(response));
                }
            }
            HostEvent::CallFailed { key, error } => {
                state.stop_children(&key, &error.message);
                if let Some(waiting) = state.stop_waiting(&key) {
                    waiting.fail(Unanswered::Failed(error));
                }
            }
            HostEvent::Response { key, result } => {
                state.stop_children(&key, "the request that it belongs to is answered");
                if let Some(waiting) = state.stop_waiting(&key) {
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
            self.shared.registry().use_what_is_registered(self.index);
            self.shared.standings.send_replace(());
            state.start_took = Some(now.saturating_duration_since(state.began));
            state.registrations_changed = true;
            self.tell(News::Started { extension: self.name.clone() });
            self.started.send_replace(true);
        }
    }

    /// All that it wants to offer and to be asked about is registered.
    fn settle(&self, state: &mut State) {
        state.said_ready = true;
        let missing = {
            let mut registry = self.shared.registry();
            registry.settle(self.index);
            registry.missing_guards(self.index)
        };
        self.shared.standings.send_replace(());
        self.registrations_changed(state);
        for (point, declared_in) in missing {
            let notice = Notice {
                text: format!(
                    "its {declared_in} declares a guard at {point}, and it registered none: nothing \
                     passes there"
                ),
                suggestion: Some(format!("register it, or remove \"guards\" from {declared_in}")),
            };
            self.notice(state, notice);
        }
    }

    /// Its `hello` says where nothing may pass before its guards are asked (`guard.declared`).
    fn declare_guards(&self, guards: Vec<String>) {
        if self.shared.rules.profile.guards_fail_closed {
            self.shared.registry().declare_in_hello(self.index, guards);
        }
    }

    /// Tells what of its filters cannot be used, for which it gets all events (`subscribe.filter-unknown`).
    fn note_filters(&self, state: &mut State, subscribe: &Subscribe) {
        for (event, filter) in subscribe.filters.iter().flatten() {
            if let Some(fault) = filter.fault() {
                let text = format!("subscribe: ignored its filter of {event:?}: {fault}");
                self.notice(state, Notice::new(text));
            }
        }
    }

    fn unregister_tool(&self, state: &mut State, name: &str) {
        if self.shared.registry().unregister_tool(self.index, name) {
            self.registrations_changed(state);
        } else {
            let text = format!("ignored unregister_tool: it has no tool {name:?}");
            self.notice(state, Notice::new(text));
        }
    }

    fn register_command(&self, state: &mut State, definition: RegisterCommand) {
        let (extension, owner) = (self.name.clone(), self.index);
        self.shared.registry().register_command(Command { extension, definition, owner });
        self.registrations_changed(state);
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
        HostEvent::Bootstrap(message) => format!("bootstrap: {}", readable(message.as_bytes())),
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
    let mut line = line;
    shorten(&mut line, NEWEST);
    state.flood.note_line(line, now);
}
