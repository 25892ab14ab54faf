//! Handlers that keep the serving thread: what goes on all the same.

use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::host::{ACK, HELLO, Host, call, probe, sigterm};

const CANCELLED: &str = concat!(
    r#"{"type":"tool_result","id":"1","content":[{"type":"text","text":"cancelled"}],"#,
    r#""is_error":true,"error":{"kind":"cancelled","message":"cancelled"}}"#
);
const ACKNOWLEDGED: &str = r#"{"type":"shutdown_ack"}"#;
const DEAF: &str = "extline: ended 1.5s after shutdown; tool deaf would not stop\n";

/// A probe that keeps its thread for a minute.
fn deaf() -> Host {
    let mut host = Host::probe();
    host.call("1", "deaf", r#"{"amount":60000}"#);
    // A tool that nobody offers is answered without the thread.
    host.call("canary", "no such tool", "{}");
    assert_eq!(host.frame()["id"], "canary");
    host
}

#[test]
fn a_cancel_reaches_a_handler_that_computes_and_looks_for_it() {
    let mut host = Host::probe();
    let begun = Instant::now();
    host.call("1", "block", r#"{"amount":20000}"#);
    host.send(r#"{"type":"tool_cancel","id":"1"}"#);
    assert_eq!(host.text(), "cancelled: true");
    assert!(begun.elapsed() < Duration::from_secs(15), "{:?}", begun.elapsed());
}

#[test]
fn an_answer_that_was_ready_does_not_wait_for_it() {
    let mut host = Host::probe();
    let begun = Instant::now();
    let calls =
        [call("1", "echo", r#"{"text":"ready"}"#), call("2", "block", r#"{"amount":20000}"#)];
    host.send(&calls.join("\n"));
    assert_eq!(host.text(), "ready");
    assert!(begun.elapsed() < Duration::from_secs(15), "{:?}", begun.elapsed());
    host.send(r#"{"type":"tool_cancel","id":"2"}"#);
    assert_eq!(host.text(), "cancelled: true");
}

#[test]
fn calls_wait_for_the_thread_and_none_is_lost() {
    let mut host = Host::probe();
    host.call("deaf", "deaf", r#"{"amount":300}"#);
    let calls: Vec<_> =
        (0..100).map(|id| call(&id.to_string(), "echo", r#"{"text":"a"}"#)).collect();
    host.send(&calls.join("\n"));
    host.send(r#"{"type":"event","event":"turn_end"}"#);
    assert_eq!(host.frame()["id"], "deaf");
    for id in 0..100 {
        assert_eq!(host.frame()["id"], id.to_string());
    }
    assert_eq!(host.frame()["message"], "the second handler of turn_end");
}

#[test]
fn an_answer_that_came_meanwhile_is_handed_over() {
    let ack = ACK.replace(r#""log"]"#, r#""log","call_tool"]"#);
    let mut host = Host::start(&mut Command::new(probe())).accepted(&ack);
    host.call("asks", "ask_tool", r#"{"what":"read","with":{}}"#);
    assert_eq!(host.frame()["type"], "call_tool");
    host.call("keeps", "block", r#"{"amount":60000}"#);
    host.send(r#"{"type":"tool_result","id":"1","content":[{"type":"text","text":"read"}]}"#);
    // Seen by now, while the thread was kept.
    host.call("canary", "no such tool", "{}");
    assert_eq!(host.frame()["id"], "canary");
    host.send(r#"{"type":"tool_cancel","id":"keeps"}"#);
    assert_eq!(host.frame()["id"], "keeps");
    assert_eq!(host.text(), "read (truncated: false)");
}

#[test]
fn a_task_that_keeps_the_thread_between_two_waits_does_not_hold_up_what_came_meanwhile() {
    let mut host = Host::probe();
    host.call("1", "keep_later", r#"{"amount":1000}"#);
    assert_eq!(host.frame()["message"], "keeping");
    host.call("canary", "no such tool", "{}");
    assert_eq!(host.frame()["id"], "canary");
    // Read while the thread was kept, so nothing but the stand-in can tell the serving loop.
    host.send(
        &[call("2", "echo", r#"{"text":"next"}"#), call("3", "no such tool", "{}")].join("\n"),
    );
    assert_eq!(host.frame()["id"], "3");
    assert_eq!(host.text(), "next");
    host.send(r#"{"type":"tool_cancel","id":"1"}"#);
    assert_eq!(host.frame()["id"], "1");
}

#[test]
fn a_shutdown_is_answered_and_the_process_ends_in_time() {
    let mut host = deaf();
    let begun = Instant::now();
    host.send(r#"{"type":"shutdown"}"#);
    assert_eq!(host.line(), CANCELLED);
    assert!(begun.elapsed() >= Duration::from_secs(1));
    assert_eq!(host.line(), ACKNOWLEDGED);
    let end = host.wait();
    assert!(begun.elapsed() < Duration::from_secs(30), "{:?}", begun.elapsed());
    assert_eq!((end.status.code(), end.stderr.as_str()), (Some(0), DEAF));
}

#[test]
fn so_it_is_at_the_end_of_stdin() {
    let end = deaf().close();
    assert_eq!((end.status.code(), end.stderr.as_str()), (Some(0), DEAF));
    assert_eq!(end.lines, [CANCELLED]);
}

#[test]
fn so_it_is_after_sigterm() {
    let host = deaf();
    host.sigterm();
    let end = host.wait();
    assert_eq!((end.status.code(), end.stderr.as_str()), (Some(143), DEAF));
    assert_eq!(end.lines, [CANCELLED]);
}

#[test]
fn one_that_looks_for_its_cancel_ends_with_its_answer() {
    let mut host = Host::probe();
    host.call("1", "block", r#"{"amount":60000}"#);
    host.call("canary", "no such tool", "{}");
    assert_eq!(host.frame()["id"], "canary");
    host.send(r#"{"type":"shutdown"}"#);
    let end = host.wait();
    assert!(end.lines[0].contains("cancelled: true"), "{:?}", end.lines);
    assert_eq!(end.lines[1..], [ACKNOWLEDGED]);
    assert_eq!((end.status.code(), end.stderr.as_str()), (Some(0), ""));
}

#[test]
fn a_setup_and_a_teardown_that_keep_the_thread_end_too() {
    for (setup, teardown, name) in [("block", "", "setup"), ("", "block", "teardown")] {
        let mut host = Host::start(Command::new(probe()).args(["life", setup, teardown]));
        assert_eq!(host.line(), HELLO);
        host.send(ACK);
        // Of a setup that keeps the thread too the host hears that it lives.
        let last = if setup == "block" { r#"{"type":"subscribe"}"# } else { r#"{"type":"ready"}"# };
        while host.line() != last {}
        host.send(r#"{"type":"shutdown"}"#);
        let end = host.wait();
        assert_eq!(end.lines.last().unwrap(), ACKNOWLEDGED, "{name}");
        let line = format!("extline: ended 1.5s after shutdown; {name} would not stop\n");
        assert!(end.stderr.contains(&line), "{}", end.stderr);
        assert!(end.status.success());
    }
}

#[test]
fn a_host_that_reads_nothing_does_not_keep_it_either() {
    let mut child = Command::new(probe())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let big = call("big", "big", r#"{"amount":4000000}"#);
    writeln!(stdin, "{ACK}\n{big}\n{}", call("1", "keep_later", r#"{"amount":60000}"#)).unwrap();
    let mut stdout = child.stdout.take().unwrap();
    // The pipe is full from here on.
    let mut seen = vec![0; 4096];
    stdout.read_exact(&mut seen).unwrap();
    sigterm(&child);
    assert_eq!(child.wait().unwrap().code(), Some(143));
}
