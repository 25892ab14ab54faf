//! Whether the thread that owns the session is inside a handler, for the thread that watches it.

use std::sync::atomic::{AtomicU8, AtomicU64, Ordering::SeqCst};

/// All of it is in one order (`SeqCst`), because each side writes one value and then reads the
/// other's.
#[derive(Debug, Default)]
pub(crate) struct Pulse {
    /// One more each time a handler is entered and each time one is left or taken away: odd inside.
    beats: AtomicU64,
    /// Handlers entered that may take their time.
    slow: AtomicU64,
    rest: AtomicU8,
}

/// How the watcher rests between two looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Rest {
    /// For a moment.
    Brisk = 0,
    /// For longer, as only quick handlers run: each look costs the owner as much as a few calls.
    IdleTick = 1,
    /// Until a handler is entered, as none is.
    Sleep = 2,
}

/// One run of a handler. Whoever ends it owns the session: the thread that is inside when it
/// comes out, or the watcher that finds it inside for too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HandlerRun(u64);

impl Pulse {
    /// The owner enters a handler. Whether the watcher has to be woken.
    pub(crate) fn enter(&self, is_quick: bool) -> (HandlerRun, bool) {
        let run = HandlerRun(self.beats.fetch_add(1, SeqCst) + 1);
        if !is_quick {
            self.slow.fetch_add(1, SeqCst);
        }
        let wakes = match self.rest() {
            Rest::Brisk => false,
            Rest::IdleTick => !is_quick,
            Rest::Sleep => true,
        };
        (run, wakes && self.rest.swap(Rest::Brisk as u8, SeqCst) != Rest::Brisk as u8)
    }

    /// Ends the run; false when somebody else has.
    pub(crate) fn end(&self, run: HandlerRun) -> bool {
        self.beats.compare_exchange(run.0, run.0 + 1, SeqCst, SeqCst).is_ok()
    }

    /// The handler that the owner is inside of, if it is.
    pub(crate) fn run(&self) -> Option<HandlerRun> {
        let beats = self.beats();
        (beats % 2 == 1).then_some(HandlerRun(beats))
    }

    pub(crate) fn beats(&self) -> u64 {
        self.beats.load(SeqCst)
    }

    pub(crate) fn slow(&self) -> u64 {
        self.slow.load(SeqCst)
    }

    pub(crate) fn rest(&self) -> Rest {
        match self.rest.load(SeqCst) {
            0 => Rest::Brisk,
            1 => Rest::IdleTick,
            _ => Rest::Sleep,
        }
    }

    /// The watcher rests otherwise from now on, unless something `has_happened` meanwhile: who enters a
    /// handler from now on sees how it rests, and wakes it.
    pub(crate) fn take_rest(&self, rest: Rest, has_happened: impl FnOnce() -> bool) {
        self.rest.store(rest as u8, SeqCst);
        if rest != Rest::Brisk && has_happened() {
            self.rest.store(Rest::Brisk as u8, SeqCst);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_handler_run_ends_once() {
        let pulse = Pulse::default();
        assert_eq!(pulse.run(), None);
        let (run, _) = pulse.enter(true);
        assert_eq!(pulse.run(), Some(run));
        assert!(pulse.end(run));
        assert!(!pulse.end(run), "the watcher comes too late");
        let (next, _) = pulse.enter(true);
        assert!(!pulse.end(run), "of an earlier run nothing is left");
        assert_eq!(pulse.run(), Some(next));
    }

    #[test]
    fn who_enters_a_handler_wakes_a_watcher_that_would_look_too_late() {
        let wakes = |rest, is_quick| {
            let pulse = Pulse::default();
            pulse.take_rest(rest, || false);
            let (_, wakes) = pulse.enter(is_quick);
            assert_eq!(wakes, pulse.rest() != rest, "a woken watcher looks briskly");
            wakes
        };
        assert!(!wakes(Rest::Brisk, false));
        assert!(!wakes(Rest::IdleTick, true));
        assert!(wakes(Rest::IdleTick, false));
        assert!(wakes(Rest::Sleep, true));
    }

    #[test]
    fn a_watcher_stays_awake_where_something_happened_meanwhile() {
        let pulse = Pulse::default();
        pulse.take_rest(Rest::Sleep, || true);
        assert_eq!(pulse.rest(), Rest::Brisk);
    }
}
