//! What holds for all schemas and arguments. That the verdicts are those of a full validator is
//! tested in extline-schema, which has one.

use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

use super::ArgsValidator;
use crate::RawJson;
use crate::pointer::follow;

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn spelling_changes_nothing(args in json_value(&NAMES), seed in any::<u64>()) {
        let schema = json!({
            "properties": {
                "a": {"type": ["integer", "string"], "minimum": 1, "maxLength": 2},
                "é/": {"enum": [1, "b\"", {"a": 1}, [null]]},
                "c": {"items": {"$ref": "#"}, "maxItems": 2},
            },
            "required": ["a"],
            "additionalProperties": {"oneOf": [{"$ref": "#"}, {"const": 2}, {"type": "null"}]},
        });
        let schema = ArgsValidator::compile(&RawJson::from(schema)).unwrap();
        let plain = schema.validate(&RawJson::from(args.clone()));
        let respelled = RawJson::parse(&Speller(seed).spell(&args)).unwrap();
        let other = schema.validate(&respelled);
        prop_assert_eq!(
            plain.map_err(|error| error.pointer),
            other.map_err(|error| error.pointer),
            "{}", respelled
        );
    }

    #[test]
    fn any_schema_is_compiled_or_refused_and_names_members_of_the_arguments(
        schema in json_value(&KEYWORDS),
        args in json_value(&KEYWORDS),
    ) {
        let args = RawJson::from(args);
        match ArgsValidator::compile(&RawJson::from(schema.clone())) {
            Ok(validator) => {
                if let Err(error) = validator.validate(&args) {
                    let parent = error.pointer.rsplit_once('/').map_or("", |(parent, _)| parent);
                    prop_assert!(follow(args.get(), parent).is_some(), "{}", error);
                }
            }
            Err(problem) => prop_assert!(
                schema.pointer(&problem.pointer).is_some(),
                "{} in {}", problem, schema
            ),
        }
    }
}

const NAMES: [&str; 4] = ["a", "é/", "c", "d"];

const KEYWORDS: [&str; 12] = [
    "type",
    "enum",
    "properties",
    "required",
    "items",
    "additionalProperties",
    "anyOf",
    "oneOf",
    "minLength",
    "maximum",
    "$ref",
    "$defs",
];

fn json_value(names: &'static [&'static str]) -> impl Strategy<Value = Value> {
    let scalar = select(vec![
        json!(null),
        json!(true),
        json!(0),
        json!(1),
        json!(2),
        json!(1.5),
        json!("b\""),
        json!("string"),
        json!("#"),
        json!("#/$defs/type"),
    ]);
    scalar.prop_recursive(4, 24, 4, move |inner| {
        prop_oneof![
            1 => vec(inner.clone(), 0..4).prop_map(Value::Array),
            3 => btree_map(select(names), inner, 0..5).prop_map(|members| json!(members)),
        ]
    })
}

/// Writes a value in one of the many ways JSON has for it.
struct Speller(u64);

impl Speller {
    fn flip(&mut self) -> bool {
        self.0 = self.0.rotate_left(1) ^ 0x9E37_79B9_7F4A_7C15;
        self.0.count_ones().is_multiple_of(2)
    }

    fn spell(&mut self, value: &Value) -> String {
        let text = match value {
            Value::Number(number) if number.is_u64() && self.flip() => format!("{number}.0E+0"),
            Value::String(text) => self.spell_string(text),
            Value::Array(items) => {
                let items: Vec<_> = items.iter().map(|item| self.spell(item)).collect();
                format!("[{}]", items.join(","))
            }
            Value::Object(members) => {
                let members: Vec<_> = members
                    .iter()
                    .map(|(name, value)| {
                        // A duplicate that does not count, as the last one does.
                        let decoy = if self.flip() {
                            self.spell_string(name) + ":[],"
                        } else {
                            String::new()
                        };
                        decoy + &self.spell_string(name) + ":" + &self.spell(value)
                    })
                    .collect();
                format!("{{{}}}", members.join(","))
            }
            other => other.to_string(),
        };
        if self.flip() { format!(" {text}\n") } else { text }
    }

    fn spell_string(&mut self, text: &str) -> String {
        if self.flip() {
            return json!(text).to_string();
        }
        let escapes: Vec<_> = text.encode_utf16().map(|unit| format!("\\u{unit:04x}")).collect();
        format!("\"{}\"", escapes.concat())
    }
}
