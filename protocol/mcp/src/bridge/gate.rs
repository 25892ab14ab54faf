//! What a call passes before its tool runs: the extension's own interceptors and guards.

use std::time::{Duration, Instant};

use extline_protocol::frame::{ErrorInfo, EventInterceptResponse, EventPayload, OnFailure};
use extline_protocol::{
    CallKey, ErrorKind, Intercept, RawJson, SendError, ToolCallOptions, model_args,
};

use super::Bridge;
use crate::server::RequestKey;

/// The point at which calls are asked about.
const POINT: &str = "tool_call";

/// How far a request of the client's is.
#[derive(Debug)]
pub(super) enum Stage {
    /// The extension is asked whether a call may run.
    Asked { key: RequestKey, name: String, args: RawJson },
    /// The tool runs.
    Running { key: RequestKey },
    /// The command of a prompt runs.
    Command { key: RequestKey },
}

impl Stage {
    pub(super) fn key(&self) -> RequestKey {
        match self {
            Self::Asked { key, .. } | Self::Running { key } | Self::Command { key } => *key,
        }
    }
}

impl Bridge {
    pub(super) fn begin_call(
        &mut self,
        key: RequestKey,
        name: String,
        args: RawJson,
        now: Instant,
    ) {
        if !self.asks_first() {
            return self.approve(key, name, args, now);
        }
        let payload = EventPayload {
            tool_name: Some(name.clone()),
            tool_args: Some(args.clone()),
            ..EventPayload::default()
        };
        let question = Intercept { event: POINT.to_owned(), payload, ..Intercept::default() };
        let sent = self.host.intercept(question, now);
        self.keep(key, sent, Stage::Asked { key, name, args });
    }

    pub(super) fn begin_command(&mut self, key: RequestKey, name: &str, args: &str, now: Instant) {
        let sent = self.host.invoke_command(name, args, now);
        self.keep(key, sent, Stage::Command { key });
    }

    /// The extension has decided about a call.
    pub(super) fn decide(
        &mut self,
        call: &CallKey,
        response: EventInterceptResponse,
        now: Instant,
    ) {
        let Some(Stage::Asked { key, name, args }) = self.take(call) else { return };
        if response.block {
            let reason = response.reason.unwrap_or_else(|| "blocked".to_owned());
            return self.server.fail_tool(key, ErrorInfo::new(ErrorKind::Permission, reason));
        }
        let args = match response.modified_args.map(|args| model_args(args.get())) {
            None => args,
            Some(Ok(args)) => args,
            Some(Err(error)) => {
                let why =
                    format!("an interceptor answered with arguments that cannot be used: {error}");
                return self.decide_unanswered(key, name, args, &why, now);
            }
        };
        self.approve(key, name, args, now);
    }

    /// A question has no usable answer: what its failure means decides (`guard.closed`).
    pub(super) fn decide_unanswered(
        &mut self,
        key: RequestKey,
        name: String,
        args: RawJson,
        why: &str,
        now: Instant,
    ) {
        let modes = self.subscribed.on_failure.as_ref();
        if modes.and_then(|modes| modes.get(POINT)) == Some(&OnFailure::Allow) {
            return self.approve(key, name, args, now);
        }
        let why = format!("the call was not allowed: {why}");
        self.server.fail_tool(key, ErrorInfo::new(ErrorKind::Permission, why));
    }

    /// Takes out what waits for an answer; `None` for one that was cancelled.
    pub(super) fn take(&mut self, call: &CallKey) -> Option<Stage> {
        let stage = self.stages.remove(&call.serial())?;
        self.sent.remove(&stage.key());
        Some(stage)
    }

    pub(super) fn run(&mut self, key: RequestKey, name: String, args: RawJson, now: Instant) {
        let tool = self.tools.get(&name);
        let timeout = tool.and_then(|tool| tool.timeout_ms).map(Duration::from_millis);
        let options = ToolCallOptions {
            timeout,
            interactive: timeout.is_none(),
            ..ToolCallOptions::default()
        };
        let begun = self.host.begin_tool_call(name, args, options, now);
        let sent = begun.map(|(sent, call)| {
            self.calls.push_back(call);
            sent
        });
        self.keep(key, sent, Stage::Running { key });
    }

    fn keep(&mut self, key: RequestKey, sent: Result<CallKey, SendError>, stage: Stage) {
        match sent {
            Ok(call) => {
                self.stages.insert(call.serial(), stage);
                self.sent.insert(key, call);
            }
            Err(error) => {
                let kind = match error {
                    SendError::TooLarge(_) => ErrorKind::TooLarge,
                    _ => ErrorKind::Transient,
                };
                self.server.fail_tool(key, ErrorInfo::new(kind, error.to_string()));
            }
        }
    }

    /// Whether the extension has interceptors or guards of its own for calls.
    fn asks_first(&self) -> bool {
        let names = [&self.subscribed.intercept, &self.subscribed.guards];
        names.into_iter().flatten().flatten().any(|point| point == POINT)
    }
}
