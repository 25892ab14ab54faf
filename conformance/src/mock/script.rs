//! What a mock does when a host does something.

use std::time::Duration;

use serde_json::Value;

/// One thing that a host does, and what comes of it.
#[derive(Clone, Debug)]
pub(super) struct Script {
    pub(super) opening: Opening,
    pub(super) steps: Vec<Step>,
    /// The file it comes from, as it was named.
    pub(super) file: String,
    /// How often it was played.
    pub(super) played: u64,
}

/// What begins a script.
#[derive(Clone, Debug)]
pub(super) enum Opening {
    /// The start of the process.
    Start,
    /// `hello_ack`.
    Acknowledged,
    /// A frame like this one.
    Frame(Value),
}

#[derive(Clone, Debug)]
pub(super) enum Step {
    /// Writes these bytes to stdout, the LF included.
    Say(Vec<u8>),
    /// Writes a line to stderr.
    Stderr(String),
    Wait(Duration),
    /// Waits until the host sends a frame of one of these types with this id.
    Await(&'static [&'static str], String),
    /// Closes stdout and lives on.
    Close,
    /// The process ends.
    Exit(super::Ended),
}

/// How a mock ends when it is told to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// With this status.
    Status(i32),
    /// Not before it is killed.
    Killed,
}

impl Script {
    pub(super) fn new(opening: Opening, file: &str) -> Self {
        Self { opening, steps: Vec::new(), file: file.to_owned(), played: 0 }
    }

    pub(super) fn frame(&self) -> Option<&Value> {
        match &self.opening {
            Opening::Frame(frame) => Some(frame),
            _ => None,
        }
    }
}

/// What a frame of the host is asked with, and with what types of frames it is answered.
pub(super) fn asked_by(answer: &str) -> Option<&'static str> {
    Some(match answer {
        "tool_result" | "tool_update" => "tool_call",
        "command_response" => "command_invoked",
        "event_intercept_response" => "event_intercept",
        "response" | "response_part" => "request",
        _ => return None,
    })
}

/// What follows a question of the host, under the same id.
pub(super) fn cancelled_by(cancel: &str) -> Option<&'static str> {
    match cancel {
        "tool_cancel" => Some("tool_call"),
        "cancel" => Some("request"),
        _ => None,
    }
}

/// The types of frames with which a host answers a question of the extension.
pub(super) fn answers_to(question: &str) -> Option<&'static [&'static str]> {
    match question {
        "call_tool" => Some(&["tool_result"]),
        "request" => Some(&["response", "response_part"]),
        _ => None,
    }
}

/// The members that say what a host asks; the others differ from time to time.
pub(super) fn is_same_question(one: &Value, other: &Value) -> bool {
    let members: &[&str] = match one["type"].as_str().unwrap_or_default() {
        "tool_call" | "command_invoked" => &["name", "args"],
        "event_intercept" => &["event", "phase", "tool_name", "tool_args", "text"],
        "event" => &["event", "tool_name", "tool_args", "text", "step"],
        "request" => &["method", "params"],
        "panel_key" => &["panel_id", "key", "text"],
        "panel_resize" | "panel_close" => &["panel_id"],
        _ => &[],
    };
    one["type"] == other["type"] && members.iter().all(|it| is_same(&one[*it], &other[*it]))
}

/// The same kind of question about something else.
pub(super) fn is_same_kind(one: &Value, other: &Value) -> bool {
    let members: &[&str] = match one["type"].as_str().unwrap_or_default() {
        "event" => &["event"],
        "event_intercept" => &["event", "phase", "tool_name"],
        _ => return false,
    };
    one["type"] == other["type"] && members.iter().all(|it| one[*it] == other[*it])
}

/// Absent, null and empty arguments are the same; so are numbers of one value.
fn is_same(one: &Value, other: &Value) -> bool {
    let is_empty = |value: &Value| match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Object(members) => members.is_empty(),
        _ => false,
    };
    is_empty(one) && is_empty(other) || extline_scenario::differences(one, other).is_empty()
}
