//! Random schemas and values over so few names and constants that they meet often.

use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use serde_json::{Map, Value, json};

const NAMES: [&str; 4] = ["a", "b", "c/d", "e~"];
const TYPES: [&str; 7] = ["string", "integer", "number", "boolean", "array", "object", "null"];

/// Which keywords a random schema has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keywords {
    /// Those the small validator checks.
    Checked,
    /// Also those it leaves to the host.
    All,
}

/// A schema with definitions, in a random draft.
pub(crate) fn schema(keywords: Keywords) -> impl Strategy<Value = Value> {
    let drafts = select(vec![
        None,
        Some("https://json-schema.org/draft/2020-12/schema"),
        Some("https://json-schema.org/draft/2019-09/schema"),
        Some("http://json-schema.org/draft-07/schema#"),
    ]);
    let object = vec(object_keyword(subschema(keywords)), 1..4);
    let definitions = (subschema(keywords), subschema(keywords));
    (drafts, object, definitions).prop_map(|(draft, object, (first, second))| {
        let mut root: Map<_, _> = object.into_iter().collect();
        root.insert("$defs".to_owned(), json!({"d0": first, "d1": second}));
        if let Some(draft) = draft {
            root.insert("$schema".to_owned(), json!(draft));
        }
        Value::Object(root)
    })
}

/// A JSON value, mostly an object.
pub(crate) fn value() -> impl Strategy<Value = Value> {
    let object = btree_map(select(&NAMES), any_value(), 0..4);
    prop_oneof![9 => object.prop_map(|members| json!(members)), 1 => any_value()]
}

fn any_value() -> impl Strategy<Value = Value> {
    scalar().prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::Array),
            btree_map(select(&NAMES), inner, 0..4).prop_map(|members| json!(members)),
        ]
    })
}

fn scalar() -> impl Strategy<Value = Value> {
    select(vec![
        json!(null),
        json!(true),
        json!(false),
        json!(-1),
        json!(0),
        json!(1),
        json!(1.0),
        json!(1.5),
        json!(2),
        json!(9_007_199_254_740_993_u64),
        json!(1e30),
        json!(""),
        json!("a"),
        json!("bb"),
        json!("é\"\\😀"),
    ])
}

fn subschema(keywords: Keywords) -> BoxedStrategy<Value> {
    let leaf = prop_oneof![
        6 => vec(scalar_keyword(), 0..3).prop_map(object_of),
        1 => any::<bool>().prop_map(Value::Bool),
        2 => select(vec!["#", "#/$defs/d0", "#/$defs/d1"]).prop_map(|to| json!({"$ref": to})),
    ];
    leaf.prop_recursive(3, 16, 3, move |inner| {
        let applicator = prop_oneof![
            object_keyword(inner.clone()),
            list_keyword(inner.clone()),
            scalar_keyword()
        ];
        let checked = vec(applicator.clone(), 1..4).prop_map(object_of);
        match keywords {
            Keywords::Checked => checked.boxed(),
            Keywords::All => {
                let any = prop_oneof![2 => applicator, 1 => unchecked_keyword(inner)];
                vec(any, 1..4).prop_map(object_of).boxed()
            }
        }
    })
    .boxed()
}

fn object_of(keywords: Vec<(String, Value)>) -> Value {
    Value::Object(keywords.into_iter().collect())
}

type Keyword = BoxedStrategy<(String, Value)>;

fn scalar_keyword() -> Keyword {
    let limits = select(vec!["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"]);
    let sizes = select(vec![
        "minLength",
        "maxLength",
        "minItems",
        "maxItems",
        "minProperties",
        "maxProperties",
    ]);
    prop_oneof![
        4 => subsequence(&TYPES, 1..4).prop_map(|types| ("type".to_owned(), json!(types))),
        2 => select(&TYPES).prop_map(|one| ("type".to_owned(), json!(one))),
        1 => any_value().prop_map(|value| ("const".to_owned(), value)),
        1 => subsequence(vec![json!(1), json!("a"), json!(null), json!([1]), json!({"a": 1})], 1..4)
            .prop_map(|values| ("enum".to_owned(), json!(values))),
        1 => (limits, select(vec![json!(0), json!(1), json!(1.5), json!(9_007_199_254_740_992_u64)]))
            .prop_map(|(name, limit)| (name.to_owned(), limit)),
        1 => (sizes, 0..3).prop_map(|(name, limit)| (name.to_owned(), json!(limit))),
    ]
    .boxed()
}

fn object_keyword(inner: impl Strategy<Value = Value> + Clone + 'static) -> Keyword {
    prop_oneof![
        4 => btree_map(select(&NAMES), inner.clone(), 1..4)
            .prop_map(|schemas| ("properties".to_owned(), json!(schemas))),
        2 => subsequence(&NAMES, 0..3).prop_map(|names| ("required".to_owned(), json!(names))),
        1 => inner.clone().prop_map(|schema| ("additionalProperties".to_owned(), schema)),
        1 => of_several(inner),
    ]
    .boxed()
}

fn list_keyword(inner: impl Strategy<Value = Value> + Clone + 'static) -> Keyword {
    prop_oneof![inner.clone().prop_map(|schema| ("items".to_owned(), schema)), of_several(inner),]
        .boxed()
}

fn of_several(inner: impl Strategy<Value = Value> + Clone + 'static) -> Keyword {
    (select(vec!["allOf", "anyOf", "oneOf"]), vec(inner, 1..4))
        .prop_map(|(name, schemas)| (name.to_owned(), json!(schemas)))
        .boxed()
}

fn unchecked_keyword(inner: impl Strategy<Value = Value> + Clone + 'static) -> Keyword {
    let with_schema = select(vec![
        "not",
        "if",
        "then",
        "else",
        "contains",
        "propertyNames",
        "unevaluatedProperties",
        "unevaluatedItems",
        "additionalItems",
    ]);
    prop_oneof![
        3 => (with_schema, inner.clone()).prop_map(|(name, schema)| (name.to_owned(), schema)),
        1 => inner.clone().prop_map(|schema| ("patternProperties".to_owned(), json!({"a|b": schema}))),
        1 => vec(inner.clone(), 1..3).prop_map(|schemas| ("prefixItems".to_owned(), json!(schemas))),
        1 => inner.prop_map(|schema| ("dependentSchemas".to_owned(), json!({"a": schema}))),
        1 => select(vec![
            ("pattern", json!("^a")),
            ("multipleOf", json!(2)),
            ("uniqueItems", json!(true)),
            ("dependentRequired", json!({"a": ["b"]})),
        ]).prop_map(|(name, value)| (name.to_owned(), value)),
    ]
    .boxed()
}
