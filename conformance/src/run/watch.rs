//! The checks that watch every process of a run.

use std::collections::BTreeMap;

use crate::case::Case;
use crate::check::{self, Finding, Observed, Outcome};
use crate::evidence::Evidence;
use crate::failure::{self, Failure};
use crate::report::{CaseReport, Verdict};

/// How many lines before a finding are shown.
const BEFORE: usize = 6;

/// What the checks found so far.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    checks: BTreeMap<String, Seen>,
}

#[derive(Debug, Default)]
struct Seen {
    /// There was something to look at.
    looked: bool,
    /// How often it found something.
    findings: usize,
    first: Option<(Finding, Evidence)>,
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
        self.checks.get(check).is_some_and(|seen| !seen.looked)
    }

    /// Looks at a process that has ended.
    pub(crate) fn look(&mut self, observed: &Observed<'_>) {
        for (name, seen) in &mut self.checks {
            let Some(check) = check::named(name) else { continue };
            let Outcome::Found(findings) = check(observed) else { continue };
            seen.looked = true;
            seen.findings += findings.len();
            if let (None, Some(first)) = (&seen.first, findings.into_iter().next()) {
                let from = first.record.saturating_sub(BEFORE);
                let evidence = Evidence::between(observed.timeline, from, first.record + 1);
                seen.first = Some((first, evidence));
            }
        }
    }

    /// What a check says in the end.
    pub(crate) fn verdict(&self, case: &Case, check: &str) -> CaseReport {
        let Some(seen) = self.checks.get(check).filter(|seen| seen.looked) else {
            let reason = "the extension sent nothing of the kind".to_owned();
            return CaseReport::without_run(case, Verdict::NotApplicable, reason);
        };
        let Some((finding, evidence)) = &seen.first else { return CaseReport::passed(case) };
        let more = match seen.findings {
            0 | 1 => String::new(),
            count => format!(" (and {} more like it)", count - 1),
        };
        let failure = Failure {
            expected: case.title.clone(),
            got: format!("{}{more}", finding.text),
            outcome: failure::Outcome::Wrong,
        };
        CaseReport::failed(case, failure, evidence.clone())
    }
}
