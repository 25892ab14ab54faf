//! Extensions that do nothing, at every stage of their life.

use std::time::Duration;

use extline_host::protocol::Deadlines;
use extline_host::{CallError, CallOptions, ExtensionState, Manner, Problem};
use rustix::process::Signal;

use crate::killed_extension::send;
use crate::pair::Pair;

#[tokio::test]
async fn before_hello() {
    let deadlines = Deadlines { hello: Duration::from_secs(8), ..Deadlines::default() };
    let pair = Pair::start_with(&["hang-before-hello"], deadlines).await;
    let ExtensionState::Failed(found) = pair.host.extensions().remove(1).state else { panic!() };
    assert_eq!(found.problem, Problem::NoHello { waited_ms: 8000 });
    assert_eq!(found.stdout.as_deref(), Some("nothing"));
    // What it waits in differs with the version of Python.
    let process = found.process.as_deref().unwrap();
    assert!(process.starts_with("process ") && process.contains(" waits in "), "{found}");
    assert!(process.contains("nanosleep") || process.contains("select"), "{found}");
    pair.end().await;
}

#[tokio::test]
async fn between_hello_and_ready() {
    let deadlines = Deadlines { ready: Duration::from_secs(1), ..Deadlines::default() };
    let pair = Pair::start_with(&["hang-before-ready"], deadlines).await;
    let bad = pair.host.extensions().remove(1);
    assert_eq!(bad.state, ExtensionState::Ready);
    assert_eq!(
        bad.notices[0].to_string(),
        "no ready frame 1000 ms after hello; going on with what is registered (write \
         {\"type\":\"ready\"} after the last registration, which saves the wait)"
    );
    // It does not read its stdin either, and has to be made to end.
    let endings = pair.end().await;
    assert_eq!((endings[0].manner, endings[1].manner), (Manner::ByItself, Manner::Terminated));
}

#[tokio::test]
async fn in_a_call() {
    let pair = Pair::start(&["plain"]).await;
    let options = CallOptions::default().timeout(Duration::from_millis(1500));
    let call = pair.host.start_call("hang", "{}", options).await.unwrap();
    let (outcome, ()) = tokio::join!(call.outcome(), pair.good_one_answers());
    let error = outcome.unwrap_err();
    assert!(matches!(error, CallError::Timeout { .. }), "{error}");
    let found = pair.host.diagnose(&error).unwrap();
    assert_eq!(found.problem, Problem::NoAnswer { waited_ms: 1500 });
    assert_eq!(found.doing, "answering hang");
    assert!(found.process.as_deref().unwrap().contains("(python3"), "{found}");
    // Only the call has failed.
    assert_eq!(pair.host.extensions()[1].state, ExtensionState::Ready);
    pair.end().await;
}

#[tokio::test]
async fn in_a_call_of_an_sdk_the_advice_is_in_its_language() {
    for (says, advice) in [
        ("by-sdk", "a tool that needs longer says so with @ext.tool(timeout=SECONDS), or whoever"),
        ("plain", "a tool that needs longer says so with \"timeout_ms\", or whoever"),
    ] {
        let pair = Pair::start(&[says]).await;
        let options = CallOptions::default().timeout(Duration::from_secs(1));
        let error = match pair.host.start_call("hang", "{}", options).await {
            Ok(call) => call.outcome().await.unwrap_err(),
            Err(error) => error,
        };
        let found = pair.host.diagnose(&error).unwrap();
        assert!(found.suggestion.contains(advice), "{found}");
        pair.end().await;
    }
}

#[tokio::test]
async fn in_the_shutdown() {
    let pair = Pair::start(&["stubborn", "leaves-stray"]).await;
    let endings = pair.end().await;
    assert_eq!((endings[0].manner, endings[1].manner), (Manner::ByItself, Manner::Killed));
    assert_eq!(endings[1].left_behind, 1);
}

#[tokio::test]
async fn stopped_by_a_signal() {
    // The good one has to read as much, also on a busy machine.
    let deadlines = Deadlines { write: Duration::from_secs(5), ..Deadlines::default() };
    let pair = Pair::start_with(&["plain"], deadlines).await;
    send(pair.bad(), Signal::STOP);
    let args = format!(r#"{{"text":"{}"}}"#, "x".repeat(4_000_000));
    let found = pair.diagnosis_in_call(&args).await;
    let Problem::InputStalled { waited_ms: 5000, .. } = found.problem else { panic!("{found}") };
    let process = found.process.as_deref().unwrap();
    assert!(process.ends_with(" is stopped, as by SIGSTOP; SIGCONT lets it run on"), "{process}");
    // It does not even take SIGTERM.
    let endings = pair.end().await;
    assert_eq!(endings[1].exit.as_ref().unwrap().to_string(), "killed by SIGKILL (signal 9)");
}

#[tokio::test]
async fn with_its_stdout_closed() {
    let pair = Pair::start(&["close-stdout-in-call"]).await;
    let found = pair.diagnosis_in_call("{}").await;
    assert_eq!(found.problem, Problem::OutputClosed);
    assert!(found.process.as_deref().unwrap().contains("(python3"), "{found}");
    assert_eq!(
        found.suggestion,
        "keep stdout open until the process ends: it is the only way to answer"
    );
    pair.end().await;
}
