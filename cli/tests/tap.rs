//! `extline tap`, between hosts and extensions: nothing changes on its way, and what is wrong is
//! told.

#![cfg(unix)]

mod support;

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use support::{Extline, outcome, repository, signal};

const KIT: &str = "conformance/kit/python/kit.py";

/// The words of a program that taps another.
fn tapped<'a>(options: &[&'a str], program: &[&'a str]) -> Vec<&'a str> {
    [&["--", env!("CARGO_BIN_EXE_extline"), "tap"], options, &["--"], program].concat()
}

#[test]
fn a_host_sees_no_difference_and_the_trace_is_whole() {
    let extline = Extline::new();
    let trace = extline.home().join("t.ndjson");
    let options = ["--trace", trace.to_str().unwrap()];
    let clock = ["sh", "examples/clock-shell/clock.sh"];
    let call = ["call", "clock_now", r#"{"utc":true}"#];
    let called = extline.run(&[&call[..], &tapped(&options, &clock)].concat());
    called.assert_code(0);
    assert!(called.stdout.trim().ends_with("UTC") || called.stdout.contains('Z'), "{called:?}");

    let checked = extline.run(&["conformance", "check", options[1]]);
    checked.assert_code(0);
    let text = fs::read_to_string(&trace).unwrap();
    for part in [
        r#""event":"trace","format":1,"host":"extline-tap "#,
        "tool_call",
        r#""event":"exit","code":0"#,
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert_eq!(fs::metadata(&trace).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn the_tester_finds_in_a_tapped_extension_what_it_finds_in_itself() {
    let groups = ["E-FRM", "E-BPR", "E-LIF", "E-TOL"];
    let only = groups.iter().flat_map(|group| ["--only", *group]);
    let words: Vec<_> = ["conformance", "--json"].into_iter().chain(only).collect();
    let verdicts = |program: &[&str]| {
        let outcome = Extline::new().run(&[&words[..], program].concat());
        let cases = outcome.json_lines();
        let cases = cases.iter().filter(|line| line["kind"] == "case");
        let text =
            |case: &serde_json::Value, member: &str| case[member].as_str().map(str::to_owned);
        cases.map(|case| (text(case, "id"), text(case, "verdict"))).collect::<BTreeMap<_, _>>()
    };
    let kit = ["python3", KIT];
    let itself = verdicts(&[&["--"], &kit[..]].concat());
    assert!(itself.len() > 40, "{itself:?}");
    assert_eq!(verdicts(&tapped(&[], &kit)), itself);
}

#[test]
fn every_byte_passes_whatever_it_is() {
    let extline = Extline::new();
    let mut tap = extline.command(&["tap", "--", "cat"]).stdin(Stdio::piped()).spawn().unwrap();
    let mut bytes: Vec<u8> = (0..=255_u8).cycle().take(3_000_000).collect();
    bytes.extend_from_slice(b"\xff\xfe no line end");
    let mut stdin = tap.stdin.take().unwrap();
    let sent = bytes.clone();
    let writer = std::thread::spawn(move || stdin.write_all(&sent));
    let done = tap.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    assert!(done.stdout == bytes, "{} of {} bytes", done.stdout.len(), bytes.len());
    assert_eq!(done.status.code(), Some(0));
}

#[test]
fn what_is_broken_is_told_while_it_happens() {
    let script = r#"
echo '{"type":"hello","name":"x","version":"1","capabilities":[]}'
read ack; echo '{"type":"ready"}'; echo 'no frame'
read call; echo '{"type":"tool_result","id":"1","content":"text"}'
read end; exit 7"#;
    let extline = Extline::new();
    let mut tap =
        extline.command(&["tap", "--", "sh", "-c", script]).stdin(Stdio::piped()).spawn().unwrap();
    let mut stderr = BufReader::new(tap.stderr.take().unwrap()).lines();
    let mut told = |what: &str| {
        let line = stderr.find(|line| line.as_ref().is_ok_and(|line| line.contains(what)));
        assert!(line.is_some(), "{what} was not told");
    };
    let mut stdin = tap.stdin.take().unwrap();
    writeln!(stdin, r#"{{"type":"hello_ack","protocol_version":1}}"#).unwrap();
    told("extline tap: FAIL E-OUT-01  stdout holds frames and nothing else  [MUST io.stdout-pure]");
    told("got    stdout: no JSON");
    writeln!(stdin, r#"{{"type":"tool_call","id":"1","name":"t","args":{{}}}}"#).unwrap();
    told("FAIL E-TOL-04");
    drop(stdin);
    told("4 lines looked at: ");
    assert_eq!(tap.wait().unwrap().code(), Some(7), "it ends as the extension does");
}

#[test]
fn signals_and_closed_pipes_reach_the_other_side() {
    let extline = Extline::new();
    // A signal for the tap alone is passed on.
    let deaf =
        extline.command(&["tap", "--", "sleep", "60"]).stdin(Stdio::piped()).spawn().unwrap();
    wait_for_child(deaf.id());
    signal(&deaf, "TERM");
    outcome(deaf).assert_code(143);

    // An extension that closes its stdout and lives on: the host sees the end of it.
    let closes = ["tap", "--", "sh", "-c", "exec >&-; read line; exit 3"];
    let mut tap = extline.command(&closes).stdin(Stdio::piped()).spawn().unwrap();
    let mut rest = String::new();
    let mut stdout = tap.stdout.take().unwrap();
    std::io::Read::read_to_string(&mut stdout, &mut rest).unwrap();
    assert_eq!(tap.try_wait().unwrap(), None, "it lives while the extension does");
    drop(tap.stdin.take());
    assert_eq!(tap.wait().unwrap().code(), Some(3));

    // A host that is gone: the extension's next write fails, as it would without the tap.
    let writes =
        ["tap", "--", "sh", "-c", "trap '' PIPE; while echo x; do sleep 0.05; done; exit 5"];
    let mut tap = extline.command(&writes).stdin(Stdio::piped()).spawn().unwrap();
    drop(tap.stdout.take());
    assert_eq!(tap.wait().unwrap().code(), Some(5));
}

#[test]
fn what_cannot_be_started_or_written_is_told() {
    let extline = Extline::new();
    let missing = extline.run(&["tap", "--", "/no/such/program"]);
    missing.assert_code(3);
    missing.assert_says(&["/no/such/program"]);
    let nowhere = extline.run(&["tap", "--trace", "/no/such/folder/t", "--", "true"]);
    nowhere.assert_code(3);
    nowhere.assert_says(&["the trace /no/such/folder/t cannot be written: "]);
    let mut full = extline.command(&["tap", "--trace", "/dev/full", "--", "cat"]);
    let mut full = full.stdin(Stdio::piped()).spawn().unwrap();
    full.stdin.take().unwrap().write_all(b"passes\n").unwrap();
    let full = outcome(full);
    full.assert_code(0);
    assert_eq!(full.stdout, "passes\n", "a trace that ends ends nothing else");
    full.assert_says(&["the trace /dev/full ends here: No space left"]);
}

/// Until the process has one.
fn wait_for_child(process: u32) {
    let until = Instant::now() + Duration::from_secs(30);
    let has_child = || {
        let found = Command::new("pgrep").args(["-P", &process.to_string()]).output().unwrap();
        !found.stdout.is_empty()
    };
    while !has_child() {
        assert!(Instant::now() < until, "no child");
        std::thread::sleep(Duration::from_millis(10));
    }
    let _ = repository();
}
