//! What belongs to one call concerns no other, and events keep their order among the calls.

use extline_host::protocol::ErrorKind;
use extline_host::protocol::frame::{EventPayload, ToolResult};
use extline_host::{CallError, CallOptions, Host};
use serde_json::{Value, json};

use crate::support::{Home, LONG, end, python, text};

async fn host_of(home: &Home) -> Host {
    home.builder().extension(python("mixed.py", [""; 0])).start().await
}

/// Calls of `answer` that are all in flight before the first one is answered.
async fn answers(host: &Host, how: &[&str]) -> Vec<Result<ToolResult, CallError>> {
    let mut calls = Vec::new();
    for (place, how) in how.iter().enumerate() {
        let args = json!({"how": how, "place": place, "of": 6}).to_string();
        calls.push(host.start_call("answer", &args, CallOptions::default()).await.unwrap());
    }
    let mut answers = Vec::new();
    for call in calls {
        answers.push(tokio::time::timeout(LONG, call.outcome()).await.unwrap());
    }
    answers
}

#[tokio::test]
async fn a_frame_that_cannot_be_read_fails_its_call_and_no_other() {
    let home = Home::new();
    let host = host_of(&home).await;
    for how in [
        ["well", "cut", "well", "bad", "long", "well"],
        ["deep", "well", "wrong", "long", "cut", "well"],
    ] {
        for (how, answer) in how.iter().zip(answers(&host, &how).await) {
            let error = match answer {
                Ok(result) => {
                    assert_eq!((&*text(&result), *how), ("well", "well"));
                    continue;
                }
                Err(error) => error,
            };
            let kind = if *how == "long" { ErrorKind::TooLarge } else { ErrorKind::Protocol };
            assert_eq!(error.kind(), kind, "{how}: {error}");
        }
    }
    let junk = host.extensions()[0].notices.iter().filter(|it| it.text.contains("junk")).count();
    assert_eq!(junk, 12);
    end(host).await;
}

#[tokio::test]
async fn events_and_calls_arrive_in_the_order_in_which_they_happened() {
    let home = Home::new();
    let host = host_of(&home).await;
    let mut expected = Vec::new();
    let mut calls = Vec::new();
    for step in 0..50_u64 {
        for event in ["turn_start", "assistant_message"] {
            host.emit(event, EventPayload { step: Some(step), ..EventPayload::default() });
            expected.push(json!([event, step]));
        }
        // Nobody asked for this one.
        host.emit("session_start", EventPayload::default());
        let args = json!({"how": "well", "place": step, "of": 50}).to_string();
        calls.push(host.start_call("answer", &args, CallOptions::default()).await.unwrap());
        // The host tells of it by itself.
        expected.push(json!(["tool_call", null]));
        expected.push(json!(["call", step]));
        host.emit("turn_end", EventPayload { step: Some(step), ..EventPayload::default() });
        expected.push(json!(["turn_end", step]));
    }
    expected.push(json!(["tool_call", null]));
    let heard = host.call("heard", "{}").await.unwrap();
    let heard: Vec<Value> = serde_json::from_str(&text(&heard)).unwrap();
    assert_eq!(heard, expected);
    for call in calls {
        assert_eq!(text(&call.outcome().await.unwrap()), "well");
    }
    end(host).await;
}
