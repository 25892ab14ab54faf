//! What an extension asks the host for, and how that ends when nobody wants it any more.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Instant;

use extline_protocol::frame::{CallTool, CallToolResult, Content, RpcError, ToolResult};
use extline_protocol::limits::CALL_CHAIN;
use extline_protocol::{CallKey, CallKind, ErrorKind, Id, RawJson};
use tokio::sync::oneshot;

use super::Connection;
use super::calls::Waiting;
use super::shared::Shared;
use super::standstill::Standstill;
use super::state::State;
use crate::memory::Memory;
use crate::report::CallError;

/// What one extension may ask for without an answer (`call.open`).
const OPEN: usize = 256;

/// What an extension asked for and has no answer to yet.
pub(crate) struct OpenQuestion {
    /// The call of the host's that it belongs to.
    parent: Option<CallKey>,
    /// Says that nobody wants the answer any more, and why.
    stop: Option<oneshot::Sender<String>>,
    /// Roughly what it takes to keep it, in bytes.
    memory: usize,
}

/// Who calls a tool.
#[derive(Clone, Debug, Default)]
pub(crate) struct Caller {
    /// The extension; absent when the agent does.
    pub(crate) extension: Option<String>,
    /// The tools above this call, outermost first.
    pub(crate) above: Vec<String>,
    /// Its time, where somebody counts it.
    pub(crate) time: Option<Standstill>,
    /// What the agent knows the call above it by.
    pub(crate) origin: Option<u64>,
}

/// A tool that an extension calls.
pub(crate) struct AskedTool {
    pub(crate) shared: Arc<Shared>,
    pub(crate) caller: Caller,
    pub(crate) name: String,
    pub(crate) args: RawJson,
    pub(crate) stopped: Stopped,
}

/// Runs it. A connection does not know how: every call takes the same way, which leads through
/// connections.
pub(crate) type RunAskedTool =
    fn(AskedTool) -> Pin<Box<dyn Future<Output = Result<ToolResult, CallError>> + Send>>;

/// Tells that nobody wants an answer any more, and why.
pub(crate) type Stopped = oneshot::Receiver<String>;

impl State {
    /// Nobody wants the answer any more.
    pub(super) fn stop_question(&mut self, key: &CallKey, reason: &str) {
        let stop = self.questions.get_mut(key).and_then(|question| question.stop.take());
        if let Some(stop) = stop {
            // The task has just ended by itself.
            let _ = stop.send(reason.to_owned());
        }
    }

    /// Stops what was asked for on behalf of a call (`cancel.tree`).
    pub(super) fn stop_children(&mut self, parent: &CallKey, reason: &str) {
        let is_child = |question: &OpenQuestion| question.parent.as_ref() == Some(parent);
        let children = self.questions.iter().filter(|(_, question)| is_child(question));
        let children: Vec<_> = children.map(|(key, _)| key.clone()).collect();
        for key in children {
            self.stop_question(&key, reason);
        }
    }

    pub(super) fn open_question(
        &mut self,
        key: &CallKey,
        parent: Option<CallKey>,
        memory: usize,
    ) -> Stopped {
        let (stop, stopped) = oneshot::channel();
        // An id may be as long as a frame.
        let memory = memory + key.id().as_str().memory();
        self.kept_questions += memory;
        self.questions.insert(key.clone(), OpenQuestion { parent, stop: Some(stop), memory });
        stopped
    }

    /// What the agent knows a call by, or the one above it.
    pub(super) fn origin_of(&self, call: &CallKey) -> Option<u64> {
        self.waiting.get(call).and_then(Waiting::origin)
    }

    /// It has an answer.
    pub(super) fn close_question(&mut self, key: &CallKey) {
        let closed = self.questions.remove(key);
        self.kept_questions -= closed.map_or(0, |question| question.memory);
    }

    /// Whether the extension asks for too much at once.
    pub(super) fn check_open(&self, extension: &str) -> Result<(), RpcError> {
        if self.questions.len() < OPEN {
            return Ok(());
        }
        let text = format!("{OPEN} calls and requests of {extension} have no answer yet");
        Err(RpcError::new(ErrorKind::Budget, text))
    }

    /// The call that a `call_tool` belongs to, and the tools above it, outermost first.
    fn parent_of(&self, call: &CallTool) -> Result<(Option<CallKey>, Vec<String>), RpcError> {
        let Some(id) = &call.parent_id else {
            return Ok((self.parent_of_request(call.parent.as_ref())?, Vec::new()));
        };
        let key = self.session.in_flight(CallKind::Tool, id);
        match key.as_ref().and_then(|key| self.waiting.get(key)) {
            Some(Waiting::Tool { tool, called_by, is_cancelled: false, .. }) => {
                let chain = called_by.iter().cloned().chain([tool.name().to_owned()]);
                Ok((key, chain.collect()))
            }
            Some(_) => {
                let text = format!("the tool call {id} that it belongs to was cancelled");
                Err(RpcError::new(ErrorKind::Cancelled, text))
            }
            None => {
                let text = format!("the tool call {id} that it belongs to is over");
                Err(RpcError::new(ErrorKind::Stale, text))
            }
        }
    }
}

impl Connection {
    /// The extension calls a tool.
    pub(super) fn call_tool_asked(&self, state: &mut State, key: CallKey, call: CallTool) {
        let parent = state.check_open(&self.name).and_then(|()| state.parent_of(&call));
        let parent = parent.and_then(|(parent, above)| {
            check_chain(&above, &call.name)?;
            self.check_callable(&call.name)?;
            Ok((parent, above))
        });
        match (parent, self.this.upgrade()) {
            (Ok((parent, above)), Some(this)) => {
                // Its arguments are copied on their way through the gate.
                let memory = call.name.memory() + 4 * call.args.memory();
                let origin = parent.as_ref().and_then(|key| state.origin_of(key));
                let extension = Some(self.name.clone());
                let caller = Caller { extension, above, time: None, origin };
                let stopped = state.open_question(&key, parent, memory);
                self.shared.runtime.spawn(this.answer_call_tool(key, call, caller, stopped));
            }
            (Err(error), _) => {
                let answer = refusal(call.id, call.name, &error.code, &error.message);
                // It was asked just now, so it has no answer yet.
                let _ = state.session.reply_call_tool(&key, answer, Instant::now());
            }
            // The connection is being dropped, and with it whoever asked.
            (Ok(_), None) => {}
        }
    }

    async fn answer_call_tool(
        self: Arc<Self>,
        key: CallKey,
        call: CallTool,
        caller: Caller,
        stopped: Stopped,
    ) {
        let CallTool { id, name, args, .. } = call;
        let shared = Arc::clone(&self.shared);
        let time = Standstill::default();
        let caller = Caller { time: Some(time.clone()), ..caller };
        let asked = AskedTool { shared, caller, name: name.clone(), args, stopped };
        let running = (self.shared.run_asked_tool)(asked);
        let answer = match self.pausing(&key, &time, running).await {
            Ok(ToolResult { content, is_error, .. }) => {
                CallToolResult { id, name, content, is_error, truncated: false }
            }
            Err(error) => refusal(id, name, &error.kind(), &error.to_string()),
        };
        let mut state = self.lock();
        state.close_question(&key);
        // It may have the session's own answer, when it took too long or the extension has died.
        let _ = state.session.reply_call_tool(&key, answer, Instant::now());
        self.carry_out(&mut state, Instant::now());
    }
}

impl Connection {
    /// Some hosts let an extension call only what is the host's own (`fork.host-tools`).
    fn check_callable(&self, tool: &str) -> Result<(), RpcError> {
        let is_limited = self.shared.rules.profile.vocabulary.calls_host_tools();
        let offered = self.shared.registry().tool(tool);
        if is_limited && offered.is_some_and(|tool| !tool.is_builtin()) {
            let text =
                format!("{tool} belongs to an extension: only the host's tools can be called");
            return Err(RpcError::new(ErrorKind::Permission, text));
        }
        Ok(())
    }

    /// Waits for a tool that an extension calls. Its time, and that of the call which it belongs to,
    /// stand still while a person is asked below it.
    pub(crate) async fn pausing<T>(
        &self,
        key: &CallKey,
        time: &Standstill,
        mut running: impl Future<Output = T> + Unpin,
    ) -> T {
        let mut holds = time.subscribe();
        loop {
            tokio::select! {
                biased;
                answer = &mut running => return answer,
                _ = holds.changed() => {}
            }
            let stands_still = *holds.borrow_and_update() > 0;
            let now = Instant::now();
            let mut state = self.lock();
            if stands_still {
                state.session.pause_call_tool(key, now);
            } else {
                state.session.resume_call_tool(key, now);
            }
            self.carry_out(&mut state, now);
        }
    }
}

/// At most four calls in a chain, and no tool twice (`call.chain`).
fn check_chain(above: &[String], tool: &str) -> Result<(), RpcError> {
    let chain = above.join(" > ");
    let text = if above.iter().any(|name| name == tool) {
        format!("{tool} is called by itself: {chain} > {tool}")
    } else if above.len() >= CALL_CHAIN {
        format!("{tool} would be call {} of a chain: {chain}", CALL_CHAIN + 1)
    } else {
        return Ok(());
    };
    Err(RpcError::new(ErrorKind::Permission, text))
}

/// What the caller gets instead of a result, with the code in front, as there is no field for it.
fn refusal(id: Id, name: String, kind: &ErrorKind, text: &str) -> CallToolResult {
    let content = vec![Content::text(format!("{kind}: {text}"))];
    CallToolResult { id, name, content, is_error: true, truncated: false }
}
