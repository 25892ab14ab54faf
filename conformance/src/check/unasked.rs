//! Checks of what an extension says besides its answers.

use std::collections::{BTreeMap, BTreeSet};

use super::{Observed, Outcome, each};

/// How much a note matters.
const LEVELS: [&str; 4] = ["info", "success", "warn", "error"];

/// A note has one of the four levels (`notify.level`).
pub(super) fn notify_level(observed: &Observed<'_>) -> Outcome {
    each(observed, &["notify"], |frame| {
        let level = &frame["level"];
        if level.as_str().is_some_and(|level| LEVELS.contains(&level)) {
            return Vec::new();
        }
        vec![format!("/level is {level}, and must be one of {}", LEVELS.join(", "))]
    })
}

/// A slash command that is submitted begins with a slash (`notify.slash`).
pub(super) fn submit_slash(observed: &Observed<'_>) -> Outcome {
    each(observed, &["submit_slash"], |frame| {
        if frame["text"].as_str().is_some_and(|text| text.starts_with('/')) {
            return Vec::new();
        }
        vec![format!("/text is {}, and must begin with a slash", frame["text"])]
    })
}

/// The arguments of a call of the extension's are an object (`call.args`).
pub(super) fn call_args(observed: &Observed<'_>) -> Outcome {
    each(observed, &["call_tool"], |frame| {
        if frame["args"].is_object() {
            return Vec::new();
        }
        vec![format!("/args is {}, and must be an object", frame["args"])]
    })
}

/// It draws only panels that it opened (`panel.opened`).
pub(super) fn panels_opened(observed: &Observed<'_>) -> Outcome {
    let mut opened: BTreeSet<String> = BTreeSet::new();
    let mut drawn = false;
    let outcome = each(observed, &["command_response", "open_panel", "panel_render"], |frame| {
        let panel = match frame["type"].as_str() {
            Some("command_response") => &frame["open_panel"]["id"],
            Some("open_panel") => &frame["panel"]["id"],
            _ => &frame["panel_id"],
        };
        if frame["type"] != "panel_render" {
            opened.insert(panel.to_string());
            return Vec::new();
        }
        drawn = true;
        if opened.contains(&panel.to_string()) {
            return Vec::new();
        }
        vec![format!("/panel_id is {panel}, a panel that it has not opened")]
    });
    if drawn { outcome } else { Outcome::Nothing }
}

/// The updates of a call are numbered from 1 without gaps (`update.seq`).
pub(super) fn update_seq(observed: &Observed<'_>) -> Outcome {
    if !has(observed, "tool_update") {
        return Outcome::Nothing;
    }
    let mut last: BTreeMap<String, u64> = BTreeMap::new();
    each(observed, &["tool_update", "tool_result"], |frame| {
        let id = frame["id"].to_string();
        if frame["type"] == "tool_result" {
            // The id may be another call's from now on.
            last.remove(&id);
            return Vec::new();
        }
        let next = last.get(&id).map_or(1, |seq| seq + 1);
        let seq = frame["seq"].as_u64();
        last.insert(id, seq.unwrap_or(next));
        if seq == Some(next) {
            return Vec::new();
        }
        vec![format!("/seq is {}, and must be {next}", frame["seq"])]
    })
}

/// An update belongs to a call that is open (`update.open`).
pub(super) fn update_open(observed: &Observed<'_>) -> Outcome {
    if !has(observed, "tool_update") {
        return Outcome::Nothing;
    }
    let mut open: BTreeMap<String, u64> = BTreeMap::new();
    for call in observed.sent().iter().filter(|frame| frame["type"] == "tool_call") {
        *open.entry(call["id"].to_string()).or_default() += 1;
    }
    each(observed, &["tool_update", "tool_result"], |frame| {
        let id = frame["id"].to_string();
        let left = open.entry(id.clone()).or_default();
        if frame["type"] == "tool_result" {
            *left = left.saturating_sub(1);
            return Vec::new();
        }
        if *left > 0 {
            return Vec::new();
        }
        vec![format!("an update of {id}, which is no open call")]
    })
}

fn has(observed: &Observed<'_>, wanted: &str) -> bool {
    let mut frames = observed.frames.iter();
    frames.any(|arrived| arrived.frame.as_ref().is_ok_and(|frame| frame["type"] == wanted))
}
