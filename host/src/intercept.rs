//! Extensions that are asked before something happens: interceptors, who may rewrite it, and
//! guards, who see what will happen and may only block it.
//!
//! They are asked one after the other, in load order (`intercept.load-order`), and the first one
//! that blocks ends it (`intercept.first-block`).

use std::sync::Arc;

use extline_protocol::frame::{EventInterceptResponse, EventPayload, OnFailure, Phase};
use extline_protocol::{RawJson, model_args};
use thiserror::Error;

use crate::connection::Connection;
use crate::host::Host;
use crate::notice::Notice;
use crate::point::Point;

/// An extension blocked something. `Display` gives `blocked by EXTENSION: REASON`.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("blocked by {by}: {reason}")]
#[non_exhaustive]
pub struct Blocked {
    /// The extension.
    pub by: String,
    /// Why, for the model or the user: its own words, or how it failed to answer.
    pub reason: String,
}

/// What one extension is asked.
#[derive(Clone, Debug)]
pub(crate) struct Question {
    pub(crate) point: Point,
    pub(crate) phase: Phase,
    pub(crate) payload: EventPayload,
    pub(crate) system_prompt: Option<String>,
}

/// One tool call on its way, as those who are asked see it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Proposal<'a> {
    /// The host's own name for the call.
    pub(crate) id: &'a str,
    pub(crate) tool: &'a str,
}

/// An extension that wants to be asked.
struct Asked {
    connection: Arc<Connection>,
    /// What it means when it has no usable answer.
    on_failure: OnFailure,
}

/// What extensions are asked before something happens. [`Host::call`] asks about tool calls by
/// itself; the agent asks about the rest.
///
/// An extension that does not answer within `Deadlines::intercept`, dies, or answers with something
/// unusable is decided for as it declared with `on_failure`, and where it declared nothing it
/// blocks (`intercept.failure-host`); a [`Notice`] tells of it. Dropping one of these futures
/// drops the question.
impl Host {
    /// Asks whether the model may be called for the `step`th time within a prompt, from 1.
    pub async fn intercept_turn_start(&self, step: u64) -> Result<(), Blocked> {
        let payload = EventPayload { step: Some(step), ..EventPayload::default() };
        for asked in self.asked(Point::TurnStart, &Phase::Intercept) {
            let question = Question::new(Point::TurnStart, payload.clone());
            self.ask(&asked, question, |_| Ok(())).await?;
        }
        Ok(())
    }

    /// Asks about the model's text before it is shown and kept, and returns the text that stands:
    /// each extension sees what the one before it made (`intercept.chain`).
    pub async fn intercept_assistant_message(&self, text: &str) -> Result<String, Blocked> {
        let mut text = text.to_owned();
        for asked in self.asked(Point::AssistantMessage, &Phase::Intercept) {
            let payload = EventPayload { text: Some(text.clone()), ..EventPayload::default() };
            let question = Question::new(Point::AssistantMessage, payload);
            let answer = self.ask(&asked, question, |answer| Ok(answer.replace_text)).await?;
            text = answer.flatten().unwrap_or(text);
        }
        Ok(text)
    }

    /// Asks about the system prompt before the agent starts, and returns the one that stands; an
    /// empty one is none. Nobody can block the start. `run` holds `session_id`, `agent_run_id` and
    /// `cwd`, as far as the agent knows them.
    pub async fn intercept_before_agent_start(
        &self,
        run: EventPayload,
        system_prompt: &str,
    ) -> String {
        let mut prompt = system_prompt.to_owned();
        for asked in self.asked(Point::BeforeAgentStart, &Phase::Intercept) {
            let mut question = Question::new(Point::BeforeAgentStart, run.clone());
            question.system_prompt = Some(prompt.clone());
            let answer = self.ask(&asked, question, |answer| Ok(answer.system_prompt)).await;
            prompt = answer.ok().flatten().flatten().unwrap_or(prompt);
        }
        prompt
    }
}

/// The two phases of a tool call.
impl Host {
    /// Asks the interceptors, and returns the arguments as the last one left them.
    pub(crate) async fn intercept_tool_call(
        &self,
        call: Proposal<'_>,
        mut args: RawJson,
    ) -> Result<RawJson, Blocked> {
        for asked in self.asked(Point::ToolCall, &Phase::Intercept) {
            let question = Question::new(Point::ToolCall, call.payload(&args));
            let rewritten = self.ask(&asked, question, rewritten_args).await?;
            args = rewritten.flatten().unwrap_or(args);
        }
        Ok(args)
    }

    /// Asks the guards about the arguments that will run (`guard.final-args`).
    pub(crate) async fn guard_tool_call(
        &self,
        call: Proposal<'_>,
        args: &RawJson,
    ) -> Result<(), Blocked> {
        for asked in self.asked(Point::ToolCall, &Phase::Guard) {
            let mut question = Question::new(Point::ToolCall, call.payload(args));
            question.phase = Phase::Guard;
            let ignored = self.ask(&asked, question, |answer| Ok(changes_in(&answer))).await?;
            for field in ignored.unwrap_or_default() {
                let text = format!("ignored {field} in the answer of the guard at tool_call");
                let suggestion = "a guard can only block; rewrite in an interceptor".to_owned();
                asked.connection.notice_from_outside(Notice { text, suggestion: Some(suggestion) });
            }
        }
        Ok(())
    }

    /// Who is asked, in load order.
    fn asked(&self, point: Point, phase: &Phase) -> Vec<Asked> {
        let asked = self.shared.registry().asked(point, phase);
        let with_connection = |(owner, on_failure)| {
            let connection = Arc::clone(self.connection(owner)?);
            Some(Asked { connection, on_failure })
        };
        asked.into_iter().filter_map(with_connection).collect()
    }

    /// Asks one extension; `read` makes of an answer what the point has use for, or says what is
    /// wrong with it. `None` when it failed and that means: go on.
    async fn ask<T>(
        &self,
        asked: &Asked,
        question: Question,
        read: impl FnOnce(EventInterceptResponse) -> Result<T, String>,
    ) -> Result<Option<T>, Blocked> {
        let Asked { connection, on_failure } = asked;
        let (point, role) = (question.point, question.role());
        let by = || connection.name().to_owned();
        let answer = connection.ask(question, self.deadlines.intercept).await;
        let read = answer.and_then(|answer| match answer.block {
            // Every other change in it counts for nothing (`intercept.block-wins`).
            true if point.can_block() => Ok(Err(reason_of(answer))),
            true => Err(format!("answered with block, which {} does not know", point.as_str())),
            false => read(answer).map(Ok),
        });
        let failure = match read {
            Ok(Ok(read)) => return Ok(Some(read)),
            Ok(Err(reason)) => return Err(Blocked { by: by(), reason }),
            Err(failure) => failure,
        };
        let outcome = if *on_failure == OnFailure::Allow { "allowed" } else { "blocked" };
        let text = format!("the {role} at {} {failure}: {outcome}", point.as_str());
        connection.notice_from_outside(Notice::new(text));
        match on_failure {
            OnFailure::Allow => Ok(None),
            _ => Err(Blocked { by: by(), reason: format!("its {role} {failure}") }),
        }
    }
}

impl Question {
    /// A question to interceptors; every question says its phase (`intercept.phase-written`).
    fn new(point: Point, payload: EventPayload) -> Self {
        Self { point, phase: Phase::Intercept, payload, system_prompt: None }
    }

    /// Who is asked, for a person.
    pub(crate) fn role(&self) -> &'static str {
        if self.phase == Phase::Guard { "guard" } else { "interceptor" }
    }
}

impl Proposal<'_> {
    fn payload(self, args: &RawJson) -> EventPayload {
        EventPayload {
            tool_id: Some(self.id.to_owned()),
            tool_name: Some(self.tool.to_owned()),
            tool_args: Some(args.clone()),
            ..EventPayload::default()
        }
    }
}

fn reason_of(answer: EventInterceptResponse) -> String {
    let reason = answer.reason.filter(|reason| !reason.trim().is_empty());
    reason.unwrap_or_else(|| "it gives no reason".to_owned())
}

/// The arguments in an interceptor's answer, which are an object. They stand in for the model's, so
/// they are treated in the same way: not too deep, no key twice.
fn rewritten_args(answer: EventInterceptResponse) -> Result<Option<RawJson>, String> {
    match answer.modified_args {
        None => Ok(None),
        Some(args) => match model_args(args.get()) {
            Ok(args) => Ok(Some(args)),
            Err(error) => Err(format!("answered with modified_args that cannot be used: {error}")),
        },
    }
}

/// What a guard tried to change (`guard.only-blocks`).
fn changes_in(answer: &EventInterceptResponse) -> Vec<&'static str> {
    let changes = [
        ("modified_args", answer.modified_args.is_some()),
        ("replace_text", answer.replace_text.is_some()),
        ("system_prompt", answer.system_prompt.is_some()),
    ];
    changes.into_iter().filter_map(|(name, is_there)| is_there.then_some(name)).collect()
}
