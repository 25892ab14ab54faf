//! The end: asked for politely, then less so, and nothing is left in any case.

use std::time::{Duration, Instant};

use extline_host::{CallError, CallOptions, Manner, News, Problem};

use crate::support::{Home, LONG, behave, end, misbehave, pids, runs, wait_until_gone};

#[tokio::test]
async fn one_that_listens_ends_by_itself() {
    let home = Home::new();
    let host = home.builder().extension(behave(&[])).start().await;
    let pid = host.extensions()[0].pid.unwrap();
    let endings = host.shutdown().await;
    let ending = &endings[0];
    assert_eq!(ending.manner, Manner::ByItself);
    assert!(ending.exit.as_ref().unwrap().is_success());
    assert!(ending.gone && ending.diagnosis.is_none() && ending.left_behind == 0);
    assert!(ending.to_string().starts_with("behave stopped: exit status 0 after "), "{ending}");
    assert!(ending.to_string().ends_with(", no process left"), "{ending}");
    assert!(!runs(pid));
    assert_eq!(host.shutdown().await, endings);
}

#[tokio::test]
async fn the_ladder_ends_whatever_ignores_it_and_its_children_all_at_once() {
    let home = Home::new();
    let stubborn = |name: &str| misbehave(&["stubborn"]).named(name);
    let builder = home.builder().extension(stubborn("a")).extension(stubborn("b"));
    let host = builder.extension(misbehave(&["ignores-eof"]).named("c")).start().await;
    let pids = pids(&host).await;
    assert!(pids.iter().all(|pid| runs(*pid)));
    let began = Instant::now();
    let endings = host.shutdown().await;
    let took = began.elapsed();
    let manners: Vec<_> = endings.iter().map(|ending| ending.manner).collect();
    assert_eq!(manners, [Manner::Killed, Manner::Killed, Manner::Terminated]);
    assert!(endings.iter().all(|ending| ending.gone));
    assert_eq!(endings[0].exit.as_ref().unwrap().to_string(), "killed by SIGKILL (signal 9)");
    // Two seconds, one more, and much patience; one after the other would take nine.
    assert!(took > Duration::from_secs(2) && took < Duration::from_secs(8), "{took:?}");
    assert!(!pids.iter().any(|pid| runs(*pid)));
}

#[tokio::test]
async fn what_an_extension_leaves_behind_is_killed_and_counted() {
    let home = Home::new();
    let host = home.builder().extension(misbehave(&["leaves-child"])).start().await;
    let pids = pids(&host).await;
    let ending = host.shutdown().await.remove(0);
    assert_eq!((ending.manner, ending.left_behind, ending.gone), (Manner::ByItself, 1, true));
    assert!(ending.to_string().contains("1 process it left behind was killed"), "{ending}");
    assert!(!pids.iter().any(|pid| runs(*pid)));
}

#[tokio::test]
async fn a_host_that_is_dropped_leaves_nothing_running() {
    let home = Home::new();
    let host = home.builder().extension(misbehave(&["stubborn"])).start().await;
    let pids = pids(&host).await;
    drop(host);
    for pid in pids {
        wait_until_gone(pid).await;
    }
}

#[test]
fn the_end_of_the_runtime_leaves_nothing_running() {
    let home = Home::new();
    let runtime = || tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let (host, ids) = {
        let runtime = runtime();
        runtime.block_on(async {
            let host = home.builder().extension(misbehave(&["stubborn"])).start().await;
            let ids = pids(&host).await;
            (host, ids)
        })
        // The runtime goes here, and the host outlives it.
    };
    runtime().block_on(async {
        for pid in ids {
            wait_until_gone(pid).await;
        }
        let call = tokio::time::timeout(LONG, host.call("hang", "{}")).await.unwrap();
        assert!(matches!(call, Err(CallError::Unknown { .. })), "{call:?}");
        let endings = tokio::time::timeout(LONG, host.shutdown()).await.unwrap();
        let diagnosis = endings[0].diagnosis.as_ref().unwrap();
        assert_eq!(diagnosis.problem, Problem::ShutDown);
    });
}

#[tokio::test]
async fn a_start_that_is_given_up_leaves_nothing_running() {
    let home = Home::new();
    let pid_file = home.path().join("pid");
    let script = format!("echo $$ >{}; exec sleep 3600", pid_file.display());
    let start = home.builder().command("sh", ["-c", &script]).start();
    let pid = async {
        loop {
            let text = std::fs::read_to_string(&pid_file).unwrap_or_default();
            if let Some(pid) = text.strip_suffix('\n') {
                break pid.parse().unwrap();
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    let pid = tokio::select! {
        pid = pid => pid,
        host = start => panic!("it never says hello: {host:?}"),
    };
    wait_until_gone(pid).await;
}

#[tokio::test]
async fn a_call_that_is_open_at_shutdown_fails() {
    let home = Home::new();
    let host = home.builder().extension(misbehave(&["plain"])).start().await;
    let call = host.start_call("hang", "{}", CallOptions::default()).await.unwrap();
    let (outcome, endings) = tokio::join!(call.outcome(), host.shutdown());
    assert!(matches!(outcome, Err(CallError::Died { .. })));
    assert!(endings[0].gone);
    let error = host.call("echo", "{}").await.unwrap_err();
    assert!(matches!(error, CallError::Unknown { .. }), "{error}");
}

#[tokio::test]
async fn a_log_that_cannot_be_written_at_the_very_end_is_told_before_it() {
    let home = Home::new();
    // A link is not followed; nothing is written before the line that tells of the end.
    std::os::unix::fs::symlink("nowhere", home.folder("logs").join("behave.log")).unwrap();
    let host = home.builder().extension(behave(&[])).start().await;
    let mut news = host.news();
    end(host).await;
    let told = std::iter::from_fn(|| news.try_next()).filter_map(|news| match news {
        News::Notice { notice, .. } => Some(notice.text),
        News::Ended(_) => Some("ended".to_owned()),
        _ => None,
    });
    let told: Vec<_> = told.collect();
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(told[0].contains("behave.log cannot be written: it is a link"), "{told:?}");
    assert_eq!(told[1], "ended");
}
