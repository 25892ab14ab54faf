//! The handlers that have started and not ended.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::Cancellation;

/// A clone is a second handle on the same list, for another thread.
#[derive(Clone, Debug, Default)]
pub(crate) struct Running(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    /// The one that is polled for the first time. Most end there.
    first: Option<(RunId, Handler)>,
    others: BTreeMap<RunId, Handler>,
}

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

/// What a handler is called, for a person.
#[derive(Clone, Debug)]
pub(crate) struct Name {
    pub(crate) kind: &'static str,
    /// Empty where there is only one of the kind.
    pub(crate) name: String,
}

#[derive(Debug)]
struct Handler {
    name: Name,
    cancellation: Cancellation,
}

impl Running {
    /// One that is about to be polled for the first time.
    pub(crate) fn begin(&self, id: RunId, name: Name, cancellation: Cancellation) {
        self.lock().first = Some((id, Handler { name, cancellation }));
    }

    /// It ended at once; its cancellation.
    pub(crate) fn end_first(&self) -> Option<Cancellation> {
        let ended = self.lock().first.take();
        // The rest is dropped when the lock is not held any more.
        ended.map(|(_, handler)| handler.cancellation)
    }

    /// It goes on; [`Running::remove`] ends it.
    pub(crate) fn keep_first(&self) {
        let mut state = self.lock();
        if let Some((id, handler)) = state.first.take() {
            state.others.insert(id, handler);
        }
    }

    pub(crate) fn remove(&self, id: &RunId) {
        let _ended = self.lock().others.remove(id);
    }

    pub(crate) fn cancel(&self, id: &RunId) {
        let handler = |state: &State| {
            let first = state.first.as_ref().filter(|(first, _)| first == id);
            let handler = first.map(|(_, handler)| handler).or_else(|| state.others.get(id));
            handler.map(|handler| handler.cancellation.clone())
        };
        let cancellation = handler(&self.lock());
        if let Some(cancellation) = cancellation {
            cancellation.cancel();
        }
    }

    pub(crate) fn cancel_all(&self) {
        let all: Vec<_> =
            self.lock().handlers().map(|(_, handler)| handler.cancellation.clone()).collect();
        for cancellation in all {
            cancellation.cancel();
        }
    }

    /// Whether one runs that others wait for: setup, teardown, one of an event or of a panel.
    pub(crate) fn has_lane(&self) -> bool {
        self.lock().handlers().any(|(id, _)| !matches!(id, RunId::Call(_)))
    }

    pub(crate) fn contains(&self, id: &RunId) -> bool {
        self.lock().handlers().any(|(running, _)| running == id)
    }

    /// Their names, those of calls in the order of their start.
    pub(crate) fn names(&self) -> Vec<String> {
        self.lock().handlers().map(|(_, handler)| handler.name.to_string()).collect()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Each operation is whole before it can panic.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn handlers(&self) -> impl Iterator<Item = (&RunId, &Handler)> {
        self.others.iter().chain(self.first.iter().map(|(id, handler)| (id, handler)))
    }
}

impl fmt::Display for Name {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.kind)?;
        if self.name.is_empty() { Ok(()) } else { write!(formatter, " {}", self.name) }
    }
}
