//! What the event loop and the thread that stands in for it share.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use extline_protocol::{CallKey, ExtensionEvent, ExtensionSession, InterceptChain};
use extline_stdio::watchdog::Unfinished;
use extline_stdio::{Error, Input, Ready, Stdio, Waker};

use crate::calls::{Calls, Label};
use crate::intercept_chain::Deciders;
use crate::tools::{Tool, Tools};
use extline_driver::{Channel, LoopServed, Questions, Settling, settle};

/// How long a process that is about to end waits for its host to take the last answers.
const LAST_WRITE: Duration = Duration::from_secs(1);

/// The exit status after Ctrl-C, as a shell says it.
const INTERRUPTED: u8 = 130;

/// Nobody keeps it locked while JavaScript runs or anything is waited for.
pub(crate) struct State {
    pub(crate) channel: Channel,
    /// The way in; `None` where JavaScript reads.
    pub(crate) input: Option<Input>,
    pub(crate) calls: Calls,
    /// Of the intercepts among them, by serial.
    pub(crate) chains: HashMap<u64, InterceptChain>,
    pub(crate) deciders: Deciders,
    /// What the extension has asked the host for, until the answer comes.
    pub(crate) questions: Questions<()>,
    pub(crate) tools: Tools,
    /// That was called last, while it is not known how long it took.
    pub(crate) last_tool: Option<Arc<Tool>>,
    /// The exit code, when everything is answered.
    pub(crate) finished: bool,
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
    /// Over two descriptors, or over none where JavaScript reads and writes; whether the process ends with
    /// the session, and whether the other end is an MCP client.
    pub(crate) fn new(
        session: ExtensionSession,
        stdio: Option<Stdio>,
        (tools, deciders): (Tools, Deciders),
        (ends_process, is_mcp): (bool, bool),
    ) -> Result<Arc<Self>, Error> {
        let (input, output) = stdio.map(|Stdio { input, output }| (input, output)).unzip();
        let waker = input.as_ref().map(Input::waker);
        let channel = Channel::new(session, output).over_mcp(is_mcp)?;
        let state = State {
            channel,
            input,
            calls: Calls::default(),
            chains: HashMap::new(),
            deciders,
            questions: Questions::default(),
            tools,
            last_tool: None,
            finished: false,
        };
        Ok(Arc::new(Self {
            state: Mutex::new(state),
            waker,
            ends_process,
            turns: AtomicU64::new(0),
            is_over: AtomicBool::new(false),
        }))
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
        settle(&mut Unhandled(self, state), event)
    }

    /// Writes what there is for a process that is about to end, and waits for the host to take it, but not
    /// for ever. Nobody is kept from the session meanwhile: the end may be watched.
    pub(crate) fn flush(&self) {
        let until = Instant::now() + LAST_WRITE;
        let has_room = || {
            let mut state = self.lock();
            state.channel.write().is_err() || !state.channel.is_stalled()
        };
        while !has_room() && Instant::now() < until {
            thread::sleep(Duration::from_millis(1));
        }
    }

    /// At the end of the end, for the thread that watches it: what was due is answered and written, as far
    /// as that goes without waiting. What is not finished.
    fn last_act(self: &Arc<Self>) -> impl FnOnce() -> Unfinished + Send + 'static {
        let core = Arc::downgrade(self);
        move || {
            let Some(core) = core.upgrade() else { return Unfinished::default() };
            let mut state = core.lock();
            let handlers = state.calls.names();
            state.channel.last_act(handlers)
        }
    }
}

/// The extension, to who does what needs no JavaScript.
struct Unhandled<'a>(&'a Arc<Core>, &'a mut State);

impl Settling for Unhandled<'_> {
    fn cancel(&mut self, key: &CallKey) -> bool {
        self.1.calls.cancel(key) || !self.1.questions.is_empty()
    }

    fn cancel_all(&mut self) -> bool {
        self.1.calls.cancel_all();
        // Also handlers that answer nobody are told.
        true
    }

    fn watch_end(&mut self) {
        let Self(core, state) = self;
        if core.ends_process {
            state.channel.watch_end(core.last_act());
        }
    }

    fn finish(&mut self) {
        self.1.finished = true;
    }

    /// The watchdog's, where the process is the extension's.
    fn overdue(&mut self, _: u8) {}
}

impl LoopServed for Core {
    fn channel<R>(&self, look: impl FnOnce(&mut Channel) -> R) -> R {
        look(&mut self.lock().channel)
    }

    fn turns(&self) -> u64 {
        self.turns.load(SeqCst)
    }

    fn is_in_turn(&self) -> bool {
        LoopServed::turns(self) % 2 == 1
    }

    fn has_missed(&self) -> bool {
        let state = self.lock();
        let Some(input) = &state.input else { return false };
        input.signal_waits() || state.channel.is_full() && input.has_hung_up().unwrap_or(false)
    }

    fn has_ended(&self) -> bool {
        self.is_over.load(SeqCst)
    }

    fn step(self: &Arc<Self>) -> Result<(), Error> {
        let mut state = self.lock();
        state.take_in(true, true)?;
        while let Some(event) = state.channel.session.poll_control() {
            if let Some(event) = self.settle(&mut state, event) {
                state.channel.leave(event);
            }
        }
        state.channel.write()?;
        drop(state);
        // The loop is told by the bell alone: what it would have seen has been read.
        if let Some(waker) = &self.waker {
            waker.wake();
        }
        Ok(())
    }
}

impl State {
    /// Takes in what has come: bytes where they may be there, what the bell tells where it may have rung,
    /// time.
    pub(crate) fn take_in(&mut self, is_rung: bool, is_readable: bool) -> Result<(), Error> {
        let Some(input) = &mut self.input else {
            self.channel.handle_timeout();
            return Ok(());
        };
        let told = if is_rung { input.wait(Some(Duration::ZERO))? } else { Ready::default() };
        if told.sigint {
            self.channel.session.end(INTERRUPTED, Instant::now());
        }
        self.channel.take_in(input, (told.sigterm, is_readable))
    }

    /// The descriptors to read, of the bell, and to write.
    #[cfg(unix)]
    pub(crate) fn descriptors(&self) -> Option<[i32; 3]> {
        use std::os::fd::{AsFd, AsRawFd};

        let (input, output) = (self.input.as_ref()?, self.channel.output()?);
        Some([input.as_fd(), input.doorbell(), output.as_fd()].map(|fd| fd.as_raw_fd()))
    }

    /// A handler is about to run. Answers may wait for what it answers, unless it may be slow: only of
    /// a tool is it known.
    pub(crate) fn write_before(&mut self, tool: Option<&Tool>) {
        let may_wait = tool.is_some_and(|tool| tool.pace.begin());
        if !may_wait && self.channel.has_output() {
            // An error comes again where the turn ends.
            let _ = self.channel.write();
        }
    }

    /// A handler is about to serve a call. Whether the call is cancelled already, by what was read
    /// with it, or by the thread that stands in for the loop meanwhile.
    pub(crate) fn begin(&mut self, key: CallKey, label: Label) -> bool {
        let is_cancelled = self.channel.session.is_cancelled(&key);
        self.calls.begin(key, label, is_cancelled);
        is_cancelled
    }
}
