//! For how long the tester itself had no processor.

use std::time::{Duration, Instant};

/// The tester had no processor when it looks so much later than it meant to.
const STALL: Duration = Duration::from_millis(20);

/// Adds up how late the tester was each time that it looked at what it waits for: it had no processor then, or
/// something else to do.
#[derive(Debug)]
pub(crate) struct Stalls {
    looked: Instant,
    sum: Duration,
}

impl Stalls {
    pub(crate) fn new() -> Self {
        Self { looked: Instant::now(), sum: Duration::ZERO }
    }

    /// A wait begins now; gives what was lost before.
    pub(crate) fn begin(&mut self) -> Duration {
        self.looked = Instant::now();
        self.sum
    }

    /// It has looked again, for which it meant to wait at most for that long. All the time since it looked last
    /// counts, since it can be kept from a processor anywhere.
    pub(crate) fn looked(&mut self, longest: Duration) {
        let now = Instant::now();
        let late = (now - std::mem::replace(&mut self.looked, now)).saturating_sub(longest);
        if late >= STALL {
            self.sum += late;
        }
    }

    pub(crate) fn sum(&self) -> Duration {
        self.sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_lost_anywhere_between_two_looks_counts() {
        let mut stalls = Stalls::new();
        let before = Duration::from_secs(5);
        stalls.looked = Instant::now().checked_sub(before).expect("it runs for longer");
        assert_eq!(stalls.begin(), Duration::ZERO, "the time before a wait does not count");
        stalls.looked(Duration::from_secs(1));
        assert_eq!(stalls.sum(), Duration::ZERO, "it was in time");
        stalls.looked = Instant::now().checked_sub(before).expect("it runs for longer");
        stalls.looked(Duration::from_secs(1));
        assert!(stalls.sum() >= Duration::from_secs(4) && stalls.sum() < before);
        assert_eq!(stalls.begin(), stalls.sum());
    }
}
