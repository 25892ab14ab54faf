//! From the session's events to the author's handlers.

use std::cell::Cell;
use std::sync::Arc;
use std::time::Instant;

use extline_protocol::frame::{CommandInvoked, ErrorInfo, Request, RpcError, ToolCall};
use extline_protocol::{CallKey, CallKind, ErrorKind, ExtensionEvent, RawJson};

use crate::call::Call;
use crate::callback::Callback;
use crate::extension::Extension;
use crate::ffi::with_nul;
use crate::fork;
use crate::job::Job;
use crate::json::Json;
use crate::tool::{CallFunction, Tool};

thread_local! {
    /// How many functions of the author's this thread is inside of.
    static DEPTH: Cell<u32> = const { Cell::new(0) };
}

/// Whether a function of the author's runs in this thread.
pub(crate) fn is_inside_handler() -> bool {
    DEPTH.get() > 0
}

/// Calls a function of the author's.
pub(crate) fn inside<T>(run: impl FnOnce() -> T) -> T {
    DEPTH.set(DEPTH.get() + 1);
    let returned = run();
    DEPTH.set(DEPTH.get() - 1);
    fork::end_if_in_child();
    returned
}

impl Extension {
    /// Does one job, on this thread. The tool, for what is to be remembered of it.
    pub(crate) fn run(self: &Arc<Self>, job: Job) -> Option<Arc<Tool>> {
        match job {
            Job::Event(ExtensionEvent::ToolCall { key, call, deadline }) => {
                return self.run_tool(key, call, deadline);
            }
            Job::Event(event) => self.handle(event),
            Job::InterceptChain(chain, change) => self.go_on(chain, change),
        }
        None
    }

    fn handle(self: &Arc<Self>, event: ExtensionEvent) {
        match event {
            ExtensionEvent::Command { key, command } => self.run_command(key, command),
            ExtensionEvent::Intercept { key, intercept, deadline } => {
                self.intercept(key, *intercept, deadline);
            }
            ExtensionEvent::Request { key, request, deadline } => {
                self.run_method(key, request, deadline);
            }
            ExtensionEvent::Approval { key, tool, args, deadline } => {
                self.run_adviser(key, &tool, args, deadline);
            }
            ExtensionEvent::Event(event) => self.run_event(&event),
            ExtensionEvent::Panel(input) => self.run_panel(&input),
            ExtensionEvent::Cancelled { key, .. } => self.tell_cancelled(&key),
            ExtensionEvent::ShuttingDown(_) => self.tell_all_cancelled(),
            ExtensionEvent::Accepted(ack) => self.accepted(&ack),
            ExtensionEvent::Teardown => self.tear_down(),
            event => self.deliver(event),
        }
    }

    fn run_tool(
        self: &Arc<Self>,
        key: CallKey,
        call: ToolCall,
        deadline: Option<Instant>,
    ) -> Option<Arc<Tool>> {
        let tool = { self.lock().tools.get(&call.name).cloned() };
        let Some(tool) = tool else {
            // Registered when it came, and taken back while it waited.
            let error = ErrorInfo::unknown_tool(&call.name);
            self.refuse(&key, error);
            return None;
        };
        if let Err(error) = tool.validator.validate(&call.args) {
            self.refuse(&key, error.into());
            return None;
        }
        let text = Json::of(call.args);
        let mut handed = Call::new(self, key, Arc::clone(&tool.label), text);
        handed.deadline = deadline;
        handed.session_id = call.session.map(|session| with_nul(session.id));
        handed.operation_key = call.operation_key.map(with_nul);
        handed.reconcile = call.reconcile;
        self.hand_over(&Arc::new(handed), &tool.handler);
        Some(tool)
    }

    fn run_command(self: &Arc<Self>, key: CallKey, command: CommandInvoked) {
        // The session lets only registered names through, in their registered spelling.
        let handler = { self.lock().commands.get(&command.name).cloned() };
        let Some(handler) = handler else { return };
        let text = Json::new(command.args.unwrap_or_default());
        let call = Call::new(self, key, format!("command {}", command.name).into(), text);
        self.hand_over(&Arc::new(call), &handler);
    }

    fn run_method(self: &Arc<Self>, key: CallKey, request: Request, deadline: Option<Instant>) {
        let handler = { self.lock().methods.get(&request.method).cloned() };
        let Some(handler) = handler else {
            // The session lets those through as well that an action is resolved by (`pending.served`).
            let text = format!("the extension has no method {}", request.method);
            return self.refuse(&key, ErrorInfo::new(ErrorKind::Unsupported, text));
        };
        let text = Json::of(request.params.unwrap_or_default());
        let label = format!("request {}", request.method).into();
        let mut call = Call::new(self, key, label, text);
        call.deadline = deadline;
        self.hand_over(&Arc::new(call), &handler);
    }

    /// Asks whether a call is to be approved (`tool.approval-failed`).
    fn run_adviser(
        self: &Arc<Self>,
        key: CallKey,
        name: &str,
        args: RawJson,
        deadline: Option<Instant>,
    ) {
        let tool = { self.lock().tools.get(name).cloned() };
        let Some((tool, adviser)) =
            tool.as_ref().and_then(|tool| Some((tool, tool.adviser.as_ref()?)))
        else {
            // As in `run_tool`.
            return self.refuse(&key, ErrorInfo::unknown_tool(name));
        };
        if let Err(error) = tool.validator.validate(&args) {
            return self.refuse(&key, error.into());
        }
        let mut call = Call::new(self, key, format!("gated_by {name}").into(), Json::of(args));
        call.deadline = deadline;
        call.is_about_approval = true;
        self.hand_over(&Arc::new(call), adviser);
    }

    /// Has the handler run, on a call that can be cancelled from now on.
    pub(crate) fn hand_over(&self, call: &Arc<Call>, handler: &Callback<CallFunction>) {
        let mut state = self.lock();
        state.calls.insert(call.serial(), Arc::clone(call));
        // By what was read with it, or by the thread that took the session over meanwhile.
        if state.live().is_some_and(|channel| channel.session.is_cancelled(&call.key)) {
            // Nobody waits for it yet.
            call.cancel();
        }
        drop(state);
        let text = call.text();
        // SAFETY: the author's function, with what it was registered with; the call lives through it.
        inside(|| unsafe { (handler.run)(handler.user, Arc::as_ptr(call).cast_mut(), text) });
        call.returned();
    }

    fn tell_cancelled(&self, key: &CallKey) {
        let call = { self.lock().calls.get(&key.serial()).cloned() };
        if let Some(call) = call {
            call.tell_cancelled();
        }
    }

    fn tell_all_cancelled(&self) {
        let calls: Vec<_> = { self.lock().calls.values().cloned().collect() };
        for call in calls {
            call.tell_cancelled();
        }
    }

    /// Answers in the handler's place.
    fn refuse(&self, key: &CallKey, error: ErrorInfo) {
        // It fails for a call that the session has answered, at shutdown.
        self.tell(|session| match key.kind() {
            CallKind::Request => {
                session.reply_request(key, Err(RpcError::new(error.kind, error.message)))
            }
            _ => session.fail_tool(key, error),
        });
    }
}
