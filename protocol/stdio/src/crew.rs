//! The threads of an extension whose handlers block, and which of them does what.
//!
//! One owns the session: it reads, runs handlers, writes. One, the heir, watches it, and takes the
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

pub use crate::pulse::Stay;

/// How often the heir looks while handlers may take their time.
const TICK: Duration = Duration::from_millis(1);
/// How often it looks while only such run as were always quick.
const DOZE: Duration = Duration::from_millis(5);
/// After so many looks at which nothing slow ran it looks less often.
const QUICK_TICKS: u32 = 20;
/// After so many of these at which nothing ran it sleeps until something does.
const QUIET_DOZES: u32 = 4;

/// Who does what. Usable from any thread.
#[derive(Debug)]
pub struct Crew {
    state: Mutex<State>,
    pulse: Pulse,
    reading: Reading,
    waker: Waker,
    has_heir: AtomicBool,
    /// The first thread stands by or is the heir, and wants the session.
    first_waits: AtomicBool,
    /// Threads whose handler keeps them.
    away: AtomicUsize,
    /// The owner runs no handlers, for want of an heir.
    is_starved: AtomicBool,
    is_over: AtomicBool,
    /// All threads, the first included, that may be.
    most: usize,
}

#[derive(Debug, Default)]
struct State {
    heir: Option<Arc<Seat>>,
    idle: Vec<Arc<Seat>>,
    first: Option<Arc<Seat>>,
    threads: usize,
    /// The owner stepped aside before its heir was there.
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
    /// Be the heir.
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
pub enum Heir {
    /// It watches, or is about to.
    Ready,
    /// A thread has to be started for it.
    ToBeStarted,
    /// Every thread is busy.
    None,
}

impl Crew {
    /// At most `handlers` run at a time.
    pub fn new(waker: Waker, handlers: usize) -> Self {
        Self {
            state: Mutex::new(State { threads: 1, ..State::default() }),
            pulse: Pulse::default(),
            reading: Reading::default(),
            waker,
            has_heir: AtomicBool::new(false),
            first_waits: AtomicBool::new(false),
            away: AtomicUsize::new(0),
            is_starved: AtomicBool::new(false),
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
impl Crew {
    /// Enters a handler; a quick one was never seen to take long.
    pub fn enter(&self, is_quick: bool) -> Stay {
        let (stay, wake) = self.pulse.enter(is_quick);
        if wake && let Some(heir) = &self.lock().heir {
            heir.thread.unpark();
        }
        stay
    }

    /// Comes out of a handler. Whether the session is still this thread's.
    pub fn leave(&self, stay: Stay) -> bool {
        self.pulse.end(stay)
    }

    /// Whether the session is still the one's that stays there.
    pub fn is_inside(&self, stay: Stay) -> bool {
        self.pulse.stay() == Some(stay)
    }

    /// The handler is about to wait for the host, so the heir takes over now. False when the session
    /// is not this thread's any more.
    pub fn step_aside(&self, stay: Stay) -> bool {
        if !self.pulse.end(stay) {
            return false;
        }
        self.away.fetch_add(1, SeqCst);
        let mut state = self.lock();
        let heir = state.heir.take();
        // Before the next owner looks.
        self.has_heir.store(false, SeqCst);
        match heir {
            Some(heir) => self.promote(&heir),
            None => state.is_ownerless = true,
        }
        true
    }

    /// Sees to it that there is an heir, as far as that is possible without a new thread.
    pub fn heir(&self) -> Heir {
        if self.has_heir.load(SeqCst) {
            return Heir::Ready;
        }
        let mut state = self.lock();
        if let Some(seat) = state.idle.pop().or_else(|| state.first.take()) {
            state.heir = Some(Arc::clone(&seat));
            self.has_heir.store(true, SeqCst);
            seat.give(Duty::Watch);
            Heir::Ready
        } else if state.threads < self.most {
            Heir::ToBeStarted
        } else {
            // Set while the state is locked, so that a thread which comes back sees it.
            self.is_starved.store(true, SeqCst);
            Heir::None
        }
    }

    /// A thread is being started, to be the heir; it begins with [`Crew::inherit`].
    pub fn expect_heir(&self) {
        self.lock().threads += 1;
        self.has_heir.store(true, SeqCst);
    }

    /// It could not be started. Whether there is no other thread at all.
    pub fn expect_no_heir(&self) -> bool {
        let mut state = self.lock();
        state.threads -= 1;
        self.has_heir.store(false, SeqCst);
        state.threads == 1
    }

    /// Waits for the host in `read` itself, which must do nothing else: `None` where something else may
    /// have to be waited for, or for longer, so that the owner has to poll.
    pub fn read<R>(&self, seat: &Seat, read: impl FnOnce() -> R) -> Option<R> {
        let may_wait = || {
            let is_watched = self.has_heir.load(SeqCst) && self.pulse.rest() != Rest::Sleep;
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
        if state.heir.as_ref().is_some_and(|heir| heir.is_first) {
            state.first = state.heir.take();
            self.has_heir.store(false, SeqCst);
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

    fn promote(&self, heir: &Seat) {
        if heir.is_first {
            self.first_waits.store(false, SeqCst);
        }
        heir.give(Duty::Own);
    }

    /// Whether a handler keeps a thread.
    pub fn is_any_away(&self) -> bool {
        self.away.load(SeqCst) > 0
    }

    /// Nothing is left to do: all threads go home.
    pub fn go_home(&self) {
        let mut state = self.lock();
        self.is_over.store(true, SeqCst);
        let State { heir, idle, first, .. } = &mut *state;
        for seat in idle.drain(..).chain(heir.take()).chain(first.take()) {
            seat.give(Duty::GoHome);
        }
    }
}

/// The others.
impl Crew {
    /// Has the owner look what there is to do. From any thread.
    pub fn wake(&self) {
        self.waker.wake();
        if self.reading.is_to_end()
            && let Some(heir) = &self.lock().heir
        {
            heir.thread.unpark();
        }
    }

    /// A thread that was started to be the heir. It returns to own the session, or to go home.
    pub fn inherit(&self, seat: &Arc<Seat>) -> Duty {
        let mut state = self.lock();
        if self.is_over.load(SeqCst) {
            return Duty::GoHome;
        }
        if std::mem::take(&mut state.is_ownerless) {
            return Duty::Own;
        }
        seat.take(Duty::Watch);
        state.heir = Some(Arc::clone(seat));
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
        } else if self.has_heir.load(SeqCst) {
            state.idle.push(Arc::clone(seat));
        } else {
            self.has_heir.store(true, SeqCst);
            state.heir = Some(Arc::clone(seat));
            seat.take(Duty::Watch);
        }
        self.is_starved.store(false, SeqCst);
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
        let (mut seen, mut slow, mut beats) = (pulse.stay(), pulse.slow(), pulse.beats());
        let mut read = None;
        let mut quiet = 0;
        while seat.duty() == Duty::Watch {
            let rest = pulse.rest();
            match rest {
                Rest::Brisk => thread::park_timeout(TICK),
                Rest::Doze => thread::park_timeout(DOZE),
                Rest::Sleep => thread::park(),
            }
            let stay = pulse.stay();
            if let Some(stay) = stay.filter(|_| stay == seen)
                && pulse.end(stay)
            {
                self.take_over(seat);
                return;
            }
            seen = stay;
            read = self.reading.look(read);
            let is_slow = std::mem::replace(&mut slow, pulse.slow()) != slow;
            let is_still = std::mem::replace(&mut beats, pulse.beats()) == beats;
            match pulse.rest() {
                Rest::Brisk => {
                    quiet = if is_slow { 0 } else { quiet + 1 };
                    if quiet >= QUICK_TICKS || (rest == Rest::Sleep && !is_slow) {
                        quiet = 0;
                        pulse.take_rest(Rest::Doze, || pulse.slow() != slow);
                    }
                }
                Rest::Doze => {
                    quiet = if is_still { quiet + 1 } else { 0 };
                    if quiet >= QUIET_DOZES {
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
        state.heir = None;
        self.has_heir.store(false, SeqCst);
        if seat.is_first {
            self.first_waits.store(false, SeqCst);
        }
        seat.take(Duty::Own);
    }
}
