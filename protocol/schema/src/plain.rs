//! Schemas that are valid at a glance, so that compiling them in full can wait until it is needed.
//!
//! Most tools state no more than the types of their arguments, and many are never called. What is
//! plain has passed the small validator of extline-protocol, and has nothing beside the keywords
//! below, each with a value that no draft could object to. Everything else is compiled at once.

use extline_protocol::{Elements, Members, RawJson};

/// Longer schemas are not looked through: nested ones are read once for each level.
const LONGEST: usize = 16 * 1024;

/// Deeper ones neither.
const LEVELS: usize = 16;

/// Longest text of a number that surely fits any type of number.
const DIGITS: usize = 15;

/// Whether a schema that the small validator has compiled, and checks all of, is surely valid.
pub(crate) fn is_plain(schema: &RawJson) -> bool {
    schema.get().len() <= LONGEST && is_plain_schema(schema.get(), LEVELS)
}

/// With so many levels of schemas at most.
fn is_plain_schema(text: &str, levels: usize) -> bool {
    if matches!(text, "true" | "false") {
        return true;
    }
    let Some(levels) = levels.checked_sub(1) else { return false };
    Members::of(text).is_some_and(|members| {
        members.iter().all(|one| is_plain_keyword(&one.key(), one.value, levels))
    })
}

/// The small validator has seen that each value is of the kind that its keyword wants; here only
/// what it does not look at is.
fn is_plain_keyword(name: &str, value: &str, levels: usize) -> bool {
    match name {
        "$schema" => value == r#""https://json-schema.org/draft/2020-12/schema""#,
        "title" | "description" | "$comment" | "format" => is_string(value),
        "deprecated" | "readOnly" | "writeOnly" => matches!(value, "true" | "false"),
        "default" | "const" => is_plain_value(value),
        "enum" | "examples" => all(value, is_plain_value),
        "type" | "required" => is_string(value) || are_distinct(value),
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" => is_plain_number(value),
        "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties" => {
            is_plain_count(value)
        }
        "items" | "additionalProperties" => is_plain_schema(value, levels),
        "properties" | "$defs" => Members::of(value)
            .is_some_and(|schemas| schemas.iter().all(|one| is_plain_schema(one.value, levels))),
        "allOf" | "anyOf" | "oneOf" => all(value, |schema| is_plain_schema(schema, levels)),
        "$ref" => is_plain_reference(value),
        _ => false,
    }
}

/// Whether arguments are a short object of values that everybody reads alike.
pub(crate) fn is_plain_object(args: &RawJson) -> bool {
    args.get().len() <= LONGEST
        && Members::of_valid(args.get())
            .is_some_and(|members| members.iter().all(|one| is_plain_value(one.value)))
}

fn is_plain_value(text: &str) -> bool {
    matches!(text, "null" | "true" | "false" | "{}" | "[]")
        || is_string(text)
        || is_plain_number(text)
}

fn is_string(text: &str) -> bool {
    text.starts_with('"')
}

fn is_plain_number(text: &str) -> bool {
    let digits = |text: &str| {
        let text = text.strip_prefix('-').unwrap_or(text);
        !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
    };
    text.len() <= DIGITS && digits(text)
}

fn is_plain_count(text: &str) -> bool {
    text.len() <= DIGITS && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// `"#/$defs/Name"`; that it leads somewhere was seen before.
fn is_plain_reference(text: &str) -> bool {
    let name = text.strip_prefix("\"#/$defs/").and_then(|text| text.strip_suffix('"'));
    name.is_some_and(|name| {
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    })
}

/// Of a list of names, whether none stands in it twice, each as it is spelt.
fn are_distinct(list: &str) -> bool {
    let Some(elements) = Elements::of(list) else { return false };
    let names: Vec<_> = elements.collect();
    let is_new = |at: usize| !names[at].contains('\\') && !names[..at].contains(&names[at]);
    (0..names.len()).all(is_new)
}

fn all(list: &str, is_plain: impl Fn(&str) -> bool) -> bool {
    Elements::of(list).is_some_and(|mut elements| elements.all(is_plain))
}

#[cfg(test)]
mod tests {
    use extline_protocol::ArgsValidator;

    use super::*;

    /// What the small validator lets through, whole.
    fn compiles(schema: &RawJson) -> bool {
        let small = ArgsValidator::compile(schema);
        small.is_ok_and(|small| small.unsupported().is_empty())
    }

    fn is_valid(schema: &RawJson) -> bool {
        let Ok(document) = schema.to::<serde_json::Value>() else { return false };
        let options = jsonschema::options().offline().should_validate_formats(false);
        options.build(&document).is_ok()
    }

    #[test]
    fn what_people_write_is_plain() {
        for schema in [
            "{}",
            r#"{"type":"object"}"#,
            r#"{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}"#,
            r##"{"$schema":"https://json-schema.org/draft/2020-12/schema","title":"Typed",
                "type":"object","properties":{
                    "text":{"description":"What to answer","type":"string","minLength":1},
                    "days":{"type":["integer","null"],"format":"uint8","minimum":-1.5,"default":null},
                    "unit":{"enum":["c","f"],"examples":["c"]},
                    "list":{"type":"array","items":{"$ref":"#/$defs/Item"},"maxItems":9},
                    "any":{"anyOf":[true,{"const":""}]}},
                "required":["text","days"],"additionalProperties":false,
                "$defs":{"Item":{"type":"object","default":{}}}}"##,
        ] {
            let schema = RawJson::parse(schema).unwrap();
            assert!(compiles(&schema) && is_plain(&schema) && is_valid(&schema), "{schema}");
        }
    }

    #[test]
    fn what_is_long_or_deep_is_not_plain() {
        let deep = |levels: usize| r#"{"items":"#.repeat(levels) + "true" + &"}".repeat(levels);
        assert!(is_plain(&RawJson::parse(&deep(LEVELS)).unwrap()));
        assert!(!is_plain(&RawJson::parse(&deep(LEVELS + 1)).unwrap()));
        let long = format!(r#"{{"title":"{}"}}"#, "x".repeat(LONGEST));
        assert!(!is_plain(&RawJson::parse(&long).unwrap()));
    }

    #[test]
    fn what_is_not_valid_is_not_plain() {
        let around = [r"S", r#"{"properties":{"a":S}}"#, r#"{"anyOf":[{"items":S}]}"#];
        for wrong in [
            r#"{"title":5}"#,
            r#"{"description":null}"#,
            r#"{"$comment":[]}"#,
            r#"{"format":{}}"#,
            r#"{"readOnly":1}"#,
            r#"{"examples":"a"}"#,
            r#"{"enum":[1e400]}"#,
            r#"{"default":{"a":[1e400]}}"#,
            r#"{"const":-1E999}"#,
            r#"{"minimum":1e400}"#,
            r#"{"type":["string","string"]}"#,
            r#"{"required":["a","a"]}"#,
            r#"{"required":["a","\u0061"]}"#,
            r#"{"$schema":"https://example.com/draft"}"#,
            r#"{"$id":5}"#,
            r#"{"$anchor":5}"#,
        ] {
            for around in around {
                let schema = RawJson::parse(&around.replace('S', wrong)).unwrap();
                assert!(!is_plain(&schema), "{schema}");
            }
            let schema = RawJson::parse(wrong).unwrap();
            assert!(!compiles(&schema) || !is_valid(&schema), "{schema} is valid after all");
        }
    }
}
