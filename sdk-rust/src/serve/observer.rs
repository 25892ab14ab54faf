//! What a testing host in the same process sees of the serving loop beside the frames.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use extline_stdio::Waker;

/// How far the extension is, counted in the bytes that its host has sent; and how many it has written.
#[derive(Debug, Default)]
pub(crate) struct Observed {
    read: AtomicU64,
    calm: AtomicU64,
    written: AtomicU64,
}

impl Observed {
    /// Up to which byte the extension has read, and begun what is to be done.
    pub(crate) fn read(&self) -> u64 {
        self.read.load(Ordering::Acquire)
    }

    /// Up to which byte it has handled every event and every panel's input, and written what came
    /// of it. Tool calls, commands and intercepts may still run.
    pub(crate) fn calm(&self) -> u64 {
        self.calm.load(Ordering::Acquire)
    }

    /// How many bytes it had written when it was that far. They may still be on their way.
    pub(crate) fn written(&self) -> u64 {
        self.written.load(Ordering::Acquire)
    }
}

/// The serving loop's end of it.
#[derive(Debug)]
pub(crate) struct Observer {
    observed: Arc<Observed>,
    /// Wakes the testing host.
    waker: Waker,
}

impl Observer {
    pub(crate) fn new(observed: Arc<Observed>, waker: Waker) -> Self {
        Self { observed, waker }
    }

    /// Call it when nothing is left to do but to wait.
    pub(super) fn show(&self, read: u64, written: u64, is_calm: bool) {
        // Before the others, by which it is judged.
        self.observed.written.store(written, Ordering::Release);
        let is_calmer = is_calm && self.observed.calm.swap(read, Ordering::AcqRel) != read;
        if self.observed.read.swap(read, Ordering::AcqRel) != read || is_calmer {
            self.waker.wake();
        }
    }
}
