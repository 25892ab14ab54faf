//! The handlers that have started and not ended.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::Cancellation;

/// A clone is a second handle on the same list, for another thread.
#[derive(Clone, Debug, Default)]
pub(crate) struct Running(Arc<Mutex<BTreeMap<u64, Handler>>>);

#[derive(Debug)]
struct Handler {
    name: String,
    cancellation: Cancellation,
}

/// The serial of the handler of an event; those of calls are counted from 1, and events are handled
/// one at a time.
pub(crate) const EVENT: u64 = 0;

impl Running {
    /// `serial` is the call's, or [`EVENT`].
    pub(crate) fn add(&self, serial: u64, name: String, cancellation: Cancellation) {
        self.lock().insert(serial, Handler { name, cancellation });
    }

    pub(crate) fn remove(&self, serial: u64) {
        self.lock().remove(&serial);
    }

    pub(crate) fn cancel(&self, serial: u64) {
        let cancellation = self.lock().get(&serial).map(|handler| handler.cancellation.clone());
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

    /// Their names, in the order of their start.
    pub(crate) fn names(&self) -> Vec<String> {
        self.lock().values().map(|handler| handler.name.clone()).collect()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<u64, Handler>> {
        // Each operation is whole before it can panic.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
