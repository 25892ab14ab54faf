//! Slash commands, events, and what extensions say by themselves.

use extline_host::protocol::frame::{EventPayload, Level};
use extline_host::protocol::{Deadlines, ErrorKind};
use extline_host::{CallError, CommandOutcome, Host, News};

use crate::support::{Home, behave, end, misbehave};

async fn host_of_behave(home: &Home) -> Host {
    home.builder().extension(behave(&[])).start().await
}

#[tokio::test]
async fn a_command_says_what_the_host_shall_do() {
    let home = Home::new();
    let host = host_of_behave(&home).await;
    let outcome = host.command("prompt", "  a   b ").await.unwrap();
    assert_eq!(outcome, CommandOutcome::Prompt("say a   b".to_owned()));
    let outcome = host.command("INSERT", "x").await.unwrap();
    assert_eq!(outcome, CommandOutcome::Insert("x".to_owned()));
    let outcome = host.command("show", "").await.unwrap();
    assert_eq!(outcome, CommandOutcome::Display("shown: ".to_owned()));
    assert_eq!(host.command("nothing", "").await.unwrap(), CommandOutcome::Noop);
    let outcome = host.command("panel", "").await.unwrap();
    assert!(matches!(outcome, CommandOutcome::OpenPanel(panel) if panel.view().title == "Status"));
    end(host).await;
}

#[tokio::test]
async fn a_command_s_error_wins_over_its_action() {
    let home = Home::new();
    let host = host_of_behave(&home).await;
    let error = host.command("refuse", "").await.unwrap_err();
    assert!(matches!(&error, CallError::Refused { message } if message == "I will not"));
    let error = host.command("odd", "").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Protocol);
    let error = host.command("unheard", "").await.unwrap_err();
    assert_eq!(error.to_string(), "unknown command unheard");
    end(host).await;
}

#[tokio::test]
async fn a_command_that_is_not_answered_times_out() {
    let home = Home::new();
    let command = std::time::Duration::from_millis(200);
    let builder = home.builder().deadlines(Deadlines { command, ..Deadlines::default() });
    let host = builder.extension(misbehave(&["plain"])).start().await;
    let error = host.command("hang", "").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Timeout);
    assert!(host.call("echo", "{}").await.is_ok());
    end(host).await;
}

#[tokio::test]
async fn events_reach_those_who_asked_for_them_in_order() {
    let home = Home::new();
    let host = host_of_behave(&home).await;
    host.emit("session_start", EventPayload::default());
    for step in 1..=3 {
        host.emit("turn_start", EventPayload { step: Some(step), ..EventPayload::default() });
    }
    host.emit("turn_end", EventPayload::default());
    let seen = host.call("seen", "{}").await.unwrap();
    let seen: serde_json::Value = seen.structured_content.unwrap().to().unwrap();
    let events = seen["events"].as_array().unwrap();
    let names: Vec<_> = events.iter().map(|event| event["event"].as_str().unwrap()).collect();
    assert_eq!(names, ["session_start", "turn_start", "turn_start", "turn_start"]);
    assert_eq!(events[3]["step"], 3);
    end(host).await;
}

#[tokio::test]
async fn what_an_extension_says_by_itself_is_news() {
    let home = Home::new();
    let host = host_of_behave(&home).await;
    let mut news = host.news();
    host.call("chatter", "{}").await.unwrap();
    let log = host.extensions()[0].log.clone().unwrap();
    end(host).await;
    let mut told = Vec::new();
    while let Some(item) = news.try_next() {
        told.push(match item {
            News::Started { .. } => "started".to_owned(),
            News::CallStarted { tool, .. } => format!("{tool} began"),
            News::CallEnded { tool, status, .. } => format!("{tool} {status}"),
            News::Registered { .. } => "registered".to_owned(),
            News::Note { level, message, .. } => {
                assert_eq!(level, Level::Warn);
                message
            }
            News::Log { log, .. } => log.message,
            News::Submit { text, .. } => text,
            News::Notice { notice, .. } => notice.text,
            News::PanelOpened { panel } => format!("opened the panel {}", panel.id()),
            News::PanelClosed { id, .. } => format!("closed the panel {id}"),
            News::Report(report) => format!("report of {}", report.extensions.len()),
            News::Ended(ending) => ending.exit.unwrap().to_string(),
            other => format!("{other:?}"),
        });
    }
    assert_eq!(
        told,
        [
            "started",
            "registered",
            "report of 1",
            "chatter began",
            "a note",
            "a log line",
            "a prompt",
            "opened the panel p",
            "skipped a frame of the unknown type \"from_the_future\"",
            "chatter completed",
            "closed the panel p",
            "exit status 0",
        ]
    );
    let log = std::fs::read_to_string(log).unwrap();
    for part in ["a line on stderr", "info: a log line {\"n\": 1}", "from_the_future", "stopped"] {
        assert!(log.contains(part), "{part} is not in\n{log}");
    }
}
