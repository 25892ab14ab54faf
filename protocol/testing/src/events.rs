//! What the session says of the extension, as JSON text.

use std::collections::HashMap;

use extline_protocol::{CallKey, HostEvent};
use serde_json::json;

use crate::frames::{frame, object};
use crate::host::Open;

/// Something that the session has said of the extension.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// Its name: `hello`, `tool_result`, ... Empty for what is of processes only.
    pub name: &'static str,
    /// The serial of the call that it belongs to, or 0. The host's calls and the extension's are
    /// counted apart.
    pub serial: u64,
    /// What it says: mostly the frame.
    pub json: String,
}

/// An event as JSON text; `open` has the calls that are not answered.
pub(crate) fn seen(event: HostEvent, open: &mut Open) -> Seen {
    let mut answered = |key: CallKey| {
        open.calls.remove(&key.serial());
        key.serial()
    };
    let (name, serial, json) = match event {
        HostEvent::Hello(hello) => ("hello", 0, frame(&hello)),
        HostEvent::HandshakeFailed(error) => ("handshake_failed", 0, text(&error.to_string())),
        HostEvent::RegisterTool(tool) => ("register_tool", 0, frame(&tool)),
        HostEvent::UnregisterTool(name) => ("unregister_tool", 0, text(&name)),
        HostEvent::RegisterCommand(command) => ("register_command", 0, frame(&command)),
        HostEvent::Subscribe(subscribe) => ("subscribe", 0, frame(&subscribe)),
        HostEvent::Rejected(rejection) => ("rejected", 0, object(&rejection)),
        HostEvent::Ready => ("ready", 0, nothing()),
        HostEvent::ToolResult { key, result } => ("tool_result", answered(key), frame(&result)),
        HostEvent::ToolUpdate { key, update } => ("tool_update", key.serial(), frame(&update)),
        HostEvent::CommandResponse { key, response } => {
            ("command_response", answered(key), frame(&response))
        }
        HostEvent::InterceptResponse { key, response } => {
            ("intercept_response", answered(key), frame(&response))
        }
        HostEvent::CallFailed { key, error } => ("call_failed", answered(key), object(&error)),
        HostEvent::CallTool { key, call } => {
            ("call_tool", remember(&mut open.asked, key), frame(&call))
        }
        HostEvent::Request { key, request } => {
            ("request", remember(&mut open.asked, key), frame(&request))
        }
        HostEvent::Cancelled { key } => {
            open.asked.remove(&key.serial());
            ("cancelled", 0, nothing())
        }
        HostEvent::ResponsePart { key, data, .. } => {
            ("response_part", key.serial(), data.get().to_owned())
        }
        HostEvent::Response { key, result: Ok(result) } => {
            ("response", answered(key), result.get().to_owned())
        }
        HostEvent::Response { key, result: Err(error) } => {
            ("refusal", answered(key), object(&error))
        }
        HostEvent::Notify { level, message } => {
            ("notify", 0, json!([level.as_str(), message]).to_string())
        }
        HostEvent::ClearNotes => ("clear_notes", 0, nothing()),
        HostEvent::Log(log) => ("log", 0, frame(&log)),
        HostEvent::Submit(prompt) | HostEvent::SubmitSlash(prompt) => ("submit", 0, text(&prompt)),
        HostEvent::OpenPanel(panel) => ("open_panel", 0, object(&panel)),
        HostEvent::PanelRender(render) => ("panel_render", 0, frame(&render)),
        HostEvent::PanelClose(id) => ("panel_close", 0, text(&id)),
        HostEvent::ShutdownAck => ("shutdown_ack", 0, nothing()),
        HostEvent::Notice(notice) => ("notice", 0, text(&notice.to_string())),
        // The rest is of processes.
        _ => ("", 0, nothing()),
    };
    Seen { name, serial, json }
}

fn remember(keys: &mut HashMap<u64, CallKey>, key: CallKey) -> u64 {
    let serial = key.serial();
    keys.insert(serial, key);
    serial
}

fn text(text: &str) -> String {
    json!(text).to_string()
}

fn nothing() -> String {
    "null".to_owned()
}
