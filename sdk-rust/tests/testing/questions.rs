//! Interceptors and guards.

use std::time::Duration;

use extline::prelude::*;
use extline::testing::{Failure, Host, Moment, Ruling};
use extline::{Limits, point};

fn careful() -> Extension {
    Extension::new("careful", "1.0.0")
        .intercept(point::ToolCall, async |call, _| {
            if call.tool() != "bash" {
                return Ok(call.allow());
            }
            let mut args: Value = call.args_as()?;
            if args["command"] == "secret" {
                return Ok(call.block("not that one"));
            }
            args["timeout"] = json!(60);
            Ok(call.rewrite(args))
        })
        .guard("no_rm", async |call, _| {
            let args: Value = call.args_as()?;
            if args["command"].as_str().is_some_and(|command| command.contains("rm -rf")) {
                return Ok(call.block(format!("refused, with timeout {}", args["timeout"])));
            }
            Ok(call.allow())
        })
}

#[test]
fn interceptors_rewrite_and_guards_see_what_came_out() -> Result<(), Failure> {
    let mut host = Host::new(careful);
    let read = host.intercept(Moment::tool_call("read", json!({"path": "a"})))?;
    assert_eq!(read, Ruling::Allowed);
    let ls = host.intercept(Moment::tool_call("bash", json!({"command": "ls"})))?;
    assert_eq!(ls, Ruling::Rewritten(json!({"command": "ls", "timeout": 60})));
    let rm = host.intercept(Moment::tool_call("bash", json!({"command": "rm -rf /"})))?;
    assert_eq!(rm.blocked(), Some("refused, with timeout 60"));
    let secret = host.intercept(Moment::tool_call("bash", json!({"command": "secret"})))?;
    assert_eq!(secret.blocked(), Some("not that one"));

    let phases: Vec<_> = host
        .transcript()
        .iter()
        .filter(|line| line.frame_type() == "event_intercept")
        .map(|line| line.value()["phase"].as_str().unwrap_or("none").to_owned())
        .collect();
    let both = ["intercept", "guard"];
    assert_eq!(phases, [&both[..], &both[..], &both[..], &["intercept"]].concat());
    Ok(())
}

#[test]
fn a_zot_asks_once_for_both() -> Result<(), Failure> {
    let mut host = Host::builder().zot().start(careful)?;
    let rm = host.intercept(Moment::tool_call("bash", json!({"command": "rm -rf /"})))?;
    assert_eq!(rm.blocked(), Some("refused, with timeout 60"));
    let asked = host.transcript().iter().rev().find(|line| line.frame_type() == "event_intercept");
    assert_eq!(asked.unwrap().value()["phase"], Value::Null);
    let ls = host.intercept(Moment::tool_call("bash", json!({"command": "ls"})))?;
    assert_eq!(ls.rewritten().unwrap()["timeout"], 60);
    Ok(())
}

#[test]
fn a_guard_that_fails_or_panics_blocks_and_says_so_on_stderr() -> Result<(), Failure> {
    let mut host = Host::new(|| {
        Extension::new("a", "1").guard("strict", async |call, _| {
            assert!(call.tool() != "panic", "no idea");
            let _: Vec<u8> = call.args_as()?;
            Ok(call.allow())
        })
    });
    let failed = host.intercept(Moment::tool_call("bash", json!({})))?;
    assert!(failed.blocked().unwrap().starts_with("guard strict failed: "), "{failed:?}");
    let panicked = host.intercept(Moment::tool_call("panic", json!({})))?;
    assert_eq!(panicked.blocked(), Some("guard strict failed: panic: no idea"));
    assert_eq!(host.stderr().len(), 2);
    assert_eq!(host.stderr()[1], "guard strict failed: panic: no idea");
    Ok(())
}

#[test]
fn a_guard_without_a_decision_is_decided_for_before_the_host_gives_up() -> Result<(), Failure> {
    let limits = Limits { intercept_timeout_ms: Some(600), ..Limits::default() };
    let mut host = Host::builder().limits(limits).start(|| {
        Extension::new("a", "1")
            .guard("oracle", async |_, ctx| {
                ctx.cancellation().await;
            })
            .intercept(point::TurnStart, async |_, ctx| {
                ctx.cancellation().await;
            })
            .on_failure(point::TurnStart, OnFailure::Allow)
    })?;
    let ruling = host.intercept(Moment::tool_call("bash", json!({})))?;
    assert_eq!(ruling.blocked(), Some("guard oracle timed out"));
    assert_eq!(host.intercept(Moment::turn_start(1))?, Ruling::Allowed);
    assert!(host.stderr()[0].starts_with("oracle did not decide on tool_call in time"));
    Ok(())
}

#[test]
fn each_point_knows_its_own_change() -> Result<(), Failure> {
    let mut host = Host::new(|| {
        Extension::new("a", "1")
            .intercept(point::AssistantMessage, async |message, _| {
                (message.text() == "damn").then(|| message.replace("d***"))
            })
            .intercept(point::BeforeAgentStart, async |start, _| {
                let (model, cwd) = (start.model(), start.cwd().display());
                start.system_prompt(format!("{} with {model} in {cwd}", start.current_prompt()))
            })
    });
    let message = |text: &str| Moment::assistant_message(text);
    assert_eq!(host.intercept(message("damn"))?, Ruling::Replaced("d***".to_owned()));
    assert_eq!(host.intercept(message("fine"))?, Ruling::Allowed);
    let start = Moment::before_agent_start("You code")
        .with(|payload| payload.cwd = Some("/project".to_owned()));
    assert_eq!(
        host.intercept(start)?,
        Ruling::SystemPrompt("You code with testing in /project".to_owned())
    );
    Ok(())
}

#[test]
fn who_does_not_ask_to_be_asked_is_not_asked() -> Result<(), Failure> {
    let mut host = Host::new(|| Extension::new("a", "1"));
    let frames = host.transcript().iter().len();
    assert!(host.intercept(Moment::turn_start(1))?.is_allowed());
    assert_eq!(host.transcript().iter().len(), frames);
    Ok(())
}

#[test]
fn an_intercept_that_is_not_answered_fails_the_step() -> Result<(), Failure> {
    let mut host = Host::builder().deadline(Duration::from_millis(100)).start(|| {
        Extension::new("a", "1").intercept(point::TurnStart, async |_, ctx| {
            ctx.cancellation().await;
        })
    })?;
    let failure = host.intercept(Moment::turn_start(1)).unwrap_err().to_string();
    assert!(
        failure.starts_with("the extension did not answer at turn_start within 100ms"),
        "{failure}"
    );
    Ok(())
}
