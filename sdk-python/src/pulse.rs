//! Whether the thread that owns the session is inside a handler, for the thread that watches it.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};

/// All of it is in one order (`SeqCst`), because each side writes one value and then reads the
/// other's.
#[derive(Debug, Default)]
pub(crate) struct Pulse {
    /// One more each time a handler is entered and each time one is left or taken away: odd inside.
    beats: AtomicU64,
    watcher_sleeps: AtomicBool,
}

/// One stay inside a handler. Whoever ends it owns the session: the thread that is inside when it
/// comes out, or the watcher that finds it inside for too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stay(u64);

impl Pulse {
    /// The owner enters a handler. Whether the watcher has to be woken.
    pub(crate) fn enter(&self) -> (Stay, bool) {
        let stay = Stay(self.beats.fetch_add(1, SeqCst) + 1);
        (stay, self.watcher_sleeps.load(SeqCst) && self.watcher_sleeps.swap(false, SeqCst))
    }

    /// Ends the stay; false when somebody else has.
    pub(crate) fn end(&self, stay: Stay) -> bool {
        self.beats.compare_exchange(stay.0, stay.0 + 1, SeqCst, SeqCst).is_ok()
    }

    /// The handler that the owner is inside of, if it is.
    pub(crate) fn stay(&self) -> Option<Stay> {
        let beats = self.beats();
        (beats % 2 == 1).then_some(Stay(beats))
    }

    pub(crate) fn beats(&self) -> u64 {
        self.beats.load(SeqCst)
    }

    /// Whether nothing has happened since `beats`. If so, the next handler wakes the watcher.
    pub(crate) fn may_sleep(&self, beats: u64) -> bool {
        self.watcher_sleeps.store(true, SeqCst);
        let is_quiet = self.beats() == beats;
        if !is_quiet {
            self.watcher_sleeps.store(false, SeqCst);
        }
        is_quiet
    }

    pub(crate) fn watcher_sleeps(&self) -> bool {
        self.watcher_sleeps.load(SeqCst)
    }
}
