//! What the host asks of an extension, and who waits for the answer.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use extline_protocol::frame::{
    CommandResponse, ErrorInfo, Event, EventInterceptResponse, Registered, RpcError,
    ShutdownReason, ToolResult, ToolUpdate,
};
use extline_protocol::{CallKey, ErrorKind, Intercept, RawJson, SendError, ToolCallOptions};
use tokio::sync::{OwnedSemaphorePermit, mpsc, oneshot, watch};

use super::Connection;
use super::call_guard::CallGuard;
use super::panel::Panel;
use super::standstill::{Above, Standstill};
use super::state::{Phase, State};
use crate::registry::Point;
use crate::report::{CallError, Diagnosis, FailureCause, NoAnswer, Problem};
use crate::tool::Tool;

/// Who waits for an answer.
pub(crate) enum Waiting {
    Tool {
        tool: Arc<Tool>,
        /// The tools above it, outermost first.
        called_by: Vec<String>,
        /// Nobody wants its result any more.
        is_cancelled: bool,
        /// Whose time stands still while a person is asked.
        above: Above,
        origin: Option<u64>,
        /// No other call of a sequential tool runs as long as this is held.
        _turn: Option<OwnedSemaphorePermit>,
        result: oneshot::Sender<Result<Box<ToolResult>, Unanswered>>,
        updates: watch::Sender<Option<Arc<ToolUpdate>>>,
        /// What the newest of these takes in memory.
        kept: usize,
    },
    Command {
        name: String,
        origin: Option<u64>,
        response: oneshot::Sender<Result<CommandAnswer, Unanswered>>,
    },
    Request {
        method: String,
        response: oneshot::Sender<Result<Result<RawJson, RpcError>, Unanswered>>,
        parts: mpsc::Sender<RawJson>,
        /// The number of the last part.
        received: u64,
        /// What the last ones take in memory.
        kept: VecDeque<usize>,
    },
    Intercept {
        point: &'static str,
        /// The same.
        above: Above,
        origin: Option<u64>,
        response: oneshot::Sender<Result<EventInterceptResponse, Unanswered>>,
    },
}

/// The answer to a command, and the panel that it has opened.
pub(crate) struct CommandAnswer {
    pub(crate) response: CommandResponse,
    pub(crate) panel: Option<Panel>,
}

/// A tool call that may be sent.
pub(crate) struct Sending {
    pub(crate) tool: Arc<Tool>,
    pub(crate) args: RawJson,
    pub(crate) options: ToolCallOptions,
    /// The tools above it, outermost first.
    pub(crate) called_by: Vec<String>,
    /// The time of those above it.
    pub(crate) above: Option<Standstill>,
    /// What the agent knows it by.
    pub(crate) origin: Option<u64>,
    /// What the call holds until it is answered or has failed.
    pub(crate) turn: Option<OwnedSemaphorePermit>,
}

/// A tool call that was sent.
pub(crate) struct SentCall {
    pub(crate) guard: CallGuard,
    pub(crate) result: oneshot::Receiver<Result<Box<ToolResult>, Unanswered>>,
    pub(crate) updates: watch::Receiver<Option<Arc<ToolUpdate>>>,
}

/// A command that was sent.
pub(crate) struct SentCommand {
    pub(crate) guard: CallGuard,
    pub(crate) response: oneshot::Receiver<Result<CommandAnswer, Unanswered>>,
}

/// A call that has no answer, and will have none.
#[derive(Debug)]
pub(crate) enum Unanswered {
    /// The session says why.
    Failed(ErrorInfo),
    /// The extension is gone, or given up.
    Died(Arc<Diagnosis>),
    /// The runtime that drove the extension is gone.
    HostGone,
}

impl Waiting {
    /// The name of the tool, command or intercept point.
    pub(super) fn name(&self) -> &str {
        match self {
            Self::Tool { tool, .. } => tool.name(),
            Self::Command { name, .. } => name,
            Self::Request { method, .. } => method,
            Self::Intercept { point, .. } => point,
        }
    }

    /// Whose time stands still while a person is asked below it. A command and a request of the
    /// agent's have nobody above them.
    pub(super) fn above(&mut self) -> Option<&mut Above> {
        match self {
            Self::Tool { above, .. } | Self::Intercept { above, .. } => Some(above),
            Self::Command { .. } | Self::Request { .. } => None,
        }
    }

    /// What the agent knows it by, or the call above it.
    pub(super) fn origin(&self) -> Option<u64> {
        match self {
            Self::Tool { origin, .. }
            | Self::Intercept { origin, .. }
            | Self::Command { origin, .. } => *origin,
            Self::Request { .. } => None,
        }
    }

    /// What is kept of its answer so far, in bytes.
    pub(super) fn memory(&self) -> usize {
        match self {
            Self::Tool { kept, .. } => *kept,
            Self::Request { kept, .. } => kept.iter().sum(),
            Self::Command { .. } | Self::Intercept { .. } => 0,
        }
    }

    /// Tells the answer to a request.
    pub(super) fn answer_request(self, answer: Result<RawJson, RpcError>) {
        if let Self::Request { response, .. } = self {
            // Whoever asked may have gone.
            let _ = response.send(Ok(answer));
        }
    }

    /// Tells that there will be no answer. Whoever has gone meanwhile does not need to know.
    pub(super) fn fail(self, unanswered: Unanswered) {
        match self {
            Self::Tool { result, .. } => drop(result.send(Err(unanswered))),
            Self::Command { response, .. } => drop(response.send(Err(unanswered))),
            Self::Request { response, .. } => drop(response.send(Err(unanswered))),
            Self::Intercept { response, .. } => drop(response.send(Err(unanswered))),
        }
    }
}

impl Unanswered {
    /// `asked`: the extension that has not answered; absent when the agent itself has not.
    pub(crate) fn into_error(
        self,
        name: &str,
        timeout: Duration,
        asked: Option<&Connection>,
    ) -> CallError {
        let name = name.to_owned();
        match self {
            Self::Failed(error) => match error.kind {
                ErrorKind::Timeout => {
                    let extension = asked.map(|asked| asked.name().to_owned());
                    CallError::Timeout { name, after: timeout, extension }
                }
                ErrorKind::Cancelled => CallError::Cancelled { name },
                kind => CallError::Unusable { name, kind, message: error.message },
            },
            Self::Died(diagnosis) => CallError::Died { name, diagnosis },
            Self::HostGone => {
                let doing = "waiting for an answer";
                let diagnosis = Diagnosis::new(&name, Problem::ShutDown, doing, None);
                CallError::Died { name, diagnosis: Arc::new(diagnosis) }
            }
        }
    }

    /// How an intercept failed, in words that follow who was asked.
    fn into_no_answer(self, timeout: Duration) -> NoAnswer {
        let (cause, reason) = match self {
            Self::Failed(error) if error.kind == ErrorKind::Timeout => {
                let reason = format!("did not answer within {} ms", timeout.as_millis());
                (FailureCause::TimedOut, reason)
            }
            Self::Failed(error) => {
                let reason = format!("has no answer that can be used: {}", error.message);
                (FailureCause::Unusable, reason)
            }
            Self::Died(diagnosis) => {
                (FailureCause::Gone, format!("did not answer: {}", diagnosis.summary()))
            }
            Self::HostGone => {
                (FailureCause::Gone, "did not answer: the host was shut down".to_owned())
            }
        };
        NoAnswer { cause, reason }
    }
}

impl Connection {
    /// Sends a tool call.
    pub(crate) fn call_tool(self: &Arc<Self>, sending: Sending) -> Result<SentCall, CallError> {
        let Sending { tool, args, options, called_by, above, origin, turn } = sending;
        let now = Instant::now();
        let mut state = self.lock();
        self.check_enabled(&state, tool.name())?;
        let key = state
            .session
            .call_tool(tool.name(), args, options, now)
            .map_err(|error| self.not_sent(&state, tool.name(), error))?;
        let (result_sender, result) = oneshot::channel();
        let (updates_sender, updates) = watch::channel(None);
        let waiting = Waiting::Tool {
            tool,
            called_by,
            is_cancelled: false,
            above: Above::new(above),
            origin,
            _turn: turn,
            result: result_sender,
            updates: updates_sender,
            kept: 0,
        };
        state.waiting.insert(key.clone(), waiting);
        self.carry_out(&mut state, now);
        drop(state);
        Ok(SentCall { guard: CallGuard::new(self, key, now), result, updates })
    }

    /// Sends a command.
    pub(crate) fn invoke_command(
        self: &Arc<Self>,
        name: &str,
        args: &str,
        origin: Option<u64>,
    ) -> Result<SentCommand, CallError> {
        let now = Instant::now();
        let mut state = self.lock();
        self.check_enabled(&state, name)?;
        let key = state
            .session
            .invoke_command(name, args.trim(), now)
            .map_err(|error| self.not_sent(&state, name, error))?;
        let (response_sender, response) = oneshot::channel();
        let waiting = Waiting::Command { name: name.to_owned(), origin, response: response_sender };
        state.waiting.insert(key.clone(), waiting);
        self.carry_out(&mut state, now);
        drop(state);
        Ok(SentCommand { guard: CallGuard::new(self, key, now), response })
    }

    /// Asks about something before it happens and waits for the answer.
    pub(crate) async fn ask(
        self: &Arc<Self>,
        point: Point,
        intercept: Intercept,
        timeout: Duration,
        above: Option<Standstill>,
        origin: Option<u64>,
    ) -> Result<EventInterceptResponse, NoAnswer> {
        let point = point.as_str();
        let now = Instant::now();
        let (_guard, response) = {
            let mut state = self.lock();
            let key = state
                .session
                .intercept(intercept, now)
                .map_err(|error| not_asked(&state, &error))?;
            let (sender, response) = oneshot::channel();
            let above = Above::new(above);
            let waiting = Waiting::Intercept { point, above, origin, response: sender };
            state.waiting.insert(key.clone(), waiting);
            self.carry_out(&mut state, now);
            (CallGuard::new(self, key, now), response)
        };
        let answer = response.await.unwrap_or(Err(Unanswered::HostGone));
        answer.map_err(|unanswered| unanswered.into_no_answer(timeout))
    }

    pub(crate) fn cancel(&self, key: &CallKey, reason: &str) {
        let mut state = self.lock();
        if let Some(waiting) = state.waiting.get_mut(key) {
            let now = Instant::now();
            if let Waiting::Tool { is_cancelled, .. } = waiting {
                *is_cancelled = true;
            }
            state.stop_children(key, reason);
            state.session.cancel(key, reason, now);
            self.carry_out(&mut state, now);
        }
    }

    /// Its configuration is another one from now on (`config.changed`).
    pub(crate) fn change_config(&self, config: RawJson) {
        self.send(|state| state.session.change_config(config));
    }

    pub(crate) fn send_event(&self, event: &Event) {
        if self.shared.rules.profile.events_in_order {
            self.send(|state| state.send_event(event));
        } else {
            self.lock().disordered.push(event.clone());
            self.changed.notify_one();
        }
    }

    /// Writes the events that came since the last time, in any order (`zot.events-unordered`).
    pub(super) fn send_disordered(&self, state: &mut State) {
        let mut events = std::mem::take(&mut state.disordered);
        self.shared.rules.shuffle(&mut events);
        for event in &events {
            state.session.send_event(event);
        }
    }

    pub(crate) fn report(&self, report: &Registered) {
        self.send(|state| state.session.report(report));
    }

    /// Takes no further calls, commands and requests, and waits until those that it has are answered.
    /// Its guards are asked meanwhile.
    pub(crate) async fn drain(&self) {
        self.lock().is_draining = true;
        while !self.lock().waiting.is_empty() {
            // A notice that comes before this is kept.
            self.drained.notified().await;
        }
    }

    /// Takes calls, commands and requests again.
    pub(crate) fn end_drain(&self) {
        self.lock().is_draining = false;
    }

    /// Nothing is asked of one that is being disabled.
    pub(super) fn check_enabled(&self, state: &State, name: &str) -> Result<(), CallError> {
        if state.is_draining {
            let (name, extension) = (name.to_owned(), self.name.clone());
            return Err(CallError::Disabled { name, extension });
        }
        Ok(())
    }

    /// Asks it to end; from here on the session's timeline ends it, whatever it does.
    pub(crate) fn begin_shutdown(&self, reason: ShutdownReason) {
        let now = Instant::now();
        let mut state = self.lock();
        if matches!(state.phase, Phase::Starting | Phase::Ready) && state.failure.is_none() {
            state.phase = Phase::Ending;
            state.asked_to_end = Some(now);
            state.is_replaced = reason == ShutdownReason::Reload;
            state.give_up = None;
            self.send_disordered(&mut state);
            state.session.shutdown(Some(reason), now);
            self.carry_out(&mut state, now);
            drop(state);
            self.started.send_replace(true);
        }
    }

    fn send(&self, frame: impl FnOnce(&mut State)) {
        let mut state = self.lock();
        frame(&mut state);
        self.carry_out(&mut state, Instant::now());
    }

    pub(super) fn not_sent(&self, state: &State, name: &str, error: SendError) -> CallError {
        let name = name.to_owned();
        match (error, &state.phase) {
            (SendError::TooLarge(message), _) => {
                CallError::Unusable { name, kind: ErrorKind::TooLarge, message }
            }
            (_, Phase::Failed(diagnosis)) => {
                CallError::Died { name, diagnosis: Arc::clone(diagnosis) }
            }
            _ => {
                let doing = "ending it";
                let diagnosis = Diagnosis::new(&self.name, Problem::ShutDown, doing, None);
                CallError::Died { name, diagnosis: Arc::new(diagnosis) }
            }
        }
    }
}

fn not_asked(state: &State, error: &SendError) -> NoAnswer {
    match error {
        SendError::Closed => state.nobody_to_ask(),
        _ => NoAnswer::unusable(format!("could not be asked: {error}")),
    }
}
