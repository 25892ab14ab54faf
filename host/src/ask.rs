//! One question to one extension, and what its answer, or its silence, means.

use std::sync::Arc;

use extline_protocol::frame::{EventInterceptResponse, EventPayload, OnFailure, Phase};

use crate::connection::Connection;
use crate::intercept::Blocked;
use crate::intercept_failure::{FailureCause, InterceptFailure, NoAnswer, Role};
use crate::point::Point;
use crate::registry::Listed;
use crate::shared::Shared;

/// What one extension is asked.
#[derive(Clone, Debug)]
pub(crate) struct Question {
    pub(crate) point: Point,
    pub(crate) phase: Phase,
    pub(crate) payload: EventPayload,
    pub(crate) provider: Option<String>,
    pub(crate) model: Option<String>,
    pub(crate) system_prompt: Option<String>,
}

/// An extension that is listed at a point.
pub(crate) struct Asked {
    pub(crate) connection: Arc<Connection>,
    listed: Listed,
}

impl Question {
    /// A question to interceptors; every question says its phase (`intercept.phase-written`).
    pub(crate) fn new(point: Point, payload: EventPayload) -> Self {
        let phase = Phase::Intercept;
        Self { point, phase, payload, provider: None, model: None, system_prompt: None }
    }
}

impl Shared {
    /// Who is asked, in load order but under a profile that has none.
    pub(crate) fn asked(&self, point: Point, phase: &Phase) -> Vec<Asked> {
        let profile = &self.likeness.profile;
        if !profile.vocabulary.has_point(point.as_str()) {
            return Vec::new();
        }
        let listed = self.registry().listed(point, phase);
        let with_connection = |listed: Listed| {
            let connection = self.connection(listed.owner)?;
            let on_failure =
                if profile.guards_fail_closed { listed.on_failure } else { OnFailure::Allow };
            Some(Asked { connection, listed: Listed { on_failure, ..listed } })
        };
        let mut asked: Vec<_> = listed.into_iter().filter_map(with_connection).collect();
        if !profile.interceptors_in_order && point != Point::BeforeAgentStart {
            self.likeness.shuffle(&mut asked);
        }
        asked
    }

    /// Asks one extension; `read` makes of an answer what the point has use for, or says what is
    /// wrong with it. `None` when it failed and that means: go on.
    pub(crate) async fn ask<T>(
        &self,
        asked: &Asked,
        question: Question,
        read: impl FnOnce(EventInterceptResponse) -> Result<T, String>,
    ) -> Result<Option<T>, Blocked> {
        let Asked { connection, listed } = asked;
        let point = question.point;
        let failure = |NoAnswer { cause, reason }, blocked| InterceptFailure {
            role: Role::of(&question.phase),
            point: point.as_str().to_owned(),
            tool: question.payload.tool_name.clone(),
            cause,
            reason,
            blocked,
        };
        let by = || connection.name().to_owned();
        let answer = if listed.is_gone {
            Err(connection.nobody_to_ask())
        } else {
            connection.ask(question.clone(), self.deadlines.intercept).await
        };
        let read = answer.and_then(|answer| match answer.block {
            // Every other change in it counts for nothing (`intercept.block-wins`).
            true if point.can_block() => Ok(Err(reason_of(answer))),
            true => {
                let reason = format!("answered with block, which {} does not know", point.as_str());
                Err(NoAnswer::unusable(reason))
            }
            false => read(answer).map(Ok).map_err(NoAnswer::unusable),
        });
        let no_answer = match read {
            Ok(Ok(read)) => return Ok(Some(read)),
            Ok(Err(reason)) => {
                if is_timeout(&reason) {
                    let no_answer =
                        NoAnswer { cause: FailureCause::TimedOut, reason: reason.clone() };
                    connection.intercept_failed(failure(no_answer, true));
                }
                return Err(Blocked { by: by(), reason });
            }
            Err(no_answer) => no_answer,
        };
        let blocked = listed.on_failure != OnFailure::Allow;
        let failure = failure(no_answer, blocked);
        let reason = format!("its {} {}", failure.role, failure.reason);
        connection.intercept_failed(failure);
        if blocked { Err(Blocked { by: by(), reason }) } else { Ok(None) }
    }
}

fn reason_of(answer: EventInterceptResponse) -> String {
    let reason = answer.reason.filter(|reason| !reason.trim().is_empty());
    reason.unwrap_or_else(|| "it gives no reason".to_owned())
}

/// Whether an SDK answered in the place of a handler that took too long: `guard NAME timed out`
/// (`guard.margin`).
fn is_timeout(reason: &str) -> bool {
    let is_of_a_handler = ["guard ", "interceptor "].iter().any(|role| reason.starts_with(role));
    is_of_a_handler && reason.ends_with(" timed out")
}
