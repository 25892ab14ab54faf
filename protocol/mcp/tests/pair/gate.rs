//! The extension's own interceptors and guards, for its own tools.

use std::time::Duration;

use extline_protocol::frame::EventInterceptResponse;
use extline_protocol::{ExtensionEvent, RawJson};

use crate::harness::{Triple, config};

fn guarded(kind: &str) -> Triple {
    let mut triple = Triple::new(config());
    triple.extension.subscribe_mut().add(kind, "tool_call");
    triple.extension.ready();
    triple.step();
    triple.extension_events.clear();
    triple
}

fn text(triple: &Triple) -> String {
    triple.received()[0]["result"]["content"][0]["text"].as_str().unwrap().to_owned()
}

#[test]
fn a_guard_is_asked_before_the_tool_runs_and_may_block() {
    let mut triple = guarded("guard");
    let question = triple.call("1", "");
    assert!(matches!(triple.extension_events.as_slice(), [ExtensionEvent::Intercept { .. }]));
    let blocked = EventInterceptResponse::block(question.id().clone(), "not there");
    triple.extension.reply_intercept(&question, blocked).unwrap();
    triple.step();
    assert_eq!(triple.received()[0]["result"]["isError"], true);
    assert_eq!(text(&triple), "not there");
    assert_eq!(triple.extension_events.len(), 1, "the tool never ran");
}

#[test]
fn an_interceptor_may_rewrite_the_arguments() {
    let mut triple = guarded("intercept");
    let question = triple.call("1", "");
    let answer = EventInterceptResponse {
        modified_args: Some(RawJson::parse(r#"{"city":"Paris"}"#).unwrap()),
        ..EventInterceptResponse::allow(question.id().clone())
    };
    triple.extension.reply_intercept(&question, answer).unwrap();
    triple.step();
    let Some(ExtensionEvent::ToolCall { call, .. }) = triple.extension_events.last() else {
        panic!()
    };
    assert_eq!(call.args.get(), r#"{"city":"Paris"}"#);
}

#[test]
fn a_guard_that_never_answers_blocks() {
    let mut triple = guarded("guard");
    triple.call("1", "");
    triple.pass(Duration::from_secs(6));
    assert_eq!(triple.received()[0]["result"]["isError"], true, "{:?}", triple.wire);
    assert!(
        !triple
            .extension_events
            .iter()
            .any(|event| matches!(event, ExtensionEvent::ToolCall { .. }))
    );
}

#[test]
fn a_call_that_is_cancelled_while_it_is_asked_about_never_runs() {
    let mut triple = guarded("guard");
    let question = triple.call("1", "");
    triple
        .client(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#);
    let allowed = EventInterceptResponse::allow(question.id().clone());
    let _ = triple.extension.reply_intercept(&question, allowed);
    triple.pass(Duration::from_secs(10));
    assert!(triple.received().is_empty(), "{:?}", triple.wire);
    assert!(
        !triple
            .extension_events
            .iter()
            .any(|event| matches!(event, ExtensionEvent::ToolCall { .. }))
    );
}

#[test]
fn what_mcp_has_no_place_for_is_told_to_the_author() {
    let mut triple = Triple::new(config());
    triple.extension.subscribe_mut().add("event", "session_start");
    triple.extension.subscribe_mut().add("intercept", "turn_start");
    triple.extension.ready();
    triple.step();
    let told: Vec<_> = triple
        .extension_events
        .iter()
        .filter_map(|event| match event {
            ExtensionEvent::Notice(notice) => Some(notice.to_string()),
            _ => None,
        })
        .collect();
    assert!(told.iter().any(|line| line.contains("session_start")), "{told:?}");
    assert!(told.iter().any(|line| line.contains("turn_start")), "{told:?}");
}
