//! What makes two calls the same call.

use extline_protocol::limits::MODEL_ARGS_DEPTH;
use extline_protocol::{Elements, Members, read_string, write_array, write_object, write_string};
use sha2::{Digest as _, Sha256};

use crate::tool::Tool;

/// From here on a double does not hold each whole number.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// Two calls with one signature are the same call: of one extension's tool, with one schema, with
/// arguments that are equal as values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Signature([u8; 32]);

impl Signature {
    /// That of a call of a tool, if there is one of that name. Arguments that no tool would get, as they are no JSON
    /// object or nest too deep, are equal where their text is.
    pub(crate) fn of(tool: Option<&Tool>, name: &str, args: &str) -> Self {
        let is_object = Members::of(args).is_some_and(|it| it.depth <= MODEL_ARGS_DEPTH);
        let mut canonical = Vec::new();
        if is_object {
            write_canonical(args, &mut canonical);
        }
        let args = if is_object { &canonical } else { args.as_bytes() };
        let extension = tool.map_or("", |tool| tool.extension.as_str());
        let schema = tool.map(|tool| Sha256::digest(tool.definition.schema.get()));
        // Of each part the length stands before it, so that none reaches into the next.
        let schema = schema.as_deref().unwrap_or_default();
        let parts = [extension.as_bytes(), name.as_bytes(), schema, args];
        let mut hash = Sha256::new();
        for part in parts {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        Self(hash.finalize().into())
    }
}

/// Writes a value as RFC 8785 (JCS) does, but for numbers: whole ones that a double does not hold keep
/// their digits, as two of them are two numbers for a tool.
fn write_canonical(value: &str, out: &mut Vec<u8>) {
    let value = value.trim_matches([' ', '\t', '\n', '\r']);
    if let Some(members) = Members::of(value) {
        let mut members: Vec<_> = members.iter().map(|it| (it.key(), it.value)).collect();
        members.sort_by(|(one, _), (other, _)| one.encode_utf16().cmp(other.encode_utf16()));
        write_object(members, out, write_canonical);
    } else if let Some(elements) = Elements::of(value) {
        write_array(elements, out, write_canonical);
    } else if let Some(text) = read_string(value) {
        write_string(&text, out);
    } else {
        match value.parse::<f64>() {
            Ok(number) if is_exact(value, number) => {
                // Minus zero is zero.
                out.extend_from_slice((number + 0.0).to_string().as_bytes());
            }
            _ => out.extend_from_slice(value.as_bytes()),
        }
    }
}

/// Whether the number stands for its text alone.
fn is_exact(text: &str, number: f64) -> bool {
    number.is_finite() && (number.abs() < EXACT || text.contains(['.', 'e', 'E']))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn canonical(value: &str) -> String {
        let mut out = Vec::new();
        write_canonical(value, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn equal_values_are_written_alike() {
        let written =
            "{ \"b\" : [ 1.0 , -0, 1e2 ], \"\\u0061\": {\"y\":null,\"x\":\"<\\u00fc>\"} }";
        assert_eq!(canonical(written), r#"{"a":{"x":"<ü>","y":null},"b":[1,0,100]}"#);
        assert_eq!(canonical("{}"), "{}");
        assert_eq!(canonical(r#"{"\uD83D\uDE00":1,"\uFB33":2}"#), "{\"😀\":1,\"\u{fb33}\":2}");
    }

    #[test]
    fn numbers_that_differ_stay_different() {
        assert_ne!(canonical("12345678901234567890"), canonical("12345678901234567891"));
        assert_ne!(canonical("9007199254740993"), canonical("9007199254740992"));
        assert_ne!(canonical("0.1"), canonical("0.2"));
        assert_eq!(canonical("1e999"), "1e999");
        assert_eq!(canonical("true"), "true");
    }

    #[test]
    fn no_part_reaches_into_the_next() {
        let of = |name, args| Signature::of(None, name, args);
        assert_ne!(of("a1", "2"), of("a", "12"));
        assert_eq!(of("a", "{}"), of("a", "{ }"));
    }

    #[test]
    fn what_no_tool_would_get_is_compared_as_text() {
        let of = |args: &str| Signature::of(None, "a", args);
        assert_ne!(of("{a"), of("{ a"));
        assert_ne!(of("[1]"), of("[1.0]"));
        let deep = format!(r#"{{"a":{}{}}}"#, "[".repeat(100_000), "]".repeat(100_000));
        assert_eq!(of(&deep), of(&deep));
        assert_ne!(of(&deep), of(&format!("{deep} ")));
    }
}
