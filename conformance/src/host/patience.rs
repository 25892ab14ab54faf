//! How long something of a host is waited for.

use std::time::{Duration, Instant};

use crate::target::{is_busy, processor_time};

/// How long something of a host is waited for: one that could run, or waits for a disk, gets more
/// time than one that waits for something itself.
pub(super) struct Patience {
    pub(super) until: Instant,
    time: Duration,
    process: u32,
    /// When the time beyond began, and the processor time that was used by then.
    beyond: Option<(Instant, Option<Duration>)>,
}

impl Patience {
    /// Processor time, and time by the clock, of which more is not waited for.
    const COMPUTES: u32 = 4;
    const WAITS: u32 = 20;
    const LOOK_EVERY: Duration = Duration::from_millis(50);

    pub(super) fn new(time: Duration, process: u32) -> Self {
        Self { until: Instant::now() + time, time, process, beyond: None }
    }

    /// Whether it gets more time, now that the time is over.
    pub(super) fn has_more(&mut self) -> bool {
        let now = Instant::now();
        let used = || processor_time(self.process);
        let (began, before) = *self.beyond.get_or_insert_with(|| (now, used()));
        let waited = now.saturating_duration_since(began);
        let computed =
            before.zip(used()).map_or(waited, |(before, now)| now.saturating_sub(before));
        let more = waited < self.time * Self::WAITS
            && computed < self.time * Self::COMPUTES
            && is_busy(self.process);
        if more {
            self.until = now + Self::LOOK_EVERY;
        }
        more
    }
}
