//! Shutdown, end of input, death.

use std::time::Duration;

use extline_protocol::frame::{Level, ShutdownReason, Subscribe, ToolResult};
use extline_protocol::{
    ErrorKind, ExtensionEvent, HostEvent, Intercept, RawJson, SendError, ToolCallOptions,
};

use crate::harness::{Pair, config, full_ack};

fn ends(pair: &Pair) -> Vec<&ExtensionEvent> {
    let is_end = |event: &&ExtensionEvent| {
        matches!(
            event,
            ExtensionEvent::ShuttingDown(_)
                | ExtensionEvent::Teardown
                | ExtensionEvent::Finished { .. }
                | ExtensionEvent::Overdue { .. }
        )
    };
    pair.extension_events.iter().filter(is_end).collect()
}

fn with_teardown() -> Pair {
    let mut config = config();
    config.teardown = true;
    Pair::ready(config, full_ack())
}

#[test]
fn an_idle_extension_ends_at_once() {
    let mut pair = Pair::usual();
    pair.host.shutdown(Some(ShutdownReason::Reload), pair.now);
    pair.step();
    assert_eq!(
        pair.wire,
        ["H> {\"type\":\"shutdown\",\"reason\":\"reload\"}", "E> {\"type\":\"shutdown_ack\"}"]
    );
    assert_eq!(
        ends(&pair),
        [
            &ExtensionEvent::ShuttingDown(Some(ShutdownReason::Reload)),
            &ExtensionEvent::Finished { exit_code: 0 }
        ]
    );
    assert_eq!(pair.host_events, [HostEvent::CloseInput, HostEvent::ShutdownAck]);
}

#[test]
fn an_extension_that_ends_by_itself_answers_first_and_acknowledges_nothing() {
    let mut pair = Pair::usual();
    let (_, call) = pair.open_call();
    pair.clear();
    assert!(pair.extension.end(78, pair.now));
    assert!(!pair.extension.end(1, pair.now));
    pair.step();
    assert_eq!(pair.extension.exit_code(), 78);
    pair.answer(&call, "made it");
    pair.step();
    assert_eq!(pair.lines("E> ").len(), 1, "{:?}", pair.wire);
    assert_eq!(
        ends(&pair),
        [&ExtensionEvent::ShuttingDown(None), &ExtensionEvent::Finished { exit_code: 78 }]
    );
}

#[test]
fn one_that_fails_while_its_host_ends_it_says_so_with_its_exit_code() {
    let mut pair = Pair::usual();
    pair.extension.handle_eof(pair.now);
    assert!(!pair.extension.end(78, pair.now), "the host was first");
    assert!(!pair.extension.end(1, pair.now), "the first failure counts");
    pair.step();
    let finished = ExtensionEvent::Finished { exit_code: 78 };
    assert_eq!(ends(&pair), [&ExtensionEvent::ShuttingDown(None), &finished]);
    let mut pair = Pair::usual();
    pair.extension.handle_sigterm(pair.now);
    pair.extension.end(78, pair.now);
    pair.step();
    let finished = ExtensionEvent::Finished { exit_code: 143 };
    assert_eq!(ends(&pair), [&ExtensionEvent::ShuttingDown(None), &finished]);
}

#[test]
fn a_setup_has_the_time_of_a_call_to_end_behind_its_host() {
    let accepted = || {
        let mut pair = Pair::new(config(), full_ack());
        pair.step();
        pair.clear();
        pair.extension.handle_eof(pair.now);
        pair.step();
        assert_eq!(ends(&pair), [&ExtensionEvent::ShuttingDown(None)]);
        pair
    };
    let mut pair = accepted();
    assert_eq!(pair.extension.setup_exit_code(true), 0, "the end has cancelled it");
    let code = pair.extension.setup_exit_code(false);
    assert!(!pair.extension.end(code, pair.now));
    pair.step();
    assert_eq!(ends(&pair).last(), Some(&&ExtensionEvent::Finished { exit_code: 1 }));
    let mut pair = accepted();
    pair.extension.ready();
    pair.step();
    assert_eq!(ends(&pair).last(), Some(&&ExtensionEvent::Finished { exit_code: 0 }));
    let mut pair = accepted();
    pair.pass_ms(999);
    assert_eq!(ends(&pair).len(), 1);
    assert_eq!(Pair::usual().extension.setup_exit_code(true), 1, "nothing has cancelled it");
    pair.pass_ms(1);
    assert_eq!(ends(&pair).last(), Some(&&ExtensionEvent::Finished { exit_code: 0 }));
}

#[test]
fn open_calls_get_their_cancel_and_a_second_to_answer() {
    let mut pair = Pair::usual();
    let (_, quick) = pair.open_call();
    pair.open_call();
    pair.clear();
    pair.host.shutdown(None, pair.now);
    pair.step();
    let cancels = |event: &&ExtensionEvent| matches!(event, ExtensionEvent::Cancelled { .. });
    assert_eq!(pair.extension_events.iter().filter(cancels).count(), 2);
    pair.pass_ms(500);
    pair.answer(&quick, "made it");
    pair.pass_ms(499);
    assert_eq!(pair.lines("E> ").len(), 1);
    pair.pass_ms(1);
    let written = pair.lines("E> ");
    assert!(written[0].contains("made it"));
    assert!(written[1].contains("\"kind\":\"cancelled\""));
    assert_eq!(written[2], "E> {\"type\":\"shutdown_ack\"}");
    assert!(pair.extension_events.contains(&ExtensionEvent::Finished { exit_code: 0 }));
}

#[test]
fn a_handler_that_does_not_stop_is_named_after_another_half_second() {
    let mut pair = Pair::usual();
    pair.open_call();
    pair.host.shutdown(None, pair.now);
    pair.pass_ms(1_499);
    assert!(!ends(&pair).iter().any(|event| matches!(event, ExtensionEvent::Overdue { .. })));
    pair.pass_ms(1);
    let overdue = ExtensionEvent::Overdue { handlers: vec!["echo".to_owned()], exit_code: 0 };
    assert_eq!(ends(&pair).last(), Some(&&overdue));
    assert_eq!(pair.extension.poll_timeout(), None);
}

#[test]
fn a_late_answer_clears_the_name() {
    let mut pair = Pair::usual();
    let (_, key) = pair.open_call();
    pair.host.shutdown(None, pair.now);
    pair.pass_ms(1_100);
    assert!(pair.extension.reply_tool(&key, ToolResult::new(key.id().clone(), vec![])).is_err());
    pair.pass_ms(400);
    let overdue = ExtensionEvent::Overdue { handlers: vec![], exit_code: 0 };
    assert_eq!(ends(&pair).last(), Some(&&overdue));
}

#[test]
fn calls_that_come_too_late_are_cancelled() {
    let mut pair = Pair::usual();
    pair.open_call();
    pair.host_writes(r#"{"type":"shutdown"}"#);
    pair.clear();
    pair.host_writes(r#"{"type":"tool_call","id":"z","name":"echo","args":{}}"#);
    pair.host_writes(r#"{"type":"command_invoked","id":"z","name":"greet"}"#);
    assert_eq!(pair.extension_events, []);
    assert!(pair.lines("E> ")[0].contains("\"kind\":\"cancelled\""));
    assert!(pair.lines("E> ")[1].contains("\"error\":\"cancelled\""));
}

#[test]
fn a_call_that_was_not_started_is_not_started() {
    let mut pair = Pair::usual();
    let lines = "{\"type\":\"tool_call\",\"id\":\"a\",\"name\":\"echo\",\"args\":{}}\n\
                 {\"type\":\"shutdown\"}\n";
    pair.extension.handle_input(lines.as_bytes(), pair.now);
    pair.step();
    assert!(
        !pair.extension_events.iter().any(|event| matches!(event, ExtensionEvent::ToolCall { .. }))
    );
    assert!(pair.lines("E> ")[0].contains("\"kind\":\"cancelled\""));
    assert_eq!(pair.lines("E> ")[1], "E> {\"type\":\"shutdown_ack\"}");
}

#[test]
fn the_end_of_input_is_a_shutdown_without_an_ack() {
    let mut pair = Pair::usual();
    pair.extension.handle_eof(pair.now);
    pair.step();
    assert_eq!(pair.wire, Vec::<String>::new());
    assert_eq!(ends(&pair).last(), Some(&&ExtensionEvent::Finished { exit_code: 0 }));
}

#[test]
fn the_end_of_input_right_behind_shutdown_changes_nothing() {
    let mut pair = Pair::usual();
    pair.open_call();
    pair.clear();
    pair.extension.handle_input(b"{\"type\":\"shutdown\"}\n", pair.now);
    pair.extension.handle_eof(pair.now);
    pair.pass_ms(1_000);
    assert_eq!(pair.lines("shutdown_ack").len(), 1);
    let shutting = |event: &&ExtensionEvent| matches!(event, ExtensionEvent::ShuttingDown(_));
    assert_eq!(pair.extension_events.iter().filter(shutting).count(), 1);
}

#[test]
fn an_unterminated_last_line_counts() {
    let mut pair = Pair::usual();
    pair.extension.handle_input(b"{\"type\":\"shutdown\"}", pair.now);
    pair.extension.handle_eof(pair.now);
    pair.step();
    assert_eq!(pair.wire, ["E> {\"type\":\"shutdown_ack\"}"]);
}

#[test]
fn sigterm_ends_with_143() {
    let mut pair = Pair::usual();
    pair.extension.handle_sigterm(pair.now);
    pair.step();
    assert_eq!(ends(&pair).last(), Some(&&ExtensionEvent::Finished { exit_code: 143 }));
}

#[test]
fn nobody_to_write_to_ends_the_waiting() {
    let mut pair = Pair::usual();
    pair.open_call();
    pair.extension.handle_write_failed(pair.now);
    pair.step();
    assert_eq!(ends(&pair).last(), Some(&&ExtensionEvent::Finished { exit_code: 0 }));
}

#[test]
fn teardown_runs_after_the_last_answer_and_before_the_ack() {
    let mut pair = with_teardown();
    let (_, key) = pair.open_call();
    pair.clear();
    pair.host.shutdown(None, pair.now);
    pair.step();
    assert_eq!(ends(&pair).len(), 1);
    pair.answer(&key, "done");
    assert_eq!(ends(&pair).last(), Some(&&ExtensionEvent::Teardown));
    assert_eq!(pair.lines("shutdown_ack").len(), 0);
    pair.extension.teardown_done();
    pair.step();
    assert_eq!(pair.wire.last().unwrap(), "E> {\"type\":\"shutdown_ack\"}");
}

#[test]
fn a_teardown_has_its_time_even_behind_a_call_that_was_never_answered() {
    let mut pair = with_teardown();
    pair.open_call();
    pair.clear();
    pair.host.shutdown(None, pair.now);
    pair.pass_ms(1_000);
    assert_eq!(ends(&pair).last(), Some(&&ExtensionEvent::Teardown));
    pair.pass_ms(249);
    pair.extension.notify(Level::Info, "down");
    pair.extension.teardown_done();
    pair.step();
    let written = pair.lines("E> ");
    assert!(written[0].contains("\"kind\":\"cancelled\""), "{written:?}");
    assert!(written[1].contains("\"message\":\"down\""), "{written:?}");
    assert_eq!(written[2..], ["E> {\"type\":\"shutdown_ack\"}"]);
}

#[test]
fn a_teardown_that_hangs_is_not_waited_for() {
    let mut pair = with_teardown();
    pair.host.shutdown(None, pair.now);
    pair.pass_ms(1_249);
    assert_eq!(ends(&pair).last(), Some(&&ExtensionEvent::Teardown));
    pair.pass_ms(1);
    assert_eq!(ends(&pair).last(), Some(&&ExtensionEvent::Finished { exit_code: 0 }));
    assert_eq!(pair.lines("E> "), ["E> {\"type\":\"shutdown_ack\"}"]);
}

#[test]
fn an_open_intercept_fails_closed_at_the_end() {
    let mut config = config();
    let subscribe =
        Subscribe { guards: Some(vec!["tool_call".to_owned()]), ..Subscribe::default() };
    config.registrations.subscribe = subscribe;
    let mut pair = Pair::ready(config, full_ack());
    let intercept = Intercept { event: "tool_call".to_owned(), ..Intercept::default() };
    pair.host.intercept(intercept, pair.now).unwrap();
    pair.step();
    pair.host.shutdown(None, pair.now);
    pair.pass_ms(1_000);
    assert!(pair.lines("event_intercept_response")[0].contains("\"block\":true"));
}

#[test]
fn an_extension_that_does_not_end_gets_sigterm_and_sigkill() {
    let mut pair = Pair::usual();
    pair.host.shutdown(None, pair.now);
    let mut due = Vec::new();
    let start = pair.now;
    while let Some(at) = pair.host.poll_timeout() {
        pair.host.handle_timeout(at);
        let signals = std::iter::from_fn(|| pair.host.poll_event());
        let signals =
            signals.filter(|event| matches!(event, HostEvent::Terminate | HostEvent::Kill));
        due.extend(signals.map(|event| ((at - start).as_secs(), event)));
    }
    assert_eq!(due, [(2, HostEvent::Terminate), (3, HostEvent::Kill)]);
}

#[test]
fn death_fails_every_call_at_once_with_its_cause() {
    let mut pair = Pair::usual();
    pair.open_call();
    pair.host.invoke_command("greet", "", pair.now).unwrap();
    pair.step();
    pair.clear();
    pair.host.handle_gone("the extension was killed by SIGKILL");
    pair.step();
    assert_eq!(pair.host_events.len(), 2);
    for event in &pair.host_events {
        let HostEvent::CallFailed { error, .. } = event else { panic!("{event:?}") };
        assert_eq!(error.kind, ErrorKind::Transient);
        assert!(error.message.contains("SIGKILL"));
    }
    let options = ToolCallOptions::default();
    let call = pair.host.call_tool("echo", RawJson::empty_object(), options, pair.now);
    assert_eq!(call, Err(SendError::Closed));
}

/// A driver that has read enough ahead sees the end before it has read all.
#[test]
fn a_hang_up_is_the_end_and_what_comes_behind_it_is_answered_as_cancelled() {
    let mut pair = Pair::usual();
    let (_, open) = pair.open_call();
    pair.clear();
    pair.extension.handle_hang_up(pair.now);
    assert_eq!(pair.extension.ending_since(), Some(pair.now));
    pair.host_writes(r#"{"type":"tool_call","id":"behind","name":"echo","args":{}}"#);
    pair.host_writes(r#"{"type":"shutdown"}"#);
    pair.extension.handle_eof(pair.now);
    pair.step();
    pair.answer(&open, "made it");
    pair.step();
    assert_eq!(
        ends(&pair),
        [&ExtensionEvent::ShuttingDown(None), &ExtensionEvent::Finished { exit_code: 0 }]
    );
    let lines = pair.lines("E> ");
    assert!(lines[0].contains("behind") && lines[0].contains("cancelled"), "{lines:?}");
    assert!(lines[1].contains("made it"), "{lines:?}");
}

/// As on a machine that gave the process no turn until the driver ends it.
#[test]
fn what_was_due_before_the_end_is_answered_in_one_go() {
    let mut pair = with_teardown();
    pair.open_call();
    pair.clear();
    pair.extension.handle_input(b"{\"type\":\"shutdown\"}\n", pair.now);
    pair.now += Duration::from_millis(1500);
    pair.extension.handle_overdue(pair.now);
    let mut out = Vec::new();
    pair.extension.poll_output(pair.now, &mut out);
    let written = String::from_utf8(out).unwrap();
    let [answer, ack] = written.lines().collect::<Vec<_>>()[..] else { panic!("{written}") };
    assert!(answer.contains(r#""kind":"cancelled""#), "{answer}");
    assert_eq!(ack, r#"{"type":"shutdown_ack"}"#);
}
