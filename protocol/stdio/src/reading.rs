//! Whether the owner of the session waits for the host in the read itself, for the watcher, which ends a
//! read that lasts.
//!
//! A read that waits saves a call the look at the descriptors, a third of its system calls. But nothing
//! ends it except bytes and a signal. So the owner waits in it only while calls follow each other
//! quickly and the watcher is awake; the watcher calls it out at the second of its looks at which it finds it
//! in the same read, or at once when somebody wakes the owner, and then the owner looks at all its
//! descriptors.
//!
//! The signal reaches the owner between the begin of its wait and the end of it, and never inside a
//! handler of the author's: a system call there would end for nothing.

use std::sync::atomic::Ordering::{Relaxed, SeqCst};
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU8, AtomicU32, AtomicU64};
use std::thread;

use crate::Interrupter;

/// After so many short waits in a row the next one is expected to be short too.
const ENOUGH: u8 = 4;
/// This thread cannot be interrupted, or its reads do not wait.
const NEVER: u8 = u8::MAX;
/// The watcher is calling the owner out of its read, which must not leave it meanwhile.
const CALLING: u64 = 1 << 63;

/// `SeqCst`, where each side writes one value and then reads the other's.
#[derive(Debug, Default)]
pub(crate) struct Reading {
    /// One more each time a read is begun and each time one has ended: odd inside.
    reads: AtomicU64,
    /// The thread that reads.
    reader: AtomicI32,
    /// The read that the watcher called out of last.
    called: AtomicU64,
    /// Somebody has something for the owner to do.
    is_urgent: AtomicBool,
    /// How often the watcher has looked.
    looks: AtomicU32,
}

/// What one thread has seen of its waits. Nobody else uses it.
#[derive(Debug, Default)]
pub(crate) struct Waits {
    /// Short ones in a row.
    short: AtomicU8,
    /// The thread, while it can be interrupted.
    thread: AtomicI32,
}

/// One wait in a read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Read(u64);

/// The owner.
impl Reading {
    /// Waits in `read`, unless that may last. `may_wait` is asked once the watcher can see that this
    /// thread is on its way.
    pub(crate) fn wait<R>(
        &self,
        waits: &Waits,
        may_wait: impl FnOnce() -> bool,
        read: impl FnOnce() -> R,
    ) -> Option<R> {
        if !waits.expect_a_short_one() {
            return None;
        }
        self.reader.store(waits.thread.load(Relaxed), Relaxed);
        let reading = self.reads.fetch_add(1, SeqCst) + 1;
        let outcome = may_wait().then(read);
        if self.end(reading) {
            waits.short.store(0, Relaxed);
        }
        outcome
    }

    /// Whether the watcher has called this thread out. If so, its signal has come.
    fn end(&self, reading: u64) -> bool {
        while self.reads.compare_exchange(reading, reading + 1, SeqCst, SeqCst).is_err() {
            thread::yield_now();
        }
        let was_called = self.called.load(SeqCst) == reading;
        if was_called {
            // The signal was sent; it arrives at the latest when a system call returns.
            thread::yield_now();
        }
        was_called
    }

    /// Before a wait by other means; for [`Reading::waited`].
    pub(crate) fn looks(&self) -> u32 {
        self.looks.load(Relaxed)
    }

    /// After it: whether bytes ended it, and nothing else.
    pub(crate) fn waited(&self, waits: &Waits, looks: u32, for_bytes: bool) {
        let short = waits.short.load(Relaxed);
        if short != NEVER {
            let is_short = for_bytes && self.looks() == looks;
            let short = if is_short { (short + 1).min(ENOUGH) } else { 0 };
            waits.short.store(short, Relaxed);
        }
    }
}

impl Waits {
    fn expect_a_short_one(&self) -> bool {
        match self.short.load(Relaxed) {
            // Whether it can be interrupted is found out anew for each row: the program may have taken
            // the signal for itself.
            ENOUGH => {
                let interrupter = Interrupter::of_this_thread();
                self.thread.store(interrupter.map_or(0, Interrupter::id), Relaxed);
                let next = if interrupter.is_some() { ENOUGH + 1 } else { NEVER };
                self.short.store(next, Relaxed);
                interrupter.is_some()
            }
            short => short > ENOUGH && short != NEVER,
        }
    }

    /// A read that should have waited did not.
    pub(crate) fn cannot_wait(&self) {
        self.short.store(NEVER, Relaxed);
    }
}

/// The watcher.
impl Reading {
    /// The wait that lasts, if one does.
    pub(crate) fn now(&self) -> Option<Read> {
        let reads = self.reads.load(SeqCst);
        (reads % 2 == 1).then_some(Read(reads & !CALLING))
    }

    /// Looks, and ends a wait that lasts since the last look, or that somebody wants ended. The one
    /// that goes on.
    pub(crate) fn look(&self, seen: Option<Read>) -> Option<Read> {
        self.looks.fetch_add(1, Relaxed);
        let read = self.now()?;
        if Some(read) == seen || self.is_urgent.swap(false, SeqCst) {
            self.call_out(read);
        }
        Some(read)
    }

    /// The thread may only be on its way into the read, and then misses it: so the next look finds it
    /// again.
    fn call_out(&self, Read(read): Read) {
        if self.reads.compare_exchange(read, read | CALLING, SeqCst, SeqCst).is_ok() {
            self.called.store(read, SeqCst);
            Interrupter::of(self.reader.load(Relaxed)).inspect(|reader| reader.interrupt());
            self.reads.store(read, SeqCst);
        }
    }
}

/// Everybody.
impl Reading {
    /// There is something for the owner to do. Whether the watcher is to be woken for it.
    pub(crate) fn is_to_end(&self) -> bool {
        self.now().is_some() && !self.is_urgent.swap(true, SeqCst)
    }
}
