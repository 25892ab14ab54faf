//! What holds of every schema.

use extline_model::{Provider, RawJson, schema_for, without_nulls};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use serde_json::{Map, Value, json};

/// Schemas as people write them, with what no provider takes in them.
fn schemas() -> impl Strategy<Value = Value> {
    let names = prop::sample::select(vec![
        "a",
        "b",
        "description",
        "format",
        "type",
        "$ref",
        "enum",
        "a/b~",
    ]);
    let leaf = prop_oneof![prop::sample::select(vec![
        json!({"type": "string"}),
        json!({"type": "integer", "minimum": 1, "exclusiveMaximum": 9}),
        json!({"type": ["string", "null"], "format": "uri", "minLength": 1}),
        json!({"type": "string", "format": "date-time", "enum": ["x", null, 1]}),
        json!({"enum": ["a", "b"], "description": "D.", "default": "a"}),
        json!({"enum": [1, 2.5, true, null]}),
        json!({"const": "c"}),
        json!({"type": ["string", "integer", "array"], "items": {"type": "string"}}),
        json!({"$ref": "#/$defs/a"}),
        json!({"$ref": "#/$defs/b", "description": "D.", "minLength": 2}),
        json!({"$ref": "#/properties/a"}),
        json!({"$ref": "#"}),
        json!({"$ref": "#/nowhere"}),
        json!({"type": "object"}),
        json!({"type": "array"}),
        json!({"type": "null"}),
        json!({}),
        json!(true),
        json!(false),
        json!(7),
    ]),];
    leaf.prop_recursive(4, 24, 4, move |inner| {
        let members =
            prop::collection::vec((names.clone(), inner.clone()), 0..4).prop_map(|members| {
                members.into_iter().map(|(name, it)| (name.to_owned(), it)).collect::<Map<_, _>>()
            });
        let list = prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from);
        prop_oneof![
            (
                members.clone(),
                any::<bool>(),
                prop::sample::select(vec![
                    json!(null),
                    json!(false),
                    json!(true),
                    json!({"type": "string"})
                ])
            )
                .prop_map(|(members, is_required, other)| {
                    let mut schema = json!({"type": "object"});
                    if is_required {
                        schema["required"] =
                            members.keys().take(2).cloned().chain(["gone".to_owned()]).collect();
                    }
                    schema["properties"] = Value::Object(members);
                    if !other.is_null() {
                        schema["additionalProperties"] = other;
                    }
                    schema
                }),
            inner.clone().prop_map(|items| json!({"type": "array", "items": items, "maxItems": 3})),
            (prop::sample::select(vec!["anyOf", "oneOf", "allOf"]), list)
                .prop_map(|(choice, list)| json!({choice: list, "description": "D."})),
            (members, inner)
                .prop_map(|(members, not)| json!({"properties": members, "not": not, "x-more": 1})),
        ]
    })
}

/// A root with definitions, which may lead to each other.
fn roots() -> impl Strategy<Value = Value> {
    (schemas(), schemas(), schemas(), schemas()).prop_map(|(a, b, first, second)| {
        json!({"type": "object", "properties": {"first": first, "second": second}, "$defs": {"a": a, "b": b}})
    })
}

fn raw(value: &Value) -> RawJson {
    RawJson::parse(&value.to_string()).unwrap()
}

fn check(provider: Provider, schema: &RawJson) -> Result<bool, TestCaseError> {
    let Ok(rendered) = schema_for(provider, schema) else { return Ok(false) };
    let (before, after) = (schema.get().len(), rendered.schema.get().len());
    prop_assert!(after <= 16 * before + 100, "{provider}: {before} {after}");
    prop_assert!(serde_json::from_str::<Value>(rendered.schema.get()).is_ok());
    let again = schema_for(provider, &rendered.schema);
    let again = match again {
        Ok(again) => again,
        Err(error) => {
            return Err(TestCaseError::fail(format!("{provider}: {} {error}", rendered.schema)));
        }
    };
    prop_assert_eq!(again.schema.get(), rendered.schema.get(), "{} {:?}", provider, again.notes);
    prop_assert!(again.notes.is_empty(), "{provider}: {} {:?}", rendered.schema, again.notes);
    // What was changed was told; a list of no names says nothing.
    let says_nothing = rendered.schema.get().contains("\"required\":[]");
    let is_changed = rendered.schema.get() != schema.get() && !says_nothing;
    prop_assert!(!is_changed || !rendered.notes.is_empty(), "{provider}");
    Ok(true)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_was_rendered_is_rendered_as_itself(schema in prop_oneof![roots(), schemas()]) {
        for provider in Provider::ALL {
            check(provider, &raw(&schema))?;
        }
    }

    #[test]
    fn any_json_is_rendered_or_refused(text in "[\\[\\]{}:,\"$a-z0-9/#]{0,40}") {
        if let Ok(schema) = RawJson::parse(&text) {
            for provider in Provider::ALL {
                check(provider, &schema)?;
            }
        }
    }

    /// Arguments without a null that may be left out are as they were, and no member but a null goes.
    #[test]
    fn only_nulls_are_taken_out(schema in roots(), args in "[{}:,\"ab]{0,20}|\\{\"first\":null,\"second\":\\{\"a\":null,\"b\":1\\}\\}") {
        if let Ok(args) = RawJson::parse(&args) {
            let left = without_nulls(&raw(&schema), &args);
            let (left, args): (Value, Value) = (serde_json::from_str(left.get()).unwrap(), serde_json::from_str(args.get()).unwrap());
            prop_assert_eq!(without_all_nulls(left), without_all_nulls(args));
        }
    }
}

fn without_all_nulls(value: Value) -> Value {
    match value {
        Value::Object(members) => {
            let members = members.into_iter().filter(|(_, value)| !value.is_null());
            members
                .map(|(name, value)| (name, without_all_nulls(value)))
                .collect::<Map<_, _>>()
                .into()
        }
        Value::Array(list) => list.into_iter().map(without_all_nulls).collect(),
        other => other,
    }
}

/// The strategies make schemas that can be rendered, for each provider: else the above would say little.
#[test]
fn many_of_the_schemas_can_be_rendered() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let mut rendered = [0; Provider::ALL.len()];
    for _ in 0..400 {
        let schema = raw(&roots().new_tree(&mut runner).unwrap().current());
        for (count, provider) in rendered.iter_mut().zip(Provider::ALL) {
            *count += usize::from(schema_for(provider, &schema).is_ok());
        }
    }
    assert!(rendered.iter().all(|count| *count >= 20), "{rendered:?}");
}

/// References that lead from one to the next take neither stack nor more than linear time.
#[test]
fn a_long_chain_and_a_wide_schema() {
    const MANY: usize = 20_000;
    let defs: Map<_, _> = (0..MANY)
        .map(|at| {
            (
                format!("d{at}"),
                json!({"type": "array", "items": {"$ref": format!("#/$defs/d{}", at + 1)}}),
            )
        })
        .collect();
    let mut schema =
        json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/d0"}}, "$defs": defs});
    schema["$defs"][format!("d{MANY}")] = json!({"type": "string"});
    let schema = raw(&schema);
    assert!(schema_for(Provider::Google, &schema).is_err());
    assert!(schema_for(Provider::OpenAi, &schema).is_ok());
    let members: Map<_, _> =
        (0..MANY).map(|at| (format!("a{at}"), json!({"type": "string"}))).collect();
    let wide = raw(&json!({"type": "object", "properties": members}));
    assert!(schema_for(Provider::Google, &wide).is_ok());
    assert!(schema_for(Provider::Anthropic, &wide).is_ok());
}
