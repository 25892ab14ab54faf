//! What the driver of our own host answers to each request.

use std::rc::Rc;

use extline_host::services::agent::AgentState;
use extline_host::services::secret::Get;
use extline_host::{
    Agent, AgentStart, Asked, CallError, CallOptions, CommandOutcome, ExtensionState, Host, Panel,
    PromptDecision, UserPrompt,
};
use extline_protocol::RawJson;
use extline_protocol::frame::{EventPayload, SessionInfo, ToolResult};
use serde_json::{Value, json};
use tokio::sync::oneshot;

use super::state::{State, deadlines};
use crate::content::json_of_result;

/// Any will do.
const SEED: u64 = 1;

/// What the driver says.
pub(super) enum DriverAnswer {
    Ok(Value),
    Unsupported(String),
    Error(String),
}

/// As much of an agent as a driver has.
fn agent() -> Agent {
    let abort = |_, _| async {};
    Agent::new()
        .state(|| async { AgentState::default() })
        .abort(abort)
        .models(|| async { Vec::new() })
        .tools()
}

/// Does what is asked.
pub(super) async fn answer(state: &Rc<State>, request: &Value) -> DriverAnswer {
    let text = |name: &str| request[name].as_str().unwrap_or_default();
    let op = text("op");
    if op == "start" {
        return start(state, request.clone()).await;
    }
    let Some(host) = state.host() else {
        return DriverAnswer::Error("the host has not been started".to_owned());
    };
    DriverAnswer::Ok(match op {
        "extensions" => host.extensions().iter().map(extension).collect(),
        "tools" => host.tools().iter().map(|tool| tool_json(tool)).collect(),
        "commands" => {
            let commands = host.commands().into_iter();
            commands.map(|it| json!({"name": it.name(), "extension": it.extension})).collect()
        }
        "told" => Value::Array(state.told()),
        "call" => call(state, &host, request).await,
        "request" => requested(&host, request).await,
        "cancel" => {
            let number = request["call"].as_u64().unwrap_or_default();
            let cancel = state.cancels.borrow_mut().remove(&number);
            Value::Bool(cancel.is_some_and(|cancel| cancel.send(()).is_ok()))
        }
        "command" => command(&host, text("name"), text("args")).await,
        "event" => {
            host.emit(text("event"), payload(&request["payload"]));
            Value::Null
        }
        "intercept" => return intercept(&host, text("event"), request).await,
        "panels" => host.panels().iter().map(panel).collect(),
        "panel" => return on_panel(&host, request),
        "asked" => state.person.asked(),
        "answer" => Value::Bool(state.person.answer(request["answer"].clone())),
        "shown" => state.person.shown(|name| {
            let is_ready = |it: &extline_host::ExtensionStatus| {
                it.name == name && matches!(it.state, ExtensionState::Ready)
            };
            host.extensions().iter().any(is_ready)
        }),
        "session" => return turn_to(&host, request).await,
        "remove" => json!(host.remove(text("extension")).await.is_some()),
        "stop" => {
            drop(host);
            state.stop().await;
            Value::Null
        }
        "reload" => {
            // As the user's agent does it: the host ends, and another one starts.
            drop(host);
            state.stop().await;
            return start(state, state.started_with()).await;
        }
        op => return DriverAnswer::Unsupported(format!("there is no op {op:?}")),
    })
}

async fn start(state: &Rc<State>, request: Value) -> DriverAnswer {
    let asked = request["deadlines"].is_object();
    if asked && state.profile.fixed_deadlines {
        let why = format!("the deadlines of {} are fixed", state.profile.name);
        return DriverAnswer::Unsupported(why);
    }
    let path = |name: &str| request[name].as_str().unwrap_or_default().to_owned();
    let words = |name: &str| -> Vec<String> {
        let words = request[name].as_array().into_iter().flatten();
        words.filter_map(Value::as_str).map(str::to_owned).collect()
    };
    let mut builder = Host::builder()
        .host("extline-host-driver", env!("CARGO_PKG_VERSION"))
        .home(path("home"))
        .cwd(path("cwd"))
        .profile(state.profile.clone())
        // A zot's chances are the same in each run: what it does then is a baseline's.
        .seed(SEED)
        .deadlines(deadlines(&request))
        .builtin_tools(words("builtin_tools"))
        .builtin_commands(words("builtin_commands"));
    if let Some(id) = request["session"].as_str() {
        builder = builder.session(session(id));
    }
    let given = request["secrets"].clone();
    builder = builder.secrets(move |asked: Asked<Get>| {
        let found = given[&asked.extension][&asked.params.name].as_str().map(str::to_owned);
        async move { found }
    });
    let kept = builder.state_file();
    builder = builder.state(kept);
    for folder in words("extensions") {
        builder = builder.folder(folder);
    }
    builder = state
        .person
        .before(builder.run_programs().pending_actions().agent(agent()), request["person"] == true);
    state.begin(builder.start().await, request);
    DriverAnswer::Ok(Value::Null)
}

fn session(id: &str) -> SessionInfo {
    SessionInfo { id: id.to_owned(), generation: None }
}

/// Another conversation is served from now on, one that branches off or not.
async fn turn_to(host: &Host, request: &Value) -> DriverAnswer {
    let session = session(request["session"].as_str().unwrap_or_default());
    let turned = if request["branch"] == true {
        host.fork_session(session, None).await
    } else {
        host.switch_session(session).await
    };
    match turned {
        Ok(()) => DriverAnswer::Ok(Value::Null),
        Err(error) => DriverAnswer::Error(error.message),
    }
}

fn tool_json(tool: &extline_host::Tool) -> Value {
    let schema = serde_json::from_str::<Value>(tool.definition.schema.get()).unwrap_or_default();
    json!({"name": tool.name(), "extension": tool.extension, "schema": schema})
}

fn extension(status: &extline_host::ExtensionStatus) -> Value {
    let (state, problem) = match &status.state {
        ExtensionState::Starting => ("starting", None),
        ExtensionState::Ready => ("ready", None),
        ExtensionState::Failed(diagnosis) => ("failed", Some(diagnosis.to_string())),
        _ => ("ended", None),
    };
    json!({"name": status.name, "state": state, "problem": problem})
}

async fn call(state: &Rc<State>, host: &Host, request: &Value) -> Value {
    let number = request["id"].as_u64().unwrap_or_default();
    let (cancel, mut cancelled) = oneshot::channel();
    state.cancels.borrow_mut().insert(number, cancel);
    let tool = request["tool"].as_str().unwrap_or_default();
    let args = request["args"].as_str().unwrap_or("{}");
    let outcome = async {
        let mut call = host.start_call(tool, args, CallOptions::default()).await?;
        let is_cancelled = loop {
            tokio::select! {
                update = call.update() => if update.is_none() { break false },
                order = &mut cancelled => break order.is_ok(),
            }
        };
        if is_cancelled {
            call.cancel("the user said so");
        }
        call.outcome().await
    }
    .await;
    state.cancels.borrow_mut().remove(&number);
    match outcome {
        Ok(result) => json!({"result": result_json(&result)}),
        Err(error) => failure(&error),
    }
}

/// What an extension answers to a request, with the parts that came before.
async fn requested(host: &Host, request: &Value) -> Value {
    let text = |name: &str| request[name].as_str().unwrap_or_default();
    let params = request.get("params").map(|params| RawJson::from(params.clone()));
    let options = CallOptions::default();
    let mut sent = match host.start_request(text("extension"), text("method"), params, options) {
        Ok(sent) => sent,
        Err(error) => return failure(&error),
    };
    let mut parts: Vec<Value> = Vec::new();
    while let Some(part) = sent.part().await {
        parts.push(serde_json::from_str(part.get()).unwrap_or_default());
    }
    match sent.outcome().await {
        Ok(result) => {
            let result: Value = serde_json::from_str(result.get()).unwrap_or_default();
            json!({"result": result, "parts": parts})
        }
        Err(error) => failure(&error),
    }
}

fn result_json(result: &ToolResult) -> Value {
    serde_json::from_str(json_of_result(result).get()).unwrap_or_default()
}

fn failure(error: &CallError) -> Value {
    json!({"error": {"kind": error.kind().to_string(), "message": error.to_string()}})
}

async fn command(host: &Host, name: &str, args: &str) -> Value {
    match host.command(name, args).await {
        Ok(CommandOutcome::Prompt(text)) => json!({"action": "prompt", "text": text}),
        Ok(CommandOutcome::Insert(text)) => json!({"action": "insert", "text": text}),
        Ok(CommandOutcome::Display(text)) => json!({"action": "display", "text": text}),
        Ok(CommandOutcome::OpenPanel(it)) => json!({"action": "open_panel", "panel": it.id()}),
        Ok(CommandOutcome::ToolPrompt { prompt, tool, .. }) => {
            json!({"action": "tool_prompt", "text": prompt, "tool": tool})
        }
        Ok(_) => json!({"action": "noop"}),
        Err(error) => failure(&error),
    }
}

fn payload(payload: &Value) -> EventPayload {
    let text = |name: &str| payload[name].as_str().map(str::to_owned);
    EventPayload {
        step: payload["step"].as_u64(),
        text: text("text"),
        stop: text("stop"),
        tool_name: text("tool_name"),
        ..EventPayload::default()
    }
}

async fn intercept(host: &Host, event: &str, request: &Value) -> DriverAnswer {
    let text = request["text"].as_str().unwrap_or_default();
    let outcome = match event {
        "turn_start" => host.intercept_turn_start(1).await.map(|()| String::new()),
        "assistant_message" => host.intercept_assistant_message(text).await,
        "before_agent_start" => {
            let system_prompt = text.to_owned();
            let start = AgentStart { system_prompt, ..AgentStart::default() };
            Ok(host.intercept_before_agent_start(start).await)
        }
        "user_prompt_submit" => {
            let prompt = UserPrompt { text: text.to_owned(), ..UserPrompt::default() };
            match host.intercept_user_prompt_submit(prompt).await {
                Ok(PromptDecision::Handled { by }) => {
                    return DriverAnswer::Ok(json!({ "handled": by }));
                }
                Ok(PromptDecision::Send(text)) => Ok(text),
                Ok(other) => return DriverAnswer::Error(format!("not known: {other:?}")),
                Err(blocked) => Err(blocked),
            }
        }
        event => {
            return DriverAnswer::Unsupported(format!("nobody is asked about {event} by itself"));
        }
    };
    DriverAnswer::Ok(match outcome {
        Ok(text) => json!({"text": text}),
        Err(blocked) => json!({"blocked": blocked.reason, "by": blocked.by}),
    })
}

fn panel(panel: &Panel) -> Value {
    let view = panel.view();
    json!({
        "extension": panel.extension(), "panel": panel.id(),
        "title": view.title, "lines": view.lines, "footer": view.footer,
    })
}

fn on_panel(host: &Host, request: &Value) -> DriverAnswer {
    let text = |name: &str| request[name].as_str();
    let is_meant = |panel: &&Panel| {
        Some(panel.id()) == text("panel") && Some(panel.extension()) == text("extension")
    };
    let panels = host.panels();
    let Some(panel) = panels.iter().find(is_meant) else { return DriverAnswer::Ok(json!(false)) };
    let size = |at: usize| {
        let number = request["size"][at].as_u64()?;
        u32::try_from(number).ok()
    };
    let done = match (text("key"), text("text"), size(0).zip(size(1))) {
        (Some(key), _, _) => panel.key(key),
        (_, Some(text), _) => panel.text(text),
        (_, _, Some((columns, lines))) => panel.resize(columns, lines),
        _ if request["close"] == true => panel.close(),
        _ => return DriverAnswer::Error("a panel gets key, text, size or close".to_owned()),
    };
    DriverAnswer::Ok(json!(done))
}
