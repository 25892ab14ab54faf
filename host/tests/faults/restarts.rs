//! Extensions that are started again after they failed.

use std::time::Duration;

use extline_host::protocol::ErrorKind;
use extline_host::{
    CallError, CallOptions, ExtensionSource, ExtensionState, Host, News, NewsStream, RestartPolicy,
};
use rustix::process::Signal;

use crate::killed_extension::send;
use crate::processes;
use crate::support::{Home, LONG, behave, end, misbehave, pids, python, runs};

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

fn owner_of(host: &Host, tool: &str) -> Option<String> {
    let tool = host.tools().into_iter().find(|it| it.name() == tool)?;
    Some(tool.extension.clone())
}

#[tokio::test]
async fn while_it_is_started_again_its_names_are_its_own_and_calls_fail_at_once() {
    let home = Home::new();
    let never = RestartPolicy::OnFailure { backoff: LONG, max: 9 };
    // Both have a tool `echo`.
    let builder = home.builder().restart(never).extension(misbehave(&["plain"]));
    let host = builder.extension(behave(&[])).start().await;
    let mut news = host.news();
    send(host.extensions()[0].pid.unwrap(), Signal::KILL);
    news_until(&mut news, "restarting 1").await;
    assert_eq!(owner_of(&host, "echo").as_deref(), Some("misbehave"));
    let options = CallOptions::default().timeout(LONG / 2);
    let calls = [
        host.start_call("echo", r#"{"text":"x"}"#, options).await.err(),
        host.command("hang", "").await.err(),
    ];
    for (error, name) in calls.into_iter().zip(["echo", "hang"]) {
        let error = error.expect("nobody of lower rank answers");
        assert_eq!(error.kind(), ErrorKind::Transient);
        let says = "was not called: its extension misbehave failed and is being restarted";
        assert_eq!(error.to_string(), format!("{name} {says}"));
    }
    // Nobody waits for it any more.
    host.remove("misbehave").await.unwrap();
    assert_eq!(owner_of(&host, "echo").as_deref(), Some("behave"));
    assert!(!host.call("echo", r#"{"text":"x"}"#).await.unwrap().is_error);
    let unknown = host.command("hang", "").await.unwrap_err();
    assert!(matches!(unknown, CallError::Unknown { .. }), "{unknown}");
    end(host).await;
}

#[tokio::test]
async fn one_that_is_ready_again_answers_to_its_names_and_one_that_is_given_up_frees_them() {
    let home = Home::new();
    let builder = home.builder().restart(policy(1)).extension(misbehave(&["plain"]));
    let host = builder.extension(behave(&[])).start().await;
    let mut news = host.news();
    news_until(&mut news, "started").await;
    send(host.extensions()[0].pid.unwrap(), Signal::KILL);
    news_until(&mut news, "started").await;
    assert_eq!(owner_of(&host, "echo").as_deref(), Some("misbehave"));
    host.call("pids", "{}").await.unwrap();
    send(host.extensions()[0].pid.unwrap(), Signal::KILL);
    news_until(&mut news, "failed").await;
    let free = async {
        while owner_of(&host, "echo").as_deref() != Some("behave") {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(LONG, free).await.expect("the next in rank gets the name");
    assert!(!host.call("echo", r#"{"text":"x"}"#).await.unwrap().is_error);
    let told = host.extensions()[1].report.clone();
    assert!(told.tools.contains(&"echo".to_owned()), "{told:?}");
    end(host).await;
}

/// What it said is not ready before the schema of one of its tools is compiled.
#[tokio::test]
async fn its_names_stay_its_own_while_a_schema_is_compiled_again() {
    let home = Home::new();
    let slow = python("hostile.py", ["large"]).named("slow");
    // Both have a tool `behind`.
    let builder = home.builder().restart(policy(9)).extension(slow);
    let host = builder.extension(behave(&["behind"])).start().await;
    assert_eq!(owner_of(&host, "behind").as_deref(), Some("slow"));
    let mut news = host.news();
    while news.try_next().is_some() {}
    send(host.extensions()[0].pid.unwrap(), Signal::KILL);
    let is_there_again =
        |news: &News| matches!(news, News::Started { extension } if extension == "slow");
    let again = async {
        while !std::iter::from_fn(|| news.try_next()).any(|news| is_there_again(&news)) {
            assert_eq!(owner_of(&host, "behind").as_deref(), Some("slow"));
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    tokio::time::timeout(LONG, again).await.expect("it must start again");
    assert_eq!(owner_of(&host, "behind").as_deref(), Some("slow"));
    end(host).await;
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

/// Longer than the longest wait of the tests below for a restart.
const AFTER_ANY_RESTART: Duration = Duration::from_secs(1);

#[tokio::test]
async fn one_that_was_removed_is_not_started_again() {
    let home = Home::new();
    // While it runs, while its restart is waited for, and just when it dies.
    for (kill, wait) in [(false, false), (true, true), (true, false)] {
        let backoff = RestartPolicy::OnFailure { backoff: AFTER_ANY_RESTART / 4, max: 9 };
        let builder = home.builder().restart(backoff).extension(misbehave(&["plain"]));
        let host = builder.extension(behave(&[])).start().await;
        let mut news = host.news();
        let mark = processes::mark_of_host(host.extensions()[0].pid.unwrap());
        if kill {
            send(host.extensions()[0].pid.unwrap(), Signal::KILL);
        }
        if wait {
            news_until(&mut news, "restarting 1").await;
        }
        host.remove("misbehave").await.unwrap();
        let before = host.extensions()[0].clone();
        tokio::time::sleep(AFTER_ANY_RESTART).await;
        let after = &host.extensions()[0];
        assert_eq!((&after.state, after.pid), (&before.state, before.pid));
        let left: Vec<_> = processes::carrying(&mark).into_iter().map(|it| it.id).collect();
        assert_eq!(left, [host.extensions()[1].pid.unwrap()], "{kill} {wait}");
        host.call("echo", r#"{"text":"still there"}"#).await.unwrap();
        end(host).await;
    }
}

#[tokio::test]
async fn one_that_is_removed_while_it_starts_again_is_ended_and_stays_so() {
    let home = Home::new();
    let marker = home.path().join("started-before");
    let twice = ["hangs-second-time", marker.to_str().unwrap()];
    let host = home.builder().restart(policy(9)).extension(misbehave(&twice)).start().await;
    let mut news = host.news();
    let mark = processes::mark_of_host(host.extensions()[0].pid.unwrap());
    let first = host.extensions()[0].pid;
    send(first.unwrap(), Signal::KILL);
    news_until(&mut news, "restarting 1").await;
    let second_runs = async {
        while host.extensions()[0].pid == first {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(LONG, second_runs).await.unwrap();
    let ending = host.remove("misbehave").await.unwrap();
    assert!(ending.gone, "{ending}");
    tokio::time::sleep(AFTER_ANY_RESTART).await;
    let left = processes::carrying(&mark);
    assert!(left.is_empty(), "{left:?}");
    end(host).await;
}

/// Eight that die all the time and are started again at once, and a shutdown at any moment.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn nothing_is_started_once_the_shutdown_began() {
    let home = Home::new();
    for round in 0..12 {
        let at_once = RestartPolicy::OnFailure { backoff: Duration::from_millis(1), max: 1000 };
        let shell =
            |script: &str, name: String| ExtensionSource::command("sh", ["-c", script]).named(name);
        let builder = home.builder().restart(at_once);
        let builder = builder.extension(shell(READY_AND_STEADY, "steady".to_owned()));
        let builder = (0..8).fold(builder, |builder, number| {
            builder.extension(shell(READY_AND_GONE, format!("ext{number}")))
        });
        let host = builder.start().await;
        let mark = processes::mark_of_host(host.extensions()[0].pid.unwrap());
        tokio::time::sleep(Duration::from_millis(7 * round)).await;
        if round % 2 == 0 {
            let endings = tokio::time::timeout(LONG, host.shutdown()).await.unwrap();
            assert!(endings.iter().all(|ending| ending.gone), "{endings:?}");
            let left = processes::carrying(&mark);
            assert!(left.is_empty(), "{left:?}");
            let pids = || host.extensions().iter().map(|it| it.pid).collect::<Vec<_>>();
            let before = pids();
            tokio::time::sleep(Duration::from_millis(100)).await;
            assert_eq!(pids(), before);
        } else {
            drop(host);
        }
        let none_left = async {
            while !processes::carrying(&mark).is_empty() {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        tokio::time::timeout(LONG, none_left).await.expect("something was started");
        tokio::time::sleep(Duration::from_millis(50)).await;
        assert!(processes::carrying(&mark).is_empty());
    }
}

/// An extension that is ready until its stdin ends.
const READY_AND_STEADY: &str = r#"
echo '{"type":"hello","name":"steady","version":"1.0.0"}'
echo '{"type":"ready"}'
while read -r frame; do :; done
"#;

/// An extension that is ready and then ends.
const READY_AND_GONE: &str = r#"
echo '{"type":"hello","name":"brief","version":"1.0.0"}'
echo '{"type":"ready"}'
read -r ack
sleep 0.02
exit 3
"#;

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
