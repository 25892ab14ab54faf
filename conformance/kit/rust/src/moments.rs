//! Events and interceptors.

use std::io;
use std::rc::Rc;
use std::time::Duration;

use extline::prelude::*;
use extline::tokio::time::sleep;
use extline::{AgentStart, Message, ModelCall, Replacement, ToolAnswer, UserPrompt};

use crate::MESSAGE;
use crate::memory::Memory;

const EVENTS: [&str; 5] =
    ["session_start", "turn_start", "turn_end", "tool_call", "assistant_message"];

pub(crate) fn add(kit: Extension, memory: &Rc<Memory>) -> Extension {
    let listening = EVENTS.into_iter().fold(kit, |kit, name| {
        let memory = Rc::clone(memory);
        kit.on(name, async move |event, _| record(&event, &memory).await)
    });
    let memory = Rc::clone(memory);
    let some = async move |event, _| record(&event, &memory).await;
    listening
        .on_tools("tool_result", ["bash", "mcp_*"], some)
        .intercept(point::ToolCall, first)
        .intercept(point::ToolCall, second)
        .intercept(point::TurnStart, turn_start)
        .intercept(point::AssistantMessage, assistant_message)
        .intercept(point::BeforeAgentStart, before_agent_start)
        .intercept(point::ToolResult, tool_result)
        .intercept(point::UserPromptSubmit, user_prompt_submit)
        .guard("kit", guard)
        .on_failure(point::TurnStart, OnFailure::Allow)
        .on_failure(point::ToolResult, OnFailure::Block)
}

async fn record(event: &Event, memory: &Memory) -> Result<(), ToolError> {
    let payload = &event.payload;
    if event.event == "turn_start" && payload.step.is_some_and(|step| step % 10 == 0) {
        sleep(Duration::from_millis(20)).await;
    }
    let step = payload.step.map(|step| step.to_string());
    let parts = [Some(event.event.clone()), step, payload.tool_name.clone(), payload.text.clone()];
    let label = parts.into_iter().flatten().collect::<Vec<_>>().join(" ");
    memory.labels.borrow_mut().push(label);
    memory.tell();
    if event.event == "turn_end" && payload.error.as_deref() == Some("throw") {
        return Err(broken());
    }
    Ok(())
}

async fn first(call: ToolUse, _: Context) -> Result<Decision, ToolError> {
    let mut args: Value = call.args_as()?;
    match args["do"].as_str().unwrap_or_default() {
        "block" => Ok(call.block("the kit says no")),
        "rewrite" => {
            args["first"] = true.into();
            Ok(call.rewrite(args))
        }
        "throw" => Err(broken()),
        "hang" => {
            sleep(Duration::from_secs(60)).await;
            Ok(call.allow())
        }
        "late" => {
            sleep(Duration::from_millis(700)).await;
            Ok(call.block("too late"))
        }
        _ => Ok(call.allow()),
    }
}

async fn second(call: ToolUse, _: Context) -> Result<Option<Decision>, ToolError> {
    let mut args: Value = call.args_as()?;
    if args["first"] != true {
        return Ok(None);
    }
    args["second"] = true.into();
    Ok(Some(call.rewrite(args)))
}

async fn guard(call: GuardedCall, ctx: Context) -> Result<Verdict, ToolError> {
    let args: Value = call.args_as()?;
    match args["do"].as_str().unwrap_or_default() {
        "veto" => Ok(call.block("vetoed")),
        "veto_unless" => Ok(call.ask("it is grave")),
        "veto_throw" => Err(broken()),
        "veto_ask" if !ctx.ui().confirm("May it?").await? => Ok(call.block("the person says no")),
        "veto_hang" => {
            sleep(Duration::from_secs(60)).await;
            Ok(call.allow())
        }
        _ if args["second"] == true && args["veto"] == true => Ok(call.block("saw second")),
        _ => Ok(call.allow()),
    }
}

async fn turn_start(turn: ModelCall, _: Context) -> Result<Decision, ToolError> {
    match turn.step() {
        900 => Ok(turn.block("enough")),
        901 => Err(broken()),
        _ => Ok(turn.allow()),
    }
}

async fn assistant_message(message: Message, _: Context) -> Result<Decision, ToolError> {
    match message.text() {
        "throw" => Err(broken()),
        "erase" => Ok(message.replace("")),
        text if text.contains("forbidden") => Ok(message.block("an unkind word")),
        text if text.contains("plain") => Ok(message.replace(text.replace("plain", "better"))),
        _ => Ok(message.allow()),
    }
}

async fn before_agent_start(start: AgentStart, _: Context) -> Result<Decision, ToolError> {
    match start.current_prompt() {
        "throw" => Err(broken()),
        "remove" => Ok(start.system_prompt("")),
        "keep" => Ok(start.allow()),
        prompt => Ok(start.system_prompt(format!("{prompt} (kit)"))),
    }
}

async fn tool_result(answer: ToolAnswer, _: Context) -> Result<Decision, ToolError> {
    let cut = Replacement::new().content(["***"]);
    match &*answer.text() {
        "throw" => Err(broken()),
        "withhold" => Ok(answer.withhold("not for you")),
        "fail" => Ok(answer.fail("it was no good")),
        "cut" => Ok(answer.replace(cut)),
        "all" => {
            let all = cut.structured_content(json!({"n": 1})).details(json!({"d": 2}));
            Ok(answer.replace(all.is_error(false)))
        }
        _ => Ok(answer.allow()),
    }
}

async fn user_prompt_submit(prompt: UserPrompt, _: Context) -> Result<Decision, ToolError> {
    match prompt.text() {
        "throw" => Err(broken()),
        "handled" => Ok(prompt.handled()),
        text if text.contains("forbidden") => Ok(prompt.block("not here")),
        text if text.contains("plain") => Ok(prompt.replace(text.replace("plain", "better"))),
        _ => Ok(prompt.allow()),
    }
}

fn broken() -> ToolError {
    io::Error::other(MESSAGE).into()
}
