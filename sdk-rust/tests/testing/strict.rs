//! What a testing host demands, as a real one does.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::time::Duration;

use extline::prelude::*;
use extline::testing::{Failure, Host};
use extline::tokio::sync::Notify;
use extline::{Panel, PanelInput};

fn failing() -> Extension {
    let released = Rc::new(Notify::new());
    let (later, earlier) = (Rc::clone(&released), released);
    Extension::new("failing", "1.0.0")
        .tool("fine", "", async |_: NoArgs, ctx: Context| {
            ctx.update("begun").send();
            ctx.cancellation().await;
            Ok(())
        })
        .command("open", "", async |_: &str, _| Response::open_panel(Panel::new("list")))
        .panel("list", async |_: PanelInput, _| -> Result<(), ToolError> {
            Err(ToolError::internal("no such line"))
        })
        .command("later", "", async move |_: &str, _| later.notify_one())
        .on("turn_end", async move |_, ctx| -> Result<(), ToolError> {
            earlier.notified().await;
            ctx.log(Level::Info, "released");
            Err(ToolError::internal("the disk is full"))
        })
}

/// The handler of an event fails, whose end no step has waited for.
fn fail_later(host: &mut Host) {
    host.set_deadline(Duration::from_secs(30));
    host.command("later", "").unwrap();
    host.wait_until("its last words", |host| !host.logs().is_empty()).unwrap();
}

fn panic_of(run: impl FnOnce()) -> String {
    let panic = catch_unwind(AssertUnwindSafe(run)).unwrap_err();
    panic.downcast_ref::<String>().cloned().unwrap_or_default()
}

#[test]
fn a_panel_s_handler_that_fails_fails_the_step() -> Result<(), Failure> {
    let mut host = Host::new(failing);
    host.command("open", "")?;
    let failure = host.key("list", "up").unwrap_err();
    assert!(matches!(failure, Failure::HandlerFailed { .. }), "{failure}");
    let text = failure.to_string();
    assert!(text.starts_with("the handler of the panel list failed: no such line\n"), "{text}");
    // It is told once.
    host.settle()?;
    assert_eq!(host.shutdown()?, 0);
    Ok(())
}

#[test]
fn a_failure_that_no_step_told_of_fails_the_test_at_its_end() {
    let line = line!() + 2;
    let text = panic_of(|| {
        let mut host = Host::builder().deadline(Duration::from_millis(50)).start(failing).unwrap();
        assert!(matches!(host.event("turn_end", json!({})), Err(Failure::TimedOut { .. })));
        fail_later(&mut host);
    });
    let expected = "no step of the test was told that the handler of the event turn_end failed: \
                    the disk is full\nat ";
    assert!(text.starts_with(expected), "{text}");
    assert!(text.contains(&format!("strict.rs:{line}:")), "{text}");
}

#[test]
fn a_test_that_panics_keeps_its_own_panic() {
    let text = panic_of(|| {
        let mut host = Host::builder().deadline(Duration::from_millis(50)).start(failing).unwrap();
        let _ = host.event("turn_end", json!({}));
        fail_later(&mut host);
        panic!("{}", "the test's own");
    });
    assert_eq!(text, "the test's own");
}

#[test]
fn a_teardown_that_fails_or_lasts_is_told() {
    let mut host = Host::new(|| {
        Extension::new("a", "1").teardown(async |_| -> Result<(), ToolError> {
            Err(ToolError::internal("the disk is full"))
        })
    });
    let text = host.shutdown().unwrap_err().to_string();
    assert!(text.starts_with("teardown failed: the disk is full\n"), "{text}");

    let mut host = Host::new(|| {
        Extension::new("a", "1").teardown(async |_| std::future::pending::<()>().await)
    });
    let text = host.shutdown().unwrap_err().to_string();
    assert!(text.starts_with("teardown did not end in time: it has 1.25 s from "), "{text}");
}

#[test]
fn a_setup_that_lasts_longer_than_a_host_waits_is_told() {
    let slow = || {
        Extension::new("slow", "1.0.0").setup(async |_, ctx| {
            ctx.cancellation().await;
            Ok(())
        })
    };
    let failure =
        Host::builder().start_deadline(Duration::from_millis(50)).start(slow).unwrap_err();
    assert!(matches!(failure, Failure::TimedOut { .. }), "{failure}");
    let text = failure.to_string();
    let expected = "the extension did not become ready within 50ms, and a host goes on without what \
                    is not registered by then: let setup take less, or write \
                    Host::builder().start_deadline(Duration::from_secs(10))\nat ";
    assert!(text.starts_with(expected), "{text}");
}

#[test]
fn a_result_is_held_to_the_schema_of_its_tool() -> Result<(), Failure> {
    fn tool(name: &str, value: Value) -> Tool {
        let schema = json!({
            "type": "object",
            "properties": {"celsius": {"type": "number"}},
            "required": ["celsius"],
        });
        Tool::new(name, "", async move |_: NoArgs, _| Ok(value.clone())).output_schema(schema)
    }
    let mut host = Host::new(|| {
        Extension::new("weather", "1.0.0")
            .add_tool(tool("right", json!({"celsius": 16})))
            .add_tool(tool("wrong", json!({"celsius": "16"})))
            .add_tool(
                Tool::new("text", "", async |_: NoArgs, _| Ok("16"))
                    .output_schema(json!({"type": "object"})),
            )
            .add_tool(
                Tool::new("failing", "", async |_: NoArgs, _| -> Result<Value, _> {
                    Err(ToolError::not_found("no such city"))
                })
                .output_schema(json!({"type": "object"})),
            )
    });
    assert_eq!(host.call("right", json!({}))?.value()["celsius"], 16);
    assert!(host.call("failing", json!({}))?.is_error());
    for (tool, problem) in
        [("wrong", r#"/celsius: must be a number, and is "16""#), ("text", "there is none")]
    {
        let failure = host.call(tool, json!({})).unwrap_err();
        assert!(matches!(failure, Failure::Unusable { .. }), "{failure}");
        let expected = format!(
            "the structured result of the tool {tool} does not match its output schema: {problem}\n"
        );
        assert!(failure.to_string().starts_with(&expected), "{failure}");
    }
    Ok(())
}

#[test]
fn what_is_not_offered_is_told_at_the_line_of_the_call() {
    let mut host = Host::new(failing);
    let line = line!() + 2;
    let failures = [
        host.call("fien", json!({})).unwrap_err(),
        host.begin("any", json!({})).unwrap_err(),
        host.command("opne", "").unwrap_err(),
        host.key("list", "up").unwrap_err(),
    ];
    let expected = [
        "the extension offers no tool fien: it offers fine; did you mean fine?",
        "the extension offers no tool any: it offers fine",
        "the extension offers no command opne: it offers open, later; did you mean open?",
        "no panel list is open",
    ];
    for (at, (failure, expected)) in (line..).zip(failures.iter().zip(expected)) {
        assert!(matches!(failure, Failure::Misuse(_)), "{failure}");
        let text = failure.to_string();
        assert!(text.starts_with(&format!("{expected}\nat ")), "{text}");
        assert!(text.contains(&format!("strict.rs:{at}:")), "{text}");
    }
}

#[test]
fn a_tool_that_is_just_being_added_is_waited_for() -> Result<(), Failure> {
    let mut host = Host::new(|| {
        Extension::new("a", "1").on("turn_end", async |_, ctx: Context| {
            let tool = Tool::new("new", "", async |_: NoArgs, _| Ok("here"));
            ctx.add_tool(tool)
        })
    });
    host.event("turn_end", json!({}))?;
    assert_eq!(host.call("new", json!({}))?.text(), "here");
    Ok(())
}
