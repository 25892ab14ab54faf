//! Checks of every line that an extension wrote.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use extline_protocol::RawJson;
use extline_protocol::frame::{AnyFrame, ExtensionFrame};
use extline_protocol::limits::FRAME_BYTES;
use extline_schema::ToolSchema;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::{Finding, Observed, Outcome, each};
use crate::target::What;
use crate::texts::packed;

/// Only frames on stdout (`io.stdout-pure`).
pub(super) fn stdout_pure(observed: &Observed<'_>) -> Outcome {
    let frames = observed.frames;
    if frames.is_empty() {
        return Outcome::Nothing;
    }
    let findings = frames.iter().filter_map(|arrived| {
        let problem = arrived.frame.as_ref().err()?;
        // A process that was killed in the middle of a line is not to blame for its end.
        (!(observed.killed && problem.contains("no LF"))).then(|| Finding {
            text: format!("stdout: {problem}: {}", excerpt(observed, arrived.record)),
            record: arrived.record,
        })
    });
    Outcome::Found(findings.collect())
}

/// It writes no more than is kept of it (`io.flood`).
pub(super) fn flood(observed: &Observed<'_>) -> Outcome {
    // Whoever wrote a trace did not look for either.
    if observed.left_behind.is_none() {
        return Outcome::Nothing;
    }
    let finding = |text: &str| Finding {
        text: text.to_owned(),
        record: observed.timeline.mark().saturating_sub(1),
    };
    Outcome::Found(observed.flood.map(finding).into_iter().collect())
}

/// No CR, no blank line, no byte order mark (`frm.write-clean`).
pub(super) fn clean_lines(observed: &Observed<'_>) -> Outcome {
    let lines = lines(observed);
    if lines.is_empty() {
        return Outcome::Nothing;
    }
    let findings = lines.into_iter().filter_map(|(record, line)| {
        let problem = if line.ends_with(b"\r") {
            "a CR before the LF"
        } else if line.iter().all(u8::is_ascii_whitespace) {
            "a blank line"
        } else if line.starts_with(b"\xef\xbb\xbf") {
            "a byte order mark"
        } else {
            return None;
        };
        Some(Finding { text: format!("stdout: {problem}"), record })
    });
    Outcome::Found(findings.collect())
}

/// The first bytes on stdout are a `hello`, but for what a launcher says before (`hello.first`).
pub(super) fn hello_first(observed: &Observed<'_>) -> Outcome {
    let mut frames = observed.frames.iter();
    let Some(first) = frames.find(|arrived| !arrived.is_bootstrap()) else {
        return Outcome::Nothing;
    };
    if first.frame.as_ref().is_ok_and(|frame| frame["type"] == "hello") {
        return Outcome::Found(Vec::new());
    }
    let text = format!("the first line on stdout is no hello: {}", excerpt(observed, first.record));
    Outcome::Found(vec![Finding { text, record: first.record }])
}

/// A `hello` says who it is (`hello.first`).
pub(super) fn hello_named(observed: &Observed<'_>) -> Outcome {
    each(observed, &["hello"], |frame| {
        if frame["name"].as_str().is_some_and(|name| !name.is_empty()) {
            return Vec::new();
        }
        vec![format!("/name is {}, and must be a string that is not empty", frame["name"])]
    })
}

/// One `hello` (`hello.once`).
pub(super) fn hello_once(observed: &Observed<'_>) -> Outcome {
    let mut hellos = 0;
    each(observed, &["hello"], |_| {
        hellos += 1;
        if hellos > 1 { vec![format!("hello number {hellos}")] } else { Vec::new() }
    })
}

/// Every frame has its fields, of the right types.
pub(super) fn fields(observed: &Observed<'_>) -> Outcome {
    let mut seen = false;
    let mut findings = Vec::new();
    for arrived in observed.frames {
        let Ok(frame) = &arrived.frame else { continue };
        seen = true;
        if answers_bad_id(frame) {
            continue;
        }
        let frame_type = frame["type"].as_str().unwrap_or_default();
        let Some(schema) = SCHEMAS.get(frame_type) else {
            continue;
        };
        let text = frame.to_string();
        let Ok(raw) = RawJson::parse(&text) else { continue };
        if let Err(violation) = schema.validate(&raw) {
            findings.push(Finding {
                text: format!("{frame_type}: {violation}"),
                record: arrived.record,
            });
        }
    }
    if seen { Outcome::Found(findings) } else { Outcome::Nothing }
}

/// An optional field is left out rather than null (`frm.no-null`).
pub(super) fn no_null(observed: &Observed<'_>) -> Outcome {
    each(observed, ExtensionFrame::TYPES, |frame| {
        let Some(members) = frame.as_object().filter(|_| !answers_bad_id(frame)) else {
            return Vec::new();
        };
        members
            .iter()
            .filter(|(_, value)| value.is_null())
            .map(|(name, _)| format!("{}: /{name} is null; leave it out", kind(frame)))
            .collect()
    })
}

/// No line is longer than a host must accept (`frm.max-line`).
pub(super) fn max_line(observed: &Observed<'_>) -> Outcome {
    let lines = lines(observed);
    if lines.is_empty() {
        return Outcome::Nothing;
    }
    let announced = observed
        .sent()
        .iter()
        .filter(|frame| frame["type"] == "hello_ack")
        .find_map(|frame| usize::try_from(frame["limits"]["frame_bytes"].as_u64()?).ok());
    let limit = announced.unwrap_or(FRAME_BYTES).max(FRAME_BYTES);
    let long = lines.into_iter().filter(|(_, line)| line.len() > limit);
    let findings = long.map(|(record, line)| Finding {
        text: format!("a line of {} bytes; at most {limit} are accepted", line.len()),
        record,
    });
    Outcome::Found(findings.collect())
}

/// A frame that was begun is written to its end (`frm.max-line-first`, `frm.whole`).
pub(super) fn broken_off(observed: &Observed<'_>) -> Outcome {
    let frames = observed.frames;
    if frames.is_empty() {
        return Outcome::Nothing;
    }
    let records = observed.timeline.records();
    let findings = frames.iter().enumerate().filter_map(|(number, arrived)| {
        arrived.frame.as_ref().err()?;
        let What::Line { bytes, .. } = &records.get(arrived.record)?.what else { return None };
        let parsed = serde_json::from_slice::<serde::de::IgnoredAny>(bytes);
        let begins = bytes.trim_ascii_start().starts_with(b"{");
        let breaks = begins && parsed.is_err_and(|error| error.is_eof());
        // A process that was killed in the middle of a line is not to blame for its end.
        let was_cut = observed.killed && number + 1 == frames.len();
        (breaks && !was_cut).then(|| Finding {
            text: format!("a frame that breaks off after {} bytes", bytes.len()),
            record: arrived.record,
        })
    });
    Outcome::Found(findings.collect())
}

/// Frames of a capability only to a host that named it (`cap.send`).
pub(super) fn capabilities_named(observed: &Observed<'_>) -> Outcome {
    // The tester's own hello_ack names none of these; that of a case may.
    let ack = observed.sent().iter().find(|frame| frame["type"] == "hello_ack");
    let named = |capability: &str| {
        ack.and_then(|ack| ack["capabilities"].as_array())
            .is_some_and(|names| names.iter().any(|one| one == capability))
    };
    each(observed, ExtensionFrame::TYPES, |frame| {
        let capability = match frame["type"].as_str() {
            Some("call_tool" | "call_tool_cancel") => "call_tool",
            Some("unregister_tool") => "tool_registry",
            Some("request" | "response" | "response_part" | "cancel") => "rpc",
            _ => return Vec::new(),
        };
        if named(capability) {
            return Vec::new();
        }
        vec![format!("{}: hello_ack did not name {capability}", kind(frame))]
    })
}

/// The schema of each frame, by its type. What is generated is read: the code that generates it is larger.
static SCHEMAS: LazyLock<BTreeMap<String, ToolSchema>> = LazyLock::new(|| {
    #[derive(Deserialize)]
    struct Document {
        #[serde(rename = "$defs")]
        frames: BTreeMap<String, Box<RawValue>>,
    }
    // The file is part of this project; a test compares it with the frames. A link in this crate leads to it, for
    // what is outside of it is not in its package.
    let document: Document = serde_json::from_str(packed("extension-frames.json"))
        .unwrap_or_else(|error| unreachable!("extension-frames.json cannot be read: {error}"));
    let compiled = document.frames.into_iter().filter_map(|(name, schema)| {
        let schema = RawJson::parse(schema.get()).ok()?;
        Some((name, ToolSchema::compile(&schema).ok()?))
    });
    compiled.collect()
});

fn lines<'a>(observed: &'a Observed<'_>) -> Vec<(usize, &'a [u8])> {
    let records = observed.timeline.records().iter().enumerate();
    records
        .filter_map(|(number, record)| match &record.what {
            What::Line { bytes, .. } => Some((number, bytes.as_slice())),
            _ => None,
        })
        .collect()
}

/// An answer to a call whose id was no string, or an empty one: that such calls are answered at all is a
/// case of its own, and the answer cannot be right.
fn answers_bad_id(frame: &Value) -> bool {
    let is_good = frame["id"].as_str().is_some_and(|id| !id.is_empty());
    matches!(kind(frame), "tool_result" | "command_response") && !is_good
}

/// The beginning of a line, as it can be shown.
fn excerpt(observed: &Observed<'_>, record: usize) -> String {
    let records = observed.timeline.records();
    let Some(What::Line { bytes, .. }) = records.get(record).map(|record| &record.what) else {
        return String::new();
    };
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(80)]);
    format!("{:?}{}", text, if bytes.len() > 80 { "..." } else { "" })
}

fn kind(frame: &Value) -> &str {
    frame["type"].as_str().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_frame_of_an_extension_has_a_schema() {
        assert_eq!(SCHEMAS.len(), ExtensionFrame::TYPES.len());
    }
}
