//! The checks that watch every process of a run.

use std::collections::BTreeMap;

use crate::case::Case;
use crate::check::{self, Finding, Observed, Outcome};
use crate::evidence::Evidence;
use crate::failure::{self, Failure};
use crate::report::{CaseReport, Verdict};

/// How many lines before a finding are shown.
const BEFORE: usize = 6;

/// Checks of a time between two lines. A machine that is busy stretches one now and then, an
/// extension that takes its time does so at most of its starts; so many are looked at.
const TIMED: [&str; 1] = ["silence-before-ready"];
pub(crate) const STARTS: usize = 3;

/// What the checks found so far.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    checks: BTreeMap<String, Seen>,
}

#[derive(Debug, Default)]
struct Seen {
    /// In how many processes there was something to look at, and in how many something was found.
    looked: usize,
    found: usize,
    /// How often it found the same as the first time, and how often something else.
    same: usize,
    others: usize,
    first: Option<(Failure, Evidence)>,
}

impl Watch {
    /// The checks that the cases name.
    pub(crate) fn of(cases: &[&Case]) -> Self {
        let names = cases.iter().filter_map(|case| case.check.clone());
        Self { checks: names.map(|name| (name, Seen::default())).collect() }
    }

    /// Whether one of the cases names this check.
    pub(crate) fn wants(&self, check: &str) -> bool {
        self.checks.contains_key(check)
    }

    /// Whether one of the cases names this check, and there was nothing to look at so far.
    pub(crate) fn lacks(&self, check: &str) -> bool {
        self.checks.get(check).is_some_and(|seen| seen.looked == 0)
    }

    /// Whether a time that was found too long was looked at too seldom.
    pub(crate) fn is_unsure(&self) -> bool {
        let of = |check: &&str| self.checks.get(*check);
        TIMED.iter().filter_map(of).any(|seen| seen.found > 0 && seen.looked < STARTS)
    }

    /// Looks at a process that has ended.
    pub(crate) fn look(&mut self, observed: &Observed<'_>) {
        for (name, seen) in &mut self.checks {
            let Some(check) = check::named(name) else { continue };
            let Outcome::Found(findings) = check(observed) else { continue };
            seen.looked += 1;
            seen.found += usize::from(!findings.is_empty());
            for Finding { text, record } in findings {
                let from = record.saturating_sub(BEFORE);
                seen.add(text, || Evidence::between(observed.timeline, from, record + 1));
            }
        }
    }

    /// What was found against a check while the process ran: it comes first, as it says more.
    pub(crate) fn blame(&mut self, check: &str, failure: Failure, evidence: Evidence) {
        let Some(seen) = self.checks.get_mut(check) else { return };
        seen.looked += 1;
        seen.others += usize::from(seen.first.is_some()) + seen.same;
        seen.same = 0;
        seen.first = Some((failure, evidence));
    }

    /// What a check says in the end.
    pub(crate) fn verdict(&self, case: &Case, check: &str) -> CaseReport {
        let Some(seen) = self.checks.get(check).filter(|seen| seen.looked > 0) else {
            let reason = "the extension sent nothing of the kind".to_owned();
            return CaseReport::without_run(case, Verdict::NotApplicable, reason);
        };
        let by_chance = TIMED.contains(&check) && seen.found * 2 <= seen.looked;
        let Some((failure, evidence)) = seen.first.as_ref().filter(|_| !by_chance) else {
            return CaseReport::passed(case);
        };
        let more = match (seen.same, seen.others) {
            (0, 0) => String::new(),
            (same, 0) => format!(" ({} times)", same + 1),
            (same, others) => format!(" (and {} more like it)", same + others),
        };
        let mut failure = failure.clone();
        failure.got += &more;
        if failure.expected.is_empty() {
            failure.expected.clone_from(&case.title);
        }
        CaseReport::failed(case, failure, evidence.clone())
    }
}

impl Seen {
    fn add(&mut self, text: String, evidence: impl FnOnce() -> Evidence) {
        match &self.first {
            Some((first, _)) if first.got == text => self.same += 1,
            Some(_) => self.others += 1,
            None => {
                let outcome = failure::Outcome::Wrong;
                // What is expected is the title of the case, which is not known here.
                let failure = Failure { expected: String::new(), got: text, outcome };
                self.first = Some((failure, evidence()));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::case::builtin;
    use crate::conversation::Arrived;
    use crate::target::{Record, Timeline, What};

    /// What comes of starts with so many milliseconds before `ready`.
    fn verdict(pauses: &[u64]) -> (Verdict, bool) {
        let case = &builtin()["E-REG-09"];
        let mut watch = Watch::of(&[case]);
        for pause in pauses {
            let mut timeline = Timeline::recorded();
            let lines = [(100, r#"{"type":"hello"}"#), (100 + pause, r#"{"type":"ready"}"#)];
            for (at, text) in lines {
                let [at, silent] = [at; 2].map(Duration::from_millis);
                let bytes = text.as_bytes().to_vec();
                let what = What::Line { bytes, reads: 1, terminated: true };
                timeline.push(Record { at, silent, what });
            }
            let records = timeline.records().iter().enumerate();
            let frames: Vec<_> = records.filter_map(|(at, one)| Arrived::of(at, one)).collect();
            watch.look(&Observed {
                timeline: &timeline,
                frames: &frames,
                manifest: None,
                first: None,
                acknowledging: None,
                acknowledged: Some(Duration::ZERO),
                exit: None,
                rest: None,
                left_behind: None,
                killed: false,
                blamed: false,
            });
        }
        (watch.verdict(case, "silence-before-ready").verdict, watch.is_unsure())
    }

    #[test]
    fn a_pause_that_few_starts_have_is_the_machine_s() {
        assert_eq!(verdict(&[400]), (Verdict::Warn, true), "more starts are looked at");
        assert_eq!(verdict(&[400, 400, 400]), (Verdict::Warn, false));
        assert_eq!(verdict(&[400, 10, 400]), (Verdict::Warn, false));
        assert_eq!(verdict(&[10, 400, 10]), (Verdict::Pass, false));
        assert_eq!(verdict(&[10, 10]), (Verdict::Pass, false));
    }
}
