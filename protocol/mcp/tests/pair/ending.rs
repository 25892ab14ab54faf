//! The client's end, and what is still answered.

use std::time::Duration;

use extline_protocol::ExtensionEvent;

use crate::harness::{Triple, config};

fn is_ending(triple: &Triple) -> bool {
    triple.extension_events.iter().any(|event| matches!(event, ExtensionEvent::ShuttingDown(_)))
}

#[test]
fn at_the_client_s_end_the_extension_is_asked_to_end() {
    let mut triple = Triple::initialized(config());
    triple.eof();
    assert!(is_ending(&triple) && triple.input_is_closed);
}

#[test]
fn what_was_asked_before_the_end_is_answered_first() {
    let mut triple = Triple::initialized(config());
    let key = triple.call("1", "");
    triple.eof();
    triple.pass(Duration::from_millis(1900));
    assert!(!is_ending(&triple));
    triple.answer(&key, "16°C");
    assert_eq!(triple.received().len(), 1);
    assert!(is_ending(&triple), "with the last answer");
}

#[test]
fn requests_and_the_end_may_come_before_the_extension_is_ready() {
    let mut triple = Triple::new(config());
    triple.client(r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"weather"}}"#);
    triple.eof();
    triple.pass(Duration::from_secs(2));
    assert!(!is_ending(&triple));
    triple.extension.ready();
    triple.step();
    let key = triple.last_call();
    triple.answer(&key, "16°C");
    assert_eq!(triple.received()[0]["result"]["content"][0]["text"], "16°C");
    assert!(is_ending(&triple));
}

#[test]
fn a_call_that_goes_on_after_the_end_is_answered_as_cancelled() {
    let mut triple = Triple::initialized(config());
    triple.call("1", "");
    triple.eof();
    triple.pass(Duration::from_secs(4));
    let answer = &triple.received()[0];
    assert_eq!(
        (&answer["id"], &answer["result"]["isError"]),
        (&1.into(), &true.into()),
        "{answer}"
    );
}

#[test]
fn a_last_line_without_its_end_counts() {
    let mut triple = Triple::initialized(config());
    triple.bridge.handle_client(br#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#, triple.now);
    triple.eof();
    assert_eq!(triple.received().len(), 1);
}

#[test]
fn nothing_is_done_after_the_end() {
    let mut triple = Triple::initialized(config());
    triple.eof();
    triple.client(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#);
    assert!(triple.received().is_empty());
}
