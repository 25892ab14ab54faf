//! What extensions know of the agent, and have it do.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use extline_host::protocol::ErrorKind;
use extline_host::protocol::frame::{RegisterTool, ToolResult};
use extline_host::services::agent::{AgentState, Model};
use extline_host::{Agent, CallOptions, Host, News};
use serde_json::{Value, json};

use crate::requests::{ask, asks, methods};
use crate::support::{Home, LONG, behave, end, python};

fn request(id: &str, method: &str, params: Value) -> Value {
    let mut request = asks(id, method);
    request["params"] = params;
    request
}

async fn one(host: &Host, method: &str, params: Value) -> Value {
    ask(host, json!([request("1", method, params)]), 1).await.remove(0)
}

#[tokio::test]
async fn exactly_what_the_agent_has_is_announced_and_answered() {
    let home = Home::new();
    let state = || async { AgentState { idle: true, queued: 2, ..AgentState::default() } };
    let model = Model { id: "m-1".to_owned(), current: true, ..Model::default() };
    let models = move || {
        let model = model.clone();
        async move { vec![model] }
    };
    let agent = Agent::new().state(state).models(models);
    let host = home.builder().agent(agent).extension(methods()).start().await;
    let answer = one(&host, "agent.state", json!({})).await;
    assert_eq!((&answer["result"]["idle"], &answer["result"]["queued"]), (&json!(true), &json!(2)));
    let answer = one(&host, "models.list", json!({})).await;
    let expected = json!([{ "id": "m-1", "provider": "", "current": true }]);
    assert_eq!(answer["result"]["models"], expected);
    for method in ["agent.abort", "tools.list", "tools.activate", "tools.deactivate"] {
        let answer = one(&host, method, json!({ "names": ["a"] })).await;
        assert_eq!(answer["error"]["code"], "unsupported", "{method}: {answer}");
    }
    end(host).await;
}

#[tokio::test]
async fn a_tool_that_is_deactivated_is_not_offered_and_refused_at_the_gate() {
    let home = Home::new();
    let definition = RegisterTool {
        name: "own".to_owned(),
        schema: extline_host::protocol::RawJson::empty_object(),
        ..RegisterTool::default()
    };
    let builder = home.builder().agent(Agent::new().tools());
    let answer = |call: extline_host::BuiltinCall| async move {
        Ok::<ToolResult, _>(call.result(Vec::new()))
    };
    let host = builder.builtin_tool(definition, answer).unwrap().extension(methods()).start().await;
    let answer = one(&host, "tools.deactivate", json!({ "names": ["own"] })).await;
    assert_eq!(answer["result"]["changed"], json!(["own"]), "{answer}");
    assert!(!host.tools().iter().any(|tool| tool.name() == "own"));
    let error = host.call("own", "{}").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Permission);
    assert!(error.to_string().contains("own is not active: "), "{error}");
    // Another time is no change, and a wrong name changes nothing.
    let answer = one(&host, "tools.deactivate", json!({ "names": ["own"] })).await;
    assert_eq!(answer["result"]["changed"], json!([]), "{answer}");
    let answer = one(&host, "tools.activate", json!({ "names": ["own", "nope"] })).await;
    assert_eq!(answer["error"]["code"], "not_found", "{answer}");
    host.call("own", "{}").await.unwrap_err();
    let answer = one(&host, "tools.activate", json!({ "names": ["own"] })).await;
    assert_eq!(answer["result"]["changed"], json!(["own"]), "{answer}");
    host.call("own", "{}").await.unwrap();
    let answer = one(&host, "tools.activate", json!({ "names": [] })).await;
    assert_eq!(answer["error"]["code"], "validation", "{answer}");
    end(host).await;
}

#[tokio::test]
async fn after_an_abort_no_call_runs_any_more() {
    let home = Home::new();
    let told = Arc::new(AtomicBool::new(false));
    let abort = {
        let told = Arc::clone(&told);
        move |_: String, reason: String| {
            told.store(reason.is_empty(), Ordering::SeqCst);
            async {}
        }
    };
    let definition = RegisterTool {
        name: "hangs".to_owned(),
        schema: extline_host::protocol::RawJson::empty_object(),
        ..RegisterTool::default()
    };
    let hangs = |_: extline_host::BuiltinCall| std::future::pending::<Result<ToolResult, _>>();
    let builder = home.builder().agent(Agent::new().abort(abort));
    let builder = builder.builtin_tool(definition, hangs).unwrap();
    let asker = python("asking.py", ["asker", "run"]).named("asker");
    let host = Arc::new(builder.extension(asker).extension(behave(&[])).start().await);
    let mut news = host.news();
    let begin = |tool: &'static str, args: &'static str| {
        let host = Arc::clone(&host);
        tokio::spawn(async move {
            let call = host.start_call(tool, args, CallOptions::default()).await?;
            call.outcome().await
        })
    };
    let calls = [begin("hangs", "{}"), begin("slow", r#"{"seconds":100}"#)];
    let mut started = 0;
    while started < calls.len() {
        let one = tokio::time::timeout(LONG, news.next()).await.unwrap().unwrap();
        started += usize::from(matches!(one, News::CallStarted { .. }));
    }
    // What asks for it is ended too, perhaps before it has answered.
    drop(host.call("run", r#"{"ask":"agent.abort"}"#).await);
    assert!(told.load(Ordering::SeqCst));
    for call in calls {
        let ended = tokio::time::timeout(LONG, call).await.unwrap().unwrap();
        let was_cancelled = match ended {
            Ok(result) => result.error.is_some_and(|error| error.kind == ErrorKind::Cancelled),
            Err(error) => error.kind() == ErrorKind::Cancelled,
        };
        assert!(was_cancelled);
    }
    end(Arc::into_inner(host).unwrap()).await;
}
