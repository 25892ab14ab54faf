//! Sessions that a seed draws: a broken extension is found, what it breaks is made small, and the
//! file of it fails again there and passes elsewhere.
#![cfg(unix)]

mod support;

use std::time::Duration;

use extline_conformance::{
    Binds, Case, Finding, Fuzz, FuzzProgress, Fuzzed, Options, Verb, Verdict, fuzz, parse_own, run,
};
use extline_host::Program;

use self::support::{program, python};

const SEED: u32 = 1;

fn puppet(mutant: Option<&str>) -> Program {
    let python = python();
    let mut words = vec!["-S", "mutants/puppet.py"];
    words.extend(mutant);
    program(&python, &words)
}

fn options(mutant: Option<&str>) -> Options {
    Options { seed: SEED, ..Options::of(puppet(mutant)) }
}

/// So many sessions, until something is found.
fn plan(sessions: u32) -> Fuzz {
    let time = Duration::from_secs(3600);
    Fuzz { time, steps: 20, sessions: Some(sessions), first: 1, findings: 1, mcp: false }
}

#[track_caller]
fn found(mutant: &str, plan: Fuzz) -> Finding {
    let Fuzzed { mut findings, obstacle, .. } = fuzz(&options(Some(mutant)), plan, &mut |_| {});
    assert_eq!(findings.len(), 1, "{mutant}: {obstacle:?}");
    let finding = findings.remove(0);
    assert_eq!(finding.report.verdict, Verdict::Fail, "{mutant}: {finding:#?}");
    assert_eq!(finding.repeats, (3, 3), "{mutant}: {finding:#?}");
    finding
}

/// What comes of the file of a finding.
fn verdicts(finding: &Finding, mutant: Option<&str>) -> Vec<Verdict> {
    let cases = parse_own(&finding.name, &finding.file).unwrap();
    let cases: Vec<&Case> = cases.iter().collect();
    let report = run(&options(mutant), &cases, &mut |_| {});
    report.cases.iter().map(|case| case.verdict).collect()
}

/// The steps of a finding that write something, `shutdown` left out.
fn writes(finding: &Finding) -> Vec<Verb> {
    let cases = parse_own(&finding.name, &finding.file).unwrap();
    let writes = |verb: &Verb| match verb {
        Verb::Line(text) | Verb::Raw(text) => !text.template.contains("shutdown"),
        Verb::Hex(_) | Verb::Burst(_) => true,
        _ => false,
    };
    cases[0].steps.iter().map(|step| step.verb.clone()).filter(writes).collect()
}

#[test]
fn a_line_that_ends_the_process_is_found_and_stands_alone_in_the_file() {
    let finding = found("json-dies", plan(10));
    assert_eq!(finding.moves.1, 1, "{finding:#?}");
    assert_eq!(writes(&finding).len(), 1, "{}", finding.file);
    assert_eq!(verdicts(&finding, Some("json-dies")), [Verdict::Fail]);
    assert_eq!(verdicts(&finding, None), [Verdict::Pass]);
}

#[test]
fn what_takes_two_moves_keeps_two() {
    // It dies of a session that starts when it knows of an event already.
    let finding = found("order-dies", plan(40));
    assert_eq!(finding.moves.1, 2, "{finding:#?}");
    assert_eq!(finding.kinds, ["event"], "{finding:#?}");
    assert_eq!(verdicts(&finding, Some("order-dies")), [Verdict::Fail]);
    assert_eq!(verdicts(&finding, None), [Verdict::Pass]);
}

#[test]
fn a_check_that_fails_stands_in_the_file_behind_the_session() {
    let finding = found("answers-twice", plan(3));
    assert!(finding.report.id.ends_with("-one-reply"), "{finding:#?}");
    assert_eq!(verdicts(&finding, Some("answers-twice")), [Verdict::Pass, Verdict::Fail]);
    assert_eq!(verdicts(&finding, None), [Verdict::Pass, Verdict::Pass]);
}

#[test]
fn what_a_kit_draws_and_asks_for_is_known() {
    for (mutant, moves, kinds) in [
        // It writes the footer of its panel only when that changes.
        ("footer-once", 2, &["panel opened", "panel "][..]),
        // It takes the answer to another question for the one that it waits for.
        ("any-answer", 3, &["call of ask", "tool_result", "answer to ask"]),
    ] {
        let options = kit(Some(mutant));
        let plan = Fuzz { steps: 60, ..plan(60) };
        let Fuzzed { findings, obstacle, .. } = fuzz(&options, plan, &mut |_| {});
        let [finding] = &findings[..] else { panic!("{mutant}: {obstacle:?}") };
        assert_eq!(finding.moves.1, moves, "{mutant}: {}", finding.file);
        let told = finding.kinds.iter().zip(kinds);
        let told: Vec<_> = told.filter(|(kind, begin)| kind.starts_with(**begin)).collect();
        assert_eq!(told.len(), moves, "{mutant}: {:?}", finding.kinds);
        let cases = parse_own(&finding.name, &finding.file).unwrap();
        let cases: Vec<&Case> = cases.iter().collect();
        let again = |mutant| run(&kit(mutant), &cases, &mut |_| {}).exit_code();
        assert_eq!((again(Some(mutant)), again(None)), (1, 0), "{mutant}: {}", finding.file);
    }
}

/// The kit in Python that is broken so.
fn kit(mutant: Option<&str>) -> Options {
    let broken = mutant.map(|mutant| format!("kit_mutant.MUTANTS['{mutant}'](); "));
    let broken = broken.unwrap_or_default();
    let script = format!("import kit_mutant; {broken}kit_mutant.Kit().run()");
    let python = python();
    let program =
        support::sh(&format!("PYTHONPATH=kit/python:mutants exec {python} -S -c \"{script}\""));
    let (binds, kit, calls) = (Binds::Sdk, true, true);
    Options { seed: SEED, binds, kit, calls, ..Options::of(program) }
}

#[test]
fn a_healthy_extension_breaks_nothing() {
    let mut sessions = Vec::new();
    let plan = Fuzz { steps: 40, first: 3, ..plan(8) };
    let fuzzed = fuzz(&options(None), plan, &mut |progress| {
        if let FuzzProgress::Session { number, .. } = progress {
            sessions.push(number);
        }
    });
    assert!(fuzzed.findings.is_empty(), "{:#?}", fuzzed.findings);
    assert_eq!((fuzzed.exit_code(), fuzzed.sessions), (0, 8), "{:?}", fuzzed.obstacle);
    assert_eq!(sessions, [3, 4, 5, 6, 7, 8, 9, 10]);
    assert!(fuzzed.sent > 300 && fuzzed.received > 300, "{fuzzed:?}");
}

#[test]
fn what_cannot_be_played_is_not_taken_for_healthy() {
    let silent = support::sh("sleep 60 & exit 0");
    let fuzzed = fuzz(&Options { seed: SEED, ..Options::of(silent) }, plan(3), &mut |_| {});
    assert_eq!((fuzzed.exit_code(), fuzzed.sessions), (2, 0));
    let (verdict, reason) = fuzzed.obstacle.unwrap();
    assert_eq!(verdict, Verdict::CouldNotRun);
    assert!(reason.starts_with("first contact failed: expected hello"), "{reason}");
}
