//! A tool's schema as a person reads it: one line for each argument.

use std::collections::BTreeSet;

use extline_protocol::{Members, RawJson};
use serde_json::Value;

use crate::styled::{BOLD, DIM, Text, text};

/// Characters that are shown of a name, a type and a description.
const NAME_CHARS: usize = 64;
const KIND_CHARS: usize = 200;
const DEFAULT_CHARS: usize = 100;
const DESCRIPTION_CHARS: usize = 1000;

/// Levels of objects in objects that are shown.
const DEPTH: usize = 4;

/// One argument of a tool.
#[derive(Debug, PartialEq, Eq)]
struct Argument {
    name: String,
    /// As `string`, `"metric" or "imperial"`, `integer, 1 to 14`.
    kind: String,
    required: bool,
    /// As JSON.
    default: Option<String>,
    description: String,
    /// Objects that this one is in.
    depth: usize,
}

/// The arguments that a schema names, in its own order; behind each the members of it.
fn arguments(schema: &RawJson) -> Vec<Argument> {
    let mut found = Vec::new();
    add_members(schema.get(), 0, &mut found);
    found
}

fn add_members(schema: &str, depth: usize, found: &mut Vec<Argument>) {
    let Some(members) = Members::of(schema) else { return };
    let value = |name: &str| members.last(name).map(|member| member.value);
    let required: BTreeSet<String> =
        value("required").and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default();
    let Some(properties) = value("properties").and_then(Members::of) else { return };
    for member in properties.iter() {
        let schema: Value = serde_json::from_str(member.value).unwrap_or_default();
        let name = member.key().into_owned();
        found.push(Argument {
            kind: kind_of(&schema),
            required: required.contains(&name),
            default: schema.get("default").map(Value::to_string),
            description: schema["description"].as_str().unwrap_or_default().to_owned(),
            depth,
            name,
        });
        if depth + 1 < DEPTH {
            add_members(members_of(member.value), depth + 1, found);
        }
    }
}

/// The schema that names the members of a value: its own, or that of its elements.
fn members_of(schema: &str) -> &str {
    let items = Members::of(schema).and_then(|members| Some(members.last("items")?.value));
    items.filter(|items| items.starts_with('{')).map_or(schema, members_of)
}

/// What a schema names as indented lines with aligned columns.
pub(crate) fn lines(schema: &RawJson, indent: usize) -> Vec<Text> {
    let arguments = arguments(schema);
    let indent = " ".repeat(indent);
    if arguments.is_empty() {
        return vec![text!("{indent}{DIM}no named arguments{DIM:#}")];
    }
    let kind = |argument: &Argument| {
        let kind = Text::line(&argument.kind, KIND_CHARS);
        let default = argument.default.as_deref();
        let default = default.map(|it| Text::line(&format!(", default {it}"), DEFAULT_CHARS));
        let required = if argument.required { ", required" } else { "" };
        text!("{kind}{required}{}", default.unwrap_or_default())
    };
    let name = |argument: &Argument| {
        text!("{}{}", "  ".repeat(argument.depth), Text::line(&argument.name, NAME_CHARS))
    };
    let names: Vec<_> = arguments.iter().map(name).collect();
    let kinds: Vec<_> = arguments.iter().map(kind).collect();
    // Not by a width of `format!`, which takes no number above 65,535 and would panic.
    let columns = |text: &Text| text.as_str().chars().count();
    let widest = |texts: &[Text]| texts.iter().map(columns).max().unwrap_or_default();
    let (name_columns, kind_columns) = (widest(&names), widest(&kinds));
    let line = |((argument, name), kind): ((&Argument, &Text), &Text)| {
        let description = Text::line(&argument.description, DESCRIPTION_CHARS);
        let name_end = " ".repeat(name_columns - columns(name));
        if description.as_str().is_empty() {
            return text!("{indent}{BOLD}{name}{name_end}{BOLD:#}  {kind}");
        }
        let kind_end = " ".repeat(kind_columns - columns(kind));
        text!("{indent}{BOLD}{name}{name_end}{BOLD:#}  {kind}{kind_end}  {description}")
    };
    arguments.iter().zip(&names).zip(&kinds).map(line).collect()
}

fn kind_of(schema: &Value) -> String {
    if let Some(value) = schema.get("const") {
        return value.to_string();
    }
    if let Some(values) = schema["enum"].as_array() {
        return one_of(values.iter().map(ToString::to_string));
    }
    for keyword in ["anyOf", "oneOf"] {
        if let Some(schemas) = schema[keyword].as_array() {
            return one_of(schemas.iter().map(kind_of));
        }
    }
    let kind = match &schema["type"] {
        Value::String(kind) if kind == "array" && schema["items"].is_object() => {
            format!("list of {}", kind_of(&schema["items"]))
        }
        Value::String(kind) if kind == "array" => "list".to_owned(),
        Value::String(kind) => kind.clone(),
        Value::Array(kinds) => one_of(kinds.iter().filter_map(Value::as_str).map(str::to_owned)),
        _ => "any value".to_owned(),
    };
    kind + &bounds_of(schema)
}

/// What values of a type must be beside, as `, 1 to 14` and `, count at most 5`.
fn bounds_of(schema: &Value) -> String {
    let number = |name: &str| schema.get(name).filter(|value| value.is_number());
    let range = |words: &str, least: &str, most: &str| match (number(least), number(most)) {
        (Some(least), Some(most)) => format!(", {words}{least} to {most}"),
        (Some(least), None) => format!(", {words}at least {least}"),
        (None, Some(most)) => format!(", {words}at most {most}"),
        (None, None) => String::new(),
    };
    let one = |name: &str, words: &str| {
        number(name).map(|value| format!(", {words} {value}")).unwrap_or_default()
    };
    let text = |name: &str, words: &str| {
        schema[name].as_str().map(|value| format!(", {words} {value}")).unwrap_or_default()
    };
    let unique = if schema["uniqueItems"] == true { ", each once" } else { "" };
    [
        text("format", "a"),
        range("", "minimum", "maximum"),
        one("exclusiveMinimum", "above"),
        one("exclusiveMaximum", "below"),
        one("multipleOf", "a multiple of"),
        range("length ", "minLength", "maxLength"),
        text("pattern", "matches"),
        range("count ", "minItems", "maxItems"),
        unique.to_owned(),
    ]
    .concat()
}

fn one_of(kinds: impl Iterator<Item = String>) -> String {
    kinds.collect::<Vec<_>>().join(" or ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_come_in_the_schema_s_order_with_words_for_their_types() {
        let schema = RawJson::parse(
            r#"{"type":"object","required":["city"],"properties":{
                "units":{"enum":["metric","imperial"]},
                "city":{"type":"string","description":"the city"},
                "days":{"type":["integer","null"]},
                "tags":{"type":"array","items":{"type":"string"}},
                "at":{"anyOf":[{"type":"number"},{"const":"now"}]},
                "x":true}}"#,
        )
        .unwrap();
        let found = arguments(&schema);
        let kinds: Vec<_> = found.iter().map(|it| (it.name.as_str(), it.kind.as_str())).collect();
        assert_eq!(
            kinds,
            [
                ("units", "\"metric\" or \"imperial\""),
                ("city", "string"),
                ("days", "integer or null"),
                ("tags", "list of string"),
                ("at", "number or \"now\""),
                ("x", "any value"),
            ]
        );
        assert!(found[1].required && !found[0].required);
        assert_eq!(found[1].description, "the city");
    }

    #[test]
    fn bounds_defaults_and_members_are_told() {
        let schema = RawJson::parse(
            r#"{"required":["days"],"properties":{
                "days":{"type":"integer","minimum":1,"maximum":14,"default":3},
                "part":{"type":"number","exclusiveMinimum":0,"multipleOf":0.5},
                "at":{"type":"string","format":"date-time"},
                "name":{"type":"string","minLength":1,"pattern":"^[A-Z]"},
                "places":{"type":"array","minItems":1,"maxItems":5,"uniqueItems":true,"items":{
                    "type":"object","required":["lat"],"properties":{
                        "lat":{"type":"number","description":"north"},
                        "more":{"type":"object","properties":{"x":{"type":"null"}}}}}}}}"#,
        )
        .unwrap();
        let plain = |text: &Text| anstream::adapter::strip_str(text.as_str()).to_string();
        let lines: Vec<_> = lines(&schema, 0).iter().map(plain).collect();
        let columns = |line: &String| {
            let mut parts = line.splitn(2, char::is_alphabetic);
            (parts.next().unwrap().len(), line.split_whitespace().collect::<Vec<_>>().join(" "))
        };
        let found: Vec<_> = lines.iter().map(columns).collect();
        let expected = [
            (0, "days integer, 1 to 14, required, default 3"),
            (0, "part number, above 0, a multiple of 0.5"),
            (0, "at string, a date-time"),
            (0, "name string, length at least 1, matches ^[A-Z]"),
            (0, "places list of object, count 1 to 5, each once"),
            (2, "lat number, required north"),
            (2, "more object"),
            (4, "x null"),
        ];
        assert_eq!(found, expected.map(|(indent, line)| (indent, line.to_owned())));
    }

    #[test]
    fn a_schema_that_names_nothing_says_so() {
        assert!(
            lines(&RawJson::parse("{\"type\":\"object\"}").unwrap(), 2)[0]
                .as_str()
                .contains("no named")
        );
    }
}
