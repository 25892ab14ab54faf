//! The host tells of calls: extensions by events, the embedder by news.

use extline_host::protocol::frame::{Content, EventPayload, RegisterTool, SessionInfo};
use extline_host::{BuiltinCall, CallOptions, CallStatus, HostBuilder, News, NewsStream};
use serde_json::{Value, json};

use crate::journal::Journal;
use crate::stage::Stage;
use crate::support::{Home, end, text};

const BOTH: [&str; 2] = ["tool_call", "tool_result"];

/// A builder with a tool `say` of the agent's own.
fn say(builder: HostBuilder) -> HostBuilder {
    let schema = json!({"type": "object"}).into();
    let definition = RegisterTool { name: "say".to_owned(), schema, ..RegisterTool::default() };
    let answer = |call: BuiltinCall| async move {
        Ok(call.result(vec![Content::text("x".repeat(300_000))]))
    };
    builder.builtin_tool(definition, answer).unwrap()
}

/// What one extension was told of and asked about, in order.
fn told(stage: &Stage, name: &str) -> Vec<Value> {
    let entries = stage.entries().into_iter();
    let own = entries.filter(|it| it.who.split(' ').next() == Some(name));
    own.map(|it| it.frame).collect()
}

/// The news of calls so far.
fn calls(news: &mut NewsStream) -> Vec<News> {
    let all = std::iter::from_fn(|| news.try_next());
    all.filter(|it| matches!(it, News::CallStarted { .. } | News::CallEnded { .. })).collect()
}

fn ended(news: &mut NewsStream) -> (String, CallStatus, bool) {
    match calls(news).as_slice() {
        [
            News::CallStarted { id: begun, .. },
            News::CallEnded { id, tool, status, executed, .. },
        ] => {
            assert_eq!(begun, id);
            (tool.clone(), *status, *executed)
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_call_is_told_before_anybody_is_asked_and_when_it_has_ended() {
    let stage = Stage::new().interceptor("i", &json!({"append": " -l"})).with(
        "w",
        &json!({"subscribe": {"events": BOTH, "intercept": ["tool_call"], "guards": ["tool_call"]}}),
    );
    let host = stage.start().await;
    host.call("run", r#"{"command": "ls"}"#).await.unwrap();
    end(host).await;
    let told = told(&stage, "w");
    let kinds: Vec<_> = told.iter().map(|it| (&it["type"], &it["event"], &it["phase"])).collect();
    let [event, asked] = ["event", "event_intercept"].map(Value::from);
    let [call, result, null] = [json!("tool_call"), json!("tool_result"), Value::Null];
    let [intercept, guard] = ["intercept", "guard"].map(Value::from);
    assert_eq!(
        kinds,
        [
            (&event, &call, &null),
            (&asked, &call, &intercept),
            (&asked, &call, &guard),
            (&event, &result, &null)
        ]
    );
    // First the arguments of the model, in the end those that ran.
    let call = json!({"type": "event", "event": "tool_call", "tool_id": "call_1",
                      "tool_name": "run", "tool_args": {"command": "ls"}});
    assert_eq!(told[0], call);
    let content = json!([{"type": "text", "text": "{\"command\": \"ls -l\"}"}]);
    let result = json!({"type": "event", "event": "tool_result", "tool_id": "call_1",
                        "tool_name": "run", "tool_args": {"command": "ls -l"},
                        "status": "completed", "executed": true, "result": {"content": content}});
    assert_eq!(told[3], result);
}

#[tokio::test]
async fn a_call_that_does_not_run_is_told_too() {
    let block = json!({"answer": {"block": true, "reason": "not today"}});
    let stage = Stage::new().guard("g", &block).with("w", &json!({"subscribe": {"events": BOTH}}));
    let host = stage.start().await;
    for (tool, args) in
        [("run", r#"{"command": "ls"}"#), ("run", "{}"), ("run", "{nonsense"), ("walk", "{}")]
    {
        assert!(host.call(tool, args).await.is_err());
    }
    end(host).await;
    let told = told(&stage, "w");
    let results: Vec<_> = told.iter().filter(|it| it["event"] == "tool_result").collect();
    assert_eq!((told.len(), results.len()), (8, 4));
    let ends: Vec<_> =
        results.iter().map(|it| (it["status"].as_str().unwrap(), &it["executed"])).collect();
    let no = json!(false);
    assert_eq!(ends, [("blocked", &no), ("failed", &no), ("failed", &no), ("failed", &no)]);
    let of_block =
        json!({"content": [{"type": "text", "text": "blocked by g: not today"}], "is_error": true});
    assert_eq!(results[0]["result"], of_block);
    // What is no JSON stands there as text.
    assert_eq!(
        (&results[2]["tool_args_raw"], results[2].get("tool_args")),
        (&json!("{nonsense"), None)
    );
    assert_eq!(told[4].get("tool_args"), None);
}

#[tokio::test]
async fn nested_calls_and_those_of_the_agent_s_own_tools_are_told_with_who_made_them() {
    let journal = Home::new();
    let caller = Journal::new(journal.path()).caller("a", &["plan"]);
    let stage = Stage::new().source(caller).with("w", &json!({"subscribe": {"events": BOTH}}));
    let host = stage.start_with(say).await;
    let mut news = host.news();
    let args = json!({"call": {"name": "say", "args": {}}}).to_string();
    host.call("plan", &args).await.unwrap();
    let news = calls(&mut news);
    end(host).await;
    let told = told(&stage, "w");
    let kinds: Vec<_> = told
        .iter()
        .map(|it| ["event", "tool_name"].map(|name| it[name].as_str().unwrap()))
        .collect();
    assert_eq!(
        kinds,
        [
            ["tool_call", "plan"],
            ["tool_call", "say"],
            ["tool_result", "say"],
            ["tool_result", "plan"]
        ]
    );
    assert_eq!(
        (told[0].get("origin_extension"), &told[1]["origin_extension"]),
        (None, &json!("a"))
    );
    // A long result is cut, and says so.
    let result = &told[2]["result"];
    let kept = result["content"][0]["text"].as_str().unwrap().len();
    assert_eq!((kept, &result["truncated"]), (262_144, &json!(true)));
    let [_, News::CallStarted { extension, caller, .. }, inner, outer] = news.as_slice() else {
        panic!("{news:?}")
    };
    assert_eq!((extension.as_deref(), caller.as_deref()), (None, Some("a")));
    let News::CallEnded { tool, status, executed, caller, .. } = inner else { panic!("{inner:?}") };
    assert_eq!(
        (&**tool, *status, *executed, caller.as_deref()),
        ("say", CallStatus::Completed, true, Some("a"))
    );
    let News::CallEnded { extension, caller, .. } = outer else { panic!("{outer:?}") };
    assert_eq!((extension.as_deref(), caller.as_deref()), (Some("a"), None));
}

#[tokio::test]
async fn an_extension_hears_of_the_calls_that_it_makes_itself() {
    let home = Home::new();
    let journal = Journal::new(home.path());
    let caller = journal.caller("a", &["plan", "event:tool_call", "event:tool_result"]);
    let host = say(home.builder()).extension(caller).start().await;
    let args = json!({"call": {"name": "say", "args": {}}}).to_string();
    host.call("plan", &args).await.unwrap();
    end(host).await;
    assert_eq!(
        journal.lines(),
        [
            "a: hears tool_call plan",
            "a: runs plan",
            "a: hears tool_call say",
            "a: hears tool_result say",
            "a: hears tool_result plan",
        ]
    );
}

#[tokio::test]
async fn however_a_call_ends_the_news_tell_it_once() {
    use CallStatus::{Cancelled, Completed, Failed, TimedOut};
    let home = Home::new();
    let journal = Journal::new(home.path());
    let host = say(home.builder()).extension(journal.caller("a", &["plan"])).start().await;
    let mut news = host.news();
    calls(&mut news);
    let options = CallOptions::default;
    host.call("say", "{}").await.unwrap();
    assert_eq!(ended(&mut news), ("say".to_owned(), Completed, true));
    host.call("nothing", "{}").await.unwrap_err();
    assert_eq!(ended(&mut news), ("nothing".to_owned(), Failed, false));
    drop(host.start_call("plan", r#"{"hang": "x"}"#, options()).await.unwrap());
    assert_eq!(ended(&mut news), ("plan".to_owned(), Cancelled, true));
    let short = options().timeout(std::time::Duration::from_millis(50));
    let call = host.start_call("plan", r#"{"hang": "y"}"#, short).await.unwrap();
    call.outcome().await.unwrap_err();
    assert_eq!(ended(&mut news), ("plan".to_owned(), TimedOut, true));
    // An answer that came and was not taken is no cancel.
    let mut call = host.start_call("plan", r#"{"text": "z"}"#, options()).await.unwrap();
    while call.update().await.is_some() {}
    drop(call);
    assert_eq!(ended(&mut news), ("plan".to_owned(), Completed, true));
    // Nobody listens: nobody is told later either.
    drop(news);
    host.call("say", "{}").await.unwrap();
    assert_eq!(calls(&mut host.news()).len(), 0);
    end(host).await;
}

#[tokio::test]
async fn an_agent_that_tells_of_calls_itself_is_left_to_it() {
    let stage = Stage::new().with("w", &json!({"subscribe": {"events": BOTH}}));
    let host = stage.start_with(|builder| builder.call_events(false)).await;
    let mut news = host.news();
    host.emit("tool_call", EventPayload::default());
    let result = host.call("run", r#"{"command": ""}"#).await.unwrap();
    assert_eq!(text(&result), r#"{"command": ""}"#);
    assert_eq!(calls(&mut news).len(), 2);
    end(host).await;
    assert_eq!(told(&stage, "w"), [json!({"type": "event", "event": "tool_call"})]);
}

#[tokio::test]
async fn a_session_is_told_in_the_ack_with_each_call_and_in_each_event() {
    let subscribed = ["session_start", "turn_start", "session_end"];
    let stage = Stage::new().with("w", &json!({"subscribe": {"events": subscribed}}));
    let session = SessionInfo { id: "s-1".to_owned(), generation: Some(2) };
    let host = stage.start_with(|builder| builder.session(session)).await;
    host.start_session();
    host.emit(
        "turn_start",
        EventPayload { session_id: Some("another".to_owned()), ..EventPayload::default() },
    );
    host.call("run", r#"{"command": ""}"#).await.unwrap();
    host.end_session("exit");
    end(host).await;
    let told = told(&stage, "w");
    let said: Vec<_> = told
        .iter()
        .map(|it| {
            (
                it["event"].as_str().unwrap(),
                it["session_id"].as_str().unwrap(),
                it["sequence"].as_u64(),
            )
        })
        .collect();
    assert_eq!(
        said,
        [
            ("session_start", "s-1", Some(1)),
            ("turn_start", "another", Some(2)),
            ("session_end", "s-1", Some(3))
        ]
    );
    assert!(told[0]["cwd"].is_string());
    assert_eq!(told[2]["reason"], "exit");
    let run = stage.entries().into_iter().find(|it| it.who == "tool run").unwrap();
    assert_eq!(run.frame["session"], json!({"id": "s-1", "generation": 2}));
}
