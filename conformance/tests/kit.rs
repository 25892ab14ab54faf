//! The kits: each passes all cases of the kit level, without exceptions; one that lacks something
//! is told what.
#![cfg(unix)]

mod support;

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use extline_conformance::{
    Binds, Case, CaseReport, Grade, Need, Options, Report, Verdict, builtin, parse_own, run,
};
use extline_host::{ExtensionSource, Program};
use support::python;

/// Enough that a subject left out by mistake is noticed.
const AT_LEAST: usize = 110;

#[test]
fn the_rust_kit_passes_every_case() {
    let report = tested(&ExtensionSource::command(built(), [""; 0]), |_| true);
    assert_conformant(&report);
    let passed = passed_for_kits(&report);
    assert!(passed >= AT_LEAST, "{passed} cases for kits passed");
}

/// No cancel is lost, and it ends in time whatever its host does not read.
#[test]
fn the_rust_kit_holds_against_hostile_hosts() {
    for host in ["cancels", "ends"] {
        let output = Command::new(target().join("debug/examples").join(host)).arg(built()).output();
        let output = output.unwrap();
        let told = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{told}{}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn the_kit_written_by_hand_passes_every_case_that_binds_it() {
    let report = tested(&python_kit(&[]), |_| true);
    assert_conformant(&report);
    // The others are for SDKs.
    let passed = passed_for_kits(&report);
    assert!((50..AT_LEAST).contains(&passed), "{passed} cases for kits passed");
}

#[test]
fn a_kit_that_lacks_a_tool_is_told_which() {
    let without = "import registrations; registrations.TOOLS[:] = \
                   [one for one in registrations.TOOLS if one[0] not in ('hold', 'half')]; \
                   registrations.COMMANDS[0] = ('echo', 'is another', None); \
                   import kit; kit.Kit().run()";
    let report = tested(&python_kit(&["-c", without]), |case| case.id == "K-SRF-01");
    let failure = report.cases[0].failure.as_ref().expect("it fails");
    assert_eq!(
        failure.got,
        "/commands/echo/description: expected \"shows its arguments\", got \"is another\"; \
         /commands/echo/usage: missing, expected \"TEXT\"; \
         /tools/half: missing; /tools/hold: missing"
    );
    assert_eq!(report.exit_code(), 1);
}

#[test]
fn a_kit_may_show_life_while_it_sets_up() {
    let slowly = "import kit\n\
                  class Slow(kit.Kit):\n \
                  def register(self):\n  \
                  for _ in range(2): self.emit({'type': 'subscribe'})\n  \
                  super().register()\n\
                  Slow().run()";
    let report = tested(&python_kit(&["-c", slowly]), |case| case.id == "K-SRF-01");
    let case = &report.cases[0];
    assert_eq!(case.verdict, Verdict::Pass, "{:?}", case.failure);
}

#[test]
fn what_is_no_kit_is_not_taken_for_one_that_passed() {
    let puppet = Path::new(env!("CARGO_MANIFEST_DIR")).join("mutants/puppet.py");
    let report = tested(&ExtensionSource::command(python(), ["-S".as_ref(), &*puppet]), |case| {
        case.id == "K-RES-05"
    });
    assert_eq!(report.cases[0].verdict, Verdict::CouldNotRun, "{:?}", report.cases[0]);
    let reason = report.cases[0].reason.as_deref().unwrap_or_default();
    assert!(reason.contains("it is no kit: its hello names \"puppet\""), "{reason}");
    assert_eq!(report.exit_code(), 2);
}

#[test]
fn what_fuzzing_found_is_found_no_more() {
    let files = fs::read_dir(folder("found")).unwrap().map(|file| file.unwrap().path());
    let cases = files.flat_map(|file| {
        let text = fs::read_to_string(&file).unwrap();
        parse_own(&file.to_string_lossy(), &text).unwrap_or_else(|error| panic!("{error}"))
    });
    let cases: Vec<Case> = cases.collect();
    assert!(!cases.is_empty());
    let cases: Vec<&Case> = cases.iter().collect();
    for source in [python_kit(&[]), ExtensionSource::command(built(), [""; 0])] {
        let report = run(&options(&source), &cases, &mut |_| {});
        let bad = report.cases.iter().filter(|case| case.verdict != Verdict::Pass);
        assert_eq!(bad.count(), 0, "{:#?}", report.cases);
    }
}

fn tested(source: &ExtensionSource, wanted: impl Fn(&Case) -> bool) -> Report {
    let cases: Vec<&Case> = builtin().values().filter(|case| !case.deep && wanted(case)).collect();
    run(&options(source), &cases, &mut |_| {})
}

fn options(source: &ExtensionSource) -> Options {
    let program =
        Program::of(source, &folder("kit/python")).unwrap_or_else(|problem| panic!("{problem}"));
    let (binds, kit, calls) = (Binds::Sdk, true, true);
    Options { binds, kit, calls, ..Options::of(program) }
}

#[track_caller]
fn assert_conformant(report: &Report) {
    let is_good =
        |case: &&CaseReport| !matches!(case.verdict, Verdict::Pass | Verdict::NotApplicable);
    let bad: Vec<_> = report
        .cases
        .iter()
        .filter(is_good)
        .map(|case| format!("{} {:?} {:?} {:?}", case.id, case.verdict, case.reason, case.failure))
        .collect();
    assert!(bad.is_empty(), "{bad:#?}");
    assert_eq!(report.exit_code(), 0);
    assert_eq!(report.grade(), Ok(Grade::Solid));
}

fn passed_for_kits(report: &Report) -> usize {
    let for_kits = |id: &str| builtin()[id].needs.contains(&Need::Kit);
    let passed = report.cases.iter().filter(|case| case.verdict == Verdict::Pass);
    passed.filter(|case| for_kits(&case.id)).count()
}

/// The kit in Python, started in its folder.
fn python_kit(words: &[&str]) -> ExtensionSource {
    let words: &[&str] = if words.is_empty() { &["kit.py"] } else { words };
    ExtensionSource::command(python(), ["-S"].into_iter().chain(words.iter().copied()))
}

/// The Rust kit, built where this test's programs are.
fn built() -> PathBuf {
    let target = target();
    // By scripts/test.py, with everything else, if not here.
    if env::var_os("EXTLINE_BUILT").is_none() {
        let status = Command::new(env!("CARGO"))
            .args(["build", "--quiet", "--locked", "-p", "extline-kit", "--target-dir"])
            .arg(&target)
            .current_dir(folder(".."))
            .status();
        assert!(status.unwrap().success(), "the Rust kit can be built");
    }
    target.join("debug/extline-kit")
}

/// Where this test's programs are, and the examples of this crate, which cargo builds with its tests.
fn target() -> PathBuf {
    // target/debug/deps/kit-0123
    let test = env::current_exe().unwrap();
    test.ancestors().nth(3).unwrap().to_owned()
}

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}
