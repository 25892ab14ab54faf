//! One question to one extension, and what its answer, or its silence, means.

use std::sync::Arc;
use std::time::Instant;

use extline_protocol::Intercept;
use extline_protocol::frame::{EventInterceptResponse, EventPayload, OnFailure, Phase};
use tokio::time::timeout_at;

use crate::connection::{Connection, News, Shared, Standstill};
use crate::registry::{Listed, Point, Standing};
use crate::report::{Blocked, FailureCause, InterceptFailure, NoAnswer, Role};

/// What one extension is asked.
#[derive(Clone, Debug)]
pub(crate) struct Question {
    pub(crate) point: Point,
    pub(crate) phase: Phase,
    pub(crate) payload: EventPayload,
    pub(crate) system_prompt: Option<String>,
    /// The time of the call that waits for the answer.
    pub(crate) above: Option<Standstill>,
    /// What the agent knows that call by.
    pub(crate) origin: Option<u64>,
}

/// An extension that is listed at a point.
pub(crate) struct Asked {
    /// Absent when it never had a process.
    pub(crate) connection: Option<Arc<Connection>>,
    listed: Listed,
    /// Its process is about to be started.
    is_expected: bool,
}

impl Question {
    /// A question to interceptors; every question says its phase (`intercept.phase-written`).
    pub(crate) fn new(point: Point, payload: EventPayload) -> Self {
        let phase = Phase::Intercept;
        Self { point, phase, payload, system_prompt: None, above: None, origin: None }
    }

    /// As the wire has it.
    fn into_intercept(self) -> Intercept {
        let Self { point, phase, payload, system_prompt, .. } = self;
        Intercept { event: point.as_str().to_owned(), phase: Some(phase), payload, system_prompt }
    }
}

impl Shared {
    /// Who is asked, in load order but under a profile that has none.
    pub(crate) fn asked(&self, point: Point, phase: &Phase) -> Vec<Asked> {
        let profile = &self.rules.profile;
        if !profile.vocabulary.has_point(point.as_str()) {
            return Vec::new();
        }
        let listed = self.registry().listed(point, phase);
        let asked = listed.into_iter().filter_map(|owner| self.asked_of(owner, point, phase));
        let mut asked: Vec<_> = asked.collect();
        if !profile.interceptors_in_order && point != Point::BeforeAgentStart {
            self.rules.shuffle(&mut asked);
        }
        asked
    }

    /// One extension as it is listed now; `None` when it is not.
    fn asked_of(&self, owner: usize, point: Point, phase: &Phase) -> Option<Asked> {
        // The connection first: it is replaced only when what the process before it had registered is
        // taken back, so no process is asked for what another one registered.
        let connection = self.connection(owner);
        let (listed, is_expected) = {
            let registry = self.registry();
            (registry.listed_of(owner, point, phase)?, registry.is_expected(owner))
        };
        let is_closed = self.rules.profile.guards_fail_closed;
        let on_failure = if is_closed { listed.on_failure } else { OnFailure::Allow };
        Some(Asked { connection, listed: Listed { on_failure, ..listed }, is_expected })
    }

    /// How one that cannot be asked stands once that is decided: a guard that is just starting has as
    /// long for that as for an answer. `None` when it is listed no more.
    async fn awaited(&self, owner: usize, point: Point, phase: &Phase) -> Option<Asked> {
        let until = Instant::now() + self.deadlines.intercept;
        let mut changes = self.standings.subscribe();
        loop {
            // What changes from here on ends the wait below.
            changes.borrow_and_update();
            let asked = self.asked_of(owner, point, phase)?;
            if !asked.may_come() || timeout_at(until.into(), changes.changed()).await.is_err() {
                return Some(asked);
            }
        }
    }

    /// Asks one extension; `read` makes of an answer what the point has use for, or says what is
    /// wrong with it. `None` when it failed and that means: go on.
    pub(crate) async fn ask<T>(
        &self,
        asked: &Asked,
        question: Question,
        read: impl FnOnce(EventInterceptResponse) -> Result<T, String>,
    ) -> Result<Option<T>, Blocked> {
        let (point, owner) = (question.point, asked.listed.owner);
        let (mut asked, mut anew) = (asked, None);
        let answer = loop {
            if asked.listed.standing != Standing::Asked {
                let awaited = self.awaited(owner, point, &question.phase).await;
                let Some(awaited) = awaited else { return Ok(None) };
                asked = anew.insert(awaited);
            }
            let answer = self.answer_of(asked, &question).await;
            if answer.is_ok() || !asked.is_replaced() {
                break answer;
            }
            // It was to end before it answered. Where another process has taken its place, that is asked.
            self.until_reloaded(|registry| registry.is_reloading(owner)).await;
            let now = self.asked_of(owner, point, &question.phase);
            let Some(now) = now else { return Ok(None) };
            if now.is_replaced() && !self.registry().is_reloading(owner) {
                break answer;
            }
            asked = anew.insert(now);
        };
        let Asked { connection, listed, .. } = asked;
        let failure = |NoAnswer { cause, reason }, blocked| InterceptFailure {
            role: Role::of(&question.phase),
            point: point.as_str().to_owned(),
            tool: question.payload.tool_name.clone(),
            cause,
            reason,
            blocked,
        };
        let by = || self.extension_of(listed);
        let may_ask = point == Point::ToolCall && question.phase == Phase::Guard;
        let read = answer.and_then(|answer| match answer.block && !(answer.ask && may_ask) {
            // Every other change in it counts for nothing (`intercept.block-wins`).
            true if point.can_block() => Ok(Err((answer.is_timed_out(), reason_of(answer)))),
            true => {
                let reason = format!("answered with block, which {} does not know", point.as_str());
                Err(NoAnswer::unusable(reason))
            }
            false => read(answer).map(Ok).map_err(NoAnswer::unusable),
        });
        let no_answer = match read {
            Ok(Ok(read)) => return Ok(Some(read)),
            Ok(Err((is_timed_out, reason))) => {
                if is_timed_out {
                    let no_answer = NoAnswer {
                        cause: FailureCause::TimedOut,
                        reason: format!("did not decide in time ({reason})"),
                    };
                    self.tell_failure(
                        listed.owner,
                        connection.as_deref(),
                        failure(no_answer, true),
                    );
                }
                return Err(Blocked { by: by(), reason });
            }
            Err(no_answer) => no_answer,
        };
        let blocked = listed.on_failure != OnFailure::Allow;
        let failure = failure(no_answer, blocked);
        let reason = format!("its {} {}", failure.role, failure.reason);
        self.tell_failure(listed.owner, connection.as_deref(), failure);
        if blocked { Err(Blocked { by: by(), reason }) } else { Ok(None) }
    }

    /// What it answers, or why it does not.
    async fn answer_of(
        &self,
        Asked { connection, listed, .. }: &Asked,
        question: &Question,
    ) -> Result<EventInterceptResponse, NoAnswer> {
        match (&listed.standing, connection) {
            (Standing::Asked, Some(connection)) => {
                let intercept = question.clone().into_intercept();
                let (above, origin) = (question.above.clone(), question.origin);
                let timeout = self.deadlines.intercept;
                connection.ask(question.point, intercept, timeout, above, origin).await
            }
            (standing, connection) => {
                Err(self.nobody_to_ask(standing, listed.owner, connection.as_deref()))
            }
        }
    }

    /// The extension's name.
    pub(crate) fn name_of(&self, asked: &Asked) -> String {
        self.extension_of(&asked.listed)
    }

    fn extension_of(&self, listed: &Listed) -> String {
        self.registry().extension(listed.owner).0.to_owned()
    }

    /// Why an extension that is listed cannot be asked, and what to do.
    fn nobody_to_ask(
        &self,
        standing: &Standing,
        owner: usize,
        connection: Option<&Connection>,
    ) -> NoAnswer {
        let not_ready = |reason| NoAnswer { cause: FailureCause::NotReady, reason };
        match (standing, connection) {
            (Standing::Missing { declared_in }, _) => not_ready(format!(
                "is declared in its {declared_in}, and it registered none: register it, or remove \
                 \"guards\" there"
            )),
            (Standing::Unclear(why), _) => not_ready(format!(
                "cannot be asked, as nobody can tell where it stands ({why}): write \
                 \"guards\":[\"tool_call\"]"
            )),
            (_, Some(connection)) => connection.nobody_to_ask(),
            (_, None) => {
                let registry = self.registry();
                let why = registry.extension(owner).1.unwrap_or("its extension is not running");
                NoAnswer { cause: FailureCause::Gone, reason: format!("cannot be asked: {why}") }
            }
        }
    }

    /// Tells that an interceptor or a guard did not decide.
    fn tell_failure(
        &self,
        owner: usize,
        connection: Option<&Connection>,
        failure: InterceptFailure,
    ) {
        if let Some(connection) = connection {
            connection.intercept_failed(failure);
        } else {
            let extension = self.registry().extension(owner).0.to_owned();
            self.news.tell(News::InterceptFailed { extension, failure });
        }
    }
}

impl Asked {
    /// Whether it is the extension of that name.
    pub(crate) fn is(&self, extension: &str) -> bool {
        self.connection.as_ref().is_some_and(|connection| connection.name() == extension)
    }

    /// Whether its process was told to end since another one takes its place.
    fn is_replaced(&self) -> bool {
        self.connection.as_ref().is_some_and(|connection| connection.is_replaced())
    }

    /// Whether what is closed now may be open in a moment.
    fn may_come(&self) -> bool {
        self.listed.standing == Standing::Away
            && self.listed.on_failure != OnFailure::Allow
            && (self.is_expected
                || self.connection.as_ref().is_some_and(|connection| connection.is_starting()))
    }
}

/// The words of an extension.
pub(crate) fn reason_of(answer: EventInterceptResponse) -> String {
    let reason = answer.reason.filter(|reason| !reason.trim().is_empty());
    reason.unwrap_or_else(|| "it gives no reason".to_owned())
}
