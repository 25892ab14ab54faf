//! What one approval covers: the key of a call.

use std::fmt::{self, Write};

use extline_protocol::{RawJson, approval_key};
use sha2::{Digest as _, Sha256};

/// The calls of a tool that one approval covers. The two kinds are never equal, whatever text a
/// template makes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Key {
    /// What the tool's template made of the arguments.
    Made(String),
    /// Exactly these arguments.
    Exact([u8; 32]),
}

impl Key {
    /// That of a call with these arguments, made by the host itself (`tool.approval-key`). Where a
    /// template makes nothing that can be relied on, it is the digest: doubt allows this one call and
    /// no other.
    pub(crate) fn of(template: Option<&str>, args: &RawJson) -> Self {
        let made = template.and_then(|template| approval_key(template, args));
        made.map_or_else(|| Self::Exact(digest([args.get().as_bytes()])), Self::Made)
    }
}

impl fmt::Display for Key {
    /// A digest begins with `#`, which no inserted value can.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Made(text) => formatter.write_str(text),
            Self::Exact(digest) => {
                formatter.write_char('#')?;
                digest.iter().try_for_each(|byte| write!(formatter, "{byte:02x}"))
            }
        }
    }
}

/// SHA-256 of several pieces. The length of each counts, so that no two lists of pieces look the same.
pub(crate) fn digest<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> [u8; 32] {
    let mut hash = Sha256::new();
    for piece in pieces {
        hash.update(u64::try_from(piece.len()).unwrap_or(u64::MAX).to_le_bytes());
        hash.update(piece);
    }
    hash.finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(template: &str, args: &str) -> String {
        Key::of(Some(template), &RawJson::parse(args).unwrap()).to_string()
    }

    /// `tool.approval-key`, `tool.approval-strings`.
    #[test]
    fn strings_are_inserted_percent_encoded() {
        assert_eq!(key("{command}", r#"{"command":"rm -rf *"}"#), "rm%20-rf%20%2A");
        assert_eq!(key("{p}", r#"{"p":"a/B_9.@:-"}"#), "a/B_9.@:-");
        assert_eq!(key("to {p}!", r#"{"p":"é\n{x}%"}"#), "to %C3%A9%0A%7Bx%7D%25!");
        assert_eq!(key("{a}{b}", r#"{"a":"{b}","b":"1"}"#), "%7Bb%7D1");
        assert_eq!(key("all", r#"{"p":"a"}"#), "all");
    }

    /// `tool.approval-scalars`.
    #[test]
    fn scalars_are_inserted_as_their_json_text() {
        assert_eq!(key("port:{port}", r#"{"port":8080}"#), "port:8080");
        let args = r#"{"a":true,"b":false,"c":null,"d":-1.50E+2}"#;
        assert_eq!(key("{a} {b} {c} {d}", args), "true false null -1.50E+2");
    }

    /// `tool.approval-digest`.
    #[test]
    fn what_does_not_tell_calls_apart_makes_the_digest_of_exact_arguments() {
        let long = |count| format!(r#"{{"p":"{}"}}"#, "x".repeat(count));
        assert_eq!(key("{p}", &long(256)).len(), 256);
        let doubtful = [
            ("{p}", r#"{"p":[]}"#.to_owned()),
            ("{p}", r#"{"p":{}}"#.to_owned()),
            ("{p}", r#"{"q":1}"#.to_owned()),
            ("{}", r#"{"q":1}"#.to_owned()),
            ("{p}", long(257)),
            // 86 blanks are 258 bytes as inserted.
            ("{p}", format!(r#"{{"p":"{}"}}"#, " ".repeat(86))),
            ("{p}", r#"{"p":""}"#.to_owned()),
            ("{p", r#"{"p":"a"}"#.to_owned()),
            ("a\u{202e}{p}", r#"{"p":"a"}"#.to_owned()),
            ("{p}{p}{p}{p}{p}", long(250)),
        ];
        for (template, args) in doubtful {
            let exact = key(template, &args);
            assert!(exact.starts_with('#') && exact.len() == 65, "{template} {args}: {exact}");
            let args = RawJson::parse(&args).unwrap();
            assert_eq!(Key::of(Some(template), &args), Key::of(None, &args));
        }
        assert_ne!(key("{p}", r#"{"a":1}"#), key("{p}", r#"{"a":1.0}"#));
    }

    #[test]
    fn no_made_key_equals_a_digest() {
        let args = RawJson::parse(r#"{"p":"a"}"#).unwrap();
        let exact = Key::of(None, &args);
        let template = exact.to_string();
        assert_ne!(Key::of(Some(&template), &args), exact);
    }

    #[test]
    fn pieces_do_not_run_into_each_other() {
        assert_ne!(digest([&b"ab"[..], b"c"]), digest([&b"a"[..], b"bc"]));
    }
}
