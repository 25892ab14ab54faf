//! Dialogs over HTTP: in a session on the stream of the call, in the modern era by coming back.

use serde_json::{Value, json};

use super::client::{Request, Response, Server, call, modern, text_of};
use crate::support::signal;

fn yes() -> Value {
    json!({"action": "accept", "content": {"confirmed": true}})
}

/// A call that asks, of a client that can ask its user; with what it brings back.
fn asks(server: &Server, id: u32, more: &Value) -> Response {
    let mut message = modern(id, "ask", "");
    let meta = &mut message["params"]["_meta"];
    meta["io.modelcontextprotocol/clientCapabilities"] = json!({"elicitation": {}});
    for (name, value) in more.as_object().unwrap() {
        message["params"][name] = value.clone();
    }
    server.ask(&Request::modern(id, "ask", "").body(message.to_string().as_bytes()))
}

fn back(asked: &Value) -> Value {
    let asked = &asked["result"];
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    let (name, request) = asked["inputRequests"].as_object().unwrap().iter().next().unwrap();
    assert_eq!(request["params"]["message"], "driven asks: Ship it?");
    json!({"requestState": asked["requestState"], "inputResponses": {name: yes()}})
}

#[test]
fn in_a_session_the_question_comes_on_the_stream_of_its_call() {
    let server = Server::start();
    let session = server.session_that(&json!({"elicitation": {}}));
    let other = server.session_that(&json!({}));
    let mut answer = session.ask(&call(1, "ask", ""));
    let asked = answer.event().unwrap();
    assert_eq!(asked["method"], "elicitation/create", "{asked}");
    // Nobody else is asked, and nobody else answers.
    let reply = json!({"jsonrpc": "2.0", "id": asked["id"], "result": yes()});
    assert_eq!(other.ask(&reply).status, 202);
    assert_eq!(session.ask(&reply).status, 202);
    assert_eq!(text_of(&answer.event().unwrap()), r#"{"confirmed": true}"#);
    let mut refused = other.ask(&call(2, "ask", ""));
    assert!(text_of(&refused.json()).contains("unsupported"));
    // A call that is cancelled takes its question back.
    let mut answer = session.ask(&call(3, "ask", ""));
    let asked = answer.event().unwrap();
    let cancel = json!({
        "jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 3},
    });
    assert_eq!(session.ask(&cancel).status, 202);
    let taken_back = answer.event().or_else(|| session.listen().event()).unwrap();
    assert_eq!(taken_back["params"]["requestId"], asked["id"], "{taken_back}");
}

#[test]
fn in_the_modern_era_a_client_comes_back_with_the_answer() {
    let server = Server::start();
    let asked = asks(&server, 1, &json!({})).json();
    let back = back(&asked);
    // What is wrong is told, and ends nothing.
    let mut forged = back.clone();
    forged["requestState"] = json!("1.1.AAAA");
    let mut other = back.clone();
    other["arguments"] = json!({"text": "another"});
    for (wrong, why) in [(forged, "not made by this server"), (other, "other arguments")] {
        let mut refused = asks(&server, 2, &wrong);
        assert_eq!(refused.status, 400);
        let refused = refused.json();
        assert!(refused["error"]["message"].as_str().unwrap().contains(why), "{refused}");
    }
    let answer = asks(&server, 3, &back).json();
    assert_eq!((&answer["id"], text_of(&answer).as_str()), (&json!(3), r#"{"confirmed": true}"#));
    let again = asks(&server, 4, &back).json();
    assert!(again["error"]["message"].as_str().unwrap().contains("used before"), "{again}");
    assert_eq!(server.seen()["began"], json!(["ask"]), "the handler ran once");
    let unable = server.call("ask", "");
    assert!(unable.contains("unsupported"), "{unable}");
}

#[test]
fn a_client_that_does_not_come_back_keeps_no_server() {
    let mut server = Server::start();
    back(&asks(&server, 1, &json!({})).json());
    signal(&server.process, "TERM");
    assert_eq!(server.process.wait().unwrap().code(), Some(143));
}
