//! Dialogs of an extension, as a client with a session shows them.

use std::time::Duration;

use extline_protocol::{CallKey, ExtensionEvent};
use serde_json::{Value, json};

use crate::harness::{Triple, config};

const FORMS: &str = r#"{"elicitation":{}}"#;
const NEWEST: &str = "2025-11-25";
const OLDER: &str = "2025-06-18";

fn asking(revision: &str) -> (Triple, CallKey) {
    let mut triple = Triple::with_session(config(), revision, FORMS);
    let call = triple.call("1", "");
    (triple, call)
}

/// The client answers the question that it was asked last.
fn reply(triple: &mut Triple, result: &Value) {
    let asked = triple.received().into_iter().rfind(|line| line["method"] == "elicitation/create");
    let id = &asked.expect("a question")["id"];
    triple.client(&json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string());
}

fn accept(content: &Value) -> Value {
    json!({"action": "accept", "content": content})
}

#[test]
fn a_yes_or_no_is_a_form_with_one_field() {
    let (mut triple, call) = asking(NEWEST);
    let asked =
        triple.ask(&call, "ui.confirm", &json!({"title": "Ship it?", "message": "To all."}));
    let line = triple.last();
    assert_eq!(line["method"], "elicitation/create");
    assert_eq!(
        line["params"],
        json!({
            "message": "weather asks: Ship it?\n\nTo all.", "mode": "form",
            "requestedSchema": {"type": "object", "required": ["confirmed"],
                "properties": {"confirmed": {"type": "boolean", "title": "Ship it?"}}},
        })
    );
    assert_eq!(triple.told(&asked), None);
    reply(&mut triple, &accept(&json!({"confirmed": true})));
    assert_eq!(triple.told(&asked), Some(json!({"confirmed": true})));
    triple.answer(&call, "shipped");
    assert_eq!(triple.last()["result"]["content"][0]["text"], "shipped");
}

#[test]
fn who_declines_or_cancels_has_closed_the_dialog() {
    for action in ["decline", "cancel"] {
        let (mut triple, call) = asking(OLDER);
        let asked = triple.ask(&call, "ui.confirm", &json!({"title": "Ship it?"}));
        assert_eq!(triple.last()["params"]["mode"], Value::Null, "there were no modes");
        reply(&mut triple, &json!({"action": action}));
        assert_eq!(triple.told(&asked), Some(json!({"dismissed": "user"})));
    }
}

#[test]
fn choices_are_written_as_each_revision_has_them() {
    let options = json!(["north", {"label": "South", "value": "s", "description": "warm"}]);
    let params = json!({"title": "Where?", "options": options, "initial": "s"});
    let (mut triple, call) = asking(NEWEST);
    let asked = triple.ask(&call, "ui.select", &params);
    assert_eq!(
        triple.last()["params"]["requestedSchema"]["properties"]["value"],
        json!({
            "type": "string", "title": "Where?", "default": "s",
            "oneOf": [{"const": "north", "title": "north"}, {"const": "s", "title": "South: warm"}],
        })
    );
    reply(&mut triple, &accept(&json!({"value": "s"})));
    assert_eq!(triple.told(&asked), Some(json!({"value": "s"})));

    let (mut triple, call) = asking(OLDER);
    let asked = triple.ask(&call, "ui.select", &params);
    assert_eq!(
        triple.last()["params"]["requestedSchema"]["properties"]["value"],
        json!({
            "type": "string", "title": "Where?", "enum": ["north", "s"],
            "enumNames": ["north", "South: warm"],
        })
    );
    reply(&mut triple, &accept(&json!({"value": "north"})));
    assert_eq!(triple.told(&asked), Some(json!({"value": "north"})));
}

#[test]
fn several_choices_are_a_list_or_a_yes_or_no_each() {
    let params = json!({"title": "Where?", "options": ["north", "south", "west"], "multi": true});
    let (mut triple, call) = asking(NEWEST);
    let asked = triple.ask(&call, "ui.select", &params);
    assert_eq!(
        triple.last()["params"]["requestedSchema"]["properties"]["values"]["items"],
        json!({"type": "string", "enum": ["north", "south", "west"]})
    );
    reply(&mut triple, &accept(&json!({"values": ["west", "north"]})));
    assert_eq!(triple.told(&asked), Some(json!({"values": ["north", "west"]})));

    let (mut triple, call) = asking(OLDER);
    let asked = triple.ask(&call, "ui.select", &params);
    let schema = &triple.last()["params"]["requestedSchema"];
    let flag = json!({"type": "boolean", "title": "Where?: south"});
    assert_eq!(schema["properties"]["values.2"], flag);
    reply(&mut triple, &accept(&json!({"values.2": true, "values.1": false})));
    assert_eq!(triple.told(&asked), Some(json!({"values": ["south"]})));
}

#[test]
fn texts_and_several_questions_are_fields_too() {
    let (mut triple, call) = asking(NEWEST);
    let asked = triple.ask(&call, "ui.input", &json!({"title": "By whom?", "placeholder": "Ada"}));
    let line = triple.last();
    assert_eq!(
        line["params"]["requestedSchema"],
        json!({"type": "object", "properties": {
            "value": {"type": "string", "title": "By whom?", "description": "for instance Ada"}}})
    );
    reply(&mut triple, &accept(&json!({})));
    assert_eq!(triple.told(&asked), Some(json!({"value": ""})), "nothing was typed");

    let asked = triple.ask(&call, "ui.editor", &json!({"title": "Notes?", "prefill": "New:\n"}));
    let line = triple.last();
    assert_eq!(line["params"]["requestedSchema"]["properties"]["value"]["default"], "New:\n");
    reply(&mut triple, &accept(&json!({"value": "New:\nall"})));
    assert_eq!(triple.told(&asked), Some(json!({"value": "New:\nall"})));

    let questions = json!([
        {"id": "where", "question": "Where?", "options": ["n", "s"], "recommended": "s"},
        {"id": "by", "question": "By whom?"},
        {"id": "to", "question": "To?", "options": ["a", "b"], "multi": true},
    ]);
    let asked = triple.ask(&call, "ui.ask", &json!({"questions": questions}));
    let schema = &triple.last()["params"]["requestedSchema"];
    assert_eq!(schema["required"], json!(["where"]));
    assert_eq!(schema["properties"]["where"]["default"], "s");
    reply(&mut triple, &accept(&json!({"where": "n", "by": "Ada", "to": ["b"]})));
    let answers = json!({"where": ["n"], "by": ["Ada"], "to": ["b"]});
    assert_eq!(triple.told(&asked), Some(json!({ "answers": answers })));
}

#[test]
fn a_sign_in_is_a_page_where_the_client_opens_pages() {
    let params = json!({"url": "https://a.example/device", "code": "AB-12"});
    let can = r#"{"elicitation":{"form":{},"url":{}}}"#;
    let mut triple = Triple::with_session(config(), NEWEST, can);
    let call = triple.call("1", "");
    let asked = triple.ask(&call, "ui.auth", &params);
    let shown = triple.last()["params"].clone();
    assert_eq!((&shown["mode"], &shown["url"]), (&json!("url"), &params["url"]));
    assert!(shown["message"].as_str().unwrap().contains("AB-12"), "{shown}");
    assert!(shown["elicitationId"].is_string(), "{shown}");
    // That they have opened it does not say that they have signed in.
    reply(&mut triple, &json!({"action": "accept"}));
    assert_eq!(triple.told(&asked), None);
    let message = triple.last()["params"]["message"].clone();
    assert_eq!(message, "weather asks: Are you signed in?\n\nhttps://a.example/device");
    reply(&mut triple, &accept(&json!({"confirmed": false})));
    assert_eq!(triple.told(&asked), Some(json!({"confirmed": false})));
    let asked = triple.ask(&call, "ui.auth", &params);
    reply(&mut triple, &json!({"action": "accept"}));
    triple.extension.cancel_outgoing(&asked);
    triple.step();
    assert_eq!(triple.last()["method"], "notifications/cancelled", "also what was asked second");

    // Who cannot be asked that is taken at their word.
    let mut triple = Triple::with_session(config(), NEWEST, r#"{"elicitation":{"url":{}}}"#);
    let call = triple.call("1", "");
    let asked = triple.ask(&call, "ui.auth", &params);
    reply(&mut triple, &json!({"action": "accept"}));
    assert_eq!(triple.told(&asked), Some(json!({"confirmed": true})));

    let (mut triple, call) = asking(NEWEST);
    let asked = triple.ask(&call, "ui.auth", &params);
    let told = triple.told(&asked).expect("an answer at once");
    assert_eq!(told["code"], "unsupported");
    assert!(told["message"].as_str().unwrap().contains("elicitation with url"), "{told}");
}

#[test]
fn a_client_that_cannot_ask_is_told_of_at_once() {
    for (revision, can) in [(NEWEST, "{}"), ("2025-03-26", FORMS), (NEWEST, r#"{"sampling":{}}"#)] {
        let mut triple = Triple::with_session(config(), revision, can);
        let call = triple.call("1", "");
        let asked = triple.ask(&call, "ui.confirm", &json!({"title": "Ship it?"}));
        let told = triple.told(&asked).expect("an answer at once");
        assert_eq!(told["code"], "unsupported");
        let text = told["message"].as_str().unwrap();
        assert!(text.contains("capability elicitation"), "{text}");
        assert!(text.contains("--answer confirm=yes"), "{text}");
        assert!(triple.received().is_empty(), "{:?}", triple.wire);
    }
}

#[test]
fn a_secret_is_never_asked_for() {
    let (mut triple, call) = asking(NEWEST);
    let asked = triple.ask(&call, "ui.input", &json!({"title": "Key?", "secret": true}));
    let told = triple.told(&asked).expect("an answer at once");
    assert_eq!(told["code"], "unsupported");
    assert!(told["message"].as_str().unwrap().contains("secret"), "{told}");
}

#[test]
fn a_wrong_answer_is_told_and_harms_nothing() {
    let params = json!({"title": "Where?", "options": ["north", "south"]});
    for (result, why) in [
        (json!(5), "no object"),
        (json!({}), "no action"),
        (json!({"action": "maybe"}), "maybe"),
        (json!({"action": "accept"}), "value is missing"),
        (accept(&json!([])), "value is missing"),
        (accept(&json!({"value": 1})), "has to be a text"),
        (accept(&json!({"value": "west"})), "west, which was not offered"),
    ] {
        let (mut triple, call) = asking(NEWEST);
        let asked = triple.ask(&call, "ui.select", &params);
        reply(&mut triple, &result);
        let told = triple.told(&asked).expect("an answer");
        assert_eq!(told["code"], "protocol", "{told}");
        assert!(told["message"].as_str().unwrap().contains(why), "{told}");
        triple.answer(&call, "kept");
        assert_eq!(triple.last()["result"]["content"][0]["text"], "kept");
    }
    let (mut triple, call) = asking(NEWEST);
    let asked = triple.ask(&call, "ui.confirm", &json!({"title": "Ship it?"}));
    let id = triple.last()["id"].clone();
    let error = json!({"code": -32601, "message": "Method not found"});
    triple.client(&json!({"jsonrpc": "2.0", "id": id, "error": error}).to_string());
    assert_eq!(triple.told(&asked).unwrap()["code"], "unsupported");
}

#[test]
fn what_is_wrong_with_a_dialog_is_told_its_author() {
    let (mut triple, call) = asking(NEWEST);
    for (method, params, why) in [
        ("ui.confirm", json!({}), "/title: it is missing"),
        ("ui.confirm", json!({"title": " "}), "/title: it is empty"),
        ("ui.select", json!({"title": "?", "options": []}), "nothing to choose from"),
        ("ui.select", json!({"title": "?", "options": [5]}), "/options/0: expected a text"),
        ("ui.ask", json!({"questions": [{"id": "a", "question": 5}]}), "/questions/0/question"),
        ("ui.input", json!({"title": "?", "timeout_ms": 0}), "/timeout_ms"),
        ("ui.auth", json!({"url": "ftp://a"}), "/url"),
    ] {
        let asked = triple.ask(&call, method, &params);
        let told = triple.told(&asked).expect("an answer at once");
        assert_eq!(told["code"], "validation");
        assert!(told["message"].as_str().unwrap().contains(why), "{told}");
    }
}

#[test]
fn a_question_that_nobody_wants_is_taken_back_and_its_late_answer_swallowed() {
    let (mut triple, call) = asking(NEWEST);
    let asked = triple.ask(&call, "ui.confirm", &json!({"title": "Ship it?"}));
    triple.extension.cancel_outgoing(&asked);
    triple.step();
    let taken_back = triple.last();
    assert_eq!(taken_back["method"], "notifications/cancelled");
    let before = triple.wire.len();
    reply(&mut triple, &accept(&json!({"confirmed": true})));
    assert_eq!(triple.received_since(before), Vec::<Value>::new());
    triple.answer(&call, "kept");
    assert_eq!(triple.last()["result"]["content"][0]["text"], "kept");
}

#[test]
fn a_dialog_closes_with_its_call() {
    let (mut triple, call) = asking(NEWEST);
    triple.ask(&call, "ui.confirm", &json!({"title": "Ship it?"}));
    let question = triple.last()["id"].clone();
    triple.answer(&call, "shipped");
    let lines: Vec<_> = triple.received();
    let cancel = lines.iter().find(|line| line["method"] == "notifications/cancelled");
    assert_eq!(cancel.expect("it is taken back")["params"]["requestId"], question);
    reply(&mut triple, &accept(&json!({"confirmed": true})));

    let (mut triple, call) = asking(NEWEST);
    let asked = triple.ask(&call, "ui.confirm", &json!({"title": "Ship it?"}));
    triple
        .client(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#);
    assert_eq!(triple.last()["method"], "notifications/cancelled");
    assert!(triple.told(&asked).is_some());
}

#[test]
fn a_dialog_has_its_time_and_the_clock_of_its_call_stands_still() {
    let mut config = config();
    let mut slow = crate::harness::tool("slow", r#"{"type":"object"}"#);
    slow.timeout_ms = Some(1000);
    config.registrations.tool(slow).unwrap();
    let mut triple = Triple::with_session(config, NEWEST, FORMS);
    triple.client(r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"slow"}}"#);
    let call = triple.last_call();
    let params = json!({"title": "Ship it?", "timeout_ms": 60_000});
    let asked = triple.ask(&call, "ui.confirm", &params);
    triple.pass(Duration::from_secs(59));
    assert_eq!(triple.told(&asked), None);
    triple.pass(Duration::from_secs(2));
    assert_eq!(triple.told(&asked), Some(json!({"dismissed": "timeout"})));
    assert!(triple.received().iter().any(|line| line["method"] == "notifications/cancelled"));
    triple.pass(Duration::from_secs(5));
    assert_eq!(triple.last()["result"]["isError"], true, "its own time has gone on");
}

#[test]
fn a_client_that_is_gone_answers_nothing_any_more() {
    let (mut triple, call) = asking(NEWEST);
    let asked = triple.ask(&call, "ui.confirm", &json!({"title": "Ship it?"}));
    triple.eof();
    assert_eq!(triple.told(&asked), Some(json!({"dismissed": "cancelled"})));
    let again = triple.ask(&call, "ui.confirm", &json!({"title": "Ship it?"}));
    assert_eq!(triple.told(&again).unwrap()["code"], "cancelled");
    triple.answer(&call, "kept");
    assert_eq!(triple.last()["result"]["content"][0]["text"], "kept");
    assert!(triple.extension_events.iter().any(|it| matches!(it, ExtensionEvent::ShuttingDown(_))));
}

#[test]
fn what_is_only_shown_is_taken_and_told_as_progress() {
    let mut triple = Triple::with_session(config(), NEWEST, "{}");
    let call = triple.call("1", r#","_meta":{"progressToken":"p"}"#);
    for (method, params) in [
        ("ui.status", json!({"key": "build", "text": "3 of 5"})),
        ("ui.status", json!({"key": "build", "text": null})),
        ("ui.title", json!({"title": "Ship"})),
        ("ui.widget", json!({"key": "todo", "lines": ["a"]})),
    ] {
        let asked = triple.ask(&call, method, &params);
        assert_eq!(triple.told(&asked), Some(json!({})));
    }
    let told = triple.received();
    assert_eq!(told.len(), 1, "{told:?}");
    assert_eq!(told[0]["params"]["message"], "3 of 5");
}
