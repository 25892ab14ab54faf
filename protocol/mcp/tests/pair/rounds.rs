//! Dialogs in the modern era: a call is answered by what is asked, and its client comes back.

use std::time::Duration;

use extline_protocol::{CallKey, ExtensionEvent};
use serde_json::{Value, json};

use crate::harness::{Triple, config};

fn meta(can: &Value) -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": can,
    })
}

/// The line of a call, with what a client brings back.
fn line(id: u32, more: &Value) -> String {
    let mut params = json!({"name": "weather", "arguments": {"city": "Berlin"}});
    params["_meta"] = meta(&json!({"elicitation": {"form": {}}}));
    for (name, value) in more.as_object().unwrap() {
        params[name] = value.clone();
    }
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}).to_string()
}

/// A call that asks; the names of both, and what the client got.
fn suspended() -> (Triple, CallKey, CallKey, Value) {
    let mut triple = Triple::ready(config());
    triple.client(&line(1, &json!({})));
    let call = triple.last_call();
    let asked = triple.ask(&call, "ui.confirm", &json!({"title": "Ship it?"}));
    let result = triple.last()["result"].clone();
    (triple, call, asked, result)
}

fn back(result: &Value, response: &Value) -> Value {
    let name = result["inputRequests"].as_object().unwrap().keys().next().unwrap();
    json!({"requestState": result["requestState"], "inputResponses": {name: response}})
}

fn yes() -> Value {
    json!({"action": "accept", "content": {"confirmed": true}})
}

#[test]
fn a_call_is_answered_by_its_question_and_goes_on_with_the_answer() {
    let (mut triple, call, asked, result) = suspended();
    assert_eq!(result["resultType"], "input_required");
    assert!(result["requestState"].is_string());
    let (_, request) = result["inputRequests"].as_object().unwrap().iter().next().unwrap();
    assert_eq!(request["method"], "elicitation/create");
    assert_eq!(request["params"]["mode"], "form");
    assert_eq!(triple.received().len(), 1, "nothing else is sent: {:?}", triple.wire);
    assert_eq!(triple.told(&asked), None);
    triple.client(&line(2, &back(&result, &yes())));
    assert_eq!(triple.told(&asked), Some(json!({"confirmed": true})));
    triple.answer(&call, "shipped");
    let last = triple.last();
    assert_eq!((&last["id"], &last["result"]["resultType"]), (&json!(2), &json!("complete")));
    assert_eq!(last["result"]["content"][0]["text"], "shipped");
    let calls = |event: &&ExtensionEvent| matches!(event, ExtensionEvent::ToolCall { .. });
    assert_eq!(triple.extension_events.iter().filter(calls).count(), 1, "the handler ran once");
}

#[test]
fn a_call_may_ask_again_and_again() {
    let (mut triple, call, _, result) = suspended();
    triple.client(&line(2, &back(&result, &yes())));
    let asked = triple.ask(&call, "ui.input", &json!({"title": "By whom?"}));
    let second = triple.last();
    assert_eq!(
        (&second["id"], &second["result"]["resultType"]),
        (&json!(2), &json!("input_required"))
    );
    assert_ne!(second["result"]["requestState"], result["requestState"]);
    let ada = json!({"action": "accept", "content": {"value": "Ada"}});
    triple.client(&line(3, &back(&second["result"], &ada)));
    assert_eq!(triple.told(&asked), Some(json!({"value": "Ada"})));
    triple.answer(&call, "shipped");
    assert_eq!(triple.last()["id"], 3);
}

#[test]
fn what_is_not_answered_is_asked_again_and_what_is_asked_meanwhile_too() {
    let (mut triple, call, first, result) = suspended();
    let second = triple.ask(&call, "ui.input", &json!({"title": "By whom?"}));
    assert_eq!(triple.received().len(), 1);
    triple.client(&line(2, &back(&result, &yes())));
    assert_eq!(triple.told(&first), Some(json!({"confirmed": true})));
    let next = triple.last()["result"].clone();
    assert_eq!(next["resultType"], "input_required");
    assert_eq!(next["inputRequests"].as_object().unwrap().len(), 1);
    triple.client(&line(3, &json!({"requestState": next["requestState"]})));
    let again = triple.last()["result"].clone();
    assert_eq!(again["inputRequests"], next["inputRequests"]);
    let wrong = json!({"action": "accept", "content": {"value": 5}});
    triple.client(&line(4, &back(&again, &wrong)));
    assert_eq!(triple.told(&second).unwrap()["code"], "protocol");
}

#[test]
fn the_result_of_a_call_waits_for_its_client() {
    let (mut triple, call, asked, result) = suspended();
    triple.extension.cancel_outgoing(&asked);
    triple.step();
    triple.answer(&call, "kept");
    assert_eq!(triple.received().len(), 1, "the client has not come back: {:?}", triple.wire);
    triple.client(&line(2, &back(&result, &yes())));
    let last = triple.last();
    assert_eq!((&last["id"], &last["result"]["content"][0]["text"]), (&json!(2), &json!("kept")));
}

#[test]
fn a_state_that_is_changed_used_or_of_another_call_is_refused() {
    let (mut triple, call, _, result) = suspended();
    let mut forged = back(&result, &yes());
    forged["requestState"] = json!("1.900000.AAAA");
    let mut other = back(&result, &yes());
    other["arguments"] = json!({"city": "Paris"});
    for (more, why) in [(forged, "not made by this server"), (other, "other arguments")] {
        triple.client(&line(2, &more));
        let error = triple.last()["error"].clone();
        assert_eq!(error["code"], -32602, "{error}");
        assert!(error["message"].as_str().unwrap().contains(why), "{error}");
    }
    triple.client(&line(3, &back(&result, &yes())));
    triple.answer(&call, "shipped");
    triple.client(&line(4, &back(&result, &yes())));
    let error = triple.last()["error"].clone();
    assert!(error["message"].as_str().unwrap().contains("used before"), "{error}");
}

#[test]
fn a_client_that_does_not_come_back_has_its_call_cancelled() {
    let (mut triple, call, asked, result) = suspended();
    triple.pass(Duration::from_secs(14 * 60));
    assert_eq!(triple.told(&asked), None);
    triple.pass(Duration::from_secs(2 * 60));
    assert_eq!(triple.told(&asked), Some(json!({"dismissed": "cancelled"})));
    let is_cancel =
        |it: &ExtensionEvent| matches!(it, ExtensionEvent::Cancelled { key, .. } if *key == call);
    assert!(triple.extension_events.iter().any(is_cancel), "{:?}", triple.extension_events);
    triple.client(&line(2, &back(&result, &yes())));
    let error = triple.last()["error"].clone();
    assert!(error["message"].as_str().unwrap().contains("has expired"), "{error}");
}

#[test]
fn a_client_that_cannot_ask_is_told_of_at_once() {
    let mut triple = Triple::ready(config());
    triple.client(&line(1, &json!({"_meta": meta(&json!({}))})));
    let call = triple.last_call();
    let asked = triple.ask(&call, "ui.confirm", &json!({"title": "Ship it?"}));
    assert_eq!(triple.told(&asked).unwrap()["code"], "unsupported");
    assert!(triple.received().is_empty(), "{:?}", triple.wire);
}

#[test]
fn a_client_that_is_gone_comes_back_to_nothing() {
    let (mut triple, _, asked, _) = suspended();
    triple.eof();
    assert_eq!(triple.told(&asked), Some(json!({"dismissed": "cancelled"})));
    let ends = |it: &ExtensionEvent| matches!(it, ExtensionEvent::ShuttingDown(_));
    assert!(triple.extension_events.iter().any(ends), "{:?}", triple.extension_events);
}

#[test]
fn a_sign_in_takes_two_rounds() {
    let mut triple = Triple::ready(config());
    let meta = meta(&json!({"elicitation": {"form": {}, "url": {}}}));
    triple.client(&line(1, &json!({ "_meta": meta })));
    let call = triple.last_call();
    let asked = triple.ask(&call, "ui.auth", &json!({"url": "https://a.example"}));
    let first = triple.last()["result"].clone();
    let (_, page) = first["inputRequests"].as_object().unwrap().iter().next().unwrap();
    let url = json!({"mode": "url", "url": "https://a.example"});
    assert_eq!((&page["params"]["mode"], &page["params"]["url"]), (&url["mode"], &url["url"]));
    assert_eq!(page["params"]["elicitationId"], Value::Null, "this era has none");
    let mut more = back(&first, &json!({"action": "accept"}));
    more["_meta"] = meta.clone();
    triple.client(&line(2, &more));
    let second = triple.last()["result"].clone();
    assert_eq!(second["resultType"], "input_required", "{second}");
    more = back(&second, &yes());
    more["_meta"] = meta;
    triple.client(&line(3, &more));
    assert_eq!(triple.told(&asked), Some(json!({"confirmed": true})));
}
