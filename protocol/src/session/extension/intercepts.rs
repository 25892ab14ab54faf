//! Intercepts: answered in time, whatever their handlers do (`intercept.*`).

use std::time::{Duration, Instant};

use super::start::default_on_failure;
use super::{Deciding, ExtensionEvent, ExtensionSession, Open, millis};
use crate::frame::{EventIntercept, EventInterceptResponse, GUARD, INTERCEPTOR, OnFailure, Phase};
use crate::id::Id;
use crate::limits::{INTERCEPT_DEADLINE, INTERCEPT_MARGIN};
use crate::session::countdown::Countdown;
use crate::session::{CallKey, CallKind, Notice, ReplyError};

impl ExtensionSession {
    /// Says which guard now decides, for the texts of timeouts and of shutdown; until then the
    /// point has the word, as a guard in the phase `guard` and else as an interceptor.
    pub fn intercept_running(&mut self, key: &CallKey, guard: &str) {
        if let Some(open) = self.open.get_mut(key) {
            open.name = guard.into();
            if let Some(deciding) = &mut open.deciding {
                deciding.role = GUARD;
            }
        }
    }

    /// Answers an intercept. `modified_args` that are no object count as a handler that failed.
    pub fn reply_intercept(
        &mut self,
        key: &CallKey,
        mut response: EventInterceptResponse,
    ) -> Result<(), ReplyError> {
        if response.modified_args.as_ref().is_some_and(|args| !args.is_object()) {
            return self.fail_intercept(key, "the rewritten arguments are not an object");
        }
        let point = self.close_intercept(key)?;
        response.id = key.id().clone();
        if let Err(unsendable) = self.outbox.push(&response) {
            let response = self.failure_of(&point, key.id().clone(), unsendable.to_string());
            self.send(&response);
        }
        self.finish_if_idle();
        Ok(())
    }

    /// The handler failed: answers as the point's `on_failure` says (`intercept.failure`).
    pub fn fail_intercept(&mut self, key: &CallKey, reason: &str) -> Result<(), ReplyError> {
        let point = self.close_intercept(key)?;
        let response = self.failure_of(&point, key.id().clone(), reason.to_owned());
        self.send(&response);
        self.finish_if_idle();
        Ok(())
    }

    pub(super) fn handle_intercept(&mut self, intercept: Box<EventIntercept>, now: Instant) {
        let point = intercept.event.clone();
        let Some(key) = self.open_call(CallKind::Intercept, &intercept.id, &point) else { return };
        if self.stage.is_ending() || !self.is_handled(&intercept) {
            self.open.close(&key);
            let response = if self.is_handled(&intercept) {
                self.failure_of(&point, intercept.id, "the extension is ending".to_owned())
            } else {
                EventInterceptResponse::allow(intercept.id)
            };
            self.send(&response);
            return;
        }
        let deadline = now + self.time_to_decide();
        let role = if intercept.phase == Some(Phase::Guard) { GUARD } else { INTERCEPTOR };
        if let Some(open) = self.open.get_mut(&key) {
            open.deadline = Countdown::new(Some(deadline));
            open.deciding = Some(Box::new(Deciding { point: point.into(), role }));
            self.open_intercepts += 1;
        }
        self.lanes.call(ExtensionEvent::Intercept { key, intercept, deadline });
    }

    /// The point of an unusable frame is unknown, so one guarded point is enough to block.
    pub(super) fn refuse_intercept(&mut self, id: Id, text: &str) {
        let points = |list: &Option<Vec<String>>| list.clone().unwrap_or_default();
        let subscribe = &self.registrations.subscribe;
        let mut points =
            [points(&subscribe.intercept), points(&subscribe.guards)].concat().into_iter();
        let response = match points.find(|point| self.on_failure(point) == OnFailure::Block) {
            Some(_) => EventInterceptResponse::block(id, text),
            None => EventInterceptResponse::allow(id),
        };
        self.send(&response);
    }

    pub(super) fn answer_overdue_intercepts(&mut self, now: Instant) {
        if self.open_intercepts == 0 {
            return;
        }
        let is_overdue = |open: &Open| {
            open.deciding.is_some() && open.deadline.due().is_some_and(|due| due <= now)
        };
        for key in self.open.keys_where(is_overdue) {
            self.answer_overdue_intercept(&key);
        }
    }

    fn answer_overdue_intercept(&mut self, key: &CallKey) {
        let Some(open) = self.open.get(key) else { return };
        let handler = open.name.to_string();
        let role = open.deciding.as_ref().map_or(INTERCEPTOR, |deciding| deciding.role);
        self.cancel_call(key, "timed out".to_owned());
        let Ok(point) = self.close_intercept(key) else { return };
        let reason = EventInterceptResponse::timed_out(role, &handler);
        let response = self.failure_of(&point, key.id().clone(), reason);
        let blocked = response.block;
        self.send(&response);
        self.overdue.push((key.clone(), handler.clone()));
        self.notice(Notice::InterceptTimedOut { handler, point: point.into(), blocked });
        self.finish_if_idle();
    }

    /// Closes an intercept; its point.
    fn close_intercept(&mut self, key: &CallKey) -> Result<Box<str>, ReplyError> {
        let open = self.close_open(key)?;
        Ok(open.deciding.map(|deciding| deciding.point).unwrap_or_default())
    }

    fn is_handled(&self, intercept: &EventIntercept) -> bool {
        let subscribe = &self.registrations.subscribe;
        let names = |points: &Option<Vec<String>>| {
            points.as_ref().is_some_and(|points| points.contains(&intercept.event))
        };
        match intercept.phase {
            Some(Phase::Intercept) => names(&subscribe.intercept),
            Some(Phase::Guard) => names(&subscribe.guards),
            _ => self.registrations.intercepts(&intercept.event),
        }
    }

    /// 500 ms less than the host waits, or half of it where that is short (`guard.margin`).
    fn time_to_decide(&self) -> Duration {
        let limits = self.host.as_ref().and_then(|host| host.limits.as_ref());
        let limit = limits.and_then(|limits| limits.intercept_timeout_ms);
        let limit = limit.map_or(INTERCEPT_DEADLINE, millis);
        limit.saturating_sub(INTERCEPT_MARGIN).max(limit / 2)
    }

    pub(super) fn failure_of(&self, point: &str, id: Id, reason: String) -> EventInterceptResponse {
        match self.on_failure(point) {
            OnFailure::Allow => EventInterceptResponse::allow(id),
            _ => EventInterceptResponse::block(id, reason),
        }
    }

    fn on_failure(&self, point: &str) -> OnFailure {
        let modes = self.registrations.subscribe.on_failure.as_ref();
        let declared = modes.and_then(|modes| modes.get(point)).cloned();
        declared.unwrap_or_else(|| default_on_failure(point))
    }
}
