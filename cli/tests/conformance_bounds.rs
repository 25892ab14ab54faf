//! What the tester keeps of an extension is bounded, whatever that writes, and nothing of it is left
//! behind, however either ends.

#![cfg(target_os = "linux")]

mod support;

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use support::{Extline, Outcome, outcome, repository, signal, wait_until_gone};

/// The most memory that a tester may have used, in KiB.
const MOST: u64 = 256 * 1024;
const FLOOD: &str = "cli/tests/conformance_bounds/flood.py";
const STUBBORN: &str = "cli/tests/conformance_bounds/stubborn.py";

/// Runs the tester, and tells how much memory it used at most, in KiB.
fn measured(words: &[&str]) -> (Outcome, u64) {
    let extline = Extline::new();
    let child = extline.command(&[&["conformance"], words].concat()).spawn().unwrap();
    let status = format!("/proc/{}/status", child.id());
    let watched = thread::spawn(move || {
        let mut most = 0;
        // The highest use so far; it is gone with the process.
        while let Ok(status) = fs::read_to_string(&status) {
            let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
            let peak = peak.and_then(|text| text.trim().strip_suffix(" kB")?.parse().ok());
            let Some(peak) = peak else { break };
            most = most.max(peak);
            thread::sleep(Duration::from_millis(2));
        }
        most
    });
    let outcome = outcome(child);
    (outcome, watched.join().unwrap())
}

#[test]
fn a_flood_of_stdout_ends_a_run_with_its_name_and_in_little_memory() {
    for what in ["junk", "frames", "one line", "objects", "tools"] {
        let began = Instant::now();
        let (outcome, most) = measured(&["--only", "E-*", "--", "python3", "-S", FLOOD, what]);
        assert!(most > 0 && most < MOST, "{what}: {most} KiB");
        outcome.assert_code(1);
        assert!(
            outcome.stdout.contains("FAIL E-OUT-11  it does not flood its stdout"),
            "{what}: {outcome:?}"
        );
        assert!(outcome.stdout.contains("it floods its stdout: "), "{what}: {outcome:?}");
        assert!(outcome.stdout.contains("a loop writes without waiting"), "{what}: {outcome:?}");
        // It took minutes, and more memory with each.
        assert!(began.elapsed() < Duration::from_secs(60), "{what}: {:?}", began.elapsed());
    }
}

#[test]
fn a_flood_of_stderr_changes_no_verdict_and_takes_little_memory() {
    let cases = ["--only", "E-FRM-0*", "--only", "E-TOL"];
    let (outcome, most) =
        measured(&[&cases[..], &["--", "python3", "-S", FLOOD, "stderr"]].concat());
    assert!(most > 0 && most < MOST, "{most} KiB");
    outcome.assert_code(0);
    let (outcome, _) = measured(&[&cases[..], &["--", "python3", "-S", FLOOD, "nothing"]].concat());
    outcome.assert_code(0);
}

#[test]
fn the_tester_lives_where_memory_is_short() {
    let limited = |words: &[&str]| {
        let mut shell = Command::new("sh");
        // The limit is for the address space, which is more than what is used.
        shell.args(["-c", "ulimit -v 1048576; exec \"$@\"", "sh", env!("CARGO_BIN_EXE_extline")]);
        shell.arg("conformance").args(words).current_dir(repository());
        shell.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        outcome(shell.spawn().unwrap())
    };
    for what in ["junk", "one line", "objects", "stderr"] {
        let outcome = limited(&["--only", "E-OUT", "--", "python3", "-S", FLOOD, what]);
        assert!([0, 1].contains(&outcome.code), "{what}: {outcome:?}");
        assert!(outcome.stdout.contains("conformant: "), "{what}: {outcome:?}");
    }
}

/// The numbers of the processes that an extension has written down.
fn ids(file: &Path) -> Vec<String> {
    let text = fs::read_to_string(file).unwrap_or_default();
    text.split_whitespace().map(str::to_owned).collect()
}

/// Waits until a tester has started the extension.
fn started(tester: &mut Child, file: &Path) -> Vec<String> {
    let latest = Instant::now() + Duration::from_secs(60);
    loop {
        let ids = ids(file);
        if ids.len() >= 2 {
            return ids;
        }
        assert!(tester.try_wait().unwrap().is_none() && Instant::now() < latest, "it never began");
        thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_tester_that_is_killed_leaves_nothing_running() {
    let extline = Extline::new();
    let file = extline.home().join("ids");
    let words =
        ["conformance", "--only", "E-LIF", "--", "python3", STUBBORN, file.to_str().unwrap()];
    let mut tester = extline.command(&words).spawn().unwrap();
    started(&mut tester, &file);
    signal(&tester, "KILL");
    tester.wait().unwrap();
    for id in ids(&file) {
        wait_until_gone(&id);
    }
}

#[test]
fn what_an_extension_left_behind_is_told_and_ended() {
    let extline = Extline::new();
    let file = extline.home().join("ids");
    let words = ["conformance", "--only", "E-LIF-12", "--only", "E-LIF-02", "--"];
    let program = ["python3", STUBBORN, file.to_str().unwrap(), "obeys"];
    let outcome = extline.run(&[&words[..], &program].concat());
    outcome.assert_code(1);
    assert!(outcome.stdout.contains("FAIL E-LIF-12"), "{outcome:?}");
    let ids = ids(&file);
    assert!(ids.len() >= 4, "{ids:?}");
    for id in ids {
        wait_until_gone(&id);
    }
}

#[test]
fn a_trace_that_unfolds_to_more_than_memory_is_refused() {
    let extline = Extline::new();
    let file = extline.home().join("t.ndjson");
    let record = |parts: &str| format!("{{\"t_us\":1,\"dir\":\"e>h\",\"line_parts\":[{parts}]}}\n");
    for (text, why) in [
        (record("[\"x\",99999999999]"), "t.ndjson:1: /line_parts: 99999999999 bytes; at most"),
        (record("[\"x\",8000000]").repeat(20), "t.ndjson: more than 64 MiB are not looked at"),
    ] {
        fs::write(&file, text).unwrap();
        for words in [&["conformance", "check"][..], &["mock"]] {
            let outcome = extline.run(&[words, &[file.to_str().unwrap()]].concat());
            assert!(outcome.code != 0 && outcome.stderr.contains(why), "{words:?}: {outcome:?}");
        }
    }
}
