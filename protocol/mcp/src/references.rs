//! References inside a schema that lead nowhere. A client that is given one refuses the tool, or the whole
//! list.

use extline_protocol::pointer::{follow, join, of_fragment};
use extline_protocol::{Elements, Members, read_string};

/// Keywords whose value is a schema.
pub(crate) const SCHEMA: [&str; 9] = [
    "items",
    "additionalProperties",
    "not",
    "if",
    "then",
    "else",
    "contains",
    "propertyNames",
    "unevaluatedProperties",
];
/// Keywords whose value is a list of schemas.
pub(crate) const LIST: [&str; 4] = ["anyOf", "oneOf", "allOf", "prefixItems"];
/// Keywords whose value has schemas for members.
pub(crate) const MEMBERS: [&str; 5] =
    ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];

/// Why a client could not follow the first reference of a schema that leads nowhere. A name within the schema
/// (`#node`) is not looked for.
pub(crate) fn dangling(schema: &str) -> Option<String> {
    in_schema(schema, schema, "")
}

fn in_schema(schema: &str, whole: &str, at: &str) -> Option<String> {
    Members::of(schema)?.iter().find_map(|member| {
        let key = member.key();
        let here = join(at, &key);
        if key == "$ref" {
            leads_nowhere(&read_string(member.value)?, whole, &here)
        } else if SCHEMA.contains(&&*key) {
            in_schema(member.value, whole, &here)
        } else if MEMBERS.contains(&&*key) {
            let schemas = Members::of(member.value)?;
            schemas.iter().find_map(|it| in_schema(it.value, whole, &join(&here, &it.key())))
        } else if LIST.contains(&&*key) {
            let mut schemas = Elements::of(member.value)?.enumerate();
            schemas.find_map(|(position, it)| {
                in_schema(it, whole, &join(&here, &position.to_string()))
            })
        } else {
            None
        }
    })
}

fn leads_nowhere(reference: &str, whole: &str, at: &str) -> Option<String> {
    match of_fragment(reference) {
        Some(pointer) if follow(whole, &pointer).is_some() => None,
        Some(_) => Some(format!("the reference {reference} at {at} leads nowhere in its schema")),
        None if reference.starts_with('#') => None,
        None => Some(format!("the reference {reference} at {at} leads out of its schema")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reference_that_leads_somewhere_is_none_of_these() {
        for schema in [
            "{}",
            r##"{"properties":{"a":{"$ref":"#/$defs/a%20b"}},"$defs":{"a b":{"items":{"$ref":"#"}}}}"##,
            r##"{"properties":{"$ref":{"type":"string"},"a":{"const":{"$ref":"#/nowhere"}}}}"##,
            r##"{"properties":{"a":{"$ref":"#node"}}}"##,
        ] {
            assert_eq!(dangling(schema), None, "{schema}");
        }
    }

    #[test]
    fn one_that_leads_nowhere_is_named_with_its_place() {
        for (schema, at) in [
            (
                r##"{"properties":{"a":{"$ref":"#/$defs/A"}}}"##,
                "#/$defs/A at /properties/a/$ref leads nowhere",
            ),
            (
                r##"{"properties":{"a":{"anyOf":[{},{"$ref":"#/b"}]}}}"##,
                "#/b at /properties/a/anyOf/1/$ref",
            ),
            (
                r#"{"properties":{"a":{"items":{"$ref":"other.json"}}}}"#,
                "other.json at /properties/a/items/$ref leads out",
            ),
            (r##"{"$defs":{"a/b":{"not":{"$ref":"#/c"}}}}"##, "#/c at /$defs/a~1b/not/$ref"),
        ] {
            let found = dangling(schema).unwrap();
            assert!(found.contains(at), "{found}");
        }
    }
}
