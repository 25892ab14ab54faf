//! Deadlines that stand still while a person is asked, on both sides (`rpc.dialog-pauses`,
//! `rpc.dialog-pauses-above`, `guard.margin-pauses`).

use std::time::{Duration, Instant};

use extline_protocol::frame::{CallToolResult, EventInterceptResponse, HelloAck, Phase, Subscribe};
use extline_protocol::{
    CallKey, ErrorKind, ExtensionEvent, HostEvent, Intercept, RawJson, ToolCallOptions,
};

use crate::harness::{Pair, config, full_ack, tool};

const MINUTE: u64 = 60_000;

/// A host that asks people and looks things up, an extension with a guard and a method.
fn asking() -> Pair {
    let mut config = config();
    config.registrations.tool(tool("outer")).unwrap();
    config.methods = vec!["index.build".to_owned()];
    let guards = Some(vec!["tool_call".to_owned()]);
    config.registrations.subscribe = Subscribe { guards, ..Subscribe::default() };
    let methods = ["ui.confirm", "index.search"].map(str::to_owned).to_vec();
    Pair::ready(config, HelloAck { methods: Some(methods), ..full_ack() })
}

fn raw(text: &str) -> RawJson {
    RawJson::parse(text).unwrap()
}

/// The extension asks on behalf of a call; both ends' names of the request.
fn ask(pair: &mut Pair, parent: &CallKey, method: &str) -> (CallKey, CallKey) {
    ask_within(pair, parent, method, None)
}

fn ask_within(
    pair: &mut Pair,
    parent: &CallKey,
    method: &str,
    deadline_ms: Option<u64>,
) -> (CallKey, CallKey) {
    let ours = pair.extension.request(Some(parent), method, None, deadline_ms, pair.now).unwrap();
    pair.step();
    let theirs = pair.host_events.iter().rev().find_map(|event| match event {
        HostEvent::Request { key, .. } => Some(key.clone()),
        _ => None,
    });
    (ours, theirs.expect("a request"))
}

fn answer(pair: &mut Pair, request: &CallKey) {
    pair.host.reply_request(request, Ok(raw("true")), pair.now).unwrap();
    pair.step();
}

fn intercept(pair: &mut Pair) -> (CallKey, CallKey) {
    let intercept = Intercept {
        event: "tool_call".to_owned(),
        phase: Some(Phase::Guard),
        ..Intercept::default()
    };
    let host = pair.host.intercept(intercept, pair.now).unwrap();
    pair.step();
    (host, pair.last_call())
}

/// How a call of the host's failed, if it did.
fn failure(pair: &Pair, call: &CallKey) -> Option<ErrorKind> {
    pair.host_events.iter().find_map(|event| match event {
        HostEvent::CallFailed { key, error } if key == call => Some(error.kind.clone()),
        HostEvent::Response { key, result: Err(error) } if key == call => Some(error.code.clone()),
        _ => None,
    })
}

fn pauses(pair: &Pair) -> Vec<&HostEvent> {
    let is_pause =
        |event: &&HostEvent| matches!(event, HostEvent::Paused { .. } | HostEvent::Resumed { .. });
    pair.host_events.iter().filter(is_pause).collect()
}

#[test]
fn a_call_goes_on_with_what_was_left() {
    let mut pair = asking();
    let (host, ours) = pair.open_call();
    pair.pass_ms(40_000);
    let (_, dialog) = ask(&mut pair, &ours, "ui.confirm");
    assert_eq!(pauses(&pair), [&HostEvent::Paused { key: host.clone() }]);
    pair.pass_ms(10 * MINUTE);
    answer(&mut pair, &dialog);
    assert_eq!(pauses(&pair)[1..], [&HostEvent::Resumed { key: host.clone() }]);
    pair.pass_ms(19_999);
    assert_eq!(failure(&pair, &host), None);
    pair.pass_ms(1);
    assert_eq!(failure(&pair, &host), Some(ErrorKind::Timeout));
}

#[test]
fn a_request_that_is_no_dialog_pauses_nothing() {
    let mut pair = asking();
    let (host, ours) = pair.open_call();
    ask(&mut pair, &ours, "index.search");
    // A dialog of nobody's belongs to no call.
    pair.extension.request(None, "ui.confirm", None, None, pair.now).unwrap();
    pair.pass_ms(MINUTE);
    assert_eq!(failure(&pair, &host), Some(ErrorKind::Timeout));
    assert_eq!(pauses(&pair), Vec::<&HostEvent>::new());
    // The deadline of what is no dialog is its own.
    let (host, ours) = pair.open_call();
    let (search, _) = ask_within(&mut pair, &ours, "index.search", Some(100));
    ask(&mut pair, &ours, "ui.confirm");
    pair.pass_ms(2 * MINUTE);
    assert!(pair.extension_events.iter().any(|event| matches!(event,
        ExtensionEvent::Response { key, result: Err(error) } if *key == search && error.code == ErrorKind::Timeout)));
    assert_eq!(failure(&pair, &host), None);
}

#[test]
fn of_several_dialogs_the_last_counts() {
    let mut pair = asking();
    let (host, ours) = pair.open_call();
    let dialogs = [0; 3].map(|_| ask(&mut pair, &ours, "ui.confirm").1);
    for dialog in &dialogs {
        pair.pass_ms(2 * MINUTE);
        assert_eq!(failure(&pair, &host), None);
        answer(&mut pair, dialog);
    }
    assert_eq!(pauses(&pair).len(), 2, "once for all: {:?}", pauses(&pair));
    pair.pass_ms(MINUTE - 1);
    assert_eq!(failure(&pair, &host), None);
    pair.pass_ms(1);
    assert_eq!(failure(&pair, &host), Some(ErrorKind::Timeout));
}

#[test]
fn commands_and_requests_stand_still_as_well() {
    let mut pair = asking();
    let command = pair.host.invoke_command("greet", "", pair.now).unwrap();
    pair.step();
    let ours = pair.last_call();
    let (_, dialog) = ask(&mut pair, &ours, "ui.confirm");
    pair.pass_ms(2 * MINUTE);
    answer(&mut pair, &dialog);
    pair.pass_ms(29_999);
    assert_eq!(failure(&pair, &command), None);
    pair.pass_ms(1);
    assert_eq!(failure(&pair, &command), Some(ErrorKind::Timeout));

    let second = Some(Duration::from_secs(1));
    let request = pair.host.request("index.build", None, second, pair.now).unwrap();
    pair.step();
    let ours = pair.last_call();
    let (_, dialog) = ask(&mut pair, &ours, "ui.confirm");
    pair.pass_ms(2 * MINUTE);
    answer(&mut pair, &dialog);
    pair.pass_ms(999);
    assert_eq!(failure(&pair, &request), None);
    pair.pass_ms(1);
    assert_eq!(failure(&pair, &request), Some(ErrorKind::Timeout));
}

#[test]
fn a_guard_may_ask_for_longer_than_its_margin() {
    let mut pair = asking();
    let (host, ours) = intercept(&mut pair);
    pair.pass_ms(4_000);
    let (_, dialog) = ask(&mut pair, &ours, "ui.confirm");
    pair.pass_ms(30_000);
    assert_eq!(pair.lines("E> {\"type\":\"event_intercept_response\""), Vec::<&str>::new());
    answer(&mut pair, &dialog);
    pair.pass_ms(499);
    assert_eq!(pair.lines("E> {\"type\":\"event_intercept_response\""), Vec::<&str>::new());
    let decision = EventInterceptResponse::allow(ours.id().clone());
    pair.extension.reply_intercept(&ours, decision).unwrap();
    pair.step();
    assert!(pair.host_events.iter().any(|event| matches!(event,
        HostEvent::InterceptResponse { key, response } if *key == host && !response.block)));
}

#[test]
fn a_guard_that_asks_still_fails_closed_at_its_margin() {
    let mut pair = asking();
    let (host, ours) = intercept(&mut pair);
    pair.extension.intercept_running(&ours, "no_rm");
    pair.pass_ms(4_000);
    let (_, dialog) = ask(&mut pair, &ours, "ui.confirm");
    pair.pass_ms(30_000);
    answer(&mut pair, &dialog);
    pair.pass_ms(500);
    assert!(pair.host_events.iter().any(|event| matches!(event,
        HostEvent::InterceptResponse { key, response }
            if *key == host && response.block && response.reason.as_deref() == Some("guard no_rm timed out"))));
}

#[test]
fn a_host_decides_for_a_guard_that_is_silent_after_its_dialog() {
    let mut pair = asking();
    let (host, ours) = intercept(&mut pair);
    let (_, dialog) = ask(&mut pair, &ours, "ui.confirm");
    pair.pass_ms(30_000);
    pair.host.reply_request(&dialog, Ok(raw("true")), pair.now).unwrap();
    // The extension hangs: nothing of it comes any more.
    let due = pair.host.poll_timeout().expect("a deadline");
    assert_eq!(due, pair.now + Duration::from_secs(5));
    pair.host.handle_timeout(due);
    pair.host_events.extend(std::iter::from_fn(|| pair.host.poll_event()));
    assert_eq!(failure(&pair, &host), Some(ErrorKind::Timeout));
}

#[test]
fn the_deadline_that_a_handler_reads_moves() {
    let mut pair = asking();
    let began = pair.now;
    let at = |milliseconds| Some::<Instant>(began + Duration::from_millis(milliseconds));
    let options =
        ToolCallOptions { timeout: Some(Duration::from_secs(10)), ..ToolCallOptions::default() };
    pair.host.call_tool("echo", raw("{}"), options, pair.now).unwrap();
    pair.step();
    let ours = pair.last_call();
    let (_, first) = ask(&mut pair, &ours, "ui.confirm");
    pair.pass_ms(3_000);
    assert_eq!(pair.extension.deadline(&ours, pair.now), at(13_000), "it has ten seconds left");
    answer(&mut pair, &first);
    pair.pass_ms(1_000);
    assert_eq!(pair.extension.deadline(&ours, pair.now), at(13_000));
    let (_, second) = ask(&mut pair, &ours, "ui.confirm");
    pair.pass_ms(2_000);
    answer(&mut pair, &second);
    assert_eq!(pair.extension.deadline(&ours, pair.now), at(15_000));
    pair.answer(&ours, "done");
    assert_eq!(pair.extension.deadline(&ours, pair.now), None, "it is answered");
    let (_, ours) = pair.open_call();
    assert_eq!(pair.extension.deadline(&ours, pair.now), None, "the host says none");
}

#[test]
fn a_dialog_that_fails_or_takes_too_long_lets_the_call_go_on() {
    let mut pair = asking();
    let (host, ours) = intercept(&mut pair);
    let (_, _) = ask_within(&mut pair, &ours, "ui.confirm", Some(10_000));
    pair.pass_ms(10_000);
    // The extension gave it up at its deadline and told the host.
    assert_eq!(pair.lines("E> {\"type\":\"cancel\"").len(), 1);
    pair.pass_ms(4_499);
    assert_eq!(pair.lines("event_intercept_response"), Vec::<&str>::new());
    pair.pass_ms(1);
    assert_eq!(pair.lines("event_intercept_response").len(), 1, "at its margin");
    assert_eq!(failure(&pair, &host), None);

    let (_, ours) = intercept(&mut pair);
    ask(&mut pair, &ours, "ui.confirm");
    pair.pass_ms(10_000);
    pair.host_writes(r#"{"type":"response","id":"2","error":5}"#);
    pair.pass_ms(4_499);
    assert_eq!(pair.lines("event_intercept_response").len(), 1);
    pair.pass_ms(1);
    assert_eq!(pair.lines("event_intercept_response").len(), 2);
}

#[test]
fn a_dialog_that_is_given_up_lets_the_call_go_on_at_once() {
    let mut pair = asking();
    let (host, ours) = pair.open_call();
    let (dialog, _) = ask(&mut pair, &ours, "ui.confirm");
    pair.pass_ms(5 * MINUTE);
    pair.extension.cancel_outgoing(&dialog);
    // The host has not answered it yet.
    pair.pass_ms(MINUTE - 1);
    assert_eq!(failure(&pair, &host), None);
    pair.pass_ms(1);
    assert_eq!(failure(&pair, &host), Some(ErrorKind::Timeout));

    let (_, ours) = intercept(&mut pair);
    let (dialog, asked) = ask(&mut pair, &ours, "ui.confirm");
    pair.pass_ms(MINUTE);
    pair.extension.cancel_outgoing(&dialog);
    pair.pass_ms(2_000);
    // Its answer lets nothing go on a second time.
    answer(&mut pair, &asked);
    pair.pass_ms(2_499);
    assert_eq!(pair.lines("event_intercept_response"), Vec::<&str>::new());
    pair.pass_ms(1);
    assert_eq!(pair.lines("event_intercept_response").len(), 1);
}

#[test]
fn a_call_that_is_cancelled_stands_still_no_more() {
    let mut pair = asking();
    let (host, ours) = pair.open_call();
    let (_, dialog) = ask(&mut pair, &ours, "ui.confirm");
    pair.pass_ms(2 * MINUTE);
    pair.clear();
    pair.host.cancel(&host, "user", pair.now);
    pair.step();
    assert_eq!(pair.lines("E> "), ["E> {\"type\":\"cancel\",\"id\":\"1\"}"], "the dialog goes too");
    assert!(pair.host_events.contains(&HostEvent::Resumed { key: host.clone() }));
    assert!(pair.host_events.contains(&HostEvent::Cancelled { key: dialog.clone() }));
    pair.pass_ms(2_000);
    assert_eq!(failure(&pair, &host), Some(ErrorKind::Cancelled), "the extension did not answer");
    answer(&mut pair, &dialog);
}

#[test]
fn a_call_that_is_answered_or_dies_leaves_nothing_behind() {
    let mut pair = asking();
    let (_, ours) = pair.open_call();
    let (_, dialog) = ask(&mut pair, &ours, "ui.confirm");
    pair.answer(&ours, "done");
    assert!(pair.host_events.contains(&HostEvent::Cancelled { key: dialog.clone() }));
    answer(&mut pair, &dialog);
    assert_eq!((pair.host.poll_timeout(), pair.extension.poll_timeout()), (None, None));

    let (host, ours) = pair.open_call();
    ask(&mut pair, &ours, "ui.confirm");
    pair.host.handle_gone("it was killed");
    pair.host_events.extend(std::iter::from_fn(|| pair.host.poll_event()));
    assert_eq!(failure(&pair, &host), Some(ErrorKind::Transient));
    assert_eq!(pair.host.poll_timeout(), None);
}

/// The extension calls a tool on behalf of a call; the host's name of that.
fn call_below(pair: &mut Pair, parent: &CallKey) -> CallKey {
    pair.extension.call_tool(Some(parent), "other", raw("{}"), pair.now).unwrap();
    pair.step();
    match pair.host_events.last() {
        Some(HostEvent::CallTool { key, .. }) => key.clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_call_above_stands_still_with_the_one_below() {
    let mut pair = asking();
    let (host, ours) = pair.open_call();
    pair.pass_ms(10_000);
    let below = call_below(&mut pair, &ours);
    pair.pass_ms(10_000);
    // The tool that it called asks, in another extension.
    pair.host.pause_call_tool(&below, pair.now);
    pair.host.pause_call_tool(&below, pair.now);
    pair.step();
    assert_eq!(pauses(&pair), [&HostEvent::Paused { key: host.clone() }]);
    pair.pass_ms(10 * MINUTE);
    assert_eq!(failure(&pair, &host), None);
    pair.host.resume_call_tool(&below, pair.now);
    pair.step();
    assert_eq!(pauses(&pair)[1..], [&HostEvent::Resumed { key: host.clone() }]);
    pair.pass_ms(39_999);
    assert_eq!(failure(&pair, &host), None);
    pair.pass_ms(1);
    assert_eq!(failure(&pair, &host), Some(ErrorKind::Timeout), "40 s were left of its 60");
    pair.pass_ms(9_999);
    assert_eq!(pair.lines("timeout: other"), Vec::<&str>::new());
    pair.pass_ms(1);
    assert_eq!(pair.lines("timeout: other").len(), 1, "50 s were left of the nested call's");
}

#[test]
fn a_nested_call_that_is_answered_lets_the_one_above_go_on() {
    let mut pair = asking();
    let (host, ours) = pair.open_call();
    let below = call_below(&mut pair, &ours);
    pair.host.pause_call_tool(&below, pair.now);
    pair.pass_ms(10 * MINUTE);
    let (id, name) = (below.id().clone(), "other".to_owned());
    let (content, is_error, truncated) = (Vec::new(), false, false);
    let answer = CallToolResult { id, name, content, is_error, truncated };
    pair.host.reply_call_tool(&below, answer, pair.now).unwrap();
    pair.pass_ms(MINUTE - 1);
    assert_eq!(failure(&pair, &host), None);
    pair.pass_ms(1);
    assert_eq!(failure(&pair, &host), Some(ErrorKind::Timeout));
}

/// `guard.margin-pauses`, `rpc.dialog-pauses-above`.
#[test]
fn a_guard_may_call_a_tool_that_asks_for_longer_than_its_margin() {
    let mut pair = asking();
    let (host, ours) = intercept(&mut pair);
    pair.pass_ms(4_000);
    let below = call_below(&mut pair, &ours);
    assert_eq!(pair.lines(r#""parent":{"kind":"intercept""#).len(), 1);
    pair.host.pause_call_tool(&below, pair.now);
    pair.pass_ms(10 * MINUTE);
    assert_eq!(failure(&pair, &host), None);
    let (id, name) = (below.id().clone(), "other".to_owned());
    let (content, is_error, truncated) = (Vec::new(), false, false);
    let answer = CallToolResult { id, name, content, is_error, truncated };
    pair.host.reply_call_tool(&below, answer, pair.now).unwrap();
    pair.step();
    pair.pass_ms(499);
    assert_eq!(pair.lines("E> {\"type\":\"event_intercept_response\""), Vec::<&str>::new());
    pair.pass_ms(1);
    assert_eq!(pair.lines("E> {\"type\":\"event_intercept_response\"").len(), 1);
}

#[test]
fn a_guard_whose_tool_asks_nobody_is_decided_for_by_the_host() {
    let mut pair = asking();
    let (host, ours) = intercept(&mut pair);
    call_below(&mut pair, &ours);
    pair.pass_ms(4_999);
    assert_eq!(pair.lines("E> {\"type\":\"event_intercept_response\""), Vec::<&str>::new());
    pair.pass_ms(1);
    assert_eq!(failure(&pair, &host), Some(ErrorKind::Timeout));
}

/// A zot lets nothing stand still, and takes silence for a yes.
#[test]
fn a_guard_that_calls_a_tool_answers_a_host_without_rpc_in_time() {
    let mut config = config();
    let guards = Some(vec!["tool_call".to_owned()]);
    config.registrations.subscribe = Subscribe { guards, ..Subscribe::default() };
    let capabilities = Some(vec!["call_tool".to_owned()]);
    let mut pair = Pair::ready(config, HelloAck { capabilities, ..full_ack() });
    let (_, ours) = intercept(&mut pair);
    call_below(&mut pair, &ours);
    assert_eq!(pair.lines("parent"), Vec::<&str>::new());
    pair.pass_ms(4_500);
    assert_eq!(pair.lines("E> {\"type\":\"event_intercept_response\"").len(), 1);
}
