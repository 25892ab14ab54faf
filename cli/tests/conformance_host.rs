//! `extline conformance host`: our own host passes, a zot's deviations are its baseline, the tester
//! of hosts is tested with a host in Python that shares nothing with ours.
#![cfg(unix)]

mod support;

use std::ffi::OsString;
use std::fs;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use extline_conformance::{Kill, Selftest, client_selftest, host_selftest};
use support::{Extline, outcome, runs, signal, wait_for_lines, wait_until_gone};

fn extline() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_extline"));
    command.args(["conformance", "host"]);
    command
}

fn text(output: &Output) -> String {
    let (out, err) = (&output.stdout, &output.stderr);
    format!("{}\n{}", String::from_utf8_lossy(out), String::from_utf8_lossy(err))
}

#[test]
fn our_own_host_keeps_every_rule() {
    let output = extline().output().unwrap();
    assert!(output.status.success(), "{}", text(&output));
    let said = text(&output);
    assert!(said.contains("conformant: ") && said.contains("grade Solid"), "{said}");
}

#[test]
fn the_host_in_python_passes_and_every_case_fails_one_that_is_broken() {
    let puppet = [env!("CARGO_BIN_EXE_extline"), "conformance", "puppet"].map(OsString::from);
    holds(&host_selftest(&puppet, &|_, _| {}).unwrap_or_else(|error| panic!("{error}")));
}

#[test]
fn the_client_of_mcp_in_python_passes_and_every_case_fails_one_that_is_broken() {
    let puppet = [env!("CARGO_BIN_EXE_extline"), "conformance", "puppet"].map(OsString::from);
    holds(&client_selftest(&puppet, &|_, _| {}).unwrap_or_else(|error| panic!("{error}")));
}

#[track_caller]
fn holds(outcome: &Selftest) {
    let unsound = outcome.unsound.iter().map(|case| (&case.id, &case.verdict, &case.failure));
    let unsound: Vec<_> = unsound.collect();
    assert!(unsound.is_empty(), "what is not broken does not pass {unsound:#?}");
    let alive: Vec<&Kill> = outcome.kills.iter().filter(|kill| !kill.is_caught()).collect();
    assert!(alive.is_empty(), "mutants that are not caught: {alive:#?}");
    assert_eq!(outcome.untested, [""; 0], "cases that no mutant fails");
}

#[test]
fn a_zot_s_deviations_are_those_of_its_baseline_and_no_others() {
    for profile in ["zot-0.1.62", "zot-37c7945"] {
        let file = format!("../conformance/baselines/host-{profile}.toml");
        let output = extline().args(["--profile", profile, "--baseline", &file]).output().unwrap();
        let said = text(&output);
        assert!(output.status.success(), "{said}");
        assert!(!said.contains("is stale"), "{said}");
    }
}

#[test]
fn a_driver_that_cannot_be_started_is_named() {
    let output = extline().args(["--only", "H-TOL-01", "--driver", "/no/such"]).output().unwrap();
    assert_eq!(output.status.code(), Some(3), "as with the program of an extension");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.starts_with("error: --driver: there is no program /no/such: check "), "{said}");
    let folder = tempfile::tempdir().unwrap();
    let driver = folder.path().join("driver");
    std::fs::write(&driver, "#!/bin/sh\n").unwrap();
    let output = extline().args(["--only", "H-TOL-01", "--driver"]).arg(&driver).output().unwrap();
    assert_eq!(output.status.code(), Some(3));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("/driver is not executable: check "), "{said}");
}

/// Sends what Ctrl-C sends, and waits for the end.
fn stopped(run: Child) -> support::Outcome {
    signal(&run, "INT");
    let outcome = outcome(run);
    outcome.assert_code(130);
    outcome
}

#[test]
fn ctrl_c_ends_the_run_with_its_hosts_and_their_extensions() {
    let extline = Extline::new();
    let file = extline.home().join("pids");
    let temporary = extline.home().join("temporary");
    fs::create_dir(&temporary).unwrap();
    let driver = format!(
        "echo $$ >>'{}'; exec '{}' conformance host-driver --profile spec",
        file.display(),
        env!("CARGO_BIN_EXE_extline"),
    );
    // One of its two extensions never says hello, and is waited for.
    let args = ["conformance", "host", "--only", "H-HSK-02", "--driver", "sh", "-c", &driver];
    let run = extline.command(&args).env("TMPDIR", &temporary).spawn().unwrap();
    let mut pids = wait_for_lines(&file, 1);
    pids.extend(children(&pids[0], 2));
    assert!(pids.iter().filter(|pid| runs(pid)).count() > 1, "{pids:?}");
    let outcome = stopped(run);
    for pid in &pids {
        wait_until_gone(pid);
    }
    let said = "1 case could not run: the run was stopped before it was done";
    assert!(outcome.stdout.contains(said), "{outcome:#?}");
    assert!(outcome.stdout.contains("incomplete: "), "{outcome:#?}");
    assert_eq!(fs::read_dir(&temporary).unwrap().count(), 0, "its folders are gone");
}

#[test]
fn ctrl_c_ends_fuzzing_and_tells_what_was_played() {
    let extline = Extline::new();
    let file = extline.home().join("pids");
    let kit =
        format!("echo $$ >>'{}'; exec python3 -S conformance/kit/python/kit.py", file.display());
    let args = ["conformance", "fuzz", "--time", "3600", "--seed", "1", "--", "sh", "-c", &kit];
    let run = extline.command(&args).spawn().unwrap();
    // The first process shows whether there is anything to play with.
    wait_for_lines(&file, 3);
    let outcome = stopped(run);
    for pid in wait_for_lines(&file, 3) {
        wait_until_gone(&pid);
    }
    outcome.assert_says(&["stopped before its time was over"]);
    assert!(outcome.stdout.contains("nothing broken: "), "{outcome:#?}");
}

/// The processes that one has started, once there are so many.
fn children(parent: &str, count: usize) -> Vec<String> {
    let began = Instant::now();
    loop {
        let mut list = Command::new("ps");
        let output = list.args(["-A", "-o", "ppid=,pid="]).stderr(Stdio::null()).output().unwrap();
        let lines = String::from_utf8_lossy(&output.stdout).into_owned();
        let pairs = lines.lines().filter_map(|line| line.trim().split_once(char::is_whitespace));
        let found: Vec<_> =
            pairs.filter(|(of, _)| *of == parent).map(|(_, pid)| pid.trim().to_owned()).collect();
        if found.len() >= count {
            return found;
        }
        assert!(began.elapsed() < Duration::from_secs(60), "{parent} has started {found:?}");
        std::thread::sleep(Duration::from_millis(20));
    }
}
