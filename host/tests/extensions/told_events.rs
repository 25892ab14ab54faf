//! What an agent tells its extensions of: only what they want of it, and the newest of what grows.

use std::fs;
use std::path::Path;
use std::time::Duration;

use extline_host::protocol::frame::{Content, EventMessage, EventPayload};
use extline_host::{ExtensionSource, Host, HostBuilder};
use serde_json::{Value, json};

use crate::support::{Home, LONG, end, python};

/// One that registers this, and reads nothing before there is a file of its name with `.go`.
fn reader(home: &Home, name: &str, subscribe: Value) -> ExtensionSource {
    let [go, heard, counter] =
        ["go", "heard", "count"].map(|what| home.path().join(format!("{name}.{what}")));
    let mut subscribe = subscribe;
    subscribe["type"] = "subscribe".into();
    let hello = json!({"type": "hello", "name": name, "version": "1.0.0"});
    let steps = json!([hello, subscribe, {"type": "ready"}, {"until": go}]);
    let config = json!({"counter": counter, "heard": heard, "starts": [steps]});
    python("stepwise.py", [config.to_string()]).named(name)
}

fn heard(home: &Home, name: &str) -> Vec<Value> {
    let lines = fs::read_to_string(home.path().join(format!("{name}.heard"))).unwrap_or_default();
    lines.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

async fn until(what: &str, has_come: impl Fn() -> bool) {
    let wait = async {
        while !has_come() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(LONG, wait).await.unwrap_or_else(|_| panic!("{what}"));
}

fn go(home: &Path, name: &str) {
    fs::write(home.join(format!("{name}.go")), "").unwrap();
}

async fn host(home: &Home, readers: Vec<ExtensionSource>) -> Host {
    let builder = readers.into_iter().fold(home.builder(), HostBuilder::extension);
    builder.start().await
}

fn about(tool: &str) -> EventPayload {
    EventPayload { tool_name: Some(tool.to_owned()), ..EventPayload::default() }
}

fn message(number: usize) -> EventPayload {
    let content = vec![Content::text(format!("{number} {}", "x".repeat(20_000)))];
    EventPayload::default().with_message(&EventMessage::of("assistant", content))
}

/// The event, and the number that its message begins with.
fn told(event: &Value) -> (String, usize) {
    let text = event["message"]["content"][0]["text"].as_str().unwrap();
    let number = text.split(' ').next().unwrap().parse().unwrap();
    (event["event"].as_str().unwrap().to_owned(), number)
}

#[tokio::test]
async fn nobody_gets_what_its_filter_keeps_away() {
    let home = Home::new();
    let filters = |tool: &str| json!({"tool_result": {"tools": [tool]}, "turn_end": {"later": 1}});
    let events = json!(["tool_call", "tool_result", "turn_end"]);
    let readers = vec![
        reader(&home, "some", json!({"events": events, "filters": filters("mcp_*")})),
        reader(&home, "wrong", json!({"events": events, "filters": filters(r"a\b")})),
    ];
    let host = host(&home, readers).await;
    for tool in ["bash", "mcp_search"] {
        host.emit("tool_call", about(tool));
        host.emit("tool_result", about(tool));
    }
    host.emit("turn_end", EventPayload::default());
    let of = |name: &str| -> Vec<String> {
        let word = |it: &Value, name: &str| it[name].as_str().unwrap_or("-").to_owned();
        let one = |it: &Value| format!("{} {}", word(it, "event"), word(it, "tool_name"));
        heard(&home, name).iter().map(one).collect()
    };
    for (name, count) in [("some", 4), ("wrong", 5)] {
        go(home.path(), name);
        until("the events have not come", || of(name).len() == count).await;
    }
    let some = ["tool_call bash", "tool_call mcp_search", "tool_result mcp_search", "turn_end -"];
    assert_eq!(of("some"), some);
    let notices = |name: &str| {
        let status = host.extensions().into_iter().find(|it| it.name == name).unwrap();
        status.notices.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    };
    assert_eq!(notices("some"), "");
    assert!(notices("wrong").contains("ignored its filter of \"tool_result\""));
    end(host).await;
}

#[tokio::test]
async fn who_does_not_read_gets_the_newest_update_and_none_behind_the_end() {
    const UPDATES: usize = 2_000;
    let home = Home::new();
    let events = json!({"events": ["message_update", "message_end"]});
    let readers = ["early", "late"].map(|name| reader(&home, name, events.clone()));
    let host = host(&home, readers.into()).await;
    // 40 MB for each, of which 16 may wait.
    for number in 1..=UPDATES {
        host.emit("message_update", message(number));
    }
    go(home.path(), "early");
    let has = |name: &str, event: &str, number: usize| {
        heard(&home, name).last().is_some_and(|it| told(it) == (event.to_owned(), number))
    };
    until("the newest update has not come", || has("early", "message_update", UPDATES)).await;
    host.emit("message_end", message(0));
    go(home.path(), "late");
    for name in ["early", "late"] {
        until("the end has not come", || has(name, "message_end", 0)).await;
        let mut heard: Vec<_> = heard(&home, name).iter().map(told).collect();
        heard.pop();
        assert!(heard.len() < UPDATES / 4, "{name}: {}", heard.len());
        assert!(heard.is_sorted_by(|a, b| a.0 == b.0 && a.1 < b.1), "{name}: {heard:?}");
    }
    end(host).await;
}
