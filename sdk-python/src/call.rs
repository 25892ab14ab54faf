//! The calls that run, for whoever cancels them.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use extline_protocol::CallKey;
use pyo3::prelude::*;

/// One call, event or other handler's run.
#[derive(Debug, Default)]
pub(crate) struct Call {
    /// None for what is not answered: an event, setup, teardown.
    key: Option<CallKey>,
    cancelled: AtomicBool,
    waits: AtomicBool,
    /// Its handler has returned.
    ended: AtomicBool,
    waiters: Mutex<Waiters>,
    /// What it is called, where it is a task of an event loop and so keeps no thread.
    task: Option<Arc<str>>,
}

/// Whom a cancel is told.
#[derive(Debug, Default)]
struct Waiters {
    functions: Vec<Py<PyAny>>,
    /// Of an event loop, which itself holds a task only weakly. It is told once.
    task: Option<Py<PyAny>>,
    is_task_told: bool,
}

impl Call {
    pub(crate) fn new(key: Option<CallKey>) -> Arc<Self> {
        Arc::new(Self { key, ..Self::default() })
    }

    /// One that runs as a task of an event loop.
    pub(crate) fn of_task(key: Option<CallKey>, name: Arc<str>) -> Arc<Self> {
        Arc::new(Self { key, task: Some(name), ..Self::default() })
    }

    /// What it is called, where it runs as a task.
    pub(crate) fn task(&self) -> Option<Arc<str>> {
        self.task.clone()
    }

    /// The tool, of a call that runs as a task.
    pub(crate) fn tool(&self) -> &str {
        self.task.as_deref().and_then(|name| name.strip_prefix("tool ")).unwrap_or_default()
    }

    pub(crate) fn key(&self) -> Option<&CallKey> {
        self.key.as_ref()
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancelled.load(SeqCst)
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.ended.load(SeqCst)
    }

    /// Sets the mark. Whether somebody in Python has to be told by [`Call::tell`].
    pub(crate) fn cancel(&self) -> bool {
        self.cancelled.store(true, SeqCst);
        self.waits.load(SeqCst)
    }

    /// Has the task cancelled when the call is.
    pub(crate) fn set_task(&self, task: &Bound<'_, PyAny>) {
        self.waits.store(true, SeqCst);
        self.lock().task = Some(task.clone().unbind());
        if self.is_cancelled() {
            self.tell(task.py());
        }
    }

    /// Has `waiter` called when the call is cancelled; at once when it was.
    pub(crate) fn on_cancel(&self, waiter: &Bound<'_, PyAny>) -> PyResult<()> {
        self.waits.store(true, SeqCst);
        if self.is_cancelled() {
            waiter.call0()?;
        } else {
            self.lock().functions.push(waiter.clone().unbind());
            if self.is_cancelled() {
                self.tell(waiter.py());
            }
        }
        Ok(())
    }

    /// Does not have it called any more.
    pub(crate) fn forget(&self, waiter: &Bound<'_, PyAny>) {
        let mut waiters = self.lock();
        let functions = &mut waiters.functions;
        let position = functions.iter().position(|known| known.is(waiter));
        let forgotten = position.map(|at| functions.swap_remove(at));
        drop(waiters);
        drop(forgotten);
    }

    /// Calls those who wait for the cancel.
    pub(crate) fn tell(&self, py: Python<'_>) {
        let mut waiters = self.lock();
        let functions = std::mem::take(&mut waiters.functions);
        let untold = waiters.task.as_ref().filter(|_| !waiters.is_task_told);
        let task = untold.map(|task| task.clone_ref(py));
        waiters.is_task_told |= task.is_some();
        drop(waiters);
        let told = functions.iter().map(|function| function.call0(py).map(drop));
        for told in told.chain(task.map(|task| cancel_soon(task.bind(py)))) {
            if let Err(error) = told {
                error.write_unraisable(py, None);
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Waiters> {
        self.waiters.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// After its first step: a task that is cancelled before runs nothing, and answers nothing.
fn cancel_soon(task: &Bound<'_, PyAny>) -> PyResult<()> {
    let cancel = task.getattr("cancel")?;
    task.call_method0("get_loop")?.call_method1("call_soon", (cancel,)).map(drop)
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
        if let Some(call) = removed {
            call.ended.store(true, SeqCst);
        }
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
