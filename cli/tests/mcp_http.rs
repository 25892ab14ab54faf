//! `extline mcp --http`: many clients, one host.

#![cfg(unix)]

mod support;

#[path = "mcp_http/asking.rs"]
mod asking;
#[path = "mcp_http/client.rs"]
mod client;
#[path = "mcp_http/refused.rs"]
mod refused;

use std::io::Write;
use std::net::TcpStream;

use client::{Request, Response, Server, Session, call, folder, modern, request, text_of};
use serde_json::{Value, json};
use support::{Extline, signal, wait_until_gone};

#[test]
fn a_session_begins_is_used_and_ends() {
    let server = Server::start();
    let session = server.session();
    let list = session.ask(&request(1, "tools/list", &json!({}))).json();
    assert_eq!(list["result"]["tools"].as_array().unwrap().len(), 11, "{list}");
    assert_eq!(text_of(&session.ask(&call(2, "echo", "hi")).json()), "hi");
    let pretty = format!("{:#}", call(3, "echo", "a\nb"));
    let request = session.post(&Value::Null).body(pretty.as_bytes());
    assert_eq!(text_of(&server.ask(&request).json()), "a\nb");
    let end = Request::new("DELETE").with("Mcp-Session-Id", &session.id);
    assert_eq!(server.ask(&end).status, 204);
    assert_eq!(server.ask(&end).status, 404);
    assert_eq!(session.ask(&call(4, "echo", "hi")).status, 404);
}

#[test]
fn a_request_of_the_modern_era_stands_for_itself() {
    let server = Server::start();
    let discovered = server.ask(&Request::modern_method("server/discover", json!({}))).json();
    assert_eq!(discovered["result"]["supportedVersions"][0], "2026-07-28");
    let mut answer = server.ask(&Request::modern(7, "echo", "hi"));
    assert_eq!((answer.status, answer.header("mcp-session-id")), (200, None));
    let answer = answer.json();
    assert_eq!((text_of(&answer).as_str(), &answer["id"]), ("hi", &json!(7)));
}

#[test]
fn progress_comes_in_a_stream_before_the_result() {
    let server = Server::start();
    let session = server.session();
    for request in [session.post(&call(1, "steps", "a")), Request::modern(1, "steps", "a")] {
        let mut answer = server.ask(&request);
        assert_eq!(answer.header("content-type"), Some("text/event-stream"));
        let told = json!({"progressToken": "token 1", "progress": 1, "total": 2});
        assert_eq!(answer.event().unwrap()["params"], told);
        server.call("release", "");
        assert_eq!(text_of(&answer.event().unwrap()), "released a");
        assert_eq!(answer.event(), None);
    }
}

#[test]
fn two_calls_of_a_session_get_each_their_own_progress() {
    let server = Server::start();
    let session = server.session();
    let mut answers = [1, 2].map(|id| session.ask(&call(id, "steps", &id.to_string())));
    // The id is in use, and whoever used it first is answered all the same.
    let again = session.ask(&call(1, "echo", "x")).json();
    assert_eq!((&again["id"], &again["error"]["code"]), (&json!(1), &json!(-32600)));
    server.call("release", "");
    for (answer, id) in answers.iter_mut().zip([1, 2]) {
        let told = answer.event().unwrap();
        assert_eq!(told["params"]["progressToken"], format!("token {id}"));
        let last = answer.event().unwrap();
        assert_eq!((&last["id"], text_of(&last)), (&json!(id), format!("released {id}")));
    }
}

#[test]
fn a_client_that_goes_cancels_its_request_in_the_modern_era_alone() {
    let server = Server::start();
    let session = server.session();
    // One whose session stays, one before it is answered, and one whose stream has begun.
    let mut old = server.connect();
    old.write_all(&session.post(&call(1, "slow", "old")).bytes(&server.host)).unwrap();
    server.wait_until(|seen| seen["began"] == json!(["old"]));
    drop(old);
    let mut early = server.connect();
    early.write_all(&Request::modern(1, "slow", "early").bytes(&server.host)).unwrap();
    server.wait_until(|seen| seen["began"] == json!(["old", "early"]));
    drop(early);
    server.wait_until(|seen| seen["cancelled"] == json!(["early"]));
    let mut late = server.ask(&Request::modern(1, "steps", "late"));
    late.event().unwrap();
    drop(late);
    server.wait_until(|seen| seen["cancelled"] == json!(["early", "late"]));
    server.call("release", "");
    assert_eq!(text_of(&session.ask(&call(1, "echo", "free")).json()), "free");
}

#[test]
fn a_call_that_is_cancelled_by_a_message_is_not_answered() {
    let server = Server::start();
    let session = server.session();
    let mut answer = session.ask(&call(1, "steps", "a"));
    answer.event().unwrap();
    let cancel =
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}});
    assert_eq!(session.ask(&cancel).status, 202);
    while let Some(told) = answer.event() {
        assert_eq!(told["method"], "notifications/progress");
    }
    server.wait_until(|seen| seen["cancelled"] == json!(["a"]));
}

#[test]
fn every_client_is_told_that_the_tools_have_changed() {
    let server = Server::start();
    let sessions = [server.session(), server.session()];
    let mut streams = sessions.each_ref().map(Session::listen);
    let late = server.session();
    let filter = json!({"notifications": {"toolsListChanged": true}});
    let mut subscribed = server.ask(&Request::modern_method("subscriptions/listen", filter));
    let acknowledged = subscribed.event().unwrap();
    assert_eq!(acknowledged["method"], "notifications/subscriptions/acknowledged");
    assert_eq!(server.call("grow", "more"), "grown");
    let changed = json!("notifications/tools/list_changed");
    for stream in &mut streams {
        assert_eq!(stream.event().unwrap()["method"], changed);
    }
    assert_eq!(subscribed.event().unwrap()["method"], changed);
    // One that had no stream then is told when it has one.
    assert_eq!(late.listen().event().unwrap()["method"], changed);
    let list = late.ask(&request(1, "tools/list", &json!({}))).json();
    assert_eq!(list["result"]["tools"].as_array().unwrap().len(), 12, "{list}");
    assert_eq!(server.ask(&Request::modern(1, "more", "")).status, 200);
}

#[test]
fn what_an_extension_tells_a_person_goes_to_the_sessions() {
    let server = Server::start();
    let sessions = [server.session(), server.session()];
    let mut streams = sessions.each_ref().map(Session::listen);
    assert_eq!(server.call("note", "look"), "noted");
    for stream in &mut streams {
        let told = stream.event().unwrap();
        assert_eq!(
            (&told["method"], &told["params"]["data"]),
            (&json!("notifications/message"), &json!("look"))
        );
    }
}

#[test]
fn a_message_goes_to_one_stream_of_a_session() {
    let server = Server::start();
    let session = server.session();
    let (mut first, mut second) = (session.listen(), session.listen());
    server.call("grow", "more");
    let changed = json!("notifications/tools/list_changed");
    assert_eq!(second.event().unwrap()["method"], changed);
    drop(second);
    // The end of the session ends what is left of its streams, and nothing came on this one.
    let end = Request::new("DELETE").with("Mcp-Session-Id", &session.id);
    assert_eq!(server.ask(&end).status, 204);
    assert_eq!(first.event(), None);
}

#[test]
fn a_hundred_sessions_do_not_hear_of_each_other() {
    let server = Server::start();
    std::thread::scope(|scope| {
        for number in 0..100 {
            let server = &server;
            scope.spawn(move || {
                let session = server.session();
                let _stream = session.listen();
                for id in 1..6 {
                    let text = format!("{number}/{id}");
                    assert_eq!(text_of(&session.ask(&call(id, "echo", &text)).json()), text);
                }
                assert_eq!(server.call("echo", &number.to_string()), number.to_string());
            });
        }
    });
}

#[test]
fn of_too_many_sessions_the_one_that_is_unused_for_longest_ends() {
    let server = Server::start();
    let (first, read) = (server.session(), server.session());
    let _stream = read.listen();
    for _ in 0..1023 {
        server.session();
    }
    assert_eq!(first.ask(&call(1, "echo", "x")).status, 404);
    assert_eq!(read.ask(&call(1, "echo", "x")).status, 200);
}

#[test]
fn one_connection_carries_many_requests() {
    let server = Server::start();
    let mut stream = server.connect();
    for number in 0..20 {
        let text = number.to_string();
        stream.write_all(&Request::modern(1, "echo", &text).bytes(&server.host)).unwrap();
        let mut answer = Response::read(stream.try_clone().unwrap());
        assert_eq!(text_of(&answer.json()), text);
    }
}

#[test]
fn ctrl_c_answers_what_runs_ends_the_streams_and_leaves_nothing() {
    let mut server = Server::start();
    let pid = server.call("pid", "");
    let session = server.session();
    let (mut stream, mut slow) = (session.listen(), session.ask(&call(1, "steps", "a")));
    slow.event().unwrap();
    let mut modern_slow = server.ask(&Request::modern(1, "steps", "b"));
    modern_slow.event().unwrap();
    let filter = json!({"notifications": {"toolsListChanged": true}});
    let mut subscribed = server.ask(&Request::modern_method("subscriptions/listen", filter));
    subscribed.event().unwrap();
    signal(&server.process, "INT");
    for slow in [&mut slow, &mut modern_slow] {
        let last = std::iter::from_fn(|| slow.event()).last().unwrap();
        assert_eq!(last["result"]["_meta"]["dev.extline/error"]["kind"], "cancelled", "{last}");
    }
    assert_eq!(stream.event(), None);
    assert_eq!(subscribed.event().unwrap()["result"]["resultType"], "complete");
    assert_eq!(server.process.wait().unwrap().code(), Some(130));
    wait_until_gone(&pid);
}

#[test]
fn a_second_ctrl_c_waits_for_nothing() {
    let mut server = Server::start();
    let pid = server.call("pid", "");
    let mut slow = server.ask(&Request::modern(1, "steps", "a"));
    slow.event().unwrap();
    signal(&server.process, "INT");
    // It was heard when nobody is taken any more.
    while TcpStream::connect(&server.host).is_ok() {}
    signal(&server.process, "INT");
    while let Some(told) = slow.event() {
        assert_eq!(told["method"], "notifications/progress", "the call was waited for");
    }
    assert_eq!(server.process.wait().unwrap().code(), Some(130));
    wait_until_gone(&pid);
}

#[test]
fn a_server_that_is_killed_leaves_no_extension_behind() {
    let mut server = Server::start();
    let pid = server.call("pid", "");
    let _stream = server.ask(&Request::modern(1, "steps", "a"));
    signal(&server.process, "KILL");
    server.process.wait().unwrap();
    wait_until_gone(&pid);
}

#[test]
fn the_url_is_told_as_json_too() {
    use std::io::{BufRead, BufReader};
    let (extline, folder) = (Extline::new(), folder());
    let words = ["--json", "mcp", "--http", "[::1]:0", folder.path().to_str().unwrap()];
    let mut process = extline.command(&words).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let told: Value = serde_json::from_str(&line).unwrap();
    let url = told["url"].as_str().unwrap();
    assert!(url.starts_with("http://[::1]:") && url.ends_with("/mcp"), "{url}");
    signal(&process, "TERM");
    assert_eq!(process.wait().unwrap().code(), Some(143));
}

#[test]
fn a_large_message_passes_whole() {
    let server = Server::start();
    let text = "x".repeat(3 * 1024 * 1024);
    let message = modern(1, "echo", &text).to_string();
    let request = Request::modern(1, "echo", "").body(message.as_bytes());
    let said = text_of(&server.ask(&request).json());
    assert!(said == text, "{said:.200}");
}
