//! Stands in for an event loop that a handler keeps: one that blocks, or computes without awaiting.
//!
//! Then nobody would read a cancel or the end of the session, no guard would be answered for in time, and
//! answers that are ready would wait for that handler. So a thread looks whether the loop takes what is
//! there. If it does not, that thread reads and writes in its place, answers what falls due, and marks
//! calls as cancelled. It runs no handler: what needs the author's language waits for the loop.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Weak};
use std::thread;
use std::time::{Duration, Instant};

use extline_stdio::{Arrivals, Bell, Error, HANG_UP_LOOK, Ringer};

use crate::Channel;

/// What a loop leaves undone for so long it does not do for now.
const PATIENCE: Duration = Duration::from_millis(20);
/// How often there is a look once it stands in.
const STEP: Duration = Duration::from_millis(10);
/// Nothing is due.
const NEVER: u64 = u64::MAX;

/// An extension that an event loop serves, as the thread sees it that stands in for the loop.
pub trait LoopServed: Send + Sync + 'static {
    /// Looks at the channel, which is locked meanwhile.
    fn channel<R>(&self, look: impl FnOnce(&mut Channel) -> R) -> R;

    /// A number that changes whenever the loop turns to the session.
    fn turns(&self) -> u64;

    /// Whether the loop is in the middle of something, so that answers may be held back.
    fn is_in_turn(&self) -> bool;

    /// Whether a signal or the end of the input has come that the loop has not seen.
    fn has_missed(&self) -> bool;

    /// Whether the session has ended, or nobody serves it any more.
    fn has_ended(&self) -> bool;

    /// Reads, does what needs no handler, writes, and wakes the loop.
    ///
    /// # Errors
    ///
    /// What fails here fails again for the loop, which can say so.
    fn step(self: &Arc<Self>) -> Result<(), Error>;

    /// The loop has been kept for that long since it was stood in for. Whether the author was told of it,
    /// or need not be.
    fn tell_kept(self: &Arc<Self>, _time: Duration) -> bool {
        true
    }
}

/// The thread, which ends when this is dropped.
#[derive(Debug)]
pub struct StandIn {
    ringer: Ringer,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    start: Instant,
    /// When the thread looks next by itself, in milliseconds since the start.
    looks_at: AtomicU64,
    is_over: AtomicBool,
}

impl StandIn {
    /// Starts the thread, which looks at what comes to the session's input. Without it, where the system
    /// has none left, the extension is served all the same, as long as the loop goes on.
    pub fn start<L: LoopServed>(looped: &Arc<L>, arrivals: Arrivals) -> Option<Self> {
        let (bell, ringer) = arrivals.bell().ok()?;
        let shared = Arc::new(Shared {
            start: Instant::now(),
            looks_at: AtomicU64::new(0),
            is_over: AtomicBool::new(false),
        });
        let watch =
            Watch { looped: Arc::downgrade(looped), arrivals, bell, shared: Arc::clone(&shared) };
        let name = "extline stand-in".to_owned();
        thread::Builder::new().name(name).spawn(move || watch.run()).ok()?;
        Some(Self { ringer, shared })
    }

    /// The loop holds answers back from now on: it is to be watched.
    pub fn expect_held(&self, now: Instant) {
        self.expect(now + PATIENCE);
    }

    /// Something is due at that time, which the thread has to know if it is before its next look.
    pub fn expect(&self, due: Instant) {
        if self.shared.millis(due) < self.shared.looks_at.load(SeqCst) {
            self.ringer.ring();
        }
    }
}

impl Drop for StandIn {
    fn drop(&mut self) {
        // The child of a fork may hold the bell too, so that nobody rings any more would not be seen.
        self.shared.is_over.store(true, SeqCst);
        self.ringer.ring();
    }
}

impl Shared {
    fn millis(&self, at: Instant) -> u64 {
        let since = at.saturating_duration_since(self.start).as_millis();
        u64::try_from(since).unwrap_or(NEVER)
    }
}

struct Watch<L> {
    looped: Weak<L>,
    arrivals: Arrivals,
    bell: Bell,
    shared: Arc<Shared>,
}

/// What ended a wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Woken {
    Host,
    Time,
    Ring,
    TheEnd,
}

impl<L: LoopServed> Watch<L> {
    fn run(mut self) {
        while self.watch() {}
    }

    /// Waits for something to do, and does it if the loop does not. Whether to go on.
    fn watch(&mut self) -> bool {
        let Some(looped) = self.upgrade() else { return false };
        self.shared.looks_at.store(NEVER, SeqCst);
        let (may_read, is_full, due) =
            looped.channel(|channel| (channel.may_read(), channel.is_full(), channel.due()));
        if let Some(due) = due {
            self.shared.looks_at.store(self.shared.millis(due), SeqCst);
        }
        let before = looped.turns();
        // Whether a turn that lasts holds something back is seen only by looking.
        let is_in_turn = looped.is_in_turn();
        drop(looped);
        if !is_in_turn {
            let left = due.map(|due| due.saturating_duration_since(Instant::now()));
            // Where bytes are not waited for, their end may have come.
            let longest = is_full.then_some(HANG_UP_LOOK);
            match self.wait((may_read, true), [left, longest].into_iter().flatten().min()) {
                Woken::TheEnd => return false,
                Woken::Ring => return true,
                Woken::Host | Woken::Time => {}
            }
        }
        self.pause(PATIENCE) && self.stand_in(before)
    }

    /// Does the loop's work until the loop turns to the session, or nothing is to be done. Whether to go
    /// on.
    fn stand_in(&mut self, before: u64) -> bool {
        let since = Instant::now();
        let (mut has_stood_in, mut is_told) = (false, false);
        loop {
            let Some(looped) = self.upgrade() else { return false };
            if looped.turns() != before {
                return true;
            }
            let has_work = self.has_work(&*looped);
            if has_work && looped.step().is_err() {
                return false;
            }
            has_stood_in |= has_work;
            if has_stood_in && !is_told {
                is_told = looped.tell_kept(since.elapsed());
            }
            // What it took in needs the loop, which is watched until its author was told.
            if !has_work && (is_told || !has_stood_in) {
                return true;
            }
            drop(looped);
            if !self.pause(STEP) {
                return false;
            }
        }
    }

    fn upgrade(&self) -> Option<Arc<L>> {
        let is_over = self.shared.is_over.load(SeqCst);
        self.looped.upgrade().filter(|looped| !is_over && !looped.has_ended())
    }

    fn has_work(&self, looped: &L) -> bool {
        let (may_read, is_due, is_held) = looped.channel(|channel| {
            let is_due = channel.due().is_some_and(|due| due <= Instant::now());
            let is_held = !channel.is_stalled() && channel.has_output();
            (channel.may_read(), is_due, is_held)
        });
        let is_readable = || {
            let arrived = self.arrivals.wait((true, false), None, Some(Duration::ZERO));
            arrived.is_ok_and(|arrived| arrived.host)
        };
        is_due || is_held || (may_read && is_readable()) || looped.has_missed()
    }

    /// Waits that long. Whether to go on.
    fn pause(&mut self, time: Duration) -> bool {
        let until = Instant::now() + time;
        self.shared.looks_at.store(self.shared.millis(until), SeqCst);
        loop {
            let left = until.saturating_duration_since(Instant::now());
            match self.wait((false, false), Some(left)) {
                Woken::TheEnd => return false,
                Woken::Ring => {}
                Woken::Host | Woken::Time => {
                    if left.is_zero() {
                        return true;
                    }
                }
            }
        }
    }

    /// Waits for what the loop is to take, bytes and rings as `ways` says, for a ring of its own, or until
    /// time is up.
    fn wait(&mut self, ways: (bool, bool), time: Option<Duration>) -> Woken {
        match self.arrivals.wait(ways, Some(&self.bell), time) {
            Ok(arrived) if arrived.own => self.answer(),
            Ok(arrived) if arrived.host => Woken::Host,
            Ok(_) => Woken::Time,
            Err(_) => Woken::TheEnd,
        }
    }

    /// Takes the ring. Nobody there to ring any more: that is the end.
    fn answer(&mut self) -> Woken {
        if self.bell.silence() && !self.shared.is_over.load(SeqCst) {
            Woken::Ring
        } else {
            Woken::TheEnd
        }
    }
}
