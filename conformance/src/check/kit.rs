//! Checks of what a kit registers, against the surface that every kit has.

use serde_json::Value;

use super::surface::surface;
use super::{Finding, Observed, Outcome};
use crate::conversation::Arrived;

/// It registers the surface, no less and no more (`docs/tester/kits.md`).
pub(super) fn surface_registered(observed: &Observed<'_>) -> Outcome {
    let Some((hello, registrations, ready)) = registered(observed) else { return Outcome::Nothing };
    let frames: Vec<_> = registrations.iter().filter_map(|one| one.frame.as_ref().ok()).collect();
    let found = surface().differences(hello, &frames);
    let text = found.join("; ");
    let finding = Finding { text, record: ready };
    Outcome::Found(if found.is_empty() { Vec::new() } else { vec![finding] })
}

/// An SDK's registrations have the bytes that the protocol fixes (`canon.key-order`).
pub(super) fn surface_bytes(observed: &Observed<'_>) -> Outcome {
    let Some((_, registrations, _)) = registered(observed) else { return Outcome::Nothing };
    let wanted = surface().registrations();
    let pairs = wanted.iter().filter(|one| !one.derived).filter_map(|one| {
        let wanted: Value = serde_json::from_str(&one.line).ok()?;
        let same =
            |frame: &Value| frame["type"] == wanted["type"] && frame["name"] == wanted["name"];
        let arrived = registrations.iter().find(|one| one.frame.as_ref().is_ok_and(same))?;
        Some((one, *arrived))
    });
    let differing = pairs.filter_map(|(one, arrived)| {
        let got =
            String::from_utf8_lossy(observed.timeline.line(arrived.record).unwrap_or_default());
        (got != one.line).then(|| Finding {
            text: format!("{}: expected the bytes {}, got {got}", one.pointer, one.line),
            record: arrived.record,
        })
    });
    Outcome::Found(differing.collect())
}

/// The hello and the registrations of a kit up to its `ready`, and where that stands; `None` for
/// another extension, and where the process ended before.
fn registered<'a>(observed: &Observed<'a>) -> Option<(&'a Value, Vec<&'a Arrived>, usize)> {
    let frames = observed.frames;
    let is = |arrived: &Arrived, kinds: &[&str]| {
        let kind = arrived.frame.as_ref().ok().and_then(|frame| frame["type"].as_str());
        kind.is_some_and(|kind| kinds.contains(&kind))
    };
    let hello = frames.iter().find(|arrived| is(arrived, &["hello"]))?.frame.as_ref().ok()?;
    let ready = frames.iter().position(|arrived| is(arrived, &["ready"]))?;
    let kinds = ["register_tool", "register_command", "subscribe"];
    // An empty subscribe says only that a setup goes on, which takes its time on a busy machine.
    let is_sign_of_life = |arrived: &Arrived| {
        let frame = arrived.frame.as_ref().ok().and_then(Value::as_object);
        frame.is_some_and(|frame| frame["type"] == "subscribe" && frame.len() == 1)
    };
    let registrations = frames[..ready]
        .iter()
        .filter(|arrived| is(arrived, &kinds) && !is_sign_of_life(arrived))
        .collect();
    Some((hello, registrations, frames[ready].record))
}
