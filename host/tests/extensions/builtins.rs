//! The agent's own tools, offered through the host.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use extline_host::protocol::frame::{Content, ErrorInfo, Execution, RegisterTool};
use extline_host::protocol::{ErrorKind, RawJson};
use extline_host::{BuiltinToolError, CallError, CallOptions, HostBuilder};
use serde_json::json;

use crate::stage::Stage;
use crate::support::{Home, behave, end, text};

fn definition(name: &str) -> RegisterTool {
    let schema = json!({
        "type": "object",
        "properties": {"text": {"type": "string"}},
        "required": ["text"]
    });
    RegisterTool {
        name: name.to_owned(),
        description: Some("says it".to_owned()),
        schema: schema.into(),
        ..RegisterTool::default()
    }
}

/// With a tool `say` that answers with its text, `fail` for an error and `panic` for a panic.
fn say(builder: HostBuilder, definition: RegisterTool) -> HostBuilder {
    let say = |call: extline_host::BuiltinCall| async move {
        let args: serde_json::Value = call.args.to().unwrap();
        match args["text"].as_str().unwrap() {
            "fail" => Err(ErrorInfo::new(ErrorKind::Permission, "not that")),
            "panic" => panic!("on purpose"),
            text => Ok(call.result(vec![Content::text(text)])),
        }
    };
    builder.builtin_tool(definition, say).unwrap()
}

#[tokio::test]
async fn an_agent_s_own_tool_is_listed_checked_and_run() {
    let home = Home::new();
    let builder = say(home.builder(), definition("echo"));
    let host = builder.extension(behave(&[])).start().await;
    let tools = host.tools();
    let echo = tools.iter().find(|tool| tool.name() == "echo").unwrap();
    assert_eq!((echo.is_builtin(), echo.description()), (true, "says it"));
    assert_eq!(tools.iter().filter(|tool| tool.is_builtin()).count(), 1);
    // The extension's own `echo` lost its name.
    let rejected = &host.extensions()[0].report.rejected[0];
    assert_eq!((&*rejected.name, rejected.winner.as_deref()), ("echo", Some("the host")));

    assert_eq!(text(&host.call("echo", r#"{"text":"hi"}"#).await.unwrap()), "hi");
    let error = host.call("echo", "{}").await.unwrap_err();
    assert_eq!((error.kind(), error.field()), (ErrorKind::Validation, Some("/text")));
    let failed = host.call("echo", r#"{"text":"fail"}"#).await.unwrap();
    assert_eq!((failed.is_error, text(&failed).as_str()), (true, "not that"));
    let failed = host.call("echo", r#"{"text":"panic"}"#).await.unwrap();
    assert_eq!(failed.error.as_ref().unwrap().kind, ErrorKind::Internal);
    assert_eq!(text(&failed), "the tool echo panicked");
    end(host).await;
}

#[tokio::test]
async fn interceptors_and_guards_stand_before_an_agent_s_own_tool_too() {
    let stage = Stage::new()
        .interceptor("i", &json!({"answer": {"modified_args": {"text": "b"}}}))
        .guard("g", &json!({}));
    let host = stage.start_with(|builder| say(builder, definition("say"))).await;
    assert_eq!(text(&host.call("say", r#"{"text":"a"}"#).await.unwrap()), "b");
    assert_eq!(stage.who(), ["i intercept", "g guard"]);
    assert_eq!(stage.entries()[1].frame["tool_args"], json!({"text": "b"}));
    assert_eq!(stage.entries()[1].frame.get("origin_extension"), None);
    end(host).await;
}

#[tokio::test]
async fn a_definition_that_cannot_be_used_is_refused_at_once() {
    let offer = |definition| {
        let answer = |call: extline_host::BuiltinCall| async move { Ok(call.result(Vec::new())) };
        HostBuilder::default().builtin_tool(definition, answer).unwrap_err()
    };
    let error = offer(definition("two words"));
    assert!(matches!(&error, BuiltinToolError::Registration(_)), "{error}");
    let schema = RawJson::from(json!({"type": "strin"}));
    let error = offer(RegisterTool { schema, ..definition("say") });
    assert!(error.to_string().starts_with("the schema of the tool say: /type"), "{error}");
}

#[tokio::test]
async fn a_call_of_an_agent_s_own_tool_ends_in_time_and_when_it_is_given_up() {
    struct Running(Arc<AtomicUsize>);
    impl Drop for Running {
        fn drop(&mut self) {
            self.0.fetch_sub(1, Ordering::SeqCst);
        }
    }
    let running = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&running);
    let wait = move |_: extline_host::BuiltinCall| {
        counter.fetch_add(1, Ordering::SeqCst);
        let running = Running(Arc::clone(&counter));
        async move {
            let _running = running;
            std::future::pending().await
        }
    };
    let home = Home::new();
    let definition = RegisterTool { timeout_ms: Some(100), ..definition("wait") };
    let host = home.builder().builtin_tool(definition, wait).unwrap().start().await;
    let args = r#"{"text":""}"#;
    let error = host.call("wait", args).await.unwrap_err();
    assert_eq!(error.to_string(), "wait did not answer within 100 ms");
    assert_eq!(host.diagnose(&error), None);
    // The caller's own time goes before the tool's.
    let patient = CallOptions::default().timeout(Duration::from_secs(600));
    let call = host.start_call("wait", args, patient.clone()).await.unwrap();
    call.cancel("enough");
    assert!(matches!(call.outcome().await, Err(CallError::Cancelled { .. })));
    drop(host.start_call("wait", args, patient).await.unwrap());
    while running.load(Ordering::SeqCst) > 0 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    end(host).await;
}

#[tokio::test]
async fn calls_of_a_sequential_tool_of_the_agent_do_not_overlap() {
    let (running, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let seen = Arc::clone(&most);
    let count = move |call: extline_host::BuiltinCall| {
        let (running, most) = (Arc::clone(&running), Arc::clone(&seen));
        async move {
            most.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            tokio::time::sleep(Duration::from_millis(20)).await;
            running.fetch_sub(1, Ordering::SeqCst);
            Ok(call.result(Vec::new()))
        }
    };
    for (execution, together) in [(Execution::Sequential, 1), (Execution::Parallel, 3)] {
        most.store(0, Ordering::SeqCst);
        let home = Home::new();
        let definition = RegisterTool { execution: Some(execution), ..definition("count") };
        let builder = home.builder().builtin_tool(definition, count.clone()).unwrap();
        let host = builder.start().await;
        let call = || host.call("count", r#"{"text":""}"#);
        let (a, b, c) = tokio::join!(call(), call(), call());
        assert!(a.is_ok() && b.is_ok() && c.is_ok());
        assert_eq!(most.load(Ordering::SeqCst), together);
        end(host).await;
    }
}
