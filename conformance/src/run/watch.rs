//! The checks that watch every process of a run.

use std::collections::BTreeMap;

use extline_scenario::Failure;

use crate::case::Case;
use crate::check::{self, Finding, Observed, Outcome};
use crate::conversation::Arrived;
use crate::report::{CaseReport, Evidence, Verdict};

/// How many lines before a finding are shown.
const BEFORE: usize = 6;

/// What the checks found so far.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    checks: BTreeMap<String, Findings>,
    torn: bool,
}

#[derive(Debug, Default)]
struct Findings {
    /// There was something to look at.
    looked: bool,
    /// How often it found the same as the first time, and how often something else.
    same: usize,
    others: usize,
    first: Option<(Failure, Evidence)>,
}

impl Watch {
    /// The checks that the cases name.
    pub(crate) fn of(cases: &[&Case]) -> Self {
        let names = cases.iter().filter_map(|case| case.check.clone());
        Self { checks: names.map(|name| (name, Findings::default())).collect(), torn: false }
    }

    /// Whether one of the cases names this check.
    pub(crate) fn wants(&self, check: &str) -> bool {
        self.checks.contains_key(check)
    }

    /// Whether one of the cases names this check, and there was nothing to look at so far.
    pub(crate) fn lacks(&self, check: &str) -> bool {
        self.checks.get(check).is_some_and(|seen| !seen.looked)
    }

    /// Whether a check has found something.
    pub(crate) fn found(&self, check: &str) -> bool {
        self.checks.get(check).is_some_and(|seen| seen.first.is_some())
    }

    /// Whether a line came in the middle of another.
    pub(crate) fn torn(&self) -> bool {
        self.torn
    }

    /// Looks at a process that has ended.
    pub(crate) fn look(&mut self, observed: &Observed<'_>) {
        self.torn |= observed.frames.iter().any(Arrived::is_torn);
        for (name, seen) in &mut self.checks {
            let Some(check) = check::named(name) else { continue };
            let Outcome::Found(findings) = check(observed) else { continue };
            seen.looked = true;
            for Finding { text, record } in findings {
                let from = record.saturating_sub(BEFORE);
                seen.add(text, || Evidence::between(observed.timeline, from, record + 1));
            }
        }
    }

    /// What was found against a check while the process ran: it comes first, as it says more.
    pub(crate) fn blame(&mut self, check: &str, failure: Failure, evidence: Evidence) {
        let Some(seen) = self.checks.get_mut(check) else { return };
        seen.looked = true;
        seen.others += usize::from(seen.first.is_some()) + seen.same;
        seen.same = 0;
        seen.first = Some((failure, evidence));
    }

    /// What a check says in the end.
    pub(crate) fn verdict(&self, case: &Case, check: &str) -> CaseReport {
        let Some(seen) = self.checks.get(check).filter(|seen| seen.looked) else {
            let who = if case.id.starts_with("M-") { "server" } else { "extension" };
            let reason = format!("the {who} sent nothing of the kind");
            return CaseReport::without_run(case, Verdict::NotApplicable, reason);
        };
        let Some((failure, evidence)) = &seen.first else { return CaseReport::passed(case) };
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

impl Findings {
    fn add(&mut self, text: String, evidence: impl FnOnce() -> Evidence) {
        match &self.first {
            Some((first, _)) if first.got == text => self.same += 1,
            Some(_) => self.others += 1,
            None => {
                // What is expected is the title of the case, which is not known here.
                let failure = Failure::wrong(String::new(), text);
                self.first = Some((failure, evidence()));
            }
        }
    }
}
