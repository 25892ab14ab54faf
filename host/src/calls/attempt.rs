//! Calls that fail over and over in a task: there is advice, and then no further attempt.

use std::sync::Arc;

use extline_protocol::ErrorKind;

use super::review::Answer;
use crate::connection::Shared;
use crate::model_side::{ATTEMPTS, ModelSide, Signature, advise};
use crate::report::CallError;

/// A call of a task whose failures are counted; nothing where they are not.
#[derive(Debug)]
pub(super) struct Attempt(Option<Box<Made>>);

#[derive(Debug)]
struct Made {
    shared: Arc<Shared>,
    task: String,
    signature: Signature,
    only_looks: bool,
}

impl Attempt {
    /// One whose failure is not counted.
    pub(super) fn uncounted() -> Self {
        Self(None)
    }

    /// A call with these arguments, as the model wrote them. An error where it has failed too often.
    pub(super) fn of(
        shared: &Arc<Shared>,
        task: Option<&str>,
        name: &str,
        args: &str,
    ) -> Result<Self, CallError> {
        let loops = &shared.model_side.loops;
        let Some(task) = task.filter(|_| loops.is_on()) else { return Ok(Self::uncounted()) };
        let tool = shared.registry().tool(name);
        let signature = Signature::of(tool.as_deref(), name, args);
        if !loops.allow(task, signature) {
            return Err(CallError::TooOften { tool: name.to_owned() });
        }
        let only_looks = tool.is_some_and(|tool| tool.definition.only_looks());
        let (shared, task) = (Arc::clone(shared), task.to_owned());
        Ok(Self(Some(Box::new(Made { shared, task, signature, only_looks }))))
    }

    /// There is no answer: why, with advice where it has failed so often that it may fail no more.
    pub(super) fn failed(&mut self, error: CallError) -> CallError {
        // One that was answered before has not failed.
        let is_duplicate = matches!(error, CallError::Duplicate { .. });
        let counted = self.0.take().filter(|_| !is_duplicate && counts(&error.kind()));
        match counted.and_then(|made| made.fail()) {
            Some(advice) => CallError::Repeated { error: Box::new(error), advice },
            None => error,
        }
    }

    /// The same where there may be one.
    pub(super) fn ended(&mut self, answer: Answer) -> Answer {
        let mut result = answer.map_err(|error| self.failed(error))?;
        let Some(made) = self.0.take() else { return Ok(result) };
        if !result.is_error {
            let Made { shared, task, signature, only_looks } = *made;
            shared.model_side.loops.succeeded(&task, signature, only_looks);
        } else if result.error.as_ref().is_none_or(|error| counts(&error.kind))
            && let Some(advice) = made.fail()
        {
            advise(&mut result, &advice);
        }
        Ok(result)
    }
}

impl Made {
    /// Counts the failure. With the last one that may be there is advice.
    fn fail(&self) -> Option<String> {
        let ModelSide { loops, hints, .. } = &self.shared.model_side;
        let count = loops.failed(&self.task, self.signature);
        (count >= ATTEMPTS).then(|| hints.repeated().to_owned())
    }
}

/// Whether a failure is one: not where the caller gave up.
fn counts(kind: &ErrorKind) -> bool {
    *kind != ErrorKind::Cancelled
}
