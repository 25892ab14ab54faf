//! Finds the smallest value at which a case fails.

use super::{Failed, Run, is_searchable};
use crate::case::Case;
use crate::conversation::{Canary, Conversation};
use crate::report::Boundary;

/// Enough for the difference between any two sizes below 64 MiB.
const RUNS: u32 = 26;

/// Where readers and parsers give up, by the unit of a search: they are tried before anything else, as
/// each saves a dozen starts.
const KNOWN: [(&str, &[u64]); 3] = [
    // `asyncio.StreamReader` and Go's `bufio.Scanner`.
    ("bytes", &[65_536]),
    // serde_json, jq, Perl's JSON, Python's json.
    ("levels", &[126, 253, 511, 994]),
    // Python's int.
    ("digits", &[4_300]),
];

impl Run<'_> {
    /// Searches between the largest value that was good and one that was bad. A process that took one
    /// value is asked the next; the boundary is seen in one that was asked nothing else.
    pub(super) fn bisect(&self, case: &Case, good: Option<u64>, bad: u64) -> Option<Boundary> {
        let unit = case.bisect.clone()?;
        let (mut good, mut bad) = (good?, bad);
        let mut runs = 0;
        let mut suspected = suspected(&unit);
        let (mut living, mut is_sure) = (None, true);
        while bad - good > 1 && runs < RUNS {
            let within = |value: &u64| (good + 1..bad).contains(value);
            let next = suspected.find(within).unwrap_or_else(|| good + (bad - good) / 2);
            runs += 1;
            let was_used = living.is_some();
            match self.try_in(&mut living, case, next) {
                Ok(()) => good = next,
                Err(Failed::Twice(failure, ..)) if is_searchable(failure.outcome) => {
                    (bad, is_sure) = (next, !was_used);
                }
                Err(_) => {
                    living.map(|conversation| self.end(conversation, true));
                    return None;
                }
            }
        }
        living.map(|conversation| self.end(conversation, false));
        if !is_sure {
            runs += 1;
            match self.try_alone(case, bad) {
                Err(Failed::Twice(failure, ..)) if is_searchable(failure.outcome) => {}
                _ => return None,
            }
        }
        Some(Boundary { good, bad, unit, runs })
    }

    /// Plays a case to a process that lives, or to a new one, which is kept as long as it takes what it
    /// is sent.
    fn try_in(
        &self,
        living: &mut Option<Conversation>,
        case: &Case,
        value: u64,
    ) -> Result<(), Failed> {
        if !case.is_shared() || self.survey.canary == Canary::Shutdown {
            return self.try_alone(case, value).map(|_| ());
        }
        let mut conversation = match living.take() {
            Some(conversation) => conversation,
            None => self.fresh_or_failed(self.setting())?,
        };
        let mark = conversation.seen().timeline().mark();
        let outcome = self.play_in(&mut conversation, case, value);
        if outcome.is_ok() {
            *living = Some(conversation);
            return Ok(());
        }
        self.concluded(conversation, mark, outcome).map(|_| ())
    }
}

/// The sizes at which a known limit shows itself: the last that is good, and the first that is bad.
fn suspected(unit: &str) -> impl Iterator<Item = u64> + use<> {
    let known = KNOWN.iter().find(|(of, _)| *of == unit).map_or(&[][..], |(_, limits)| limits);
    known.iter().rev().flat_map(|limit| [*limit, limit + 1])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_known_limit_is_suspected_on_both_sides() {
        assert_eq!(suspected("digits").collect::<Vec<_>>(), [4_300, 4_301]);
        assert_eq!(suspected("levels").next(), Some(994));
        assert_eq!(suspected("parsecs").next(), None);
    }
}
