//! Runs cases against a host, several at a time: most of them wait for something.

use std::cell::OnceCell;
use std::collections::VecDeque;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use super::check::{Transcript, verdict_of};
use super::options::HostOptions;
use super::play::Stop;
use super::stage::Stage;
use super::steps::play;
use crate::case::Case;
use crate::case::host::{Script, script_of};
use crate::conversation::Survey;
use crate::report::{CaseReport, Report, Verdict, cause_of};
use crate::run::{Progress, caught, is_out_of_resources, language_of_command};
use crate::target::is_stopped;

/// How many cases are played at the same time.
const AT_ONCE: usize = 8;
/// How much is kept for the checks of what passed in all cases, in bytes.
const KEPT: usize = 64 << 20;
/// Why a case has no verdict when the run was stopped.
const STOPPED: &str = "the run was stopped before it was done";

/// What a player tells.
enum Told<'a> {
    Begins(&'a Case),
    Ends(Box<(CaseReport, Vec<Transcript>)>),
}

/// Runs cases against a host, and reports all of them in the given order.
pub fn run_host(
    options: &HostOptions,
    cases: &[&Case],
    progress: &mut dyn FnMut(Progress<'_>),
) -> Report {
    let began = Instant::now();
    let head = options.head(cases.len());
    progress(Progress::Planned(&head));
    let mut reports = Vec::new();
    let mut seen = Vec::new();
    let mut kept = 0;
    let language = OnceCell::new();
    let mut decide = |mut report: CaseReport, progress: &mut dyn FnMut(Progress<'_>)| {
        if report.failure.is_some() {
            let again = options.again.as_ref();
            report.again = again.map(|again| again.replace("$case", &report.id));
            let language = *language.get_or_init(|| language_of_command(&options.driver));
            report.cause = cause_of(&report, language, false);
        }
        options.baseline.judge(&mut report);
        progress(Progress::Decided(&report));
        reports.push(report);
    };
    let played = cases.iter().filter(|case| case.check.is_none());
    let waiting: Mutex<VecDeque<(&Case, &Script)>> = Mutex::new(in_order(played));
    let (tell, told) = channel();
    thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            let (tell, waiting) = (tell.clone(), &waiting);
            scope.spawn(move || play_all(options, waiting, &tell));
        }
        drop(tell);
        for told in told {
            match told {
                Told::Begins(case) => progress(Progress::Begins(case)),
                Told::Ends(ended) => {
                    let (report, more) = *ended;
                    // A host that writes more than that fails the cases in which it does.
                    kept += more.iter().map(Transcript::bytes).sum::<usize>();
                    if kept <= KEPT {
                        seen.extend(more);
                    }
                    decide(report, progress);
                }
            }
        }
    });
    for case in cases {
        let Some(check) = &case.check else { continue };
        decide(verdict_of(case, check, &seen), progress);
    }
    reports.sort_by_key(|report| cases.iter().position(|case| case.id == report.id));
    let stale = options.baseline.stale(&reports);
    Report { head, cases: reports, survey: Survey::default(), stale, took: began.elapsed() }
}

/// Who is waited for longest goes first, so that the others need not wait for it at the end.
fn in_order<'a>(
    cases: impl Iterator<Item = &'a &'a Case>,
) -> VecDeque<(&'a Case, &'static Script)> {
    let mut cases: Vec<_> = cases.filter_map(|case| Some((*case, script_of(&case.id)?))).collect();
    let longest = |script: &Script| {
        script.steps.iter().map(|step| step.from_ms.max(step.within_ms.unwrap_or(0))).max()
    };
    cases.sort_by_key(|(_, script)| std::cmp::Reverse(longest(script)));
    cases.into()
}

fn play_all<'a>(
    options: &HostOptions,
    waiting: &Mutex<VecDeque<(&'a Case, &Script)>>,
    tell: &Sender<Told<'a>>,
) {
    loop {
        let next = waiting.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        let Some((case, script)) = next else { return };
        // Nobody listens when the one who asked has panicked.
        let _ = tell.send(Told::Begins(case));
        let began = Instant::now();
        let (mut report, seen) = caught(|| play_one(options, case, script)).unwrap_or_else(|why| {
            (CaseReport::without_run(case, Verdict::HarnessError, why), Vec::new())
        });
        if is_stopped() && report.verdict != Verdict::Pass {
            let why = STOPPED.to_owned();
            report = CaseReport::without_run(case, Verdict::CouldNotRun, why);
        }
        report.took = began.elapsed();
        let _ = tell.send(Told::Ends(Box::new((report, seen))));
    }
}

fn play_one(options: &HostOptions, case: &Case, script: &Script) -> (CaseReport, Vec<Transcript>) {
    if is_stopped() {
        let why = STOPPED.to_owned();
        return (CaseReport::without_run(case, Verdict::CouldNotRun, why), Vec::new());
    }
    if options.by_command && script.is_operated() {
        let why = "a client without a driver is asked nothing; --driver has one";
        let report = CaseReport::without_run(case, Verdict::NotApplicable, why.to_owned());
        return (report, Vec::new());
    }
    let mut stage = match Stage::set(options, script) {
        Ok(stage) => stage,
        Err(error) => {
            let (verdict, what, remedy) = if is_out_of_resources(&error) {
                let remedy = "end other programs, or raise the limits of this shell";
                (Verdict::HarnessError, "the tester could not start a process", remedy)
            } else {
                let remedy = "check the command behind --driver";
                (Verdict::CouldNotRun, "the driver could not be started", remedy)
            };
            let program = options.driver.first().map(|program| program.to_string_lossy());
            let why = format!("{what}: {}: {error}; {remedy}", program.unwrap_or_default());
            return (CaseReport::without_run(case, verdict, why), Vec::new());
        }
    };
    let outcome = play(&mut stage, script, options.soft);
    let evidence = stage.log.evidence(&stage.driver.stderr());
    let seen = stage.puppets.iter().flat_map(|puppet| Transcript::of(case, puppet)).collect();
    let report = match outcome {
        Ok(()) => CaseReport {
            evidence: options.keeps_passes.then_some(evidence),
            ..CaseReport::passed(case)
        },
        Err(Stop::Failed(failure)) => CaseReport::failed(case, failure, evidence),
        Err(Stop::Unsupported(why)) => CaseReport::without_run(case, Verdict::NotApplicable, why),
        Err(Stop::Impossible(why)) => CaseReport::without_run(case, Verdict::CouldNotRun, why),
    };
    // Its puppets end when they are let go; then nothing keeps the host.
    stage.puppets.clear();
    stage.driver.end();
    (report, seen)
}
