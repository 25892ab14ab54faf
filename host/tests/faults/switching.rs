//! Extensions that are switched on and off, killed and called, all at once.

use std::sync::Arc;
use std::time::Duration;

use extline_host::{EnableError, ExtensionSource, ExtensionState, Host, RestartPolicy};
use fastrand::Rng;
use rustix::process::{Pid, Signal, kill_process_group};

use crate::processes;
use crate::support::{Home, LONG};

/// An extension that answers one tool, until its stdin ends.
const ONE: &str = r#"
echo '{"type":"hello","name":"one","version":"1.0.0"}'
printf '{"type":"register_tool","name":"%s","description":"","schema":{"type":"object"}}\n' "$1"
echo '{"type":"ready"}'
while read -r frame; do
    case $frame in
    *tool_call*)
        id=${frame#*'"id":"'}
        printf '{"type":"tool_result","id":"%s","content":[]}\n' "${id%%'"'*}" ;;
    *'"shutdown"'*) exit 0 ;;
    esac
done
"#;

fn one(name: &str) -> ExtensionSource {
    ExtensionSource::command("sh", ["-c", ONE, "sh", name]).named(name)
}

/// Does something to one of them, at random.
async fn act(host: Arc<Host>, mut random: Rng) {
    for _ in 0..12 {
        let name = ["a", "b"][random.usize(..2)];
        match random.u8(..6) {
            0 | 1 => match host.enable(name).await {
                Ok(()) | Err(EnableError::Stopped { .. } | EnableError::Failed { .. }) => {}
                Err(error) => panic!("{error}"),
            },
            2 | 3 => {
                if let Some(ending) = host.disable(name).await {
                    assert!(ending.gone, "{ending}");
                }
            }
            4 => drop(host.call(name, "{}").await),
            _ => {
                let statuses = host.extensions();
                let status = statuses.iter().find(|status| status.name == name).unwrap();
                let pid = status.pid.and_then(|pid| Pid::from_raw(i32::try_from(pid).unwrap()));
                // Its number is another's only after it has ended and been waited for.
                let runs = matches!(status.state, ExtensionState::Ready | ExtensionState::Starting);
                if let Some(pid) = pid.filter(|_| runs) {
                    let _ = kill_process_group(pid, Signal::KILL);
                }
            }
        }
        tokio::time::sleep(Duration::from_millis(random.u64(..10))).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn whatever_is_done_at_once_each_can_be_enabled_after_it_and_nothing_is_left() {
    for seed in 0..4 {
        let home = Home::new();
        let at_once = RestartPolicy::OnFailure { backoff: Duration::from_millis(2), max: 1000 };
        let policy = if seed % 2 == 0 { at_once } else { RestartPolicy::Off };
        let builder = home.builder().restart(policy).drain(Duration::from_millis(20));
        let builder = builder.extension(one("steady"));
        let host = builder.extension(one("a").on_demand()).extension(one("b")).start().await;
        let host = Arc::new(host);
        let mark = processes::mark_of_host(host.extensions()[0].pid.unwrap());
        let mut random = Rng::with_seed(seed);
        let acts = (0..4).map(|_| tokio::spawn(act(Arc::clone(&host), random.fork())));
        for act in acts.collect::<Vec<_>>() {
            tokio::time::timeout(LONG, act).await.expect("it hangs").unwrap();
        }
        for name in ["a", "b"] {
            // What was killed last may still be ending when it is looked at.
            let works = async {
                while host.enable(name).await.is_err() || host.call(name, "{}").await.is_err() {}
            };
            tokio::time::timeout(LONG, works).await.expect("it cannot be enabled any more");
        }
        assert_eq!(processes::carrying(&mark).len(), 3, "one process each");
        host.call("steady", "{}").await.unwrap();
        // In the midst of a start, or dropped.
        let late = tokio::spawn({
            let host = Arc::clone(&host);
            async move { host.disable("a").await.is_some() && host.enable("a").await.is_ok() }
        });
        tokio::time::sleep(Duration::from_millis(5 * seed)).await;
        let endings = tokio::time::timeout(LONG, host.shutdown()).await.unwrap();
        assert!(endings.iter().all(|ending| ending.gone), "{endings:?}");
        late.await.unwrap();
        drop(host);
        let none_left = async {
            while !processes::carrying(&mark).is_empty() {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        tokio::time::timeout(LONG, none_left).await.expect("something still runs");
    }
}
