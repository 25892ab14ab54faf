//! Many extensions at once, and many calls.

use std::time::{Duration, Instant};

use extline_host::protocol::Deadlines;
use extline_host::{CallOptions, ExtensionSource, ExtensionState, Host};

use crate::support::{Home, LONG, behave, runs};

/// A host with so many extensions, each with a tool of its own, started together. All of them share
/// the processors, so none has less time than the whole start may take.
async fn start(home: &Home, count: usize) -> Host {
    let deadlines = Deadlines { hello: LONG, ready: LONG, ..Deadlines::default() };
    let builder = (0..count).fold(home.builder().deadlines(deadlines), |builder, number| {
        builder.extension(behave(&[&format!("tool{number}")]).named(format!("ext{number}")))
    });
    let host = tokio::time::timeout(2 * LONG, builder.start()).await.expect("one shared deadline");
    for status in host.extensions() {
        assert_eq!(status.state, ExtensionState::Ready, "{}", status.name);
    }
    host
}

async fn end(host: Host) {
    let ids: Vec<_> = host.extensions().into_iter().filter_map(|status| status.pid).collect();
    let endings = tokio::time::timeout(LONG, host.shutdown()).await.expect("all at once");
    assert_eq!(endings.len(), ids.len());
    assert!(endings.iter().all(|ending| ending.gone));
    assert!(!ids.into_iter().any(runs));
}

/// Sends all calls before the first answer is looked at.
async fn calls_in_flight(count: usize, extensions: usize) {
    let home = Home::new();
    let host = start(&home, extensions).await;
    let mut calls = Vec::new();
    for number in 0..count {
        let tool = format!("tool{}", number % extensions);
        let options = CallOptions::default().timeout(LONG);
        calls.push(host.start_call(&tool, "{}", options).await.unwrap());
    }
    for call in calls {
        assert!(!call.outcome().await.unwrap().is_error);
    }
    end(host).await;
}

#[tokio::test]
async fn a_dozen_start_and_end_together() {
    let home = Home::new();
    end(start(&home, 12).await).await;
}

#[tokio::test]
async fn two_hundred_calls_in_flight_over_eight() {
    calls_in_flight(200, 8).await;
}

#[tokio::test]
async fn one_that_hangs_does_not_make_the_others_late() {
    let home = Home::new();
    let deadlines = Deadlines { hello: Duration::from_secs(8), ..Deadlines::default() };
    let builder = home.builder().deadlines(deadlines).command("sh", ["-c", "exec sleep 3600"]);
    let host = builder.extension(behave(&[])).extension(behave(&[]).named("other")).start().await;
    let took: Vec<_> = host.extensions().into_iter().map(|status| status.start_took).collect();
    assert!(took[0].is_none());
    assert!(took[1..].iter().all(|took| took.is_some_and(|took| took < Duration::from_secs(8))));
    crate::support::end(host).await;
}

/// Each is waited for at the same time as the others: N of them take one deadline, not N.
#[tokio::test]
async fn the_deadlines_of_those_that_never_start_do_not_add_up() {
    const COUNT: u32 = 16;
    let home = Home::new();
    // What one waits for is long enough for a busy machine, what all wait for one after another
    // far too long for any.
    let deadline = Duration::from_secs(4);
    let deadlines = Deadlines { hello: deadline, ready: deadline, ..Deadlines::default() };
    let silent = ["exec sleep 3600", SAYS_HELLO_AND_NO_MORE];
    let builder = (0..COUNT).zip(silent.iter().cycle());
    let builder = builder.fold(home.builder().deadlines(deadlines), |builder, (number, script)| {
        let source = ExtensionSource::command("sh", ["-c", script]);
        builder.extension(source.named(format!("ext{number}")))
    });
    let began = Instant::now();
    let host = builder.start().await;
    let took = began.elapsed();
    assert!(took >= deadline && took < deadline * COUNT / 2, "{took:?}");
    for status in host.extensions() {
        assert_ne!(status.state, ExtensionState::Starting, "{}", status.name);
    }
    crate::support::end(host).await;
}

const SAYS_HELLO_AND_NO_MORE: &str =
    r#"echo '{"type":"hello","name":"silent","version":"1.0.0"}'; exec sleep 3600"#;

#[tokio::test]
#[ignore = "takes a minute on a small machine"]
async fn a_hundred_start_and_end_together() {
    let home = Home::new();
    end(start(&home, 100).await).await;
}

#[tokio::test]
#[ignore = "takes a minute on a small machine"]
async fn a_thousand_calls_in_flight_over_fifty() {
    calls_in_flight(1000, 50).await;
}
