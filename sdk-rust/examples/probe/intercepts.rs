//! Its interceptors and guards.

use std::path::Path;
use std::thread;
use std::time::Duration;

use extline::prelude::*;
use extline::tokio::time::sleep;

/// Interceptors and guards that do what the call's `do` says.
pub(crate) fn intercepting(probe: Extension) -> Extension {
    probe
        .intercept(point::ToolCall, async |call, _| {
            let mut args: Value = call.args_as()?;
            match what(&args) {
                "block" => return Ok(call.block("the interceptor says no")),
                "no object" => return Ok(call.rewrite(json!(["no object"]))),
                "panic first" => panic!("in the interceptor"),
                "rewrite" => args["path"] = "first".into(),
                _ => return Ok(call.allow()),
            }
            Ok(call.rewrite(args))
        })
        .intercept(point::ToolCall, async |call, _| {
            let mut args: Value = call.args_as()?;
            if args["path"] != "first" {
                return Ok(None);
            }
            args["path"] = "second".into();
            Ok(Some(call.rewrite(args)))
        })
        .guard("paths", async |call, _| {
            let args: Value = call.args_as()?;
            match what(&args) {
                "panic" => panic!("in the guard"),
                "fail" => Err(ToolError::from("x".parse::<u8>().unwrap_err())),
                "hang" => {
                    sleep(Duration::from_secs(60)).await;
                    Ok(call.allow())
                }
                "keep until" => {
                    while !Path::new(args["file"].as_str().unwrap_or_default()).exists() {
                        thread::sleep(Duration::from_millis(1));
                    }
                    Ok(call.allow())
                }
                _ if args["path"] == "second" => Ok(call.block(format!("sees {}", call.args()))),
                _ => Ok(call.allow()),
            }
        })
        .guard("tools", async |call, _| {
            if call.tool() == "forbidden" { call.block("no such thing here") } else { call.allow() }
        })
        .intercept(point::TurnStart, async |turn, _| {
            (turn.step() > 9).then(|| turn.block("enough"))
        })
        .intercept(point::AssistantMessage, async |message, _| {
            message.replace(message.text().replace('a', "b"))
        })
        .intercept(point::AssistantMessage, async |message, _| {
            if message.text().contains('a') { message.block("an a") } else { message.allow() }
        })
        .intercept(point::BeforeAgentStart, async |start, _| {
            assert!(!start.current_prompt().is_empty(), "no prompt");
            start.system_prompt(format!("{} in {}", start.current_prompt(), start.cwd().display()))
        })
}

fn what(args: &Value) -> &str {
    args["do"].as_str().unwrap_or_default()
}
