//! An intercept's way through the interceptors and the guards of this extension.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use extline_protocol::frame::{EventIntercept, EventInterceptResponse, OnFailure, Phase};
use extline_protocol::{CallKey, RawJson};
use extline_stdio::report;

use crate::call::Call;
use crate::callback::Callback;
use crate::decide::TOOL_CALL;
use crate::events::frame_text;
use crate::extension::Extension;
use crate::failure::Failure;
use crate::json::Json;
use crate::tool::CallFunction;

/// What a handler makes of something that is about to happen.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Change {
    None,
    Block(String),
    Args(RawJson),
    Text(String),
    SystemPrompt(String),
    /// The handler failed; why.
    Failed(String),
}

/// Everything that one intercept needs between two of its handlers.
pub(crate) struct Course {
    key: CallKey,
    deadline: Instant,
    /// As the handlers so far have left it.
    intercept: EventIntercept,
    original: EventIntercept,
    response: EventInterceptResponse,
    interceptors: VecDeque<Arc<Callback<CallFunction>>>,
    guards: VecDeque<(Arc<str>, Arc<Callback<CallFunction>>)>,
    /// Failures let it pass, and this was the first.
    failure: Option<String>,
    fails_open: bool,
}

/// One handler's turn.
pub(crate) struct Turn {
    pub(crate) point: String,
    /// A guard's label.
    pub(crate) guard: Option<Arc<str>>,
    state: Mutex<State>,
}

enum State {
    /// The handler runs.
    Open,
    /// It has returned, and decides later.
    Parked(Box<Course>),
    Decided(Change),
    Over,
}

impl Turn {
    fn new(point: &str, guard: Option<Arc<str>>) -> Self {
        Self { point: point.to_owned(), guard, state: Mutex::new(State::Open) }
    }

    /// What the handler decided, once.
    pub(crate) fn decide(&self, call: &Call, change: Change) -> Result<(), Failure> {
        call.begin_answer()?;
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        match std::mem::replace(&mut *state, State::Over) {
            State::Parked(course) => {
                drop(state);
                call.ext.resume(course, change);
            }
            _ => *state = State::Decided(change),
        }
        Ok(())
    }

    /// The handler has returned: its decision, or the course is put aside until then.
    fn returned(&self, course: Box<Course>) -> Option<(Box<Course>, Change)> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let State::Decided(change) = std::mem::replace(&mut *state, State::Over) {
            return Some((course, change));
        }
        *state = State::Parked(course);
        None
    }
}

/// What becomes of the intercept.
enum Outcome {
    Ask,
    Answer(EventInterceptResponse),
    Fail(String),
}

impl Extension {
    pub(crate) fn intercept(
        self: &Arc<Self>,
        key: CallKey,
        intercept: EventIntercept,
        by: Instant,
    ) {
        let mut state = self.lock();
        let interceptors = state.interceptors.get(&intercept.event).cloned().unwrap_or_default();
        let guards = if intercept.event == TOOL_CALL { state.guards.clone() } else { Vec::new() };
        let Ok(wire) = state.wire() else { return };
        let modes = wire.session.registrations().subscribe.on_failure.as_ref();
        let mode = modes.and_then(|modes| modes.get(&intercept.event));
        let fails_open = mode == Some(&OnFailure::Allow);
        drop(state);
        let (interceptors, guards) = match intercept.phase {
            Some(Phase::Intercept) => (interceptors, Vec::new()),
            Some(Phase::Guard) => (Vec::new(), guards),
            _ => (interceptors, guards),
        };
        let course = Course {
            response: EventInterceptResponse::allow(key.id().clone()),
            key,
            deadline: by,
            original: intercept.clone(),
            intercept,
            interceptors: interceptors.into(),
            guards: guards.into(),
            failure: None,
            fails_open,
        };
        self.run_course(Box::new(course));
    }

    /// Goes on with a course whose handler has decided, not in this thread.
    fn resume(&self, course: Box<Course>, change: Change) {
        self.lock().courses.push_back((course, change));
        if let Some(form) = self.form()
            && !form.is_driven_here(self)
        {
            form.wake();
        }
    }

    pub(crate) fn go_on(self: &Arc<Self>, mut course: Box<Course>, change: Change) {
        match course.apply(change) {
            Outcome::Ask => self.run_course(course),
            Outcome::Answer(response) => self.end_course(&course.key, Ok(response)),
            Outcome::Fail(why) => self.end_course(&course.key, Err(why)),
        }
    }

    /// Asks one handler after the other, until one takes its time or all is decided.
    fn run_course(self: &Arc<Self>, mut course: Box<Course>) {
        loop {
            let (guard, handler) = if let Some(handler) = course.interceptors.pop_front() {
                (None, handler)
            } else if let Some((label, handler)) = course.guards.pop_front() {
                (Some(label), handler)
            } else {
                let end = course.failure.take().map_or(Ok(course.response), Err);
                return self.end_course(&course.key, end);
            };
            let call = Arc::new(course.turn(self, guard));
            self.hand_over(&call, &handler);
            let Some(turn) = &call.turn else { return };
            let Some((decided, change)) = turn.returned(course) else { return };
            course = decided;
            match course.apply(change) {
                Outcome::Ask => {}
                Outcome::Answer(response) => return self.end_course(&course.key, Ok(response)),
                Outcome::Fail(why) => return self.end_course(&course.key, Err(why)),
            }
        }
    }

    fn end_course(&self, key: &CallKey, end: Result<EventInterceptResponse, String>) {
        // It fails for one that the session has answered in the handler's place.
        let _ = self.reply(key.serial(), |session| match end {
            Ok(response) => session.reply_intercept(key, response),
            Err(why) => session.fail_intercept(key, &why),
        });
    }
}

impl Course {
    pub(crate) fn point(&self) -> &str {
        &self.intercept.event
    }

    /// The call of the next handler.
    fn turn(&self, ext: &Arc<Extension>, guard: Option<Arc<str>>) -> Call {
        let point = &self.intercept.event;
        if let Some(guard) = &guard {
            let name = guard.split_once(' ').map_or("", |(_, name)| name);
            ext.tell(|session| session.intercept_running(&self.key, name));
        }
        let label = guard.clone().unwrap_or_else(|| format!("interceptor of {point}").into());
        let text = Json::new(frame_text(&self.intercept));
        let mut call = Call::new(ext, self.key.clone(), label, text);
        call.deadline = Some(self.deadline);
        call.turn = Some(Turn::new(point, guard));
        call
    }

    /// Takes a decision in. Each handler sees what the one before made; a block ends it.
    fn apply(&mut self, change: Change) -> Outcome {
        match change {
            Change::None => {}
            Change::Block(reason) => {
                let id = self.key.id().clone();
                return Outcome::Answer(EventInterceptResponse::block(id, reason));
            }
            Change::Args(args) => {
                self.intercept.payload.tool_args = Some(args.clone());
                self.response.modified_args = Some(args);
            }
            Change::Text(text) => {
                self.intercept.payload.text = Some(text.clone());
                self.response.replace_text = Some(text);
            }
            Change::SystemPrompt(prompt) => {
                self.intercept.system_prompt = Some(prompt.clone());
                self.response.system_prompt = Some(prompt);
            }
            Change::Failed(why) => {
                // The author sees it on stderr, also where the call goes on.
                report(&why);
                if !self.fails_open {
                    return Outcome::Fail(why);
                }
                // What was rewritten on the way to a failure does not count; the other guards are
                // asked all the same.
                self.interceptors.clear();
                self.intercept = self.original.clone();
                self.failure.get_or_insert(why);
            }
        }
        Outcome::Ask
    }
}
