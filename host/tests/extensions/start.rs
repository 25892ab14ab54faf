//! From nothing to ready, and every way in which that fails.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use extline_host::protocol::Deadlines;
use extline_host::{Exit, ExtensionSource, ExtensionState, Host, Problem};

use crate::support::{Home, LONG, behave, diagnosis, end, misbehave, pids, runs, text};

fn manifest(folder: &Path, text: &str) -> PathBuf {
    fs::write(folder.join("extension.json"), text).unwrap();
    folder.to_owned()
}

fn program(folder: &Path, name: &str, text: &str, mode: u32) -> PathBuf {
    let path = folder.join(name);
    fs::write(&path, text).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
    path
}

async fn start(home: &Home, source: ExtensionSource) -> Host {
    home.builder().extension(source).start().await
}

#[tokio::test]
async fn an_extension_is_told_who_and_where_it_is() {
    let home = Home::new();
    let folder = home.folder("ext");
    let script = crate::support::script("behave.py");
    let script = script.to_str().unwrap();
    let text_of =
        format!(r#"{{"name":"mine","exec":"python3","args":[{script:?}],"version":"3","x":1}}"#);
    let builder = home.builder().model("ollama", "fake").zot_version("0.1.62");
    let host = builder.folder(manifest(&folder, &text_of)).start().await;
    let status = &host.extensions()[0];
    assert_eq!(status.state, ExtensionState::Ready);
    assert_eq!(status.name, "mine");
    assert_eq!(status.hello.as_ref().unwrap().version, "1.2.3");
    assert!(status.start_took.is_some());
    let manifest = status.manifest.as_ref().unwrap();
    assert_eq!((&*manifest.version, &manifest.other["x"]), ("3", &serde_json::json!(1)));

    let seen = host.call("seen", "{}").await.unwrap();
    let seen: serde_json::Value = seen.structured_content.unwrap().to().unwrap();
    let ack = &seen["ack"];
    assert_eq!(ack["protocol_version"], 1);
    assert_eq!(ack["host"], serde_json::json!({"name": "test-agent", "version": "9.9"}));
    assert_eq!(
        ack["capabilities"],
        serde_json::json!([
            "commands",
            "tools",
            "events",
            "panels",
            "tool_cancel",
            "call_tool",
            "tool_update",
            "tool_registry",
            "registration_report",
            "log",
            "rpc",
            "config",
            "view",
            "event_filters"
        ])
    );
    assert_eq!(ack["limits"]["frame_bytes"], 4_194_303);
    assert_eq!(ack["limits"]["tool_timeout_ms"], 60_000);
    assert_eq!(ack["limits"]["intercept_timeout_ms"], 5_000);
    assert_eq!(ack["limits"]["command_timeout_ms"], 30_000);
    assert_eq!((&ack["provider"], &ack["model"]), (&"ollama".into(), &"fake".into()));
    assert_eq!(ack["zot_version"], "0.1.62");
    assert_eq!(ack["cwd"], home.path().to_str().unwrap());
    let folder = fs::canonicalize(&folder).unwrap();
    assert_eq!(ack["extension_dir"], folder.to_str().unwrap());
    let data = ack["data_dir"].as_str().unwrap();
    assert!(Path::new(data).is_dir() && data.ends_with("data/mine"), "{data}");
    end(host).await;
}

#[tokio::test]
async fn a_program_runs_in_its_folder_and_a_relative_one_is_found_there() {
    let home = Home::new();
    let folder = home.folder("ext");
    program(
        &folder,
        "ext.sh",
        "#!/bin/sh\necho '{\"type\":\"hello\",\"name\":\"x\"}'\necho '{\"type\":\"ready\"}'\n\
         pwd >where\nexec cat >/dev/null\n",
        0o755,
    );
    let host = start(
        &home,
        ExtensionSource::folder(manifest(&folder, r#"{"name":"x","exec":"./ext.sh"}"#)),
    )
    .await;
    assert_eq!(host.extensions()[0].state, ExtensionState::Ready);
    end(host).await;
    let place = fs::read_to_string(folder.join("where")).unwrap();
    assert_eq!(Path::new(place.trim()), fs::canonicalize(&folder).unwrap());
}

#[tokio::test]
async fn a_program_that_is_not_there_is_named() {
    let home = Home::new();
    let folder = manifest(&home.folder("ext"), r#"{"name":"x","exec":"./build/x"}"#);
    let found = diagnosis(&start(&home, ExtensionSource::folder(folder)).await);
    let Problem::NotFound { program, in_path: false, .. } = &found.problem else {
        panic!("{found}")
    };
    assert!(program.ends_with("build/x"));
    assert!(found.to_string().contains("try     check \"exec\""), "{found}");

    let text = r#"{"name":"x","exec":".venv/bin/python","args":["x.py"]}"#;
    let found = start(&home, ExtensionSource::folder(manifest(&home.folder("ext"), text))).await;
    let found = diagnosis(&found).to_string();
    assert!(found.contains("there is no Python environment .venv, or its"), "{found}");

    let folder = manifest(&home.folder("ext"), r#"{"name":"x","exec":"extline-no-such-program"}"#);
    let found = diagnosis(&start(&home, ExtensionSource::folder(folder)).await);
    assert!(matches!(found.problem, Problem::NotFound { in_path: true, .. }));
    assert!(found.to_string().contains("is in no folder of $PATH"), "{found}");
}

#[tokio::test]
async fn a_file_that_cannot_be_executed_is_told_apart() {
    let home = Home::new();
    let folder = home.folder("ext");
    let source = || {
        let text = r#"{"name":"x","exec":"./x"}"#;
        ExtensionSource::folder(manifest(&folder, text))
    };
    program(&folder, "x", "#!/bin/sh\n", 0o644);
    let found = diagnosis(&start(&home, source()).await);
    assert!(matches!(found.problem, Problem::NotExecutable { .. }), "{found}");
    assert!(found.suggestion.starts_with("chmod +x "), "{found}");

    program(&folder, "x", "echo no first line\n", 0o755);
    let found = diagnosis(&start(&home, source()).await);
    assert!(matches!(found.problem, Problem::NoShebang { .. }), "{found}");
    assert!(found.suggestion.contains("#!/usr/bin/env python3"), "{found}");

    program(&folder, "x", "#!/no/such/interpreter -u\n", 0o755);
    let found = diagnosis(&start(&home, source()).await);
    let Problem::NoInterpreter { interpreter, .. } = &found.problem else { panic!("{found}") };
    assert_eq!(interpreter, "/no/such/interpreter");
}

#[tokio::test]
async fn a_manifest_that_cannot_be_used_is_named_with_the_place() {
    let home = Home::new();
    let folder = home.folder("ext");
    let problem = async |text: &str| {
        let source = ExtensionSource::folder(manifest(&folder, text));
        diagnosis(&start(&home, source).await).to_string()
    };
    assert!(problem("{").await.contains("extension.json: not JSON"));
    assert!(problem(r#"{"name":"x"}"#).await.contains("extension.json: /exec: required"));
    assert!(
        problem(r#"{"name":"x","exec":5}"#).await.contains("/exec: expected a string, found 5")
    );
    assert!(problem(r#"{"name":"x","exec":"sh","enabled":false}"#).await.contains("disabled"));
    let nowhere = ExtensionSource::folder(home.path().join("nowhere"));
    assert!(diagnosis(&start(&home, nowhere).await).to_string().contains("no such folder"));
}

#[tokio::test]
async fn one_that_ends_before_hello_tells_its_status_and_its_last_words() {
    let home = Home::new();
    let found = diagnosis(&start(&home, misbehave(&["exit-before-hello", "7"])).await);
    assert_eq!(found.problem, Problem::ExitedBeforeHello);
    assert_eq!(found.exit, Some(Exit::Code { code: 7 }));
    assert_eq!(found.doing, "waiting for its hello");
    assert_eq!(found.stderr, ["first line", "ModuleNotFoundError: No module named 'frobnicate'"]);
    let log = fs::read_to_string(found.log.as_ref().unwrap()).unwrap();
    assert!(log.contains("No module named 'frobnicate'"), "{log}");
    assert!(found.problem.is_failed_start());

    let found = diagnosis(&start(&home, misbehave(&["signal-before-hello"])).await);
    assert_eq!(found.exit.unwrap().to_string(), "killed by SIGSEGV (signal 11)");
}

#[tokio::test]
async fn one_that_never_says_hello_is_ended() {
    let home = Home::new();
    let hello = Duration::from_secs(2);
    let says = |text: &str| {
        let script = format!("printf '%s' '{text}'; exec sleep 3600");
        ExtensionSource::command("sh", ["-c", &script]).named(text)
    };
    let host = home
        .builder()
        .deadlines(Deadlines { hello, ..Deadlines::default() })
        .extension(says("starting the server\n"))
        .extension(says(r#"{"type":"hello","name":"no line end"}"#))
        .extension(says(""))
        .start()
        .await;
    let mut shown = Vec::new();
    for status in host.extensions() {
        let ExtensionState::Failed(found) = status.state else { panic!("{status:?}") };
        assert_eq!(found.problem, Problem::NoHello { waited_ms: 2000 });
        assert!(found.suggestion.contains("flush stdout"), "{found}");
        shown.push(found.stdout.clone().unwrap());
    }
    assert_eq!(
        shown,
        ["starting the server", r#"{"type":"hello","name":"no line end"}"#, "nothing"]
    );
    let pids: Vec<_> = host.extensions().into_iter().filter_map(|status| status.pid).collect();
    end(host).await;
    assert!(!pids.into_iter().any(runs));
}

#[tokio::test]
async fn a_first_frame_that_is_no_hello_is_shown() {
    let home = Home::new();
    let host = start(&home, misbehave(&["wrong-first"])).await;
    let found = diagnosis(&host);
    assert_eq!(found.problem, Problem::NotHello { found: "register_tool".to_owned() });
    assert!(found.stdout.unwrap().contains("\"name\": \"echo\""));
    end(host).await;

    let found = diagnosis(&start(&home, misbehave(&["bad-hello"])).await);
    let Problem::BadHello { reason } = &found.problem else { panic!("{found}") };
    assert!(reason.contains("/name: expected a string, found 5"), "{reason}");
    assert_eq!(found.stdout.as_deref(), Some(r#"{"type": "hello", "name": 5}"#));
}

#[tokio::test]
async fn one_that_ends_between_hello_and_ready_failed_to_start() {
    let home = Home::new();
    let found = diagnosis(&start(&home, misbehave(&["exit-before-ready"])).await);
    assert_eq!(found.problem, Problem::ExitedBeforeReady);
    assert_eq!(found.exit, Some(Exit::Code { code: 3 }));
    assert_eq!(found.stdout, None);
}

#[tokio::test]
async fn a_banner_before_hello_is_reported_and_it_works() {
    let home = Home::new();
    let host = start(&home, misbehave(&["banner"])).await;
    let status = &host.extensions()[0];
    assert_eq!(status.state, ExtensionState::Ready);
    assert_eq!(status.notices.len(), 2);
    assert!(status.notices[0].text.contains("before hello"), "{}", status.notices[0]);
    assert!(status.notices[0].text.contains("Welcome to misbehave 1.0"));
    assert!(status.notices[0].to_string().contains("print to stderr"));
    assert_eq!(text(&host.call("echo", "{}").await.unwrap()), "echo");
    end(host).await;
}

#[tokio::test]
async fn one_that_never_says_ready_is_used_as_it_is() {
    let home = Home::new();
    let ready = Duration::from_secs(2);
    let builder = home.builder().deadlines(Deadlines { ready, ..Deadlines::default() });
    let host = builder.extension(misbehave(&["never-ready"])).start().await;
    let status = &host.extensions()[0];
    assert_eq!(status.state, ExtensionState::Ready);
    assert!(status.notices[0].text.starts_with("no ready frame 2000 ms after hello"));
    assert_eq!(text(&host.call("echo", "{}").await.unwrap()), "echo");
    end(host).await;
}

#[tokio::test]
async fn whoever_uses_an_sdk_is_told_of_setup_and_of_no_frame() {
    let home = Home::new();
    let ready = Duration::from_secs(1);
    let builder = home.builder().deadlines(Deadlines { ready, ..Deadlines::default() });
    let host = builder.extension(misbehave(&["never-ready", "by-sdk"])).start().await;
    let told = host.extensions()[0].notices[0].to_string();
    assert!(told.starts_with("its setup is not over after 1000 ms"), "{told}");
    assert!(told.contains("so that setup returns") && !told.contains("frame"), "{told}");
    end(host).await;
}

#[tokio::test]
async fn a_flood_on_stderr_delays_nothing_and_fills_no_disk() {
    let home = Home::new();
    // It writes 40 MB before it says hello, and a machine that is busy takes its time with them.
    let deadlines = Deadlines { hello: LONG, ..Deadlines::default() };
    let builder = home.builder().extension(misbehave(&["stderr-flood"]));
    let host = builder.deadlines(deadlines).start().await;
    assert_eq!(text(&host.call("echo", "{}").await.unwrap()), "echo");
    let log = host.extensions()[0].log.clone().unwrap();
    end(host).await;
    let old = log.with_extension("log.1");
    assert!(fs::metadata(&log).unwrap().len() < 2 << 20);
    assert!(fs::metadata(&old).unwrap().len() < 2 << 20);
    assert!(fs::read_to_string(&log).unwrap().contains("the last line"));
}

#[tokio::test]
async fn of_two_with_one_name_the_first_wins_and_others_are_not_affected() {
    let home = Home::new();
    let host = home
        .builder()
        .extension(behave(&[]))
        .extension(behave(&[]))
        .extension(misbehave(&["exit-before-hello", "1"]))
        .extension(misbehave(&["banner"]).named("fourth"))
        .start()
        .await;
    let states: Vec<_> = host.extensions().into_iter().map(|status| status.state).collect();
    assert_eq!(states[0], ExtensionState::Ready);
    assert!(matches!(&states[1], ExtensionState::Failed(d) if d.problem == Problem::NameTaken));
    assert!(matches!(&states[2], ExtensionState::Failed(_)));
    assert_eq!(states[3], ExtensionState::Ready);
    assert_eq!(text(&host.call("echo", r#"{"text":"hi"}"#).await.unwrap()), "hi");
    assert!(runs(pids(&host).await[0]));
    end(host).await;
}
