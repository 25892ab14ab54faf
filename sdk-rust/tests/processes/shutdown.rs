//! The end: `shutdown`, end of file, SIGTERM, a host that is gone.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::host::{Host, probe};

#[test]
fn an_idle_extension_acknowledges_and_ends() {
    let mut host = Host::probe();
    host.send(r#"{"type":"shutdown","reason":"reload"}"#);
    let end = host.wait();
    assert!(end.status.success());
    assert_eq!(end.lines, [r#"{"type":"shutdown_ack"}"#]);
    assert_eq!(end.stderr, "");
}

#[test]
fn the_end_of_stdin_is_the_end() {
    let end = Host::probe().close();
    assert!(end.status.success());
    assert!(end.lines.is_empty());
}

#[test]
fn sigterm_is_the_end_with_status_143() {
    let host = Host::probe();
    host.sigterm();
    let end = host.wait();
    assert_eq!(end.status.code(), Some(143));
    assert!(end.lines.is_empty());
}

#[test]
fn sigterm_while_a_handler_waits_cancels_it() {
    let mut host = Host::probe();
    host.call("1", "wait", "{}");
    assert_eq!(host.frame()["message"], "waiting");
    host.sigterm();
    assert_eq!(host.frame()["error"]["kind"], "cancelled");
    assert_eq!(host.wait().status.code(), Some(143));
}

#[test]
fn a_handler_that_stops_at_its_cancel_answers_and_nobody_waits_longer() {
    let mut host = Host::probe();
    host.call("1", "wait", "{}");
    assert_eq!(host.frame()["message"], "waiting");
    host.send(r#"{"type":"shutdown"}"#);
    let end = host.wait();
    assert_eq!(end.lines.len(), 2, "{:?}", end.lines);
    assert!(end.lines[0].contains(r#""kind":"cancelled""#), "{:?}", end.lines);
    assert_eq!(end.lines[1], r#"{"type":"shutdown_ack"}"#);
    assert!(end.status.success());
}

#[test]
fn a_result_that_comes_in_time_is_still_sent() {
    let mut host = Host::probe();
    host.call("1", "sleep", r#"{"amount":200}"#);
    host.call("canary", "no such tool", "{}");
    assert_eq!(host.frame()["id"], "canary");
    host.send(r#"{"type":"shutdown"}"#);
    let end = host.wait();
    assert!(end.lines[0].contains("slept 200 ms"), "{:?}", end.lines);
    assert_eq!(end.lines[1], r#"{"type":"shutdown_ack"}"#);
}

#[test]
fn a_handler_that_goes_on_is_answered_for_after_a_second() {
    let mut host = Host::probe();
    host.call("1", "sleep", r#"{"amount":60000}"#);
    host.call("canary", "no such tool", "{}");
    assert_eq!(host.frame()["id"], "canary");
    let begun = Instant::now();
    host.send(r#"{"type":"shutdown"}"#);
    let end = host.wait();
    assert!(begun.elapsed() >= Duration::from_secs(1));
    assert_eq!(
        end.lines,
        [
            concat!(
                r#"{"type":"tool_result","id":"1","content":[{"type":"text","text":"cancelled"}],"#,
                r#""is_error":true,"error":{"kind":"cancelled","message":"cancelled"}}"#
            ),
            r#"{"type":"shutdown_ack"}"#,
        ]
    );
    assert!(end.status.success());
    assert_eq!(end.stderr, "");
}

#[test]
fn a_handler_that_keeps_the_thread_ends_with_the_process_and_is_named() {
    let mut host = Host::probe();
    host.call("1", "stuck", "{}");
    assert_eq!(host.frame()["message"], "waiting");
    host.sigterm();
    let end = host.wait();
    assert_eq!(end.status.code(), Some(143));
    assert_eq!(end.stderr, "extline: ended 1.5s after shutdown; tool stuck would not stop\n");
}

#[test]
fn a_call_that_comes_with_the_shutdown_is_cancelled_and_nothing_follows_the_ack() {
    let mut host = Host::probe();
    host.send(
        r#"{"type":"shutdown"}
{"type":"tool_call","id":"1","name":"echo","args":{"text":"late"}}"#,
    );
    let end = host.wait();
    assert_eq!(end.lines.last().unwrap(), r#"{"type":"shutdown_ack"}"#);
}

#[test]
fn a_host_that_closed_its_end_is_noticed_at_the_next_write() {
    let mut child = Command::new(probe())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    // Stdin stays open: only the write tells that nobody is there.
    assert_eq!(child.wait().unwrap().code(), Some(0));
}
