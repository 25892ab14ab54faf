//! Schemas that are refused, and how that is said.

use extline_protocol::RawJson;
use extline_schema::ToolSchema;

fn refusal(schema: &str) -> String {
    ToolSchema::compile(&RawJson::parse(schema).unwrap()).unwrap_err().to_string()
}

#[test]
fn what_is_wrong_in_a_schema_is_named_with_its_place() {
    for (schema, expected) in [
        ("[]", "must be a JSON object, and is []"),
        ("true", "must be a JSON object, and is true"),
        (
            r#"{"properties":{"a":{"minLength":"3"}}}"#,
            "/properties/a/minLength: must be a whole number from 0, and is \"3\"",
        ),
        (
            r##"{"properties":{"a":{"$ref":"#/$defs/b"}}}"##,
            "/properties/a/$ref: leads nowhere: the schema has no /$defs/b",
        ),
        (r##"{"$ref":"#"}"##, "/$ref: leads back to itself, so checking never ends"),
        (
            r#"{"properties":{"a":{"multipleOf":0}}}"#,
            "/properties/a/multipleOf: must be more than 0, and is 0",
        ),
        (
            r#"{"properties":{"a":{"pattern":"["}}}"#,
            "/properties/a/pattern: must be a valid regex, and is \"[\"",
        ),
    ] {
        assert_eq!(refusal(schema), expected, "{schema}");
    }
}

#[test]
fn other_documents_are_not_fetched() {
    assert_eq!(
        refusal(r#"{"properties":{"a/b":{"items":{"$ref":"https://example.com/s.json#/a"}}}}"#),
        "/properties/a~1b/items/$ref: leads to https://example.com/s.json, and other documents are \
         not fetched: copy it into $defs"
    );
    let relative = refusal(r#"{"$ref":"other.json"}"#);
    assert!(relative.starts_with("/$ref: leads to "), "{relative}");
    assert!(relative.contains("other documents are not fetched"), "{relative}");
}

#[test]
fn an_unknown_draft_is_refused() {
    assert_eq!(
        refusal(r#"{"$schema":"https://example.com/draft"}"#),
        "/$schema: is no draft of JSON Schema: https://example.com/draft"
    );
}

#[test]
fn references_inside_the_schema_are_followed() {
    for schema in [
        r##"{"$defs":{"a":{"$anchor":"name","type":"string"}},"properties":{"x":{"$ref":"#name"}}}"##,
        r#"{"$id":"https://example.com/s","$defs":{"a":{}},"$ref":"https://example.com/s#/$defs/a"}"#,
        r#"{"properties":{"s":{"$ref":"https://json-schema.org/draft/2020-12/schema"}}}"#,
    ] {
        assert!(ToolSchema::compile(&RawJson::parse(schema).unwrap()).is_ok(), "{schema}");
    }
}
