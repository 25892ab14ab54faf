//! What the threads of an extension share: the session, the way in and out, the calls that run.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, TryLockError};
use std::thread::ThreadId;
use std::time::Instant;

use extline_driver::{Inlet, Questions, Settling, StandIn, end_child, owner, running};
use extline_protocol::{CallKey, ExtensionConfig, ExtensionEvent, ExtensionSession};
use extline_stdio::handover::Handover;
use extline_stdio::watchdog::Unfinished;
use extline_stdio::{Error, Room, Stdio};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::call::{Call, Running};
use crate::looped::Looped;
use crate::serve::Next;
use crate::text::Text;
use crate::tool::{self, Tool, Tools};
use crate::turn::TurnChannel;
use crate::visit::Visits;

/// Set in the child of a fork, where the session is dead: its threads and locks are the parent's.
static IN_CHILD: AtomicBool = AtomicBool::new(false);

/// What an extension wants of its session.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wants {
    /// Handlers that may run at a time.
    pub(crate) threads: usize,
    /// The process is the extension's, and ends with it.
    pub(crate) ends_process: bool,
    /// Handlers run once the host has answered.
    pub(crate) setup: bool,
    /// The other end is an MCP client.
    pub(crate) mcp: bool,
}

pub(crate) struct Core {
    channel: Mutex<TurnChannel>,
    /// Locked by the owner of the session alone.
    inlet: Mutex<Inlet>,
    pub(crate) room: Room,
    pub(crate) handover: Handover,
    pub(crate) running: Running,
    /// What the extension has asked the host for, until the answer comes.
    questions: Mutex<Questions<Py<PyAny>>>,
    pub(crate) tools: Arc<Tools>,
    /// The Python half of the driver.
    serving: Py<PyAny>,
    pub(crate) wants: Wants,
    /// The event loop of Python's that drives the session, and has handlers for its tasks.
    pub(crate) looped: OnceLock<Looped>,
    /// How often that loop has looked.
    pub(crate) pumps: AtomicU64,
    /// Rings that loop, where it waits for no descriptors.
    #[cfg(windows)]
    pub(crate) bell: OnceLock<std::task::Waker>,
    /// Stands in for that loop.
    pub(crate) stand_in: Mutex<Option<StandIn>>,
    finished: AtomicBool,
    is_overdue: AtomicBool,
    /// The serials of calls that were cancelled, until somebody looks whether they go on.
    pub(crate) watched: Mutex<Vec<(u64, Instant)>>,
    /// What a thread that has taken the session over needs Python for.
    pub(crate) taken_over: Mutex<Vec<Next>>,
    /// Of threads that are none of Python's.
    pub(crate) visits: Visits,
    /// Python's main thread, where that serves.
    pub(crate) main_thread: OnceLock<ThreadId>,
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
    ) -> Result<Arc<Self>, Error> {
        let Stdio { input, output } = stdio;
        let room = output.room();
        let channel = TurnChannel::new(ExtensionSession::new(config), output, wants.mcp)?;
        Ok(Arc::new(Self {
            room,
            handover: Handover::new(input.waker(), wants.threads),
            channel: Mutex::new(channel),
            inlet: Mutex::new(Inlet::new(input)),
            running: Running::default(),
            questions: Mutex::default(),
            tools,
            serving,
            wants,
            looped: OnceLock::new(),
            pumps: AtomicU64::new(0),
            #[cfg(windows)]
            bell: OnceLock::new(),
            stand_in: Mutex::new(None),
            finished: AtomicBool::new(false),
            is_overdue: AtomicBool::new(false),
            watched: Mutex::default(),
            taken_over: Mutex::default(),
            visits: Visits::default(),
            main_thread: OnceLock::new(),
            failure: Mutex::new(None),
        }))
    }

    /// Never held while Python runs, so whoever waits for it may hold the GIL.
    pub(crate) fn channel(&self) -> MutexGuard<'_, TurnChannel> {
        // What a panic could leave half done is behind no author's code.
        self.channel.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Locked before the channel, by who needs both.
    pub(crate) fn questions(&self) -> MutexGuard<'_, Questions<Py<PyAny>>> {
        self.questions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn inlet(&self) -> MutexGuard<'_, Inlet> {
        self.inlet.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Unless somebody has it locked.
    pub(crate) fn try_inlet(&self) -> Option<MutexGuard<'_, Inlet>> {
        match self.inlet.try_lock() {
            Ok(locked) => Some(locked),
            Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
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

    /// The same, for an author: once the session has ended, nobody would hear of it.
    pub(crate) fn tell_host<R>(
        &self,
        tell: impl FnOnce(&mut ExtensionSession) -> R,
    ) -> PyResult<R> {
        if self.has_finished() {
            return Err(PyRuntimeError::new_err(
                "the session has ended, so that there is no host any more: use a ctx in the call \
                 that it was given for, and ext while it runs",
            ));
        }
        self.tell(tell)
    }

    /// Queues a prompt, or runs a command.
    pub(crate) fn submit(&self, text: Text) -> PyResult<()> {
        self.tell_host(|session| session.submit_typed(text.0))
    }

    /// The same as [`Core::tell`]; what is said may wait for what others say in the same turn of the event loop.
    pub(crate) fn say<R>(
        &self,
        tell: impl FnOnce(&mut ExtensionSession) -> R,
        may_wait: bool,
    ) -> PyResult<R> {
        refuse_in_child()?;
        let mut channel = self.channel();
        let due = channel.due();
        let told = tell(&mut channel.session);
        let waits = may_wait && channel.is_in_turn() && self.is_looped_here();
        // An error comes again where the owner writes, who can end the session.
        let _ = channel.write_or_hold(waits);
        if channel.is_stalled() || channel.session.waiting() > 0 || channel.due() != due {
            drop(channel);
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
        if !owner::is_owned_here(&self.handover) {
            self.handover.wake();
        }
    }

    /// A handler is about to run, and cancels find it in the list from now on: whether it is cancelled
    /// already, by what was read with its call, or by the thread that took the session over meanwhile.
    pub(crate) fn see_early_cancel(&self, call: &Call) {
        let session = &self.channel().session;
        if call.key().map_or_else(|| session.is_ending(), |key| session.is_cancelled(key)) {
            // Nobody waits for it yet.
            call.cancel();
        }
    }

    /// Does what needs no Python; what does is left for its turn.
    pub(crate) fn settle_all(self: &Arc<Self>) {
        loop {
            let Some(event) = ({ self.channel().session.poll_control() }) else { return };
            if let Some(event) = self.settle(event) {
                self.channel().leave(event);
                return;
            }
        }
    }

    /// Does what needs no Python; gives back what does.
    pub(crate) fn settle(self: &Arc<Self>, event: ExtensionEvent) -> Option<ExtensionEvent> {
        extline_driver::settle(&mut Unhandled(self), event)
    }

    /// Whether everything is answered.
    pub(crate) fn has_finished(&self) -> bool {
        self.finished.load(SeqCst)
    }

    /// Whether everything is answered and written, and every handler has ended or had its time.
    pub(crate) fn is_done(&self, channel: &TurnChannel) -> bool {
        let is_over = || !self.handover.is_any_away() || self.is_overdue.load(SeqCst);
        self.has_finished() && !channel.is_stalled() && is_over()
    }

    /// The extension cannot go on; the first reason counts.
    pub(crate) fn fail(&self, error: PyErr) {
        let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        let later = if failure.is_none() { failure.replace(error) } else { Some(error) };
        drop(failure);
        drop(later);
    }

    /// At the end of the end, for the thread that watches it: what was due is answered and written, as
    /// far as that goes without waiting. What is not finished.
    fn last_act(self: &Arc<Self>) -> impl FnOnce() -> Unfinished + Send + 'static {
        let core = Arc::downgrade(self);
        move || {
            let Some(core) = core.upgrade() else {
                return Unfinished { handlers: running::names(), unread: false };
            };
            // A task may be in a thread of its own.
            let handlers: BTreeSet<String> =
                running::names().into_iter().chain(core.running.tasks()).collect();
            let handlers = handlers.into_iter().collect();
            core.channel().last_act(handlers)
        }
    }
}

/// The extension, to who does what needs no Python.
struct Unhandled<'a>(&'a Arc<Core>);

impl Settling for Unhandled<'_> {
    fn cancel(&mut self, key: &CallKey) -> bool {
        let Self(core) = self;
        core.watch_cancelled([key.serial()]);
        let waits = core.running.get(key).is_some_and(|call| call.cancel());
        waits || !core.questions().is_empty()
    }

    fn cancel_all(&mut self) -> bool {
        let Self(core) = self;
        core.watch_cancelled(running::serials());
        // Every mark is set, also behind one whose waiters have to be told.
        let waiting = core.running.all().iter().filter(|call| call.cancel()).count();
        waiting > 0 || !core.questions().is_empty()
    }

    fn watch_end(&mut self) {
        let Self(core) = self;
        if core.wants.ends_process {
            core.channel().watch_end(core.last_act());
        }
    }

    fn finish(&mut self) {
        self.0.finished.store(true, SeqCst);
    }

    fn overdue(&mut self, _: u8) {
        self.0.is_overdue.store(true, SeqCst);
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
        end_child("os._exit(), or start a program with subprocess");
    }
}
