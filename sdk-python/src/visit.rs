//! Threads that are none of Python's and use it for a moment.
//!
//! Python aborts the process when it is finalized while such a thread is inside. So the end of a session
//! waits for those inside, and lets none in any more.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use pyo3::prelude::*;

#[derive(Debug, Default)]
pub(crate) struct Visits {
    state: Mutex<State>,
    left: Condvar,
}

#[derive(Debug, Default)]
struct State {
    inside: usize,
    is_over: bool,
}

impl Visits {
    /// Runs `work` with Python, unless the session is over.
    pub(crate) fn visit(&self, work: impl FnOnce(Python<'_>)) {
        let mut state = self.lock();
        if state.is_over {
            return;
        }
        state.inside += 1;
        drop(state);
        let _visit = Visit(self);
        Python::attach(work);
    }

    /// The session is over. Waits for those inside.
    pub(crate) fn end(&self, py: Python<'_>) {
        let mut state = self.lock();
        state.is_over = true;
        if state.inside > 0 {
            drop(state);
            py.detach(|| self.wait());
        }
    }

    fn wait(&self) {
        let waited = self.left.wait_while(self.lock(), |state| state.inside > 0);
        drop(waited.unwrap_or_else(PoisonError::into_inner));
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Each change is whole before it can panic.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A thread is inside while this lives.
struct Visit<'a>(&'a Visits);

impl Drop for Visit<'_> {
    fn drop(&mut self) {
        self.0.lock().inside -= 1;
        self.0.left.notify_all();
    }
}
