//! Where the serving thread is, for the thread that watches it: inside a handler, or away from its
//! event loop.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, OnceLock};
use std::thread::Thread;

/// A clone is a second handle on the same pulse. All of it is in one order (`SeqCst`), because each
/// side writes one value and then reads the other's.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pulse(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    /// One more each time a handler is entered and each time one is left: odd inside.
    beats: AtomicU64,
    /// Somebody did the serving thread's work since it entered.
    was_stood_in_for: AtomicBool,
    /// One more each time the event loop is left and each time it is come back to: odd away.
    ways: AtomicU64,
    /// The watcher has looked since the event loop was left last.
    has_looked: AtomicBool,
    watcher: OnceLock<Thread>,
    watcher_sleeps: AtomicBool,
    is_over: AtomicBool,
}

/// One run of a handler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct HandlerRun(u64);

/// One wait away from the event loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Away(u64);

/// The serving thread.
impl Pulse {
    /// Polls a handler. Whether somebody stood in meanwhile.
    pub(crate) fn inside<T>(&self, poll: impl FnOnce() -> T) -> (T, bool) {
        self.0.beats.fetch_add(1, SeqCst);
        if self.0.watcher_sleeps.load(SeqCst) {
            self.wake_watcher();
        }
        let polled = poll();
        self.0.beats.fetch_add(1, SeqCst);
        let was_stood_in_for =
            self.0.was_stood_in_for.load(SeqCst) && self.0.was_stood_in_for.swap(false, SeqCst);
        (polled, was_stood_in_for)
    }

    /// Waits away from the event loop, until what is waited for comes or the watcher ends it. It does
    /// not wait, `None`, while the watcher sleeps, and once after each of its looks: so the event
    /// loop gets its turn however much comes.
    pub(crate) fn away<T>(&self, wait: impl FnOnce() -> T) -> Option<T> {
        if self.0.has_looked.load(SeqCst) {
            self.0.has_looked.store(false, SeqCst);
            return None;
        }
        self.0.ways.fetch_add(1, SeqCst);
        let waited = (!self.0.watcher_sleeps.load(SeqCst)).then(wait);
        self.0.ways.fetch_add(1, SeqCst);
        waited
    }

    pub(crate) fn set_watcher(&self, watcher: Thread) {
        // There is one; a second would look at the same.
        let _ = self.0.watcher.set(watcher);
    }

    /// Nothing will be polled any more.
    pub(crate) fn end(&self) {
        self.0.is_over.store(true, SeqCst);
        self.wake_watcher();
    }

    fn wake_watcher(&self) {
        self.0.watcher_sleeps.store(false, SeqCst);
        if let Some(watcher) = self.0.watcher.get() {
            watcher.unpark();
        }
    }
}

/// The watcher.
impl Pulse {
    pub(crate) fn is_over(&self) -> bool {
        self.0.is_over.load(SeqCst)
    }

    /// How often a handler was entered or left.
    pub(crate) fn beats(&self) -> u64 {
        self.0.beats.load(SeqCst)
    }

    /// The handler that the serving thread is inside of, if it is.
    pub(crate) fn run(&self) -> Option<HandlerRun> {
        let beats = self.beats();
        (beats % 2 == 1).then_some(HandlerRun(beats))
    }

    /// Whether the serving thread is still there. If so, it will know that somebody stood in.
    pub(crate) fn stands_in(&self, run: HandlerRun) -> bool {
        self.0.was_stood_in_for.store(true, SeqCst);
        self.beats() == run.0
    }

    /// The wait away from the event loop that lasts, if one does. The one after it will be in the
    /// event loop.
    pub(crate) fn look(&self) -> Option<Away> {
        self.0.has_looked.store(true, SeqCst);
        self.away_now()
    }

    /// The same without an effect.
    pub(crate) fn away_now(&self) -> Option<Away> {
        let ways = self.0.ways.load(SeqCst);
        (ways % 2 == 1).then_some(Away(ways))
    }

    /// Whether nothing has happened since `beats`. If so, the next handler wakes the watcher.
    pub(crate) fn may_sleep(&self, beats: u64) -> bool {
        self.0.watcher_sleeps.store(true, SeqCst);
        let is_quiet = self.beats() == beats && self.away_now().is_none() && !self.is_over();
        if !is_quiet {
            self.0.watcher_sleeps.store(false, SeqCst);
        }
        is_quiet
    }

    pub(crate) fn is_asleep(&self) -> bool {
        self.0.watcher_sleeps.load(SeqCst)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_handler_run_is_one_poll_of_a_handler() {
        let pulse = Pulse::default();
        assert_eq!(pulse.run(), None);
        let (run, stood_in) = pulse.inside(|| pulse.run().unwrap());
        assert!(!stood_in);
        assert!(!pulse.stands_in(run), "it has left");
        pulse.inside(|| ());
        let ((), stood_in) = pulse.inside(|| assert!(pulse.stands_in(pulse.run().unwrap())));
        assert!(stood_in);
        let ((), stood_in) = pulse.inside(|| ());
        assert!(!stood_in, "it is said once");
    }

    #[test]
    fn a_watcher_sleeps_until_a_handler_is_entered_or_all_is_over() {
        let pulse = Pulse::default();
        let before = pulse.beats();
        pulse.inside(|| ());
        assert!(!pulse.may_sleep(before));
        assert!(pulse.may_sleep(pulse.beats()));
        assert!(pulse.is_asleep());
        pulse.inside(|| assert!(!pulse.is_asleep()));
        assert!(pulse.may_sleep(pulse.beats()));
        pulse.end();
        assert!(!pulse.is_asleep());
        assert!(!pulse.may_sleep(pulse.beats()));
    }

    #[test]
    fn the_event_loop_has_a_turn_after_each_look_of_the_watcher() {
        let pulse = Pulse::default();
        let first = pulse.away(|| pulse.away_now().unwrap()).unwrap();
        let second = pulse.away(|| pulse.look().unwrap()).unwrap();
        assert_ne!(first, second);
        assert_eq!(pulse.away(|| ()), None);
        assert_eq!(pulse.away(|| ()), Some(()));
        assert_eq!(pulse.away_now(), None);
    }

    #[test]
    fn nobody_is_away_while_the_watcher_sleeps() {
        let pulse = Pulse::default();
        pulse.away(|| assert!(!pulse.may_sleep(pulse.beats())));
        assert!(pulse.may_sleep(pulse.beats()));
        assert_eq!(pulse.away(|| ()), None);
        pulse.inside(|| ());
        assert_eq!(pulse.away(|| ()), Some(()));
    }
}
