//! What the event loop and the thread that stands in for it share.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use extline_protocol::limits::SHUTDOWN_END;
use extline_protocol::{CallKey, ExtensionEvent};
use extline_stdio::{Error, Waker, report, watchdog};

use crate::calls::Calls;
use crate::tools::{Tool, Tools};
use crate::wire::Wire;

/// Nobody keeps it locked while JavaScript runs or anything is waited for.
pub(crate) struct State {
    pub(crate) wire: Wire,
    pub(crate) calls: Calls,
    /// What the extension has asked the host for, until the answer comes.
    pub(crate) asked: HashMap<u64, CallKey>,
    pub(crate) tools: Tools,
    /// That was called last, while it is not known how long it took.
    pub(crate) last_tool: Option<Arc<Tool>>,
    /// The exit code, when everything is answered.
    pub(crate) finished: Option<u8>,
}

pub(crate) struct Core {
    state: Mutex<State>,
    /// Wakes the event loop, where it waits natively.
    pub(crate) waker: Option<Waker>,
    /// The process is the extension's, and ends with it.
    pub(crate) ends_process: bool,
    /// How often the loop has begun to look, or ended: odd while it is within a turn.
    pub(crate) turns: AtomicU64,
    /// The loop looks no more.
    pub(crate) is_over: AtomicBool,
}

impl Core {
    pub(crate) fn new(wire: Wire, tools: Tools, ends_process: bool) -> Arc<Self> {
        let waker = wire.input.as_ref().map(extline_stdio::Input::waker);
        let state = State {
            wire,
            calls: Calls::default(),
            asked: HashMap::new(),
            tools,
            last_tool: None,
            finished: None,
        };
        Arc::new(Self {
            state: Mutex::new(state),
            waker,
            ends_process,
            turns: AtomicU64::new(0),
            is_over: AtomicBool::new(false),
        })
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, State> {
        // What a panic could leave half done is behind no author's code.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does what needs no JavaScript; gives back what does.
    pub(crate) fn settle(
        self: &Arc<Self>,
        state: &mut State,
        event: ExtensionEvent,
    ) -> Option<ExtensionEvent> {
        match event {
            ExtensionEvent::Notice(notice) => report(&notice.to_string()),
            ExtensionEvent::Cancelled { ref key, .. } => {
                return state.calls.cancel(key).then_some(event);
            }
            ExtensionEvent::ShuttingDown(_) => {
                if self.ends_process {
                    let exit_code = state.wire.session.exit_code();
                    watchdog::start(SHUTDOWN_END, exit_code, self.names());
                }
                state.calls.cancel_all();
                return Some(event);
            }
            ExtensionEvent::Finished { exit_code } => state.finished = Some(exit_code),
            // The watchdog's, where the process is the extension's.
            ExtensionEvent::Overdue { .. } => {}
            event => return Some(event),
        }
        None
    }

    /// One step in the place of a loop that does nothing.
    #[cfg(unix)]
    pub(crate) fn stand_in(self: &Arc<Self>) -> Result<(), Error> {
        let mut state = self.lock();
        state.take_bell()?;
        state.wire.read()?;
        state.wire.handle_timeout();
        while let Some(event) = state.wire.session.poll_control() {
            if let Some(event) = self.settle(&mut state, event) {
                state.wire.leave(event);
            }
        }
        state.wire.write()?;
        drop(state);
        // The loop is told by the bell alone: what it would have seen has been read.
        if let Some(waker) = &self.waker {
            waker.wake();
        }
        Ok(())
    }

    /// Names the handlers that have not ended, for a thread that watches the end.
    fn names(self: &Arc<Self>) -> impl Fn() -> Vec<String> + Send + 'static {
        let core = Arc::downgrade(self);
        move || core.upgrade().map(|core| core.lock().calls.names()).unwrap_or_default()
    }

    /// Whether the loop is within a turn, as of that count of `turns`.
    #[cfg(unix)]
    pub(crate) fn is_in_turn(turns: u64) -> bool {
        turns % 2 == 1
    }

    #[cfg(unix)]
    pub(crate) fn has_ended(&self) -> bool {
        self.is_over.load(SeqCst)
    }
}

impl State {
    /// SIGTERM may have come, or somebody has woken the loop.
    pub(crate) fn take_bell(&mut self) -> Result<(), Error> {
        let Some(input) = &mut self.wire.input else { return Ok(()) };
        if input.wait(Some(Duration::ZERO))?.sigterm {
            self.wire.session.handle_sigterm(Instant::now());
        }
        Ok(())
    }

    /// A handler is about to run. Answers may wait for what it answers, unless it may be slow: only of
    /// a tool is it known.
    pub(crate) fn write_before(&mut self, tool: Option<&Tool>) {
        let may_wait = tool.is_some_and(|tool| tool.pace.begin());
        if !may_wait && self.wire.session.has_output() {
            // An error comes again where the turn ends.
            let _ = self.wire.write();
        }
    }

    /// Whether the call that is about to be begun was cancelled in the same read. What else came up
    /// with that is left for its turn.
    pub(crate) fn is_cancelled_already(&mut self, key: &CallKey) -> bool {
        let mut is_cancelled = false;
        while let Some(event) = self.wire.session.poll_control() {
            match event {
                ExtensionEvent::Cancelled { key: ref cancelled, .. } if cancelled == key => {
                    is_cancelled = true;
                }
                event => self.wire.leave(event),
            }
        }
        is_cancelled
    }
}
