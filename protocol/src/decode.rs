//! A line in, a frame out; or why not.

use serde_json::value::RawValue;
use thiserror::Error;

use crate::error_kind::ErrorKind;
use crate::frame::{AnyFrame, Frame};
use crate::head::Head;
use crate::json::{FieldError, Members, excerpt, read_string, repair_surrogates};
use crate::limits::DEPTH;
use crate::line::Line;

/// The member that is taken apart again, by the validator and by whoever looks into it.
const ARGS: &str = "args";

const JSON_WHITE_SPACE: [char; 4] = [' ', '\t', '\r', '\n'];

/// What a line turned out to be.
#[derive(Clone, Debug, PartialEq)]
pub enum Incoming<F> {
    /// A frame, known or not.
    Frame(F),
    /// A line that is no frame. Where `head` has a type and an id, its sender waits for an answer.
    Unusable(Unusable),
}

/// A line that cannot be used. It ends nothing: the next line counts (`frm.unusable`).
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{problem}")]
pub struct Unusable {
    /// What could still be found.
    pub head: Head,
    /// Why it cannot be used.
    pub problem: Problem,
    /// The line, where it is an object of which some member cannot be used: others may be.
    pub text: Option<Box<str>>,
}

/// Why a line cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Problem {
    /// Over the size limit.
    #[error("a frame of {bytes} bytes; at most {limit} are accepted")]
    TooLong {
        /// Its size without the LF.
        bytes: usize,
        /// The limit.
        limit: usize,
    },
    /// Over the depth limit.
    #[error("a frame nested {depth} levels deep; at most {DEPTH} are accepted")]
    TooDeep {
        /// Its depth, the frame's own object included.
        depth: usize,
    },
    /// Not JSON.
    #[error("not JSON ({reason}): {excerpt}")]
    Malformed {
        /// What the parser said, with the column.
        reason: String,
        /// The beginning of the line.
        excerpt: String,
    },
    /// JSON, but not an object.
    #[error("not a JSON object: {excerpt}")]
    NotAnObject {
        /// The beginning of the line.
        excerpt: String,
    },
    /// An object without a `type` that is a string.
    #[error("a frame without a \"type\": {excerpt}")]
    NoType {
        /// The beginning of the line.
        excerpt: String,
    },
    /// A member is missing or of the wrong type.
    #[error("{frame_type}: {error}")]
    WrongField {
        /// The frame's type.
        frame_type: String,
        /// Which member, what it should be, what it is.
        error: FieldError,
    },
}

impl Problem {
    /// The error code that answers such a frame.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::TooLong { .. } => ErrorKind::TooLarge,
            _ => ErrorKind::Protocol,
        }
    }
}

/// Reads one line as a frame of one direction.
pub fn decode<F: AnyFrame>(line: &Line<'_>) -> Incoming<F> {
    match line {
        Line::Text(text) => decode_text(text),
        Line::TooLong(line) => Incoming::Unusable(Unusable {
            head: line.head.clone(),
            problem: Problem::TooLong { bytes: line.bytes, limit: line.limit },
            text: None,
        }),
    }
}

/// Reads the text of one line as a frame of one direction.
pub fn decode_text<F: AnyFrame>(text: &str) -> Incoming<F> {
    match read(text) {
        Ok(frame) => Incoming::Frame(frame),
        Err(problem) => {
            let head = match problem {
                Problem::NotAnObject { .. } => Head::default(),
                _ => Head::of(text),
            };
            let has_members = matches!(problem, Problem::WrongField { .. });
            Incoming::Unusable(Unusable { head, problem, text: has_members.then(|| text.into()) })
        }
    }
}

/// Reads the text of a frame whose type is known before, as one that a binding makes of an author's
/// values: no other type is read, so none but these need be in a program.
pub fn decode_frame<F: Frame>(text: &str) -> Result<F, Problem> {
    read_with(text, &mut |frame_type, members, _| {
        if frame_type == F::TYPE {
            return F::read_members(members);
        }
        Err(FieldError::unexpected(F::TYPE, &format!("{frame_type:?}")).below("type"))
    })
}

/// Reads the members of a frame that a binding makes of an author's values. They are without what the
/// session stamps on a frame: its type, its id, its number. The id is empty until the session writes it.
pub fn decode_members<F: Frame>(text: &str) -> Result<F, Problem> {
    let members = Members::unstamped(text).ok_or_else(|| no_object(text))?;
    if members.depth > DEPTH {
        return Err(Problem::TooDeep { depth: members.depth });
    }
    if members.unpaired_surrogate {
        return decode_members(&repair_surrogates(text));
    }
    let wrong = |error| Problem::WrongField { frame_type: F::TYPE.to_owned(), error };
    F::read_members(&members).map_err(wrong)
}

fn read<F: AnyFrame>(text: &str) -> Result<F, Problem> {
    read_with(text, &mut F::read)
}

fn read_with<F>(
    text: &str,
    read: &mut impl FnMut(&str, &Members<'_>, &str) -> Result<F, FieldError>,
) -> Result<F, Problem> {
    let mut members = Members::none();
    if members.split_opening(text, ARGS).is_none() {
        return Err(no_object(text));
    }
    if members.depth > DEPTH {
        return Err(Problem::TooDeep { depth: members.depth });
    }
    if members.unpaired_surrogate {
        return read_with(&repair_surrogates(text), read);
    }
    let (mut frame_type, mut id) = (None, None);
    for member in members.iter() {
        if member.is("type") {
            frame_type = Some(member.value);
        } else if member.is("id") {
            id = Some(member.value);
        }
    }
    let frame_type = frame_type
        .and_then(read_string)
        .ok_or_else(|| Problem::NoType { excerpt: excerpt(text) })?;
    let wrong = |error| Problem::WrongField { frame_type: frame_type.to_string(), error };
    id.map_or(Ok(()), check_id).map_err(wrong)?;
    read(&frame_type, &members, text.trim_matches(JSON_WHITE_SPACE)).map_err(wrong)
}

fn no_object(text: &str) -> Problem {
    let excerpt = excerpt(text);
    match serde_json::from_str::<&RawValue>(text) {
        Ok(_) => Problem::NotAnObject { excerpt },
        Err(error) => Problem::Malformed { reason: error.to_string(), excerpt },
    }
}

/// Every frame with an `id` that is no string is bad, also where the type has no use for it: a
/// zot reads the id before the type (`id.opaque`).
fn check_id(id: &str) -> Result<(), FieldError> {
    if id == "null" || id.starts_with('"') {
        return Ok(());
    }
    Err(FieldError::unexpected("a non-empty string", id).below("id"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::{
        CommandInvoked, ExtensionFrame, HostFrame, ToolCall, ToolResult, ToolUpdate,
    };

    fn problem(text: &str) -> (String, Head) {
        match decode_text::<HostFrame>(text) {
            Incoming::Unusable(unusable) => (unusable.to_string(), unusable.head),
            Incoming::Frame(frame) => panic!("{text} is {frame:?}"),
        }
    }

    #[test]
    fn a_tool_call_is_read_with_its_args_as_they_stand() {
        let text = r#"{"id":"7","args":{"n":12345678901234567890, "a":1,"a":2},"type":"tool_call","name":"x","new":{}}"#;
        let Incoming::Frame(HostFrame::ToolCall(call)) = decode_text(text) else { panic!() };
        assert_eq!(call.id.as_str(), "7");
        assert_eq!(call.args.get(), r#"{"n":12345678901234567890, "a":1,"a":2}"#);
    }

    #[test]
    fn each_problem_says_what_and_where() {
        let (text, head) = problem(r#"{"type":"tool_call","id":"7","name":5,"args":{}}"#);
        assert_eq!(text, "tool_call: /name: expected a string, found 5");
        assert_eq!(head.id.unwrap().as_str(), "7");
        let (text, _) = problem(r#"{"type":"tool_call","id":"7"}"#);
        assert_eq!(text, "tool_call: /name: required, and missing");
        let (text, _) = problem(r#"{"type":"tool_call","id":"7","name":null}"#);
        assert_eq!(text, "tool_call: /name: required, and missing");
        let (text, head) = problem(r#"{"type":"tool_call","id":7,"name":"x"}"#);
        assert_eq!(text, "tool_call: /id: expected a non-empty string, found 7");
        assert_eq!(head.id, None);
        assert!(problem("nonsense").0.starts_with("not JSON (expected ident at line 1 column 2)"));
        assert_eq!(problem("[1,2]").0, "not a JSON object: [1,2]");
        assert_eq!(problem(r#"{"type":5}"#).0, r#"a frame without a "type": {"type":5}"#);
    }

    #[test]
    fn a_frame_of_a_known_type_is_read_and_no_other() {
        let text = r#"{"type":"tool_call","id":"7","name":"x","args":{}}"#;
        assert_eq!(decode_frame::<ToolCall>(text).unwrap().name, "x");
        let problem = decode_frame::<CommandInvoked>(text).unwrap_err().to_string();
        assert_eq!(problem, r#"tool_call: /type: expected command_invoked, found "tool_call""#);
    }

    #[test]
    fn an_author_s_members_need_nothing_that_the_session_stamps() {
        let update = decode_members::<ToolUpdate>(r#"{"details":"\ud800"}"#).unwrap();
        assert_eq!((update.id.as_str(), update.seq), ("", 0));
        assert_eq!(update.details.unwrap().get(), r#""\ufffd""#);
        let problem = decode_members::<ToolResult>(r#"{"content":5}"#).unwrap_err().to_string();
        assert_eq!(problem, "tool_result: /content: expected an array, found 5");
        // On the wire they must be there.
        let frame = decode_frame::<ToolResult>(r#"{"type":"tool_result","content":[]}"#);
        assert_eq!(frame.unwrap_err().to_string(), "tool_result: /id: required, and missing");
    }

    #[test]
    fn depth_128_is_the_last_that_passes() {
        let nested = |levels: usize| {
            let (open, close) = ("[".repeat(levels - 1), "]".repeat(levels - 1));
            format!(r#"{{"type":"tool_call","id":"7","name":"x","args":{open}{close}}}"#)
        };
        assert!(matches!(decode_text::<HostFrame>(&nested(128)), Incoming::Frame(_)));
        let (text, head) = problem(&nested(129));
        assert_eq!(text, "a frame nested 129 levels deep; at most 128 are accepted");
        assert_eq!(head.id.unwrap().as_str(), "7");
    }

    #[test]
    fn half_a_surrogate_is_repaired_everywhere() {
        let text = r#"{"type":"tool_call","id":"\ud800","name":"x","args":{"a":"\udc00"}}"#;
        let Incoming::Frame(HostFrame::ToolCall(call)) = decode_text(text) else { panic!() };
        assert_eq!(call.id.as_str(), "\u{fffd}");
        assert_eq!(call.args.get(), r#"{"a":"\ufffd"}"#);
    }

    #[test]
    fn unknown_types_are_kept_and_null_is_absent() {
        let Incoming::Frame(HostFrame::Unknown(frame)) = decode_text(r#"{"type":"new","x":1}"#)
        else {
            panic!()
        };
        assert_eq!(frame.frame_type, "new");
        assert_eq!(frame.raw.get(), r#"{"type":"new","x":1}"#);
        let text =
            r#"{"type":"tool_result","id":"1","content":null,"is_error":null,"details":null}"#;
        let Incoming::Frame(ExtensionFrame::ToolResult(result)) = decode_text(text) else {
            panic!()
        };
        assert_eq!((result.content.len(), result.is_error, result.details), (0, false, None));
    }

    #[test]
    fn what_is_known_of_the_whole_is_not_taken_for_its_parts() {
        let args = r#"{"a":{"b":{"c":"x","d":2},"e":[{"f":3}]},"g":{"h":4}}"#;
        let frame = format!(r#"{{"type":"tool_call","id":"1","name":"x","args":{args}}}"#);
        let Incoming::Frame(HostFrame::ToolCall(call)) = decode_text(&frame) else { panic!() };
        for (pointer, value) in [
            ("/a/b", r#"{"c":"x","d":2}"#),
            ("/a/b/c", "\"x\""),
            ("/a/b/d", "2"),
            ("/a/e/0/f", "3"),
            ("/g/h", "4"),
        ] {
            assert_eq!(call.args.at(pointer), Some(value), "{pointer}");
        }
    }
}
