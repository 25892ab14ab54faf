//! The JSON Schema of an `extension.json`, for editors: docs/host/extension.schema.json is this.

use serde_json::{Map, Value, json};

use super::shape::{MEMBERS, Member, Rule, Shape};

/// A JSON Schema (2020-12) of `extension.json`, from the table by which a host reads it.
pub fn manifest_schema() -> Value {
    let mut schema = object(MEMBERS);
    let about = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "extension.json",
        "description": "The manifest of an extension for coding agents",
    });
    if let (Value::Object(schema), Value::Object(about)) = (&mut schema, about) {
        schema.extend(about);
    }
    schema
}

fn object(members: &[Member]) -> Value {
    let properties = members.iter().map(|member| {
        let mut schema = of(member.shape);
        schema["description"] = member.doc.into();
        (member.name.to_owned(), schema)
    });
    let required = members.iter().filter(|member| member.is_required);
    let required: Vec<_> = required.map(|member| member.name).collect();
    let mut schema = json!({
        "type": "object",
        "properties": properties.collect::<Map<_, _>>(),
        "patternProperties": {r"^(x-|\$)": {}},
        "additionalProperties": false,
    });
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    schema
}

fn of(shape: Shape) -> Value {
    match shape {
        Shape::Text => json!({"type": "string"}),
        Shape::Ruled(rule) => {
            let mut schema = json!({"type": "string", "pattern": rule.pattern()});
            if matches!(rule, Rule::Name) {
                schema["maxLength"] = 100.into();
            }
            schema
        }
        Shape::Choice(choices) => json!({"enum": choices}),
        Shape::Flag => json!({"type": "boolean"}),
        Shape::Number => json!({"type": ["integer", "string"], "minimum": 1}),
        Shape::List(element) => json!({"type": "array", "items": of(*element)}),
        Shape::Object(members) => object(members),
        Shape::Short(members) => {
            let first = members.first().map_or(json!(true), |member| of(member.shape));
            json!({"anyOf": [first, object(members)]})
        }
        Shape::All(list) => json!({"anyOf": [{"type": "boolean"}, of(*list)]}),
        Shape::Map | Shape::Schema => json!({"type": "object"}),
        Shape::Any => json!({}),
    }
}
