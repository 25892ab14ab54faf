//! Failures that one cure mends, in the order in which to mend them.

use super::cause::Cause;
use super::{CaseReport, Report, Verdict};

/// Failures with the same cause; or one whose cause is not known.
#[derive(Debug)]
pub(super) struct Group<'a> {
    pub(super) cause: Option<&'a Cause>,
    /// In the order of the run.
    pub(super) cases: Vec<&'a CaseReport>,
    /// How many cases could not run because of one of these.
    pub(super) blocks: usize,
}

impl Group<'_> {
    fn is_broken(&self) -> bool {
        self.cases.iter().any(|case| case.is_broken())
    }

    /// `E-JSN-01 and 7 more`.
    pub(super) fn names(&self) -> String {
        let first = self.cases.first().map(|case| case.id.as_str()).unwrap_or_default();
        match self.cases.len() {
            0 | 1 => first.to_owned(),
            2 => format!("{first} and {}", self.cases[1].id),
            count => format!("{first} and {} more", count - 1),
        }
    }

    /// What is wrong, in a line: the cause, or what came instead.
    pub(super) fn why(&self) -> String {
        if let Some(cause) = self.cause {
            return cause.told();
        }
        let failure = self.cases.first().and_then(|case| case.failure.as_ref());
        failure.map(|failure| failure.got.clone()).unwrap_or_default()
    }
}

/// What failed: first what keeps other cases from running, then what fails the run, and of these what
/// mends most.
pub(super) fn groups(report: &Report) -> Vec<Group<'_>> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    for case in report.cases.iter().filter(|case| case.failure.is_some()) {
        let cause = case.cause.as_ref();
        let blocks = blocked_by(report, &case.id);
        let is_same = |group: &&mut Group<'_>| {
            group.cause.zip(cause).is_some_and(|(one, other)| one.cause == other.cause)
        };
        if let Some(group) = groups.iter_mut().find(is_same) {
            group.cases.push(case);
            group.blocks += blocks;
        } else {
            groups.push(Group { cause, cases: vec![case], blocks });
        }
    }
    groups.sort_by_key(|group| {
        let few = usize::MAX - group.cases.len();
        (usize::MAX - group.blocks, !group.is_broken(), few)
    });
    groups
}

/// How many cases could not run because of that one: their reason names it.
fn blocked_by(report: &Report, id: &str) -> usize {
    let named = format!("({id})");
    let is_blocked = |case: &&CaseReport| {
        let reason = case.reason.as_deref().unwrap_or_default();
        case.verdict == Verdict::CouldNotRun && reason.contains(&named)
    };
    report.cases.iter().filter(is_blocked).count()
}
