//! kill -9 to an extension, at every stage of its life.

use std::time::Duration;

use extline_host::{Manner, Problem};
use rustix::process::{Pid, Signal, kill_process};

use crate::pair::Pair;
use crate::processes;
use crate::support::{Home, behave, end, misbehave, pids, wait_until_gone};

pub(crate) fn send(id: u32, signal: Signal) {
    kill_process(Pid::from_raw(i32::try_from(id).unwrap()).unwrap(), signal).unwrap();
}

/// Kills the one that misbehaves as soon as it has written the file that tells how far it is.
async fn killed_while_starting(switch: &str) -> (Problem, String, String) {
    let home = Home::new();
    let reached = home.path().join("reached");
    let bad = misbehave(&[switch, "tell", reached.to_str().unwrap()]);
    let start = home.builder().extension(behave(&[])).extension(bad).start();
    let kill = async {
        loop {
            let text = std::fs::read_to_string(&reached).unwrap_or_default();
            if let Some(id) = text.strip_suffix('\n') {
                return send(id.parse().unwrap(), Signal::KILL);
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    let (host, ()) = tokio::join!(start, kill);
    let states = host.extensions().into_iter().map(|status| status.state).collect::<Vec<_>>();
    let extline_host::ExtensionState::Failed(found) = &states[1] else { panic!("{states:?}") };
    assert_eq!(states[0], extline_host::ExtensionState::Ready);
    host.call("echo", r#"{"text":"good"}"#).await.unwrap();
    end(host).await;
    (found.problem.clone(), found.doing.clone(), found.exit.as_ref().unwrap().to_string())
}

#[tokio::test]
async fn before_hello() {
    let (problem, doing, exit) = killed_while_starting("hang-before-hello").await;
    assert_eq!(problem, Problem::ExitedBeforeHello);
    assert_eq!((&*doing, &*exit), ("waiting for its hello", "killed by SIGKILL (signal 9)"));
}

#[tokio::test]
async fn between_hello_and_ready() {
    let (problem, doing, exit) = killed_while_starting("hang-before-ready").await;
    assert_eq!(problem, Problem::ExitedBeforeReady);
    assert_eq!(
        (&*doing, &*exit),
        ("waiting for its registrations", "killed by SIGKILL (signal 9)")
    );
}

#[tokio::test]
async fn after_ready() {
    let mut pair = Pair::start(&["leaves-child"]).await;
    let ids = pids(&pair.host).await;
    send(pair.bad(), Signal::KILL);
    let found = pair.next_diagnosis().await;
    assert_eq!(
        pair.shape(&found),
        "misbehave: it ended while it was in use
  while   waiting for something to do
  exit    killed by SIGKILL (signal 9)
  log     HOME/logs/misbehave.log
  try     see the lines above and the log for the reason; the calls that it had not answered were \
         not repeated"
    );
    for id in ids {
        wait_until_gone(id).await;
    }
    let endings = pair.end().await;
    assert_eq!((endings[1].manner, endings[1].left_behind), (Manner::Failed, 1));
}

#[tokio::test]
async fn in_a_call() {
    let pair = Pair::start(&["leaves-child", "leaves-stray"]).await;
    let bad = pair.bad();
    let kill = async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        send(bad, Signal::KILL);
    };
    let (found, ()) = tokio::join!(pair.diagnosis_in_call("{}"), kill);
    assert_eq!(found.problem, Problem::Died);
    assert_eq!(found.doing, "answering the tool call hang");
    assert_eq!(found.exit.unwrap().to_string(), "killed by SIGKILL (signal 9)");
    let endings = pair.end().await;
    // One child in its group, and one that left that.
    assert_eq!(endings[1].left_behind, 2);
}

#[tokio::test]
async fn in_the_shutdown() {
    let pair = Pair::start(&["ignores-eof", "leaves-child"]).await;
    let bad = processes::of(pair.bad()).unwrap();
    let kill = async {
        tokio::time::sleep(Duration::from_millis(300)).await;
        send(bad.id, Signal::KILL);
    };
    let (endings, ()) = tokio::join!(pair.end(), kill);
    assert_eq!(endings[0].manner, Manner::ByItself);
    assert_eq!(endings[1].exit.as_ref().unwrap().to_string(), "killed by SIGKILL (signal 9)");
    assert!(!bad.runs());
}
