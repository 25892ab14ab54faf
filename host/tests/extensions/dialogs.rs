//! Calls that stand still while a person is asked below them (`rpc.dialog-pauses`,
//! `rpc.dialog-pauses-above`).
//!
//! A call that hangs has the same limit and is made later: when it is overdue, so would be the one
//! whose dialog is open, if its time went on.

use std::sync::{Arc, OnceLock, Weak};
use std::time::Duration;

use extline_host::protocol::frame::{ErrorInfo, RegisterTool, ToolResult};
use extline_host::protocol::{Deadlines, ErrorKind, RawJson};
use extline_host::{
    BuiltinCall, CallError, CallOptions, ExtensionSource, Host, HostBuilder, MethodCall,
    RestartPolicy,
};
use serde_json::{Value, json};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinHandle;

use crate::support::{Home, LONG, end, python, text};

/// Of every call here.
const LIMIT: Duration = Duration::from_secs(3);

fn extension(words: &[&str]) -> ExtensionSource {
    python("asking.py", words).named(words[0])
}

/// A person, who answers when the test says so.
#[derive(Clone)]
struct Person {
    open: watch::Sender<usize>,
    answers: Arc<Semaphore>,
}

struct Dialog(watch::Sender<usize>);

impl Drop for Dialog {
    fn drop(&mut self) {
        self.0.send_modify(|open| *open -= 1);
    }
}

impl Person {
    fn new() -> Self {
        Self { open: watch::Sender::new(0), answers: Arc::new(Semaphore::new(0)) }
    }

    /// A host that asks this one by `ui.confirm`, and by `index.search` which is no dialog.
    fn serve(&self, builder: HostBuilder) -> HostBuilder {
        let [confirm, search] = [self.clone(), self.clone()];
        builder
            .deadlines(Deadlines {
                tool: LIMIT,
                intercept: LIMIT,
                call_tool: LIMIT,
                ..Deadlines::default()
            })
            .serve_method("ui.confirm", move |_| confirm.clone().answer())
            .serve_method("index.search", move |_| search.clone().answer())
    }

    async fn answer(self) -> Result<RawJson, extline_host::protocol::frame::RpcError> {
        self.open.send_modify(|open| *open += 1);
        let _open = Dialog(self.open.clone());
        // It is never closed.
        self.answers.acquire().await.unwrap().forget();
        Ok(RawJson::from(json!(true)))
    }

    async fn until_asked(&self, times: usize) {
        let mut open = self.open.subscribe();
        let asked = open.wait_for(|open| *open == times);
        tokio::time::timeout(LONG, asked).await.expect("nobody asks").unwrap();
    }

    fn answers(&self, times: usize) {
        self.answers.add_permits(times);
    }
}

/// Calls, and goes on meanwhile.
fn start(
    host: &Arc<Host>,
    tool: &'static str,
    args: Value,
    options: CallOptions,
) -> JoinHandle<Result<ToolResult, CallError>> {
    let host = Arc::clone(host);
    tokio::spawn(
        async move { host.start_call(tool, &args.to_string(), options).await?.outcome().await },
    )
}

/// Returns when whatever began before it is overdue.
async fn until_overdue(host: &Host) {
    let error = host.call("idle", r#"{"hang":true}"#).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Timeout);
}

async fn stop(host: Arc<Host>) {
    end(Arc::into_inner(host).expect("a call still runs")).await;
}

#[tokio::test]
async fn a_call_waits_for_as_long_as_the_person_does() {
    let (home, person) = (Home::new(), Person::new());
    let builder = person.serve(home.builder()).extension(extension(&["a", "ship", "idle"]));
    let host = Arc::new(builder.start().await);
    let call = |host| start(host, "ship", json!({"ask": "ui.confirm"}), CallOptions::default());
    let calls = [call(&host), call(&host)];
    person.until_asked(2).await;
    until_overdue(&host).await;
    person.answers(2);
    for call in calls {
        assert_eq!(text(&call.await.unwrap().unwrap()), "true");
    }
    stop(host).await;
}

#[tokio::test]
async fn what_is_no_dialog_takes_time() {
    let (home, person) = (Home::new(), Person::new());
    let builder = person.serve(home.builder()).extension(extension(&["a", "ship", "idle"]));
    let host = Arc::new(builder.start().await);
    let error = host.call("ship", r#"{"ask":"index.search"}"#).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Timeout);
    person.until_asked(0).await;
    stop(host).await;
}

#[tokio::test]
async fn calls_above_wait_too() {
    let (home, person) = (Home::new(), Person::new());
    let builder = person
        .serve(home.builder())
        .extension(extension(&["a", "plan", "idle"]))
        .extension(extension(&["b", "build"]))
        .extension(extension(&["c", "ship"]));
    let host = Arc::new(builder.start().await);
    let ask = json!({"name": "ship", "args": {"ask": "ui.confirm"}});
    let args = json!({"call": {"name": "build", "args": {"call": ask}}});
    let call = start(&host, "plan", args, CallOptions::default());
    person.until_asked(1).await;
    until_overdue(&host).await;
    person.answers(1);
    assert_eq!(text(&call.await.unwrap().unwrap()), "true");
    stop(host).await;
}

#[tokio::test]
async fn a_guard_may_ask_and_so_may_one_of_a_nested_call() {
    let (home, person) = (Home::new(), Person::new());
    let builder = person
        .serve(home.builder())
        .extension(extension(&["guard"]))
        .extension(extension(&["a", "plan", "ship", "idle"]));
    let host = Arc::new(builder.start().await);
    let guarded = json!({"guarded": "ui.confirm"});
    let nested = json!({"call": {"name": "ship", "args": guarded}});
    // The agent's own limit for the whole call stands still as well.
    let calls = [
        start(&host, "ship", guarded.clone(), CallOptions::default()),
        start(&host, "ship", guarded, CallOptions::default().timeout(LIMIT)),
        start(&host, "plan", nested, CallOptions::default()),
    ];
    person.until_asked(3).await;
    until_overdue(&host).await;
    person.answers(3);
    for call in calls {
        assert_eq!(text(&call.await.unwrap().unwrap()), "ran");
    }
    stop(host).await;
}

/// The tool that the guard calls asks, in another extension.
#[tokio::test]
async fn a_guard_may_call_a_tool_that_asks() {
    let (home, person) = (Home::new(), Person::new());
    let builder = person
        .serve(home.builder())
        .extension(extension(&["guard"]))
        .extension(extension(&["a", "ship", "idle", "check"]));
    let host = Arc::new(builder.start().await);
    let check = json!({"name": "check", "args": {"ask": "ui.confirm"}});
    let call = start(&host, "ship", json!({ "checked": check }), CallOptions::default());
    person.until_asked(1).await;
    until_overdue(&host).await;
    person.answers(1);
    assert_eq!(text(&call.await.unwrap().unwrap()), "ran");
    // Nobody wants the call any more: what its guard called for it ends too.
    let call = start(&host, "ship", json!({ "checked": check }), CallOptions::default());
    person.until_asked(1).await;
    call.abort();
    person.until_asked(0).await;
    stop(host).await;
}

/// The agent's own tool calls one that asks.
#[tokio::test]
async fn the_time_of_a_built_in_stands_still_too() {
    let (home, person) = (Home::new(), Person::new());
    let kept: Arc<OnceLock<Weak<Host>>> = Arc::default();
    let of_tool = Arc::clone(&kept);
    let plan = move |call: BuiltinCall| {
        let host = of_tool.get().and_then(Weak::upgrade).unwrap();
        async move {
            let result = host.call("ship", r#"{"ask":"ui.confirm"}"#).await;
            Ok(call.result(
                result.map_err(|error| ErrorInfo::new(error.kind(), error.to_string()))?.content,
            ))
        }
    };
    let definition = RegisterTool {
        name: "plan".to_owned(),
        schema: json!({"type": "object"}).into(),
        timeout_ms: Some(3_000),
        ..RegisterTool::default()
    };
    let builder = person.serve(home.builder()).builtin_tool(definition, plan).unwrap();
    let host = Arc::new(builder.extension(extension(&["a", "ship", "idle"])).start().await);
    kept.set(Arc::downgrade(&host)).unwrap();
    let call = start(&host, "plan", json!({}), CallOptions::default());
    person.until_asked(1).await;
    until_overdue(&host).await;
    person.answers(1);
    assert_eq!(text(&call.await.unwrap().unwrap()), "true");
    stop(host).await;
}

#[tokio::test]
async fn a_guard_that_does_not_ask_a_person_is_overdue() {
    let (home, person) = (Home::new(), Person::new());
    let builder = person
        .serve(home.builder())
        .extension(extension(&["guard"]))
        .extension(extension(&["a", "ship"]));
    let host = Arc::new(builder.start().await);
    let error = host.call("ship", r#"{"guarded":"index.search"}"#).await.unwrap_err();
    assert!(error.to_string().contains("did not answer within 3000 ms"), "{error}");
    person.until_asked(0).await;
    stop(host).await;
}

#[tokio::test]
async fn a_dialog_ends_with_its_call() {
    let (home, person) = (Home::new(), Person::new());
    let builder = person
        .serve(home.builder())
        .extension(extension(&["guard"]))
        .extension(extension(&["a", "plan", "ship"]))
        .extension(extension(&["b", "quit"]));
    let host = Arc::new(builder.start().await);
    // Nobody wants the call any more, nor the one above it, nor the one that is guarded.
    let ask = json!({"ask": "ui.confirm"});
    for (tool, args) in
        [("ship", ask.clone()), ("plan", json!({"call": {"name": "ship", "args": ask}}))]
    {
        let call = host.start_call(tool, &args.to_string(), CallOptions::default()).await.unwrap();
        person.until_asked(1).await;
        call.cancel("user");
        person.until_asked(0).await;
        assert_eq!(text(&call.outcome().await.unwrap()), "cancelled", "what the dialog ended with");
    }
    let guarded = start(&host, "ship", json!({"guarded": "ui.confirm"}), CallOptions::default());
    person.until_asked(1).await;
    guarded.abort();
    person.until_asked(0).await;
    // Its extension dies.
    let error = host.call("quit", r#"{"exit":"ui.confirm"}"#).await.unwrap_err();
    assert!(matches!(error, CallError::Died { .. }), "{error}");
    person.until_asked(0).await;
    assert!(guarded.await.is_err());
    stop(host).await;
}

/// What is done to a guard while its dialog is open.
async fn happens(host: &Host, what: &str) {
    let guard = host.extensions().into_iter().find(|it| it.name == "guard").unwrap();
    let group = rustix::process::Pid::from_raw(guard.pid.unwrap().cast_signed()).unwrap();
    let send = |signal| rustix::process::kill_process_group(group, signal).unwrap();
    match what {
        "killed" | "killed, and started again" => send(rustix::process::Signal::KILL),
        "stopped" => send(rustix::process::Signal::STOP),
        "removed" => drop(host.remove("guard").await),
        other => panic!("{other}"),
    }
}

#[tokio::test]
async fn a_guard_that_goes_away_while_it_asks_blocks() {
    for what in ["killed", "killed, and started again", "stopped", "removed"] {
        let (home, person) = (Home::new(), Person::new());
        let policy = match what {
            "killed, and started again" => {
                RestartPolicy::OnFailure { backoff: Duration::from_millis(1), max: 3 }
            }
            _ => RestartPolicy::Off,
        };
        let builder = person
            .serve(home.builder())
            .restart(policy)
            .extension(extension(&["guard"]))
            .extension(extension(&["a", "ship"]));
        let host = Arc::new(builder.start().await);
        let args = json!({"guarded": "ui.confirm"});
        let call = start(&host, "ship", args, CallOptions::default());
        person.until_asked(1).await;
        happens(&host, what).await;
        // What stands still is not told of its answer, and what is gone asks no more.
        person.answers(1);
        let error = call.await.unwrap().unwrap_err();
        assert!(matches!(error, CallError::Blocked { .. }), "{what}: {error}");
        person.until_asked(0).await;
        if what == "stopped" {
            happens(&host, "killed").await;
        }
        stop(host).await;
    }
}

#[tokio::test]
async fn who_is_asked_is_told_which_call_of_the_agent_s_it_is_below() {
    let home = Home::new();
    let builder = home.builder().many_screens();
    let builder = builder.serve_method("ui.confirm", |call: MethodCall| async move {
        Ok(RawJson::from(json!([call.origin])))
    });
    let builder = builder
        .extension(extension(&["guard"]))
        .extension(extension(&["a", "plan"]))
        .extension(extension(&["b", "ship"]));
    let host = Arc::new(builder.start().await);
    let ask = json!({"ask": "ui.confirm"});
    let nested = json!({"call": {"name": "ship", "args": ask}});
    for (origin, tool, args) in [(7, "ship", ask.clone()), (8, "plan", nested)] {
        let call = start(&host, tool, args, CallOptions::default().origin(origin));
        assert_eq!(text(&call.await.unwrap().unwrap()), format!("[{origin}]"));
    }
    let unnamed = start(&host, "ship", ask, CallOptions::default());
    assert_eq!(text(&unnamed.await.unwrap().unwrap()), "[null]");
    stop(host).await;
}
