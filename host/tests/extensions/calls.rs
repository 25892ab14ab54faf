//! Tool calls, from the model's arguments to the result.

use std::time::Duration;

use extline_host::protocol::frame::Content;
use extline_host::protocol::{Deadlines, ErrorKind};
use extline_host::{CallError, CallOptions, Host, News};
use serde_json::Value;

use crate::support::{Home, LONG, behave, end, misbehave, text};

async fn host_of_behave(home: &Home) -> Host {
    home.builder().extension(behave(&[])).start().await
}

async fn seen(host: &Host) -> Value {
    let result = host.call("seen", "{}").await.unwrap();
    result.structured_content.unwrap().to().unwrap()
}

#[tokio::test]
async fn a_call_is_answered() {
    let home = Home::new();
    let host = host_of_behave(&home).await;
    let names: Vec<_> = host.tools().iter().map(|tool| tool.name().to_owned()).collect();
    assert!(names.is_sorted() && names.contains(&"echo".to_owned()), "{names:?}");
    let result = host.call("echo", r#"{"text":"grüße \u2028"}"#).await.unwrap();
    assert_eq!((text(&result).as_str(), result.is_error), ("grüße \u{2028}", false));
    let result = host.call("picture", "{}").await.unwrap();
    assert!(
        matches!(&result.content[1], Content::Image { mime_type, .. } if mime_type == "image/png")
    );
    end(host).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_calls_are_in_flight_at_once() {
    let home = Home::new();
    let host = std::sync::Arc::new(host_of_behave(&home).await);
    let calls = (0..100).map(|number| {
        let host = std::sync::Arc::clone(&host);
        tokio::spawn(async move {
            let result = host.call("echo", &format!(r#"{{"text":"{number}"}}"#)).await.unwrap();
            assert_eq!(text(&result), number.to_string());
        })
    });
    for call in calls.collect::<Vec<_>>() {
        call.await.unwrap();
    }
    assert!(host.shutdown().await[0].gone);
}

#[tokio::test]
async fn a_burst_of_calls_does_no_harm_to_an_extension_that_reads() {
    let home = Home::new();
    let host = home.builder().extension(misbehave(&["plain"])).start().await;
    // More frames than may wait, and more bytes than a pipe holds, before the host's task runs.
    let args = format!(r#"{{"text":"{}"}}"#, "x".repeat(1000));
    let mut calls = Vec::new();
    for _ in 0..1000 {
        calls.push(host.start_call("echo", &args, CallOptions::default()).await.unwrap());
    }
    for call in calls {
        assert_eq!(text(&call.outcome().await.unwrap()), "echo");
    }
    end(host).await;
}

#[tokio::test]
async fn a_tool_s_own_error_is_a_result() {
    let home = Home::new();
    let host = host_of_behave(&home).await;
    let result = host.call("fail", "{}").await.unwrap();
    assert!(result.is_error);
    let error = result.error.unwrap();
    assert_eq!((error.kind, error.hint.as_deref()), (ErrorKind::Permission, Some("ask the owner")));
    end(host).await;
}

#[tokio::test]
async fn arguments_that_do_not_fit_never_reach_the_extension() {
    let home = Home::new();
    let host = host_of_behave(&home).await;
    let error = host.call("echo", "{}").await.unwrap_err();
    assert_eq!((error.kind(), error.field()), (ErrorKind::Validation, Some("/text")));
    assert!(error.to_string().starts_with("echo: /text: required, and missing"), "{error}");
    let error = host.call("echo", r#"{"text":"a","x":1}"#).await.unwrap_err();
    assert_eq!(error.field(), Some("/x"));
    let error = host.call("echo", "[1]").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Validation);
    assert!(matches!(error, CallError::BadArgs { .. }));
    assert!(host.call("echo", "{").await.unwrap_err().to_string().contains("not a JSON value"));
    let result = host.call("echo", r#"{"text":"first","text":"last"}"#).await.unwrap();
    assert_eq!(text(&result), "last");
    end(host).await;
}

#[tokio::test]
async fn an_unknown_tool_is_an_error_and_no_call() {
    let home = Home::new();
    let host = host_of_behave(&home).await;
    let error = host.call("ecco", "{}").await.unwrap_err();
    assert_eq!(
        (error.kind(), error.to_string()),
        (ErrorKind::NotFound, "unknown tool ecco".into())
    );
    end(host).await;
}

#[tokio::test]
async fn updates_arrive_and_the_result_ends_them() {
    let home = Home::new();
    let host = host_of_behave(&home).await;
    let mut news = host.news();
    let options = CallOptions::default();
    let mut call = host.start_call("slow", r#"{"steps":4}"#, options).await.unwrap();
    let mut last = 0.0;
    let mut count = 0;
    while let Some(update) = call.update().await {
        let done = update.progress.as_ref().unwrap().done.unwrap();
        assert!(done > last);
        last = done;
        count += 1;
    }
    assert!((1..=4).contains(&count) && last > 3.5, "{count} updates, the last {last}");
    assert_eq!(text(&call.outcome().await.unwrap()), "done");
    let mut told = 0;
    while let Some(item) = news.try_next() {
        told += u32::from(matches!(item, News::ToolUpdate { tool, .. } if tool == "slow"));
    }
    assert_eq!(told, 4);
    end(host).await;
}

#[tokio::test]
async fn a_call_that_takes_too_long_is_given_up_and_the_extension_hears_of_it() {
    let home = Home::new();
    let host = host_of_behave(&home).await;
    let options = CallOptions::default().timeout(Duration::from_millis(200));
    let call = host.start_call("slow", r#"{"seconds":100}"#, options).await.unwrap();
    let error = call.outcome().await.unwrap_err();
    assert!(matches!(error, CallError::Timeout { after, .. } if after.as_millis() == 200));
    let seen = seen(&host).await;
    assert_eq!(seen["cancels"][0]["reason"], "timeout");
    assert_eq!(text(&host.call("echo", r#"{"text":"on"}"#).await.unwrap()), "on");
    end(host).await;
}

#[tokio::test]
async fn a_cancelled_call_is_answered_by_the_extension() {
    let home = Home::new();
    let host = host_of_behave(&home).await;
    let mut call =
        host.start_call("slow", r#"{"seconds":100}"#, CallOptions::default()).await.unwrap();
    assert!(call.update().await.is_some());
    call.cancel("the user changed her mind");
    let result = call.outcome().await.unwrap();
    assert_eq!(result.error.unwrap().kind, ErrorKind::Cancelled);
    assert_eq!(seen(&host).await["cancels"][0]["reason"], "the user changed her mind");
    end(host).await;
}

#[tokio::test]
async fn a_call_that_is_dropped_is_cancelled() {
    let home = Home::new();
    let host = host_of_behave(&home).await;
    let mut call =
        host.start_call("slow", r#"{"seconds":100}"#, CallOptions::default()).await.unwrap();
    assert!(call.update().await.is_some());
    drop(call);
    assert_eq!(seen(&host).await["cancels"].as_array().unwrap().len(), 1);
    end(host).await;
}

#[tokio::test]
async fn late_and_second_answers_are_reported_and_change_nothing() {
    let home = Home::new();
    let deadlines = Deadlines { cancelled: Duration::from_millis(100), ..Deadlines::default() };
    let builder = home.builder().deadlines(deadlines);
    let host = builder.extension(misbehave(&["late"])).start().await;
    let call = host.start_call("hang", "{}", CallOptions::default()).await.unwrap();
    call.cancel("enough");
    assert!(matches!(call.outcome().await, Err(CallError::Cancelled { .. })));
    // The extension answers its call too late and twice, and then this one.
    assert_eq!(text(&host.call("echo", "{}").await.unwrap()), "echo");
    let notices = &host.extensions()[0].notices;
    let late = notices.iter().filter(|notice| notice.text.contains("nobody waits for it"));
    assert_eq!(late.count(), 2, "{notices:?}");
    end(host).await;

    let host = home.builder().extension(misbehave(&["twice"])).start().await;
    for _ in 0..2 {
        assert_eq!(text(&host.call("echo", "{}").await.unwrap()), "first");
    }
    end(host).await;
}

#[tokio::test]
async fn junk_between_frames_is_skipped_and_reported() {
    let home = Home::new();
    let host = home.builder().extension(misbehave(&["junk"])).start().await;
    for _ in 0..2 {
        assert_eq!(text(&host.call("echo", "{}").await.unwrap()), "echo");
    }
    let notices: Vec<_> = host.extensions()[0].notices.iter().map(ToString::to_string).collect();
    let notices = notices.join("\n");
    for part in ["junk before", "[1, 2]", "without a \"type\"", "junk behind", "print to stderr"] {
        assert!(notices.contains(part), "{part} is not in\n{notices}");
    }
    end(host).await;
}

#[tokio::test]
async fn an_answer_over_the_limit_fails_its_call_only() {
    let home = Home::new();
    let host = home.builder().extension(misbehave(&["oversized"])).start().await;
    let error = host.call("echo", r#"{"bytes":5000000}"#).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::TooLarge);
    assert!(error.to_string().contains("4194303"), "{error}");
    let result = host.call("echo", r#"{"bytes":4000000}"#).await.unwrap();
    assert_eq!(text(&result).len(), 4_000_000);
    assert_eq!(text(&host.call("echo", "{}").await.unwrap()), "echo");
    end(host).await;
}

#[tokio::test]
async fn an_answer_that_cannot_be_read_fails_its_call_only() {
    let home = Home::new();
    let host = home.builder().extension(misbehave(&["wrong-types"])).start().await;
    let error = host.call("echo", "{}").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Protocol);
    assert!(error.to_string().contains("/content: expected"), "{error}");
    assert!(host.call("pids", "{}").await.is_ok());
    end(host).await;
}

#[tokio::test]
async fn large_arguments_pass_a_full_pipe() {
    let home = Home::new();
    let host = host_of_behave(&home).await;
    let long = "x".repeat(3 << 20);
    let args = format!(r#"{{"text":"{long}"}}"#);
    let result = tokio::time::timeout(LONG, host.call("echo", &args)).await.unwrap();
    assert_eq!(text(&result.unwrap()).len(), long.len());
    end(host).await;
}
