//! A tool's result as text, and as JSON.

use extline_protocol::frame::{Content, Frame, ToolResult};
use extline_protocol::{Members, RawJson, shown_line};
use serde_json::Value;
use serde_json::value::RawValue;

/// The blocks of a result as a person reads them.
pub(crate) fn text_of(content: &[Content]) -> String {
    content.iter().map(block).collect::<Vec<_>>().join("\n")
}

fn block(content: &Content) -> String {
    match content {
        Content::Text(text) => text.clone(),
        Content::Image { mime_type, data } => {
            format!("[image {}, {} bytes]", shown_line(mime_type), decoded_bytes(data))
        }
        Content::TextJson(text) => text.string("").unwrap_or_default().into_owned(),
        Content::Other(raw) => {
            if let Some(text) = content.plain() {
                return text.into_owned();
            }
            let value: Value = raw.to().unwrap_or_default();
            format!("[block of the unknown type {}]", shown_line(&value["type"].to_string()))
        }
    }
}

/// How many bytes a text in padded base64 stands for.
fn decoded_bytes(data: &str) -> usize {
    let padding = data.bytes().rev().take_while(|byte| *byte == b'=').count();
    (data.len() / 4 * 3).saturating_sub(padding)
}

/// A frame as an object of its own: all members but those that only matter on the wire. Raw values
/// stay as the extension wrote them.
pub(crate) fn json_of<F: Frame>(frame: &F) -> Box<RawValue> {
    raw(format!("{{{}}}", members_of(frame)))
}

/// A result as JSON, with `is_error` also where it is false.
pub(crate) fn json_of_result(result: &ToolResult) -> Box<RawValue> {
    let is_error = if result.is_error { "" } else { ",\"is_error\":false" };
    raw(format!("{{{}{is_error}}}", members_of(result)))
}

pub(crate) fn json_of_value(value: &RawJson) -> Box<RawValue> {
    raw(value.get().to_owned())
}

fn members_of<F: Frame>(frame: &F) -> String {
    let mut line = Vec::new();
    frame.write_line(&mut line);
    let line = String::from_utf8_lossy(&line);
    let Some(members) = Members::of(&line) else { return String::new() };
    let members = members.iter().filter(|member| !["type", "id"].contains(&&*member.key()));
    let written = members.map(|member| format!("{}:{}", Value::from(&*member.key()), member.value));
    written.collect::<Vec<_>>().join(",")
}

/// Text that is JSON by construction.
fn raw(text: String) -> Box<RawValue> {
    RawValue::from_string(text).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_block_can_be_read() {
        let image = |data: &str| Content::Image {
            mime_type: "image/png".to_owned(),
            data: data.to_owned(),
        };
        let video = Content::Other(RawJson::parse(r#"{"type":"video"}"#).unwrap());
        let content = [Content::text("a\nb"), image("aGVsbG8="), image(""), video];
        assert_eq!(
            text_of(&content),
            "a\nb\n[image image/png, 5 bytes]\n[image image/png, 0 bytes]\n\
             [block of the unknown type \"video\"]"
        );
    }

    #[test]
    fn a_result_keeps_its_numbers_and_loses_its_envelope() {
        let mut result = ToolResult::new("7".into(), vec![Content::text("x")]);
        result.structured_content = Some(RawJson::parse(r#"{"n":1.00,"id":"y"}"#).unwrap());
        assert_eq!(
            json_of_result(&result).get(),
            r#"{"content":[{"type":"text","text":"x"}],"structured_content":{"n":1.00,"id":"y"},"is_error":false}"#
        );
        result.is_error = true;
        assert!(json_of_result(&result).get().contains(r#""is_error":true"#));
    }
}
