//! Whether answers may wait for a handler.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// After so many calls a handler that was slow once is taken for quick again.
const PROBATION: u32 = 64;

/// How quick a handler was of late. Answers that are ready may be held back, to go out in one write
/// with the next one, while a quick handler runs; a slow one would keep them from the host.
///
/// One slow call says little: it may be the machine that was busy, or a collector of garbage or a
/// compiler that ran within it. So a handler that was slow is quick again after 64 calls in which it
/// was not. Any thread may use it at any time.
///
/// ```
/// use extline_stdio::Pace;
///
/// let pace = Pace::new();
/// assert!(pace.begin());
/// pace.was_slow();
/// assert!((0..64).all(|_| !pace.begin()));
/// assert!(pace.begin());
/// ```
#[derive(Debug, Default)]
pub struct Pace {
    /// So many calls have to be quick still.
    left: AtomicU32,
}

impl Pace {
    /// Of a handler that was never called, which is taken for quick.
    #[must_use]
    pub const fn new() -> Self {
        Self { left: AtomicU32::new(0) }
    }

    /// A call begins. Whether answers may wait for it.
    pub fn begin(&self) -> bool {
        let left = self.left.load(Relaxed);
        // Two calls that begin at once may count as one.
        if left > 0 {
            self.left.store(left - 1, Relaxed);
        }
        left == 0
    }

    /// A call has taken longer than an answer may be held back.
    pub fn was_slow(&self) {
        self.left.store(PROBATION, Relaxed);
    }
}
