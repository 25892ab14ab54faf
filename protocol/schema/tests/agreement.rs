//! The small validator of extline-protocol against jsonschema, on random schemas and arguments.

mod random;

use std::collections::BTreeSet;

use extline_protocol::{ArgsValidator, RawJson};
use extline_schema::ToolSchema;
use jsonschema::ValidationError;
use jsonschema::error::ValidationErrorKind as Kind;
use proptest::prelude::*;
use serde_json::{Map, Value};

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn within_its_keywords_the_small_validator_agrees(
        schema in random::schema(random::Keywords::Checked),
        args in proptest::collection::vec(random::value(), 8),
    ) {
        let Ok(small) = ArgsValidator::compile(&RawJson::from(schema.clone())) else {
            // Some random references go round in circles.
            prop_assert!(ToolSchema::compile(&RawJson::from(schema)).is_err());
            return Ok(());
        };
        prop_assert_eq!(small.unsupported(), &[]);
        let full = jsonschema::validator_for(&schema).unwrap();
        let compiled = ToolSchema::compile(&RawJson::from(schema)).unwrap();
        for args in args {
            // What is seen at a glance, and what is not.
            if let Some(quick) = compiled.validate_if_quick(&RawJson::from(args.clone())) {
                prop_assert_eq!(quick.is_ok(), full.is_valid(&args), "{:?} of {}", quick, args);
            }
            let mut named = BTreeSet::new();
            full.iter_errors(&args).for_each(|error| collect_pointers(&error, &args, &mut named));
            match small.validate(&RawJson::from(args.clone())) {
                Ok(()) => prop_assert!(named.is_empty(), "{:?} in {}", named, args),
                Err(error) => {
                    prop_assert!(named.contains(&error.pointer), "{} of {:?} in {}", error, named, args);
                }
            }
        }
    }

    #[test]
    fn beyond_its_keywords_it_refuses_nothing_that_jsonschema_allows(
        schema in random::schema(random::Keywords::All),
        args in proptest::collection::vec(random::value(), 8),
    ) {
        let schema = RawJson::from(schema);
        let (Ok(small), Ok(full)) = (ArgsValidator::compile(&schema), ToolSchema::compile(&schema))
        else {
            return Ok(());
        };
        // Also what is compiled when it is first needed.
        let options = jsonschema::options().offline().should_validate_formats(false);
        prop_assert!(options.build(&schema.to::<Value>().unwrap()).is_ok(), "{}", schema);
        for args in args {
            let raw = RawJson::from(args.clone());
            let verdict = full.validate(&raw);
            if let Err(error) = small.validate(&raw) {
                prop_assert!(verdict.is_err(), "{} in {}", error, args);
            }
            if let Err(violation) = verdict {
                let pointer = &violation.pointer;
                let parent = pointer.rsplit_once('/').map_or("", |(parent, _)| parent);
                prop_assert!(args.pointer(parent).is_some(), "{} in {}", violation, args);
            }
        }
    }

    #[test]
    fn a_validation_that_counts_its_steps_comes_to_the_same(
        schema in random::schema(random::Keywords::All),
        args in proptest::collection::vec(random::value(), 8),
    ) {
        let Ok(compiled) = ToolSchema::compile(&RawJson::from(schema.clone())) else {
            return Ok(());
        };
        let options = jsonschema::options().offline().should_validate_formats(false);
        let unbounded = options.build(&schema).unwrap();
        for args in args.into_iter().filter(Value::is_object) {
            // What is long is never taken for quick.
            let long = args.to_string().replacen('{', &format!("{{{}", " ".repeat(20_000)), 1);
            let long = RawJson::parse(&long).unwrap();
            prop_assert_eq!(compiled.validate_if_quick(&long), None);
            let verdict = compiled.validate(&long);
            prop_assert_eq!(verdict.is_ok(), unbounded.is_valid(&args), "{:?} of {}", verdict, args);
        }
    }
}

/// The pointers of all members an error is about, those in its alternatives included.
fn collect_pointers(error: &ValidationError<'_>, args: &Value, pointers: &mut BTreeSet<String>) {
    let own = error.instance_path().as_str();
    pointers.insert(own.to_owned());
    let mut insert_member = |name: &str| {
        pointers.insert(format!("{own}/{}", name.replace('~', "~0").replace('/', "~1")));
    };
    match error.kind() {
        Kind::Required { property: Value::String(name) } => insert_member(name),
        Kind::AdditionalProperties { unexpected } => {
            for name in unexpected {
                insert_member(name);
            }
        }
        Kind::AnyOf { context } | Kind::OneOfNotValid { context } => {
            context.iter().flatten().for_each(|error| collect_pointers(error, args, pointers));
        }
        // An `additionalProperties: false` without `properties` is reported for the object.
        Kind::FalseSchema => {
            let members = args.pointer(own).and_then(Value::as_object);
            members.into_iter().flat_map(Map::keys).for_each(|name| insert_member(name));
        }
        _ => {}
    }
}
