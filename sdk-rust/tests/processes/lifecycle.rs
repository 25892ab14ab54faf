//! Setup, what is required, teardown.

use std::process::Command;
use std::time::{Duration, Instant};

use extline_protocol::limits::LATE_TEARDOWN;

use crate::host::{ACK, End, HELLO, Host, call, guarded_hello, probe};

/// A probe with a setup and a teardown that do what is said; `hello` is answered.
fn living(setup: &str, teardown: &str) -> Host {
    let mut host = Host::start(Command::new(probe()).args(["life", setup, teardown]));
    assert_eq!(host.line(), HELLO);
    host.send(ACK);
    host
}

/// Shows that the extension lives, while it sets up. On a slow machine any setup may take so long.
const ALIVE: &str = r#"{"type":"subscribe"}"#;

/// The next line that offers something.
fn offer(host: &mut Host) -> String {
    std::iter::repeat_with(|| host.line()).find(|line| line != ALIVE).unwrap()
}

fn ready(host: &mut Host) {
    while host.line() != r#"{"type":"ready"}"# {}
}

#[test]
fn what_a_setup_registers_is_offered_with_the_rest() {
    let mut host = living("", "");
    assert_eq!(
        offer(&mut host),
        r#"{"type":"register_command","name":"later","description":"comes from the second setup"}"#
    );
    // `sleep` was taken back before anybody saw it.
    let project: serde_json::Value = serde_json::from_str(&offer(&mut host)).unwrap();
    assert_eq!(project["name"], "project");
    assert_eq!(
        offer(&mut host),
        concat!(
            r#"{"type":"subscribe","events":["turn_end"],"intercept":["turn_start","tool_call"],"#,
            r#""guards":["tool_call"],"on_failure":{"tool_call":"allow"}}"#
        )
    );
    assert_eq!(offer(&mut host), r#"{"type":"ready"}"#);
    host.call("1", "project", "{}");
    assert_eq!(host.text(), "/project");
    host.send(r#"{"type":"command_invoked","id":"1","name":"later"}"#);
    assert_eq!(host.frame()["display"], "yes");
    host.send(r#"{"type":"event","event":"turn_end"}"#);
    assert_eq!(host.frame()["message"], "a turn ended");
    for (event, reason) in [("turn_start", "no turns"), ("tool_call", "no calls")] {
        host.send(&format!(r#"{{"type":"event_intercept","id":"1","event":"{event}"}}"#));
        assert_eq!(host.frame()["reason"], reason);
    }
}

#[test]
fn a_slow_setup_keeps_the_host_waiting_and_everything_comes_in_one_piece() {
    let begun = Instant::now();
    let mut host = living("slow", "");
    let mut alive = 0;
    loop {
        let line = host.line();
        if line != ALIVE {
            assert!(line.contains("register_command"), "{line}");
            break;
        }
        alive += 1;
    }
    // Each interval of 150 ms at most, however long a busy machine makes the setup last.
    let intervals = begun.elapsed().as_millis() / 150;
    assert!((1..=intervals).contains(&alive), "{alive} in {intervals}");
    ready(&mut host);
}

#[test]
fn a_setup_that_fails_ends_the_extension_with_its_reason() {
    for (how, reason) in [
        ("error", "Error: setup failed: no luck today\n"),
        ("panic", "Error: setup failed: panic: in the setup\n"),
        ("mistake", "two tools named \"sleep\""),
    ] {
        // The host may be gone right behind its answer.
        for end in [living(how, "").wait(), living(how, "").close()] {
            assert_eq!(end.status.code(), Some(1), "{how}");
            let offered = end.lines.iter().find(|line| *line != ALIVE);
            assert_eq!(offered, None, "{how}");
            assert!(end.stderr.contains(reason), "{how}: {}", end.stderr);
            assert!(!end.stderr.contains("torn down"), "{}", end.stderr);
        }
    }
}

#[test]
fn a_call_that_came_early_is_answered_when_the_setup_fails() {
    let mut host = Host::start(Command::new(probe()).args(["life", "error"]));
    assert_eq!(host.line(), HELLO);
    host.send(&format!("{}\n{ACK}", call("1", "sleep", r#"{"amount":60000}"#)));
    let end = host.wait();
    assert_eq!(end.status.code(), Some(1));
    let answer = end.lines.iter().find(|line| *line != ALIVE).unwrap();
    assert!(answer.contains(r#""kind":"cancelled""#), "{:?}", end.lines);
}

#[test]
fn a_shutdown_during_the_setup_ends_it_and_tears_nothing_down() {
    for setup in ["hang", "cancelled"] {
        let mut host = living(setup, "");
        // It shows that it lives, so it is in its setup.
        assert_eq!(host.line(), ALIVE);
        host.send(r#"{"type":"shutdown"}"#);
        let End { status, lines, stderr } = host.wait();
        assert!(status.success(), "{setup}: {stderr}");
        let written: Vec<_> = lines.iter().filter(|line| *line != ALIVE).collect();
        assert_eq!(written, [r#"{"type":"shutdown_ack"}"#], "{setup}");
        assert_eq!(stderr, "", "{setup}");
    }
}

#[test]
fn a_teardown_runs_at_every_kind_of_end() {
    let torn_down = r#"{"type":"notify","level":"info","message":"torn down; deadline: true"}"#;
    let mut host = living("", "");
    ready(&mut host);
    host.send(r#"{"type":"shutdown"}"#);
    assert_eq!(host.wait().lines, [torn_down, r#"{"type":"shutdown_ack"}"#]);

    let mut host = living("", "");
    ready(&mut host);
    let end = host.close();
    assert_eq!((end.status.code(), end.lines), (Some(0), vec![torn_down.to_owned()]));

    let mut host = living("", "");
    ready(&mut host);
    host.sigterm();
    let end = host.wait();
    assert_eq!((end.status.code(), end.lines), (Some(143), vec![torn_down.to_owned()]));
}

#[test]
fn the_time_of_a_teardown_counts_from_the_shutdown_also_where_a_handler_kept_the_thread() {
    let mut host = living("keeps", "left");
    ready(&mut host);
    host.call("1", "keep", "{}");
    // A tool that nobody offers is answered without the thread.
    host.send(&call("canary", "no such tool", "{}"));
    assert_eq!(host.frame()["id"], "canary");
    host.send(r#"{"type":"shutdown"}"#);
    assert_eq!(host.frame()["id"], "1");
    let left: u64 = host.frame()["message"].as_str().unwrap().parse().unwrap();
    assert!(left < 1_000, "{left} ms of 1,250 are left behind 700 ms");
    assert!(host.wait().status.success());
}

#[test]
fn a_teardown_that_fails_is_reported_and_the_end_goes_on() {
    for (how, line) in [
        ("error", "extline: teardown failed: not today\n"),
        ("panic", "extline: teardown failed: panic: in the teardown\n"),
    ] {
        let mut host = living("", how);
        ready(&mut host);
        host.send(r#"{"type":"shutdown"}"#);
        let end = host.wait();
        assert!(end.status.success());
        assert_eq!(end.lines, [r#"{"type":"shutdown_ack"}"#]);
        assert!(end.stderr.contains(line), "{}", end.stderr);
    }
}

#[test]
fn a_teardown_that_hangs_is_dropped_before_the_end() {
    let mut host = living("", "hang");
    ready(&mut host);
    let begun = Instant::now();
    host.send(r#"{"type":"shutdown"}"#);
    let end = host.wait();
    assert!(begun.elapsed() >= Duration::from_secs(1));
    assert_eq!(end.lines, [r#"{"type":"shutdown_ack"}"#]);
    assert_eq!(end.stderr, format!("extline: {LATE_TEARDOWN}\n"));
    assert!(end.status.success());
}

#[test]
fn what_is_required_and_missing_ends_the_extension_with_78() {
    for (what, missing) in [
        ("capability", "the host test 9 does not offer the capability call_tool"),
        ("method", "the host test 9 does not offer the method ui.confirm"),
    ] {
        let mut host = Host::start(Command::new(probe()).args(["required", what]));
        assert_eq!(host.line(), guarded_hello());
        host.send(ACK);
        let end = host.wait();
        assert_eq!(end.status.code(), Some(78));
        let message = format!("{missing}, which probe requires");
        let note = format!(r#"{{"type":"notify","level":"error","message":"{message}"}}"#);
        assert_eq!(end.lines, [note]);
        assert_eq!(end.stderr, format!("extline: {message}\n"));
    }
}

#[test]
fn what_is_required_and_rejected_ends_the_extension_with_78() {
    let registered = |kind: &str, name: &str| {
        format!(
            r#"{{"type":"registered","rejected":[{{"kind":"{kind}","name":"{name}","code":"conflict","message":"taken"}}]}}"#
        )
    };
    for (what, kind, name) in [("guards", "guard", "tool_call"), ("tool", "tool", "tool")] {
        let mut host =
            Host::start(Command::new(probe()).args(["required", what])).accepted_guard(ACK);
        // Another rejection is a warning.
        host.send(&registered("tool", "another"));
        assert_eq!(host.frame()["type"], "log");
        host.send(&registered(kind, name));
        let end = host.wait();
        assert_eq!(end.status.code(), Some(78));
        let message =
            format!("the host test 9 did not take the {kind} {name}, which probe requires");
        assert!(end.stderr.contains(&format!("extline: {message}\n")), "{}", end.stderr);
        assert!(end.lines.last().unwrap().contains(&message), "{:?}", end.lines);
    }
}

#[test]
fn what_is_required_and_there_changes_nothing() {
    let ack = ACK.replace(r#""log"]"#, r#""log","call_tool"]"#);
    let host =
        Host::start(Command::new(probe()).args(["required", "capability"])).accepted_guard(&ack);
    let end = host.close();
    assert!(end.status.success());
    assert_eq!(end.stderr, "");
}
