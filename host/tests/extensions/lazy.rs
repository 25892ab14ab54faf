//! Extensions that are listed by what they offered the last time, and started when that is used.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use extline_host::{
    CallError, CommandOutcome, ExtensionSource, ExtensionState, Host, HostBuilder, News, Tool,
};
use serde_json::json;
use tokio::time::timeout;

use super::support::{Home, LONG, python, text};

/// Says in `MARK` that it runs; offers what `OFFER` says, the tool `NAME-tool` and the command `NAME` by default.
const SCRIPT: &str = r#"echo "$1" >> "$MARK"
printf '%s\n' '{"type":"hello","name":"'"$1"'","version":"1.0.0"}'
if [ -f "$OFFER" ]; then cat "$OFFER"; else
printf '%s\n' '{"type":"register_tool","name":"'"$1"'-tool","description":"It answers.","schema":{"type":"object"}}' \
    '{"type":"register_command","name":"'"$1"'","description":"It answers."}'
fi
echo '{"type":"ready"}'
while read -r frame; do
    id=${frame#*'"id":"'}; id=${id%%'"'*}
    case $frame in
        *'"tool_call"'*) echo '{"type":"tool_result","id":"'"$id"'","content":[{"type":"text","text":"answered"}]}';;
        *'"command_invoked"'*) echo '{"type":"command_response","id":"'"$id"'","action":"display","display":"answered"}';;
        *'"shutdown"'*) exit 0;;
    esac
done
"#;

struct Scene {
    home: Home,
}

impl Scene {
    fn new() -> Self {
        Self { home: Home::new() }
    }

    /// Who was started, in that order.
    fn started(&self) -> Vec<String> {
        let text = fs::read_to_string(self.home.path().join("mark")).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    fn extension(&self, name: &str) -> PathBuf {
        let folder = self.home.folder(name);
        fs::write(folder.join("ext.sh"), SCRIPT).unwrap();
        let manifest = json!({"name": name, "exec": "sh", "args": ["ext.sh", name]});
        fs::write(folder.join("extension.json"), manifest.to_string()).unwrap();
        folder
    }

    fn builder(&self, folders: &[&Path]) -> HostBuilder {
        let builder = self.home.builder().env("MARK", self.home.path().join("mark"));
        let builder = builder.env("OFFER", self.home.path().join("offer")).lazy_start(true);
        let sources = folders.iter().map(|folder| ExtensionSource::folder(*folder));
        sources.fold(builder, HostBuilder::extension)
    }

    /// A host that has kept what they offer, and is gone again.
    async fn keep(&self, folders: &[&Path]) {
        let host = self.builder(folders).start().await;
        for folder in folders {
            let name = folder.file_name().unwrap().to_str().unwrap();
            self.is_kept(name).await;
        }
        host.shutdown().await;
        fs::remove_file(self.home.path().join("mark")).unwrap();
    }

    fn keeps(&self, name: &str) -> bool {
        let Ok(files) = fs::read_dir(self.home.path().join("offers")) else { return false };
        let mut files = files.map(|file| file.unwrap().file_name().into_string().unwrap());
        files.any(|file| file.starts_with(&format!("{name}-")) && !file.contains(".json."))
    }

    async fn is_kept(&self, name: &str) {
        let until = Instant::now() + LONG;
        while !self.keeps(name) {
            assert!(Instant::now() < until, "nothing is kept of {name}");
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    }
}

fn names(host: &Host) -> Vec<String> {
    let name = |tool: &std::sync::Arc<Tool>| tool.name().to_owned();
    host.tools().iter().map(name).collect()
}

fn state(host: &Host, name: &str) -> ExtensionState {
    host.extensions().into_iter().find(|it| it.name == name).unwrap().state
}

#[tokio::test]
async fn it_is_listed_without_being_started_and_started_once_when_it_is_used() {
    let scene = Scene::new();
    let (one, other) = (scene.extension("one"), scene.extension("other"));
    scene.keep(&[&one, &other]).await;
    let host = scene.builder(&[&one, &other]).start().await;
    assert_eq!(state(&host, "one"), ExtensionState::NotStarted);
    assert_eq!(names(&host), ["one-tool", "other-tool"]);
    assert_eq!(host.commands().len(), 2);
    assert_eq!(host.tools()[0].description(), "It answers.");
    assert!(scene.started().is_empty());
    let report = host.report();
    assert_eq!(report.extensions[0].state, Some("not_started"));
    assert_eq!(report.extensions[0].tools, ["one-tool"]);

    let calls = (0..8).map(|_| host.call("one-tool", "{}"));
    for result in futures_all(calls).await {
        assert_eq!(text(&result.unwrap()), "answered");
    }
    assert_eq!(scene.started(), ["one"]);
    assert_eq!(state(&host, "one"), ExtensionState::Ready);
    let outcome = host.command("other", "").await.unwrap();
    assert_eq!(outcome, CommandOutcome::Display("answered".to_owned()));
    assert_eq!(scene.started(), ["one", "other"]);
    // What it was listed with is what it offers, and nothing is told of that.
    assert!(host.extensions().iter().all(|it| it.notices.is_empty()));
    host.shutdown().await;
}

/// Waits for all of them at once.
async fn futures_all<T>(all: impl Iterator<Item = impl Future<Output = T>>) -> Vec<T> {
    let mut all: Vec<_> = all.map(Box::pin).collect();
    let mut done: Vec<Option<T>> = all.iter().map(|_| None).collect();
    std::future::poll_fn(|context| {
        for (future, done) in all.iter_mut().zip(&mut done) {
            if done.is_none()
                && let std::task::Poll::Ready(value) = future.as_mut().poll(context)
            {
                *done = Some(value);
            }
        }
        if done.iter().all(Option::is_some) {
            std::task::Poll::Ready(())
        } else {
            std::task::Poll::Pending
        }
    })
    .await;
    done.into_iter().flatten().collect()
}

#[tokio::test]
async fn it_is_started_by_what_another_extension_calls() {
    let scene = Scene::new();
    let one = scene.extension("one");
    scene.keep(&[&one]).await;
    let journal = scene.home.path().join("journal").into_os_string();
    let caller = python("caller.py", ["caller".into(), journal, "go".into()]);
    let host = scene.builder(&[&one]).extension(caller).start().await;
    assert_eq!(state(&host, "one"), ExtensionState::NotStarted);
    let args = json!({"call": {"name": "one-tool", "args": {}}});
    let result = host.call("go", &args.to_string()).await.unwrap();
    assert!(text(&result).contains("answered"), "{result:?}");
    assert_eq!(scene.started(), ["one"]);
    host.shutdown().await;
}

#[tokio::test]
async fn one_whose_files_have_changed_is_started_with_the_host() {
    let scene = Scene::new();
    let one = scene.extension("one");
    scene.keep(&[&one]).await;
    fs::write(one.join("notes.txt"), "x").unwrap();
    let host = scene.builder(&[&one]).start().await;
    assert_eq!(state(&host, "one"), ExtensionState::Ready);
    assert_eq!(scene.started(), ["one"]);
    host.shutdown().await;
    // Without the option all are started.
    fs::remove_file(one.join("notes.txt")).unwrap();
    let host = scene.builder(&[&one]).lazy_start(false).start().await;
    assert_eq!(state(&host, "one"), ExtensionState::Ready);
    host.shutdown().await;
}

#[tokio::test]
async fn one_that_wants_to_be_told_or_asked_is_never_deferred() {
    let scene = Scene::new();
    for subscription in [r#""events":["turn_start"]"#, r#""intercept":["tool_call"]"#] {
        let one = scene.extension("one");
        let offer = format!("{{\"type\":\"subscribe\",{subscription}}}\n");
        fs::write(scene.home.path().join("offer"), offer).unwrap();
        for _ in 0..2 {
            let host = scene.builder(&[&one]).start().await;
            assert_eq!(state(&host, "one"), ExtensionState::Ready);
            host.shutdown().await;
        }
    }
    let guard = scene.extension("guard");
    let manifest = json!({"name": "guard", "exec": "sh", "args": ["ext.sh", "guard"],
                          "guards": ["tool_call"]});
    fs::write(guard.join("extension.json"), manifest.to_string()).unwrap();
    for _ in 0..2 {
        let host = scene.builder(&[&guard]).start().await;
        assert_eq!(state(&host, "guard"), ExtensionState::Ready);
        host.shutdown().await;
    }
    assert!(!scene.keeps("guard"));
}

#[tokio::test]
async fn what_it_offers_otherwise_is_told() {
    let scene = Scene::new();
    let one = scene.extension("one");
    scene.keep(&[&one]).await;
    // It comes from elsewhere, so that its folder is as it was.
    let tool = r#"{"type":"register_tool","name":"new-tool","description":"d","schema":{"type":"object"}}"#;
    fs::write(scene.home.path().join("offer"), format!("{tool}\n")).unwrap();
    let host = scene.builder(&[&one]).start().await;
    let mut news = host.news();
    assert_eq!(names(&host), ["one-tool"]);
    let error = host.call("one-tool", "{}").await.unwrap_err();
    assert!(matches!(error, CallError::Unknown { what: "tool", .. }), "{error:?}");
    assert_eq!(names(&host), ["new-tool"]);
    assert_eq!(text(&host.call("new-tool", "{}").await.unwrap()), "answered");
    let told = async {
        loop {
            if let Some(News::Notice { notice, .. }) = news.next().await
                && notice.text.starts_with("it does not offer what it was listed with: ")
            {
                break notice.text;
            }
        }
    };
    let told = timeout(LONG, told).await.unwrap();
    assert!(told.contains("tool new-tool added; tool one-tool removed"), "{told}");
    host.shutdown().await;
}

#[tokio::test]
async fn one_that_does_not_start_says_why_in_the_answer() {
    let scene = Scene::new();
    let one = scene.extension("one");
    scene.keep(&[&one]).await;
    let host = scene.builder(&[&one]).start().await;
    fs::write(one.join("ext.sh"), "echo no such luck >&2; exit 3").unwrap();
    for _ in 0..2 {
        match host.call("one-tool", "{}").await.unwrap_err() {
            CallError::Died { diagnosis, .. } => {
                assert_eq!(diagnosis.stderr, ["no such luck"], "{diagnosis}");
            }
            other => panic!("{other:?}"),
        }
    }
    let error = host.command("one", "").await.unwrap_err();
    assert!(matches!(error, CallError::Died { .. }), "{error:?}");
    // Mended, it is started again by whoever wants it.
    fs::write(one.join("ext.sh"), SCRIPT).unwrap();
    host.enable("one").await.unwrap();
    assert_eq!(text(&host.call("one-tool", "{}").await.unwrap()), "answered");
    host.shutdown().await;
}

#[tokio::test]
async fn it_is_switched_reloaded_and_removed_as_others() {
    let scene = Scene::new();
    let all = ["a", "b", "c", "d"].map(|name| scene.extension(name));
    let folders: Vec<&Path> = all.iter().map(PathBuf::as_path).collect();
    scene.keep(&folders).await;
    let host = scene.builder(&folders).start().await;
    assert!(host.disable("a").await.is_none());
    let error = host.call("a-tool", "{}").await.unwrap_err();
    assert!(matches!(error, CallError::Disabled { .. }), "{error:?}");
    host.enable("a").await.unwrap();
    assert_eq!(text(&host.call("a-tool", "{}").await.unwrap()), "answered");
    assert!(host.reload("b").await.unwrap().is_none());
    assert_eq!(text(&host.call("b-tool", "{}").await.unwrap()), "answered");
    assert!(host.remove("c").await.is_none());
    assert_eq!(names(&host), ["a-tool", "b-tool", "d-tool"]);
    let error = host.request("d", "x", None).await.unwrap_err();
    assert!(error.to_string().contains("d does not serve it"), "{error}");
    assert!(!scene.started().contains(&"d".to_owned()));
    let endings = host.shutdown().await;
    assert!(endings.iter().all(|it| it.gone), "{endings:?}");
}

#[tokio::test]
async fn a_hundred_are_listed_and_none_is_started() {
    let scene = Scene::new();
    let all: Vec<_> = (0..100).map(|number| scene.extension(&format!("e{number}"))).collect();
    let folders: Vec<&Path> = all.iter().map(PathBuf::as_path).collect();
    scene.keep(&folders).await;
    let builder = scene.builder(&folders);
    let began = Instant::now();
    let host = builder.start().await;
    assert_eq!(host.tools().len(), 100);
    let took = began.elapsed();
    writeln!(io::stderr(), "100 extensions are listed after {took:?}").unwrap();
    assert!(scene.started().is_empty());
    assert_eq!(text(&host.call("e7-tool", "{}").await.unwrap()), "answered");
    assert_eq!(scene.started(), ["e7"]);
    host.shutdown().await;
}
