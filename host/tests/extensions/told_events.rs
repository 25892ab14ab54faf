//! What an agent tells its extensions of: the newest of what grows.

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
