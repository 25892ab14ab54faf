//! Extensions that are started again after they failed.

use std::time::Duration;

use extline_host::{CallError, ExtensionState, Host, News, NewsStream, RestartPolicy};
use rustix::process::Signal;

use crate::killed_extension::send;
use crate::support::{Home, LONG, behave, end, misbehave, pids, runs};

fn policy(max: u32) -> RestartPolicy {
    RestartPolicy::OnFailure { backoff: Duration::from_millis(50), max }
}

/// The news of the one that misbehaves, each in a word, up to one of these.
async fn news_until(news: &mut NewsStream, last: &str) -> Vec<String> {
    let mut told = Vec::new();
    while told.last().is_none_or(|word| word != last) {
        let next = tokio::time::timeout(LONG, news.next()).await.expect("it must come").unwrap();
        match next {
            News::Started { extension } if extension == "misbehave" => told.push("started".into()),
            News::Failed { extension, .. } if extension == "misbehave" => {
                told.push("failed".into());
            }
            News::Restarting { attempt, .. } => told.push(format!("restarting {attempt}")),
            _ => {}
        }
    }
    told
}

async fn call_dies(host: &Host) {
    let error = host.call("hang", "{}").await.unwrap_err();
    assert!(matches!(error, CallError::Died { .. }), "{error}");
}

#[tokio::test]
async fn one_that_died_is_there_again_and_its_call_is_not_repeated() {
    let home = Home::new();
    let builder = home.builder().restart(policy(3)).extension(behave(&[]));
    let host = builder.extension(misbehave(&["exit-in-call", "3"])).start().await;
    let mut news = host.news();
    assert_eq!(news_until(&mut news, "started").await, ["started"]);
    let before = pids(&host).await[0];
    call_dies(&host).await;
    assert_eq!(news_until(&mut news, "started").await, ["failed", "restarting 1", "started"]);
    assert_eq!(host.extensions()[1].state, ExtensionState::Ready);
    let after = pids(&host).await[0];
    assert_ne!(before, after);
    assert!(!runs(before) && runs(after));
    end(host).await;
    assert!(!runs(after));
}

#[tokio::test]
async fn after_so_many_restarts_it_stays_as_it_is() {
    let home = Home::new();
    let builder = home.builder().restart(policy(2));
    let host = builder.extension(misbehave(&["exit-in-call", "3"])).start().await;
    let mut news = host.news();
    for _ in 0..2 {
        news_until(&mut news, "started").await;
        call_dies(&host).await;
    }
    news_until(&mut news, "started").await;
    call_dies(&host).await;
    news_until(&mut news, "failed").await;
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert!(matches!(host.extensions()[0].state, ExtensionState::Failed(_)));
    assert!(news.try_next().is_none_or(|news| !matches!(news, News::Restarting { .. })));
    end(host).await;
}

#[tokio::test]
async fn one_that_was_never_ready_and_one_without_a_policy_are_not_started_again() {
    let home = Home::new();
    let builder = home.builder().restart(policy(9));
    let host = builder.extension(misbehave(&["exit-before-ready"])).start().await;
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert!(matches!(host.extensions()[0].state, ExtensionState::Failed(_)));
    end(host).await;

    let host = home.builder().extension(misbehave(&["exit-in-call", "3"])).start().await;
    call_dies(&host).await;
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert!(matches!(host.extensions()[0].state, ExtensionState::Failed(_)));
    end(host).await;
}

#[tokio::test]
async fn a_shutdown_ends_the_waiting() {
    let home = Home::new();
    let never = RestartPolicy::OnFailure { backoff: LONG, max: 9 };
    let host = home.builder().restart(never).extension(misbehave(&["plain"])).start().await;
    let mut news = host.news();
    send(host.extensions()[0].pid.unwrap(), Signal::KILL);
    news_until(&mut news, "restarting 1").await;
    tokio::time::timeout(LONG / 2, end(host)).await.expect("it must not wait for the restart");
}
