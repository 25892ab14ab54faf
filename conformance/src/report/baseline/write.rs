//! A baseline of what fails today.

use std::fmt::Write;

use super::{Baseline, Entry, Kind, TODO};
use crate::case::case_named;
use crate::report::{CaseReport, Report, Verdict};

const HEAD: &str = "\
# What is known to fail, for `extline conformance --baseline`. Each entry needs a reason that says why
# its failure is accepted for now; kind is known-failing, known-flaky or wont-support. An entry may
# have a link and a last day: expires = 2026-12-31. Comments are not kept when this is written anew.
";

impl Baseline {
    /// The text of a baseline with what fails in this run. What this one says of the same failures
    /// is kept, as is what it says of cases that were not decided; new entries have the reason
    /// `TODO`, which their author must replace.
    pub fn renewed(&self, report: &Report) -> String {
        let mut text = HEAD.to_owned();
        let decided = report.cases.iter().filter_map(|case| self.entry_of(case));
        let others = self.entries.iter().filter(|entry| {
            let is_decided = report.cases.iter().any(|case| case.id == entry.case);
            !is_decided && case_named(&entry.case).is_some()
        });
        for entry in decided.chain(others.cloned()) {
            entry.write(&mut text);
        }
        text
    }

    /// The entry that a case needs from now on.
    fn entry_of(&self, case: &CaseReport) -> Option<Entry> {
        let known = self.entry(&case.id);
        match case.verdict {
            Verdict::ExpectedFailure | Verdict::CouldNotRun | Verdict::HarnessError => {
                known.cloned()
            }
            // One that fails now and then has not failed this time.
            Verdict::Pass => known.filter(|entry| entry.kind == Kind::KnownFlaky).cloned(),
            Verdict::Fail | Verdict::Flaky => {
                let new = Entry {
                    case: case.id.clone(),
                    kind: if case.verdict == Verdict::Flaky {
                        Kind::KnownFlaky
                    } else {
                        Kind::KnownFailing
                    },
                    outcome: case.failure.as_ref().map(|failure| failure.outcome),
                    reason: TODO.to_owned(),
                    link: None,
                    expires: None,
                    line: 0,
                };
                // The same failure keeps its reason, unless its day has passed.
                Some(known.filter(|entry| entry.excuses(case)).cloned().unwrap_or(new))
            }
            Verdict::Warn | Verdict::Info => known.filter(|entry| entry.excuses(case)).cloned(),
            Verdict::NotApplicable | Verdict::UnexpectedPass => None,
        }
    }
}

impl Entry {
    fn write(&self, text: &mut String) {
        let quoted = |value: &str| toml::Value::from(value).to_string();
        // Writing to a string cannot fail.
        let _ = writeln!(text, "\n[[expected]]\ncase = {}", quoted(&self.case));
        let _ = writeln!(text, "kind = {}", quoted(self.kind.word()));
        if let Some(outcome) = self.outcome {
            let _ = writeln!(text, "outcome = {}", quoted(outcome.word()));
        }
        let _ = writeln!(text, "reason = {}", quoted(&self.reason));
        if let Some(link) = &self.link {
            let _ = writeln!(text, "link = {}", quoted(link));
        }
        if let Some(expires) = self.expires {
            let _ = writeln!(text, "expires = {expires}");
        }
    }
}
