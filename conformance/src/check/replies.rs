//! Checks of the answers of an extension.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::{Finding, Observed, Outcome, each};
use crate::conversation::is_unknown;

/// One answer for each call, and none for what was never asked (`tool.one-reply` and its like).
pub(super) fn one_reply(observed: &Observed<'_>) -> Outcome {
    let mut asked: BTreeMap<(&str, String), usize> = BTreeMap::new();
    for frame in observed.sent() {
        if let (Some(kind), Some(id)) = (answer_to(frame), frame["id"].as_str()) {
            *asked.entry((kind, id.to_owned())).or_default() += 1;
        }
    }
    if asked.is_empty() {
        return Outcome::Nothing;
    }
    let mut findings = Vec::new();
    for arrived in observed.frames {
        let Ok(frame) = &arrived.frame else { continue };
        let Some(kind) = ANSWERS.iter().find(|kind| frame["type"] == **kind) else { continue };
        let Some(id) = frame["id"].as_str() else { continue };
        let text = match asked.get_mut(&(*kind, id.to_owned())) {
            Some(0) => format!("a second {kind} for the id {id:?}"),
            None => format!("a {kind} for the id {id:?}, which nobody asked"),
            Some(left) => {
                *left -= 1;
                continue;
            }
        };
        findings.push(Finding { text, record: arrived.record });
    }
    Outcome::Found(findings)
}

/// The content of a result is an array of blocks (`tool.content`).
pub(super) fn content(observed: &Observed<'_>) -> Outcome {
    each(observed, &["tool_result"], |frame| {
        let Some(blocks) = frame["content"].as_array() else {
            return vec![format!(
                "/content is {}, and must be an array",
                kind_of(&frame["content"])
            )];
        };
        let problem = |(place, block): (usize, &Value)| match block["type"].as_str() {
            Some("text") if block["text"].is_string() => None,
            Some("text") => Some(format!("/content/{place}/text must be a string")),
            Some("image") if block["data"].is_string() && block["mime_type"].is_string() => None,
            Some("image") => {
                Some(format!("/content/{place} needs data and mime_type, both strings"))
            }
            _ => Some(format!("/content/{place}/type must be \"text\" or \"image\"")),
        };
        blocks.iter().enumerate().filter_map(problem).collect()
    })
}

/// A result with an `error` says `is_error` and has readable text (`tool.error`).
pub(super) fn error_flag(observed: &Observed<'_>) -> Outcome {
    let mut errors = false;
    let outcome = each(observed, &["tool_result"], |frame| {
        if frame.get("error").is_none_or(Value::is_null) {
            return Vec::new();
        }
        errors = true;
        let mut problems = Vec::new();
        if frame["is_error"] != true {
            problems.push("a result with an error, and /is_error is not true".to_owned());
        }
        let texts = frame["content"].as_array();
        let readable = |block: &Value| block["text"].as_str().is_some_and(|text| !text.is_empty());
        if !texts.is_some_and(|blocks| blocks.iter().any(readable)) {
            problems.push("a result with an error, and no text in /content".to_owned());
        }
        problems
    });
    if errors { outcome } else { Outcome::Nothing }
}

/// The data of an image is standard base64 with padding (`tool.image`).
pub(super) fn images(observed: &Observed<'_>) -> Outcome {
    each_image(observed, |_, data| {
        let letters = data.trim_end_matches('=');
        let standard = |byte: u8| byte.is_ascii_alphanumeric() || b"+/".contains(&byte);
        let padded = data.len().is_multiple_of(4) && data.len() - letters.len() <= 2;
        (!padded || !letters.bytes().all(standard))
            .then(|| "/data is no standard base64 with padding".to_owned())
    })
}

/// What the bytes of an image begin with says of which format they are (`tool.image-type`).
pub(super) fn image_types(observed: &Observed<'_>) -> Outcome {
    each_image(observed, |mime_type, data| {
        if data.is_empty() {
            return Some("/data is empty: there is no image".to_owned());
        }
        // In base64: 89 50 4E 47 0D 0A; FF D8 FF; GIF8; RIFF, and WEBP behind the length.
        let is_webp = data.starts_with("UklGR") && data.get(12..16) == Some("RUJQ");
        let formats = [
            (data.starts_with("iVBORw0K"), "image/png"),
            (data.starts_with("/9j/"), "image/jpeg"),
            (data.starts_with("R0lGOD"), "image/gif"),
            (is_webp, "image/webp"),
        ];
        let (_, format) = formats.iter().find(|(is_it, _)| *is_it)?;
        let wrong = !mime_type.eq_ignore_ascii_case(format);
        wrong.then(|| format!("/mime_type is {mime_type:?}, and the bytes are those of {format}"))
    })
}

/// What is wrong with the images of results, each told by its type and its data.
fn each_image(observed: &Observed<'_>, problem: impl Fn(&str, &str) -> Option<String>) -> Outcome {
    let mut images = false;
    let outcome = each(observed, &["tool_result"], |frame| {
        let blocks = frame["content"].as_array().map(Vec::as_slice).unwrap_or_default();
        let wrong = |(place, block): (usize, &Value)| {
            if block["type"] != "image" {
                return None;
            }
            images = true;
            let text = |name: &str| block[name].as_str().unwrap_or_default();
            let problem = problem(text("mime_type"), text("data"))?;
            Some(format!("/content/{place}{problem}"))
        };
        blocks.iter().enumerate().filter_map(wrong).collect()
    });
    if images { outcome } else { Outcome::Nothing }
}

/// A command's answer has one of the six actions, and the member that belongs to it
/// (`command.action`).
pub(super) fn actions(observed: &Observed<'_>) -> Outcome {
    each(observed, &["command_response"], |frame| {
        // With an error the action does not count.
        if frame["error"].as_str().is_some_and(|error| !error.is_empty()) {
            return Vec::new();
        }
        let Some(action) = frame.get("action").map(|action| action.as_str().unwrap_or_default())
        else {
            return vec!["/action is missing".to_owned()];
        };
        let Some((_, members)) = ACTIONS.iter().find(|(name, _)| *name == action) else {
            let names: Vec<_> = ACTIONS.iter().map(|(name, _)| *name).collect();
            return vec![format!("/action is {action:?}, and must be one of {}", names.join(", "))];
        };
        let missing = members.iter().filter(|member| frame[**member].is_null());
        missing.map(|member| format!("/{member} is missing, which {action} needs")).collect()
    })
}

/// An error's `field` points at a member of the arguments, or at the place of one that is missing
/// (`tool.error-field`).
pub(super) fn error_field(observed: &Observed<'_>) -> Outcome {
    let points = |frame: &Value| frame["error"]["field"].is_string();
    let mut frames = observed.frames.iter();
    if !frames.any(|arrived| arrived.frame.as_ref().is_ok_and(points)) {
        return Outcome::Nothing;
    }
    let args: BTreeMap<String, Value> = observed
        .sent()
        .iter()
        .filter(|frame| frame["type"] == "tool_call")
        .filter_map(|frame| Some((frame["id"].as_str()?.to_owned(), frame["args"].clone())))
        .collect();
    each(observed, &["tool_result"], |frame| {
        let Some(field) = frame["error"]["field"].as_str() else { return Vec::new() };
        let Some((holder, _)) = field.rsplit_once('/') else {
            let is_whole = field.is_empty();
            let wrong =
                || format!("/error/field is {field:?}, and must be a JSON Pointer as /city");
            return if is_whole { Vec::new() } else { vec![wrong()] };
        };
        let args = frame["id"].as_str().and_then(|id| args.get(id));
        let is_there = args.is_none_or(|args| holder.is_empty() || args.pointer(holder).is_some());
        let wrong = || format!("/error/field is {field:?}, and the arguments have no {holder:?}");
        if is_there { Vec::new() } else { vec![wrong()] }
    })
}

/// A call of a tool that nobody registered is answered with an error (`tool.unknown`).
pub(super) fn unknown_tool(observed: &Observed<'_>) -> Outcome {
    answers_to_unknown(observed, "tool_call", ANSWERS[0], |answer| answer["is_error"] == true)
}

/// A command that nobody registered is answered with an error (`command.unknown`).
pub(super) fn unknown_command(observed: &Observed<'_>) -> Outcome {
    answers_to_unknown(observed, "command_invoked", ANSWERS[1], |answer| {
        answer["error"].as_str().is_some_and(|error| !error.is_empty())
    })
}

fn answers_to_unknown(
    observed: &Observed<'_>,
    asked: &str,
    answered: &str,
    is_error: fn(&Value) -> bool,
) -> Outcome {
    let ids: BTreeSet<_> = observed
        .sent()
        .iter()
        .filter(|frame| frame["type"] == asked && frame["name"].as_str().is_some_and(is_unknown))
        .filter_map(|frame| frame["id"].as_str().map(str::to_owned))
        .collect();
    let mut seen = false;
    let outcome = each(observed, &[answered], |frame| {
        if !frame["id"].as_str().is_some_and(|id| ids.contains(id)) {
            return Vec::new();
        }
        seen = true;
        if is_error(frame) {
            return Vec::new();
        }
        vec!["a name that was never registered was answered without an error".to_owned()]
    });
    if seen { outcome } else { Outcome::Nothing }
}

/// What a command may ask for, and the members that each needs.
const ACTIONS: [(&str, &[&str]); 6] = [
    ("prompt", &["prompt"]),
    ("insert", &["insert"]),
    ("display", &["display"]),
    ("open_panel", &["open_panel"]),
    ("tool_prompt", &["tool_name"]),
    ("noop", &[]),
];

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "missing or null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

pub(super) const ANSWERS: [&str; 3] =
    ["tool_result", "command_response", "event_intercept_response"];

pub(super) fn answer_to(frame: &Value) -> Option<&'static str> {
    match frame["type"].as_str()? {
        "tool_call" => Some(ANSWERS[0]),
        "command_invoked" => Some(ANSWERS[1]),
        "event_intercept" => Some(ANSWERS[2]),
        _ => None,
    }
}
