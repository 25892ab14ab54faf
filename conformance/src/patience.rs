//! How long something is waited for.

use std::time::{Duration, Instant};

use crate::target::Target;

/// Who is waited for.
pub(crate) trait Worker {
    /// The processor time that it and what it started used so far; `None` where the system does not
    /// tell.
    fn processor_time(&self) -> Option<Duration>;

    /// Whether it could run, or waits for a disk.
    fn is_busy(&self) -> bool;
}

impl Worker for Target {
    fn processor_time(&self) -> Option<Duration> {
        self.processor_time()
    }

    fn is_busy(&self) -> bool {
        self.is_busy()
    }
}

/// How long something is waited for. A process that could run and has not come to it may only be
/// short of a processor, so it gets up to [`Patience::TIMES`] the time on a processor; one that
/// waits for something itself gets no more.
pub(crate) struct Patience {
    pub(crate) until: Instant,
    /// The time that was given.
    time: Duration,
    /// When the time beyond began, and the processor time that was used by then.
    beyond: Option<(Instant, Option<Duration>)>,
}

impl Patience {
    const TIMES: u32 = 5;
    /// However little it gets of the processor, more than so many times the time is not waited.
    const AT_MOST: u32 = 20;
    /// How often the process is looked at in the time beyond.
    const LOOK_EVERY: Duration = Duration::from_millis(50);

    pub(crate) fn new(until: Instant) -> Self {
        let time = until.saturating_duration_since(Instant::now());
        Self { until, time, beyond: None }
    }

    /// Whether it gets more time, now that the time is over.
    pub(crate) fn has_more(&mut self, worker: &impl Worker) -> bool {
        let now = Instant::now();
        let (began, used) = *self.beyond.get_or_insert_with(|| (now, worker.processor_time()));
        let waited = now.saturating_duration_since(began);
        // Where the system does not tell, the clock has to do.
        let computed = used.zip(worker.processor_time());
        let computed = computed.map_or(waited, |(before, after)| after.saturating_sub(before));
        let more = waited < self.time * (Self::AT_MOST - 1)
            && computed < self.time * (Self::TIMES - 1)
            && worker.is_busy();
        if more {
            self.until = now + Self::LOOK_EVERY;
        }
        more
    }
}
