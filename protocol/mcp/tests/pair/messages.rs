//! Lines that are no requests, requests for what there is not, and log messages.

use extline_protocol::frame::Level;
use serde_json::{Value, json};

use crate::harness::{Triple, config};

#[test]
fn each_mistake_is_answered_by_its_code() {
    let mut triple = Triple::initialized(config());
    for (line, code, id) in [
        ("{\"jsonrpc\":", -32700, Value::Null),
        ("nonsense", -32700, Value::Null),
        ("[]", -32600, Value::Null),
        (r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, -32600, Value::Null),
        ("5", -32600, Value::Null),
        (r#"{"jsonrpc":"2.0","id":1}"#, -32600, json!(1)),
        (r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, -32600, json!(1)),
        (r#"{"id":1,"method":"ping"}"#, -32600, json!(1)),
        (r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, -32600, Value::Null),
        (r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, -32600, Value::Null),
        (r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, -32600, Value::Null),
        (r#"{"jsonrpc":"2.0","id":1,"method":5}"#, -32600, json!(1)),
        (r#"{"jsonrpc":"2.0","id":"x","method":"resources/list"}"#, -32601, json!("x")),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"x"}}"#,
            -32602,
            json!(1),
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"loud"}}"#,
            -32602,
            json!(1),
        ),
    ] {
        let answer = triple.request(line);
        assert_eq!(answer.len(), 1, "{line}");
        assert_eq!((&answer[0]["error"]["code"], &answer[0]["id"]), (&json!(code), &id), "{line}");
    }
}

#[test]
fn what_asks_nothing_is_answered_by_nothing() {
    let mut triple = Triple::initialized(config());
    for line in [
        "",
        "   ",
        r#"{"jsonrpc":"2.0","method":"notifications/whatever","params":{}}"#,
        r#"{"jsonrpc":"2.0","method":"tools/list"}"#,
        r#"{"jsonrpc":"2.0","id":5,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":5,"error":{"code":1,"message":"x"}}"#,
    ] {
        assert!(triple.request(line).is_empty(), "{line}");
    }
    assert_eq!(
        triple.request(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#)[0]["result"],
        json!({})
    );
}

#[test]
fn an_id_that_is_in_flight_is_not_used_twice() {
    let mut triple = Triple::initialized(config());
    let key = triple.call("1", "");
    let answer = triple.request(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#);
    assert_eq!(answer[0]["error"]["code"], -32600);
    triple.answer(&key, "x");
    assert_eq!(
        triple.request(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#)[0]["result"],
        json!({})
    );
}

#[test]
fn a_line_that_is_too_long_is_refused_by_its_id() {
    let mut triple = Triple::initialized(config());
    let long = "x".repeat(65 * 1024 * 1024);
    triple.bridge.handle_client(
        format!("{{\"jsonrpc\":\"2.0\",\"id\":\"big\",\"method\":\"{long}\"}}\n").as_bytes(),
        triple.now,
    );
    triple.step();
    let answer = &triple.received()[0];
    assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!("big"), &json!(-32600)));
}

#[test]
fn notes_go_to_the_client_of_a_session_from_its_level_on() {
    let mut triple = Triple::initialized(config());
    triple.extension.notify(Level::Warn, "low");
    triple.extension.log(Level::Debug, "detail", None);
    triple.step();
    let params = json!({"level": "warning", "logger": "weather", "data": "low"});
    let message = json!({"jsonrpc": "2.0", "method": "notifications/message", "params": params});
    assert_eq!(triple.received(), [message]);
    triple.request(
        r#"{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"error"}}"#,
    );
    triple.extension.notify(Level::Warn, "low");
    triple.step();
    assert_eq!(triple.received().len(), 2);
}

#[test]
fn without_a_session_notes_go_to_stderr() {
    let mut triple = Triple::ready(config());
    triple.extension.notify(Level::Warn, "low");
    triple.step();
    assert!(triple.received().is_empty());
    assert_eq!(triple.said, ["warning: low"]);
}
