//! The grade that a whole run earns, for the badge.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{CaseReport, Report, Verdict};
use crate::case::host::{client_cases, host_cases};
use crate::case::{
    Binds, Case, Level, Need, builtin, deepened, era_of, is_played_once, mcp_cases, without_point,
};
use crate::target::LACKING;

/// How far an extension keeps to the protocol. There are no percentages: a rule holds or it does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Grade {
    /// Every MUST holds.
    Core,
    /// Every SHOULD holds as well.
    Solid,
    /// And all of it at every point of every axis of `--deep`.
    Hardened,
}

impl Grade {
    /// The word in reports.
    pub fn word(self) -> &'static str {
        match self {
            Self::Core => "Core",
            Self::Solid => "Solid",
            Self::Hardened => "Hardened",
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
            return Err("nothing that it registered was called: --call allows that".to_owned());
        }
        let excused = |level| {
            let excused = |case: &&CaseReport| {
                case.verdict == Verdict::ExpectedFailure && case.level == level
            };
            self.cases.iter().filter(excused).count()
        };
        match (excused(Level::Must), excused(Level::Should)) {
            (0, 0) if self.count(Verdict::Warn) == 0 => {
                Ok(if self.is_deep() { Grade::Hardened } else { Grade::Solid })
            }
            (0, _) => Ok(Grade::Core),
            (count, _) => Err(format!("failures of a MUST that the baseline excuses: {count}")),
        }
    }

    /// Whether every case of `--deep` was played: those that take long, and each case at each point.
    /// A point that this system cannot have is one that was not.
    fn is_deep(&self) -> bool {
        let base = || builtin().values().filter(|case| !case.needs.contains(&Need::Kit));
        let at_points = deepened(&base().collect::<Vec<_>>());
        let long = base().filter(|case| case.deep);
        let mut wanted = at_points.iter().chain(long).map(|case| case.id.as_str());
        let told: BTreeMap<_, _> = self.cases.iter().map(|case| (case.id.as_str(), case)).collect();
        let was_played = |case: &CaseReport| {
            let reason = case.reason.as_deref().unwrap_or_default();
            !reason.starts_with(LACKING)
        };
        wanted.all(|id| told.get(id).is_some_and(|case| was_played(case)))
    }

    /// How many cases of the base level, or of a host's, were not asked for.
    fn left_out(&self) -> usize {
        if let Binds::Host | Binds::Client = self.head.binds {
            let is_host = self.head.binds == Binds::Host;
            let all = if is_host { host_cases() } else { client_cases() }.keys();
            return all.filter(|id| !self.cases.iter().any(|run| run.id == **id)).count();
        }
        if self.head.binds == Binds::Server {
            // Those of an era that the server does not speak are not left out.
            let eras: Vec<_> =
                self.cases.iter().filter_map(|run| mcp_cases().get(&run.id)).collect();
            let is_of_one =
                |case: &&Case| eras.iter().any(|run| era_of(run) == era_of(case)) && !case.deep;
            let all = mcp_cases().values().filter(is_of_one);
            let is_left_out = |case: &&Case| {
                let was_played = |run: &CaseReport| {
                    let same = without_point(&run.id) == without_point(&case.id);
                    run.id == case.id || is_played_once(case) && same
                };
                !self.cases.iter().any(was_played)
            };
            return all.filter(is_left_out).count();
        }
        let base = builtin().values();
        let base = base.filter(|case| !case.needs.contains(&Need::Kit) && !case.deep);
        base.filter(|case| !self.cases.iter().any(|run| run.id == case.id)).count()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::conversation::Survey;
    use crate::report::Head;

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
    fn every_point_of_every_axis_makes_hardened() {
        let points = deepened(&builtin().values().collect::<Vec<_>>());
        let deep = || {
            let mut report = whole();
            report.cases.extend(points.iter().map(CaseReport::passed));
            report
        };
        assert_eq!(deep().grade(), Ok(Grade::Hardened));
        assert!(Grade::Solid < Grade::Hardened);
        let mut short = deep();
        short.cases.retain(|case| case.id != "E-FRM-01@bytes");
        assert_eq!(short.grade(), Ok(Grade::Solid));
        let mut short = deep();
        short.cases.retain(|case| case.id != "E-HSK-07");
        assert_eq!(short.grade(), Ok(Grade::Solid));
        let at = |case: &CaseReport| case.id == "E-FRM-01@pipe-1m";
        let mut lacking = deep();
        let one = lacking.cases.iter_mut().find(|case| at(case)).unwrap();
        one.verdict = Verdict::NotApplicable;
        one.reason = Some(format!("{LACKING} pipe of 1048576 bytes"));
        assert_eq!(lacking.grade(), Ok(Grade::Solid));
        let mut failed = deep();
        failed.cases.iter_mut().find(|case| at(case)).unwrap().verdict = Verdict::Fail;
        assert_eq!(failed.grade(), Err("some cases fail".to_owned()));
        let mut warned = deep();
        warned.cases.iter_mut().find(|case| at(case)).unwrap().verdict = Verdict::Warn;
        assert_eq!(warned.grade(), Ok(Grade::Core));
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
