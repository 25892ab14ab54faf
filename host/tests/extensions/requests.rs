//! Requests by method: the agent's to extensions, and theirs to the agent.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use extline_host::protocol::frame::RpcError;
use extline_host::protocol::{ErrorKind, RawJson};
use extline_host::{
    CallError, CallOptions, ExtensionSource, ExtensionState, Host, HostBuilder, MethodCall,
};
use serde_json::{Value, json};

use crate::support::{Home, LONG, behave, end, python, text};

pub(crate) fn methods() -> ExtensionSource {
    python("methods.py", [""; 0]).named("methods")
}

fn raw(value: Value) -> RawJson {
    RawJson::from(value)
}

async fn request(host: &Host, method: &str, params: Value) -> Result<RawJson, CallError> {
    host.request("methods", method, Some(raw(params))).await
}

/// Lets the extension write frames; the responses that it gets.
pub(crate) async fn ask(host: &Host, frames: Value, count: usize) -> Vec<Value> {
    let args = json!({"frames": frames, "count": count}).to_string();
    serde_json::from_str(&text(&host.call("ask", &args).await.unwrap())).unwrap()
}

pub(crate) fn asks(id: &str, method: &str) -> Value {
    json!({"type": "request", "id": id, "method": method})
}

/// How many calls of a method run.
#[derive(Clone, Default)]
pub(crate) struct Running(Arc<AtomicUsize>);

pub(crate) struct Run(Running);

impl Running {
    pub(crate) fn start(&self) -> Run {
        self.0.fetch_add(1, Ordering::SeqCst);
        Run(self.clone())
    }

    pub(crate) fn is(&self, count: usize) -> bool {
        self.0.load(Ordering::SeqCst) == count
    }

    pub(crate) async fn until(&self, count: usize) {
        let reached = async {
            while !self.is(count) {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        tokio::time::timeout(LONG, reached).await.unwrap();
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// With a method `wait` that never answers.
fn waits(builder: HostBuilder, running: &Running) -> HostBuilder {
    let running = running.clone();
    builder.serve_method("wait", move |_| {
        let run = running.start();
        async move {
            let _run = run;
            std::future::pending().await
        }
    })
}

#[tokio::test]
async fn an_extension_is_asked_for_its_methods() {
    let home = Home::new();
    let host = home.builder().extension(methods()).extension(behave(&[])).start().await;
    let answer = request(&host, "echo", json!({"n": 1.50, "x": "ü"})).await.unwrap();
    assert_eq!(answer.to::<Value>().unwrap(), json!({"n": 1.5, "x": "ü"}));
    let nothing = host.request("methods", "echo", None).await.unwrap();
    assert_eq!(nothing.get(), "null");
    let error = request(&host, "fail", json!(null)).await.unwrap_err();
    assert_eq!((error.kind(), error.to_string()), (ErrorKind::Conflict, "fail: not now".into()));
    let CallError::Request { error, .. } = error else { panic!("{error}") };
    assert_eq!(error.data.unwrap().get(), r#"{"n": 1}"#);

    let error = request(&host, "unlisted", json!(null)).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    assert_eq!(error.to_string(), "unlisted: methods does not offer it");
    // One that does not speak rpc at all, and one that is not there.
    let error = host.request("behave", "echo", None).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    let error = host.request("nobody", "echo", None).await.unwrap_err();
    assert!(matches!(error, CallError::Unknown { what: "extension", .. }), "{error}");
    end(host).await;
}

#[tokio::test]
async fn parts_of_an_answer_come_before_it() {
    let home = Home::new();
    let host = home.builder().extension(methods()).start().await;
    let start = |method, params| {
        let options = CallOptions::default();
        host.start_request("methods", method, Some(raw(params)), options).unwrap()
    };
    let mut asked = start("parts", json!(3));
    let mut parts = Vec::new();
    while let Some(part) = asked.part().await {
        parts.push(part.get().to_owned());
    }
    assert_eq!(parts, ["10", "20", "30"]);
    assert_eq!(asked.outcome().await.unwrap().get(), "3");
    // Who does not want them gets the answer all the same, however many there are.
    assert_eq!(request(&host, "parts", json!(1000)).await.unwrap().get(), "1000");
    // Who wants them and does not take them stops it.
    let idle = start("parts", json!(1000));
    request(&host, "echo", json!(null)).await.unwrap();
    let error = idle.outcome().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Budget);
    start("gap", json!(null)).outcome().await.unwrap();
    let notices = host.extensions()[0].notices.clone();
    let gap = "a part of the answer to gap has the number 3, expected 2";
    assert!(notices.iter().any(|notice| notice.text == gap), "{notices:?}");
    end(host).await;
}

#[tokio::test]
async fn a_request_is_cancelled_dropped_and_timed_out() {
    let home = Home::new();
    let host = home.builder().extension(methods()).start().await;
    let start = |options| host.start_request("methods", "hang", None, options).unwrap();
    let cancelled = start(CallOptions::default());
    cancelled.cancel();
    let error = cancelled.outcome().await.unwrap_err();
    assert_eq!((error.kind(), error.to_string()), (ErrorKind::Cancelled, "hang: cancelled".into()));
    drop(start(CallOptions::default()));
    let short = CallOptions::default().timeout(Duration::from_millis(100));
    assert_eq!(start(short).outcome().await.unwrap_err().kind(), ErrorKind::Timeout);
    // The extension heard of each.
    assert_eq!(request(&host, "cancels", json!(null)).await.unwrap().get(), "3");
    end(host).await;
}

#[tokio::test]
async fn a_dead_extension_fails_its_requests_at_once() {
    let home = Home::new();
    let host = home.builder().extension(methods()).start().await;
    let options = CallOptions::default().timeout(10 * LONG);
    let hanging = host.start_request("methods", "hang", None, options).unwrap();
    let died = request(&host, "exit", json!(null)).await.unwrap_err();
    for error in [died, hanging.outcome().await.unwrap_err()] {
        assert!(matches!(error, CallError::Died { .. }), "{error}");
    }
    let ExtensionState::Failed(diagnosis) = &host.extensions()[0].state else { panic!() };
    assert_eq!(diagnosis.doing, "answering the request hang, the request exit");
    let late = request(&host, "echo", json!(null)).await.unwrap_err();
    assert_eq!(late.kind(), ErrorKind::Transient);
    end(host).await;
}

#[tokio::test]
async fn the_agent_s_methods_are_listed_and_answered() {
    let home = Home::new();
    let builder = home
        .builder()
        .serve_method("board.read", |call: MethodCall| async move {
            let parent = call.parent.map(|parent| format!("{} {}", parent.kind, parent.id));
            let seen = json!([call.extension, call.method, call.params.is_some(), parent]);
            Ok(RawJson::from(seen))
        })
        .serve_method("board.refuse", |_| async {
            Err(RpcError::new(ErrorKind::Permission, "not yours"))
        })
        .serve_method("board.panic", |_| async { panic!("on purpose") });
    let host = builder.extension(methods()).extension(behave(&[])).start().await;
    let seen = host.call("seen", "{}").await.unwrap();
    let seen: Value = seen.structured_content.unwrap().to().unwrap();
    let served =
        ["board.panic", "board.read", "board.refuse", "env.get", "secret.exists", "secret.get"];
    assert_eq!(seen["ack"]["methods"], json!(served));

    let mut with_parent = asks("1", "board.read");
    with_parent["params"] = json!({"x": 1});
    with_parent["parent"] = json!({"kind": "tool_call", "id": "$CALL"});
    let answers = ask(&host, json!([with_parent]), 1).await;
    let result = json!(["methods", "board.read", true, "tool_call 1"]);
    assert_eq!(answers, [json!({"type": "response", "id": "1", "result": result})]);

    let error = |id: &str, code: &str, message: &str| json!({"type": "response", "id": id, "error": {"code": code, "message": message}});
    let mut stale = asks("4", "board.read");
    stale["parent"] = json!({"kind": "command", "id": "9"});
    let frames = json!([
        asks("1", "board.refuse"),
        asks("2", "moon.phase"),
        asks("3", "board.panic"),
        stale
    ]);
    let mut answers = ask(&host, frames, 4).await;
    answers.sort_by_key(|answer| answer["id"].to_string());
    assert_eq!(
        answers,
        [
            error("1", "permission", "not yours"),
            error("2", "unsupported", "unknown method moon.phase"),
            error("3", "internal", "board.panic panicked"),
            error("4", "stale", "the command 9 that it belongs to is over"),
        ]
    );
    end(host).await;
}

#[tokio::test]
async fn the_agent_answers_in_parts() {
    let home = Home::new();
    let count = |mut call: MethodCall| async move {
        for number in 1..=100 {
            call.send_part(&RawJson::from(json!(number))).await.unwrap();
        }
        let too_large = raw(json!("x".repeat(5_000_000)));
        let refused = call.send_part(&too_large).await.is_err();
        Ok(RawJson::from(json!(refused)))
    };
    let host = home.builder().serve_method("count", count).extension(methods()).start().await;
    let answers = ask(&host, json!([asks("1", "count")]), 101).await;
    for (position, part) in answers[..100].iter().enumerate() {
        assert_eq!((&part["seq"], &part["data"]), (&json!(position + 1), &json!(position + 1)));
    }
    assert_eq!(answers[100], json!({"type": "response", "id": "1", "result": true}));
    end(host).await;
}

#[tokio::test]
async fn a_request_that_is_cancelled_or_out_of_time_stops_its_handler() {
    let home = Home::new();
    let running = Running::default();
    let host = waits(home.builder(), &running).extension(methods()).start().await;
    let mut in_time = asks("2", "wait");
    in_time["deadline_ms"] = json!(100);
    let frames = json!([asks("1", "wait"), {"type": "cancel", "id": "1"}, in_time]);
    let answers = ask(&host, frames, 2).await;
    let codes: Vec<_> = answers.iter().map(|answer| answer["error"]["code"].clone()).collect();
    assert_eq!(codes, ["cancelled", "timeout"]);
    running.until(0).await;
    end(host).await;
}

#[tokio::test]
async fn a_handler_ends_with_the_call_it_belongs_to_and_with_its_extension() {
    let home = Home::new();
    let running = Running::default();
    let host = waits(home.builder(), &running).extension(methods()).start().await;
    let mut child = asks("1", "wait");
    child["parent"] = json!({"kind": "tool_call", "id": "$CALL"});
    let args = json!({"frames": [child], "count": 9}).to_string();
    let call = host.start_call("ask", &args, CallOptions::default()).await.unwrap();
    running.until(1).await;
    call.cancel("enough");
    running.until(0).await;
    drop(call);

    let args = json!({"frames": [asks("2", "wait")]}).to_string();
    assert!(matches!(host.call("die", &args).await, Err(CallError::Died { .. })));
    running.until(0).await;
    end(host).await;
}
