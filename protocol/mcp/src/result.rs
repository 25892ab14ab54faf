//! What a tool answered, as the result of `tools/call`.

use extline_protocol::frame::{Content, ErrorInfo, ToolResult};
use extline_protocol::{Field, Members, RawJson, read_string, write_string};

use crate::entry::push_key;

/// Where the kind of an error stands, and the member that it concerns.
const ERROR_META: &str = "dev.extline/error";

/// Which results have their value as `structuredContent`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Structure {
    /// The tool's output schema is listed: every result that is no error has to have a value.
    pub(crate) is_promised: bool,
    /// Values other than objects are allowed.
    pub(crate) is_any: bool,
}

/// Appends `"content":..`, what may follow it, and the own members of `_meta` given in `meta`.
pub(crate) fn write(result: &ToolResult, structure: Structure, meta: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(b"\"content\":[");
    for (position, block) in result.content.iter().enumerate() {
        if position > 0 {
            out.push(b',');
        }
        write_block(block, out);
    }
    if let Some(hint) = unseen_hint(result) {
        if !result.content.is_empty() {
            out.push(b',');
        }
        write_text(&format!("hint: {hint}"), out);
    }
    out.push(b']');
    if let Some(value) = structured(result, structure) {
        push_key(out, "structuredContent");
        out.extend_from_slice(value.as_bytes());
    }
    if result.is_error {
        push_key(out, "isError");
        out.extend_from_slice(b"true");
    }
    write_meta(result.error.as_ref(), meta, out);
}

/// Appends `_meta`, unless it is empty.
fn write_meta(error: Option<&ErrorInfo>, meta: &str, out: &mut Vec<u8>) {
    if error.is_none() && meta.is_empty() {
        return;
    }
    push_key(out, "_meta");
    out.push(b'{');
    out.extend_from_slice(meta.as_bytes());
    if let Some(error) = error {
        if !meta.is_empty() {
            out.push(b',');
        }
        write_string(ERROR_META, out);
        out.push(b':');
        error.write(out);
    }
    out.push(b'}');
}

/// The value beside the blocks. A client shows its model one of the two, so it stands only where nothing is
/// lost by that: where the blocks are no more than its text, or where the schema asks for it.
pub(crate) fn structured(result: &ToolResult, structure: Structure) -> Option<&str> {
    let value = result.structured_content.as_ref()?;
    let is_allowed = structure.is_any || value.is_object();
    let is_wanted = structure.is_promised || is_mirror(&result.content, value);
    (is_allowed && is_wanted).then(|| value.get())
}

/// Whether the blocks are the text of the value and nothing else.
pub(crate) fn is_mirror(content: &[Content], value: &RawJson) -> bool {
    match content {
        [Content::Text(text)] => {
            text == value.get() || RawJson::parse(text).is_ok_and(|text| text == *value)
        }
        [Content::TextJson(text)] => {
            read_string(text.get()).is_some_and(|text| text == value.get())
        }
        _ => false,
    }
}

/// A hint that no text shows yet.
fn unseen_hint(result: &ToolResult) -> Option<&str> {
    let hint = result.error.as_ref()?.hint.as_deref().filter(|hint| !hint.is_empty())?;
    let shows = |block: &Content| block.plain().is_some_and(|text| text.contains(hint));
    (!result.content.iter().any(shows)).then_some(hint)
}

fn write_block(block: &Content, out: &mut Vec<u8>) {
    match block {
        Content::Text(text) => write_text(text, out),
        Content::TextJson(text) => {
            out.extend_from_slice(b"{\"type\":\"text\",\"text\":");
            text.write(out);
            out.push(b'}');
        }
        Content::Image { mime_type, data } => {
            out.extend_from_slice(b"{\"type\":\"image\",\"data\":");
            write_string(data, out);
            push_key(out, "mimeType");
            write_string(mime_type, out);
            out.push(b'}');
        }
        // A block of MCP's own stands as it is; any other as the text of its JSON, so that nothing is lost.
        Content::Other(raw) if is_mcp(raw) => raw.write(out),
        Content::Other(raw) => match Content::read(raw.get()) {
            // One of an author's that the wire has under a name of its own.
            Ok(block @ (Content::Text(_) | Content::Image { .. })) => write_block(&block, out),
            _ => write_text(block.plain().as_deref().unwrap_or(raw.get()), out),
        },
    }
}

fn write_text(text: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"type\":\"text\",\"text\":");
    write_string(text, out);
    out.push(b'}');
}

/// Whether it is a block that MCP has and the extline wire has not.
fn is_mcp(raw: &RawJson) -> bool {
    let Some(members) = Members::of_valid(raw.get()) else { return false };
    let is_string =
        |name: &str| members.last(name).is_some_and(|member| read_string(member.value).is_some());
    match members.last("type").and_then(|member| read_string(member.value)).as_deref() {
        Some("audio") => is_string("data") && is_string("mimeType"),
        Some("resource_link") => is_string("uri") && is_string("name"),
        Some("resource") => members.last("resource").is_some_and(|it| it.value.starts_with('{')),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use extline_protocol::ErrorKind;

    use super::*;

    const PLAIN: Structure = Structure { is_promised: false, is_any: false };

    fn json(text: &str) -> RawJson {
        RawJson::parse(text).unwrap()
    }

    fn written(result: &ToolResult, structure: Structure) -> String {
        let mut out = Vec::new();
        write(result, structure, "", &mut out);
        String::from_utf8(out).unwrap()
    }

    fn result(content: Vec<Content>, structured: Option<&str>) -> ToolResult {
        let structured_content = structured.map(json);
        ToolResult { structured_content, ..ToolResult::new("1".into(), content) }
    }

    #[test]
    fn a_value_stands_beside_its_own_text_and_beside_no_other() {
        let mirror = result(vec![Content::text(r#"{"a":1}"#)], Some(r#"{"a":1}"#));
        assert!(written(&mirror, PLAIN).contains(r#""structuredContent":{"a":1}"#));
        let more = result(vec![Content::text("one")], Some(r#"{"a":1}"#));
        assert!(!written(&more, PLAIN).contains("structuredContent"));
        let image = result(vec![Content::image(b"x", "image/png")], Some(r#"{"a":1}"#));
        assert!(!written(&image, PLAIN).contains("structuredContent"));
        let promised = Structure { is_promised: true, is_any: false };
        assert!(written(&more, promised).contains("structuredContent"));
    }

    #[test]
    fn only_the_modern_era_has_values_that_are_no_objects() {
        let list = result(vec![Content::text("[1]")], Some("[1]"));
        assert!(!written(&list, PLAIN).contains("structuredContent"));
        assert!(written(&list, Structure { is_any: true, ..PLAIN }).contains("structuredContent"));
    }

    #[test]
    fn an_error_says_its_kind_and_its_hint() {
        let error = ErrorInfo {
            hint: Some("try Berlin".to_owned()),
            ..ErrorInfo::new(ErrorKind::NotFound, "no such city")
        };
        assert_eq!(
            written(&ToolResult::error("1".into(), error), PLAIN),
            "\"content\":[{\"type\":\"text\",\"text\":\"no such city\"},{\"type\":\"text\",\"text\":\"hint: try \
             Berlin\"}],\"isError\":true,\"_meta\":{\"dev.extline/error\":{\"kind\":\"not_found\",\"message\":\"no \
             such city\",\"hint\":\"try Berlin\"}}"
        );
    }

    #[test]
    fn blocks_that_mcp_has_pass_and_others_become_text() {
        let audio =
            Content::Other(json(r#"{"type":"audio","data":"AA==","mimeType":"audio/wav"}"#));
        let odd = Content::Other(json(r#"{"type":"hologram"}"#));
        assert_eq!(
            written(&result(vec![audio, odd], None), PLAIN),
            "\"content\":[{\"type\":\"audio\",\"data\":\"AA==\",\"mimeType\":\"audio/wav\"},{\"type\":\"text\",\
             \"text\":\"{\\\"type\\\":\\\"hologram\\\"}\"}]"
        );
    }
}
