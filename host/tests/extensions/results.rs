//! What a tool came to, before its caller gets it: at the point `tool_result`.

use std::time::Duration;

use extline_host::protocol::ErrorKind;
use extline_host::protocol::frame::{Content, ErrorInfo, RegisterTool, ToolResult};
use extline_host::{AgentCall, BuiltinCall, Host, HostBuilder, News, PromptDecision, UserPrompt};
use serde_json::{Value, json};

use crate::journal::Journal;
use crate::stage::Stage;
use crate::support::{Home, end, runs, text, wait_until_gone};

const SECRET: &str = "sk-123";

/// A builder with a tool `own` of the agent's, which fails with its `fail`.
fn own(builder: HostBuilder) -> HostBuilder {
    let schema = json!({"type": "object"}).into();
    let definition = RegisterTool { name: "own".to_owned(), schema, ..RegisterTool::default() };
    let answer = |call: BuiltinCall| async move {
        let args: Value = call.args.to().unwrap();
        match args["fail"].as_str() {
            Some(text) => Err(ErrorInfo::new(ErrorKind::Permission, text)),
            None => Ok(call.result(vec![Content::text(args["text"].as_str().unwrap())])),
        }
    };
    builder.builtin_tool(definition, answer).unwrap()
}

/// An extension whose interceptor does this at the point, with that `on_failure`.
fn with(stage: Stage, name: &str, rule: &Value, on_failure: Option<&str>) -> Stage {
    at(stage, "tool_result", name, rule, on_failure)
}

fn at(stage: Stage, point: &str, name: &str, rule: &Value, on_failure: Option<&str>) -> Stage {
    let mut subscribe = json!({"intercept": [point], "events": ["tool_result"]});
    if let Some(mode) = on_failure {
        subscribe["on_failure"] = json!({ point: mode });
    }
    stage.with(name, &json!({"subscribe": subscribe, "intercept": rule}))
}

/// A host with a tool `act`, one that calls it, and the agent's own; and all that is said to be cut out of.
async fn host(stage: Stage, home: &Home) -> (Host, Stage, Journal) {
    let journal = Journal::new(home.path());
    let stage = stage.source(journal.caller("tools", &["act"]));
    let stage = stage.source(journal.caller("above", &["plan"]));
    let host = stage.start_with(own).await;
    (host, stage, journal)
}

/// All that anybody could read of a result.
fn all(result: &ToolResult) -> String {
    format!("{result:?}")
}

async fn call(host: &Host, tool: &str, args: Value) -> ToolResult {
    host.call(tool, &args.to_string()).await.unwrap()
}

#[tokio::test]
async fn a_secret_is_cut_out_of_every_result() {
    let home = Home::new();
    let stage = with(Stage::new(), "redact", &json!({ "cut": SECRET }), None);
    let (host, stage, journal) = host(stage, &home).await;

    let result = call(&host, "act", json!({"value": {"key": SECRET}})).await;
    assert!(!all(&result).contains(SECRET), "{result:?}");
    assert_eq!(text(&result), r#"{"key": "***"}"#);
    assert_eq!(result.structured_content.as_ref().unwrap().to::<Value>().unwrap()["key"], "***");
    assert_eq!(result.details.as_ref().unwrap().to::<Value>().unwrap()["key"], "***");
    assert_eq!(result.effects.as_ref().unwrap().len(), 1);

    let failed = call(&host, "act", json!({"fail": format!("no {SECRET}")})).await;
    assert!(failed.is_error && !all(&failed).contains(SECRET), "{failed:?}");
    assert_eq!(text(&failed), "no ***");
    let error = failed.error.unwrap();
    let kept = (error.kind, &*error.message, error.hint, error.retry_after_ms);
    assert_eq!(kept, (ErrorKind::Transient, "no ***", None, Some(5)));

    let result = call(&host, "own", json!({"text": format!("a {SECRET}")})).await;
    assert_eq!(text(&result), "a ***");
    let failed = call(&host, "own", json!({ "fail": SECRET })).await;
    assert_eq!((failed.is_error, &*text(&failed)), (true, "***"));

    // What the other extension gets from the host is cut already, and asked about once.
    let nested = json!({"call": {"name": "act", "args": {"text": SECRET}}});
    let result = call(&host, "plan", nested).await;
    let answer: Value = serde_json::from_str(&text(&result)).unwrap();
    assert_eq!(answer["content"][0]["text"], "***");
    let asked: Vec<_> =
        stage.entries().into_iter().filter(|it| it.who == "redact intercept").collect();
    let nested: Vec<_> =
        asked.iter().filter(|it| it.frame["origin_extension"] == "above").collect();
    assert_eq!((nested.len(), &nested[0].frame["tool_args"]), (1, &json!({"text": SECRET})));

    // Who is told of the end of a call is told what its caller got. The tool ran once for each.
    host.call("act", r#"{"text":"last"}"#).await.unwrap();
    end(host).await;
    let told = stage.entries().into_iter().filter(|it| it.who == "redact tool_result");
    let told: Vec<_> = told.map(|it| it.frame["result"].to_string()).collect();
    assert_eq!(told.len(), asked.len() + 1);
    assert!(told.iter().all(|it| !it.contains(SECRET)), "{told:?}");
    assert_eq!(journal.lines().iter().filter(|it| *it == "tools: runs act").count(), 4);
}

#[cfg(feature = "mcp-client")]
#[tokio::test]
async fn a_secret_is_cut_out_of_the_results_of_a_server_of_mcp() {
    use crate::support::script;

    let stage = with(Stage::new(), "redact", &json!({ "cut": SECRET }), None);
    let home = Home::new();
    let words = ["-S".into(), script("mcp_server.py").into_os_string()];
    let server = extline_host::McpServer::new("hand", "python3", words).unwrap();
    let server = server.clone().trust(server.digest(home.path()).unwrap());
    let host = stage.start_with(|builder| builder.cwd(home.path()).mcp_server(server)).await;
    let result = call(&host, "hand_echo", json!({ "text": SECRET })).await;
    assert!(text(&result).contains("***") && !all(&result).contains(SECRET), "{result:?}");
    assert_eq!(result.trust.as_deref(), Some("untrusted"));
    let failed = call(&host, "hand_fail", json!({})).await;
    assert!(failed.is_error);
    end(host).await;
    let asked = stage.entries().into_iter().filter(|it| it.who == "redact intercept");
    let asked: Vec<_> = asked.map(|it| it.frame).collect();
    let tools: Vec<_> = asked.iter().map(|it| it["tool_name"].as_str().unwrap()).collect();
    assert_eq!(tools, ["hand_echo", "hand_fail"]);
    assert_eq!(asked[1]["result"]["is_error"], true);
}

#[tokio::test]
async fn each_sees_what_the_one_before_made_and_the_first_that_withholds_ends_it() {
    let text_of = |text: &str| json!([{"type": "text", "text": text}]);
    let stage = Stage::new();
    let stage = stage.at("tool_result", "a", &json!({"replace_result": {"content": text_of("a")}}));
    let stage = stage.at("tool_result", "b", &json!({"replace_result": {"is_error": true}}));
    let stage = stage.at("tool_result", "c", &json!({}));
    let stage = stage.at("tool_result", "d", &json!({"block": true, "reason": "it is mine"}));
    let stage = stage.at("tool_result", "e", &json!({}));
    let home = Home::new();
    let (host, stage, _) = host(stage, &home).await;
    let result = call(&host, "act", json!({"value": {"key": 1}})).await;
    let said = "the result of act was withheld by d: it is mine";
    assert_eq!((result.is_error, &*text(&result)), (true, said));
    let error = result.error.unwrap();
    assert_eq!((error.kind, &*error.message), (ErrorKind::Permission, said));
    assert_eq!((result.structured_content, result.details), (None, None));
    assert_eq!(result.effects.unwrap().len(), 1);
    end(host).await;
    assert_eq!(stage.who(), ["a intercept", "b intercept", "c intercept", "d intercept"]);
    let seen = &stage.entries()[2].frame["result"];
    let details = json!({"key": 1});
    assert_eq!(*seen, json!({"content": text_of("a"), "is_error": true, "details": details}));
}

#[tokio::test]
async fn a_failure_in_the_host_s_words_is_asked_about_too() {
    let home = Home::new();
    let stage = with(Stage::new(), "redact", &json!({ "cut": "act" }), None);
    let (host, stage, _) = host(stage, &home).await;
    let args = json!({"die": {"name": "own", "args": {"text": "x"}}}).to_string();
    let mut news = host.news();
    let answer = host.call("act", &args).await;
    let news: Vec<_> = std::iter::from_fn(|| news.try_next()).collect();
    let died = answer.unwrap_or_else(|error| panic!("{error}: {news:?}, {:?}", stage.who()));
    assert!(died.is_error && text(&died).starts_with("*** was not answered: "), "{died:?}");
    assert_eq!(died.error.unwrap().kind, ErrorKind::Transient);
    // What never ran has no result.
    let unknown = host.call("act", "{}").await.unwrap_err().to_string();
    assert!(unknown.contains("act"), "{unknown}");
    end(host).await;
}

#[tokio::test]
async fn who_fails_decides_as_declared_and_unsaid_lets_it_pass() {
    for (rule, how) in [
        (json!({"do": "exit"}), "ended"),
        (json!({"do": "hang"}), "did not answer"),
        (json!({"answer": {"replace_result": {"content": "no list"}}}), "broke the protocol"),
    ] {
        for (declared, passes) in [(None, true), (Some("allow"), true), (Some("block"), false)] {
            let home = Home::new();
            let stage = with(Stage::new(), "redact", &rule, declared);
            let (host, _stage, _) = host(stage.patience(Duration::from_millis(300)), &home).await;
            let mut news = host.news();
            // The second time its process may be gone: what was declared holds.
            for _ in 0..2 {
                let result = call(&host, "act", json!({ "text": SECRET })).await;
                let said = text(&result);
                if passes {
                    assert_eq!((result.is_error, &*said), (false, SECRET), "{how} {declared:?}");
                } else {
                    let withheld = "the result of act was withheld by redact: its interceptor ";
                    assert!(said.starts_with(withheld) && result.is_error, "{how}: {said}");
                    assert!(!all(&result).contains(SECRET), "{result:?}");
                }
            }
            let failed = std::iter::from_fn(|| news.try_next())
                .filter(|it| matches!(it, News::InterceptFailed { failure, .. } if failure.blocked != passes && failure.point == "tool_result"));
            assert!(failed.count() > 0, "{how} {declared:?}");
            end(host).await;
        }
    }
}

#[tokio::test]
async fn a_result_is_withheld_while_the_one_who_declared_that_is_dead() {
    let home = Home::new();
    let journal = Journal::new(home.path());
    let stage = with(Stage::new(), "redact", &json!({ "cut": SECRET }), Some("block"));
    let stage = stage.source(journal.caller("tools", &["act"]));
    let host = stage.start().await;
    let pid = host.extensions().into_iter().find(|it| it.name == "redact").unwrap().pid.unwrap();
    assert!(runs(pid));
    rustix::process::kill_process(
        rustix::process::Pid::from_raw(i32::try_from(pid).unwrap()).unwrap(),
        rustix::process::Signal::KILL,
    )
    .unwrap();
    wait_until_gone(pid).await;
    let result = call(&host, "act", json!({ "text": SECRET })).await;
    let said = text(&result);
    assert!(said.starts_with("the result of act was withheld by redact: "), "{said}");
    assert!(!all(&result).contains(SECRET));
    end(host).await;
}

#[tokio::test]
async fn the_agent_has_its_own_results_looked_at() {
    let stage = with(Stage::new(), "redact", &json!({ "cut": SECRET }), None);
    let host = stage.start().await;
    let mut call = AgentCall::default();
    (call.tool, call.args, call.id) =
        ("bash".to_owned(), r#"{"n":1}"#.to_owned(), Some("t1".to_owned()));
    let result = ToolResult::new("t1".into(), vec![Content::text(SECRET)]);
    let result = host.intercept_agent_result(call, result).await;
    assert_eq!(text(&result), "***");
    end(host).await;
    let asked = &stage.entries()[0].frame;
    assert_eq!((&asked["tool_id"], &asked["tool_args"]), (&json!("t1"), &json!({"n": 1})));
}

#[tokio::test]
async fn a_prompt_is_replaced_handled_or_blocked() {
    let prompt =
        |text: &str| UserPrompt { text: text.to_owned(), queued: true, ..UserPrompt::default() };
    let point = "user_prompt_submit";
    let stage =
        Stage::new().at(point, "a", &json!({"replace_text": "b"})).at(point, "c", &json!({}));
    let host = stage.start().await;
    let decided = host.intercept_user_prompt_submit(prompt("a")).await.unwrap();
    assert_eq!(decided, PromptDecision::Send("b".to_owned()));
    end(host).await;
    let seen: Vec<_> = stage.entries().into_iter().map(|it| it.frame).collect();
    assert_eq!(
        (&seen[0]["text"], &seen[1]["text"], &seen[0]["queued"]),
        (&json!("a"), &json!("b"), &json!(true))
    );

    let stage = Stage::new().at(point, "a", &json!({"handled": true, "replace_text": "b"}));
    let stage = stage.at(point, "c", &json!({"block": true, "reason": "not now"}));
    let host = stage.start().await;
    let decided = host.intercept_user_prompt_submit(prompt("a")).await.unwrap();
    assert_eq!(decided, PromptDecision::Handled { by: "a".to_owned() });
    assert_eq!(stage.who(), ["a intercept"]);
    end(host).await;

    let stage = Stage::new().at(point, "c", &json!({"block": true, "reason": "not now"}));
    let host = stage.start().await;
    let blocked = host.intercept_user_prompt_submit(prompt("a")).await.unwrap_err();
    assert_eq!(blocked.to_string(), "blocked by c: not now");
    end(host).await;

    for (declared, passes) in [(None, true), (Some("block"), false)] {
        let stage = at(Stage::new(), point, "a", &json!({"do": "exit"}), declared);
        let host = stage.start().await;
        let decided = host.intercept_user_prompt_submit(prompt("a")).await;
        assert_eq!(decided.is_ok(), passes, "{declared:?}");
        end(host).await;
    }
}
