//! How a line stands in a record: as text; in parts when it is long; in base64 when it is no text.

use serde::Deserialize;
use serde_json::{Value, json};

use super::{LINE_BYTES, Line, Members};
use crate::base64;

/// A line that is longer is written in parts.
const PARTS_OVER: usize = 16 * 1024;

/// So often a character must stand in a row to be written as a count.
const REPETITION: usize = 100;

/// The members of a record that are a line.
#[derive(Debug, Deserialize)]
pub(super) struct LineMembers {
    line: Option<String>,
    line_parts: Option<Vec<Part>>,
    line_b64: Option<String>,
    #[serde(default)]
    no_lf: bool,
    #[serde(default)]
    more_bytes: u64,
}

/// A part of a line: text, or a character and how often it stands.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Part {
    Text(String),
    Repeated(char, usize),
}

impl Line {
    pub(super) fn add_to(&self, members: &mut Members) {
        members.push(match std::str::from_utf8(&self.bytes) {
            Ok(text) if text.len() <= PARTS_OVER => ("line", json!(text)),
            Ok(text) => ("line_parts", parts(text)),
            Err(_) => ("line_b64", json!(base64::encode(&self.bytes))),
        });
        members.extend(self.no_lf.then_some(("no_lf", Value::Bool(true))));
        members.extend((self.more_bytes > 0).then(|| ("more_bytes", json!(self.more_bytes))));
    }
}

impl LineMembers {
    pub(super) fn into_line(self) -> Result<Line, String> {
        let Self { line, line_parts, line_b64, no_lf, more_bytes } = self;
        let bytes = match (line, line_parts, line_b64) {
            (Some(line), None, None) => line.into_bytes(),
            (None, Some(parts), None) => {
                let bytes: usize = parts.iter().map(Part::bytes).fold(0, usize::saturating_add);
                if bytes > LINE_BYTES {
                    return Err(format!(
                        "/line_parts: {bytes} bytes; at most {LINE_BYTES} are recorded"
                    ));
                }
                parts.into_iter().map(Part::into_text).collect::<String>().into_bytes()
            }
            (None, None, Some(text)) => {
                base64::decode(&text).ok_or("/line_b64: no padded base64")?
            }
            _ => return Err("one of line, line_parts and line_b64 must be there".to_owned()),
        };
        Ok(Line { bytes, no_lf, more_bytes })
    }
}

impl Part {
    fn bytes(&self) -> usize {
        match self {
            Self::Text(text) => text.len(),
            Self::Repeated(character, count) => character.len_utf8().saturating_mul(*count),
        }
    }

    fn into_text(self) -> String {
        match self {
            Self::Text(text) => text,
            Self::Repeated(character, count) => character.to_string().repeat(count),
        }
    }
}

fn parts(text: &str) -> Value {
    let mut parts = Vec::new();
    let (mut plain_from, mut at) = (0, 0);
    while let Some(character) = text[at..].chars().next() {
        let rest = &text[at..];
        let bytes = rest.len() - rest.trim_start_matches(character).len();
        let count = bytes / character.len_utf8();
        if count >= REPETITION {
            parts.extend((plain_from < at).then(|| json!(text[plain_from..at])));
            parts.push(json!([character, count]));
            plain_from = at + bytes;
        }
        at += bytes;
    }
    parts.extend((plain_from < text.len()).then(|| json!(text[plain_from..])));
    Value::Array(parts)
}
