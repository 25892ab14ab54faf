//! Stands in for an event loop that a handler keeps: one that computes without awaiting.
//!
//! Then nobody would read a cancel or the end of the session, and no guard would be answered for in
//! time; answers that were ready would wait for that handler, too. A thread without JavaScript looks whether the loop takes what is there; if it does not, that
//! thread reads and writes in its place, answers what falls due, and marks calls as cancelled. It
//! runs no handler: what needs JavaScript waits for the loop.

use std::io::{PipeReader, PipeWriter, Read, Write, pipe};
use std::os::fd::{AsFd, BorrowedFd, RawFd};
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Weak};
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use extline_stdio::HANG_UP_LOOK;

use crate::core::Core;
use extline_driver::Channel;

/// What a loop leaves undone for so long it does not do for now.
const PATIENCE: Duration = Duration::from_millis(20);
/// How often there is a look once it stands in.
const STEP: Duration = Duration::from_millis(10);
/// Nothing is due.
const NEVER: u64 = u64::MAX;

/// Ends the thread when it is dropped.
#[derive(Debug)]
pub(crate) struct StandIn {
    ring: PipeWriter,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    start: Instant,
    /// When the thread looks next by itself, in milliseconds since the start.
    looks_at: AtomicU64,
}

impl StandIn {
    /// Starts the thread, which looks at the descriptors that the session reads. Without it the
    /// extension is served all the same, as long as the loop goes on.
    pub(crate) fn start(core: &Arc<Core>, [input, bell]: [RawFd; 2]) -> Option<Self> {
        let (rings, ring) = pipe().ok()?;
        let shared = Arc::new(Shared { start: Instant::now(), looks_at: AtomicU64::new(0) });
        let watch =
            Watch { core: Arc::downgrade(core), input, bell, rings, shared: Arc::clone(&shared) };
        let name = "extline stand-in".to_owned();
        thread::Builder::new().name(name).spawn(move || watch.run()).ok()?;
        Some(Self { ring, shared })
    }

    /// The loop holds answers back while a handler runs: it is to be watched.
    pub(crate) fn expect_held(&mut self, now: Instant) {
        self.expect(now + PATIENCE);
    }

    /// Something is due at that time, which the thread has to know if it is before its next look.
    pub(crate) fn expect(&mut self, due: Instant) {
        if self.shared.millis(due) < self.shared.looks_at.load(SeqCst) {
            // A full pipe rings already.
            let _ = self.ring.write(&[0]);
        }
    }
}

impl Shared {
    fn millis(&self, at: Instant) -> u64 {
        let since = at.saturating_duration_since(self.start).as_millis();
        u64::try_from(since).unwrap_or(NEVER)
    }
}

struct Watch {
    core: Weak<Core>,
    input: RawFd,
    /// Rings for SIGTERM.
    bell: RawFd,
    rings: PipeReader,
    shared: Arc<Shared>,
}

/// What ended a wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Woken {
    /// Bytes, or the session's bell.
    Input,
    Time,
    Ring,
    TheEnd,
}

impl Watch {
    fn run(mut self) {
        while self.watch() {}
    }

    /// Waits for something to do, and does it if the loop does not. Whether to go on.
    fn watch(&mut self) -> bool {
        let Some(core) = self.core.upgrade().filter(|core| !core.has_ended()) else { return false };
        self.shared.looks_at.store(NEVER, SeqCst);
        let (may_read, is_full, due) = {
            let state = core.lock();
            let Channel { session, .. } = &state.channel;
            (state.channel.may_read(), state.channel.is_full(), session.poll_timeout_stalled())
        };
        if let Some(due) = due {
            self.shared.looks_at.store(self.shared.millis(due), SeqCst);
        }
        let before = core.turns.load(SeqCst);
        drop(core);
        // Whether a turn that lasts holds something back is seen only by looking.
        if !Core::is_in_turn(before) {
            let left = due.map(|due| due.saturating_duration_since(Instant::now()));
            let longest = is_full.then_some(HANG_UP_LOOK);
            let watched = [self.bell, self.input];
            let watched = &watched[..=usize::from(may_read)];
            match self.wait(watched, [left, longest].into_iter().flatten().min()) {
                Woken::TheEnd => return false,
                Woken::Ring => return true,
                Woken::Input | Woken::Time => {}
            }
        }
        if self.pause(PATIENCE) == Woken::TheEnd {
            return false;
        }
        while let Some(core) = self.core.upgrade() {
            if core.turns.load(SeqCst) != before || !self.has_work(&core) {
                return true;
            }
            // What fails here fails again for the loop, which can say so.
            if core.has_ended() || core.stand_in().is_err() {
                return false;
            }
            drop(core);
            if self.pause(STEP) == Woken::TheEnd {
                return false;
            }
        }
        false
    }

    fn has_work(&self, core: &Core) -> bool {
        let state = core.lock();
        let is_due = state.channel.due().is_some_and(|due| due <= Instant::now());
        let is_held = !state.channel.is_stalled() && state.channel.session.has_output();
        let has_missed = state.has_missed().unwrap_or(false);
        let may_read = state.channel.may_read();
        drop(state);
        let is_readable = || self.poll(false, &[self.input], Some(Duration::ZERO)) == Woken::Input;
        is_due || is_held || has_missed || (may_read && is_readable())
    }

    /// Waits that long, or until the end.
    fn pause(&mut self, time: Duration) -> Woken {
        let until = Instant::now() + time;
        self.shared.looks_at.store(self.shared.millis(until), SeqCst);
        loop {
            let left = until.saturating_duration_since(Instant::now());
            let woken = self.wait(&[], Some(left));
            if woken != Woken::Ring && (woken == Woken::TheEnd || left.is_zero()) {
                return woken;
            }
        }
    }

    /// Waits for what the loop is to take at these descriptors, for a ring, or until time is up.
    fn wait(&mut self, watched: &[RawFd], time: Option<Duration>) -> Woken {
        let woken = self.poll(true, watched, time);
        if woken == Woken::Ring { self.answer() } else { woken }
    }

    /// Takes the ring. Nobody there to ring any more: that is the end.
    fn answer(&mut self) -> Woken {
        match self.rings.read(&mut [0; 64]) {
            Ok(count) if count > 0 => Woken::Ring,
            _ => Woken::TheEnd,
        }
    }

    fn poll(&self, hearing: bool, watched: &[RawFd], time: Option<Duration>) -> Woken {
        let watched = watched.iter().map(|fd| {
            #[expect(unsafe_code, reason = "the input belongs to the session that is watched here")]
            // SAFETY: the driver holds the session, and drops it only after it has ended this thread's
            // waits for its input: `is_over` is set, and the ring is dropped.
            unsafe {
                BorrowedFd::borrow_raw(*fd)
            }
        });
        let ring = hearing.then_some(self.rings.as_fd());
        let mut fds: Vec<_> = ring
            .into_iter()
            .chain(watched)
            .map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN))
            .collect();
        let time = time.and_then(|time| Timespec::try_from(time).ok());
        match poll(&mut fds, time.as_ref()) {
            Ok(0) | Err(Errno::INTR) => Woken::Time,
            Ok(_) if hearing && !fds[0].revents().is_empty() => Woken::Ring,
            Ok(_) => Woken::Input,
            Err(_) => Woken::TheEnd,
        }
    }
}
