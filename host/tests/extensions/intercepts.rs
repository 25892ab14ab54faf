//! Extensions that are asked before something happens: interceptors, guards, and what it means when
//! they do not answer.

use std::sync::Arc;
use std::time::Duration;

use extline_host::protocol::ErrorKind;
use extline_host::{AgentStart, Blocked, CallError, CallOptions, ExtensionState, Host};
use serde_json::{Value, json};

use crate::stage::Stage;
use crate::support::{end, text};

async fn blocked(host: &Host) -> (String, String) {
    match host.call("run", r#"{"command":"ls"}"#).await {
        Err(CallError::Blocked { by, reason }) => (by, reason),
        other => panic!("expected a block, found {other:?}"),
    }
}

fn notices(host: &Host, name: &str) -> String {
    let mut extensions = host.extensions().into_iter();
    let notices = extensions.find(|status| status.name == name).unwrap().notices;
    notices.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

/// Short enough to wait for, long enough for a busy machine where nothing hangs.
const SHORT: Duration = Duration::from_secs(1);

#[tokio::test]
async fn rewrites_add_up_in_load_order() {
    let stage = Stage::new()
        .interceptor("a", &json!({"append": " -a"}))
        .interceptor("b", &json!({"append": " -b"}));
    let host = stage.start().await;
    let result = host.call("run", r#"{"command":"ls"}"#).await.unwrap();
    assert_eq!(text(&result), r#"{"command": "ls -a -b"}"#);
    let entries = stage.entries();
    assert_eq!(stage.who(), ["a intercept", "b intercept", "tool run"]);
    let (first, second) = (&entries[0].frame, &entries[1].frame);
    assert_eq!(first["event"], "tool_call");
    assert_eq!((&first["tool_name"], &first["tool_id"]), (&"run".into(), &"call_1".into()));
    assert_eq!(second["tool_id"], "call_1");
    assert_eq!(first["tool_args"], json!({"command": "ls"}));
    assert_eq!(second["tool_args"], json!({"command": "ls -a"}));
    end(host).await;
}

#[tokio::test]
async fn the_first_block_ends_it_and_the_tool_never_runs() {
    // With a block nothing else in the answer counts.
    let block = json!({"block": true, "reason": "not on a Friday", "modified_args": {}});
    let stage = Stage::new()
        .interceptor("a", &json!({}))
        .interceptor("b", &json!({ "answer": block }))
        .interceptor("c", &json!({}))
        .guard("d", &json!({}));
    let host = stage.start().await;
    let error = host.call("run", r#"{"command":"ls"}"#).await.unwrap_err();
    assert_eq!(error.to_string(), "blocked by b: not on a Friday");
    assert_eq!((error.kind(), error.field()), (ErrorKind::Permission, None));
    assert_eq!(stage.who(), ["a intercept", "b intercept"]);
    end(host).await;
}

#[tokio::test]
async fn a_guard_sees_the_bytes_that_run_and_cannot_change_them() {
    let rewrite = json!({"answer": {"modified_args": {"command": "rm"}}});
    let stage = Stage::new().guard("g", &rewrite).guard("h", &json!({}));
    let host = stage.start().await;
    let args = r#"{"n":1.50,  "command":"l\u0073"}"#;
    assert_eq!(text(&host.call("run", args).await.unwrap()), r#"{"command": "ls", "n": 1.5}"#);
    assert_eq!(stage.who(), ["g guard", "h guard", "tool run"]);
    for entry in stage.entries() {
        let field = if entry.who == "tool run" { "args" } else { "tool_args" };
        assert!(entry.line.contains(&format!("\"{field}\":{args}")), "{}", entry.line);
    }
    let ignored = notices(&host, "g");
    assert!(ignored.contains("ignored modified_args in the answer of the guard"), "{ignored}");
    assert_eq!(notices(&host, "h"), "");
    end(host).await;
}

#[tokio::test]
async fn guards_come_after_every_interceptor_and_may_block() {
    let block = json!({"answer": {"block": true, "reason": "no rm"}});
    let both = json!({"intercept": ["tool_call"], "guards": ["tool_call"]});
    let stage = Stage::new()
        .with("a", &json!({"subscribe": both, "guard": block}))
        .interceptor("b", &json!({"append": "; rm"}));
    let host = stage.start().await;
    assert_eq!(blocked(&host).await, ("a".to_owned(), "no rm".to_owned()));
    assert_eq!(stage.who(), ["a intercept", "b intercept", "a guard"]);
    assert_eq!(stage.entries()[2].frame["tool_args"], json!({"command": "ls; rm"}));
    end(host).await;
}

#[tokio::test]
async fn a_block_without_a_reason_still_reads_as_a_sentence() {
    let stage = Stage::new().guard("g", &json!({"answer": {"block": true, "reason": " "}}));
    let host = stage.start().await;
    assert_eq!(blocked(&host).await, ("g".to_owned(), "it gives no reason".to_owned()));
    end(host).await;
}

#[tokio::test]
async fn arguments_are_validated_after_the_last_rewrite_and_before_the_first_guard() {
    let rewrite = |args: &Value| json!({"answer": { "modified_args": args }});
    let stage =
        Stage::new().interceptor("a", &rewrite(&json!({"command": 5}))).guard("g", &json!({}));
    let host = stage.start().await;
    let error = host.call("run", r#"{"command":"ls"}"#).await.unwrap_err();
    assert_eq!((error.kind(), error.field()), (ErrorKind::Validation, Some("/command")));
    assert_eq!(stage.who(), ["a intercept"]);
    end(host).await;

    // An interceptor may mend what the model got wrong.
    let stage = Stage::new().interceptor("a", &rewrite(&json!({"command": "ls"})));
    let host = stage.start().await;
    let result = host.call("run", r#"{"comand":"ls"}"#).await.unwrap();
    assert_eq!(text(&result), r#"{"command": "ls"}"#);
    // What is no object at all nobody is asked about.
    assert!(matches!(host.call("run", "[]").await, Err(CallError::BadArgs { .. })));
    assert_eq!(stage.who(), ["a intercept", "tool run"]);
    end(host).await;
}

#[tokio::test]
async fn only_who_lists_the_point_is_asked_and_only_in_that_phase() {
    let elsewhere = json!({"intercept": ["turn_start", "moon_phase"], "guards": ["turn_start"]});
    let stage = Stage::new()
        .with("elsewhere", &json!({ "subscribe": elsewhere }))
        .guard("guard", &json!({}))
        .interceptor("interceptor", &json!({}));
    let host = stage.start().await;
    host.call("run", r#"{"command":"ls"}"#).await.unwrap();
    assert_eq!(stage.who(), ["interceptor intercept", "guard guard", "tool run"]);
    let report = &host.extensions()[1].report;
    assert_eq!((&*report.intercept, &*report.guards), (&["turn_start".to_owned()][..], &[][..]));
    let rejected = report.rejected.iter().map(|it| (&*it.kind, &*it.name, &*it.message));
    assert_eq!(
        rejected.collect::<Vec<_>>(),
        [
            ("intercept", "moon_phase", "this host asks no intercept at moon_phase"),
            ("guard", "turn_start", "this host asks no guard at turn_start"),
        ]
    );
    assert_eq!(host.extensions()[2].report.guards, ["tool_call"]);
    end(host).await;
}

#[tokio::test]
async fn a_guard_that_hangs_blocks() {
    let stage = Stage::new().guard("g", &json!({"do": "hang"})).patience(SHORT);
    let host = stage.start().await;
    let (by, reason) = blocked(&host).await;
    assert_eq!((&*by, &*reason), ("g", "its guard did not answer within 1000 ms"));
    assert_eq!(
        notices(&host, "g"),
        "the guard at tool_call did not answer within 1000 ms: blocked"
    );
    assert_eq!(stage.who(), ["g guard"]);
    end(host).await;
}

#[tokio::test]
async fn one_that_dies_while_it_is_asked_blocks() {
    let stage = Stage::new().interceptor("a", &json!({"do": "exit"}));
    let host = stage.start().await;
    let (by, reason) = blocked(&host).await;
    assert_eq!(by, "a");
    assert!(reason.starts_with("its interceptor did not answer: a: it ended while"), "{reason}");
    assert!(reason.contains("status 3"), "{reason}");
    assert_eq!(stage.who(), ["a intercept"]);
    let ExtensionState::Failed(diagnosis) = &host.extensions()[1].state else { panic!() };
    assert_eq!(diagnosis.doing, "answering the intercept tool_call");
    end(host).await;
}

#[tokio::test]
async fn one_that_declared_so_lets_it_pass_when_it_fails() {
    let subscribe = json!({
        "intercept": ["tool_call"], "guards": ["tool_call"], "on_failure": {"tool_call": "allow"}
    });
    let config = |intercept: &Value, guard: &Value| json!({"subscribe": subscribe, "intercept": intercept, "guard": guard});
    let (hang, exit) = (json!({"do": "hang"}), json!({"do": "exit"}));
    let stage = Stage::new()
        .with("hangs", &config(&hang, &hang))
        .with("exits", &config(&json!({}), &exit))
        .interceptor("goes-on", &json!({"append": " -l"}))
        .patience(SHORT);
    let host = stage.start().await;
    let result = host.call("run", r#"{"command":"ls"}"#).await.unwrap();
    assert_eq!(text(&result), r#"{"command": "ls -l"}"#);
    let told = notices(&host, "hangs");
    for role in ["interceptor", "guard"] {
        let line = format!("the {role} at tool_call did not answer within 1000 ms: allowed");
        assert!(told.contains(&line), "{told}");
    }
    assert!(notices(&host, "exits").contains("the guard at tool_call did not answer: exits: it"));
    end(host).await;
}

#[tokio::test]
async fn an_answer_that_cannot_be_used_is_none() {
    let bad = [
        (json!({"modified_args": "ls -l"}), "/modified_args: expected an object, found \"ls -l\""),
        (json!({"block": "yes"}), "/block"),
    ];
    for (answer, reason_part) in bad {
        let stage = Stage::new().interceptor("a", &json!({ "answer": answer }));
        let host = stage.start().await;
        let (by, reason) = blocked(&host).await;
        assert!(by == "a" && reason.contains(reason_part), "{by}: {reason}");
        assert!(notices(&host, "a").contains("the interceptor at tool_call"));
        assert_eq!(stage.who(), ["a intercept"]);
        end(host).await;
    }
    // Null is absent.
    let stage = Stage::new().interceptor("a", &json!({"answer": {"modified_args": null}}));
    let host = stage.start().await;
    let result = host.call("run", r#"{"command":"ls"}"#).await.unwrap();
    assert_eq!(text(&result), r#"{"command": "ls"}"#);
    end(host).await;
}

#[tokio::test]
async fn of_a_key_that_a_rewrite_holds_twice_everybody_sees_the_last() {
    let rewrite = json!({"args_text": r#"{"command":"ls","command":"rm"}"#});
    let stage = Stage::new().interceptor("a", &rewrite).guard("g", &json!({}));
    let host = stage.start().await;
    host.call("run", r#"{"command":"ls"}"#).await.unwrap();
    let entries = stage.entries();
    assert!(entries[1].line.contains(r#""tool_args":{"command":"rm"}"#), "{}", entries[1].line);
    assert!(entries[2].line.contains(r#""args":{"command":"rm"}"#), "{}", entries[2].line);
    end(host).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_calls_at_once_are_asked_about_independently() {
    let stage = Stage::new().interceptor("a", &json!({"do": "pair"})).guard("g", &json!({}));
    let host = Arc::new(stage.start().await);
    let call = |command: &'static str| {
        let host = Arc::clone(&host);
        tokio::spawn(async move {
            let args = json!({ "command": command }).to_string();
            let result = host.call("run", &args).await.unwrap();
            serde_json::from_str::<Value>(&text(&result)).unwrap()
        })
    };
    // The interceptor answers neither before it was asked about both, and the second one first.
    let (one, two) = (call("one"), call("two"));
    let (one, two) = (one.await.unwrap(), two.await.unwrap());
    assert_eq!((&one["command"], &two["command"]), (&json!("one"), &json!("two")));
    assert_ne!(one["tool_id"], two["tool_id"]);
    for entry in stage.entries().iter().filter(|entry| entry.who == "a intercept") {
        let ran = if entry.frame["tool_args"]["command"] == "one" { &one } else { &two };
        assert_eq!(entry.frame["tool_id"], ran["tool_id"]);
    }
    assert!(host.shutdown().await.iter().all(|ending| ending.gone));
}

#[tokio::test]
async fn a_call_that_is_given_up_while_a_guard_is_asked_never_runs() {
    let stage = Stage::new().guard("g", &json!({"do": "hang"}));
    let host = stage.start().await;
    let call = host.start_call("run", r#"{"command":"ls"}"#, CallOptions::default());
    assert!(tokio::time::timeout(SHORT, call).await.is_err());
    end(host).await;
    assert!(!stage.who().contains(&"tool run".to_owned()), "{:?}", stage.who());
}

#[tokio::test]
async fn a_turn_may_be_blocked() {
    let stage = Stage::new()
        .at("turn_start", "a", &json!({}))
        .at("turn_start", "b", &json!({"block": true, "reason": "the budget is used up"}))
        .at("turn_start", "c", &json!({}));
    let host = stage.start().await;
    let Blocked { by, reason, .. } = host.intercept_turn_start(7).await.unwrap_err();
    assert_eq!((&*by, &*reason), ("b", "the budget is used up"));
    assert_eq!(stage.who(), ["a intercept", "b intercept"]);
    assert_eq!(stage.entries()[0].frame["step"], 7);
    end(host).await;
    let stage = Stage::new();
    let host = stage.start().await;
    assert_eq!(host.intercept_turn_start(1).await, Ok(()));
    end(host).await;
}

#[tokio::test]
async fn a_message_may_be_rewritten_one_after_the_other_or_blocked() {
    let point = "assistant_message";
    let stage = Stage::new().at(point, "a", &json!({"replace_text": "the key is ***"})).at(
        point,
        "b",
        &json!({}),
    );
    let host = stage.start().await;
    let message = host.intercept_assistant_message("the key is 1234").await;
    assert_eq!(message.as_deref(), Ok("the key is ***"));
    let seen: Vec<_> = stage.entries().iter().map(|entry| entry.frame["text"].clone()).collect();
    assert_eq!(seen, ["the key is 1234", "the key is ***"]);
    end(host).await;

    let stage = Stage::new().at(point, "a", &json!({"block": true, "reason": "no"}));
    let host = stage.start().await;
    let error = host.intercept_assistant_message("hello").await.unwrap_err();
    assert_eq!(error.to_string(), "blocked by a: no");
    end(host).await;
}

#[tokio::test]
async fn a_system_prompt_may_be_rewritten_and_the_start_not_be_blocked() {
    let point = "before_agent_start";
    let hangs = json!({"subscribe": {"intercept": [point]}, "intercept": {"do": "hang"}});
    let stage = Stage::new()
        .at(point, "a", &json!({"system_prompt": "Be brief."}))
        .at(point, "b", &json!({"block": true, "reason": "no"}))
        .with("c", &hangs)
        .at(point, "d", &json!({}))
        .patience(SHORT);
    let host = stage.start().await;
    let start = AgentStart {
        session_id: Some("s1".to_owned()),
        provider: Some("other".to_owned()),
        system_prompt: "Be kind.".to_owned(),
        ..AgentStart::default()
    };
    assert_eq!(host.intercept_before_agent_start(start).await, "Be brief.");
    let seen: Vec<_> =
        stage.entries().iter().map(|entry| entry.frame["system_prompt"].clone()).collect();
    assert_eq!(seen, ["Be kind.", "Be brief.", "Be brief.", "Be brief."]);
    let first = &stage.entries()[0].frame;
    assert_eq!(first["session_id"], "s1");
    // What the agent says of this start, and what the host was set up with.
    assert_eq!((&first["provider"], &first["model"]), (&json!("other"), &json!("opus")));
    assert!(notices(&host, "b").contains("answered with block"), "{}", notices(&host, "b"));
    assert!(notices(&host, "c").contains("did not answer within 1000 ms: allowed"));
    end(host).await;

    // An empty prompt removes it.
    let stage = Stage::new().at(point, "a", &json!({"system_prompt": ""}));
    let host = stage.start().await;
    let start = AgentStart { system_prompt: "Be kind.".to_owned(), ..AgentStart::default() };
    assert_eq!(host.intercept_before_agent_start(start).await, "");
    end(host).await;
}
