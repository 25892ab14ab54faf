//! Which agent asks. VS Code runs the hooks that stand in the files of Claude Code and of Copilot CLI, and the
//! runtime of Copilot those of Claude Code. The line says whose file it is, and stdin who asks: an answer in
//! the words of another is not obeyed, so that a call which a guard blocks would run.

use serde_json::{Map, Value};

use super::dialects::Dialect;

const VSCODE: &str = "vscode";
const EVENTS: [&str; 2] = ["hookEventName", "hook_event_name"];
const TOOL: &str = "tool_name";

/// The agent that sent this to a hook which was written for an agent.
pub(super) fn asker(writer: &'static Dialect, sent: &Map<String, Value>) -> &'static Dialect {
    let text = |name: &str| sent.get(name).and_then(Value::as_str);
    let is_vscode = match writer.id {
        // Claude Code tells neither of the first two, and always the third.
        "claude" => {
            let has_time = text("timestamp").is_some() && !sent.contains_key("permission_mode");
            text("hookEventName").is_some() || has_time
        }
        // Copilot CLI has `toolName`, and its events begin with a small letter.
        "copilot" => {
            let mut events = EVENTS.into_iter().filter_map(text);
            sent.contains_key(TOOL) || events.any(|event| writer.kind(event).is_none())
        }
        _ => false,
    };
    let vscode = is_vscode.then(|| Dialect::of(VSCODE)).flatten();
    vscode.unwrap_or(writer)
}
