//! Runs cases against an extension.
//!
//! First contact tells what the extension is and how it can be asked whether it lives. Then cases are
//! played side by side where the extension works beside itself. Those that leave no wound share a
//! process; one that fails there is repeated alone, and only what fails alone fails. Those that measure
//! a time come last, one by one, but for those on which others depend, which begin first. At the end the
//! checks that watched all of it are asked.

mod alone;
mod arguments;
mod aside;
mod attempt;
mod bisect;
mod calls;
mod configured;
mod contact;
mod harness;
mod lane;
mod language;
mod obstacle;
mod options;
mod play;
mod process;
mod server;
mod side_by_side;
mod silence;
mod spare;
mod values;
mod watch;

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use extline_scenario::{Failure, Outcome};

pub(crate) use self::alone::{Alone, Played};
use self::contact::{Contact, FailedContact, first_contact};
pub(crate) use self::harness::caught;
use self::harness::check_frames;
#[cfg(unix)]
pub(crate) use self::harness::{is_out_of_resources, problem_of};
use self::lane::Lane;
use self::language::language_of;
#[cfg(unix)]
pub(crate) use self::language::language_of_command;
pub use self::options::{Options, Progress};
use self::process::{NoStart, SHUTDOWN, ack};
pub use self::server::run_server;
use self::server::{Greeted, Opened};
use self::spare::Used;
pub(crate) use self::watch::Watch;
use crate::case::{Case, Need, POINTS, Point, Process, Verb};
use crate::conversation::{Canary, Conversation, Drawn, Protocol, Survey};
use crate::report::{CaseReport, Cause, Evidence, Report, Verdict, cause_of};
use crate::target::is_stopped;

/// Runs the cases, in their order of danger, and reports all of them in the given order.
pub fn run(options: &Options, cases: &[&Case], progress: &mut dyn FnMut(Progress<'_>)) -> Report {
    let began = Instant::now();
    let head = options.head(cases.len());
    progress(Progress::Planned(&head));
    let (mut reports, survey) =
        played(options, Protocol::Extension, Greeted::default(), cases, progress);
    reports.sort_by_key(|report| cases.iter().position(|case| case.id == report.id));
    let stale = options.baseline.stale(&reports);
    Report { head, cases: reports, survey, stale, took: began.elapsed() }
}

/// What comes of the cases, and what is known of the program.
fn played(
    options: &Options,
    protocol: Protocol,
    greeted: Greeted,
    cases: &[&Case],
    progress: &mut dyn FnMut(Progress<'_>),
) -> (Vec<CaseReport>, Survey) {
    let mut run = Run::new(options, protocol, Watch::of(cases));
    run.survey.eras = greeted.eras;
    run.opened = greeted.opened;
    run.calls = cases.iter().any(|case| case.needs.contains(&Need::Calls));
    run.wants_life = cases.iter().any(|case| case.check.is_none() && !ends(case));
    match run.contact() {
        Contact::Made => {
            run.contacted = true;
            for (point, cases) in by_point(cases) {
                run.point = point;
                if point.is_some() {
                    run.watch = Mutex::new(Watch::of(&cases));
                }
                run.run_cases(&cases, progress);
                run.end_spare();
                run.decide_checks(&cases, progress);
            }
        }
        Contact::Failed(failed) => {
            run.give_up(cases, &failed, progress);
            run.decide_checks(cases, progress);
        }
        Contact::Flooded(reason) => {
            for case in cases.iter().filter(|case| case.check.is_none()) {
                let report = CaseReport::without_run(case, Verdict::CouldNotRun, reason.clone());
                run.decide(report, progress);
            }
            run.decide_checks(cases, progress);
        }
        Contact::Impossible(verdict, reason) => {
            for case in cases {
                run.decide(CaseReport::without_run(case, verdict, reason.clone()), progress);
            }
        }
    }
    let mut reports = std::mem::take(&mut run.reports);
    // What was seen later may explain what came first.
    for report in reports.iter_mut().filter(|report| report.cause.is_none()) {
        report.cause = run.cause_of(report);
    }
    (reports, run.survey)
}

/// Why a case has no verdict when the run was stopped.
const STOPPED: &str = "the run was stopped before it was done";

/// An extension that takes longer for an answer is slow, as one that starts a program for each line.
const SLOW: Duration = Duration::from_millis(20);
/// One that takes longer for a size of a case is slow with each byte.
const LONG: Duration = Duration::from_millis(300);

/// The order in which cases are played, by their processes.
const IN_ORDER: [Process; 5] =
    [Process::Shared, Process::Own, Process::Beside, Process::Raw, Process::StdinAtEnd];

struct Run<'a> {
    options: &'a Options,
    ack: String,
    /// Looked for once something fails: it is in the program, which may be large.
    language: OnceLock<Option<&'static str>>,
    drawn: Drawn,
    watch: Mutex<Watch>,
    survey: Survey,
    /// It took long for a long line.
    reads_slowly: AtomicBool,
    /// Some of the cases call what it registered.
    calls: bool,
    /// Some of them ask whether it lives.
    wants_life: bool,
    /// First contact is over.
    contacted: bool,
    /// Where on the axes of `--deep` the cases are played now.
    point: Option<&'static Point>,
    reports: Vec<CaseReport>,
    /// A server that was begun with, for first contact.
    opened: Option<Opened>,
    /// Processes of a server that are begun with and at hand.
    spare: Mutex<Vec<(Used, Conversation)>>,
}

impl<'a> Run<'a> {
    fn new(options: &'a Options, protocol: Protocol, watch: Watch) -> Self {
        let drawn = match protocol {
            Protocol::Extension => Drawn::of(options.seed),
            // Servers that keep ids as numbers have a case of their own.
            Protocol::Mcp(_) => Drawn::with_numbers(options.seed),
        };
        Self {
            options,
            ack: ack(options),
            language: OnceLock::new(),
            drawn,
            watch: Mutex::new(watch),
            survey: Survey { protocol, ..Survey::default() },
            reads_slowly: AtomicBool::new(false),
            calls: false,
            wants_life: false,
            contacted: false,
            point: None,
            reports: Vec::new(),
            opened: None,
            spare: Mutex::default(),
        }
    }

    /// The checks, one thread at a time.
    fn watch(&self) -> MutexGuard<'_, Watch> {
        self.watch.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// First contact, unless the tester itself is not up to it.
    fn contact(&mut self) -> Contact {
        let asked = self.options.canary.iter().chain(&[Canary::Tool, Canary::Command]);
        let questions = asked.map(|canary| canary.question("1", &self.drawn.unknown));
        let frames: Vec<_> = questions.chain([self.ack.clone(), SHUTDOWN.to_owned()]).collect();
        let contact = match self.survey.protocol {
            Protocol::Mcp(era) => caught(|| self.greet(era)),
            Protocol::Extension => check_frames(frames.iter().map(String::as_str))
                .and_then(|()| caught(|| first_contact(self))),
        };
        let contact =
            contact.unwrap_or_else(|fault| Contact::Impossible(Verdict::HarnessError, fault));
        if is_stopped() {
            return Contact::Impossible(Verdict::CouldNotRun, STOPPED.to_owned());
        }
        contact
    }

    fn run_cases(&mut self, cases: &[&Case], progress: &mut dyn FnMut(Progress<'_>)) {
        let aside = self.set_aside(cases, progress);
        let now = |case: &&&Case| case.check.is_none() && !case.is_set_aside();
        let mut now: Vec<_> = cases.iter().filter(now).copied().collect();
        let place = |case: &Case| IN_ORDER.iter().position(|process| *process == case.process);
        now.sort_by_key(|case| (case.timing, place(case)));
        if self.keeps_spare() {
            now = spare::in_turn(&now);
        }
        let leads = |case: &Case| cases.iter().any(|one| one.behind.as_deref() == Some(&*case.id));
        let (beside, now): (Vec<_>, _) =
            now.into_iter().partition(|case| case.process == Process::Beside);
        let mut at_once = if beside.is_empty() { 1 } else { self.options.at_once };
        for report in self.play_cases(&beside, 1, progress) {
            at_once = if report.verdict == Verdict::Pass { at_once } else { 1 };
            self.reports.push(report);
        }
        // Those that are the last to fail, as they wait for an end, begin first.
        let (leading, now): (Vec<_>, Vec<_>) = now.into_iter().partition(|case| leads(case));
        let (timing, now): (Vec<_>, Vec<_>) = now.into_iter().partition(|case| case.timing);
        let (behind, now): (Vec<_>, Vec<_>) =
            now.into_iter().partition(|case| case.behind.is_some());
        let first: Vec<_> = leading.into_iter().chain(now).collect();
        for (cases, at_once) in [(first, at_once), (behind, at_once), (timing, 1)] {
            let reports = self.play_cases(&cases, at_once, progress);
            self.reports.extend(reports);
        }
        self.take_up(aside, progress);
    }

    fn run_unless_stopped(&self, shared: &mut Lane<'_, '_>, case: &Case) -> CaseReport {
        if is_stopped() {
            return stopped(case);
        }
        let report = caught(|| self.run_case(shared, case))
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
        let tells = |case: &&&Case| case.check.is_none() || contact::CASES.contains(&&*case.id);
        for case in cases.iter().filter(tells) {
            let report = if contact::CASES.contains(&&*case.id) {
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
        if self.contacted && self.watch().lacks("same-registrations") {
            // No case needed a second start; that it fails is said by those that do.
            if let Ok(conversation) = self.fresh(self.setting()) {
                self.end(conversation, false);
            }
        }
        if let (Protocol::Mcp(era), true) = (self.survey.protocol, self.contacted) {
            self.show(era);
        }
        for case in cases {
            let Some(check) = &case.check else { continue };
            if self.reports.iter().any(|report| report.id == case.id) {
                // First contact failed, and that was told.
                continue;
            }
            let report = match self.obstacle(case) {
                Some((verdict, reason)) => CaseReport::without_run(case, verdict, reason),
                None => self.watch().verdict(case, check),
            };
            let report =
                if is_stopped() && report.failure.is_none() { stopped(case) } else { report };
            self.decide(report, progress);
        }
    }

    fn decide(&mut self, report: CaseReport, progress: &mut dyn FnMut(Progress<'_>)) {
        let report = self.decided(report, progress);
        self.reports.push(report);
    }

    fn cause_of(&self, report: &CaseReport) -> Option<Cause> {
        report.failure.as_ref()?;
        let language = *self.language.get_or_init(|| language_of(&self.options.program));
        cause_of(report, language, self.watch().torn())
    }

    /// A case with all that is told of it, which was told.
    fn decided(
        &self,
        mut report: CaseReport,
        progress: &mut dyn FnMut(Progress<'_>),
    ) -> CaseReport {
        if report.failure.is_some() {
            let again = self.options.again.as_ref();
            report.again = again.map(|again| again.replace("$case", &report.id));
        }
        if report.cause.is_none() {
            report.cause = self.cause_of(&report);
        }
        self.options.baseline.judge(&mut report);
        progress(Progress::Decided(&report));
        report
    }

    fn run_case(&self, shared: &mut Lane<'_, '_>, case: &Case) -> CaseReport {
        let mut values: VecDeque<u64> = case.values.iter().copied().collect();
        if values.is_empty() {
            values.push_back(0);
        }
        let is_sized = case.bisect.is_some();
        if is_sized {
            values.make_contiguous().sort_unstable();
        }
        let mut last_good = None;
        let mut passed = CaseReport::passed(case);
        let mut at_most = None;
        if is_sized && (self.survey.pace > SLOW || self.reads_slowly.load(Ordering::Relaxed)) {
            // One that passes at the largest size is not asked for those below.
            let most = values.pop_back().map(|most| (most, self.try_once(shared, case, most)));
            match most {
                Some((_, Ok(evidence))) => return CaseReport { evidence, ..passed },
                failed => at_most = failed,
            }
        }
        loop {
            let (value, outcome) = if let Some(value) = values.pop_front() {
                let began = Instant::now();
                let outcome = self.try_once(shared, case, value);
                if is_sized && outcome.is_ok() && began.elapsed() > LONG {
                    self.reads_slowly.store(true, Ordering::Relaxed);
                    values.drain(..values.len().saturating_sub(1));
                }
                (value, outcome)
            } else if let Some(at_most) = at_most.take() {
                at_most
            } else {
                return passed;
            };
            match outcome {
                Ok(evidence) => {
                    last_good = Some(value);
                    passed.evidence = evidence;
                }
                Err(Failed::Twice(failure, evidence, line)) => {
                    let mut report = self.failed(case, value, failure, *evidence, line);
                    if report.verdict != Verdict::Flaky {
                        report.boundary = self.bisect(case, last_good, value);
                    }
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
    }

    /// A case that failed alone; flaky where it passes within the retries.
    fn failed(
        &self,
        case: &Case,
        value: u64,
        failure: Failure,
        evidence: Evidence,
        line: usize,
    ) -> CaseReport {
        if let Some(reason) = self.passes_again(case, value) {
            return CaseReport::flaky(case, reason, failure, evidence);
        }
        let place = case.is_own().then(|| format!("{}:{line}", case.file));
        CaseReport { place, ..CaseReport::failed(case, failure, evidence) }
    }

    /// How a case that failed alone passes after all, within the retries.
    fn passes_again(&self, case: &Case, value: u64) -> Option<String> {
        let passed = (1..=self.options.retries).find(|_| self.try_alone(case, value).is_ok())?;
        let times = if passed == 1 { "once".to_owned() } else { format!("{passed} times") };
        Some(format!("it failed {times} in a process of its own, and passed then"))
    }

    /// What came of a case, and the end of its process.
    fn concluded(
        &self,
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

/// Whether a case sees to the end of its process itself.
fn ends(case: &Case) -> bool {
    let ends = |verb: &Verb| matches!(verb, Verb::Exit(_) | Verb::Close(_) | Verb::Signal(_));
    case.process == Process::StdinAtEnd || case.steps.iter().any(|step| ends(&step.verb))
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
