//! Extensions that call tools: of other extensions and of the agent, through the gate.

use std::time::Duration;

use extline_host::protocol::frame::{Content, RegisterTool};
use extline_host::protocol::{Deadlines, RawJson};
use extline_host::{BuiltinCall, CallOptions, ExtensionSource, Host, News};
use serde_json::{Value, json};

use crate::journal::Journal;
use crate::stage::Stage;
use crate::support::{Home, end, text};

/// Calls a tool of `caller.py`, and returns the answer of the host to its `call_tool`.
async fn nested(host: &Host, tool: &str, args: Value) -> Value {
    let result = host.call(tool, &args.to_string()).await.unwrap();
    serde_json::from_str(&text(&result)).unwrap()
}

/// The text in the host's answer.
fn words(answer: &Value) -> &str {
    answer["content"][0]["text"].as_str().unwrap()
}

fn call(name: &str, args: &Value) -> Value {
    json!({"call": {"name": name, "args": args}})
}

#[tokio::test]
async fn a_tool_calls_the_tool_of_another_extension() {
    let home = Home::new();
    let journal = Journal::new(home.path());
    let builder = home.builder().extension(journal.caller("a", &["plan"]));
    let host = builder.extension(journal.caller("b", &["search"])).start().await;
    let args = call("search", &json!({"text": "found", "n": 1.50}));
    let answer = nested(&host, "plan", args).await;
    let content = json!([{"type": "text", "text": "found"}]);
    let frame = json!({"type": "tool_result", "id": "1", "name": "search", "content": content});
    assert_eq!(answer, frame);
    assert_eq!(journal.lines(), ["a: runs plan", "b: runs search"]);
    let ack = host.extensions()[0].hello.clone().unwrap();
    assert!(ack.capabilities.unwrap().contains(&"call_tool".to_owned()));
    end(host).await;
}

#[tokio::test]
async fn a_call_without_a_parent_begins_a_chain_of_its_own() {
    let home = Home::new();
    let journal = Journal::new(home.path());
    let host = home.builder().extension(journal.caller("a", &["plan"])).start().await;
    let mut args = call("plan", &json!({"text": "found"}));
    args["parent"] = Value::Null;
    assert_eq!(words(&nested(&host, "plan", args).await), "found");
    end(host).await;
}

#[tokio::test]
async fn an_agent_s_own_tool_hears_who_calls() {
    let tell = |call: BuiltinCall| async move {
        let caller = format!("{:?} {}", call.caller, call.args);
        Ok(call.result(vec![Content::text(caller)]))
    };
    let definition = RegisterTool {
        name: "read".to_owned(),
        schema: RawJson::from(json!({"type": "object", "required": ["path"]})),
        ..RegisterTool::default()
    };
    let home = Home::new();
    let journal = Journal::new(home.path());
    let builder = home.builder().extension(journal.caller("a", &["plan"]));
    let builder = builder.builtin_tools(["write"]).builtin_tool(definition, tell).unwrap();
    let host = builder.start().await;
    let answer = nested(&host, "plan", call("read", &json!({"path": "x"}))).await;
    assert_eq!(words(&answer), r#"Some("a") {"path": "x"}"#);
    // What does not fit, what nobody has, and what the agent only keeps the name of.
    for (wanted, text) in [
        (call("read", &json!({})), "validation: read: /path: required, and missing"),
        (call("nothing", &json!({})), "not_found: unknown tool nothing"),
        (call("write", &json!({})), "not_found: unknown tool write"),
    ] {
        let answer = nested(&host, "plan", wanted).await;
        assert_eq!(answer["is_error"], true);
        assert!(words(&answer).starts_with(text), "{answer}");
    }
    end(host).await;
}

#[tokio::test]
async fn interceptors_and_guards_stand_before_it() {
    let home = Home::new();
    let journal = Journal::new(home.path());
    let stage = Stage::new()
        .interceptor("i", &json!({"append": "; rm"}))
        .source(journal.caller("a", &["plan"]));
    let host = stage.start().await;
    let args = || {
        let mut args = call("run", &json!({"command": "ls"}));
        // Something for the interceptor to append to.
        args["command"] = "x".into();
        args
    };
    let answer = nested(&host, "plan", args()).await;
    assert_eq!(words(&answer), r#"{"command": "ls; rm"}"#);
    let asked: Vec<_> = stage.entries().iter().map(|entry| entry.frame.clone()).collect();
    assert_eq!((&asked[0]["tool_name"], &asked[1]["tool_name"]), (&json!("plan"), &json!("run")));
    assert_eq!(asked[0].get("origin_extension"), None);
    assert_eq!(asked[1]["origin_extension"], "a");
    end(host).await;
}

#[tokio::test]
async fn a_chain_has_four_calls_and_no_name_twice() {
    let home = Home::new();
    let journal = Journal::new(home.path());
    let tools = ["plan", "search", "fetch", "parse", "rest"];
    let host = home.builder().extension(journal.caller("a", &tools)).start().await;
    let chain = |last: &str| {
        let innermost = call(last, &json!({"text": "end"}));
        call("search", &call("fetch", &call("parse", &innermost)))
    };
    // plan > search > fetch > parse, and the answers as JSON in one another.
    let innermost = |mut answer: Value| {
        for _ in 0..3 {
            answer = serde_json::from_str(words(&answer)).unwrap();
        }
        answer
    };
    let fifth = innermost(nested(&host, "plan", chain("rest")).await);
    assert_eq!(fifth["is_error"], true);
    let text = "permission: rest would be call 5 of a chain: plan > search > fetch > parse";
    assert_eq!(words(&fifth), text);
    assert!(!journal.lines().contains(&"a: runs rest".to_owned()));
    let again = nested(&host, "plan", call("search", &call("plan", &json!({})))).await;
    let again: Value = serde_json::from_str(words(&again)).unwrap();
    assert_eq!(words(&again), "permission: plan is called by itself: plan > search > plan");
    // Side by side they may.
    let args = call("search", &json!({"text": "once"}));
    for _ in 0..2 {
        assert_eq!(words(&nested(&host, "plan", args.clone()).await), "once");
    }
    end(host).await;
}

#[tokio::test]
async fn a_cancelled_call_takes_its_children_with_it() {
    let home = Home::new();
    let journal = Journal::new(home.path());
    let builder = home.builder().extension(journal.caller("a", &["plan", "search"]));
    let host = builder.extension(journal.caller("b", &["wait"])).start().await;
    let args = call("search", &call("wait", &json!({"hang": "deep"})));
    let running = host.start_call("plan", &args.to_string(), CallOptions::default()).await.unwrap();
    journal.until("b: hangs deep", 1).await;
    running.cancel("the user pressed Esc");
    journal.until("b: cancelled", 1).await;
    let outcome = running.outcome().await.unwrap();
    assert!(text(&outcome).contains("cancelled"), "{outcome:?}");
    let cancelled = journal.entries().into_iter().filter(|(_, what, _)| what == "cancelled");
    let reasons: Vec<_> = cancelled.map(|(_, _, reason)| reason).collect();
    assert_eq!(reasons, ["the user pressed Esc"; 3]);
    end(host).await;
}

#[tokio::test]
async fn a_call_that_ends_takes_what_it_left_running_with_it() {
    let home = Home::new();
    let journal = Journal::new(home.path());
    let builder = home.builder().extension(journal.caller("a", &["plan"]));
    let host = builder.extension(journal.caller("b", &["wait"])).start().await;
    let args = json!({"leave": {"name": "wait", "args": {"hang": "left"}}});
    assert_eq!(text(&host.call("plan", &args.to_string()).await.unwrap()), "gone");
    journal.until("a: left", 1).await;
    let (_, _, answer) = journal.entries().into_iter().find(|(_, what, _)| what == "left").unwrap();
    assert_eq!(answer["is_error"], true, "{answer}");
    // And nothing begins for one that is over.
    for parent in ["1", "no such call"] {
        let mut args = call("wait", &json!({"text": "late"}));
        args["parent"] = parent.into();
        let answer = nested(&host, "plan", args).await;
        let text = format!("stale: the tool call {parent} that it belongs to is over");
        assert_eq!(words(&answer), text);
    }
    end(host).await;
}

#[tokio::test]
async fn one_that_times_out_takes_its_children_with_it() {
    let home = Home::new();
    let journal = Journal::new(home.path());
    let builder = home.builder().extension(journal.caller("a", &["plan"]));
    let host = builder.extension(journal.caller("b", &["wait"])).start().await;
    let args = call("wait", &json!({"hang": "deep"})).to_string();
    let options = CallOptions::default().timeout(Duration::from_secs(1));
    let running = host.start_call("plan", &args, options).await.unwrap();
    assert!(running.outcome().await.unwrap_err().to_string().contains("within 1000 ms"));
    journal.until("b: cancelled", 1).await;
    end(host).await;
}

#[tokio::test]
async fn an_extension_may_give_its_own_call_up() {
    let home = Home::new();
    let journal = Journal::new(home.path());
    let builder = home.builder().extension(journal.caller("a", &["plan"]));
    let host = builder.extension(journal.caller("b", &["wait"])).start().await;
    let args = json!({"give_up": {"name": "wait", "args": {"hang": "deep"}}});
    let answer = nested(&host, "plan", args).await;
    assert_eq!(answer["is_error"], true);
    assert!(words(&answer).contains("cancelled"), "{answer}");
    end(host).await;
}

#[tokio::test]
async fn what_a_dead_extension_called_is_cancelled_and_a_dead_tool_fails_its_call() {
    let home = Home::new();
    let journal = Journal::new(home.path());
    let builder = home.builder().extension(journal.caller("a", &["plan"]));
    let builder = builder.extension(journal.caller("b", &["wait"]));
    let host = builder.extension(journal.caller("c", &["ask"])).start().await;
    let args = json!({"die": {"name": "wait", "args": {"hang": "deep"}}}).to_string();
    assert!(host.call("plan", &args).await.is_err());
    journal.until("b: cancelled", 1).await;

    let deadly = call("wait", &json!({"die": {"name": "ask", "args": {}}}));
    let answer = nested(&host, "ask", deadly).await;
    assert!(
        words(&answer).starts_with("transient: wait was not answered: b: it ended"),
        "{answer}"
    );
    end(host).await;
}

#[tokio::test]
async fn a_result_over_256_kib_is_cut_and_says_so() {
    let home = Home::new();
    let journal = Journal::new(home.path());
    let builder = home.builder().extension(journal.caller("a", &["plan"]));
    let host = builder.extension(journal.caller("b", &["read"])).start().await;
    for (size, truncated) in [(262_144, false), (300_000, true)] {
        let answer = nested(&host, "plan", call("read", &json!({ "size": size }))).await;
        assert_eq!(answer.get("truncated").is_some(), truncated);
        assert_eq!((words(&answer).len(), answer.get("is_error")), (262_144, None));
    }
    end(host).await;
}

#[tokio::test]
async fn a_call_that_takes_too_long_is_answered_all_the_same() {
    let home = Home::new();
    let journal = Journal::new(home.path());
    let call_tool = Duration::from_secs(1);
    let builder = home.builder().deadlines(Deadlines { call_tool, ..Deadlines::default() });
    let builder = builder.extension(journal.caller("a", &["plan"]));
    let host = builder.extension(journal.caller("b", &["wait"])).start().await;
    let answer = nested(&host, "plan", call("wait", &json!({"hang": "deep"}))).await;
    assert_eq!(words(&answer), "timeout: wait took longer than 1 s");
    journal.until("b: cancelled", 1).await;
    end(host).await;
}

#[tokio::test]
async fn of_too_many_at_once_the_last_are_refused_and_the_others_go_on() {
    let home = Home::new();
    let journal = Journal::new(home.path());
    let builder = home.builder().extension(journal.caller("a", &["plan"]));
    let host = builder.extension(journal.caller("b", &["wait"])).start().await;
    let answer = nested(&host, "plan", json!({"flood": "wait", "times": 257})).await;
    assert_eq!(words(&answer), "budget: 256 calls and requests of a have no answer yet");
    journal.until("b: hangs flooded", 256).await;
    end(host).await;
}

#[tokio::test]
async fn a_call_during_the_start_waits_for_the_guards() {
    // It calls before it is ready, and is ready before the guard behind it says hello.
    let early = "import json, sys\n\
        def emit(**f): print(json.dumps(f), flush=True)\n\
        emit(type='hello', name='early', capabilities=['call_tool'])\n\
        sys.stdin.readline()\n\
        emit(type='call_tool', id='1', name='run', args={'command': 'ls'})\n\
        emit(type='register_tool', name='answer', schema={'type': 'object'})\n\
        emit(type='ready')\n\
        for line in sys.stdin:\n\
        \x20   frame = json.loads(line)\n\
        \x20   if frame['type'] == 'tool_result':\n\
        \x20       emit(type='notify', message=frame['content'][0]['text'])\n\
        \x20   if frame['type'] == 'shutdown': break\n";
    let source = ExtensionSource::command("python3", ["-c", early]).named("early");
    let block = json!({"answer": {"block": true, "reason": "no"}});
    let stage = Stage::new().source(source).guard("g", &block);
    let host = stage.start().await;
    let mut news = host.news();
    let message = loop {
        if let News::Note { message, .. } = news.next().await.unwrap() {
            break message;
        }
    };
    assert_eq!(message, "permission: blocked by g: no");
    assert_eq!(stage.who(), ["g guard"]);
    end(host).await;
}
