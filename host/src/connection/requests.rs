//! Requests by method, in both directions (capability `rpc`).

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use extline_protocol::frame::{Parent, ParentKind, Request as RequestFrame, RpcError};
use extline_protocol::{CallKey, CallKind, ErrorKind, RawJson, RequestError, SendError};
use tokio::sync::{mpsc, oneshot};

use super::Connection;
use super::call_guard::CallGuard;
use super::calls::{Unanswered, Waiting};
use super::method::MethodCall;
use super::questions::Stopped;
use super::secrets::SecretAsked;
use super::state::{Phase, State};
use crate::handler::{self, Ended};
use crate::memory::Memory;
use crate::report::{CallError, Notice};

/// Parts of one answer that may wait to be taken.
const PARTS: usize = 256;

/// A request that was sent.
pub(crate) struct SentRequest {
    pub(crate) guard: CallGuard,
    pub(crate) response: oneshot::Receiver<Result<Result<RawJson, RpcError>, Unanswered>>,
    pub(crate) parts: mpsc::Receiver<RawJson>,
}

/// What the extension asks for.
impl Connection {
    pub(super) fn request_asked(&self, state: &mut State, key: CallKey, request: RequestFrame) {
        let parent = state.check_open(&self.name);
        let parent = parent.and_then(|()| state.parent_of_request(request.parent.as_ref()));
        match (parent, self.this.upgrade()) {
            (Ok(parent), Some(this)) => {
                // What it belongs to is looked up only where it is a call.
                let parent_id = request.parent.as_ref().map_or(0, |it| it.id.as_str().memory());
                let memory = request.method.memory() + request.params.memory() + parent_id;
                let origin = parent.as_ref().and_then(|key| state.origin_of(key));
                let stopped = state.open_question(&key, parent, memory);
                self.shared.runtime.spawn(this.answer_request(key, request, origin, stopped));
            }
            (Err(error), _) => {
                // It was asked just now, so it has no answer yet.
                let _ = state.session.reply_request(&key, Err(error), Instant::now());
            }
            // The connection is being dropped, and with it whoever asked.
            (Ok(_), None) => {}
        }
    }

    async fn answer_request(
        self: Arc<Self>,
        key: CallKey,
        request: RequestFrame,
        origin: Option<u64>,
        stop: Stopped,
    ) {
        let RequestFrame { method, params, parent, deadline_ms, .. } = request;
        let error = |code, text| Err(RpcError::new(code, text));
        let answer = match self.shared.methods.get(&method).cloned() {
            None => error(ErrorKind::Unsupported, format!("unknown method {method}")),
            Some(served) => {
                let asked = SecretAsked::of(&method, params.as_ref());
                let call = MethodCall {
                    extension: self.name.clone(),
                    method: method.clone(),
                    params,
                    parent,
                    origin,
                    key: key.clone(),
                    connection: self.this.clone(),
                    parts: 0,
                };
                // Counted from the receipt, which was just now (`rpc.deadline`).
                let timeout = deadline_ms.map(Duration::from_millis);
                let work = served.answer(call);
                let answer = match handler::run(&self.shared.runtime, work, stop, timeout).await {
                    Ended::Answered(answer) => answer,
                    Ended::Panicked => error(ErrorKind::Internal, format!("{method} panicked")),
                    Ended::Stopped => error(ErrorKind::Cancelled, "cancelled".to_owned()),
                    Ended::TookTooLong => {
                        error(ErrorKind::Timeout, format!("{method} did not answer in time"))
                    }
                };
                if let Some(asked) = asked {
                    asked.answered(&self.shared, &self.name, &answer);
                }
                answer
            }
        };
        let mut state = self.lock();
        state.close_question(&key);
        // It may have no reader any more.
        let now = Instant::now();
        let _ = state.session.reply_request(&key, answer, now);
        self.carry_out(&mut state, now);
    }

    /// Sends a part once the parts before it are written, which is fewer than may wait
    /// (`rpc.parts-ahead`).
    pub(crate) async fn send_part(
        &self,
        key: &CallKey,
        seq: u64,
        part: &RawJson,
    ) -> Result<(), SendError> {
        loop {
            let blocked = {
                let mut state = self.lock();
                let Some(input) = state.queue.blocked() else {
                    let sent = state.session.send_part(key, seq, part.clone());
                    self.carry_out(&mut state, Instant::now());
                    return sent;
                };
                input
            };
            blocked.writable().await;
            // The extension's own task writes what waits.
            tokio::task::yield_now().await;
        }
    }
}

impl State {
    /// The call of the host's that a request belongs to. An event is no call, and a panel has none.
    pub(super) fn parent_of_request(
        &self,
        parent: Option<&Parent>,
    ) -> Result<Option<CallKey>, RpcError> {
        let Some(Parent { kind, id }) = parent else { return Ok(None) };
        let call_kind = match kind {
            ParentKind::ToolCall => CallKind::Tool,
            ParentKind::Command => CallKind::Command,
            ParentKind::Intercept => CallKind::Intercept,
            ParentKind::Request => CallKind::Request,
            _ => return Ok(None),
        };
        let key = self.session.in_flight(call_kind, id);
        match key.as_ref().and_then(|key| self.waiting.get(key)) {
            Some(Waiting::Tool { is_cancelled: true, .. }) => {
                let text = format!("the {kind} {id} that it belongs to was cancelled");
                Err(RpcError::new(ErrorKind::Cancelled, text))
            }
            Some(_) => Ok(key),
            None => {
                let text = format!("the {kind} {id} that it belongs to is over");
                Err(RpcError::new(ErrorKind::Stale, text))
            }
        }
    }
}

/// What the agent asks for.
impl Connection {
    /// Sends a request.
    pub(crate) fn request(
        self: &Arc<Self>,
        method: &str,
        params: Option<RawJson>,
        timeout: Duration,
    ) -> Result<SentRequest, CallError> {
        let now = Instant::now();
        let mut state = self.lock();
        self.check_enabled(&state, method)?;
        let key = state
            .session
            .request(method, params, Some(timeout), now)
            .map_err(|error| self.not_requested(&state, method, &error))?;
        let (response_sender, response) = oneshot::channel();
        let (parts_sender, parts) = mpsc::channel(PARTS);
        let waiting = Waiting::Request {
            method: method.to_owned(),
            response: response_sender,
            parts: parts_sender,
            received: 0,
            kept: VecDeque::new(),
        };
        state.waiting.insert(key.clone(), waiting);
        self.carry_out(&mut state, now);
        drop(state);
        Ok(SentRequest { guard: CallGuard::new(self, key, now), response, parts })
    }

    pub(super) fn part_received(&self, state: &mut State, key: &CallKey, seq: u64, part: RawJson) {
        let Some(Waiting::Request { method, parts, received, kept, .. }) =
            state.waiting.get_mut(key)
        else {
            return;
        };
        let before: usize = kept.iter().sum();
        // What was taken meanwhile is kept no longer.
        let waiting = parts.max_capacity() - parts.capacity();
        kept.drain(..kept.len().saturating_sub(waiting));
        kept.push_back(part.memory());
        state.kept_answers = state.kept_answers + kept.iter().sum::<usize>() - before;
        let expected = *received + 1;
        *received = seq;
        let method = method.clone();
        let is_flooded = matches!(parts.try_send(part), Err(mpsc::error::TrySendError::Full(_)));
        if seq != expected {
            let text = format!(
                "a part of the answer to {method} has the number {seq}, expected {expected}"
            );
            self.notice(state, Notice::new(text));
        }
        if is_flooded && let Some(waiting) = state.stop_waiting(key) {
            let text = format!("{PARTS} parts of the answer wait to be taken");
            waiting.answer_request(Err(RpcError::new(ErrorKind::Budget, text)));
            state.session.cancel(key, "", Instant::now());
        }
    }

    fn not_requested(&self, state: &State, method: &str, error: &RequestError) -> CallError {
        let name = method.to_owned();
        match (error, &state.phase) {
            (_, Phase::Failed(diagnosis)) => {
                CallError::Died { name, diagnosis: Arc::clone(diagnosis) }
            }
            (RequestError::Unsupported { .. }, Phase::Starting | Phase::Ready) => {
                let message = format!("{} does not offer it", self.name);
                CallError::Unusable { name, kind: ErrorKind::Unsupported, message }
            }
            (RequestError::TooLarge(message), _) => {
                let message = message.clone();
                CallError::Unusable { name, kind: ErrorKind::TooLarge, message }
            }
            _ => self.not_sent(state, method, SendError::Closed),
        }
    }
}
