use serde_json::{Value, json};

use super::*;

fn raw(value: &Value) -> RawJson {
    RawJson::parse(&value.to_string()).unwrap()
}

fn value(raw: &RawJson) -> Value {
    serde_json::from_str(raw.get()).unwrap()
}

fn rendered(provider: Provider, schema: &Value) -> Value {
    value(&schema_for(provider, &raw(schema)).unwrap().schema)
}

/// Kinds and places of all notes.
fn notes(provider: Provider, schema: &Value) -> Vec<(&'static str, String)> {
    let notes = schema_for(provider, &raw(schema)).unwrap().notes;
    notes.into_iter().map(|note| (note.kind.as_str(), note.pointer)).collect()
}

fn reason(provider: Provider, schema: &Value) -> (Reason, String) {
    let error = schema_for(provider, &raw(schema)).unwrap_err();
    assert!(!error.text.is_empty());
    (error.reason, error.pointer)
}

fn member(schema: &Value) -> Value {
    json!({"type": "object", "properties": {"a": schema}, "required": ["a"], "additionalProperties": false})
}

/// What becomes of one member.
fn of_member(provider: Provider, schema: &Value) -> Value {
    rendered(provider, &member(schema))["properties"]["a"].clone()
}

fn at(pointer: &str) -> String {
    format!("/properties/a{pointer}")
}

use Provider::{Anthropic, Google, Mistral, OpenAi};

#[test]
fn a_plain_schema_passes_as_it_was_written() {
    let text = r#"{"type": "object","properties":{"z":{"type":"string"},"a":{"type":"array","items":{"type":"number"}}},"required":["z","a"]}"#;
    let schema = RawJson::parse(text).unwrap();
    for provider in [Anthropic, Google, Mistral] {
        let rendered = schema_for(provider, &schema).unwrap();
        assert_eq!((rendered.schema.get(), rendered.notes.as_slice()), (text, &[][..]));
    }
}

#[test]
fn members_called_as_keywords_are_members() {
    let properties = json!({
        "description": {"type": "string"}, "format": {"type": "string"}, "$ref": {"type": "string"},
        "type": {"type": "integer"}, "enum": {"type": "boolean"}, "additionalProperties": {"type": "string"},
        "not": {"type": "string"}, "$schema": {"type": "string"}, "items": {"type": "string"},
    });
    let names: Vec<_> = properties.as_object().unwrap().keys().cloned().collect();
    let schema = json!({"type": "object", "properties": properties, "required": names});
    for provider in [OpenAi, Mistral] {
        assert_eq!(rendered(provider, &schema)["properties"], properties, "{provider}");
    }
    let mut plain = schema;
    for name in ["$ref", "$schema"] {
        plain["properties"].as_object_mut().unwrap().remove(name);
    }
    plain["required"].as_array_mut().unwrap().retain(|it| !it.as_str().unwrap().starts_with('$'));
    for provider in [Anthropic, Google] {
        assert_eq!(rendered(provider, &plain), plain, "{provider}");
    }
}

#[test]
fn data_is_not_taken_for_a_schema() {
    let schema = member(
        &json!({"type": "object", "properties": {}, "default": {"$ref": "#/nowhere", "not": {}},
        "example": {"oneOf": []}}),
    );
    assert_eq!(rendered(Google, &schema)["properties"]["a"]["default"]["$ref"], "#/nowhere");
}

#[test]
fn strict_mode_has_all_members_given_and_no_others() {
    let schema = json!({"type": "object", "properties": {
        "city": {"type": "string"}, "unit": {"type": "string", "enum": ["c", "f"]}, "day": {"$ref": "#/$defs/Day"},
        "kind": {"const": "x"}, "either": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
        "null": {"type": ["string", "null"]},
    }, "required": ["city"], "$defs": {"Day": {"type": "string", "format": "date"}, "Unused": {}}});
    let found = rendered(OpenAi, &schema);
    assert_eq!(found["additionalProperties"], false);
    assert_eq!(found["required"], json!(["city", "day", "either", "kind", "null", "unit"]));
    let or_null = json!({"type": "null"});
    assert_eq!(
        found["properties"],
        json!({
            "city": {"type": "string"},
            "unit": {"type": ["string", "null"], "enum": ["c", "f", null]},
            "day": {"anyOf": [{"$ref": "#/$defs/Day"}, or_null]},
            "kind": {"anyOf": [{"type": "string", "const": "x"}, or_null]},
            "either": {"anyOf": [{"type": "string"}, {"type": "integer"}, or_null]},
            "null": {"type": ["string", "null"]},
        })
    );
    assert_eq!(found["$defs"], json!({"Day": {"type": "string", "format": "date"}}));
    let notes = notes(OpenAi, &schema);
    assert!(notes.contains(&("required", "/properties/unit".to_owned())), "{notes:?}");
    assert!(notes.contains(&("closed", String::new())), "{notes:?}");
}

#[test]
fn nulls_that_stand_for_what_was_left_out_are_taken_out_of_the_arguments() {
    let schema = raw(&json!({"type": "object", "properties": {
        "city": {"type": "string"}, "unit": {"type": "string"}, "maybe": {"type": ["string", "null"]}, "any": {},
        "tree": {"$ref": "#/$defs/Node"},
        "list": {"type": "array", "items": {"anyOf": [{"type": "object", "properties": {"x": {"type": "integer"}}}]}},
    }, "required": ["city"], "$defs": {"Node": {"type": "object", "properties": {
        "next": {"$ref": "#/$defs/Node"}, "name": {"type": "string"}}, "required": ["name"]}}}));
    let args = raw(&json!({"city": null, "unit": null, "maybe": null, "any": null, "other": null,
        "tree": {"name": null, "next": {"name": "a", "next": null}}, "list": [{"x": null}, {"x": 1}, null]}));
    assert_eq!(
        value(&without_nulls(&schema, &args)),
        json!({"city": null, "maybe": null, "any": null, "other": null,
            "tree": {"name": null, "next": {"name": "a"}}, "list": [{}, {"x": 1}, null]})
    );
    let untouched = RawJson::parse("{ \"city\" : \"null\" }").unwrap();
    assert_eq!(without_nulls(&schema, &untouched).get(), untouched.get());
}

#[test]
fn references_are_written_out_for_google_and_stay_for_the_others() {
    let schema = json!({"type": "object", "properties": {
        "a": {"$ref": "#/$defs/A", "description": "Here."}, "b": {"type": "array", "items": {"$ref": "#/$defs/A"}},
    }, "required": ["a", "b"], "additionalProperties": false,
    "$defs": {"A": {"type": "string", "description": "There.", "format": "uri"}}});
    assert_eq!(
        rendered(Google, &schema),
        json!({"type": "object", "properties": {
            "a": {"description": "Here.", "type": "string"},
            "b": {"type": "array", "items": {"type": "string", "description": "There."}},
        }, "required": ["a", "b"]})
    );
    let told = notes(Google, &schema);
    assert_eq!(told.iter().filter(|it| it.0 == "inlined").count(), 2);
    // Once, although two lead to it.
    assert_eq!(told.iter().filter(|it| it.1 == "/$defs/A/format").count(), 1);
    let strict = rendered(OpenAi, &schema);
    assert_eq!(
        strict["properties"]["a"],
        json!({"description": "Here.", "anyOf": [{"$ref": "#/$defs/A"}]})
    );
    assert_eq!(strict["properties"]["b"]["items"], json!({"$ref": "#/$defs/A"}));
    for provider in [Anthropic, Mistral] {
        assert_eq!(rendered(provider, &schema), schema);
    }
}

#[test]
fn recursion_is_told_where_it_cannot_be_said() {
    let schema = json!({"type": "object", "properties": {"root": {"$ref": "#/$defs/Node"}}, "required": ["root"],
        "additionalProperties": false, "$defs": {"Node": {"type": "object", "properties":
            {"next": {"anyOf": [{"$ref": "#/$defs/Node"}, {"type": "null"}]}}, "required": ["next"],
            "additionalProperties": false}}});
    assert_eq!(rendered(OpenAi, &schema), schema);
    assert_eq!(
        reason(Google, &schema),
        (Reason::Recursion, "/$defs/Node/properties/next".to_owned())
    );
    let itself = json!({"type": "object", "properties": {"a": {"$ref": "#"}}});
    assert_eq!(reason(Google, &itself), (Reason::Recursion, at("")));
    for provider in Provider::ALL {
        assert_eq!(reason(provider, &json!({"$ref": "#"})).0, Reason::Recursion);
    }
}

#[test]
fn references_that_lead_nowhere_or_out_are_told() {
    for reference in ["#/$defs/A", "https://example.com/a.json", "#name"] {
        let schema = member(&json!({"$ref": reference}));
        for provider in [OpenAi, Google] {
            assert_eq!(reason(provider, &schema), (Reason::Reference, at("")));
        }
    }
}

#[test]
fn what_references_add_is_capped_at_twice_the_schema() {
    // Each definition has the next one twice.
    let mut defs = serde_json::Map::new();
    for depth in 0..30 {
        let next = json!({"$ref": format!("#/$defs/d{}", depth + 1)});
        let schema = json!({"type": "object", "properties": {"a": next, "b": next}});
        defs.insert(format!("d{depth}"), schema);
    }
    defs.insert("d30".to_owned(), json!({"type": "string"}));
    let schema = json!({"$ref": "#/$defs/d0", "$defs": defs});
    assert_eq!(reason(Google, &schema).0, Reason::TooLarge);
}

#[test]
fn the_root_is_an_object_without_alternatives() {
    for provider in Provider::ALL {
        assert_eq!(rendered(provider, &Value::Null)["type"], "object");
        assert_eq!(rendered(provider, &json!({"properties": {}}))["type"], "object");
        assert_eq!(rendered(provider, &json!({"type": ["object", "null"]}))["type"], "object");
        assert_eq!(
            reason(provider, &json!({"type": "string"})),
            (Reason::RootType, "/type".to_owned())
        );
        assert_eq!(reason(provider, &json!(true)).0, Reason::RootType);
    }
    let choices = json!({"type": "object", "properties": {"a": {"type": "string"}}, "oneOf": [{"required": ["a"]}]});
    for provider in [OpenAi, Anthropic, Google] {
        assert_eq!(reason(provider, &choices), (Reason::RootChoices, String::new()));
    }
    assert_eq!(rendered(Mistral, &choices), choices);
    let together = json!({"allOf": [{"$ref": "#/$defs/A"}, {"properties": {"b": {"type": "string"}}, "required": ["b"]}],
        "$defs": {"A": {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}}});
    for provider in [OpenAi, Anthropic, Google] {
        let found = rendered(provider, &together);
        assert_eq!(found["required"], json!(["b", "a"]), "{provider}");
        assert!(found.get("allOf").is_none(), "{provider}");
    }
}

#[test]
fn alternatives_are_said_as_each_takes_them() {
    let one_of = json!({"description": "D.", "oneOf": [{"type": "string"}, {"type": "integer"}, {"type": "null"}]});
    assert_eq!(
        of_member(OpenAi, &one_of),
        json!({"description": "D.", "anyOf": [{"type": "string"}, {"type": "integer"}, {"type": "null"}]})
    );
    assert_eq!(
        of_member(Google, &one_of),
        json!({"anyOf": [
            {"type": "string", "description": "D.", "nullable": true},
            {"type": "integer", "description": "D.", "nullable": true},
        ]})
    );
    let optional = json!({"description": "D.", "anyOf": [{"type": "null"}, {"type": "string", "minLength": 1}]});
    assert_eq!(
        of_member(Google, &optional),
        json!({"type": "string", "minLength": 1, "description": "D.", "nullable": true})
    );
    let several = json!({"type": ["string", "integer", "null"]});
    assert_eq!(of_member(OpenAi, &several), several);
    assert_eq!(
        of_member(Google, &several),
        json!({"anyOf": [{"type": "string", "nullable": true}, {"type": "integer", "nullable": true}]})
    );
    assert_eq!(
        of_member(Google, &json!({"type": ["integer", "null"]})),
        json!({"type": "integer", "nullable": true})
    );
    // What stands beside them belongs to each.
    let beside = json!({"type": "object", "properties": {"x": {"type": "string"}, "y": {"type": "string"}},
        "additionalProperties": false, "anyOf": [{"required": ["x"]}, {"required": ["y"]}]});
    assert_eq!(of_member(Google, &beside)["anyOf"][1]["required"], json!(["y"]));
    assert_eq!(
        of_member(OpenAi, &beside)["anyOf"][1]["properties"]["x"]["type"],
        json!(["string", "null"])
    );
    let both = json!({"anyOf": [{"type": "string"}], "oneOf": [{"type": "string"}]});
    assert_eq!(reason(OpenAi, &member(&both)), (Reason::Conflict, at("")));
    assert_eq!(reason(Google, &member(&json!({"type": "null"}))), (Reason::NoValue, at("")));
    assert_eq!(reason(OpenAi, &member(&json!({"anyOf": []}))), (Reason::NotASchema, at("/anyOf")));
}

#[test]
fn enums_and_constants_are_strings_at_google() {
    let values = |schema: &Value| of_member(Google, schema);
    assert_eq!(values(&json!({"enum": ["a", "b"]})), json!({"type": "string", "enum": ["a", "b"]}));
    assert_eq!(
        values(&json!({"enum": ["a", null]})),
        json!({"type": "string", "enum": ["a"], "nullable": true})
    );
    assert_eq!(values(&json!({"const": "a"})), json!({"type": "string", "enum": ["a"]}));
    let numbers = json!({"type": "integer", "enum": [1, 2], "description": "How many."});
    assert_eq!(
        values(&numbers),
        json!({"type": "integer", "description": "How many. One of: 1, 2."})
    );
    assert_eq!(notes(Google, &member(&numbers))[1], ("taken_off", at("/enum")));
}

#[test]
fn keywords_that_are_not_taken_are_told() {
    let schema = json!({"type": "string", "format": "uri", "minLength": 1, "default": "x", "not": {"const": "y"}});
    assert_eq!(of_member(OpenAi, &schema), json!({"type": "string"}));
    assert_eq!(
        of_member(Google, &schema),
        json!({"type": "string", "minLength": 1, "default": "x"})
    );
    let told: Vec<_> = ["/default", "/format", "/minLength", "/not"].map(at).to_vec();
    let mut found: Vec<_> =
        notes(OpenAi, &member(&schema)).into_iter().map(|note| note.1).collect();
    found.sort();
    assert_eq!(found, told);
    for format in ["date-time", "email", "uuid"] {
        let kept = json!({"type": ["string", "null"], "format": format});
        assert_eq!(of_member(OpenAi, &kept), kept);
    }
    assert_eq!(
        of_member(Google, &json!({"type": "number", "format": "double"}))["format"],
        "double"
    );
    let texts: Vec<_> = schema_for(OpenAi, &raw(&member(&schema))).unwrap().notes;
    let format = texts.iter().find(|note| note.pointer.ends_with("/format")).unwrap();
    assert_eq!(
        format.to_string(),
        "/properties/a/format: `format` was taken off: the host still checks it, and the model does not see \
         it, since OpenAI strict does not take it"
    );
}

#[test]
fn what_has_no_type_and_no_names_is_refused() {
    for provider in [OpenAi, Google] {
        for schema in [json!({}), json!(true), json!({"description": "Anything."})] {
            assert_eq!(
                reason(provider, &member(&schema)),
                (Reason::Untyped, at("")),
                "{provider} {schema}"
            );
        }
        assert_eq!(reason(provider, &member(&json!({"type": "array"}))), (Reason::Untyped, at("")));
        let tuple = json!({"type": "array", "items": [{"type": "string"}]});
        assert_eq!(reason(provider, &member(&tuple)), (Reason::Tuple, at("/items")));
        assert_eq!(reason(provider, &member(&json!(false))), (Reason::NoValue, at("")));
        assert_eq!(reason(provider, &member(&json!("x"))), (Reason::NotASchema, at("")));
    }
    for schema in [
        json!({"type": "object"}),
        json!({"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": {"type": "string"}}),
    ] {
        assert_eq!(reason(OpenAi, &member(&schema)), (Reason::FreeForm, at("")));
    }
    let conflict = json!({"allOf": [{"type": "string"}, {"type": "integer"}]});
    assert_eq!(reason(Google, &member(&conflict)), (Reason::Conflict, at("")));
}

#[test]
fn names_are_held_to_what_each_takes() {
    for provider in Provider::ALL {
        assert_eq!(check_name(provider, "get_it-2"), Ok(()));
        for name in ["", "a b", "ä", &"x".repeat(65)] {
            let error = check_name(provider, name).unwrap_err();
            assert_eq!(error.reason, Reason::Name, "{provider} {name}");
        }
        assert_eq!(check_name(provider, "2go").is_err(), provider == Google);
    }
    let named = |name: &str| json!({"type": "object", "properties": {name: {"type": "string"}}});
    assert_eq!(
        reason(Anthropic, &named("a b")),
        (Reason::PropertyName, "/properties/a b".to_owned())
    );
    assert_eq!(reason(Google, &named("a.b")), (Reason::PropertyName, "/properties/a.b".to_owned()));
    assert!(schema_for(Anthropic, &raw(&named("a.b"))).is_ok());
}

#[test]
fn the_limits_of_strict_mode_are_counted() {
    let nested = |levels: usize| {
        let innermost = json!({"type": "string"});
        (0..levels)
            .fold(innermost, |schema, _| json!({"type": "object", "properties": {"a": schema}}))
    };
    assert!(schema_for(OpenAi, &raw(&nested(10))).is_ok());
    assert_eq!(reason(OpenAi, &nested(11)).0, Reason::TooDeep);
    let wide = |count: usize| {
        let members = (0..count).map(|at| (format!("a{at}"), json!({"type": "string"})));
        json!({"type": "object", "properties": members.collect::<serde_json::Map<_, _>>()})
    };
    assert!(schema_for(OpenAi, &raw(&wide(5000))).is_ok());
    assert_eq!(reason(OpenAi, &wide(5001)).0, Reason::TooLarge);
    let values =
        |count: usize| member(&json!({"type": "integer", "enum": (0..count).collect::<Vec<_>>()}));
    assert!(schema_for(OpenAi, &raw(&values(1000))).is_ok());
    assert_eq!(reason(OpenAi, &values(1001)), (Reason::TooLarge, at("")));
    let long = json!({"type": "string", "enum": (0..251).map(|at| format!("{at:0>60}")).collect::<Vec<_>>()});
    assert_eq!(reason(OpenAi, &member(&long)), (Reason::TooLarge, at("")));
    let deep = format!("{}1{}", "[".repeat(200), "]".repeat(200));
    let deep = RawJson::parse(&format!("{{\"default\":{deep}}}")).unwrap();
    assert_eq!(schema_for(Mistral, &deep).unwrap_err().reason, Reason::TooDeep);
}
