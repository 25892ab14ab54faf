//! What a baseline makes of what came of a case.

use std::time::{SystemTime, UNIX_EPOCH};

use extline_scenario::Outcome;

use super::{Baseline, Entry, Expectation, Kind, Stale};
use crate::case::case_named;
use crate::report::{CaseReport, Verdict};

impl Baseline {
    /// Changes the verdict as the baseline has it, and says which entry did.
    pub(crate) fn judge(&self, report: &mut CaseReport) {
        let Some(entry) = self.entry(&report.id) else { return };
        let (verdict, problem) = entry.judge(report);
        report.verdict = verdict;
        report.baseline = Some(Expectation {
            kind: entry.kind,
            reason: entry.reason.clone(),
            link: entry.link.clone(),
            expires: entry.expires.map(|date| date.to_string()),
            place: self.place(entry),
            problem,
        });
    }

    /// The entries that say nothing of these cases or of any.
    pub(crate) fn stale(&self, reports: &[CaseReport]) -> Vec<Stale> {
        let stale = self.entries.iter().filter_map(|entry| {
            let report = reports.iter().find(|report| report.id == entry.case);
            let reason = match report {
                Some(report) if report.verdict == Verdict::NotApplicable => {
                    let why = report.reason.as_deref().unwrap_or_default();
                    format!("the case says nothing about this extension: {why}")
                }
                None if case_named(&entry.case).is_none() => "there is no such case".to_owned(),
                _ => return None,
            };
            Some(Stale { case: entry.case.clone(), place: self.place(entry), reason })
        });
        stale.collect()
    }
}

impl Entry {
    /// Whether what came of its case is what it says.
    pub(super) fn excuses(&self, report: &CaseReport) -> bool {
        self.judge(report).0 == Verdict::ExpectedFailure
    }

    /// The verdict, and why the entry does not excuse the failure where it does not.
    fn judge(&self, report: &CaseReport) -> (Verdict, Option<String>) {
        let found = report.verdict;
        match found {
            Verdict::NotApplicable | Verdict::CouldNotRun | Verdict::HarnessError => (found, None),
            _ if self.is_expired() => {
                let verdict =
                    if found == Verdict::Pass { Verdict::UnexpectedPass } else { Verdict::Fail };
                let date = self.expires.map(|date| date.to_string()).unwrap_or_default();
                let todo = "mend the extension, or give the entry a later day";
                (verdict, Some(format!("the entry expired on {date}: {todo}")))
            }
            Verdict::Pass if self.kind == Kind::KnownFlaky => (found, None),
            Verdict::Pass | Verdict::ExpectedFailure | Verdict::UnexpectedPass => {
                let problem = "it passes now: take the entry out".to_owned();
                (Verdict::UnexpectedPass, Some(problem))
            }
            Verdict::Flaky if self.kind == Kind::KnownFlaky => (Verdict::ExpectedFailure, None),
            Verdict::Flaky => {
                let problem = format!("the entry says {}, and it is flaky", self.kind.word());
                (found, Some(problem))
            }
            Verdict::Fail | Verdict::Warn | Verdict::Info => self.judge_failure(report),
        }
    }

    fn judge_failure(&self, report: &CaseReport) -> (Verdict, Option<String>) {
        let found = report.failure.as_ref().map(|failure| failure.outcome);
        // Only a flaky one may leave open how it fails.
        let Some(wanted) = self.outcome.filter(|outcome| found != Some(*outcome)) else {
            return (Verdict::ExpectedFailure, None);
        };
        let found = found.map_or("something else", Outcome::word);
        let problem = format!(
            "the entry says outcome = \"{}\", and now it is \"{found}\": another failure than the \
             known one",
            wanted.word()
        );
        (Verdict::Fail, Some(problem))
    }

    fn is_expired(&self) -> bool {
        self.expires.is_some_and(|date| {
            let last = days(i64::from(date.year), i64::from(date.month), i64::from(date.day));
            today() > last
        })
    }
}

/// Today in UTC, in days since 1970.
fn today() -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(now.as_secs() / 86_400).unwrap_or(i64::MAX)
}

/// A day in days since 1970; years are taken to begin in March, so that a leap day is their last.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month < 3 { year - 1 } else { year };
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    year * 365 + year / 4 - year / 100 + year / 400 + of_year - 719_468
}

#[cfg(test)]
mod tests {
    use extline_scenario::Failure;

    use super::*;
    use crate::case::builtin;
    use crate::report::evidence::Evidence;

    fn judged(entry: &str, found: Option<Outcome>) -> (Verdict, Option<String>) {
        let text = format!("[[expected]]\ncase = \"E-FRM-08\"\nreason = \"r\"\n{entry}");
        let baseline = Baseline::parse("b.toml", &text).unwrap();
        let case = &builtin()["E-FRM-08"];
        let mut report = match found {
            Some(outcome) => {
                let failure = Failure { expected: String::new(), got: String::new(), outcome };
                CaseReport::failed(case, failure, Evidence::default())
            }
            None => CaseReport::passed(case),
        };
        baseline.judge(&mut report);
        let expectation = report.baseline.unwrap();
        assert_eq!(expectation.place, "b.toml:1");
        (report.verdict, expectation.problem)
    }

    #[test]
    fn it_is_strict_both_ways() {
        let died = "kind = \"known-failing\"\noutcome = \"died\"\n";
        assert_eq!(judged(died, Some(Outcome::Died)), (Verdict::ExpectedFailure, None));
        let (verdict, problem) = judged(died, None);
        assert_eq!(verdict, Verdict::UnexpectedPass);
        assert!(problem.unwrap().contains("take the entry out"));
        let (verdict, problem) = judged(died, Some(Outcome::Silent));
        assert_eq!(verdict, Verdict::Fail);
        assert!(problem.unwrap().contains("outcome = \"died\", and now it is \"silent\""));
        let wont = "kind = \"wont-support\"\noutcome = \"wrong\"\n";
        assert_eq!(judged(wont, Some(Outcome::Wrong)), (Verdict::ExpectedFailure, None));
        assert_eq!(judged(wont, None).0, Verdict::UnexpectedPass);
    }

    #[test]
    fn a_flaky_one_may_pass_and_fail() {
        let flaky = "kind = \"known-flaky\"\n";
        assert_eq!(judged(flaky, None), (Verdict::Pass, None));
        assert_eq!(judged(flaky, Some(Outcome::Died)), (Verdict::ExpectedFailure, None));
        let silent = "kind = \"known-flaky\"\noutcome = \"silent\"\n";
        assert_eq!(judged(silent, Some(Outcome::Died)).0, Verdict::Fail);
    }

    #[test]
    fn an_expired_entry_fails_whatever_happens() {
        let old = "kind = \"known-failing\"\noutcome = \"died\"\nexpires = 2020-01-31\n";
        let (verdict, problem) = judged(old, Some(Outcome::Died));
        assert_eq!(verdict, Verdict::Fail);
        assert!(problem.unwrap().starts_with("the entry expired on 2020-01-31: "));
        assert_eq!(judged(old, None).0, Verdict::UnexpectedPass);
        let later = "kind = \"known-failing\"\noutcome = \"died\"\nexpires = 2999-12-31\n";
        assert_eq!(judged(later, Some(Outcome::Died)).0, Verdict::ExpectedFailure);
    }

    #[test]
    fn days_are_counted_as_calendars_do() {
        for ((year, month, day), expected) in [
            ((1970, 1, 1), 0),
            ((1969, 12, 31), -1),
            ((2000, 2, 29), 11_016),
            ((2000, 3, 1), 11_017),
            ((2026, 12, 31), 20_818),
        ] {
            assert_eq!(days(year, month, day), expected, "{year}-{month}-{day}");
        }
    }
}
