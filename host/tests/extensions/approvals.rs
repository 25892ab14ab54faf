//! Calls that need an approval (§4.2 of the protocol), asked for behind the guards.

use std::sync::Arc;
use std::time::Duration;

use extline_host::protocol::frame::{Approval, Content, RegisterTool, ToolResult};
use extline_host::protocol::{Deadlines, ErrorKind};
use extline_host::{
    AgentCall, ApprovalMode, ApprovalRequest, BuiltinCall, CallError, CallOptions, Decision,
    ExtensionSource, Host, HostBuilder,
};
use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinHandle;

use crate::stage::Stage;
use crate::support::{Home, LONG, end, python, text};

pub(crate) fn extension(name: &str, tools: &Value) -> ExtensionSource {
    python("gated.py", [name.to_owned(), tools.to_string()]).named(name)
}

/// The tool `wipe`, whose key is its path.
fn cleaner() -> ExtensionSource {
    let approval = json!({"gated": true, "key": "{path}", "reason": "it deletes", "tier": "write"});
    extension("cleaner", &json!({"wipe": {"approval": approval}, "look": {}}))
}

/// A person at the prompt, who answers when the test says so.
pub(crate) struct Person {
    prompts: mpsc::UnboundedReceiver<(ApprovalRequest, oneshot::Sender<Decision>)>,
    open: watch::Receiver<usize>,
}

struct Prompt(watch::Sender<usize>);

impl Drop for Prompt {
    fn drop(&mut self) {
        self.0.send_modify(|open| *open -= 1);
    }
}

impl Person {
    pub(crate) fn before(builder: HostBuilder) -> (Self, HostBuilder) {
        let (asked, prompts) = mpsc::unbounded_channel();
        let (opens, open) = watch::channel(0);
        let builder = builder.approver(move |request| {
            let (asked, opens) = (asked.clone(), opens.clone());
            async move {
                opens.send_modify(|open| *open += 1);
                let _prompt = Prompt(opens);
                let (answer, answered) = oneshot::channel();
                asked.send((request, answer))?;
                Ok(answered.await?)
            }
        });
        (Self { prompts, open }, builder)
    }

    pub(crate) async fn asked(&mut self) -> (ApprovalRequest, oneshot::Sender<Decision>) {
        let asked = tokio::time::timeout(LONG, self.prompts.recv());
        asked.await.expect("nobody asks").unwrap()
    }

    /// Answers the next prompt; returns what it was about.
    pub(crate) async fn answers(&mut self, decision: Decision) -> ApprovalRequest {
        let (request, answer) = self.asked().await;
        answer.send(decision).unwrap();
        request
    }

    pub(crate) fn is_asked(&mut self) -> bool {
        self.prompts.try_recv().is_ok()
    }

    async fn until_closed(&mut self) {
        let closed = self.open.wait_for(|open| *open == 0);
        tokio::time::timeout(LONG, closed).await.expect("the prompt stays open").unwrap();
    }
}

pub(crate) fn start(
    host: &Arc<Host>,
    tool: &'static str,
    args: Value,
) -> JoinHandle<Result<ToolResult, CallError>> {
    let host = Arc::clone(host);
    tokio::spawn(async move { host.call(tool, &args.to_string()).await })
}

pub(crate) async fn stop(host: Arc<Host>) {
    end(Arc::into_inner(host).expect("a call still runs")).await;
}

pub(crate) fn no() -> Decision {
    Decision::Deny { reason: None }
}

/// `tool.approval`.
#[tokio::test]
async fn a_gated_tool_runs_when_the_person_says_so() {
    let home = Home::new();
    let (mut person, builder) = Person::before(home.builder());
    let host = Arc::new(builder.extension(cleaner()).start().await);
    let call = start(&host, "wipe", json!({"path": "tmp/a"}));
    let request = person.answers(Decision::Once).await;
    assert_eq!((request.tool.name(), &*request.tool.extension), ("wipe", "cleaner"));
    assert_eq!((&*request.key, request.is_exact, &request.caller), ("tmp/a", false, &None));
    assert_eq!(request.reason.as_deref(), Some("it deletes"));
    assert_eq!(request.pattern().to_string(), "wipe(tmp/a)");
    assert_eq!(text(&call.await.unwrap().unwrap()), r#"ran {"path":"tmp/a"}"#);
    // It was for once.
    let call = start(&host, "wipe", json!({"path": "tmp/a"}));
    person.answers(Decision::Deny { reason: Some("not now".to_owned()) }).await;
    let error = call.await.unwrap().unwrap_err();
    assert_eq!(error.to_string(), "wipe was not approved: not now");
    assert_eq!(error.kind(), ErrorKind::Permission);
    // What is not gated asks nobody.
    host.call("look", "{}").await.unwrap();
    assert!(!person.is_asked());
    stop(host).await;
}

/// `tool.approval-key`, `intercept.approval-after`, `intercept.args-final`.
#[tokio::test]
async fn the_person_sees_what_the_guards_saw_and_what_runs() {
    let stage = Stage::new()
        .source(extension(
            "shell",
            &json!({"sh": {"approval": {"gated": true, "key": "{command}"}}}),
        ))
        .interceptor("i", &json!({"append": " -rf *"}))
        .guard("g", &json!({}));
    let mut person = None;
    let set_up = |builder| {
        let (asked, builder) = Person::before(builder);
        person = Some(asked);
        builder
    };
    let host = Arc::new(stage.start_with(set_up).await);
    let mut person = person.unwrap();
    let call = start(&host, "sh", json!({"command": "rm"}));
    let (request, answer) = person.asked().await;
    assert_eq!(request.key, "rm%20-rf%20%2A");
    assert_eq!(stage.who(), ["i intercept", "g guard"], "guards come before the person");
    let guarded = &stage.entries()[1];
    assert!(guarded.line.contains(request.args.get()), "{} {}", guarded.line, request.args);
    let args = request.args.get().to_owned();
    answer.send(Decision::Once).unwrap();
    assert_eq!(text(&call.await.unwrap().unwrap()), format!("ran {args}"));
    stop(host).await;
}

#[tokio::test]
async fn a_guard_has_the_person_asked_whatever_the_tool_declares() {
    let stage = Stage::new().source(cleaner()).guard(
        "careful",
        &json!({"answer": {"block": true, "ask": true, "reason": "it is grave"}}),
    );
    let mut person = None;
    let host = stage.start_with(|builder| {
        let (asked, builder) = Person::before(builder);
        person = Some(asked);
        builder
    });
    let host = Arc::new(host.await);
    let mut person = person.unwrap();
    for (tool, says) in
        [("look", "careful: it is grave"), ("wipe", "it deletes; careful: it is grave")]
    {
        let calling = {
            let host = Arc::clone(&host);
            tokio::spawn(async move { host.call(tool, r#"{"path":"a"}"#).await })
        };
        let request = person.answers(Decision::Once).await;
        assert_eq!(request.reason.as_deref(), Some(says));
        assert!(request.is_exact, "an always holds for these arguments alone");
        assert!(calling.await.unwrap().is_ok(), "{tool}");
    }
    let calling = {
        let host = Arc::clone(&host);
        tokio::spawn(async move { host.call("look", "{}").await })
    };
    person.answers(Decision::Deny { reason: None }).await;
    let error = calling.await.unwrap().unwrap_err();
    assert!(matches!(error, CallError::Denied { .. }), "{error}");
    let says = "look was not approved: the user said no; careful: it is grave";
    assert_eq!(error.to_string(), says);
    // The agent's own calls it asks about itself.
    let call = AgentCall { tool: "bash".to_owned(), args: "{}".to_owned(), ..AgentCall::default() };
    let decided = host.intercept_agent_call(call).await.unwrap();
    assert_eq!(decided.ask.as_deref(), Some("careful: it is grave"));
    assert!(!person.is_asked());
    let error = host.intercept_tool_call("bash", "{}").await.unwrap_err().to_string();
    assert!(error.contains("there is no such tool; careful: it is grave"), "{error}");
    end(Arc::try_unwrap(host).unwrap()).await;
}

#[tokio::test]
async fn what_a_guard_blocks_asks_nobody() {
    let stage = Stage::new()
        .source(cleaner())
        .guard("g", &json!({"answer": {"block": true, "reason": "no"}}));
    let mut person = None;
    let host = stage.start_with(|builder| {
        let (asked, builder) = Person::before(builder);
        person = Some(asked);
        builder
    });
    let host = host.await;
    let error = host.call("wipe", r#"{"path":"a"}"#).await.unwrap_err();
    assert!(matches!(error, CallError::Blocked { .. }), "{error}");
    assert!(!person.unwrap().is_asked());
    end(host).await;
}

/// `tool.approval-compare`.
#[tokio::test]
async fn always_covers_the_same_key_of_the_same_tool_with_the_same_schema() {
    let home = Home::new();
    let (mut person, builder) = Person::before(home.builder());
    let approval = json!({"gated": true, "key": "{path}"});
    let other = extension("other", &json!({"scrub": {"approval": approval}}));
    let host = Arc::new(builder.extension(cleaner()).extension(other).start().await);
    let call = start(&host, "wipe", json!({"path": "tmp/a"}));
    person.answers(Decision::Always).await;
    call.await.unwrap().unwrap();
    // The same again, by other arguments with the same key.
    host.call("wipe", r#"{"path":"tmp/a","more":1}"#).await.unwrap();
    assert!(!person.is_asked());
    for (tool, path) in [("wipe", "tmp/a/b"), ("wipe", "tmp/"), ("scrub", "tmp/a")] {
        let call = start(&host, tool, json!({ "path": path }));
        assert_eq!(person.answers(no()).await.key, path);
        assert!(call.await.unwrap().is_err());
    }
    let schema = json!({"type": "object", "required": ["path"]});
    let register = json!({"register": {"name": "wipe", "schema": schema, "approval": approval}});
    host.call("look", &register.to_string()).await.unwrap();
    let call = start(&host, "wipe", json!({"path": "tmp/a"}));
    person.answers(no()).await;
    assert!(call.await.unwrap().is_err(), "a changed schema asks again");
    stop(host).await;
}

/// `call.gate`.
#[tokio::test]
async fn an_extension_that_calls_a_gated_tool_has_the_person_asked() {
    let home = Home::new();
    let (mut person, builder) = Person::before(home.builder());
    let other = extension("other", &json!({"plan": {}}));
    let host = Arc::new(builder.extension(cleaner()).extension(other).start().await);
    let nested = json!({"call": {"name": "wipe", "args": {"path": "tmp/a"}}});
    let call = start(&host, "plan", nested.clone());
    let request = person.answers(Decision::Once).await;
    assert_eq!(request.caller.as_deref(), Some("other"));
    assert_eq!(text(&call.await.unwrap().unwrap()), r#"ran {"path":"tmp/a"}"#);
    let call = start(&host, "plan", nested);
    person.answers(no()).await;
    let answer = text(&call.await.unwrap().unwrap());
    assert_eq!(answer, "permission: wipe was not approved: the user said no");
    stop(host).await;
}

#[tokio::test]
async fn what_the_agent_tries_out_and_its_own_tools_are_asked_about_too() {
    let home = Home::new();
    let (mut person, builder) = Person::before(home.builder());
    let own = RegisterTool {
        name: "bash".to_owned(),
        schema: json!({"type": "object"}).into(),
        approval: Some(Approval { gated: true, ..Approval::default() }),
        ..RegisterTool::default()
    };
    let run = |call: BuiltinCall| async move { Ok(call.result(vec![Content::text("ran")])) };
    let builder = builder.builtin_tool(own, run).unwrap().extension(cleaner());
    let host = Arc::new(builder.start().await);
    let call = start(&host, "bash", json!({"command": "ls"}));
    let request = person.answers(Decision::Once).await;
    assert!(request.is_exact && request.key.starts_with('#'), "{request:?}");
    call.await.unwrap().unwrap();
    let proposed = tokio::spawn({
        let host = Arc::clone(&host);
        async move { host.intercept_tool_call("wipe", r#"{"path":"tmp/a"}"#).await }
    });
    person.answers(no()).await;
    assert!(matches!(proposed.await.unwrap(), Err(CallError::Denied { .. })));
    assert!(host.intercept_tool_call("unknown", "{}").await.is_ok());
    stop(host).await;
}

#[tokio::test]
async fn modes_and_patterns_decide_without_a_person() {
    let home = Home::new();
    let start = |set_up: fn(HostBuilder) -> HostBuilder| {
        let (person, builder) = Person::before(home.builder());
        let host = set_up(builder).extension(cleaner()).start();
        async { (person, host.await) }
    };
    let allow = |builder: HostBuilder| {
        let builder = builder.approval_mode(ApprovalMode::Allowlist);
        builder.approve("wipe(tmp/*)".parse().unwrap())
    };
    let (mut person, host) = start(allow).await;
    host.call("wipe", r#"{"path":"tmp/a"}"#).await.unwrap();
    for path in ["etc/a", "tmp/../etc/a"] {
        let error = host.call("wipe", &json!({ "path": path }).to_string()).await.unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("wipe was not approved: no pattern allows wipe({path})")
        );
    }
    assert!(!person.is_asked());
    end(host).await;
    let yolo = |builder: HostBuilder| {
        let builder = builder.approval_mode(ApprovalMode::Yolo).deny("look".parse().unwrap());
        builder.deny("wipe(*/keep)".parse().unwrap())
    };
    let (mut person, host) = start(yolo).await;
    host.call("wipe", r#"{"path":"etc/a"}"#).await.unwrap();
    let error = host.call("wipe", r#"{"path":"etc/keep"}"#).await.unwrap_err();
    assert_eq!(error.to_string(), "wipe was not approved: the pattern wipe(*/keep) denies it");
    assert!(host.call("look", "{}").await.is_err(), "what is not gated can be denied too");
    assert!(!person.is_asked());
    end(host).await;
}

#[tokio::test]
async fn without_a_decision_nothing_runs() {
    let home = Home::new();
    let host = home.builder().extension(cleaner()).start().await;
    let error = host.call("wipe", r#"{"path":"tmp/a"}"#).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Permission);
    assert!(error.to_string().contains("nobody is there to give it"), "{error}");
    assert!(error.to_string().contains("allow wipe(tmp/a) before it starts"), "{error}");
    end(host).await;
    let failing = |request: ApprovalRequest| async move {
        assert_ne!(request.key, "panic", "as it should");
        Err("the screen is gone".into())
    };
    let host = home.builder().approver(failing).extension(cleaner()).start().await;
    let error = host.call("wipe", r#"{"path":"a"}"#).await.unwrap_err();
    assert_eq!(error.to_string(), "wipe was not approved: the screen is gone");
    let error = host.call("wipe", r#"{"path":"panic"}"#).await.unwrap_err();
    assert!(matches!(error, CallError::Denied { .. }), "{error}");
    end(host).await;
}

#[tokio::test]
async fn prompts_come_one_after_the_other_and_one_answer_may_be_enough() {
    let home = Home::new();
    let (mut person, builder) = Person::before(home.builder());
    let host = Arc::new(builder.extension(cleaner()).start().await);
    let mut calls = Vec::new();
    for path in ["a", "b", "a"] {
        calls.push(start(&host, "wipe", json!({ "path": path })));
        if calls.len() == 1 {
            let (request, answer) = person.asked().await;
            assert_eq!(request.key, "a");
            calls.push(start(&host, "wipe", json!({"path": "a"})));
            tokio::task::yield_now().await;
            assert!(!person.is_asked(), "one prompt at a time");
            answer.send(Decision::Always).unwrap();
        }
    }
    assert_eq!(person.answers(Decision::Once).await.key, "b");
    for call in calls {
        call.await.unwrap().unwrap();
    }
    assert!(!person.is_asked());
    stop(host).await;
}

#[tokio::test]
async fn time_stands_still_while_a_person_decides() {
    const LIMIT: Duration = Duration::from_secs(3);
    let home = Home::new();
    let deadlines = Deadlines { tool: LIMIT, call_tool: LIMIT, ..Deadlines::default() };
    let (mut person, builder) = Person::before(home.builder().deadlines(deadlines));
    let other = extension("other", &json!({"plan": {}, "idle": {}}));
    let host = Arc::new(builder.extension(cleaner()).extension(other).start().await);
    let nested = json!({"call": {"name": "wipe", "args": {"path": "a"}}});
    let nested = start(&host, "plan", nested);
    let (_, answer) = person.asked().await;
    let limited = tokio::spawn({
        let host = Arc::clone(&host);
        async move {
            let options = CallOptions::default().timeout(LIMIT);
            host.start_call("wipe", r#"{"path":"b"}"#, options).await?.outcome().await
        }
    });
    // What began after them is overdue, and so would they be.
    for _ in 0..2 {
        let error = host.call("idle", r#"{"hang":true}"#).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Timeout);
    }
    answer.send(Decision::Once).unwrap();
    person.answers(Decision::Once).await;
    assert_eq!(text(&nested.await.unwrap().unwrap()), r#"ran {"path":"a"}"#);
    limited.await.unwrap().unwrap();
    stop(host).await;
}

#[tokio::test]
async fn a_call_that_nobody_wants_any_more_closes_its_prompt() {
    let home = Home::new();
    let (mut person, builder) = Person::before(home.builder());
    let host = Arc::new(builder.extension(cleaner()).start().await);
    let call = start(&host, "wipe", json!({"path": "a"}));
    let (_, _answer) = person.asked().await;
    call.abort();
    assert!(call.await.unwrap_err().is_cancelled());
    person.until_closed().await;
    let call = start(&host, "wipe", json!({"path": "b"}));
    assert_eq!(person.answers(Decision::Once).await.key, "b");
    call.await.unwrap().unwrap();
    stop(host).await;
}

#[tokio::test]
async fn what_changed_while_the_person_was_asked_does_not_run() {
    let home = Home::new();
    let (mut person, builder) = Person::before(home.builder());
    let host = Arc::new(builder.extension(cleaner()).start().await);
    let call = start(&host, "wipe", json!({"path": "a"}));
    let (_, answer) = person.asked().await;
    let register = json!({"register": {"name": "wipe", "description": "Another one."}});
    host.call("look", &register.to_string()).await.unwrap();
    answer.send(Decision::Always).unwrap();
    let error = call.await.unwrap().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Stale, "{error}");
    stop(host).await;
}

#[tokio::test]
async fn an_extension_that_ends_takes_the_prompt_of_its_tool_with_it() {
    let home = Home::new();
    let (mut person, builder) = Person::before(home.builder());
    let host = Arc::new(builder.extension(cleaner()).start().await);
    let call = start(&host, "wipe", json!({"path": "a"}));
    let (_, _answer) = person.asked().await;
    host.remove("cleaner").await.unwrap();
    assert!(call.await.unwrap().is_err());
    person.until_closed().await;
    stop(host).await;
}

/// §2.6.
#[tokio::test]
async fn extensions_are_told_that_a_person_is_asked_and_what_was_decided() {
    let home = Home::new();
    let (mut person, builder) = Person::before(home.builder());
    let builder = builder.approve("wipe(tmp/*)".parse().unwrap());
    let host = Arc::new(builder.extension(cleaner()).start().await);
    for (path, decision) in [("a", Decision::Always), ("b", no())] {
        let call = start(&host, "wipe", json!({ "path": path }));
        person.answers(decision).await;
        drop(call.await.unwrap());
    }
    host.call("wipe", r#"{"path":"a"}"#).await.unwrap();
    host.call("wipe", r#"{"path":"tmp/x"}"#).await.unwrap();
    let call = start(&host, "wipe", json!({"path": "c"}));
    let (_, _answer) = person.asked().await;
    call.abort();
    drop(call.await);
    let told = text(&host.call("look", r#"{"told":true}"#).await.unwrap());
    let told: Value = serde_json::from_str(&told).unwrap();
    let asked = |path: &str| {
        let preview = format!(r#"wipe {{"path":"{path}"}}"#);
        json!({"event": "tool_confirmation_requested", "tool_name": "wipe", "tool_preview": preview})
    };
    let decided = |decision: &str, more: Value| {
        let mut event = json!({"event": "permission_decision", "tool_name": "wipe",
            "decision": decision, "stage": "pre_execution"});
        event.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        event
    };
    let expected = json!([
        asked("a"),
        decided("approved", json!({"source": "user"})),
        asked("b"),
        decided("denied", json!({"source": "user", "reason": "the user said no"})),
        decided("approved", json!({"source": "remembered"})),
        decided("approved", json!({"source": "policy"})),
        asked("c"),
        decided("cancelled", json!({})),
    ]);
    assert_eq!(told, expected);
    stop(host).await;
}

/// A decision may take as long as it likes while others go on.
#[tokio::test]
async fn a_prompt_keeps_nobody_else_waiting() {
    let home = Home::new();
    let (mut person, builder) = Person::before(home.builder());
    let host = Arc::new(builder.extension(cleaner()).start().await);
    let call = start(&host, "wipe", json!({"path": "a"}));
    let (_, answer) = person.asked().await;
    host.call("look", "{}").await.unwrap();
    answer.send(Decision::Once).unwrap();
    call.await.unwrap().unwrap();
    stop(host).await;
}
