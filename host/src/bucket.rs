//! A bucket that fills with time and empties by use: so much at once, and so much in each second.

use std::time::Instant;

#[derive(Debug)]
pub(crate) struct Bucket {
    holds: f64,
    a_second: f64,
    level: f64,
    at: Instant,
}

impl Bucket {
    /// A full one.
    pub(crate) fn new(holds: f64, a_second: f64, now: Instant) -> Self {
        Self { holds, a_second, level: holds, at: now }
    }

    /// Takes that much out, also more than there is: as much as comes in a second.
    pub(crate) fn take(&mut self, amount: f64, now: Instant) {
        let filled = now.saturating_duration_since(self.at).as_secs_f64() * self.a_second;
        self.at = now;
        self.level = ((self.level + filled).min(self.holds) - amount).max(-self.a_second);
    }

    pub(crate) fn fill(&mut self) {
        self.level = self.holds;
    }

    /// More was taken out than there was.
    pub(crate) fn is_overdrawn(&self) -> bool {
        self.level < 0.0
    }
}
