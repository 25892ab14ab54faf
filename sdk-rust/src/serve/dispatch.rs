//! From the session's events to the author's handlers, and back.

use std::future::poll_fn;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context as TaskContext, Poll, Waker};
use std::time::Instant;

use extline_driver::{BATCH, Settling, settle};
use extline_protocol::frame::{CommandInvoked, ErrorInfo, Event, RpcError, ToolCall};
use extline_protocol::{CallKey, ErrorKind, ExtensionEvent, PanelInput, RawJson};
use tokio::task::spawn_local;

use super::Serving;
use super::watchdog::end_now;
use super::wire::lock;
use crate::connection::Connection;
use crate::handler::{Guarded, MethodHandler, Work};
use crate::pending;
use crate::running::{Name, RunId};
use crate::stderr::{report, report_failure};
use crate::{Cancellation, Context, Error, Response, ToolError, ToolResult};

/// What runs is told by its cancellation: no event is left for it.
impl Settling for Serving {
    fn cancel(&mut self, key: &CallKey) -> bool {
        self.connection.running.cancel(&RunId::Call(key.serial()));
        false
    }

    fn cancel_all(&mut self) -> bool {
        self.connection.running.cancel_all();
        false
    }

    fn watch_end(&mut self) {
        self.is_ending = true;
    }

    fn finish(&mut self) {
        self.end();
    }

    fn overdue(&mut self, exit_code: u8) {
        if self.observer.is_none() && !self.is_watched() {
            let wire = Arc::downgrade(self.connection.wire());
            end_now(wire, self.connection.running.clone(), exit_code);
        }
    }

    fn report(&self, text: &str) {
        report(text);
    }
}

impl Serving {
    /// Does everything that the session has to do now, and writes what it has to say.
    pub(super) fn go_on(&mut self) -> Result<(), Error> {
        let mut gathering_since = None;
        loop {
            let mut wire = lock(self.connection.wire());
            let Some(event) = wire.channel.next_event(true) else {
                self.connection.forget_touched();
                self.write(wire)?;
                if lock(self.connection.wire()).channel.goes_on() {
                    continue;
                }
                return Ok(());
            };
            self.more_waits = wire.channel.session.waiting() > 0;
            let read_at = wire.channel.read_at();
            drop(wire);
            // A look at the clock is not free: one call alone takes none here.
            match &mut gathering_since {
                None => gathering_since = Some(read_at),
                Some(since) if since.elapsed() >= BATCH => {
                    *since = Instant::now();
                    self.write(lock(self.connection.wire()))?;
                }
                Some(_) => {}
            }
            self.handle(event);
        }
    }

    fn handle(&mut self, event: ExtensionEvent) {
        let Some(event) = settle(self, event) else { return };
        match event {
            ExtensionEvent::Accepted(ack) => self.accepted(*ack),
            ExtensionEvent::ToolCall { key, call, deadline } => self.tool(key, call, deadline),
            ExtensionEvent::Command { key, command } => self.command(key, command),
            ExtensionEvent::Intercept { key, intercept, deadline } => {
                self.intercept(key, *intercept, deadline);
            }
            ExtensionEvent::Request { key, request, deadline } => {
                let handler =
                    self.connection.handlers.borrow().methods.get(&request.method).cloned();
                let handler = handler.or_else(|| pending::resolving(&request.method));
                let name = Name { kind: "request", name: request.method };
                self.request(key, name, handler, request.params.unwrap_or_default(), deadline);
            }
            ExtensionEvent::Approval { key, tool, args, deadline } => {
                let handler = self.connection.handlers.borrow().advisers.get(&tool).cloned();
                self.request(key, Name { kind: "gated", name: tool }, handler, args, deadline);
            }
            ExtensionEvent::Event(event) => self.event(*event),
            ExtensionEvent::Panel(input) => self.panel(input),
            ExtensionEvent::CallToolDone { .. }
            | ExtensionEvent::ResponsePart { .. }
            | ExtensionEvent::Response { .. } => self.connection.deliver(event),
            ExtensionEvent::Teardown => self.tear_down(),
            _ => {}
        }
    }

    fn tool(&mut self, key: CallKey, call: ToolCall, deadline: Option<Instant>) {
        let context = Context::of_call(&self.connection, key.clone(), deadline, call.session);
        let handler = self.connection.handlers.borrow().tools.get(&call.name).cloned();
        let Some(handler) = handler else {
            // Registered when it came, and taken back while it waited.
            let unknown = ErrorInfo::unknown_tool(&call.name);
            self.connection.answer_tool(&key, ToolError::not_found(unknown.message).into());
            return;
        };
        let cancellation = context.cancellation();
        let work = handler(call.args, context);
        self.pass_early_cancel(&key, &cancellation);
        let name = Name { kind: "tool", name: call.name };
        let id = RunId::Call(key.serial());
        self.start(id, name, cancellation, work, move |connection, outcome| {
            let failed = |panic| ToolResult::from(ToolError::internal(panic));
            connection.answer_tool(&key, outcome.unwrap_or_else(failed));
        });
    }

    fn command(&mut self, key: CallKey, command: CommandInvoked) {
        let context = Context::of_call(&self.connection, key.clone(), None, None);
        // The session lets only registered names through, in their registered spelling.
        let handler = self.connection.handlers.borrow().commands.get(&command.name).cloned();
        let Some(handler) = handler else { return };
        let cancellation = context.cancellation();
        let work = handler(command.args.unwrap_or_default(), context);
        let name = Name { kind: "command", name: command.name };
        let id = RunId::Call(key.serial());
        self.start(id, name, cancellation, work, move |connection, outcome| {
            connection.answer_command(&key, outcome.unwrap_or_else(Response::error));
        });
    }

    fn request(
        &mut self,
        key: CallKey,
        name: Name,
        handler: Option<MethodHandler>,
        params: RawJson,
        deadline: Option<Instant>,
    ) {
        let context = Context::of_call(&self.connection, key.clone(), deadline, None);
        // The session lets only methods through that are named in `hello`, or resolve an action, and asks only about tools that
        // have such a handler.
        let Some(handler) = handler else { return };
        let cancellation = context.cancellation();
        let work = handler(params, context);
        self.pass_early_cancel(&key, &cancellation);
        let id = RunId::Call(key.serial());
        self.start(id, name, cancellation, work, move |connection, outcome| {
            let failed = |panic| Err(RpcError::new(ErrorKind::Internal, panic));
            connection.answer_request(&key, outcome.unwrap_or_else(failed));
        });
    }

    fn event(&mut self, event: Event) {
        let context = Context::of_event(&self.connection);
        let name = event.event.clone();
        let handlers = self.connection.handlers.borrow().events.get(&name).cloned();
        let cancellation = context.cancellation();
        let work = Box::pin(async move {
            for handler in handlers.unwrap_or_default() {
                let Some(work) = handler(&event, &context) else { continue };
                let outcome = Guarded::new(work).await;
                if let Err(failure) = outcome.and_then(|outcome| outcome) {
                    let name = &event.event;
                    report_failure(&format!("the handler of the event {name} failed: {failure}"));
                }
            }
        });
        let name = Name { kind: "event", name };
        self.start(RunId::Event, name, cancellation, work, |connection, _| {
            connection.finish_event();
        });
    }

    /// One without a handler only shows something.
    fn panel(&mut self, input: PanelInput) {
        let id = input.panel_id().to_owned();
        let handler = self.connection.handlers.borrow().panels.get(&id).cloned();
        let Some(handler) = handler else {
            self.connection.session().panel_done(&id);
            return;
        };
        let context = Context::of_event(&self.connection);
        let cancellation = context.cancellation();
        let work = handler(input.into(), context);
        let name = Name { kind: "panel", name: id.clone() };
        let of_panel = id.clone();
        self.start(RunId::Panel(id), name, cancellation, work, move |connection, outcome| {
            if let Err(failure) = outcome.and_then(|outcome| outcome) {
                report_failure(&format!("the handler of the panel {of_panel} failed: {failure}"));
            }
            connection.finish_panel(&of_panel);
        });
    }

    /// A call and its cancel may come in one read; then the handler sees the cancel from its start.
    fn pass_early_cancel(&self, key: &CallKey, cancellation: &Cancellation) {
        if self.more_waits && self.connection.session().is_cancelled(key) {
            cancellation.cancel();
        }
    }

    /// Polls a handler once, here; one that has to wait goes on as a task.
    pub(super) fn start<T: 'static>(
        &self,
        id: RunId,
        name: Name,
        cancellation: Cancellation,
        work: Work<T>,
        finish: impl FnOnce(&Connection, Result<T, String>) + 'static,
    ) {
        self.watch_handlers();
        let mut work = Guarded::new(work);
        // A task is polled as soon as it is spawned, so this waker is never missed.
        let mut first = TaskContext::from_waker(Waker::noop());
        self.connection.running.begin(id.clone(), name, cancellation);
        let polled = self.connection.poll(|| Pin::new(&mut work).poll(&mut first));
        if let Poll::Ready(outcome) = polled {
            let cancellation = self.connection.running.end_first();
            finish(&self.connection, outcome);
            if let Some(cancellation) = cancellation {
                self.connection.reuse_cancellation(cancellation);
            }
            return;
        }
        self.connection.running.keep_first();
        let connection = Rc::clone(&self.connection);
        spawn_local(async move {
            let polled = poll_fn(|context| connection.poll(|| Pin::new(&mut work).poll(context)));
            let outcome = polled.await;
            connection.running.remove(&id);
            finish(&connection, outcome);
        });
    }
}
