//! What an extension asks its host for, and the host it: other tools, requests.

use std::process::Command;

use serde_json::json;

use crate::host::{ACK, Host, probe};

/// A host that lets extensions call tools and serves two methods.
const SERVING: &str = concat!(
    r#"{"type":"hello_ack","protocol_version":1,"capabilities":["call_tool","rpc","log"],"#,
    r#""zot_version":"0.2.0","provider":"p","model":"m","cwd":"/project","#,
    r#""host":{"name":"test","version":"9"},"methods":["sum","ui.confirm"]}"#
);

/// A later zot, which says little.
const ZOT: &str = r#"{"type":"hello_ack","protocol_version":1,"capabilities":["call_tool"],"zot_version":"0.1.90"}"#;

fn host(ack: &str) -> Host {
    Host::start(&mut Command::new(probe())).accepted(ack)
}

#[test]
fn a_tool_calls_another_as_its_child() {
    let mut host = host(SERVING);
    host.call("7", "ask_tool", r#"{"what":"read","with":{"path":"a"}}"#);
    assert_eq!(
        host.line(),
        r#"{"type":"call_tool","id":"1","name":"read","args":{"path":"a"},"parent_id":"7"}"#
    );
    host.send(
        r#"{"type":"tool_result","id":"1","name":"read","content":[{"type":"text","text":"one"},{"type":"text","text":"two"}],"truncated":true}"#,
    );
    assert_eq!(host.text(), "one\ntwo (truncated: true)");
}

#[test]
fn a_fork_is_asked_by_frames_of_its_own() {
    let mut host =
        host(r#"{"type":"hello_ack","protocol_version":6,"zot_version":"1","terva_version":"1"}"#);
    host.call("7", "request", r#"{"what":"ui.status","with":{"key":"build","text":"3 of 5"}}"#);
    assert_eq!(host.line(), r#"{"type":"status_segment","id":"build","text":"3 of 5"}"#);
    // It answers none of them.
    assert_eq!(host.frame()["structured_content"], json!({}));
    host.call("8", "ask_tool", r#"{"what":"read","with":{"path":"a"}}"#);
    let asked = host.frame();
    assert_eq!((&asked["type"], &asked["args"]), (&json!("host_tool_call"), &json!({"path": "a"})));
    host.send(&format!(
        r#"{{"type":"host_tool_result","id":{},"content":[{{"type":"text","text":"one"}}]}}"#,
        asked["id"]
    ));
    assert_eq!(host.text(), "one (truncated: false)");
}

#[test]
fn the_failure_of_a_child_is_an_error_with_its_text() {
    let mut host = host(SERVING);
    host.call("7", "ask_tool", r#"{"what":"read","with":{}}"#);
    assert_eq!(host.frame()["type"], "call_tool");
    host.send(
        r#"{"type":"tool_result","id":"1","name":"read","content":[{"type":"text","text":"no such file"}],"is_error":true}"#,
    );
    let answer = host.frame();
    assert_eq!(answer["error"], json!({"kind": "internal", "message": "no such file"}));
    // An answer that cannot be read fails its call and no other.
    host.call("8", "ask_tool", r#"{"what":"read","with":{}}"#);
    assert_eq!(host.frame()["id"], "2");
    host.send(r#"{"type":"tool_result","id":"2","content":7}"#);
    assert_eq!(host.frame()["error"]["kind"], "internal");
}

#[test]
fn arguments_that_are_no_object_are_refused_before_anything_is_sent() {
    let mut host = host(SERVING);
    host.call("7", "ask_tool", r#"{"what":"read","with":[1]}"#);
    let answer = host.frame();
    assert_eq!(answer["error"]["kind"], "validation");
    assert!(answer["content"][0]["text"].as_str().unwrap().contains("[1]"), "{answer}");
}

#[test]
fn a_host_that_does_not_offer_it_is_named_in_the_error() {
    let mut host = host(ACK);
    for tool in ["ask_tool", "request"] {
        host.call("7", tool, r#"{"what":"read","with":{}}"#);
        let answer = host.frame();
        assert_eq!(answer["error"]["kind"], "unsupported", "{answer}");
    }
    host.send(r#"{"type":"command_invoked","id":"1","name":"ask_tool","args":"read"}"#);
    assert!(host.frame()["error"].as_str().unwrap().contains("call_tool"));
}

#[test]
fn a_cancel_of_the_parent_ends_the_wait_and_cancels_the_child_once() {
    let mut host = host(SERVING);
    host.call("7", "ask_tool", r#"{"what":"bash","with":{}}"#);
    assert_eq!(host.frame()["type"], "call_tool");
    host.send(r#"{"type":"tool_cancel","id":"7"}"#);
    assert_eq!(host.line(), r#"{"type":"call_tool_cancel","id":"1"}"#);
    let answer = host.frame();
    assert_eq!(
        (answer["id"].as_str(), answer["error"]["kind"].as_str()),
        (Some("7"), Some("cancelled"))
    );
    // The child's answer comes all the same, and nobody waits for it.
    host.send(r#"{"type":"tool_result","id":"1","name":"bash","content":[],"is_error":true}"#);
    host.call("8", "echo", r#"{"text":"next"}"#);
    assert_eq!(host.text(), "next");
    assert_eq!(host.close().stderr, "");
}

#[test]
fn a_dropped_wait_is_a_cancel_and_its_late_answer_reaches_nobody_else() {
    let mut host = host(SERVING);
    host.call("7", "ask_twice", r#"{"what":"slow","with":{}}"#);
    assert_eq!(host.frame()["name"], "slow");
    assert_eq!(host.line(), r#"{"type":"call_tool_cancel","id":"1"}"#);
    assert_eq!(
        host.line(),
        r#"{"type":"call_tool","id":"2","name":"other","args":{},"parent_id":"7"}"#
    );
    host.send(
        "{\"type\":\"tool_result\",\"id\":\"1\",\"content\":[{\"type\":\"text\",\"text\":\"1\"}]}\n\
         {\"type\":\"tool_result\",\"id\":\"2\",\"content\":[{\"type\":\"text\",\"text\":\"[2]\"}]}",
    );
    assert_eq!(host.frame()["structured_content"], json!([2]));
}

#[test]
fn no_child_starts_once_the_parent_is_answered() {
    let mut host = host(SERVING);
    host.call("7", "ask_late", "{}");
    assert_eq!(host.frame()["type"], "tool_result");
    let note = host.frame();
    assert_eq!(note["type"], "notify");
    assert!(note["message"].as_str().unwrap().starts_with("stale: "), "{note}");
}

#[test]
fn a_call_without_a_parent_is_explained_when_a_zot_refuses_it() {
    let refusal = r#"{"type":"tool_result","id":"1","name":"bash","content":[{"type":"text","text":"refused"}],"is_error":true}"#;
    for (ack, hints) in [(SERVING, false), (ZOT, true)] {
        let mut host = host(ack);
        host.send(r#"{"type":"command_invoked","id":"1","name":"ask_tool","args":"bash"}"#);
        assert_eq!(host.line(), r#"{"type":"call_tool","id":"1","name":"bash","args":{}}"#);
        host.send(refusal);
        let error = host.frame()["error"].take();
        let error = error.as_str().unwrap();
        assert!(error.starts_with("refused"), "{error}");
        assert_eq!(
            error.contains("a zot takes a call without a parent only while"),
            hints,
            "{error}"
        );
    }
}

#[test]
fn at_shutdown_who_waits_for_the_host_is_told() {
    let mut host = host(SERVING);
    host.call("7", "ask_tool", r#"{"what":"bash","with":{}}"#);
    assert_eq!(host.frame()["type"], "call_tool");
    host.send(r#"{"type":"shutdown"}"#);
    let end = host.wait();
    assert_eq!(end.lines.len(), 3, "{:?}", end.lines);
    assert_eq!(end.lines[0], r#"{"type":"call_tool_cancel","id":"1"}"#);
    assert!(end.lines[1].contains(r#""kind":"cancelled""#), "{:?}", end.lines);
    assert_eq!(end.lines[2], r#"{"type":"shutdown_ack"}"#);
}

#[test]
fn a_request_is_answered_byte_for_byte() {
    let mut host = host(SERVING);
    host.call("7", "request", r#"{"what":"ui.confirm","with":{"message":"sure?"}}"#);
    assert_eq!(
        host.line(),
        concat!(
            r#"{"type":"request","id":"1","method":"ui.confirm","params":{"message":"sure?"},"#,
            r#""parent":{"kind":"tool_call","id":"7"}}"#
        )
    );
    host.send(r#"{"type":"response","id":"1","result":{"n":1.50,"b":2}}"#);
    assert_eq!(host.text(), r#"{"n":1.50,"b":2}"#);

    // No parameters, and an answer that is an error.
    host.call("8", "request", r#"{"what":"ui.confirm"}"#);
    assert_eq!(
        host.line(),
        r#"{"type":"request","id":"2","method":"ui.confirm","parent":{"kind":"tool_call","id":"8"}}"#
    );
    host.send(
        r#"{"type":"response","id":"2","error":{"code":"permission","message":"not now","data":{"why":1}}}"#,
    );
    let answer = host.frame();
    assert_eq!(answer["error"]["kind"], "permission");
    assert_eq!(answer["content"][0]["text"], "not now\ncaused by: {\"why\":1}");

    host.call("9", "request", r#"{"what":"nothing.here"}"#);
    let answer = host.frame();
    assert_eq!(answer["error"]["kind"], "unsupported");
    assert!(answer["content"][0]["text"].as_str().unwrap().contains("nothing.here"), "{answer}");
}

#[test]
fn the_parts_of_an_answer_come_one_by_one() {
    let mut host = host(SERVING);
    host.call("7", "parts", r#"{"what":"sum","with":[1,2]}"#);
    assert_eq!(host.frame()["method"], "sum");
    host.send(
        "{\"type\":\"response_part\",\"id\":\"1\",\"seq\":1,\"data\":1}\n\
         {\"type\":\"response_part\",\"id\":\"1\",\"seq\":2,\"data\":2}\n\
         {\"type\":\"response\",\"id\":\"1\",\"result\":3}",
    );
    assert_eq!(host.frame()["structured_content"], json!({"parts": [1, 2], "sum": 3}));

    // A part of another type ends the request, and the host is told.
    host.call("8", "parts", r#"{"what":"sum"}"#);
    assert_eq!(host.frame()["type"], "request");
    host.send(r#"{"type":"response_part","id":"2","seq":1,"data":"one"}"#);
    assert_eq!(host.line(), r#"{"type":"cancel","id":"2"}"#);
    assert_eq!(host.frame()["error"]["kind"], "internal");
}

#[test]
fn the_host_asks_by_method() {
    let mut host = host(SERVING);
    host.send(r#"{"type":"request","id":"1","method":"double","params":21}"#);
    assert_eq!(host.line(), r#"{"type":"response","id":"1","result":42}"#);
    for (method, params, code) in [
        ("double", r#""x""#, "validation"),
        ("double", "1000", "too_large"),
        ("count", "null", "internal"),
        ("triple", "1", "unsupported"),
    ] {
        host.send(&format!(
            r#"{{"type":"request","id":"1","method":"{method}","params":{params}}}"#
        ));
        let answer = host.frame();
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!("1"), &json!(code)));
    }
}

#[test]
fn parts_come_numbered_before_the_answer_however_many() {
    let mut host = host(SERVING);
    host.send(r#"{"type":"request","id":"1","method":"count","params":100}"#);
    for seq in 1..=100 {
        let part = format!(r#"{{"type":"response_part","id":"1","seq":{seq},"data":{seq}}}"#);
        assert_eq!(host.line(), part);
    }
    assert_eq!(host.line(), r#"{"type":"response","id":"1","result":"done"}"#);
    host.send(
        "{\"type\":\"request\",\"id\":\"2\",\"method\":\"count\",\"params\":1000000000}\n\
         {\"type\":\"cancel\",\"id\":\"2\"}",
    );
    let end = std::iter::repeat_with(|| host.frame()).find(|frame| frame["type"] == "response");
    assert_eq!(end.unwrap()["error"]["code"], "cancelled");
}
