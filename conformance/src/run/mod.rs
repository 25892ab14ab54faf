//! Runs cases against an extension.
//!
//! First contact tells what the extension is and how it can be asked whether it lives. Then the
//! cases that leave no wound share a process; one that fails there is repeated alone, and only
//! what fails alone fails. Cases with a process of their own follow, those that measure a time last.
//! At the end the checks that watched all of it are asked.

mod alone;
mod bisect;
mod contact;
mod obstacle;
mod options;
mod play;
mod process;
mod silence;
mod values;
pub(crate) mod watch;

use std::time::Instant;

pub(crate) use self::alone::{Alone, Played};
use self::contact::{Contact, FailedContact, first_contact};
pub use self::options::{Options, Progress};
use self::process::{NoStart, SHUTDOWN, ack};
use self::watch::Watch;
use crate::case::{Case, Process};
use crate::cause::cause_of;
use crate::conversation::Conversation;
use crate::deep::{POINTS, Point};
use crate::evidence::Evidence;
use crate::failure::{Failure, Outcome};
use crate::harness::{caught, check_frames};
use crate::language::language_of;
use crate::report::{CaseReport, Head, Report, Verdict};
use crate::seed::Drawn;
use crate::survey::{Canary, Survey};
use crate::target::{Setting, is_stopped};

/// Runs the cases, in their order of danger, and reports all of them in the given order.
pub fn run(options: &Options, cases: &[&Case], progress: &mut dyn FnMut(Progress<'_>)) -> Report {
    let began = Instant::now();
    let head = Head::of(options, cases.len());
    let mut run = Run {
        options,
        ack: ack(options),
        language: language_of(&options.program),
        drawn: Drawn::of(options.seed),
        watch: Watch::of(cases),
        survey: Survey::default(),
        contacted: false,
        point: None,
        shared: None,
        reports: Vec::new(),
    };
    progress(Progress::Planned(&head));
    match run.contact() {
        Contact::Made => {
            run.contacted = true;
            for (point, cases) in by_point(cases) {
                run.point = point;
                run.watch = if point.is_some() { Watch::of(&cases) } else { run.watch };
                run.run_cases(&cases, progress);
                run.decide_checks(&cases, progress);
            }
        }
        Contact::Failed(failed) => {
            run.give_up(cases, &failed, progress);
            run.decide_checks(cases, progress);
        }
        Contact::Impossible(verdict, reason) => {
            for case in cases {
                run.decide(CaseReport::without_run(case, verdict, reason.clone()), progress);
            }
        }
    }
    let mut reports = std::mem::take(&mut run.reports);
    reports.sort_by_key(|report| cases.iter().position(|case| case.id == report.id));
    let stale = options.baseline.stale(&reports);
    Report { head, cases: reports, survey: run.survey, stale, took: began.elapsed() }
}

/// Why a case has no verdict when the run was stopped.
const STOPPED: &str = "the run was stopped before it was done";

struct Run<'a> {
    options: &'a Options,
    ack: String,
    language: Option<&'static str>,
    drawn: Drawn,
    watch: Watch,
    survey: Survey,
    /// First contact is over.
    contacted: bool,
    /// Where on the axes of `--deep` the cases are played now.
    point: Option<&'static Point>,
    shared: Option<Conversation>,
    reports: Vec<CaseReport>,
}

impl Run<'_> {
    /// First contact, unless the tester itself is not up to it.
    fn contact(&mut self) -> Contact {
        let asked = self.options.canary.iter().chain(&[Canary::Tool, Canary::Command]);
        let questions = asked.map(|canary| canary.question("1", &self.drawn.unknown));
        let frames: Vec<_> = questions.chain([self.ack.clone(), SHUTDOWN.to_owned()]).collect();
        let contact = check_frames(frames.iter().map(String::as_str))
            .and_then(|()| caught(|| first_contact(self)))
            .unwrap_or_else(|fault| Contact::Impossible(Verdict::HarnessError, fault));
        if is_stopped() {
            return Contact::Impossible(Verdict::CouldNotRun, STOPPED.to_owned());
        }
        contact
    }

    fn run_cases(&mut self, cases: &[&Case], progress: &mut dyn FnMut(Progress<'_>)) {
        let order =
            [Process::Shared, Process::Own, Process::Beside, Process::Raw, Process::StdinAtEnd];
        let rounds = [false, true].into_iter().flat_map(|timing| order.map(|one| (timing, one)));
        for (timing, process) in rounds {
            let round = |case: &&&Case| {
                (case.timing, case.process) == (timing, process) && case.check.is_none()
            };
            for case in cases.iter().filter(round) {
                progress(Progress::Begins(case));
                let began = Instant::now();
                let mut report = match self.obstacle(case) {
                    Some((verdict, reason)) => CaseReport::without_run(case, verdict, reason),
                    None => self.run_unless_stopped(case),
                };
                report.took = began.elapsed();
                self.decide(report, progress);
            }
            if let Some(conversation) = self.shared.take() {
                self.end(conversation, false);
            }
        }
    }

    fn run_unless_stopped(&mut self, case: &Case) -> CaseReport {
        if is_stopped() {
            return stopped(case);
        }
        let report = caught(|| self.run_case(case))
            .unwrap_or_else(|fault| CaseReport::without_run(case, Verdict::HarnessError, fault));
        // Its process may have been killed in the middle of it: neither a failure nor a pass counts.
        if is_stopped() { stopped(case) } else { report }
    }

    /// Nothing can be run: each case says why.
    fn give_up(
        &mut self,
        cases: &[&Case],
        failed: &FailedContact,
        progress: &mut dyn FnMut(Progress<'_>),
    ) {
        for case in cases.iter().filter(|case| case.check.is_none()) {
            let report = if case.id == contact::CASE {
                let FailedContact { failure, evidence, cause } = failed.clone();
                CaseReport { cause, ..CaseReport::failed(case, failure, evidence) }
            } else {
                let reason = "first contact failed".to_owned();
                CaseReport::without_run(case, Verdict::CouldNotRun, reason)
            };
            self.decide(report, progress);
        }
    }

    fn decide_checks(&mut self, cases: &[&Case], progress: &mut dyn FnMut(Progress<'_>)) {
        if self.contacted && self.watch.lacks("same-registrations") {
            // No case needed a second start; that it fails is said by those that do.
            if let Ok(conversation) = self.fresh(self.setting()) {
                self.end(conversation, false);
            }
        }
        for case in cases {
            let Some(check) = &case.check else { continue };
            let report = match self.obstacle(case) {
                Some((verdict, reason)) => CaseReport::without_run(case, verdict, reason),
                None => self.watch.verdict(case, check),
            };
            let report =
                if is_stopped() && report.failure.is_none() { stopped(case) } else { report };
            self.decide(report, progress);
        }
    }

    fn decide(&mut self, mut report: CaseReport, progress: &mut dyn FnMut(Progress<'_>)) {
        if report.failure.is_some() {
            let again = self.options.again.as_ref();
            report.again = again.map(|again| again.replace("$case", &report.id));
        }
        if report.cause.is_none() {
            report.cause = cause_of(&report, self.language);
        }
        self.options.baseline.judge(&mut report);
        progress(Progress::Decided(&report));
        self.reports.push(report);
    }

    fn run_case(&mut self, case: &Case) -> CaseReport {
        let runs: Vec<u64> = if case.values.is_empty() { vec![0] } else { case.values.clone() };
        let mut last_good = None;
        let mut passed = CaseReport::passed(case);
        for value in runs {
            match self.try_once(case, value) {
                Ok(evidence) => {
                    last_good = Some(value);
                    passed.evidence = evidence;
                }
                Err(Failed::Twice(failure, evidence, line)) => {
                    if let Some(reason) = self.passes_again(case, value) {
                        return CaseReport::flaky(case, reason, failure, *evidence);
                    }
                    let mut report = CaseReport::failed(case, failure, *evidence);
                    report.place = case.is_own().then(|| format!("{}:{line}", case.file));
                    report.boundary = self.bisect(case, last_good, value);
                    return report;
                }
                Err(Failed::Once(failure, evidence)) => {
                    let reason =
                        "it failed in a process that other cases had used, and passed alone";
                    return CaseReport::flaky(case, reason.to_owned(), failure, *evidence);
                }
                Err(Failed::ToStart(unstarted)) => {
                    return CaseReport::without_run(case, unstarted.verdict, unstarted.problem);
                }
            }
        }
        passed
    }

    /// Plays a case with one value; one that fails in the shared process is played again alone.
    fn try_once(&mut self, case: &Case, value: u64) -> Result<Option<Evidence>, Failed> {
        if !case.is_shared() {
            return self.try_alone(case, value);
        }
        let mut conversation = match self.shared.take() {
            Some(conversation) => conversation,
            None => self.fresh_or_failed(self.setting())?,
        };
        let values = values::values(self.options, &self.drawn, &self.survey, value);
        let mark = conversation.seen().timeline().mark();
        match play::play(case, values, &mut conversation, &self.survey, self.patience()) {
            Ok(()) => {
                let evidence = self.kept(&conversation, mark);
                self.shared = Some(conversation);
                Ok(evidence)
            }
            Err((_, failure)) => {
                let evidence = Evidence::of(conversation.seen().timeline(), mark);
                self.end(conversation, true);
                match self.try_alone(case, value) {
                    Ok(_) => Err(Failed::Once(failure, Box::new(evidence))),
                    failed => failed,
                }
            }
        }
    }

    /// How a case that failed alone passes after all, within the retries.
    fn passes_again(&mut self, case: &Case, value: u64) -> Option<String> {
        let passed = (1..=self.options.retries).find(|_| self.try_alone(case, value).is_ok())?;
        let times = if passed == 1 { "once".to_owned() } else { format!("{passed} times") };
        Some(format!("it failed {times} in a process of its own, and passed then"))
    }

    fn try_alone(&mut self, case: &Case, value: u64) -> Result<Option<Evidence>, Failed> {
        let stdin_at_end = case.process == Process::StdinAtEnd;
        let setting = Setting { stdin_at_end, ..self.setting() };
        let raw = matches!(case.process, Process::Raw | Process::StdinAtEnd);
        if case.process == Process::Beside {
            return self.try_beside(case, value);
        }
        let mut conversation = if raw {
            self.start(setting).map_err(Failed::ToStart)?
        } else {
            self.fresh_or_failed(setting)?
        };
        let values = values::values(self.options, &self.drawn, &self.survey, value);
        let mark = if raw { 0 } else { conversation.seen().timeline().mark() };
        let outcome = play::play(case, values, &mut conversation, &self.survey, self.patience());
        self.concluded(conversation, mark, outcome)
    }

    /// Plays a case in a process that is started while another one runs; both must answer then.
    fn try_beside(&mut self, case: &Case, value: u64) -> Result<Option<Evidence>, Failed> {
        let mut other = self.fresh(self.setting()).map_err(Failed::ToStart)?;
        let mut conversation = self.start(self.setting()).map_err(Failed::ToStart)?;
        let values = values::values(self.options, &self.drawn, &self.survey, value);
        let outcome =
            self.make_ready(&mut conversation).map_err(|failure| (case.line, failure)).and_then(
                |()| play::play(case, values, &mut conversation, &self.survey, self.patience()),
            );
        let outcome = self.concluded(conversation, 0, outcome);
        let still = play::lives(&mut other, &self.survey, self.patience()).map_err(|failure| {
            let expected = format!("{}, from the process that ran before", failure.expected);
            (case.line, Failure { expected, ..failure })
        });
        let still = self.concluded(other, 0, still);
        outcome.and_then(|evidence| still.map(|_| evidence))
    }

    /// What came of a case, and the end of its process.
    fn concluded(
        &mut self,
        conversation: Conversation,
        mark: usize,
        outcome: Result<(), (usize, Failure)>,
    ) -> Result<Option<Evidence>, Failed> {
        let outcome = match outcome {
            Ok(()) => Ok(self.kept(&conversation, mark)),
            Err((line, failure)) => {
                let evidence = Evidence::of(conversation.seen().timeline(), mark);
                Err(Failed::Twice(failure, Box::new(evidence), line))
            }
        };
        self.end(conversation, outcome.is_err());
        outcome
    }

    /// What went both ways in a case that passed. What stands on stderr is from all cases of its
    /// process, and shown where one fails.
    fn kept(&self, conversation: &Conversation, mark: usize) -> Option<Evidence> {
        self.options.keeps_passes.then(|| {
            let evidence = Evidence::of(conversation.seen().timeline(), mark);
            Evidence { stderr: Vec::new(), ..evidence }
        })
    }
}

/// The cases point by point, those in the usual surroundings first.
fn by_point<'a>(cases: &[&'a Case]) -> Vec<(Option<&'static Point>, Vec<&'a Case>)> {
    let points = [None].into_iter().chain(POINTS.iter().map(Some));
    let at = points.map(|point| {
        let here = cases.iter().copied().filter(|case| Point::of(case) == point);
        (point, here.collect())
    });
    at.filter(|(_, cases): &(_, Vec<_>)| !cases.is_empty()).collect()
}

fn stopped(case: &Case) -> CaseReport {
    CaseReport::without_run(case, Verdict::CouldNotRun, STOPPED.to_owned())
}

enum Failed {
    /// In the shared process only.
    Once(Failure, Box<Evidence>),
    /// Alone, at the step in that line of its file.
    Twice(Failure, Box<Evidence>, usize),
    /// There was no process to fail in.
    ToStart(NoStart),
}

/// Kinds of failure that have a size to search for.
fn is_searchable(outcome: Outcome) -> bool {
    outcome != Outcome::Survived
}
