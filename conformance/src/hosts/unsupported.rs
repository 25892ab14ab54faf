//! Where there are no Unix sockets, hosts cannot be tested.

use std::time::Duration;

use super::options::HostOptions;
use crate::case::Case;
use crate::conversation::Survey;
use crate::report::{CaseReport, Report, Verdict};
use crate::run::Progress;

/// Reports that no case could run.
pub fn run_host(
    options: &HostOptions,
    cases: &[&Case],
    progress: &mut dyn FnMut(Progress<'_>),
) -> Report {
    let head = options.head(cases.len());
    progress(Progress::Planned(&head));
    let why = || "hosts can be tested on Unix only".to_owned();
    let reports: Vec<_> = cases
        .iter()
        .map(|case| CaseReport::without_run(case, Verdict::CouldNotRun, why()))
        .collect();
    reports.iter().for_each(|report| progress(Progress::Decided(report)));
    let (survey, stale, took) = (Survey::default(), Vec::new(), Duration::ZERO);
    Report { head, cases: reports, survey, stale, took }
}
