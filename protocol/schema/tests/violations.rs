//! What is wrong with arguments: schema, arguments, and the member and words expected for them.

use extline_protocol::RawJson;
use extline_schema::ToolSchema;
use serde_json::{Value, json};

fn verdict(schema: &str, args: &str) -> String {
    let schema = ToolSchema::compile(&RawJson::parse(schema).unwrap()).unwrap();
    match schema.validate(&RawJson::parse(args).unwrap()) {
        Ok(()) => "ok".to_owned(),
        Err(violation) => violation.to_string(),
    }
}

fn assert_verdicts(schema: &str, cases: &[(&str, &str)]) {
    for (args, expected) in cases {
        assert_eq!(verdict(schema, args), *expected, "{args} against {schema}");
    }
}

#[test]
fn all_mistakes_are_told_in_the_order_of_the_text() {
    let schema = json!({"type": "object", "required": ["a", "z"], "additionalProperties": false,
        "properties": {"a": {"type": "integer"}, "b": {"minimum": 3}, "z": {"type": "string"}}});
    let schema = ToolSchema::compile(&schema.into()).unwrap();
    let told = |value: Value| {
        let violations = schema.violations(&value.into());
        violations.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(
        told(json!({"a": "soon", "b": 1, "x": 0})),
        [
            "/a: must be an integer, and is \"soon\"",
            "/b: must be at least 3, and is 1",
            "/x: not allowed",
            "/z: required, and missing",
        ]
    );
    assert!(told(json!({"a": 1, "z": ""})).is_empty());
}

#[test]
fn the_offending_member_itself_is_named() {
    let schema = r#"{
        "type": "object",
        "properties": {
            "city": {"type": "string", "maxLength": 9},
            "units": {"enum": ["c", "f"]},
            "days": {"type": "integer", "minimum": 1},
            "a/b~c": {"type": "array", "items": {"required": ["y"]}}
        },
        "required": ["city"],
        "additionalProperties": false
    }"#;
    assert_verdicts(
        schema,
        &[
            (r#"{"city":"Berlin","units":"c","days":3,"a/b~c":[{"y":1}]}"#, "ok"),
            ("{}", "/city: required, and missing"),
            (r#"{"city":5}"#, "/city: must be a string, and is 5"),
            (
                r#"{"city":"Hong Kong!"}"#,
                "/city: must be a string of at most 9 characters, and is of 10",
            ),
            (r#"{"city":"B","units":"k"}"#, r#"/units: must be one of "c", "f"; is "k""#),
            (r#"{"city":"B","days":0.0}"#, "/days: must be at least 1, and is 0.0"),
            (r#"{"city":"B","a/b~c":[{"y":1},{}]}"#, "/a~1b~0c/1/y: required, and missing"),
            (
                r#"{"city":"B","x":1}"#,
                r#"/x: not allowed; allowed are "a/b~c", "city", "days", "units""#,
            ),
            (r#"{"days":0,"y":1,"x":2}"#, "/days: must be at least 1, and is 0"),
            (r#"{"units":"k"}"#, r#"/units: must be one of "c", "f"; is "k""#),
        ],
    );
}

#[test]
fn keywords_beyond_the_small_validator_name_the_member_too() {
    for (schema, args, expected) in [
        (
            r#"{"properties":{"a":{"pattern":"^[A-Z]"}}}"#,
            r#"{"a":"x"}"#,
            r#"/a: must be a string that matches ^[A-Z], and is "x""#,
        ),
        (
            r#"{"properties":{"a":{"multipleOf":5}}}"#,
            r#"{"a":7}"#,
            "/a: must be a multiple of 5, and is 7",
        ),
        (
            r#"{"properties":{"a":{"uniqueItems":true}}}"#,
            r#"{"a":[1,1]}"#,
            "/a: must be an array without equal items, and is [1,1]",
        ),
        (
            r#"{"properties":{"a":{"not":{"type":"null"}}}}"#,
            r#"{"a":null}"#,
            r#"/a: must be anything but {"type":"null"}, and is null"#,
        ),
        (
            r#"{"properties":{"a":{"contains":{"const":1}}}}"#,
            r#"{"a":[2]}"#,
            "/a: must be an array with the items that `contains` wants, and is [2]",
        ),
        (
            r#"{"dependentRequired":{"card":["street/no","zip"]}}"#,
            r#"{"zip":1,"card":1}"#,
            "/street~1no: required, and missing",
        ),
        (
            r#"{"dependentSchemas":{"card":{"required":["zip"]}}}"#,
            r#"{"card":1}"#,
            "/zip: required, and missing",
        ),
        (
            r#"{"allOf":[{"properties":{"a":{}}}],"unevaluatedProperties":false}"#,
            r#"{"a":1,"x":2}"#,
            "/x: not allowed",
        ),
        (
            r#"{"patternProperties":{"^x-":{}},"additionalProperties":false}"#,
            r#"{"x-a":1,"b":2,"a":3}"#,
            "/b: not allowed",
        ),
        (
            r#"{"patternProperties":{"^x-":{"type":"string"}}}"#,
            r#"{"x-a":1}"#,
            "/x-a: must be a string, and is 1",
        ),
        (
            r#"{"propertyNames":{"maxLength":2}}"#,
            r#"{"ab":1,"abc":2}"#,
            "/abc: the name must be a string of at most 2 characters, and is of 3",
        ),
        (
            r#"{"properties":{"a":{"prefixItems":[{"type":"integer"}],"items":false}}}"#,
            r#"{"a":["x"]}"#,
            "/a/0: must be an integer, and is \"x\"",
        ),
        (
            r#"{"properties":{"a":{"prefixItems":[{}],"items":false}}}"#,
            r#"{"a":[1,2]}"#,
            "/a/1: not allowed",
        ),
        (
            r#"{"properties":{"a":{"prefixItems":[{}],"unevaluatedItems":false}}}"#,
            r#"{"a":[1,2]}"#,
            "/a: must be an array without the items 2, and is [1,2]",
        ),
        (
            r#"{"if":{"required":["a"]},"then":{"properties":{"b":{"enum":[1,2]}},"required":["b"]}}"#,
            r#"{"a":1}"#,
            "/b: required, and missing",
        ),
        (
            r#"{"if":{"required":["a"]},"then":{"properties":{"b":{"enum":[1,2]}}}}"#,
            r#"{"a":1,"b":3}"#,
            "/b: must be one of 1, 2; is 3",
        ),
        (r#"{"if":true,"then":{"additionalProperties":false}}"#, r#"{"a":1}"#, "/a: not allowed"),
    ] {
        assert_eq!(verdict(schema, args), expected, "{args} against {schema}");
    }
}

#[test]
fn alternatives_are_explained_by_the_one_that_got_furthest() {
    let schema = r#"{"properties": {"a": {"if": true, "then": {"anyOf": [
        {"type": "string"},
        {"type": "object", "properties": {"x": {"type": "null"}}, "required": ["y"]}
    ]}}}}"#;
    assert_verdicts(
        schema,
        &[
            (r#"{"a":{"x":null,"y":1}}"#, "ok"),
            (r#"{"a":{"x":1}}"#, "/a/x: must be null, and is 1"),
            (r#"{"a":{"x":null}}"#, "/a/y: required, and missing"),
            (r#"{"a":5}"#, "/a: must be a string or an object, and is 5"),
        ],
    );
    let optional = r#"{"properties":{"a":{"anyOf":[{"type":"string"},{"type":"null"}]}}}"#;
    assert_eq!(verdict(optional, r#"{"a":5}"#), "/a: must be a string or null, and is 5");
    let patterns = r#"{"properties":{"a":{"anyOf":[{"pattern":"^a"},{"pattern":"^b"}]}}}"#;
    assert_eq!(
        verdict(patterns, r#"{"a":"x"}"#),
        r#"/a: must be a string that matches ^a or a string that matches ^b, and is "x""#
    );
    let apart = r#"{"if":true,"then":{"anyOf":[{"required":["a"]},{"required":["b"]}]}}"#;
    assert_eq!(
        verdict(apart, "{}"),
        "matches none of its alternatives: /a: required, and missing; or /b: required, and missing"
    );
    let one = r#"{"if":true,"then":{"oneOf":[{"required":["a"]},{"required":["b"]}]}}"#;
    assert_eq!(
        verdict(one, r#"{"a":1,"b":1}"#),
        "must match exactly one of its alternatives, and matches several"
    );
}

#[test]
fn recursive_alternatives_are_validated_without_trying_all_combinations() {
    let schema = r##"{
        "properties": {"next": {"anyOf": [{"$ref": "#"}, {"allOf": [{"$ref": "#"}]}]}},
        "additionalProperties": {"type": "string", "pattern": "^a"}
    }"##;
    let nested = |levels: usize, end: &str| {
        format!("{}{end}{}", r#"{"next":"#.repeat(levels), "}".repeat(levels))
    };
    assert_eq!(verdict(schema, &nested(60, r#"{"x":"a"}"#)), "ok");
    let not_a_string = verdict(schema, &nested(60, r#"{"x":1}"#));
    assert!(not_a_string.ends_with("/next/x: must be a string, and is 1"), "{not_a_string}");
    assert_eq!(
        verdict(schema, &nested(60, r#"{"x":"b"}"#)),
        "does not match the schema, and nests too deep to say where"
    );
    assert_eq!(
        verdict(schema, &nested(1, r#"{"x":"b"}"#)),
        r#"/next/x: must be a string that matches ^a, and is "b""#
    );
}

#[test]
fn integers_have_any_size() {
    let schema = r#"{"properties":{"n":{"type":"integer"}}}"#;
    assert_verdicts(
        schema,
        &[
            (r#"{"n":123456789012345678901234567890}"#, "ok"),
            (r#"{"n":-1e300}"#, "ok"),
            (r#"{"n":1.0}"#, "ok"),
            (r#"{"n":1.5}"#, "/n: must be an integer, and is 1.5"),
        ],
    );
}

#[test]
fn what_cannot_be_held_is_refused_by_name() {
    let anything = "{}";
    assert_eq!(
        verdict(anything, r#"{"a":[0,{"b/c":-1e400}]}"#),
        "/a/1/b~1c: must be a number within 1.8e308 of zero, and is -1e400"
    );
    let deep = format!("{{\"a\":{}{}}}", "[".repeat(127), "]".repeat(127));
    assert_eq!(verdict(anything, &deep), "nests more than 127 levels deep");
}

#[test]
fn of_duplicate_keys_the_last_is_validated() {
    let schema = r#"{"properties":{"a":{"pattern":"^x"}}}"#;
    assert_eq!(verdict(schema, r#"{"a":"y","a":"x"}"#), "ok");
    assert_eq!(
        verdict(schema, r#"{"a":"x","a":"y"}"#),
        "/a: must be a string that matches ^x, and is \"y\""
    );
}

#[test]
fn format_is_an_annotation_in_every_draft() {
    for draft in
        ["http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft/2020-12/schema"]
    {
        let schema = format!(r#"{{"$schema":"{draft}","properties":{{"a":{{"format":"date"}}}}}}"#);
        assert_eq!(verdict(&schema, r#"{"a":"tomorrow"}"#), "ok");
    }
}

#[test]
fn the_draft_is_the_one_schema_names() {
    let tuple = |draft: &str| {
        format!(
            r#"{{"$schema":"{draft}",
            "properties":{{"a":{{"items":[{{"type":"null"}}],"additionalItems":false}}}}}}"#
        )
    };
    let draft7 = tuple("http://json-schema.org/draft-07/schema#");
    assert_eq!(verdict(&draft7, r#"{"a":[null,1]}"#), "/a/1: not allowed");
    let draft4 = r#"{"$schema":"http://json-schema.org/draft-04/schema#",
        "properties":{"a":{"minimum":1,"exclusiveMinimum":true}}}"#;
    assert_eq!(verdict(draft4, r#"{"a":1}"#), "/a: must be more than 1, and is 1");
}

#[test]
fn a_schema_is_shared_between_threads() {
    let schema = ToolSchema::compile(&RawJson::parse(r#"{"required":["a"]}"#).unwrap()).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let violation = schema.validate(&RawJson::empty_object()).unwrap_err();
                assert_eq!(violation.pointer, "/a");
            });
        }
    });
}
