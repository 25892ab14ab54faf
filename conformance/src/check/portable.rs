//! Schemas that providers of models take.

use serde_json::Value;

use super::{Observed, Outcome, each};

/// What no provider takes at the top of a schema, though JSON Schema has it.
const NOT_AT_THE_TOP: [&str; 5] = ["anyOf", "oneOf", "allOf", "not", "enum"];

/// No union at the top, and no reference that leads out of the schema (`reg.schema-portable`).
pub(super) fn portable_schemas(observed: &Observed<'_>) -> Outcome {
    each(observed, &["register_tool"], |frame| {
        let (name, schema) = (&frame["name"], &frame["schema"]);
        let unions = NOT_AT_THE_TOP.iter().filter(|key| schema.get(**key).is_some());
        let unions = unions.map(|key| format!("tool {name}: /schema has {key} at its top"));
        let references = dangling(schema, schema).into_iter();
        let references = references
            .map(|to| format!("tool {name}: a $ref to {to:?}, which is not in the schema"));
        unions.chain(references).collect()
    })
}

/// The references in a part of a schema that lead to nothing in the whole of it.
fn dangling(part: &Value, whole: &Value) -> Vec<String> {
    let reference = part.get("$ref").and_then(Value::as_str);
    let leads = |to: &str| {
        // One by name is not looked up; it may well be right.
        to.strip_prefix('#').is_some_and(|pointer| {
            !pointer.is_empty() && !pointer.starts_with('/') || whole.pointer(pointer).is_some()
        })
    };
    let mut found: Vec<_> =
        reference.filter(|to| !leads(to)).map(str::to_owned).into_iter().collect();
    match part {
        Value::Object(members) => {
            found.extend(members.values().flat_map(|member| dangling(member, whole)));
        }
        Value::Array(elements) => {
            found.extend(elements.iter().flat_map(|element| dangling(element, whole)));
        }
        _ => {}
    }
    found
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_reference_within_the_schema_leads_somewhere() {
        let schema = json!({
            "$defs": {"place": {"type": "string"}},
            "properties": {
                "a": {"$ref": "#/$defs/place"},
                "b": {"items": [{"$ref": "#"}, {"$ref": "#named"}]},
                "c": {"$ref": "#/$defs/nowhere"},
                "d": {"items": [{"$ref": "https://example.com/schema.json"}]},
            },
        });
        let found = dangling(&schema, &schema);
        assert_eq!(found, ["#/$defs/nowhere", "https://example.com/schema.json"]);
    }
}
