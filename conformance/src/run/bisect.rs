//! Finds the smallest value at which a case fails.

use super::{Failed, Run, is_searchable};
use crate::case::Case;
use crate::report::Boundary;

/// Enough for the difference between any two sizes below 64 MiB.
const RUNS: u32 = 26;

impl Run<'_> {
    /// Searches between the largest value that was good and one that was bad. The extension is
    /// started anew each time.
    pub(super) fn bisect(&self, case: &Case, good: Option<u64>, bad: u64) -> Option<Boundary> {
        let unit = case.bisect.clone()?;
        let (mut good, mut bad) = (good?, bad);
        let mut runs = 0;
        while bad - good > 1 && runs < RUNS {
            let middle = good + (bad - good) / 2;
            runs += 1;
            match self.try_alone(case, middle) {
                Ok(_) => good = middle,
                Err(Failed::Twice(failure, ..)) if is_searchable(failure.outcome) => bad = middle,
                Err(_) => return None,
            }
        }
        Some(Boundary { good, bad, unit, runs })
    }
}
