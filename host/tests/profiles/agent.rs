//! The agent of the recordings: what a zot does with a prompt, and a model that follows a plan.

use std::sync::Arc;
use std::time::Duration;

use extline_host::protocol::RawJson;
use extline_host::protocol::frame::EventPayload;
use extline_host::{CallOptions, Host};
use serde_json::{Value, json};
use tokio::time::sleep;

/// How long the model thinks, and before it the user, or the agent about the results of tools. It
/// keeps turns apart: the events of one are written in any order, but not across two.
const THINKING: Duration = Duration::from_millis(5);

/// Takes a prompt to its end: an object with the turns of the model, or a text, which the model
/// echoes.
pub(crate) async fn prompt(host: Arc<Host>, prompt: Value) {
    for step in 1.. {
        sleep(THINKING).await;
        let number = EventPayload { step: Some(step), ..EventPayload::default() };
        host.emit("turn_start", number);
        if let Err(blocked) = host.intercept_turn_start(step).await {
            let error = Some(blocked.reason);
            end_turn(&host, "error", error);
            return;
        }
        sleep(THINKING).await;
        let turn = turn(&prompt, step);
        let calls = turn["calls"].as_array().cloned().unwrap_or_default();
        say(&host, turn["text"].as_str()).await;
        for (index, call) in calls.iter().enumerate() {
            host.emit("tool_call", payload_of(index, call));
        }
        end_turn(&host, if calls.is_empty() { "end" } else { "tool_use" }, None);
        for call in &calls {
            let name = call[0].as_str().unwrap();
            let args = expand(&call[1]).to_string();
            // What failed is told to the model, and the model of the plan does not mind.
            if let Ok(call) = host.start_call(name, &args, CallOptions::default()).await {
                let _ = call.outcome().await;
            }
        }
        if calls.is_empty() {
            return;
        }
    }
}

async fn say(host: &Host, text: Option<&str>) {
    let text = match text {
        Some(text) => match host.intercept_assistant_message(text).await {
            Ok(text) => Some(text),
            Err(_) => return,
        },
        None => None,
    };
    host.emit("assistant_message", EventPayload { text, ..EventPayload::default() });
}

fn end_turn(host: &Host, stop: &str, error: Option<String>) {
    let stop = Some(stop.to_owned());
    host.emit("turn_end", EventPayload { stop, error, ..EventPayload::default() });
}

fn payload_of(index: usize, call: &Value) -> EventPayload {
    EventPayload {
        tool_id: Some(format!("call_{}", index + 1)),
        tool_name: call[0].as_str().map(str::to_owned),
        tool_args: Some(RawJson::from(expand(&call[1]))),
        ..EventPayload::default()
    }
}

/// What the model says at that step.
fn turn(prompt: &Value, step: u64) -> Value {
    match &prompt["turns"] {
        Value::Array(turns) => {
            let index = usize::try_from(step).unwrap() - 1;
            turns.get(index).cloned().unwrap_or_else(|| json!({"text": "done"}))
        }
        _ => json!({"text": format!("echo: {}", prompt.as_str().unwrap())}),
    }
}

/// Arguments with their repetitions written out.
fn expand(args: &Value) -> Value {
    match args {
        Value::Object(members) => match members.get("$repeat") {
            Some(repeat) => {
                let count = usize::try_from(repeat[1].as_u64().unwrap()).unwrap();
                repeat[0].as_str().unwrap().repeat(count).into()
            }
            None => members.iter().map(|(name, value)| (name.clone(), expand(value))).collect(),
        },
        other => other.clone(),
    }
}
