//! The threads of an extension whose handlers block, and which of them does what.
//!
//! One owns the session: it reads, runs handlers, writes. One, the watcher, watches it, and takes the
//! session over when a handler keeps the owner for longer than a tick. Others stand by. A thread
//! whose handler kept it comes back when the handler ends, and stands by too.
//!
//! The thread that called `run` is special: in Python signal handlers run in it alone, so the session
//! is handed back to it when it is free. Whoever uses this starts the threads, in the way of the
//! language.

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, Thread};
use std::time::Duration;

use crate::Waker;
use crate::pulse::{Pulse, Rest};
use crate::reading::{Reading, Waits};

pub use crate::pulse::HandlerRun;

/// How often the watcher looks while handlers may take their time.
const TICK: Duration = Duration::from_millis(1);
/// How often it looks while only such run as were always quick.
const IDLE_TICK: Duration = Duration::from_millis(5);
/// After so many looks at which nothing slow ran it looks less often.
const QUICK_TICKS: u32 = 20;
/// After so many of these at which nothing ran it sleeps until something does.
const QUIET_IDLE_TICKS: u32 = 4;

/// Who does what. Usable from any thread.
#[derive(Debug)]
pub struct Handover {
    state: Mutex<State>,
    pulse: Pulse,
    reading: Reading,
    waker: Waker,
    has_watcher: AtomicBool,
    /// The first thread stands by or is the watcher, and wants the session.
    first_waits: AtomicBool,
    /// Threads whose handler keeps them.
    away: AtomicUsize,
    is_over: AtomicBool,
    /// All threads, the first included, that may be.
    most: usize,
}

#[derive(Debug, Default)]
struct State {
    watcher: Option<Arc<Seat>>,
    idle: Vec<Arc<Seat>>,
    first: Option<Arc<Seat>>,
    threads: usize,
    /// The owner stepped aside before its watcher was there.
    is_ownerless: bool,
}

/// One thread's place.
#[derive(Debug)]
pub struct Seat {
    duty: AtomicU8,
    thread: Thread,
    is_first: bool,
    waits: Waits,
}

/// What a thread is to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Duty {
    /// Wait.
    StandBy = 0,
    /// Be the watcher.
    Watch = 1,
    /// Read, run handlers, write.
    Own = 2,
    /// Return.
    GoHome = 3,
}

impl Seat {
    /// The current thread's.
    pub fn new(is_first: bool) -> Arc<Self> {
        Arc::new(Self {
            duty: AtomicU8::new(Duty::StandBy as u8),
            thread: thread::current(),
            is_first,
            waits: Waits::default(),
        })
    }

    /// Whether it is the thread's that called `run`.
    pub fn is_first(&self) -> bool {
        self.is_first
    }

    fn duty(&self) -> Duty {
        match self.duty.load(SeqCst) {
            1 => Duty::Watch,
            2 => Duty::Own,
            3 => Duty::GoHome,
            _ => Duty::StandBy,
        }
    }

    fn take(&self, duty: Duty) {
        self.duty.store(duty as u8, SeqCst);
    }

    fn give(&self, duty: Duty) {
        self.take(duty);
        self.thread.unpark();
    }
}

/// Whether an owner has somebody to watch it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Watcher {
    /// It watches, or is about to.
    Ready,
    /// A thread has to be started for it.
    ToBeStarted,
    /// Every thread is busy.
    None,
}

impl Handover {
    /// At most `handlers` run at a time.
    pub fn new(waker: Waker, handlers: usize) -> Self {
        Self {
            state: Mutex::new(State { threads: 1, ..State::default() }),
            pulse: Pulse::default(),
            reading: Reading::default(),
            waker,
            has_watcher: AtomicBool::new(false),
            first_waits: AtomicBool::new(false),
            away: AtomicUsize::new(0),
            is_over: AtomicBool::new(false),
            most: handlers.max(1) + 1,
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Each operation is whole before it can panic.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The owner.
impl Handover {
    /// Enters a handler; a quick one was never seen to take long.
    pub fn enter(&self, is_quick: bool) -> HandlerRun {
        let (run, wake) = self.pulse.enter(is_quick);
        if wake && let Some(watcher) = &self.lock().watcher {
            watcher.thread.unpark();
        }
        run
    }

    /// Comes out of a handler. Whether the session is still this thread's.
    pub fn leave(&self, run: HandlerRun) -> bool {
        self.pulse.end(run)
    }

    /// Whether the session is still the one's that stays there.
    pub fn is_inside(&self, run: HandlerRun) -> bool {
        self.pulse.run() == Some(run)
    }

    /// The handler is about to wait for the host, so the watcher takes over now. False when the session
    /// is not this thread's any more.
    pub fn step_aside(&self, run: HandlerRun) -> bool {
        if !self.pulse.end(run) {
            return false;
        }
        self.away.fetch_add(1, SeqCst);
        let mut state = self.lock();
        let watcher = state.watcher.take();
        // Before the next owner looks.
        self.has_watcher.store(false, SeqCst);
        match watcher {
            Some(watcher) => self.promote(&watcher),
            None => state.is_ownerless = true,
        }
        true
    }

    /// Sees to it that there is a watcher, as far as that is possible without a new thread.
    pub fn watcher(&self) -> Watcher {
        if self.has_watcher.load(SeqCst) {
            return Watcher::Ready;
        }
        let mut state = self.lock();
        if let Some(seat) = state.idle.pop().or_else(|| state.first.take()) {
            state.watcher = Some(Arc::clone(&seat));
            self.has_watcher.store(true, SeqCst);
            seat.give(Duty::Watch);
            Watcher::Ready
        } else if state.threads < self.most {
            Watcher::ToBeStarted
        } else {
            Watcher::None
        }
    }

    /// A thread is being started, to be the watcher; it begins with [`Handover::watch_owner`].
    pub fn expect_watcher(&self) {
        self.lock().threads += 1;
        self.has_watcher.store(true, SeqCst);
    }

    /// It could not be started. Whether there is no other thread at all.
    pub fn expect_no_watcher(&self) -> bool {
        let mut state = self.lock();
        state.threads -= 1;
        self.has_watcher.store(false, SeqCst);
        state.threads == 1
    }

    /// Waits for the host in `read` itself, which must do nothing else: `None` where something else may
    /// have to be waited for, or for longer, so that the owner has to poll.
    pub fn read<R>(&self, seat: &Seat, read: impl FnOnce() -> R) -> Option<R> {
        let may_wait = || {
            let is_watched = self.has_watcher.load(SeqCst) && self.pulse.rest() != Rest::Sleep;
            is_watched && !self.waker.is_pressed()
        };
        self.reading.wait(&seat.waits, may_wait, read)
    }

    /// A read that should have waited said that nothing is there: this thread only polls from now on.
    pub fn cannot_read(&self, seat: &Seat) {
        seat.waits.cannot_wait();
    }

    /// Polls; `wait` says whether bytes ended that, and nothing else.
    pub fn poll<R>(&self, seat: &Seat, wait: impl FnOnce() -> (R, bool)) -> R {
        let looks = self.reading.looks();
        let (outcome, for_bytes) = wait();
        self.reading.waited(&seat.waits, looks, for_bytes);
        outcome
    }

    /// Gives the session to the first thread, if that waits for it. Then this one stands by.
    pub fn hand_back(&self, seat: &Seat) -> bool {
        if seat.is_first || !self.first_waits.swap(false, SeqCst) {
            return false;
        }
        let mut state = self.lock();
        if state.watcher.as_ref().is_some_and(|watcher| watcher.is_first) {
            state.first = state.watcher.take();
            self.has_watcher.store(false, SeqCst);
        }
        let first = state.first.take();
        if let Some(first) = &first {
            seat.take(Duty::StandBy);
            first.give(Duty::Own);
        }
        first.is_some()
    }

    /// Whether anybody could own the session in this thread's place.
    pub fn is_alone(&self) -> bool {
        self.lock().threads == 1
    }

    /// The handler of this thread has ended, and what it left is written.
    pub fn come_back(&self) {
        self.away.fetch_sub(1, SeqCst);
    }

    fn promote(&self, watcher: &Seat) {
        if watcher.is_first {
            self.first_waits.store(false, SeqCst);
        }
        watcher.give(Duty::Own);
    }

    /// Whether a handler keeps a thread.
    pub fn is_any_away(&self) -> bool {
        self.away.load(SeqCst) > 0
    }

    /// Nothing is left to do: all threads go home.
    pub fn go_home(&self) {
        let mut state = self.lock();
        self.is_over.store(true, SeqCst);
        let State { watcher, idle, first, .. } = &mut *state;
        for seat in idle.drain(..).chain(watcher.take()).chain(first.take()) {
            seat.give(Duty::GoHome);
        }
    }
}

/// The others.
impl Handover {
    /// Has the owner look what there is to do. From any thread.
    pub fn wake(&self) {
        self.waker.wake();
        if self.reading.is_to_end()
            && let Some(watcher) = &self.lock().watcher
        {
            watcher.thread.unpark();
        }
    }

    /// A thread that was started to be the watcher. It returns to own the session, or to go home.
    pub fn watch_owner(&self, seat: &Arc<Seat>) -> Duty {
        let mut state = self.lock();
        if self.is_over.load(SeqCst) {
            return Duty::GoHome;
        }
        if std::mem::take(&mut state.is_ownerless) {
            return Duty::Own;
        }
        seat.take(Duty::Watch);
        state.watcher = Some(Arc::clone(seat));
        drop(state);
        self.wait(seat)
    }

    /// Waits until there is something to do. It returns to own the session, or to go home.
    pub fn stand_by(&self, seat: &Arc<Seat>) -> Duty {
        let mut state = self.lock();
        if self.is_over.load(SeqCst) {
            return Duty::GoHome;
        }
        if std::mem::take(&mut state.is_ownerless) {
            return Duty::Own;
        }
        seat.take(Duty::StandBy);
        if seat.is_first {
            state.first = Some(Arc::clone(seat));
            self.first_waits.store(true, SeqCst);
        } else if self.has_watcher.load(SeqCst) {
            state.idle.push(Arc::clone(seat));
        } else {
            self.has_watcher.store(true, SeqCst);
            state.watcher = Some(Arc::clone(seat));
            seat.take(Duty::Watch);
        }
        drop(state);
        // The owner may wait for a thread to come back, for the last one at the end too.
        self.wake();
        self.wait(seat)
    }

    fn wait(&self, seat: &Seat) -> Duty {
        loop {
            match seat.duty() {
                Duty::StandBy => thread::park(),
                Duty::Watch => self.watch(seat),
                duty => return duty,
            }
        }
    }

    /// Until the owner stays in a handler from one look to the next, or something else is to be done.
    fn watch(&self, seat: &Seat) {
        let pulse = &self.pulse;
        pulse.take_rest(Rest::Brisk, || false);
        let (mut seen, mut slow, mut beats) = (pulse.run(), pulse.slow(), pulse.beats());
        let mut read = None;
        let mut quiet = 0;
        while seat.duty() == Duty::Watch {
            let rest = pulse.rest();
            match rest {
                Rest::Brisk => thread::park_timeout(TICK),
                Rest::IdleTick => thread::park_timeout(IDLE_TICK),
                Rest::Sleep => thread::park(),
            }
            let run = pulse.run();
            if let Some(run) = run.filter(|_| run == seen)
                && pulse.end(run)
            {
                self.take_over(seat);
                return;
            }
            seen = run;
            read = self.reading.look(read);
            let is_slow = std::mem::replace(&mut slow, pulse.slow()) != slow;
            let is_still = std::mem::replace(&mut beats, pulse.beats()) == beats;
            match pulse.rest() {
                Rest::Brisk => {
                    quiet = if is_slow { 0 } else { quiet + 1 };
                    if quiet >= QUICK_TICKS || (rest == Rest::Sleep && !is_slow) {
                        quiet = 0;
                        pulse.take_rest(Rest::IdleTick, || pulse.slow() != slow);
                    }
                }
                Rest::IdleTick => {
                    quiet = if is_still { quiet + 1 } else { 0 };
                    if quiet >= QUIET_IDLE_TICKS {
                        quiet = 0;
                        pulse.take_rest(Rest::Sleep, || {
                            pulse.beats() != beats || self.reading.now().is_some()
                        });
                    }
                }
                Rest::Sleep => {}
            }
        }
    }

    fn take_over(&self, seat: &Seat) {
        self.away.fetch_add(1, SeqCst);
        let mut state = self.lock();
        state.watcher = None;
        self.has_watcher.store(false, SeqCst);
        if seat.is_first {
            self.first_waits.store(false, SeqCst);
        }
        seat.take(Duty::Own);
    }
}
