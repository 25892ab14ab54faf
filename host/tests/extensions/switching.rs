//! Extensions that are switched on and off while the host runs.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use extline_host::protocol::ErrorKind;
use extline_host::{
    CallError, CallOptions, EnableError, ExtensionSource, ExtensionState, Host, Manner, Problem,
};
use serde_json::{Value, json};

use crate::support::{Home, LONG, behave, end, misbehave, python, runs, script, wait_until_gone};

const SAY: &str = r#"{"text":"x"}"#;

async fn until(condition: impl Fn() -> bool) {
    let met = async {
        while !condition() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(LONG, met).await.expect("it did not happen");
}

fn owner_of(host: &Host, tool: &str) -> Option<String> {
    host.tools().into_iter().find(|it| it.name() == tool).map(|it| it.extension.clone())
}

/// One that starts in steps (`stepwise.py`), on demand; what its processes do one after the other.
fn stepwise(home: &Home, starts: &Value) -> ExtensionSource {
    let config = json!({"starts": starts, "counter": home.path().join("counter")});
    python("stepwise.py", [config.to_string()]).named("s").on_demand()
}

fn starts(home: &Home) -> usize {
    std::fs::read(home.path().join("counter")).unwrap_or_default().len()
}

fn whole() -> Value {
    json!([{"type": "hello", "name": "s"}, {"type": "ready"}])
}

#[tokio::test]
async fn one_on_demand_runs_from_enable_to_disable_and_its_names_are_free_besides() {
    let home = Home::new();
    let first = behave(&[]).named("first").on_demand();
    let host = home.builder().extension(first).extension(behave(&[])).start().await;
    assert_eq!(host.extensions()[0].state, ExtensionState::Disabled);
    assert_eq!(host.extensions()[0].pid, None);
    for _ in 0..2 {
        assert_eq!(owner_of(&host, "echo").as_deref(), Some("behave"));
        host.enable("first").await.unwrap();
        assert_eq!(host.extensions()[0].state, ExtensionState::Ready);
        let pid = host.extensions()[0].pid.unwrap();
        // It has its place in load order.
        assert_eq!(owner_of(&host, "echo").as_deref(), Some("first"));
        assert!(!host.call("echo", SAY).await.unwrap().is_error);
        // There is nothing to do.
        host.enable("first").await.unwrap();
        assert_eq!(host.extensions()[0].pid, Some(pid));

        let ending = host.disable("first").await.unwrap();
        assert_eq!((ending.manner, ending.gone), (Manner::ByItself, true), "{ending}");
        assert!(!runs(pid));
        assert_eq!(host.extensions()[0].state, ExtensionState::Disabled);
        assert_eq!(host.extensions()[0].pid, None);
        assert!(host.disable("first").await.is_none());
        assert!(!host.call("echo", SAY).await.unwrap().is_error);
    }
    host.disable("behave").await.unwrap();
    let error = host.call("echo", SAY).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    assert!(error.to_string().ends_with(" is disabled"), "{error}");
    let error = host.command("Prompt", "").await.unwrap_err();
    assert!(matches!(error, CallError::Disabled { .. }), "{error}");
    let error = host.request("behave", "x.y", None).await.unwrap_err();
    assert!(matches!(error, CallError::Disabled { .. }), "{error}");
    // What was removed is unknown, and stays so.
    host.remove("behave").await;
    host.remove("first").await;
    let error = host.call("echo", SAY).await.unwrap_err();
    assert!(matches!(error, CallError::Unknown { .. }), "{error}");
    for name in ["first", "behave", "nobody"] {
        let error = host.enable(name).await.unwrap_err();
        assert!(matches!(error, EnableError::Unknown { .. }), "{error}");
    }
    end(host).await;
}

#[tokio::test]
async fn a_call_that_runs_is_answered_before_its_extension_ends_and_no_other_begins() {
    let home = Home::new();
    let host = Arc::new(home.builder().drain(LONG).extension(behave(&[])).start().await);
    let told = home.path().join("told");
    let args = json!({"note": told, "steps": 1_000_000}).to_string();
    let call = host.start_call("slow", &args, CallOptions::default()).await.unwrap();
    let disabling = tokio::spawn({
        let host = Arc::clone(&host);
        async move { host.disable("behave").await }
    });
    let refused = async {
        loop {
            match host.call("echo", SAY).await {
                Ok(_) => tokio::time::sleep(Duration::from_millis(1)).await,
                Err(error) => return error,
            }
        }
    };
    let error = tokio::time::timeout(LONG, refused).await.unwrap();
    let says = "echo was not called: its extension behave is disabled";
    assert_eq!(error.to_string(), says);
    assert_eq!(host.extensions()[0].state, ExtensionState::Ready);
    assert!(!disabling.is_finished());
    call.cancel("enough");
    let result = tokio::time::timeout(LONG, call.outcome()).await.unwrap().unwrap();
    assert_eq!(result.error.unwrap().kind, ErrorKind::Cancelled);
    let ending = tokio::time::timeout(LONG, disabling).await.unwrap().unwrap().unwrap();
    assert_eq!(ending.manner, Manner::ByItself, "{ending}");
    end(Arc::into_inner(host).unwrap()).await;
}

#[tokio::test]
async fn a_call_that_takes_longer_than_the_drain_fails_with_the_end() {
    let home = Home::new();
    let builder = home.builder().drain(Duration::from_millis(50));
    let host = builder.extension(misbehave(&["plain"])).start().await;
    let call = host.start_call("hang", "{}", CallOptions::default()).await.unwrap();
    host.disable("misbehave").await.unwrap();
    let error = tokio::time::timeout(LONG, call.outcome()).await.unwrap().unwrap_err();
    assert!(matches!(error, CallError::Died { .. }), "{error}");
    end(host).await;
}

#[tokio::test]
async fn enabled_twice_at_once_it_is_started_once() {
    let home = Home::new();
    let host = home.builder().extension(stepwise(&home, &json!([whole()]))).start().await;
    let (one, two, three) = tokio::join!(host.enable("s"), host.enable("s"), host.enable("s"));
    assert!(one.is_ok() && two.is_ok() && three.is_ok());
    assert_eq!(starts(&home), 1);
    // Whichever comes last, it is either in use or without a process.
    for _ in 0..8 {
        let (enabled, disabled) = tokio::join!(host.enable("s"), host.disable("s"));
        let status = host.extensions().remove(0);
        match status.state {
            ExtensionState::Ready => assert!(enabled.is_ok() && runs(status.pid.unwrap())),
            ExtensionState::Disabled => assert!(disabled.is_some() && status.pid.is_none()),
            other => panic!("{other:?}"),
        }
    }
    end(host).await;
}

#[tokio::test]
async fn one_that_is_killed_or_disabled_while_it_starts_is_no_use_and_can_be_enabled_again() {
    let home = Home::new();
    let hangs = json!([{"until": home.path().join("never")}]);
    let host = home.builder().extension(stepwise(&home, &json!([hangs, hangs, whole()])));
    let host = Arc::new(host.start().await);
    for count in 1..=2 {
        let enabling = tokio::spawn({
            let host = Arc::clone(&host);
            async move { host.enable("s").await }
        });
        until(|| starts(&home) == count).await;
        let pid = host.extensions()[0].pid.unwrap();
        let error = if count == 1 {
            let kill = std::process::Command::new("kill").args(["-9", &pid.to_string()]).status();
            assert!(kill.unwrap().success());
            enabling.await.unwrap().unwrap_err()
        } else {
            host.disable("s").await.unwrap();
            enabling.await.unwrap().unwrap_err()
        };
        match (count, &error) {
            (1, EnableError::Failed { diagnosis, .. }) => {
                assert_eq!(diagnosis.problem, Problem::ExitedBeforeHello);
            }
            (2, EnableError::Stopped { .. }) => {}
            _ => panic!("{error}"),
        }
        wait_until_gone(pid).await;
    }
    host.enable("s").await.unwrap();
    assert_eq!(starts(&home), 3);
    end(Arc::into_inner(host).unwrap()).await;
}

#[tokio::test]
async fn what_was_begun_goes_on_though_nobody_waits_for_it() {
    let home = Home::new();
    let host = home.builder().extension(stepwise(&home, &json!([whole()]))).start().await;
    drop(tokio::time::timeout(Duration::from_micros(1), host.enable("s")).await);
    until(|| host.extensions()[0].state == ExtensionState::Ready).await;
    let pid = host.extensions()[0].pid.unwrap();
    drop(tokio::time::timeout(Duration::from_micros(1), host.disable("s")).await);
    until(|| host.extensions()[0].state == ExtensionState::Disabled).await;
    assert!(!runs(pid));
    end(host).await;
}

#[tokio::test]
async fn one_that_failed_is_started_as_it_is_now() {
    let home = Home::new();
    let folder = home.folder("mended");
    let manifest = |exec: &str, args: Value| {
        let text = json!({"name": "mended", "exec": exec, "args": args}).to_string();
        std::fs::write(folder.join("extension.json"), text).unwrap();
    };
    manifest("./nowhere", json!([]));
    let host = home.builder().folder(&folder).start().await;
    assert!(matches!(host.extensions()[0].state, ExtensionState::Failed(_)));
    let error = host.enable("mended").await.unwrap_err();
    assert!(error.to_string().contains("there is no program"), "{error}");
    let program: &Path = &script("behave.py");
    manifest("python3", json!(["-S", program]));
    host.enable("mended").await.unwrap();
    assert!(!host.call("echo", SAY).await.unwrap().is_error);
    end(host).await;
}

#[tokio::test]
async fn a_shutdown_waits_for_no_drain_and_nothing_is_started_after_it() {
    let home = Home::new();
    let builder = home.builder().drain(LONG * 10).extension(misbehave(&["plain"]));
    let host = Arc::new(builder.extension(stepwise(&home, &json!([whole()]))).start().await);
    let call = host.start_call("hang", "{}", CallOptions::default()).await.unwrap();
    let pid = host.extensions()[0].pid.unwrap();
    let disabling = tokio::spawn({
        let host = Arc::clone(&host);
        async move { host.disable("misbehave").await }
    });
    until(|| host.tools().is_empty() || !disabling.is_finished()).await;
    let endings =
        tokio::time::timeout(LONG, host.shutdown()).await.expect("it waits for the drain");
    assert!(endings.iter().all(|ending| ending.gone), "{endings:?}");
    assert!(!runs(pid));
    assert!(call.outcome().await.is_err());
    let error = host.enable("s").await.unwrap_err();
    assert!(matches!(error, EnableError::Stopped { .. }), "{error}");
    assert_eq!(starts(&home), 0);
}

#[tokio::test]
async fn one_that_was_trusted_is_started_again_only_as_it_was() {
    let home = Home::new();
    let dir = tempfile::tempdir().unwrap();
    let program = dir.path().join("ext.sh");
    let script =
        "echo '{\"type\":\"hello\",\"name\":\"w\"}'; echo '{\"type\":\"ready\"}'; cat >/dev/null\n";
    std::fs::write(&program, script).unwrap();
    let manifest = r#"{"name": "w", "exec": "sh", "args": ["ext.sh"]}"#;
    std::fs::write(dir.path().join("extension.json"), manifest).unwrap();
    let digest = extline_host::trust::Tree::read(dir.path()).unwrap().digest();
    let source = ExtensionSource::folder(dir.path()).pinned(digest);
    let host = home.builder().extension(source.clone()).start().await;
    assert_eq!(host.extensions()[0].state, ExtensionState::Ready);
    host.disable("w").await.unwrap();

    std::fs::write(&program, format!("{script}#")).unwrap();
    let error = host.enable("w").await.unwrap_err();
    let EnableError::Failed { diagnosis, .. } = &error else { panic!("{error}") };
    assert!(matches!(diagnosis.problem, Problem::Untrusted { .. }), "{diagnosis}");
    assert!(error.to_string().contains("extline ext trust"), "{error}");
    assert_eq!(host.extensions()[0].pid, None);
    let other = home.builder().extension(source).start().await;
    let ExtensionState::Failed(diagnosis) = &other.extensions()[0].state else { panic!() };
    assert!(matches!(diagnosis.problem, Problem::Untrusted { .. }), "{diagnosis}");

    std::fs::write(&program, script).unwrap();
    host.enable("w").await.unwrap();
    assert_eq!(host.extensions()[0].state, ExtensionState::Ready);
}

#[tokio::test]
async fn one_is_added_while_the_host_runs() {
    let home = Home::new();
    let host = home.builder().extension(behave(&[]).named("first")).start().await;
    assert_eq!(host.add(behave(&["later"]).named("second")).await.unwrap(), "second");
    assert_eq!(host.extensions()[1].state, ExtensionState::Ready);
    let answer = host.call("later", r#"{"text":"x"}"#).await;
    assert!(answer.is_ok(), "{answer:?}");
    // Who was there before keeps its names.
    assert_eq!(host.tools().iter().find(|it| it.name() == "echo").unwrap().extension, "first");
    let taken = host.add(behave(&[]).named("second")).await.unwrap_err();
    assert!(matches!(taken, EnableError::Taken { .. }), "{taken:?}");
    assert_eq!(host.extensions().len(), 2);

    // One that fails stays, and can be removed; its name is free then.
    let broken = ExtensionSource::command("no-such-program-of-anybody", [""; 0]).named("third");
    let failed = host.add(broken).await.unwrap_err();
    assert!(matches!(failed, EnableError::Failed { .. }), "{failed:?}");
    assert!(matches!(host.extensions()[2].state, ExtensionState::Failed(_)));
    host.remove("third").await;
    host.add(behave(&[]).named("third").on_demand()).await.unwrap();
    assert!(matches!(host.extensions().pop().unwrap().state, ExtensionState::Disabled));
    host.enable("third").await.unwrap();
    assert_eq!(host.report().extensions.iter().filter(|it| it.state == Some("ready")).count(), 3);
    end(host).await;
}
