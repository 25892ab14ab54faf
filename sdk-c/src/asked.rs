//! One question of the extension's, until its answer comes.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use extline_protocol::RawJson;

use crate::ask::{Answer, AnswerFunction};
use crate::callback::Callback;

/// One question, until its answer comes.
#[derive(Default)]
pub(crate) struct Asked {
    pub(crate) then: Option<Callback<AnswerFunction>>,
    /// Who waits for the answer wants its parts too.
    wants_parts: bool,
    state: Mutex<State>,
    /// Rings at the answer, and when it is no longer wanted.
    bell: Condvar,
}

#[derive(Default)]
struct State {
    parts: VecDeque<RawJson>,
    answer: Option<Box<Answer>>,
    is_interrupted: bool,
}

/// What a wait ends with.
pub(crate) enum News {
    Part(RawJson),
    Answer(Box<Answer>),
    /// The answer is no longer wanted.
    Interrupted,
}

impl Asked {
    /// The answer goes to a function of the author's.
    pub(crate) fn then(then: Callback<AnswerFunction>) -> Self {
        Self { then: Some(then), ..Self::default() }
    }

    /// Somebody waits for the answer.
    pub(crate) fn awaited(wants_parts: bool) -> Self {
        Self { wants_parts, ..Self::default() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The answer is no longer wanted.
    pub(crate) fn interrupt(&self) {
        self.state().is_interrupted = true;
        self.bell.notify_all();
    }

    /// The answer has come.
    pub(crate) fn answer(&self, answer: Answer) {
        self.state().answer = Some(Box::new(answer));
        self.bell.notify_all();
    }

    /// A part of it has come; it is kept where somebody wants it.
    pub(crate) fn part(&self, part: RawJson) {
        if self.wants_parts {
            self.state().parts.push_back(part);
            self.bell.notify_all();
        }
    }

    /// Waits for the next part, or the answer.
    pub(crate) fn wait(&self) -> News {
        let mut state = self.state();
        loop {
            if state.is_interrupted && state.answer.is_none() {
                return News::Interrupted;
            }
            if let Some(part) = state.parts.pop_front() {
                return News::Part(part);
            }
            if let Some(answer) = state.answer.take() {
                return News::Answer(answer);
            }
            state = self.bell.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}
