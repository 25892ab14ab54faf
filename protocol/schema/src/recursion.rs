//! Schemas that come back to themselves, whose mistakes can cost too much to explain.

use std::collections::BTreeSet;

use extline_protocol::{Members, RawJson};
use serde_json::Value;

/// How many combinations of alternatives may be explained.
const COMBINATIONS: usize = 1_000;

/// A schema that comes back to itself. jsonschema explains every alternative in full, and in such
/// a schema each may hold all of them again, one level deeper.
#[derive(Debug)]
pub(crate) struct Recursion {
    /// The most alternatives it has at one place.
    alternatives: usize,
}

impl Recursion {
    /// Looks for the recursion in a schema; `None` when there is none.
    pub(crate) fn of(schema: &Value) -> Option<Self> {
        let mut references = BTreeSet::new();
        collect_references(schema, &mut references);
        let is_recursive =
            references.iter().any(|reference| comes_back_to(reference, schema).unwrap_or(true));
        is_recursive.then(|| Self { alternatives: most_alternatives(schema) })
    }

    /// Whether explaining what is wrong with these arguments could cost too much.
    pub(crate) fn outgrows(&self, args: &RawJson) -> bool {
        let levels = Members::of(args.get()).map_or(0, |members| members.depth);
        let levels = u32::try_from(levels).unwrap_or(u32::MAX);
        self.alternatives.checked_pow(levels).is_none_or(|all| all > COMBINATIONS)
    }
}

/// Whether the target of a reference leads to that reference again; `None` when that cannot be
/// told, as the target is not a plain pointer into the schema.
fn comes_back_to(reference: &str, schema: &Value) -> Option<bool> {
    let mut seen = BTreeSet::new();
    let mut open = vec![reference];
    while let Some(next) = open.pop() {
        let mut found = BTreeSet::new();
        collect_references(schema.pointer(next.strip_prefix('#')?)?, &mut found);
        if found.contains(reference) {
            return Some(true);
        }
        open.extend(found.into_iter().filter(|reference| seen.insert(*reference)));
    }
    Some(false)
}

fn collect_references<'s>(schema: &'s Value, references: &mut BTreeSet<&'s str>) {
    if let Value::Object(members) = schema {
        for keyword in ["$ref", "$dynamicRef", "$recursiveRef"] {
            references.extend(members.get(keyword).and_then(Value::as_str));
        }
    }
    children(schema).for_each(|child| collect_references(child, references));
}

fn most_alternatives(schema: &Value) -> usize {
    let own = ["anyOf", "oneOf"].iter().filter_map(|keyword| schema.get(keyword)?.as_array());
    let below = children(schema).map(most_alternatives);
    own.map(Vec::len).chain(below).max().unwrap_or(1)
}

fn children(schema: &Value) -> impl Iterator<Item = &Value> {
    let members = schema.as_object().into_iter().flat_map(serde_json::Map::values);
    members.chain(schema.as_array().into_iter().flatten())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn recursion_is_found_through_any_number_of_references() {
        for recursive in [
            json!({"properties": {"a": {"$ref": "#"}}}),
            json!({"$defs": {"a": {"items": {"$ref": "#/$defs/b"}}, "b": {"not": {"$ref": "#/$defs/a"}}}}),
            json!({"properties": {"a": {"$dynamicRef": "#node"}}}),
            json!({"properties": {"a": {"$ref": "#anchor"}}}),
        ] {
            assert!(Recursion::of(&recursive).is_some(), "{recursive}");
        }
        let tree = json!({
            "properties": {"a": {"$ref": "#/$defs/a"}, "b": {"$ref": "#/$defs/a"}},
            "$defs": {"a": {"items": {"$ref": "#/$defs/b"}}, "b": {}},
        });
        assert!(Recursion::of(&tree).is_none());
    }

    #[test]
    fn what_is_explained_is_bounded_by_alternatives_and_depth() {
        let schema =
            json!({"$defs": {"x": {"anyOf": [{}, {"oneOf": [{}, {}, {}]}, {"$ref": "#"}]}}});
        let recursion = Recursion::of(&schema).unwrap();
        assert_eq!(recursion.alternatives, 3);
        let nested = |levels: usize| {
            let text = format!("{{\"a\":{}{}}}", "[".repeat(levels - 1), "]".repeat(levels - 1));
            RawJson::parse(&text).unwrap()
        };
        assert!(!recursion.outgrows(&nested(6)));
        assert!(recursion.outgrows(&nested(7)));
        assert!(recursion.outgrows(&nested(100)));
    }
}
