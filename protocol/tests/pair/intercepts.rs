//! Intercepts and guards: decided in time, failing closed.

use extline_protocol::frame::{EventInterceptResponse, EventPayload, OnFailure, Phase, Subscribe};
use extline_protocol::{
    CallKey, ErrorKind, ExtensionConfig, ExtensionEvent, HostEvent, Intercept, Notice, RawJson,
};

use crate::harness::{Pair, config, full_ack, zot_ack};

fn guarding(subscribe: Subscribe) -> ExtensionConfig {
    let mut config = config();
    config.registrations.subscribe = subscribe;
    config
}

fn points(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn intercept(pair: &mut Pair, point: &str, phase: Option<Phase>) -> CallKey {
    let payload = EventPayload { tool_name: Some("bash".to_owned()), ..EventPayload::default() };
    let intercept = Intercept { event: point.to_owned(), phase, payload, ..Intercept::default() };
    pair.host.intercept(intercept, pair.now).unwrap()
}

fn response(pair: &Pair) -> &EventInterceptResponse {
    match pair.host_events.last() {
        Some(HostEvent::InterceptResponse { response, .. }) => response,
        other => panic!("{other:?}"),
    }
}

#[test]
fn nobody_there_means_an_empty_answer_at_once() {
    let mut pair = Pair::usual();
    intercept(&mut pair, "turn_start", None);
    pair.step();
    assert_eq!(pair.lines("E> "), ["E> {\"type\":\"event_intercept_response\",\"id\":\"1\"}"]);
    assert_eq!(pair.extension_events, []);
}

#[test]
fn each_phase_asks_only_those_who_declared_it() {
    let only_guards = Subscribe { guards: Some(points(&["tool_call"])), ..Subscribe::default() };
    let mut pair = Pair::ready(guarding(only_guards), full_ack());
    intercept(&mut pair, "tool_call", Some(Phase::Intercept));
    pair.step();
    assert_eq!(pair.extension_events, []);
    assert!(!response(&pair).block);
    intercept(&mut pair, "tool_call", Some(Phase::Guard));
    pair.step();
    assert!(matches!(pair.extension_events[..], [ExtensionEvent::Intercept { .. }]));
    pair.clear();
    intercept(&mut pair, "tool_call", None);
    pair.step();
    assert!(matches!(pair.extension_events[..], [ExtensionEvent::Intercept { .. }]), "as on a zot");
}

#[test]
fn a_decision_is_sent_as_it_was_made() {
    let subscribe = Subscribe { intercept: Some(points(&["tool_call"])), ..Subscribe::default() };
    let mut pair = Pair::ready(guarding(subscribe), zot_ack());
    intercept(&mut pair, "tool_call", None);
    pair.step();
    let key = pair.last_call();
    let mut decision = EventInterceptResponse::allow("ignored".into());
    decision.modified_args = Some(RawJson::parse(r#"{"n": 33}"#).unwrap());
    pair.extension.reply_intercept(&key, decision).unwrap();
    pair.step();
    assert_eq!(
        pair.lines("E> "),
        ["E> {\"type\":\"event_intercept_response\",\"id\":\"1\",\"modified_args\":{\"n\": 33}}"]
    );
}

#[test]
fn rewritten_args_that_are_no_object_count_as_a_failure() {
    let subscribe = Subscribe { intercept: Some(points(&["tool_call"])), ..Subscribe::default() };
    let mut pair = Pair::ready(guarding(subscribe), full_ack());
    intercept(&mut pair, "tool_call", Some(Phase::Intercept));
    pair.step();
    let key = pair.last_call();
    let mut decision = EventInterceptResponse::allow(key.id().clone());
    decision.modified_args = Some(RawJson::null());
    pair.extension.reply_intercept(&key, decision).unwrap();
    pair.step();
    assert!(response(&pair).block, "null would replace the arguments on a real zot");
}

#[test]
fn a_guard_that_hangs_blocks_before_the_host_stops_waiting() {
    let subscribe = Subscribe { guards: Some(points(&["tool_call"])), ..Subscribe::default() };
    let mut pair = Pair::ready(guarding(subscribe), zot_ack());
    intercept(&mut pair, "tool_call", None);
    pair.step();
    let key = pair.last_call();
    pair.extension.intercept_running(&key, "no_rm");
    pair.pass_ms(4_499);
    assert_eq!(pair.host_events, []);
    pair.pass_ms(1);
    assert!(response(&pair).block);
    assert_eq!(response(&pair).reason.as_deref(), Some("guard no_rm timed out"));
    let notice = Notice::InterceptTimedOut {
        handler: "no_rm".to_owned(),
        point: "tool_call".to_owned(),
        blocked: true,
    };
    assert!(pair.extension_events.contains(&ExtensionEvent::Notice(notice)));
    assert!(
        pair.extension_events.iter().any(|event| matches!(event, ExtensionEvent::Cancelled { .. }))
    );
    let late = EventInterceptResponse::allow(key.id().clone());
    assert!(pair.extension.reply_intercept(&key, late).is_err());
    pair.step();
    assert_eq!(pair.lines("event_intercept_response").len(), 1);
}

#[test]
fn an_interceptor_that_hangs_is_not_called_a_guard() {
    let both = || Some(points(&["tool_call"]));
    let subscribe = Subscribe { intercept: both(), guards: both(), ..Subscribe::default() };
    for (phase, named, reason) in [
        (Some(Phase::Intercept), None, "interceptor tool_call timed out"),
        (None, None, "interceptor tool_call timed out"),
        (None, Some("no_rm"), "guard no_rm timed out"),
        (Some(Phase::Guard), None, "guard tool_call timed out"),
    ] {
        let mut pair = Pair::ready(guarding(subscribe.clone()), full_ack());
        intercept(&mut pair, "tool_call", phase);
        pair.step();
        let key = pair.last_call();
        if let Some(guard) = named {
            pair.extension.intercept_running(&key, guard);
        }
        pair.pass_ms(4_500);
        assert_eq!(response(&pair).reason.as_deref(), Some(reason));
    }
}

#[test]
fn the_model_is_told_where_the_host_tells_it() {
    let mut pair = Pair::ready(config(), full_ack());
    let word = |word: &str| Some(word.to_owned());
    let intercept = Intercept {
        event: "before_agent_start".to_owned(),
        phase: Some(Phase::Intercept),
        payload: EventPayload {
            provider: word("anthropic"),
            model: word("opus"),
            ..EventPayload::default()
        },
        system_prompt: word("Be kind."),
    };
    pair.host.intercept(intercept, pair.now).unwrap();
    pair.step();
    assert_eq!(
        pair.lines("event_intercept\"")[0],
        r#"H> {"type":"event_intercept","id":"1","event":"before_agent_start","phase":"intercept","provider":"anthropic","model":"opus","system_prompt":"Be kind."}"#
    );
}

#[test]
fn the_margin_follows_the_host_s_own_limit() {
    let limits =
        extline_protocol::frame::Limits { intercept_timeout_ms: Some(600), ..Default::default() };
    let ack = extline_protocol::frame::HelloAck { limits: Some(limits), ..full_ack() };
    let subscribe = Subscribe { guards: Some(points(&["tool_call"])), ..Subscribe::default() };
    let mut pair = Pair::ready(guarding(subscribe), ack);
    intercept(&mut pair, "tool_call", Some(Phase::Guard));
    pair.pass_ms(299);
    assert_eq!(pair.host_events, []);
    pair.pass_ms(1);
    assert!(response(&pair).block);
}

#[test]
fn on_failure_decides_and_points_that_cannot_block_pass() {
    let subscribe = Subscribe {
        intercept: Some(points(&["tool_call", "turn_start", "before_agent_start"])),
        on_failure: Some([("turn_start".to_owned(), OnFailure::Allow)].into()),
        ..Subscribe::default()
    };
    let mut pair = Pair::ready(guarding(subscribe), full_ack());
    for (point, blocks) in
        [("tool_call", true), ("turn_start", false), ("before_agent_start", false)]
    {
        intercept(&mut pair, point, Some(Phase::Intercept));
        pair.step();
        let key = pair.last_call();
        pair.extension.fail_intercept(&key, "it threw").unwrap();
        pair.step();
        assert_eq!(response(&pair).block, blocks, "{point}");
        assert_eq!(response(&pair).reason.is_some(), blocks, "{point}");
    }
}

#[test]
fn a_bad_intercept_is_blocked_by_one_who_guards() {
    let subscribe = Subscribe { guards: Some(points(&["tool_call"])), ..Subscribe::default() };
    let mut pair = Pair::ready(guarding(subscribe), full_ack());
    pair.host_writes(r#"{"type":"event_intercept","id":"a","event":5}"#);
    assert!(pair.lines("E> ")[0].contains("\"block\":true"));
    let mut pair = Pair::usual();
    pair.host_writes(r#"{"type":"event_intercept","id":"a","event":5}"#);
    assert_eq!(pair.lines("E> "), ["E> {\"type\":\"event_intercept_response\",\"id\":\"a\"}"]);
}

#[test]
fn a_host_waits_five_seconds() {
    let mut pair = Pair::new(config(), full_ack());
    pair.extension_writes(r#"{"type":"hello","name":"plain"}"#);
    pair.extension_writes(r#"{"type":"ready"}"#);
    pair.clear();
    let intercept = Intercept { event: "tool_call".to_owned(), ..Intercept::default() };
    pair.host.intercept(intercept, pair.now).unwrap();
    pair.now += std::time::Duration::from_millis(4_999);
    pair.host.handle_timeout(pair.now);
    assert_eq!(pair.host.poll_event(), None);
    pair.now += std::time::Duration::from_millis(1);
    pair.host.handle_timeout(pair.now);
    let Some(HostEvent::CallFailed { error, .. }) = pair.host.poll_event() else { panic!() };
    assert_eq!(error.kind, ErrorKind::Timeout);
}

#[test]
fn an_answer_with_arguments_that_are_no_object_is_none_but_a_block_counts() {
    let subscribe = Subscribe { intercept: Some(points(&["tool_call"])), ..Subscribe::default() };
    let mut pair = Pair::ready(guarding(subscribe), full_ack());
    intercept(&mut pair, "tool_call", Some(Phase::Intercept));
    pair.extension_writes(r#"{"type":"event_intercept_response","id":"1","modified_args":[1]}"#);
    let Some(HostEvent::CallFailed { error, .. }) = pair.host_events.last() else { panic!() };
    assert_eq!(error.kind, ErrorKind::Protocol);
    assert!(error.message.contains("/modified_args: expected an object, found [1]"));
    intercept(&mut pair, "tool_call", Some(Phase::Intercept));
    pair.extension_writes(
        r#"{"type":"event_intercept_response","id":"2","block":true,"modified_args":[1]}"#,
    );
    assert!(response(&pair).block);
}
