//! The handlers that have started and not ended.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::Cancellation;

/// A clone is a second handle on the same list, for another thread.
#[derive(Clone, Debug, Default)]
pub(crate) struct Running(Arc<Mutex<BTreeMap<RunId, Handler>>>);

/// What runs. Of each lane one handler does at a time.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum RunId {
    Setup,
    Event,
    /// By the panel's id.
    Panel(String),
    /// By the serial of the call.
    Call(u64),
    Teardown,
}

#[derive(Debug)]
struct Handler {
    name: String,
    cancellation: Cancellation,
}

impl Running {
    pub(crate) fn add(&self, id: RunId, name: String, cancellation: Cancellation) {
        self.lock().insert(id, Handler { name, cancellation });
    }

    pub(crate) fn remove(&self, id: &RunId) {
        self.lock().remove(id);
    }

    pub(crate) fn cancel(&self, id: &RunId) {
        let cancellation = self.lock().get(id).map(|handler| handler.cancellation.clone());
        if let Some(cancellation) = cancellation {
            cancellation.cancel();
        }
    }

    pub(crate) fn cancel_all(&self) {
        let all: Vec<_> =
            self.lock().values().map(|handler| handler.cancellation.clone()).collect();
        for cancellation in all {
            cancellation.cancel();
        }
    }

    /// Whether one runs that others wait for: setup, teardown, one of an event or of a panel.
    pub(crate) fn has_lane(&self) -> bool {
        self.lock().keys().any(|id| !matches!(id, RunId::Call(_)))
    }

    pub(crate) fn contains(&self, id: &RunId) -> bool {
        self.lock().contains_key(id)
    }

    /// Their names, those of calls in the order of their start.
    pub(crate) fn names(&self) -> Vec<String> {
        self.lock().values().map(|handler| handler.name.clone()).collect()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<RunId, Handler>> {
        // Each operation is whole before it can panic.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
