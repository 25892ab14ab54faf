//! Checks of how an extension starts: who it says it is, when it registers, and whether that is what
//! it registered before.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{Finding, Observed, Outcome, each, sent};
use crate::conversation::{Arrived, Survey};
use crate::target::What;

/// `hello` has the name in the manifest (`hello.name`).
pub(super) fn hello_as_manifest(observed: &Observed<'_>) -> Outcome {
    let Some(manifest) = observed.manifest else { return Outcome::Nothing };
    each(observed, &["hello"], |frame| {
        if frame["name"] == manifest {
            return Vec::new();
        }
        vec![format!("/name is {}, and {manifest:?} in the manifest", frame["name"])]
    })
}

/// What an extension writes of itself once it has read `hello_ack`.
const AFTER_ACK: [&str; 6] =
    ["register_command", "register_tool", "subscribe", "ready", "notify", "log"];

/// Nothing follows `hello` before `hello_ack` (`start.wait-ack`).
pub(super) fn waits_for_ack(observed: &Observed<'_>) -> Outcome {
    let records = observed.timeline.records().iter();
    let is_ack = |what: &What| match what {
        What::Sent { bytes, .. } => sent(bytes).any(|frame| frame["type"] == "hello_ack"),
        _ => false,
    };
    // A write counts from its first byte on: what is behind hello_ack in it takes its time.
    let written = records.into_iter().position(|record| is_ack(&record.what));
    let acknowledged = [observed.acknowledging, written].into_iter().flatten().min();
    let is_early = |arrived: &&Arrived| {
        let frame = arrived.frame.as_ref();
        let before = acknowledged.is_none_or(|acknowledged| arrived.record < acknowledged);
        before && frame.is_ok_and(|frame| AFTER_ACK.iter().any(|kind| frame["type"] == *kind))
    };
    if observed.frames.is_empty() {
        return Outcome::Nothing;
    }
    let finding = |arrived: &Arrived| {
        let kind = arrived.frame.as_ref().ok().and_then(|frame| frame["type"].as_str());
        let text = format!("{} before hello_ack was written", kind.unwrap_or_default());
        Finding { text, record: arrived.record }
    };
    Outcome::Found(observed.frames.iter().filter(is_early).map(finding).collect())
}

/// `hello` names the capabilities whose frames it writes (`cap.honest`).
pub(super) fn capabilities_own(observed: &Observed<'_>) -> Outcome {
    let mut frames = observed.frames.iter().filter_map(|arrived| arrived.frame.as_ref().ok());
    let Some(hello) = frames.find(|frame| frame["type"] == "hello") else {
        return Outcome::Nothing;
    };
    let names = hello["capabilities"].as_array().cloned().unwrap_or_default();
    let mut told = Vec::new();
    let kinds: Vec<_> = CAPABILITIES.iter().map(|(kind, _)| *kind).collect();
    each(observed, &kinds, |frame| {
        let kind = frame["type"].as_str().unwrap_or_default();
        let asks_for_nothing =
            kind == "subscribe" && frame.as_object().is_some_and(|it| it.len() < 2);
        let needed = CAPABILITIES.iter().find(|(one, _)| *one == kind);
        let Some((_, capability)) = needed.filter(|_| !asks_for_nothing) else { return Vec::new() };
        if names.iter().any(|name| name == capability) || told.contains(capability) {
            return Vec::new();
        }
        told.push(*capability);
        vec![format!("{kind}: the capabilities in hello do not name {capability}")]
    })
}

/// Which capability a frame belongs to.
const CAPABILITIES: [(&str, &str); 9] = [
    ("register_command", "commands"),
    ("register_tool", "tools"),
    ("subscribe", "events"),
    ("open_panel", "panels"),
    ("panel_render", "panels"),
    ("call_tool", "call_tool"),
    ("tool_update", "tool_update"),
    ("unregister_tool", "tool_registry"),
    ("request", "rpc"),
];

/// It registers what it registered at its first start (`reg.same`).
pub(super) fn same_registrations(observed: &Observed<'_>) -> Outcome {
    let Some(first) = observed.first.filter(|first| first.registrations() > 0) else {
        return Outcome::Nothing;
    };
    let (now, last) = registered(observed, first);
    // One that ended before it was done says nothing.
    if now.len() < first.registrations() && !first.ready {
        return Outcome::Nothing;
    }
    let Some(record) = last else { return Outcome::Nothing };
    let before = [&first.tools, &first.commands, &first.subscriptions].into_iter().flatten();
    let mut left: BTreeMap<String, i64> = BTreeMap::new();
    let before = before.map(|frame| (frame, 1));
    let now = now.into_iter().map(|frame| (frame, -1));
    for (frame, count) in before.chain(now) {
        *left.entry(frame.to_string()).or_default() += count;
    }
    let differs = left.into_iter().filter(|(_, count)| *count != 0);
    let finding = |(frame, count): (String, i64)| {
        let when = if count > 0 { "the first start only" } else { "this start only" };
        Finding { text: format!("registered at {when}: {frame}"), record }
    };
    Outcome::Found(differs.map(finding).collect())
}

/// The registrations of this start, up to `ready` or, where the first start had none, as many as
/// that had; and the line behind which they are known to be whole.
fn registered<'a>(observed: &'a Observed<'_>, first: &Survey) -> (Vec<&'a Value>, Option<usize>) {
    let mut frames = Vec::new();
    for arrived in observed.frames {
        let Ok(frame) = &arrived.frame else { continue };
        match frame["type"].as_str() {
            Some("register_tool" | "register_command" | "subscribe") => frames.push(frame),
            Some("ready") => return (frames, Some(arrived.record)),
            _ => {}
        }
        if !first.ready && frames.len() == first.registrations() {
            return (frames, Some(arrived.record));
        }
    }
    (frames, None)
}
