//! The calls that run, for whoever cancels them.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use extline_protocol::CallKey;
use pyo3::prelude::*;

use crate::running::Name;

/// One call, event or other handler's run.
#[derive(Debug, Default)]
pub(crate) struct Call {
    /// None for what is not answered: an event, setup, teardown.
    key: Option<CallKey>,
    cancelled: AtomicBool,
    waits: AtomicBool,
    waiters: Mutex<Vec<Py<PyAny>>>,
    /// What it is called, where it is a task of an event loop and so keeps no thread.
    task: Option<Name>,
}

impl Call {
    pub(crate) fn new(key: Option<CallKey>) -> Arc<Self> {
        Arc::new(Self { key, ..Self::default() })
    }

    /// One that runs as a task of an event loop.
    pub(crate) fn of_task(key: Option<CallKey>, name: Name) -> Arc<Self> {
        Arc::new(Self { key, task: Some(name), ..Self::default() })
    }

    pub(crate) fn key(&self) -> Option<&CallKey> {
        self.key.as_ref()
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancelled.load(SeqCst)
    }

    /// Sets the mark. Whether somebody in Python has to be told by [`Call::tell`].
    pub(crate) fn cancel(&self) -> bool {
        self.cancelled.store(true, SeqCst);
        self.waits.load(SeqCst)
    }

    /// Has `waiter` called when the call is cancelled; at once when it was.
    pub(crate) fn on_cancel(&self, waiter: &Bound<'_, PyAny>) -> PyResult<()> {
        self.waits.store(true, SeqCst);
        if self.is_cancelled() {
            waiter.call0()?;
        } else {
            self.lock().push(waiter.clone().unbind());
            if self.is_cancelled() {
                self.tell(waiter.py());
            }
        }
        Ok(())
    }

    /// Does not have it called any more.
    pub(crate) fn forget(&self, waiter: &Bound<'_, PyAny>) {
        let position = |waiters: &Vec<Py<PyAny>>| waiters.iter().position(|known| known.is(waiter));
        let mut waiters = self.lock();
        let forgotten = position(&waiters).map(|at| waiters.swap_remove(at));
        drop(waiters);
        drop(forgotten);
    }

    /// Calls those who wait for the cancel.
    pub(crate) fn tell(&self, py: Python<'_>) {
        let waiters = std::mem::take(&mut *self.lock());
        for waiter in waiters {
            if let Err(error) = waiter.call0(py) {
                error.write_unraisable(py, None);
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Py<PyAny>>> {
        self.waiters.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// By the serials of the calls; what has no call is there by numbers from the other end.
#[derive(Debug, Default)]
pub(crate) struct Running(Mutex<Table>);

#[derive(Debug, Default)]
struct Table {
    calls: HashMap<u64, Arc<Call>>,
    others: u64,
}

/// A call that is in the list while this lives.
pub(crate) struct Entry<'a> {
    running: &'a Running,
    number: u64,
}

impl Running {
    pub(crate) fn add(&self, call: &Arc<Call>) -> Entry<'_> {
        Entry { running: self, number: self.insert(call) }
    }

    /// [`Running::remove`] takes the number back.
    pub(crate) fn insert(&self, call: &Arc<Call>) -> u64 {
        let mut table = self.lock();
        let number = call.key().map_or_else(
            || {
                table.others += 1;
                u64::MAX - table.others
            },
            CallKey::serial,
        );
        table.calls.insert(number, Arc::clone(call));
        number
    }

    pub(crate) fn remove(&self, number: u64) {
        let removed = self.lock().calls.remove(&number);
        drop(removed);
    }

    pub(crate) fn get(&self, key: &CallKey) -> Option<Arc<Call>> {
        self.lock().calls.get(&key.serial()).cloned()
    }

    pub(crate) fn all(&self) -> Vec<Arc<Call>> {
        self.lock().calls.values().cloned().collect()
    }

    /// What the tasks among them are called.
    pub(crate) fn tasks(&self) -> Vec<String> {
        self.lock()
            .calls
            .values()
            .filter_map(|call| Some(call.task.as_ref()?.to_string()))
            .collect()
    }

    fn lock(&self) -> MutexGuard<'_, Table> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Entry<'_> {
    fn drop(&mut self) {
        self.running.remove(self.number);
    }
}
