//! Extensions whose program changes while the host runs: what is there now takes the place of what runs, and where it
//! does not start nothing changes.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use extline_host::protocol::RawJson;
use extline_host::protocol::frame::{EventPayload, RegisterTool};
use extline_host::{CallError, EnableError, ExtensionState, Host, HostBuilder, News, ReloadError};

use crate::support::{Home, LONG, end, script, text, wait_until_gone};

/// The folder of `versioned.sh`, as it is started in that version.
struct Versioned {
    home: Home,
    dir: PathBuf,
}

impl Versioned {
    fn new(version: &str) -> Self {
        let home = Home::new();
        let dir = home.folder("versioned");
        let versioned = Self { home, dir };
        versioned.becomes(version);
        versioned
    }

    /// What is started from here on.
    fn becomes(&self, version: &str) {
        let words =
            [script("versioned.sh").into_os_string(), version.into(), self.dir.clone().into()];
        let words = words.map(|word| word.into_string().unwrap());
        let manifest = serde_json::json!({ "name": "versioned", "version": "1.0.0", "exec": "sh", "args": words });
        fs::write(self.dir.join("extension.json"), manifest.to_string()).unwrap();
    }

    fn builder(&self) -> HostBuilder {
        self.home.builder().folder(&self.dir)
    }

    async fn there_is(&self, file: &str) {
        until(|| self.dir.join(file).exists()).await;
    }
}

async fn until(condition: impl Fn() -> bool) {
    let met = async {
        while !condition() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(LONG, met).await.expect("it did not happen");
}

async fn say(host: &Host) -> String {
    text(&host.call("say", "{}").await.unwrap())
}

fn pid(host: &Host) -> u32 {
    host.extensions()[0].pid.unwrap()
}

#[tokio::test]
async fn what_is_there_now_takes_the_place_of_what_runs_and_what_differs_is_told() {
    let versioned = Versioned::new("one");
    let host = versioned.builder().start().await;
    let (mut news, before) = (host.news(), pid(&host));
    assert_eq!(say(&host).await, "one");
    versioned.becomes("two");
    let difference = host.reload("versioned").await.unwrap();
    let told = "tool only_two added; tool say changed (description); tool only_one removed";
    assert_eq!(difference.to_string(), told);
    assert_eq!(say(&host).await, "two");
    assert_ne!(pid(&host), before);
    wait_until_gone(before).await;
    // That of the trial, and that of the one whose place was taken.
    let ends = fs::read_to_string(versioned.dir.join("ends")).unwrap();
    let reasons = [r#""reason":"exit""#, r#""reason":"reload""#];
    assert!(ends.lines().zip(reasons).all(|(end, reason)| end.contains(reason)), "{ends}");
    let unknown = host.call("only_one", "{}").await.unwrap_err();
    assert!(matches!(unknown, CallError::Unknown { .. }), "{unknown}");
    let reloaded = async {
        loop {
            if let Some(News::Reloaded { difference, .. }) = news.next().await {
                return difference;
            }
        }
    };
    assert_eq!(tokio::time::timeout(LONG, reloaded).await.unwrap(), difference);
    assert!(host.reload("versioned").await.unwrap().is_none(), "nothing was changed");
    end(host).await;
}

#[tokio::test]
async fn where_what_is_there_now_does_not_start_what_runs_goes_on() {
    let versioned = Versioned::new("one");
    let host = versioned.builder().start().await;
    let before = pid(&host);
    let manifest = versioned.dir.join("extension.json");
    for broken in [r#"{"name":"versioned","exec":"sh","args":["-c","exit 3"]}"#, "{"] {
        fs::write(&manifest, broken).unwrap();
        let error = host.reload("versioned").await.unwrap_err();
        assert!(matches!(&error, ReloadError::GoesOn { .. }), "{error}");
        assert!(error.to_string().starts_with("versioned goes on as it was, since "), "{error}");
        assert_eq!((pid(&host), say(&host).await.as_str()), (before, "one"));
    }
    versioned.becomes("two");
    host.reload("versioned").await.unwrap();
    assert_eq!(say(&host).await, "two");
    end(host).await;
}

#[tokio::test]
async fn a_call_that_runs_is_answered_and_one_that_comes_meanwhile_waits_for_the_new_one() {
    let versioned = Versioned::new("one");
    let host = Arc::new(versioned.builder().start().await);
    let spawn = |tool: &'static str| {
        let host = Arc::clone(&host);
        tokio::spawn(async move { text(&host.call(tool, "{}").await.unwrap()) })
    };
    let running = spawn("wait");
    versioned.there_is("waits").await;
    versioned.becomes("two");
    let reloading = {
        let host = Arc::clone(&host);
        tokio::spawn(async move { host.reload("versioned").await })
    };
    // It is tried out, and then waits for the call.
    let later = async {
        loop {
            let later = spawn("say");
            let ended = tokio::time::timeout(Duration::from_millis(200), async {
                while !later.is_finished() {
                    tokio::time::sleep(Duration::from_millis(5)).await;
                }
            });
            if ended.await.is_err() {
                return Some(later);
            }
            assert_eq!(later.await.unwrap(), "one");
        }
    };
    let later = tokio::time::timeout(LONG, later).await.unwrap().unwrap();
    fs::write(versioned.dir.join("go"), "").unwrap();
    assert_eq!(running.await.unwrap(), "one");
    reloading.await.unwrap().unwrap();
    assert_eq!(later.await.unwrap(), "two");
    end(Arc::into_inner(host).unwrap()).await;
}

/// Also where one of them does not start, or somebody disables it in between.
#[tokio::test]
async fn within_a_turn_the_version_that_runs_stays() {
    let versioned = Versioned::new("one");
    let host = Arc::new(versioned.builder().start().await);
    let mut news = host.news();
    host.emit("turn_start", EventPayload { step: Some(1), ..EventPayload::default() });
    versioned.becomes("two");
    let reloading = {
        let host = Arc::clone(&host);
        tokio::spawn(async move { host.reload("versioned").await })
    };
    let waits = async {
        while !matches!(news.next().await, Some(News::ReloadWaits { extension }) if extension == "versioned")
        {
        }
    };
    tokio::time::timeout(LONG, waits).await.unwrap();
    host.emit("tool_call", EventPayload::default());
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert_eq!(say(&host).await, "one");
    assert!(!reloading.is_finished());
    host.emit("turn_end", EventPayload::default());
    // The next one comes at once.
    host.emit("turn_start", EventPayload { step: Some(2), ..EventPayload::default() });
    host.intercept_turn_start(2).await.unwrap();
    let offered: Vec<_> = host.tools().iter().map(|tool| tool.name().to_owned()).collect();
    assert_eq!(offered, ["only_two", "say", "wait"]);
    reloading.await.unwrap().unwrap();
    assert_eq!(say(&host).await, "two");

    // Where the host ends first, nobody waits for ever.
    host.emit("turn_start", EventPayload::default());
    let reloading = {
        let host = Arc::clone(&host);
        tokio::spawn(async move { host.reload("versioned").await })
    };
    tokio::time::timeout(LONG, async {
        while !matches!(news.next().await, Some(News::ReloadWaits { .. })) {}
    })
    .await
    .unwrap();
    host.shutdown().await;
    reloading.await.unwrap().unwrap_err();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn while_it_is_reloaded_its_guard_stands_and_each_call_is_answered_once() {
    let versioned = Versioned::new("one");
    let host = Arc::new(
        versioned
            .builder()
            .builtin_tool(danger(), |_| async { unreachable!("it ran") })
            .unwrap()
            .start()
            .await,
    );
    let over = Arc::new(AtomicBool::new(false));
    let calls = ["danger", "say"].map(|tool| {
        let (host, over) = (Arc::clone(&host), Arc::clone(&over));
        tokio::spawn(async move {
            let mut count = 0;
            while !over.load(Ordering::Relaxed) {
                let result = host.call(tool, "{}").await;
                match tool {
                    "danger" => {
                        assert!(matches!(result, Err(CallError::Blocked { .. })), "{result:?}");
                    }
                    _ => assert!(result.is_ok(), "{result:?}"),
                }
                count += 1;
            }
            count
        })
    });
    for round in 0..40 {
        versioned.becomes(&format!("v{round}"));
        if round % 5 == 4 {
            fs::write(versioned.dir.join("extension.json"), "{").unwrap();
            host.reload("versioned").await.unwrap_err();
        } else {
            host.reload("versioned").await.unwrap();
            assert_eq!(say(&host).await, format!("v{round}"));
        }
    }
    over.store(true, Ordering::Relaxed);
    for called in calls {
        assert!(called.await.unwrap() > 0);
    }
    end(Arc::into_inner(host).unwrap()).await;
}

/// A tool that the guard never lets run.
fn danger() -> RegisterTool {
    RegisterTool {
        name: "danger".to_owned(),
        schema: RawJson::parse(r#"{"type":"object"}"#).unwrap(),
        ..RegisterTool::default()
    }
}

/// What a manifest declares is given to the version that declares it, also while that is tried out.
#[tokio::test]
async fn a_secret_that_is_declared_anew_can_be_asked_for_in_the_setup() {
    let versioned = Versioned::new("one");
    let host = versioned.builder().secrets(|_| async { Some("swordfish".to_owned()) });
    let host = host.start().await;
    let script = r#"
        echo '{"type":"hello","name":"versioned","version":"two","capabilities":["tools","rpc"]}'
        echo '{"type":"request","id":"1","method":"secret.get","params":{"name":"KEY"}}'
        while read -r line; do
            case $line in
                *'"value":"swordfish"'*) echo '{"type":"ready"}' ;;
                *'"error"'*) echo "$line" >&2; exit 3 ;;
                *'"type":"shutdown"'*) exit ;;
            esac
        done"#;
    let manifest = serde_json::json!({
        "name": "versioned", "version": "1.0.0", "exec": "sh", "args": ["-c", script],
        "permissions": {"secrets": ["KEY"]},
    });
    fs::write(versioned.dir.join("extension.json"), manifest.to_string()).unwrap();
    host.reload("versioned").await.unwrap();
    assert_eq!(host.extensions()[0].state, ExtensionState::Ready);
    end(host).await;
}

/// The one before had something until its very end, as a port.
#[tokio::test]
async fn one_that_starts_on_trial_and_not_in_its_place_is_tried_once_more() {
    let script = r#"
        n=$(($(cat "$0" 2>/dev/null || echo 0) + 1))
        echo "$n" >"$0"
        case " $1 " in *" $n "*) echo "the port is taken" >&2; exit 3 ;; esac
        echo '{"type":"hello","name":"versioned","version":"1.0.0","capabilities":["tools"]}'
        echo '{"type":"register_tool","name":"say","description":"Says.","schema":{"type":"object"}}'
        echo '{"type":"ready"}'
        while read -r line; do
            id=${line#*'"id":"'}
            id=${id%%'"'*}
            case $line in
                *'"type":"tool_call"'*) echo '{"type":"tool_result","id":"'"$id"'","content":[{"type":"text","text":"'"$n"'"}]}' ;;
                *'"type":"shutdown"'*) exit ;;
            esac
        done"#;
    // The first is before the reload, the second on trial.
    for (failing, says) in [("3", Some("4")), ("3 4", None)] {
        let home = Home::new();
        let dir = home.folder("versioned");
        let count = dir.join("count");
        let words = ["-c", script, count.to_str().unwrap(), failing];
        let manifest = serde_json::json!({ "name": "versioned", "version": "1.0.0", "exec": "sh", "args": words });
        fs::write(dir.join("extension.json"), manifest.to_string()).unwrap();
        let host = home.builder().folder(&dir).start().await;
        let reloaded = host.reload("versioned").await;
        if let Some(text) = says {
            reloaded.unwrap();
            assert_eq!(say(&host).await, text);
        } else {
            let error = reloaded.unwrap_err();
            assert!(
                matches!(&error, ReloadError::NotStarted(EnableError::Failed { .. })),
                "{error}"
            );
            host.reload("versioned").await.unwrap();
            assert_eq!(say(&host).await, "5");
        }
        end(host).await;
    }
}

#[tokio::test]
async fn one_that_does_not_run_is_enabled_and_one_that_is_not_there_is_told() {
    let versioned = Versioned::new("one");
    let host = versioned.builder().start().await;
    host.disable("versioned").await.unwrap();
    versioned.becomes("two");
    host.reload("versioned").await.unwrap();
    assert_eq!(say(&host).await, "two");
    let unknown = host.reload("nobody").await.unwrap_err();
    assert!(matches!(unknown, ReloadError::NotStarted(EnableError::Unknown { .. })), "{unknown}");
    host.remove("versioned").await;
    host.reload("versioned").await.unwrap_err();
    assert_ne!(host.extensions()[0].state, ExtensionState::Ready);
    end(host).await;
}
