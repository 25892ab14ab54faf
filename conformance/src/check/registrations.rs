//! Checks of what an extension registers.

use std::collections::BTreeSet;
use std::time::Duration;

use extline_protocol::RawJson;
use extline_schema::ToolSchema;
use extline_services::{EXTENSION_METHODS, METHODS};
use serde_json::Value;

use super::{Finding, Observed, Outcome, each};
use crate::conversation::IDLE;

/// `ready` comes once, behind the registrations (`reg.ready`).
pub(super) fn ready_once(observed: &Observed<'_>) -> Outcome {
    let said = |wanted: &'static str| {
        observed
            .frames
            .iter()
            .filter(move |arrived| arrived.frame.as_ref().is_ok_and(|one| one["type"] == wanted))
    };
    let Some(hello) = said("hello").next() else { return Outcome::Nothing };
    // A process that was used for a moment only may have ended before it could say so.
    let last = observed.timeline.records().last().map(|record| record.at);
    let lived = observed.acknowledged.zip(last).map(|(from, to)| to.saturating_sub(from));
    if said("ready").count() == 0 && lived.is_none_or(|lived| lived < IDLE) {
        return Outcome::Nothing;
    }
    let finding = |text: &str, record| Finding { text: text.to_owned(), record };
    let ready: Vec<_> = said("ready").collect();
    Outcome::Found(match ready.as_slice() {
        [] => vec![finding("no ready came: a host has to guess when it can begin", hello.record)],
        [_] => Vec::new(),
        [_, second, ..] => vec![finding("a second ready", second.record)],
    })
}

/// Tools and commands have names that models and users can use (`reg.names`).
pub(super) fn names(observed: &Observed<'_>) -> Outcome {
    each(observed, &["register_tool", "register_command"], |frame| {
        let name = frame["name"].as_str().unwrap_or_default();
        let allowed = |letter: char| letter.is_ascii_alphanumeric() || "_-".contains(letter);
        if (1..=64).contains(&name.len()) && name.chars().all(allowed) {
            return Vec::new();
        }
        vec![format!("/name is {name:?}, and must match [A-Za-z0-9_-]{{1,64}}")]
    })
}

/// A tool's schema is a JSON Schema of an object (`reg.schema`).
pub(super) fn schemas(observed: &Observed<'_>) -> Outcome {
    each(observed, &["register_tool"], |frame| {
        let name = frame["name"].as_str().unwrap_or_default();
        let schema = &frame["schema"];
        if schema.is_null() {
            return vec![format!("tool {name}: /schema is missing")];
        }
        let Ok(raw) = RawJson::parse(&schema.to_string()) else { return Vec::new() };
        if let Err(error) = ToolSchema::compile(&raw) {
            return vec![format!("tool {name}: /schema: {error}")];
        }
        match schema.get("type") {
            Some(Value::String(kind)) if kind == "object" => Vec::new(),
            _ => vec![format!("tool {name}: /schema/type must be \"object\"")],
        }
    })
}

/// No name is registered twice (`reg.duplicate`).
pub(super) fn duplicates(observed: &Observed<'_>) -> Outcome {
    let mut seen = BTreeSet::new();
    each(observed, &["register_tool", "register_command"], |frame| {
        let kind = frame["type"].as_str().unwrap_or_default().to_owned();
        let name = frame["name"].as_str().unwrap_or_default().to_owned();
        let text = format!("{} {name} a second time", kind.trim_start_matches("register_"));
        if seen.insert((kind, name)) { Vec::new() } else { vec![text] }
    })
}

/// `subscribe` comes before `ready` (`subscribe.before-ready`).
pub(super) fn subscribe_before_ready(observed: &Observed<'_>) -> Outcome {
    let mut ready = false;
    let mut subscribed = false;
    let outcome = each(observed, &["ready", "subscribe"], |frame| {
        if frame["type"] == "ready" {
            ready = true;
            return Vec::new();
        }
        subscribed = true;
        if ready { vec!["subscribe after ready".to_owned()] } else { Vec::new() }
    });
    if subscribed { outcome } else { Outcome::Nothing }
}

/// A real zot stops waiting for registrations after 250 ms of silence (`hello.slow-start`).
pub(super) fn silence_before_ready(observed: &Observed<'_>) -> Outcome {
    let frames = observed.frames;
    let is = |wanted: &str| {
        frames
            .iter()
            .position(|arrived| arrived.frame.as_ref().is_ok_and(|frame| frame["type"] == wanted))
    };
    let (Some(hello), Some(ready)) = (is("hello"), is("ready")) else { return Outcome::Nothing };
    if ready < hello {
        return Outcome::Nothing;
    }
    // How long the tester took to say hello_ack is not the extension's silence, nor is a time in
    // which it did not listen, or one in which the extension had no processor.
    let acknowledged = observed.acknowledged.unwrap_or(Duration::MAX);
    let records = observed.timeline.records();
    let findings = frames[hello..=ready].windows(2).filter_map(|pair| {
        let until = records.get(pair[1].record).map_or(pair[1].at, |record| record.silent);
        let from = pair[0].at.max(acknowledged);
        let silence = until.saturating_sub(from).saturating_sub(observed.delayed);
        (silence >= IDLE).then(|| Finding {
            text: format!(
                "{} ms of silence before this frame: a zot does not wait longer than 250 ms",
                silence.as_millis()
            ),
            record: pair[1].record,
        })
    });
    Outcome::Found(findings.collect())
}

/// A guard is also listed as an interceptor (`guard.on-zot`).
pub(super) fn guards_also_intercept(observed: &Observed<'_>) -> Outcome {
    let mut guards = false;
    let outcome = each(observed, &["subscribe"], |frame| {
        let list = |name: &str| frame[name].as_array().cloned().unwrap_or_default();
        guards |= !list("guards").is_empty();
        let missing: Vec<_> =
            list("guards").into_iter().filter(|point| !list("intercept").contains(point)).collect();
        missing
            .into_iter()
            .map(|point| format!("/guards names {point}, and /intercept does not"))
            .collect()
    });
    if guards { outcome } else { Outcome::Nothing }
}

/// The only point of a guard is `tool_call` (`guard.points`).
pub(super) fn guard_points(observed: &Observed<'_>) -> Outcome {
    let mut guards = false;
    let outcome = each(observed, &["subscribe"], |frame| {
        let points = frame["guards"].as_array().cloned().unwrap_or_default();
        guards |= !points.is_empty();
        let others = points.into_iter().filter(|point| point != "tool_call");
        others.map(|point| format!("/guards names {point}, and may name tool_call only")).collect()
    });
    if guards { outcome } else { Outcome::Nothing }
}

/// Names that are kept for later are not used (`cap.reserved`).
pub(super) fn reserved_names(observed: &Observed<'_>) -> Outcome {
    each(observed, &["hello", "request"], |frame| {
        let list = |name: &str| frame[name].as_array().cloned().unwrap_or_default();
        let capabilities = list("capabilities")
            .into_iter()
            .filter(|name| name.as_str().is_some_and(|name| CAPABILITIES.contains(&name)))
            .map(|name| format!("/capabilities names {name}, which is reserved"));
        // What hosts serve may be asked for, and is served by no extension; what extensions serve is another list.
        let is_known = |name: &str| METHODS.iter().any(|method| method.name == name);
        let asked = frame.get("method").filter(|name| !name.as_str().is_some_and(is_known));
        let serves = |name: &Value| {
            let is_its = |name| EXTENSION_METHODS.iter().any(|method| method.name == name);
            name.as_str().is_some_and(is_its)
        };
        let methods = list("methods")
            .into_iter()
            .filter(|name| !serves(name))
            .chain(asked.cloned())
            .filter(|name| name.as_str().is_some_and(is_reserved))
            .map(|name| format!("the method {name} is reserved"));
        capabilities.chain(methods).collect()
    })
}

/// Capabilities that mean nothing yet (docs/protocol/specification.md 3.8).
const CAPABILITIES: [&str; 2] = ["providers", "blob"];
/// Methods that mean nothing yet, but for those that hosts serve (3.9 and after); one that ends in a dot is all that begin so.
const RESERVED: [&str; 10] = [
    "ui.",
    "secret.",
    "state.",
    "session.",
    "exec.run",
    "pending.",
    "command.complete",
    "provider.",
    "lifecycle.",
    "health.check",
];

fn is_reserved(method: &str) -> bool {
    RESERVED.iter().any(|name| method == *name || name.ends_with('.') && method.starts_with(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::{Arrived, Protocol};
    use crate::target::{Record, Timeline, What};

    /// What comes of a `ready` that came `at` ms after `hello_ack`, when the tester last heard nothing
    /// `silent` ms after that, and the extension had no processor for `delayed` ms.
    fn outcome(at: u64, silent: u64, delayed: u64) -> usize {
        let ms = Duration::from_millis;
        let mut timeline = Timeline::recorded();
        let line =
            |text: &str| What::Line { bytes: text.as_bytes().to_vec(), reads: 1, terminated: true };
        let hello = line(r#"{"type":"hello","name":"x","version":"1","capabilities":[]}"#);
        timeline.push(Record { at: ms(100), silent: ms(99), what: hello });
        let ready = line(r#"{"type":"ready"}"#);
        timeline.push(Record { at: ms(110 + at), silent: ms(110 + silent), what: ready });
        let frames = timeline.records().iter().enumerate();
        let frames: Vec<_> = frames
            .filter_map(|(at, record)| Arrived::spoken(Protocol::Extension, at, record))
            .collect();
        let observed = Observed {
            acknowledged: Some(ms(110)),
            delayed: ms(delayed),
            ..Observed::only(&timeline, &frames)
        };
        match silence_before_ready(&observed) {
            Outcome::Found(findings) => findings.len(),
            Outcome::Nothing => 0,
        }
    }

    #[test]
    fn a_silence_is_the_extension_s_where_it_could_run_and_the_tester_listened() {
        assert_eq!(outcome(400, 396, 3), 1);
        assert_eq!(outcome(400, 90, 0), 0, "the tester did not listen");
        assert_eq!(outcome(400, 396, 200), 0, "it had no processor for half of the time");
        assert_eq!(outcome(240, 236, 0), 0);
    }
}
