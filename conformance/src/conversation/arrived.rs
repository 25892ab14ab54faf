//! A line from the extension, and the frame that it is, or why it is none.

use std::time::Duration;

use serde_json::Value;

use super::Protocol;
use super::numbers::within_doubles;
use crate::target::{Record, What};

/// A line from the extension.
#[derive(Debug)]
pub(crate) struct Arrived {
    /// Since the process was started.
    pub(crate) at: Duration,
    /// Its place in the timeline.
    pub(crate) record: usize,
    /// The frame, or why the line is none.
    pub(crate) frame: Result<Value, String>,
}

impl Arrived {
    /// What a record tells, when it is a line in that protocol; `number` is its place in the timeline.
    pub(crate) fn spoken(protocol: Protocol, number: usize, record: &Record) -> Option<Self> {
        let What::Line { bytes, terminated, .. } = &record.what else { return None };
        let frame = protocol.parse(bytes, *terminated);
        Some(Self { at: record.at, record: number, frame })
    }

    /// Whether a launcher says with it that it is still on the way to `hello` (`hello.bootstrap`).
    pub(crate) fn is_bootstrap(&self) -> bool {
        self.frame.as_ref().is_ok_and(|frame| frame["type"] == "bootstrap")
    }

    /// Whether it is a line in the middle of another.
    pub(crate) fn is_torn(&self) -> bool {
        self.frame.as_ref().is_err_and(|why| why.starts_with(TORN))
    }
}

/// How the reason begins why a torn line is no frame.
pub(crate) const TORN: &str = "a line in the middle of another";

/// Whether a line that is no JSON has the beginning of a frame within another, or the end of one alone:
/// two wrote at once.
fn is_torn(line: &str) -> bool {
    let count = |wanted: char| line.chars().filter(|letter| *letter == wanted).count();
    if !line.starts_with('{') {
        return line.ends_with("\"}") || line.contains("\":") && count('}') > count('{');
    }
    let begins_within = line.match_indices("{\"").any(|(at, _)| {
        let before = line[..at].chars().next_back();
        before.is_some_and(|letter| !"[,: (\"\\".contains(letter))
    });
    begins_within || line.contains("\":") && count('}') > count('{')
}

/// The frame that a line is, or why it is none.
pub(crate) fn parse(line: &[u8], terminated: bool) -> Result<Value, String> {
    let value = json(line, terminated)?;
    match &value {
        Value::Object(members) if members.get("type").is_some_and(Value::is_string) => Ok(value),
        Value::Object(_) => Err("an object without a \"type\" that is a string".to_owned()),
        _ => Err("JSON, but no object".to_owned()),
    }
}

/// The JSON that a line is, or why it is none.
pub(super) fn json(line: &[u8], terminated: bool) -> Result<Value, String> {
    if !terminated {
        return Err("the line has no LF at its end".to_owned());
    }
    let text = std::str::from_utf8(line).map_err(|error| format!("no UTF-8: {error}"))?;
    if text.trim().is_empty() {
        return Err("the line is blank".to_owned());
    }
    let text = text.trim_start_matches('\u{feff}');
    serde_json::from_str(text)
        .or_else(|error| serde_json::from_str(&within_doubles(text)).map_err(|_| error))
        .map_err(|error| {
            let torn = if is_torn(text) { format!("{TORN}: ") } else { String::new() };
            format!("{torn}no JSON: {error}")
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_two_threads_wrote_at_once_are_told_from_others() {
        let torn = [
            r#"{"type":"tool_result","id":"7","con{"type":"tool_result","id":"8","content":[]}"#,
            r#"{"type":"hello"}ult"}"#,
            r#"ult","id":"7"}"#,
            r#"ult"}"#,
            r#""}"#,
        ];
        let others = [
            r#"{"type":"tool_result","id":"a "quoted" one","content":[]}"#,
            r#"{"type":"tool_result","id":"7","content":[{"type":"text","text":"first"#,
            "starting {name}",
            "Traceback (most recent call last):",
        ];
        for (lines, expected) in [(&torn[..], true), (&others[..], false)] {
            for line in lines {
                let why = parse(line.as_bytes(), true).unwrap_err();
                assert_eq!(why.starts_with(TORN), expected, "{line}: {why}");
            }
        }
    }
}
