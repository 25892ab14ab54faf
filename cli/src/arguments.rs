//! A tool's schema as a person reads it: one line for each argument.

use extline_protocol::{Members, RawJson};
use serde_json::Value;

use crate::printer::{BOLD, DIM};

/// One argument of a tool.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Argument {
    pub(crate) name: String,
    /// As `string`, `"metric" or "imperial"`, `list of integer`.
    pub(crate) kind: String,
    pub(crate) required: bool,
    pub(crate) description: String,
}

/// The arguments that a schema names, in its own order.
pub(crate) fn arguments(schema: &RawJson) -> Vec<Argument> {
    let Some(members) = Members::of(schema.get()) else { return Vec::new() };
    let value = |name: &str| members.last(name).map(|member| member.value);
    let required: Vec<String> =
        value("required").and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default();
    let Some(properties) = value("properties").and_then(Members::of) else { return Vec::new() };
    let argument = |name: String, text: &str| {
        let schema: Value = serde_json::from_str(text).unwrap_or_default();
        Argument {
            kind: kind_of(&schema),
            required: required.contains(&name),
            description: schema["description"].as_str().unwrap_or_default().to_owned(),
            name,
        }
    };
    properties.iter().map(|member| argument(member.key().into_owned(), member.value)).collect()
}

/// The same as indented lines with aligned columns.
pub(crate) fn lines(schema: &RawJson, indent: usize) -> Vec<String> {
    let arguments = arguments(schema);
    if arguments.is_empty() {
        return vec![format!("{:indent$}{DIM}no named arguments{DIM:#}", "")];
    }
    let kinds: Vec<_> = arguments
        .iter()
        .map(|argument| {
            format!("{}{}", argument.kind, if argument.required { ", required" } else { "" })
        })
        .collect();
    let widest = |texts: &mut dyn Iterator<Item = usize>| texts.max().unwrap_or_default();
    let name_width = widest(&mut arguments.iter().map(|argument| argument.name.chars().count()));
    let kind_width = widest(&mut kinds.iter().map(|kind| kind.chars().count()));
    let line = |(argument, kind): (&Argument, &String)| {
        let Argument { name, description, .. } = argument;
        let name = format!("{name:name_width$}");
        let line = format!("{:indent$}{BOLD}{name}{BOLD:#}  {kind:kind_width$}  {description}", "");
        line.trim_end().to_owned()
    };
    arguments.iter().zip(&kinds).map(line).collect()
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
    match &schema["type"] {
        Value::String(kind) if kind == "array" && schema["items"].is_object() => {
            format!("list of {}", kind_of(&schema["items"]))
        }
        Value::String(kind) if kind == "array" => "list".to_owned(),
        Value::String(kind) => kind.clone(),
        Value::Array(kinds) => one_of(kinds.iter().filter_map(Value::as_str).map(str::to_owned)),
        _ => "any value".to_owned(),
    }
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
    fn a_schema_that_names_nothing_says_so() {
        assert!(
            lines(&RawJson::parse("{\"type\":\"object\"}").unwrap(), 2)[0].contains("no named")
        );
    }
}
