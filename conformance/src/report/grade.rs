//! The grade that a whole run earns, for the badge.

use serde::Serialize;

use super::{CaseReport, Report, Verdict};
use crate::case::{Need, builtin};
use crate::clause::Level;

/// How far an extension keeps to the protocol. There are no percentages: a rule holds or it does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Grade {
    /// Every MUST holds.
    Core,
    /// Every SHOULD holds as well.
    Solid,
}

impl Grade {
    /// The word in reports.
    pub fn word(self) -> &'static str {
        match self {
            Self::Core => "Core",
            Self::Solid => "Solid",
        }
    }
}

impl Report {
    /// The grade of this run, or why it has none. Only a run of every case, with calls allowed, has
    /// one; a failure that the baseline excuses is a failure here.
    pub fn grade(&self) -> Result<Grade, String> {
        match self.exit_code() {
            0 => {}
            1 => return Err("some cases fail".to_owned()),
            4 => return Err("the tester itself failed".to_owned()),
            _ => return Err("some cases could not run, or nothing was tested".to_owned()),
        }
        let left_out = self.left_out();
        if left_out > 0 {
            return Err(format!("cases that were left out: {left_out}"));
        }
        if !self.head.calls {
            return Err("nothing that it registers was called: --call allows that".to_owned());
        }
        let excused = |level| {
            let excused = |case: &&CaseReport| {
                case.verdict == Verdict::ExpectedFailure && case.level == level
            };
            self.cases.iter().filter(excused).count()
        };
        match (excused(Level::Must), excused(Level::Should)) {
            (0, 0) if self.count(Verdict::Warn) == 0 => Ok(Grade::Solid),
            (0, _) => Ok(Grade::Core),
            (count, _) => Err(format!("failures of a MUST that the baseline excuses: {count}")),
        }
    }

    /// How many cases of the base level were not asked for.
    fn left_out(&self) -> usize {
        let base = builtin().values();
        let base = base.filter(|case| !case.needs.contains(&Need::Kit) && !case.deep);
        base.filter(|case| !self.cases.iter().any(|run| run.id == case.id)).count()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::clause::Binds;
    use crate::report::Head;
    use crate::survey::Survey;

    /// A run of every case with calls, all passed.
    fn whole() -> Report {
        let cases: Vec<_> = builtin().values().map(CaseReport::passed).collect();
        let program = "x".to_owned();
        let (tester, binds, calls) = ("0", Binds::Extension, true);
        let head = Head { tester, seed: 0, program, binds, calls, cases: cases.len() };
        let (survey, stale) = (Survey::default(), Vec::new());
        Report { head, cases, survey, stale, took: Duration::ZERO }
    }

    fn with(level: Level, verdict: Verdict) -> Report {
        let mut report = whole();
        report.cases.iter_mut().find(|case| case.level == level).unwrap().verdict = verdict;
        report
    }

    #[test]
    fn every_must_makes_core_and_every_should_solid() {
        assert_eq!(whole().grade(), Ok(Grade::Solid));
        assert_eq!(with(Level::Should, Verdict::Warn).grade(), Ok(Grade::Core));
        assert_eq!(with(Level::Should, Verdict::ExpectedFailure).grade(), Ok(Grade::Core));
        assert!(Grade::Core < Grade::Solid);
    }

    #[test]
    fn what_is_excused_broken_or_left_out_has_no_grade() {
        let why = |report: Report| report.grade().unwrap_err();
        assert_eq!(why(with(Level::Must, Verdict::Fail)), "some cases fail");
        let excused = why(with(Level::Must, Verdict::ExpectedFailure));
        assert_eq!(excused, "failures of a MUST that the baseline excuses: 1");
        let incomplete = why(with(Level::Must, Verdict::CouldNotRun));
        assert_eq!(incomplete, "some cases could not run, or nothing was tested");
        assert_eq!(why(with(Level::Must, Verdict::HarnessError)), "the tester itself failed");
        let mut short = whole();
        short.cases.remove(0);
        assert_eq!(why(short), "cases that were left out: 1");
        let mut uncalled = whole();
        uncalled.head.calls = false;
        assert!(why(uncalled).contains("--call"));
    }
}
