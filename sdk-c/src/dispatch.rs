//! From the session's events to the author's handlers.

use std::sync::Arc;

use extline_protocol::frame::{CommandInvoked, ErrorInfo, ToolCall, ToolResult};
use extline_protocol::{CallKey, ErrorKind, ExtensionEvent};

use crate::call::Call;
use crate::callback::Callback;
use crate::extension::Extension;
use crate::fork;
use crate::json::Json;
use crate::tool::{CallFunction, Tool};

impl Extension {
    /// Does what an event asks for, on this thread. The tool, for what is to be remembered of it.
    pub(crate) fn run(self: &Arc<Self>, event: ExtensionEvent) -> Option<Arc<Tool>> {
        match event {
            ExtensionEvent::ToolCall { key, call, .. } => return self.run_tool(key, call),
            ExtensionEvent::Command { key, command } => self.run_command(key, command),
            ExtensionEvent::Accepted(ack) => self.accepted(&ack),
            ExtensionEvent::Registered(registered) => self.check_report(&registered),
            ExtensionEvent::Teardown => self.tear_down(),
            _ => {}
        }
        None
    }

    fn run_tool(self: &Arc<Self>, key: CallKey, call: ToolCall) -> Option<Arc<Tool>> {
        let tool = { self.lock().tools.get(&call.name).cloned() };
        let Some(tool) = tool else {
            // Registered when it came, and taken back while it waited.
            let error = ErrorInfo::new(ErrorKind::NotFound, format!("unknown tool {}", call.name));
            self.refuse(&key, error);
            return None;
        };
        if let Err(error) = tool.validator.validate(&call.args) {
            self.refuse(&key, invalid(&error.pointer, &error.message));
            return None;
        }
        let call = Call::new(self, key, format!("tool {}", tool.name), Json::of(call.args));
        self.hand_over(&call, &tool.handler);
        Some(tool)
    }

    fn run_command(self: &Arc<Self>, key: CallKey, command: CommandInvoked) {
        // The session lets only registered names through, in their registered spelling.
        let handler = { self.lock().commands.get(&command.name).cloned() };
        let Some(handler) = handler else { return };
        let text = Json::new(command.args.unwrap_or_default());
        let call = Call::new(self, key, format!("command {}", command.name), text);
        self.hand_over(&call, &handler);
    }

    /// Has the handler run, on a call that can be cancelled from now on.
    fn hand_over(&self, call: &Arc<Call>, handler: &Callback<CallFunction>) {
        let mut state = self.lock();
        state.calls.insert(call.serial(), Arc::clone(call));
        // A call and its cancel may come in one read; then the handler sees it from its start.
        let Ok(wire) = state.wire() else { return };
        let mut news = Vec::new();
        while let Some(event) = wire.session.poll_control() {
            news.push(event);
        }
        for event in news {
            if let Some(event) = state.settle(event)
                && let Ok(wire) = state.wire()
            {
                wire.leave(event);
            }
        }
        drop(state);
        // SAFETY: the author's function, with what it was registered with; the call lives through it.
        unsafe {
            (handler.run)(handler.user, Arc::as_ptr(call).cast_mut(), call.text());
        }
        fork::end_if_in_child();
        call.let_go();
    }

    /// Answers in the handler's place.
    fn refuse(&self, key: &CallKey, error: ErrorInfo) {
        // It fails for a call that the session has answered, at shutdown.
        self.tell(|session| session.reply_tool(key, ToolResult::error(key.id().clone(), error)));
    }
}

/// As every SDK says it.
fn invalid(pointer: &str, message: &str) -> ErrorInfo {
    let place = if pointer.is_empty() { "the arguments" } else { pointer };
    let whole = format!("invalid arguments: {place}: {message}");
    ErrorInfo { field: Some(pointer.to_owned()), ..ErrorInfo::new(ErrorKind::Validation, whole) }
}
