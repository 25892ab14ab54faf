//! A small validator for the arguments of a tool whose schema is plain JSON Schema.
//!
//! It reads the text of the arguments as it came, builds nothing, and says which member is wrong
//! in words a model can act on. It checks `type`, `enum`, `const`, `properties`, `required`,
//! `additionalProperties`, `items`, the limits of numbers, lengths and counts, `allOf`, `anyOf`,
//! `oneOf` and references inside the schema, in drafts 6 to 2020-12. Every other keyword is
//! listed by [`ArgsValidator::unsupported`] and left to the host: arguments that such a keyword
//! might allow or refuse are never refused here.

mod assertion;
mod check;
mod compile;
mod dialect;
mod failure;
mod finding;
mod number;
#[cfg(test)]
mod properties;
mod schema;
mod size;
mod value;

use std::fmt;

use thiserror::Error;

pub use self::failure::ArgsFailure;
use self::schema::Schema;
use crate::RawJson;

/// A tool's schema, ready to check arguments. It can be shared between threads.
#[derive(Debug)]
pub struct ArgsValidator {
    schema: Schema,
    unsupported: Vec<Unsupported>,
}

/// A keyword of a schema that is not checked here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsupported {
    /// The keyword, as `pattern`.
    pub keyword: String,
    /// JSON pointer to it in the schema, as `/properties/city/pattern`.
    pub pointer: String,
}

/// A schema that cannot be used.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{}{message}", prefix(.pointer))]
pub struct SchemaProblem {
    /// JSON pointer to what is wrong in the schema; empty for the schema itself.
    pub pointer: String,
    /// What is wrong with it, as `must be a number, and is "5"`.
    pub message: String,
    /// It may be a valid schema, and is over one of the limits of [`limits`](crate::limits).
    pub is_too_large: bool,
}

/// Arguments that do not match their schema.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{}{message}", prefix(.pointer))]
pub struct ArgsError {
    /// JSON pointer to the offending member itself: a missing `city` is `/city`, one too many is
    /// `/x`. Empty for the arguments as a whole.
    pub pointer: String,
    /// What is wrong with it, as `required, and missing` or `must be a string, and is 5`.
    pub message: String,
}

impl ArgsValidator {
    /// Compiles a tool's schema. Refuses what is no object, holds a checked keyword whose value
    /// is of the wrong type, or has a `$ref` that leads nowhere or back to itself.
    pub fn compile(schema: &RawJson) -> Result<Self, SchemaProblem> {
        let (schema, unsupported) = compile::compile(schema.get())?;
        Ok(Self { schema, unsupported })
    }

    /// The keywords of the schema that are left to the host. Annotations (`title`, `default`,
    /// `format`, `x-...`) are not among them; words JSON Schema does not know are, as they are
    /// mostly misspelt.
    pub fn unsupported(&self) -> &[Unsupported] {
        &self.unsupported
    }

    /// Checks the arguments of a call. Of several mistakes the first in the text is named; what
    /// is missing counts as standing at the end of its object. Of duplicate keys the last counts.
    /// Arguments that take more than [`limits::CHECK_STEPS`](crate::limits::CHECK_STEPS) to check
    /// are refused.
    pub fn validate(&self, args: &RawJson) -> Result<(), ArgsError> {
        check::check(&self.schema, args)
    }
}

impl SchemaProblem {
    fn new(pointer: impl Into<String>, message: impl Into<String>) -> Self {
        Self { pointer: pointer.into(), message: message.into(), is_too_large: false }
    }

    /// The schema has more than `limit` of something.
    fn over(pointer: impl Into<String>, limit: usize, what: &str) -> Self {
        let message = format!("has more than {limit} {what}");
        Self { is_too_large: true, ..Self::new(pointer, message) }
    }
}

impl fmt::Display for Unsupported {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: not checked here, left to the host", self.pointer)
    }
}

fn prefix(pointer: &str) -> String {
    if pointer.is_empty() { String::new() } else { format!("{pointer}: ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks arguments against a schema; what is wrong, or `ok`.
    fn verdict(schema: &str, args: &str) -> String {
        let validator = ArgsValidator::compile(&RawJson::parse(schema).unwrap()).unwrap();
        match validator.validate(&RawJson::parse(args).unwrap()) {
            Ok(()) => "ok".to_owned(),
            Err(error) => error.to_string(),
        }
    }

    fn assert_verdicts(schema: &str, cases: &[(&str, &str)]) {
        for (args, expected) in cases {
            assert_eq!(verdict(schema, args), *expected, "{args}");
        }
    }

    #[test]
    fn the_offending_member_itself_is_named() {
        let schema = r#"{
            "type": "object",
            "properties": {
                "city": {"type": "string", "minLength": 1},
                "units": {"enum": ["c", "f"]},
                "days": {"type": "integer", "minimum": 1, "maximum": 14},
                "a/b~c": {"items": {"properties": {"x": {"type": "null"}}, "required": ["y"]}}
            },
            "required": ["city"],
            "additionalProperties": false
        }"#;
        assert_verdicts(
            schema,
            &[
                (r#"{"city":"Berlin","units":"c","days":3}"#, "ok"),
                ("{}", "/city: required, and missing"),
                (r#"{"city":5}"#, "/city: must be a string, and is 5"),
                (r#"{"city":""}"#, "/city: must be a string of at least 1 character, and is of 0"),
                (r#"{"city":"B","units":"k"}"#, r#"/units: must be one of "c", "f"; is "k""#),
                (r#"{"city":"B","days":1.5}"#, "/days: must be an integer, and is 1.5"),
                (r#"{"city":"B","days":0}"#, "/days: must be at least 1, and is 0"),
                (r#"{"city":"B","days":1e9}"#, "/days: must be at most 14, and is 1e9"),
                (
                    r#"{"city":"B","x":1}"#,
                    r#"/x: not allowed; allowed are "a/b~c", "city", "days", "units""#,
                ),
                (
                    r#"{"city":"B","a/b~c":[{"y":0},{"x":0}]}"#,
                    "/a~1b~0c/1/x: must be null, and is 0",
                ),
                (r#"{"city":"B","a/b~c":[{}]}"#, "/a~1b~0c/0/y: required, and missing"),
                ("[]", "must be an object, and is []"),
            ],
        );
    }

    #[test]
    fn of_several_mistakes_the_first_in_the_text_is_named() {
        let schema = r#"{
            "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
            "required": ["c", "a"],
            "allOf": [{"required": ["e"]}, {"properties": {"b": {"maxLength": 1}, "d": false}}]
        }"#;
        assert_verdicts(
            schema,
            &[
                (r#"{"b":1,"a":1}"#, "/b: must be a string, and is 1"),
                (r#"{"a":1,"b":1}"#, "/a: must be a string, and is 1"),
                (r#"{"d":0,"b":1}"#, "/d: not allowed"),
                (r#"{"a":"x"}"#, "/e: required, and missing"),
                (r#"{"a":"x","e":1}"#, "/c: required, and missing"),
            ],
        );
    }

    #[test]
    fn of_duplicate_keys_the_last_is_checked() {
        let schema = r#"{"properties":{"a":{"type":"string"}}}"#;
        assert_eq!(verdict(schema, r#"{"a":1,"\u0061":"x"}"#), "ok");
        assert_eq!(verdict(schema, r#"{"a":"x","a":1}"#), "/a: must be a string, and is 1");
    }

    #[test]
    fn integers_have_any_size_and_spelling() {
        let schema = r#"{"properties":{"n":{"type":"integer"}}}"#;
        for number in ["1.0", "-0", "1e400", "123456789012345678901234567890", "12.50e1"] {
            assert_eq!(verdict(schema, &format!("{{\"n\":{number}}}")), "ok");
        }
        assert_eq!(verdict(schema, r#"{"n":1e-1}"#), "/n: must be an integer, and is 1e-1");
    }

    #[test]
    fn numbers_of_the_schema_are_not_rounded() {
        let schema = r#"{"properties":{"n":{"enum":[31.245270191439438,1e400]},
            "m":{"maximum":12345678901234567890123}}}"#;
        assert_verdicts(
            schema,
            &[
                (r#"{"n":31.245270191439438,"m":12345678901234567890123}"#, "ok"),
                (r#"{"n":10e399}"#, "ok"),
                (
                    r#"{"m":12345678901234567890124}"#,
                    "/m: must be at most 12345678901234567890123, and is 12345678901234567890124",
                ),
            ],
        );
    }

    #[test]
    fn the_alternative_that_was_meant_explains() {
        let optional = r#"{"properties":{"a":{"anyOf":[{"type":"string"},{"type":"null"}]}}}"#;
        assert_verdicts(
            optional,
            &[(r#"{"a":null}"#, "ok"), (r#"{"a":5}"#, "/a: must be a string or null, and is 5")],
        );
        let tagged = r##"{
            "oneOf": [{"$ref": "#/$defs/circle"}, {"$ref": "#/$defs/square"}],
            "$defs": {
                "circle": {"properties": {"kind": {"const": "circle"}, "r": {"type": "number"}},
                           "required": ["kind", "r"]},
                "square": {"properties": {"kind": {"const": "square"}, "r": false},
                           "required": ["kind", "side"]}
            }
        }"##;
        assert_verdicts(
            tagged,
            &[
                (r#"{"kind":"square","side":1}"#, "ok"),
                (r#"{"kind":"square"}"#, "/side: required, and missing"),
                (r#"{"r":"x","kind":"circle"}"#, "/r: must be a number, and is \"x\""),
                (
                    r#"{"r":"x","kind":"line"}"#,
                    r#"/kind: must be "circle" or "square", and is "line""#,
                ),
                ("{}", "/kind: required, and missing"),
            ],
        );
        let furthest = r#"{"anyOf": [
            {"required": ["a"], "properties": {"a": {"type": "null"}}},
            {"required": ["b"], "properties": {"a": {"type": "string"}, "b": {"type": "null"}}}
        ]}"#;
        assert_eq!(verdict(furthest, r#"{"a":"x","b":1}"#), "/b: must be null, and is 1");
        let untagged = r#"{"anyOf": [{"required": ["name"]}, {"required": ["id"]}]}"#;
        assert_eq!(
            verdict(untagged, "{}"),
            "matches none of its alternatives: /name: required, and missing; or /id: required, \
             and missing"
        );
    }

    #[test]
    fn one_of_allows_one_match_only() {
        let schema = r#"{"oneOf": [{"required": ["a"]}, {"required": ["b"]}]}"#;
        assert_verdicts(
            schema,
            &[
                (r#"{"a":1}"#, "ok"),
                (r#"{"a":1,"b":1}"#, "must match exactly one of its alternatives, and matches 2"),
            ],
        );
    }

    #[test]
    fn what_an_unchecked_keyword_may_decide_is_not_refused() {
        let patterns = r##"{
            "oneOf": [{"$ref": "#/$defs/a"}, {"properties": {"x": {"pattern": "^b"}}}],
            "$defs": {"a": {"properties": {"x": {"pattern": "^a"}}}}
        }"##;
        assert_eq!(verdict(patterns, r#"{"x":"apple"}"#), "ok");
        let named = r#"{"patternProperties": {"^x": {}}, "additionalProperties": false}"#;
        assert_eq!(verdict(named, r#"{"xy":1}"#), "ok");
        let tuple = r#"{"properties":{"t":{"prefixItems":[{}],"items":{"type":"null"}}}}"#;
        assert_eq!(verdict(tuple, r#"{"t":[1]}"#), "ok");
        let resource = r#"{"properties":{"r":{"$id":"r.json","type":"null"}}}"#;
        assert_eq!(verdict(resource, r#"{"r":1}"#), "ok");
    }

    #[test]
    fn in_drafts_6_and_7_a_reference_stands_alone() {
        let with = |draft: &str| {
            format!(
                r##"{{"$schema":"{draft}","definitions":{{"a":{{"type":"string"}}}},
                "properties":{{"x":{{"$ref":"#/definitions/a","maxLength":1}}}}}}"##
            )
        };
        let args = r#"{"x":"long"}"#;
        assert_eq!(verdict(&with("http://json-schema.org/draft-07/schema#"), args), "ok");
        assert_eq!(
            verdict(&with("https://json-schema.org/draft/2020-12/schema"), args),
            "/x: must be a string of at most 1 character, and is of 4"
        );
    }

    #[test]
    fn recursive_schemas_are_checked_once_per_value() {
        // Without remembering what it found, the check would try 2^120 combinations.
        let schema = r##"{
            "properties": {"next": {"anyOf": [{"$ref": "#"}, {"allOf": [{"$ref": "#"}]}]}},
            "additionalProperties": {"type": "null"}
        }"##;
        let nested = |end: &str| format!("{}{end}{}", r#"{"next":"#.repeat(120), "}".repeat(120));
        assert_eq!(verdict(schema, &nested("{}")), "ok");
        let error = verdict(schema, &nested(r#"{"x":1}"#));
        assert!(error.ends_with("/next/x: must be null, and is 1"), "{error}");
    }

    #[test]
    fn nesting_beyond_the_limit_is_refused_without_running_out_of_stack() {
        let schema = r##"{"items": {"$ref": "#"}}"##;
        let nested = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        assert_eq!(verdict(schema, &nested(200)), "ok");
        let error = verdict(schema, &nested(5_000));
        assert!(error.ends_with(": nests too deep for its schema to be checked"), "{error}");
    }
}
