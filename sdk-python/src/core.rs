//! What the threads of an extension share: the session, the way in and out, the calls that run.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use extline_protocol::limits::SHUTDOWN_END;
use extline_protocol::{CallKey, ExtensionConfig, ExtensionEvent, ExtensionSession};
use extline_stdio::crew::Crew;
use extline_stdio::{Input, Stdio, report, watchdog};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::call::{Call, Running};
use crate::looped::Looped;
use crate::outgoing::Asked;
use crate::running;
use crate::signals::Signals;
use crate::tool::{self, Tool, Tools};
use crate::wait::Room;
use crate::wire::Wire;

/// Set in the child of a fork, where the session is dead: its threads and locks are the parent's.
static IN_CHILD: AtomicBool = AtomicBool::new(false);

/// The exit code is not known yet.
const UNKNOWN: u32 = u32::MAX;

/// A read that waits has room for so much; what is more is read where it is decoded.
const CHUNK: usize = 16 * 1024;

/// The way in.
pub(crate) struct Inlet {
    pub(crate) input: Input,
    pub(crate) chunk: Box<[u8]>,
}

/// What an extension wants of its session.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wants {
    /// Handlers that may run at a time.
    pub(crate) threads: usize,
    /// The process is the extension's, and ends with it.
    pub(crate) ends_process: bool,
    /// Handlers run once the host has answered.
    pub(crate) setup: bool,
    /// What the host took of the registrations.
    pub(crate) report: bool,
}

pub(crate) struct Core {
    wire: Mutex<Wire>,
    /// Locked by the owner of the session alone.
    inlet: Mutex<Inlet>,
    pub(crate) room: Room,
    pub(crate) crew: Crew,
    pub(crate) running: Running,
    /// What the extension has asked the host for, until the answer comes.
    pub(crate) asked: Mutex<HashMap<CallKey, Arc<Asked>>>,
    pub(crate) tools: Arc<Tools>,
    /// The Python half of the driver.
    serving: Py<PyAny>,
    pub(crate) wants: Wants,
    /// The event loop of Python's that drives the session, and has handlers for its tasks.
    pub(crate) looped: OnceLock<Looped>,
    /// How often that loop has looked.
    pub(crate) pumps: AtomicU64,
    /// Rings for the thread that stands in for the loop, and ends it when it is dropped.
    pub(crate) stand_in: Mutex<Option<std::io::PipeWriter>>,
    finished: AtomicU32,
    is_overdue: AtomicBool,
    pub(crate) signals: OnceLock<Signals>,
    /// Why it cannot go on.
    pub(crate) failure: Mutex<Option<PyErr>>,
}

impl Core {
    pub(crate) fn new(
        config: ExtensionConfig,
        stdio: Stdio,
        tools: Arc<Tools>,
        serving: Py<PyAny>,
        wants: Wants,
    ) -> Arc<Self> {
        let Stdio { input, output } = stdio;
        Arc::new(Self {
            room: Room::of(&input, &output),
            crew: Crew::new(input.waker(), wants.threads),
            wire: Mutex::new(Wire::new(ExtensionSession::new(config), output)),
            inlet: Mutex::new(Inlet { input, chunk: vec![0; CHUNK].into() }),
            running: Running::default(),
            asked: Mutex::default(),
            tools,
            serving,
            wants,
            looped: OnceLock::new(),
            pumps: AtomicU64::new(0),
            stand_in: Mutex::new(None),
            finished: AtomicU32::new(UNKNOWN),
            is_overdue: AtomicBool::new(false),
            signals: OnceLock::new(),
            failure: Mutex::new(None),
        })
    }

    /// Never held while Python runs, so whoever waits for it may hold the GIL.
    pub(crate) fn wire(&self) -> MutexGuard<'_, Wire> {
        // What a panic could leave half done is behind no author's code.
        self.wire.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn inlet(&self) -> MutexGuard<'_, Inlet> {
        self.inlet.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn serving<'py>(&self, py: Python<'py>) -> &Bound<'py, PyAny> {
        self.serving.bind(py)
    }

    pub(crate) fn tool(&self, name: &str) -> Option<Arc<Tool>> {
        tool::get(&self.tools, name)
    }

    /// Says something to the host, from any thread. In the child of a fork that is an error. The owner
    /// is woken where there is something for it to do.
    pub(crate) fn tell<R>(&self, tell: impl FnOnce(&mut ExtensionSession) -> R) -> PyResult<R> {
        self.say(tell, false)
    }

    /// The same; what is said may wait for what others say in the same turn of the event loop.
    pub(crate) fn say<R>(
        &self,
        tell: impl FnOnce(&mut ExtensionSession) -> R,
        may_wait: bool,
    ) -> PyResult<R> {
        refuse_in_child()?;
        let mut wire = self.wire();
        let due = wire.due();
        let told = tell(&mut wire.session);
        let waits = may_wait && wire.is_in_turn() && self.is_looped_here();
        // An error comes again where the owner writes, who can end the session.
        let _ = wire.write_or_hold(waits);
        if wire.is_stalled() || wire.session.waiting() > 0 || wire.due() != due {
            drop(wire);
            self.wake();
        }
        Ok(told)
    }

    /// Whether the event loop is this thread's.
    fn is_looped_here(&self) -> bool {
        self.looped.get().is_some_and(|looped| looped.thread == std::thread::current().id())
    }

    /// Wakes the owner, unless it is this thread, which looks by itself.
    fn wake(&self) {
        if !self.is_owned_here() {
            self.crew.wake();
        }
    }

    /// Writes what there is; the owner does what cannot be done here.
    pub(crate) fn write_and_wake(&self, wire: &mut Wire) {
        // An error comes again where the owner writes, who can end the session.
        let _ = wire.write();
        self.crew.wake();
    }

    /// Reads what is there, does what is due.
    pub(crate) fn settle_all(self: &Arc<Self>) {
        loop {
            let Some(event) = ({ self.wire().session.poll_control() }) else { return };
            if let Some(event) = self.settle(event) {
                self.wire().leave(event);
                return;
            }
        }
    }

    /// Does what needs no Python; gives back what does.
    pub(crate) fn settle(self: &Arc<Self>, event: ExtensionEvent) -> Option<ExtensionEvent> {
        match event {
            ExtensionEvent::Notice(notice) => report(&notice.to_string()),
            ExtensionEvent::Cancelled { ref key, .. } => {
                let call = self.running.get(key)?;
                return call.cancel().then_some(event);
            }
            ExtensionEvent::ShuttingDown(_) => {
                if self.wants.ends_process {
                    let exit_code = self.wire().session.exit_code();
                    watchdog::start(SHUTDOWN_END, exit_code, self.names());
                }
                let waiting: Vec<Arc<Call>> = self.running.all();
                // Every mark is set, also behind one whose waiters have to be told.
                let is_waited = waiting.iter().filter(|call| call.cancel()).count() > 0;
                return is_waited.then_some(event);
            }
            ExtensionEvent::Finished { exit_code } => {
                self.finished.store(exit_code.into(), SeqCst);
            }
            ExtensionEvent::Overdue { .. } => self.is_overdue.store(true, SeqCst),
            ExtensionEvent::Registered(_) if !self.wants.report => {}
            event => return Some(event),
        }
        None
    }

    /// The exit code, when everything is answered.
    pub(crate) fn finished(&self) -> Option<u8> {
        u8::try_from(self.finished.load(SeqCst)).ok()
    }

    /// Whether everything is answered and written, and every handler has ended or had its time.
    pub(crate) fn is_done(&self, wire: &Wire) -> bool {
        let is_over = || !self.crew.is_any_away() || self.is_overdue.load(SeqCst);
        self.finished().is_some() && !wire.is_stalled() && is_over()
    }

    /// The extension cannot go on; the first reason counts.
    pub(crate) fn fail(&self, error: PyErr) {
        let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        let later = if failure.is_none() { failure.replace(error) } else { Some(error) };
        drop(failure);
        drop(later);
    }

    /// Names the handlers that have not ended, for a thread that watches the end.
    fn names(self: &Arc<Self>) -> impl Fn() -> Vec<String> + Send + 'static {
        let core = Arc::downgrade(self);
        move || {
            let tasks = core.upgrade().map(|core| core.running.tasks()).unwrap_or_default();
            running::names().into_iter().chain(tasks).collect()
        }
    }
}

/// Called in the child of every fork.
#[pyfunction]
pub(crate) fn forked() {
    IN_CHILD.store(true, SeqCst);
}

fn is_in_child() -> bool {
    IN_CHILD.load(SeqCst)
}

/// Before any lock is taken, which a thread of the parent's may have held.
pub(crate) fn refuse_in_child() -> PyResult<()> {
    if is_in_child() {
        return Err(PyRuntimeError::new_err(extline_stdio::Error::Forked.to_string()));
    }
    Ok(())
}

/// Where a handler comes back to in the child of a fork: it must neither answer nor read.
pub(crate) fn end_if_in_child() {
    if is_in_child() {
        report(
            "the child of a fork is no extension, and ends where its handler returned: end it with \
             os._exit(), or start a program with subprocess",
        );
        watchdog::end_now(1);
    }
}
