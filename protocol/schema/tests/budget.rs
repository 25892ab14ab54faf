//! What compiling and validating may cost: the inputs that once took minutes, gigabytes or for
//! ever are refused with the limit named, or take their share.

use std::fmt::Write as _;

use extline_protocol::RawJson;
use extline_schema::ToolSchema;
use serde_json::{Value, json};

fn compile(schema: &Value) -> Result<ToolSchema, String> {
    ToolSchema::compile(&RawJson::from(schema.clone())).map_err(|error| {
        assert!(error.is_too_large, "{error}");
        error.to_string()
    })
}

fn verdict(schema: &Value, args: &Value) -> String {
    let compiled = compile(schema).unwrap();
    match compiled.validate(&RawJson::from(args.clone())) {
        Ok(()) => "ok".to_owned(),
        Err(violation) => violation.to_string(),
    }
}

/// `d0` to `dN`, each made of the next, and a property `x` that is the first of them.
fn definitions(count: usize, each: impl Fn(Value) -> Value, last: &Value) -> Value {
    let mut definitions = serde_json::Map::new();
    for n in 0..count {
        let next = json!({ "$ref": format!("#/$defs/d{}", n + 1) });
        definitions.insert(format!("d{n}"), each(next));
    }
    definitions.insert(format!("d{count}"), last.clone());
    json!({
        "type": "object", "properties": {"x": {"$ref": "#/$defs/d0"}}, "$defs": definitions,
    })
}

/// Keywords that lead to the next one twice, at the same value.
fn twice() -> Vec<fn(Value) -> Value> {
    vec![
        |next| json!({"allOf": [next, next]}),
        |next| json!({"anyOf": [{"allOf": [next]}, next]}),
        |next| json!({"oneOf": [next, {"allOf": [next]}]}),
        |next| json!({"not": {"anyOf": [next, {"not": next}]}}),
        |next| json!({"if": next, "then": next, "else": next}),
        |next| json!({"allOf": [next], "unevaluatedProperties": next}),
        |next| json!({"dependentSchemas": {"a": next, "b": next}}),
    ]
}

#[test]
fn a_long_chain_of_references_is_refused_by_its_length() {
    for each in [|next: Value| next, |next: Value| json!({"allOf": [next]})] {
        let error = compile(&definitions(20_000, each, &json!({}))).unwrap_err();
        assert_eq!(error, "has more than 10000 subschemas");
        let error = compile(&definitions(2_000, each, &json!({"pattern": "^a"}))).unwrap_err();
        assert!(error.contains("more than 256 references and alternatives"), "{error}");
    }
    let error = compile(&definitions(6_000, |next| next, &json!({}))).unwrap_err();
    assert!(error.ends_with("has more than 5000 references"), "{error}");
    let long = definitions(100, |next| next, &json!({"pattern": "^a"}));
    assert_eq!(verdict(&long, &json!({"x": "a"})), "ok");
    assert_eq!(
        verdict(&long, &json!({"x": "b"})),
        "/x: must be a string that matches ^a, and is \"b\""
    );
}

#[test]
fn what_leads_to_itself_twice_ends_a_call_with_its_steps() {
    for (nth, each) in twice().into_iter().enumerate() {
        for last in
            [json!({"type": "integer"}), json!({"pattern": "^a"}), json!({"required": ["z"]})]
        {
            let schema = definitions(40, each, &last);
            let compiled = compile(&schema).unwrap();
            for x in [json!(5), json!("b"), json!({"a": 1, "b": 2, "c": 3})] {
                let args = RawJson::from(json!({ "x": x }));
                let verdict = compiled.validate(&args).map_err(|violation| violation.to_string());
                if let Err(violation) = &verdict {
                    assert!(violation.len() < 2_000, "{nth} {last} {x}: {violation}");
                }
            }
        }
    }
    let schema = definitions(40, |next| json!({"allOf": [next, next]}), &json!({"pattern": "^a"}));
    assert_eq!(
        verdict(&schema, &json!({"x": "a"})),
        "take more than 5000000 steps to check against the schema"
    );
}

#[test]
fn what_leads_to_itself_twice_below_ends_a_call_too() {
    for (name, open, close) in [("items", "[", "]"), ("additionalProperties", "{\"a\":", "}")] {
        let each = |next: Value| json!({name: {"allOf": [next, next]}, "minProperties": 0});
        let schema = definitions(40, each, &json!({"pattern": "^a"}));
        let compiled = compile(&schema).unwrap();
        let args = format!("{{\"x\":{}\"a\"{}}}", open.repeat(40), close.repeat(40));
        let violation = compiled.validate(&RawJson::parse(&args).unwrap()).unwrap_err();
        assert!(violation.message.starts_with("take more than 5000000 steps"), "{violation}");
    }
}

#[test]
fn long_arguments_of_an_ordinary_schema_are_checked_whole() {
    let item = json!({"type": "object", "properties": {
        "name": {"type": "string", "pattern": "^[a-z]"},
        "size": {"anyOf": [{"type": "integer", "multipleOf": 2}, {"type": "null"}]},
    }, "required": ["name"]});
    let schema = json!({"properties": {"list": {"type": "array", "items": item}}});
    let mut args = "{\"list\":[".to_owned();
    for n in 0..20_000 {
        write!(args, "{{\"name\":\"n{n}\",\"size\":{}}},", n * 2).unwrap();
    }
    let compiled = compile(&schema).unwrap();
    let right = RawJson::parse(&format!("{args}{{\"name\":\"last\"}}]}}")).unwrap();
    assert_eq!(compiled.validate_if_quick(&right), None);
    assert_eq!(compiled.validate(&right), Ok(()));
    let wrong = RawJson::parse(&format!("{args}{{\"name\":5}}]}}")).unwrap();
    let violation = compiled.validate(&wrong).unwrap_err();
    assert_eq!(violation.to_string(), "/list/20000/name: must be a string, and is 5");
}

#[test]
fn patterns_are_bounded_together() {
    let property =
        |n: usize| (format!("p{n}"), json!({"pattern": format!(r"^(?=\p{{L}}{{90}}{n})x$")}));
    let schema = json!({"properties": (0..1_000).map(property).collect::<serde_json::Map<_, _>>()});
    let error = compile(&schema).unwrap_err();
    assert!(error.contains("regular expressions of the schema beyond 33554432 bytes"), "{error}");
    let schema = json!({"properties": {"a": {"pattern": r"^\p{L}{1,64}$"}}});
    assert_eq!(verdict(&schema, &json!({"a": "Zoë"})), "ok");
}

#[test]
fn a_pattern_that_goes_back_and_back_is_given_up() {
    let schema = json!({"properties": {"a": {"pattern": r"^(?=(a+)+$)\1b"}}});
    let compiled = compile(&schema).unwrap();
    let args = RawJson::from(json!({"a": format!("{}!", "a".repeat(5_000))}));
    assert!(compiled.validate(&args).is_err());
}

#[test]
fn the_size_of_a_schema_is_bounded_before_anything_is_made_of_it() {
    for (schema, limit) in [
        (format!("{{\"allOf\":[{}{{}}]}}", "{},".repeat(1_000_000)), "1048576 bytes"),
        (format!("{{\"enum\":[{}1]}}", "1,".repeat(150_000)), "100000 values"),
        (format!("{{\"allOf\":[{}{{}}]}}", "{},".repeat(20_000)), "10000 subschemas"),
        (format!("{{\"not\":{{\"allOf\":[{}{{}}]}}}}", "{},".repeat(20_000)), "10000 subschemas"),
    ] {
        let error = ToolSchema::compile(&RawJson::parse(&schema).unwrap()).unwrap_err();
        assert!(error.is_too_large && error.message.contains(limit), "{error}");
    }
    let name = "x".repeat(1_000);
    let long =
        format!("{{\"properties\":{{\"{name}\":{{\"allOf\":[{}{{}}]}}}}}}", "{},".repeat(9_000));
    let error = ToolSchema::compile(&RawJson::parse(&long).unwrap()).unwrap_err();
    assert!(error.message.contains("bytes in the pointers to its subschemas"), "{error}");
    // Below keywords that only the full validator knows, and below none.
    for around in ["not", "x"] {
        let name = "x".repeat(100_000);
        let long = format!("{{\"{around}\":{{\"{name}\":[{}{{}}]}}}}", "{},".repeat(40_000));
        let error = ToolSchema::compile(&RawJson::parse(&long).unwrap()).unwrap_err();
        assert!(error.message.contains("bytes in the pointers to what it holds"), "{error}");
    }
}

#[test]
fn large_schemas_of_ordinary_tools_pass() {
    let property = |n: usize| {
        let schema = json!({
            "type": "string", "description": "what it is for, in a sentence or two of prose",
            "minLength": 1, "pattern": format!("^[a-z0-9_-]{{1,63}}{n}$"),
        });
        (format!("property_{n}"), schema)
    };
    let properties: serde_json::Map<_, _> = (0..1_000).map(property).collect();
    let schema = json!({"type": "object", "properties": properties, "additionalProperties": false});
    assert!(schema.to_string().len() > 100_000);
    assert_eq!(verdict(&schema, &json!({"property_7": "abc7"})), "ok");
    let deep = (0..30).fold(
        json!({"pattern": "^a"}),
        |below, _| json!({"type": "object", "properties": {"a": below}, "required": ["a"]}),
    );
    let args = (0..30).fold(json!("abc"), |below, _| json!({"a": below}));
    assert_eq!(verdict(&deep, &args), "ok");
}

#[test]
fn what_refers_to_the_same_place_outside_of_keywords_is_found_once() {
    let mut schema = json!({"properties": {}, "components": {"one": {"type": "integer"}}});
    for n in 0..2_000 {
        schema["properties"][format!("p{n}")] = json!({"$ref": "#/components/one"});
    }
    assert_eq!(verdict(&schema, &json!({"p7": "x"})), "/p7: must be an integer, and is \"x\"");
}
