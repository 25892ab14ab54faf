//! Extensions that die, or stop to read or to write, while they are in use.

use std::process::Command;
use std::sync::Arc;

use extline_host::protocol::frame::EventPayload;
use extline_host::protocol::{Deadlines, ErrorKind};
use extline_host::{
    CallError, CallOptions, Diagnosis, Exit, Host, Manner, News, NewsStream, Problem,
};

use crate::support::{Home, LONG, behave, diagnosis, end, misbehave, pids, runs, text};

/// The answer to a call that cannot have one; the tool's own deadline is longer than this waits.
async fn death_of(host: &Host, tool: &str) -> Diagnosis {
    let call =
        host.start_call(tool, "{}", CallOptions::default().timeout(10 * LONG)).await.unwrap();
    let error = tokio::time::timeout(LONG, call.outcome()).await.expect("it must not wait");
    let error = error.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Transient);
    let CallError::Died { diagnosis, .. } = error else { panic!("{error}") };
    (*diagnosis).clone()
}

async fn next_failure(news: &mut NewsStream) -> Arc<Diagnosis> {
    loop {
        if let News::Failed { diagnosis, .. } = news.next().await.unwrap() {
            return diagnosis;
        }
    }
}

#[tokio::test]
async fn a_kill_fails_the_calls_at_once_and_names_the_signal() {
    let home = Home::new();
    let host = home.builder().extension(misbehave(&["plain"])).start().await;
    let mut news = host.news();
    let pid = pids(&host).await[0];
    let call =
        host.start_call("hang", "{}", CallOptions::default().timeout(10 * LONG)).await.unwrap();
    let kill = Command::new("kill").args(["-9", &pid.to_string()]).status().unwrap();
    assert!(kill.success());
    let error = tokio::time::timeout(LONG, call.outcome()).await.unwrap().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Transient);
    assert!(error.to_string().contains("killed by SIGKILL (signal 9)"), "{error}");
    let found = diagnosis(&host);
    assert_eq!(found.problem, Problem::Died);
    assert_eq!(found.doing, "answering the tool call hang");
    assert_eq!(found.exit.as_ref().unwrap().to_string(), "killed by SIGKILL (signal 9)");

    assert!(host.tools().is_empty());
    assert!(matches!(host.call("echo", "{}").await, Err(CallError::Unknown { .. })));
    let failed = std::iter::from_fn(|| news.try_next())
        .any(|item| matches!(item, News::Failed { diagnosis, .. } if *diagnosis == found));
    assert!(failed);
    let endings = host.shutdown().await;
    assert_eq!((endings[0].manner, endings[0].gone), (Manner::Failed, true));
}

#[tokio::test]
async fn an_exit_in_a_call_tells_its_status_and_its_last_words() {
    let home = Home::new();
    let host = home.builder().extension(misbehave(&["exit-in-call", "42"])).start().await;
    let found = death_of(&host, "hang").await;
    assert_eq!(found.exit, Some(Exit::Code { code: 42 }));
    assert_eq!(found.stderr, ["Traceback: the reason"]);
    assert!(!found.problem.is_failed_start());
    end(host).await;
}

#[tokio::test]
async fn a_death_concerns_no_other_extension() {
    let home = Home::new();
    let builder = home.builder().extension(misbehave(&["exit-in-call", "1"]));
    let host = builder.extension(behave(&[])).start().await;
    // Both have a tool `echo`: the second one's is used when the first is gone.
    assert_eq!(host.tools().iter().filter(|tool| tool.name() == "echo").count(), 1);
    death_of(&host, "hang").await;
    assert_eq!(text(&host.call("echo", r#"{"text":"mine"}"#).await.unwrap()), "mine");
    end(host).await;
}

#[tokio::test]
async fn a_closed_stdout_ends_an_extension_that_still_runs() {
    let home = Home::new();
    let host = home.builder().extension(misbehave(&["close-stdout-in-call"])).start().await;
    let pid = pids(&host).await[0];
    let found = death_of(&host, "hang").await;
    assert_eq!((found.problem, found.exit), (Problem::OutputClosed, None));
    end(host).await;
    assert!(!runs(pid));
}

#[tokio::test]
async fn a_closed_stdin_ends_an_extension_that_still_runs() {
    let home = Home::new();
    let host = home.builder().extension(misbehave(&["close-stdin-in-call"])).start().await;
    let mut news = host.news();
    let call =
        host.start_call("hang", "{}", CallOptions::default().timeout(10 * LONG)).await.unwrap();
    while !matches!(news.next().await.unwrap(), News::Note { .. }) {}
    // Nobody can tell until the next write.
    assert_eq!(death_of(&host, "echo").await.problem, Problem::InputClosed);
    assert!(matches!(call.outcome().await, Err(CallError::Died { .. })));
    end(host).await;
}

#[tokio::test]
async fn one_that_does_not_read_is_given_up_when_too_much_waits() {
    let home = Home::new();
    // A busy machine may take longer for the calls than one write may take.
    let deadlines = Deadlines { write: 10 * LONG, ..Deadlines::default() };
    let builder = home.builder().deadlines(deadlines).extension(misbehave(&["deaf"]));
    let host = builder.start().await;
    let call =
        host.start_call("hang", "{}", CallOptions::default().timeout(10 * LONG)).await.unwrap();
    let text = "x".repeat(1 << 20);
    let args = format!(r#"{{"text":"{text}"}}"#);
    let mut calls = Vec::new();
    for _ in 0..20 {
        let options = CallOptions::default().timeout(10 * LONG);
        calls.extend(host.start_call("hang", &args, options).await.ok());
    }
    let error = tokio::time::timeout(LONG, call.outcome()).await.unwrap().unwrap_err();
    let CallError::Died { diagnosis, .. } = error else { panic!("{error}") };
    let Problem::InputFull { bytes, .. } = diagnosis.problem else { panic!("{diagnosis}") };
    assert!(bytes > 16 << 20);
    for call in calls {
        assert!(matches!(call.outcome().await, Err(CallError::Died { .. })));
    }
    end(host).await;
}

#[tokio::test]
async fn one_that_does_not_read_is_given_up_after_too_many_frames() {
    let home = Home::new();
    let host = home.builder().extension(behave(&[])).start().await;
    let pid = host.extensions()[0].pid.unwrap();
    let stop = Command::new("kill").args(["-STOP", &pid.to_string()]).status().unwrap();
    assert!(stop.success());
    let text = Some("x".repeat(1000));
    for _ in 0..1000 {
        let payload = EventPayload { text: text.clone(), ..EventPayload::default() };
        host.emit("turn_start", payload);
    }
    // The task hears of it a moment later.
    let mut news = host.news();
    let found = tokio::time::timeout(LONG, next_failure(&mut news)).await.unwrap();
    let Problem::InputFull { frames, .. } = found.problem else { panic!("{found}") };
    assert!(frames > 256);
    // Stopped as it is, it cannot even take SIGTERM.
    end(host).await;
    assert!(!runs(pid));
}

#[tokio::test]
async fn a_write_that_takes_too_long_is_given_up() {
    let home = Home::new();
    let host = home.builder().extension(misbehave(&["deaf"])).start().await;
    let args = format!(r#"{{"text":"{}"}}"#, "x".repeat(4_000_000));
    let call =
        host.start_call("hang", &args, CallOptions::default().timeout(10 * LONG)).await.unwrap();
    let error = tokio::time::timeout(LONG, call.outcome()).await.unwrap().unwrap_err();
    let CallError::Died { diagnosis, .. } = error else { panic!("{error}") };
    let Problem::InputStalled { waited_ms: 5000, .. } = diagnosis.problem else {
        panic!("{diagnosis}")
    };
    end(host).await;
}

#[tokio::test]
async fn one_that_dies_while_idle_is_news() {
    let home = Home::new();
    let host = home.builder().extension(behave(&[])).start().await;
    let mut news = host.news();
    let pid = host.extensions()[0].pid.unwrap();
    Command::new("kill").args(["-TERM", &pid.to_string()]).status().unwrap();
    let found = tokio::time::timeout(LONG, next_failure(&mut news)).await.unwrap();
    assert_eq!(found.doing, "waiting for something to do");
    assert_eq!(found.exit.as_ref().unwrap().to_string(), "killed by SIGTERM (signal 15)");
    end(host).await;
}
