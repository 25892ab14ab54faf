//! `exec.run`: programs that an extension has run.

use std::sync::Arc;
use std::time::Duration;

use extline_host::protocol::ErrorKind;
use extline_host::{ApprovalMode, Decision, HostBuilder};
use serde_json::{Value, json};

use crate::approvals::{Person, start, stop};
use crate::requests::{ask, asks, methods};
use crate::support::{Home, LONG, behave, end, python, runs, text, wait_until_gone};

fn runs_program(id: &str, params: Value) -> Value {
    let mut request = asks(id, "exec.run");
    request["params"] = params;
    request
}

fn yolo(home: &Home) -> HostBuilder {
    home.builder().run_programs().approval_mode(ApprovalMode::Yolo).extension(methods())
}

/// What a run is answered with.
async fn run(host: &extline_host::Host, params: Value) -> Value {
    ask(host, json!([runs_program("1", params)]), 1).await.remove(0)
}

fn shell(script: &str) -> Value {
    json!({ "command": "sh", "args": ["-c", script] })
}

#[tokio::test]
async fn a_program_runs_in_the_project_and_its_end_is_told_exactly() {
    let home = Home::new();
    std::fs::write(home.path().join("here"), "").unwrap();
    std::fs::create_dir(home.path().join("below")).unwrap();
    let host = yolo(&home).cwd(home.path()).start().await;
    let answer = run(&host, json!({ "command": "ls", "args": ["here", "a b; echo $x"] })).await;
    let result = &answer["result"];
    assert_eq!(result["stdout"], "here\n", "{answer}");
    assert!(result["stderr"].as_str().unwrap().contains("a b; echo $x"), "{answer}");
    assert!(result["code"].as_i64().unwrap() > 0 && result["timed_out"] == false, "{answer}");

    let mut params = shell("cat; pwd; echo $A; exit 3");
    params["stdin"] = "in\n".into();
    params["cwd"] = "below".into();
    params["env"] = json!({ "A": "given", "HOME": null });
    let answer = run(&host, params).await;
    let below = std::fs::canonicalize(home.path().join("below")).unwrap();
    let stdout = format!("in\n{}\ngiven\n", below.display());
    let expected = json!({
        "code": 3, "timed_out": false, "truncated": false, "stdout": stdout, "stderr": "",
    });
    assert_eq!(answer["result"], expected);

    let answer = run(&host, shell("kill -KILL $$")).await;
    let result = &answer["result"];
    assert_eq!((&result["code"], &result["signal"]), (&Value::Null, &json!("SIGKILL")), "{answer}");
    end(host).await;
}

#[tokio::test]
async fn what_cannot_be_started_is_an_error_that_names_it() {
    let home = Home::new();
    std::fs::write(home.path().join("plain"), "").unwrap();
    let host = yolo(&home).cwd(home.path()).start().await;
    let wrong = [
        (json!({ "command": "no-such-program" }), "not_found", "no-such-program is in no folder"),
        (json!({ "command": "./nope" }), "not_found", "there is no program"),
        (json!({ "command": "./plain" }), "permission", "is not executable"),
        (json!({ "command": "ls", "cwd": "nowhere" }), "not_found", "/cwd: there is no folder"),
        (json!({ "command": "" }), "validation", "/command: it is empty"),
        (json!({ "command": "ls", "args": ["a\u{0}b"] }), "validation", "/args: it has a NUL"),
        (json!({ "command": "ls", "env": { "A=B": "c" } }), "validation", "/env"),
        (json!({ "command": "ls", "timeout_ms": 0 }), "validation", "/timeout_ms"),
        (json!({ "command": "ls", "max_bytes": 1_000_000 }), "validation", "/max_bytes"),
        (json!({ "args": [] }), "validation", "missing field `command`"),
    ];
    for (params, code, said) in wrong {
        let answer = run(&host, params).await;
        assert_eq!(answer["error"]["code"], code, "{answer}");
        assert!(answer["error"]["message"].as_str().unwrap().contains(said), "{answer}");
    }
    end(host).await;
}

#[tokio::test]
async fn ten_megabytes_are_cut_and_the_end_of_them_is_kept() {
    let home = Home::new();
    let host = yolo(&home).start().await;
    let answer = run(&host, shell("yes 0123456789 | head -c 10000000; echo; echo end")).await;
    let result = &answer["result"];
    assert_eq!((&result["code"], &result["truncated"]), (&json!(0), &json!(true)));
    let stdout = result["stdout"].as_str().unwrap();
    assert!(stdout.len() == 262_144 && stdout.ends_with("\nend\n"), "{}", stdout.len());
    // What is written as six characters each fits too.
    let answer = run(&host, shell("head -c 300000 /dev/zero; head -c 300000 /dev/zero >&2")).await;
    let stderr = answer["result"]["stderr"].as_str().unwrap();
    assert_eq!((stderr.len(), &answer["result"]["truncated"]), (262_144, &json!(true)));
    end(host).await;
}

#[tokio::test]
async fn what_it_writes_comes_as_parts_while_it_runs() {
    let home = Home::new();
    let gate = home.path().join("gate");
    let host = Arc::new(yolo(&home).cwd(home.path()).start().await);
    let mut params = shell(
        "printf 'caf\\303'; printf '\\251\\n'; echo oops >&2; until test -e gate; do sleep 0.01; done; echo done",
    );
    params["stream"] = true.into();
    // Two texts and the answer come last; whether the first comes in pieces is the system's.
    let first = ask(&host, json!([runs_program("1", params)]), 2).await;
    assert!(first.iter().all(|part| part["type"] == "response_part"), "{first:?}");
    std::fs::write(&gate, "").unwrap();
    let streams: Vec<_> = first.iter().map(|part| part["data"]["stream"].clone()).collect();
    assert!(streams.contains(&json!("stdout")), "{first:?}");
    let text: String = first
        .iter()
        .filter(|part| part["data"]["stream"] == "stdout")
        .map(|part| part["data"]["text"].as_str().unwrap())
        .collect();
    assert!("café\n".starts_with(&text) && !text.contains('\u{fffd}'), "{text:?}");
    stop(host).await;
}

#[tokio::test]
async fn a_program_whose_time_is_over_ends_with_all_that_it_started() {
    let home = Home::new();
    let host = yolo(&home).cwd(home.path()).start().await;
    let mut params = shell("trap '' TERM; sh -c 'echo $$ > pid; sleep 1000'; sleep 1000");
    params["timeout_ms"] = 300.into();
    let answer = run(&host, params).await;
    let result = &answer["result"];
    assert_eq!((&result["timed_out"], &result["code"]), (&json!(true), &Value::Null), "{answer}");
    assert_eq!(result["signal"], "SIGKILL", "{answer}");
    if let Ok(pid) = std::fs::read_to_string(home.path().join("pid")) {
        wait_until_gone(pid.trim().parse().unwrap()).await;
    }
    end(host).await;
}

#[tokio::test]
async fn what_a_program_leaves_behind_ends_with_it() {
    let home = Home::new();
    let host = yolo(&home).cwd(home.path()).start().await;
    let script = "sleep 1000 & echo $! > left; setsid sh -c 'echo $$ > away; exec sleep 1000' & \
                  until test -s away; do sleep 0.01; done; echo started";
    let answer = run(&host, shell(script)).await;
    assert_eq!(answer["result"]["stdout"], "started\n", "{answer}");
    for file in ["left", "away"] {
        let pid = std::fs::read_to_string(home.path().join(file)).unwrap();
        wait_until_gone(pid.trim().parse().unwrap()).await;
    }
    end(host).await;
}

/// Ctrl-C of the agent cancels the call; the program goes with it.
#[tokio::test]
async fn a_program_ends_with_the_call_that_it_belongs_to() {
    let home = Home::new();
    let host = Arc::new(yolo(&home).cwd(home.path()).start().await);
    let mut request = runs_program("1", shell("echo $$ > pid; sleep 1000 & wait"));
    request["parent"] = json!({ "kind": "tool_call", "id": "$CALL" });
    let args = json!({ "frames": [request], "count": 9 }).to_string();
    let call = host.start_call("ask", &args, extline_host::CallOptions::default()).await.unwrap();
    let pid = home.path().join("pid");
    let written = async {
        while std::fs::read_to_string(&pid).unwrap_or_default().trim().is_empty() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(LONG, written).await.expect("the program does not start");
    let pid: u32 = std::fs::read_to_string(&pid).unwrap().trim().parse().unwrap();
    assert!(runs(pid));
    drop(call);
    wait_until_gone(pid).await;
    stop(host).await;
}

#[tokio::test]
async fn nothing_runs_before_a_person_says_so() {
    let home = Home::new();
    let builder = home.builder().run_programs().cwd(home.path()).extension(methods());
    let (mut person, builder) = Person::before(builder);
    let host = Arc::new(builder.start().await);
    let touch = |file: &str| json!({ "command": "touch", "args": [file] });
    let asked = |params| json!({ "frames": [runs_program("1", params)], "count": 1 });

    let call = start(&host, "ask", asked(touch("a b")));
    let request = person.answers(Decision::Deny { reason: Some("not now".to_owned()) }).await;
    assert_eq!((request.tool.name(), &*request.tool.extension), ("exec.run", "methods"));
    assert_eq!((request.caller.as_deref(), request.is_exact), (Some("methods"), false));
    assert_eq!(request.details, ["touch 'a b'"]);
    assert_eq!(request.pattern().to_string(), "exec.run(touch%20%27a%20b%27)");
    let answer: Value = serde_json::from_str(&text(&call.await.unwrap().unwrap())).unwrap();
    assert_eq!(answer[0]["error"]["code"], "permission", "{answer}");
    assert!(answer[0]["error"]["message"].as_str().unwrap().contains("not now"), "{answer}");
    assert!(!home.path().join("a b").exists());

    // An "always" holds for this command line, and not with something beside it.
    let call = start(&host, "ask", asked(touch("a b")));
    person.answers(Decision::Always).await;
    call.await.unwrap().unwrap();
    assert!(home.path().join("a b").exists());
    start(&host, "ask", asked(touch("a b"))).await.unwrap().unwrap();
    assert!(!person.is_asked());
    let mut with_more = touch("a b");
    with_more["env"] = json!({ "LD_PRELOAD": "x.so" });
    let call = start(&host, "ask", asked(with_more));
    let request = person.answers(Decision::Deny { reason: None }).await;
    assert!(request.is_exact);
    assert_eq!(request.details, ["touch 'a b'", "with LD_PRELOAD"]);
    call.await.unwrap().unwrap();
    stop(host).await;
}

#[tokio::test]
async fn patterns_allow_programs_where_nobody_can_be_asked() {
    let home = Home::new();
    let builder = home.builder().run_programs().approve("exec.run(echo%20*)".parse().unwrap());
    let host = builder.extension(methods()).start().await;
    let answer = run(&host, json!({ "command": "echo", "args": ["hi"] })).await;
    assert_eq!(answer["result"]["stdout"], "hi\n", "{answer}");
    let answer = run(&host, json!({ "command": "ls" })).await;
    assert_eq!(answer["error"]["code"], "permission", "{answer}");
    assert!(answer["error"]["message"].as_str().unwrap().contains("exec.run(ls)"), "{answer}");
    end(host).await;
}

/// The guard of another extension sees the run as a call of `exec.run`.
#[tokio::test]
async fn guards_see_what_would_run() {
    let home = Home::new();
    let config = json!({
        "subscribe": { "guards": ["tool_call"], "intercept": ["tool_call"] },
        "intercept": { "only": "exec.run", "append": "" },
        "guard": { "only": "exec.run", "answer": { "block": true, "reason": "no programs" } },
    });
    let journal = home.path().join("journal");
    let args = ["guard".into(), journal.clone().into_os_string(), config.to_string().into()];
    let guard = python::<std::ffi::OsString>("intercept.py", args).named("guard");
    let host = yolo(&home).cwd(home.path()).extension(guard).start().await;
    let answer = run(&host, json!({ "command": "touch", "args": ["made"] })).await;
    assert_eq!(answer["error"]["code"], "permission", "{answer}");
    assert!(answer["error"]["message"].as_str().unwrap().contains("no programs"), "{answer}");
    assert!(!home.path().join("made").exists());
    let seen = std::fs::read_to_string(journal).unwrap();
    assert!(seen.contains("touch"), "{seen}");
    end(host).await;
}

/// It would be asked about its own program, for whose answer it runs the next one, and so on.
#[tokio::test]
async fn a_guard_that_runs_a_program_is_not_asked_about_that() {
    let home = Home::new();
    let guard = python("asking.py", ["guard", "tool"]).named("guard");
    let host = yolo(&home).extension(guard).start().await;
    let blocked = host.call("tool", r#"{"command":"x"}"#).await.unwrap_err().to_string();
    assert!(
        blocked.contains(r#""stdout": "tool\n""#) && !blocked.contains("exec.run"),
        "{blocked}"
    );
    end(host).await;
}

#[tokio::test]
async fn a_host_that_runs_no_programs_says_so_at_once() {
    let home = Home::new();
    let host = home.builder().extension(methods()).extension(behave(&[])).start().await;
    let answer = run(&host, json!({ "command": "ls" })).await;
    assert_eq!(answer["error"]["code"], ErrorKind::Unsupported.as_str(), "{answer}");
    end(host).await;
}
