//! What one handler is asked about, and what it made of it on the way.

use std::sync::{Arc, OnceLock};

use extline_protocol::Change;
use extline_protocol::frame::{EventIntercept, EventPayload};

/// The intercept as it stands for one handler. Clones share what the handler made.
///
/// A decision counts when the handler returns it. One that is made and dropped would let through what
/// its author meant to stop, so it is remembered here.
#[derive(Clone, Debug)]
pub struct Asked {
    intercept: Arc<EventIntercept>,
    made: Arc<Made>,
}

#[derive(Debug, Default)]
struct Made {
    /// The first block, the first wish to have a person asked, or that a prompt is dealt with.
    stop: OnceLock<Change>,
    /// The method that made the first other decision.
    other: OnceLock<&'static str>,
}

impl Asked {
    pub(crate) fn new(intercept: Arc<EventIntercept>) -> Self {
        Self { intercept, made: Arc::default() }
    }

    pub(crate) fn intercept(&self) -> &EventIntercept {
        &self.intercept
    }

    pub(crate) fn payload(&self) -> &EventPayload {
        &self.intercept.payload
    }

    /// A block, which is remembered.
    pub(crate) fn block(&self, reason: String) -> Change {
        self.stop(Change::Block(reason))
    }

    /// The wish to have a person asked, which is remembered.
    pub(crate) fn ask(&self, reason: String) -> Change {
        self.stop(Change::Ask(reason))
    }

    /// That the prompt is dealt with, which is remembered.
    pub(crate) fn handled(&self) -> Change {
        self.stop(Change::Handled)
    }

    fn stop(&self, change: Change) -> Change {
        self.made.stop.get_or_init(|| change.clone());
        change
    }

    /// Another decision was made, by that method.
    pub(crate) fn made(&self, by: &'static str) {
        self.made.other.get_or_init(|| by);
    }

    /// What comes of a handler that returned nothing: a block, or that a person is asked, if it said so. Another decision that it
    /// made and did not return is a failure.
    pub(crate) fn unsaid(&self) -> Result<Change, String> {
        if let Some(change) = self.made.stop.get() {
            return Ok(change.clone());
        }
        self.made.other.get().map_or(Ok(Change::None), |method| {
            Err(format!(
                "it called `{method}` and did not return what that gave, so that it decided nothing: \
                 return it"
            ))
        })
    }
}
