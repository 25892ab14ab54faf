//! What is found in one schema, whoever minds it.

use std::collections::{BTreeMap, HashMap};

use extline_protocol::pointer::of_fragment;
use serde_json::{Map, Value};

use super::{Check, Place};
use crate::references::{LIST, MEMBERS, SCHEMA};

/// How many places of a finding are kept; the others are counted.
const KEPT: usize = 3;

/// Where a check found something.
#[derive(Debug, Default)]
pub(super) struct Spots {
    /// The first, as JSON pointers into the schema that was registered.
    pub(super) pointers: Vec<String>,
    pub(super) count: usize,
    /// More about the first.
    pub(super) detail: Option<String>,
}

/// What was found, by check.
pub(super) type Facts = BTreeMap<Check, Spots>;

/// What extline takes off a root, so that no client sees what is in it.
const TAKEN_OFF: [&str; 5] = ["not", "if", "then", "else", "dependentSchemas"];
/// The same, but for the properties, which are shown.
const MERGED: [&str; 3] = ["anyOf", "oneOf", "allOf"];

/// Looks through a schema as it was registered (`whole`); `shown` is what clients see of it.
pub(super) fn facts(whole: &Value, shown: &Value, place: Place) -> Facts {
    let mut walk = Walk { whole, shown, place, facts: Facts::new(), references: Vec::new() };
    let (root, pointer) = walk.root();
    if let Some(root) = root.as_object() {
        walk.root_members(root, &pointer);
    }
    if !pointer.is_empty() {
        for name in ["$defs", "definitions"] {
            walk.members(&whole[name], &format!("/{name}"));
        }
    }
    walk.find_cycle();
    if walk.facts.contains_key(&Check::RecursiveReference) {
        let spots = walk.facts.entry(Check::Reference).or_default();
        spots.detail = Some("that leads back to itself".to_owned());
    }
    walk.facts
}

struct Walk<'a> {
    whole: &'a Value,
    shown: &'a Value,
    place: Place,
    facts: Facts,
    /// From where to where.
    references: Vec<(String, String)>,
}

impl<'a> Walk<'a> {
    /// The schema that the root stands for.
    fn root(&self) -> (&'a Value, String) {
        let (mut root, mut pointer) = (self.whole, String::new());
        for _ in 0..crate::schema::REFERENCES {
            let next = root["$ref"].as_str().and_then(of_fragment);
            let Some(next) = next.filter(|it| self.whole.pointer(it).is_some()) else { break };
            root = self.whole.pointer(&next).unwrap_or(root);
            pointer = next.into_owned();
        }
        (root, pointer)
    }

    fn root_members(&mut self, root: &'a Map<String, Value>, pointer: &str) {
        for (key, value) in root {
            let at = join(pointer, key);
            match key.as_str() {
                "properties" => self.parameters(value, &at),
                key if self.place == Place::Input && MERGED.contains(&key) => {
                    for (position, branch) in value.as_array().into_iter().flatten().enumerate() {
                        self.parameters(
                            &branch["properties"],
                            &format!("{at}/{position}/properties"),
                        );
                    }
                }
                key if TAKEN_OFF.contains(&key) => {}
                key => self.keyword(key, value, &at),
            }
        }
    }

    /// The properties of the root.
    fn parameters(&mut self, properties: &'a Value, pointer: &str) {
        for (name, schema) in properties.as_object().into_iter().flatten() {
            let at = join(pointer, name);
            let is_plain = |it: char| it.is_ascii_alphanumeric() || matches!(it, '_' | '.' | '-');
            if !(1..=64).contains(&name.chars().count()) || !name.chars().all(is_plain) {
                self.found(Check::PropertyName, &at, None);
            }
            if self.place == Place::Input && !self.is_described(schema) {
                self.found(Check::ParameterDescription, &at, None);
            }
            self.schema(schema, &at);
        }
    }

    /// Whether it has a description, leads to something that has one, or lists its values, which say enough.
    fn is_described(&self, schema: &Value) -> bool {
        let is_text =
            |schema: &Value| schema["description"].as_str().is_some_and(|it| !it.trim().is_empty());
        let target = schema["$ref"].as_str().and_then(of_fragment);
        let lists = |schema: &Value| schema["enum"].is_array() || !schema["const"].is_null();
        let is_told = |schema: &Value| is_text(schema) || lists(schema);
        is_told(schema) || target.and_then(|it| self.whole.pointer(&it)).is_some_and(is_told)
    }

    fn schema(&mut self, schema: &'a Value, pointer: &str) {
        let Some(members) = schema.as_object() else { return };
        let kind = &schema["type"];
        if kind == "array" && schema["items"].is_null() {
            self.found(Check::ArrayItems, pointer, None);
        }
        if kind.as_array().is_some_and(|kinds| kinds.len() > 1) {
            self.found(Check::TypeList, pointer, None);
        }
        for (key, value) in members {
            if matches!(key.as_str(), "oneOf" | "allOf") {
                self.found(Check::Choices, pointer, Some(format!("`{key}`")));
            }
            self.keyword(key, value, &join(pointer, key));
        }
    }

    fn keyword(&mut self, key: &str, value: &'a Value, pointer: &str) {
        if key == "$ref" {
            self.reference(value, pointer);
        } else if SCHEMA.contains(&key) {
            self.schema(value, pointer);
        } else if MEMBERS.contains(&key) {
            self.members(value, pointer);
        } else if LIST.contains(&key) {
            for (position, schema) in value.as_array().into_iter().flatten().enumerate() {
                self.schema(schema, &format!("{pointer}/{position}"));
            }
        }
    }

    fn members(&mut self, schemas: &'a Value, pointer: &str) {
        for (name, schema) in schemas.as_object().into_iter().flatten() {
            self.schema(schema, &join(pointer, name));
        }
    }

    fn reference(&mut self, reference: &Value, pointer: &str) {
        let Some(reference) = reference.as_str() else { return };
        let at = pointer.strip_suffix("/$ref").unwrap_or(pointer);
        let Some(target) = of_fragment(reference) else {
            // What clients make of a name within the schema (`#node`) is not known.
            if !reference.starts_with('#') {
                let why = format!("it leads to {}, outside of the schema", cut(reference));
                self.found(Check::DanglingReference, at, Some(why));
            }
            return;
        };
        if self.shown.pointer(&target).is_none() {
            let why = if self.whole.pointer(&target).is_some() {
                format!("it leads to #{}, which clients do not see", cut(&target))
            } else {
                format!("the schema has no #{}", cut(&target))
            };
            return self.found(Check::DanglingReference, at, Some(why));
        }
        self.found(Check::Reference, at, None);
        self.references.push((at.to_owned(), target.into_owned()));
    }

    fn found(&mut self, check: Check, pointer: &str, detail: Option<String>) {
        let spots = self.facts.entry(check).or_default();
        spots.count += 1;
        if spots.pointers.len() < KEPT {
            spots.pointers.push(pointer.to_owned());
        }
        if spots.detail.is_none() {
            spots.detail = detail;
        }
    }

    /// Whether a reference leads back to itself: what is left when all that leads nowhere further is taken
    /// away again and again.
    fn find_cycle(&mut self) {
        let references = std::mem::take(&mut self.references);
        let mut targets: HashMap<&str, usize> = HashMap::new();
        for (_, target) in &references {
            let next = targets.len();
            targets.entry(target).or_insert(next);
        }
        // Who is led to from inside of whom.
        let mut from: Vec<Vec<usize>> = vec![Vec::new(); targets.len()];
        let mut open = vec![0_usize; targets.len()];
        for (at, target) in &references {
            let to = targets[target.as_str()];
            for outer in prefixes(at).filter_map(|outer| targets.get(outer)) {
                from[to].push(*outer);
                open[*outer] += 1;
            }
        }
        let mut done: Vec<usize> = (0..open.len()).filter(|target| open[*target] == 0).collect();
        let mut at = 0;
        while let Some(&target) = done.get(at) {
            at += 1;
            for &outer in &from[target] {
                open[outer] -= 1;
                if open[outer] == 0 {
                    done.push(outer);
                }
            }
        }
        let is_open = |target: &str| open[targets[target]] > 0;
        let cycle: Vec<_> = references.iter().filter(|(_, target)| is_open(target)).collect();
        for (at, _) in cycle {
            self.found(Check::RecursiveReference, at, None);
        }
    }
}

/// A pointer and those of all that it is in, the root's included.
fn prefixes(pointer: &str) -> impl Iterator<Item = &str> {
    let ends = pointer.match_indices('/').map(|(at, _)| at).chain([pointer.len()]);
    ends.map(|end| &pointer[..end])
}

fn join(pointer: &str, token: &str) -> String {
    extline_protocol::pointer::join(pointer, token)
}

/// What somebody wrote, short enough for a line.
pub(super) fn cut(text: &str) -> String {
    const MOST: usize = 100;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn found(schema: &Value) -> Vec<(Check, Vec<String>)> {
        let facts = facts(schema, schema, Place::Input);
        facts.into_iter().map(|(check, spots)| (check, spots.pointers)).collect()
    }

    fn spots(schema: &Value, check: Check) -> Vec<String> {
        found(schema).into_iter().find(|it| it.0 == check).map(|it| it.1).unwrap_or_default()
    }

    #[test]
    fn a_plain_schema_with_descriptions_has_nothing() {
        let schema = json!({"type": "object", "properties": {
            "city": {"type": "string", "description": "City"},
            "tags": {"type": "array", "items": {}, "description": "Tags"},
            "units": {"enum": ["c", "f"]}, "far": {"$ref": "#/$defs/Far"},
        }, "$defs": {
            "Far": {"type": "boolean", "description": "Far"},
        }});
        assert_eq!(found(&schema), [(Check::Reference, vec!["/properties/far".to_owned()])]);
        assert_eq!(found(&json!({})), []);
        assert_eq!(found(&json!(true)), []);
    }

    #[test]
    fn lists_without_items_are_found_at_any_depth_and_data_is_not_taken_for_a_schema() {
        let schema = json!({"properties": {
            "a": {"type": "array", "description": "x"},
            "b": {"description": "x", "anyOf": [{"type": "object", "properties": {"items": {"type": "array"}}}]},
            "c": {"description": "x", "default": {"type": "array"}, "enum": [{"type": "array"}]},
        }});
        assert_eq!(
            spots(&schema, Check::ArrayItems),
            ["/properties/a", "/properties/b/anyOf/0/properties/items"]
        );
    }

    #[test]
    fn properties_that_only_alternatives_at_the_root_have_are_looked_at_and_conditions_are_not() {
        let schema = json!({"anyOf": [{"properties": {"a b": {"description": "x", "type": "array"}}}],
            "if": {"properties": {"c": {"type": "array"}}}});
        assert_eq!(spots(&schema, Check::PropertyName), ["/anyOf/0/properties/a b"]);
        assert_eq!(spots(&schema, Check::ArrayItems), ["/anyOf/0/properties/a b"]);
        assert_eq!(spots(&schema, Check::Choices), Vec::<String>::new());
    }

    #[test]
    fn references_lead_somewhere_nowhere_or_back() {
        let schema = json!({"properties": {
            "a": {"$ref": "#/$defs/A", "description": "x"}, "n": {"$ref": "#/$defs/N", "description": "x"},
            "x": {"$ref": "#/$defs/X", "description": "x"}, "y": {"$ref": "https://example.com/y", "description": "x"},
            "z": {"$ref": "#/$defs/a%20b", "description": "x"},
        }, "$defs": {
            "A": {"type": "string"}, "a b": {},
            "N": {"type": "object", "properties": {"next": {"anyOf": [{"$ref": "#/$defs/N"}]}}},
        }});
        assert_eq!(spots(&schema, Check::DanglingReference), ["/properties/x", "/properties/y"]);
        assert_eq!(
            spots(&schema, Check::RecursiveReference),
            ["/$defs/N/properties/next/anyOf/0", "/properties/n"]
        );
        let whole = json!({"properties": {"a": {"properties": {"b": {"$ref": "#"}}}}});
        assert_eq!(spots(&whole, Check::RecursiveReference), ["/properties/a/properties/b"]);
    }

    #[test]
    fn a_reference_into_what_is_taken_off_leads_nowhere_for_clients() {
        let whole = json!({"properties": {"a": {"$ref": "#/anyOf/0/properties/b"}},
            "anyOf": [{"properties": {"b": {}}}]});
        let shown = json!({"properties": {"a": {"$ref": "#/anyOf/0/properties/b"}, "b": {}}});
        let facts = facts(&whole, &shown, Place::Input);
        let detail = facts[&Check::DanglingReference].detail.as_deref();
        assert_eq!(detail, Some("it leads to #/anyOf/0/properties/b, which clients do not see"));
    }

    #[test]
    fn a_root_that_is_a_reference_is_looked_at_where_it_leads() {
        let schema =
            json!({"$ref": "#/$defs/A", "$defs": {"A": {"properties": {"b": {"type": "array"}}}}});
        assert_eq!(spots(&schema, Check::ParameterDescription), ["/$defs/A/properties/b"]);
    }

    #[test]
    fn a_long_chain_of_references_and_a_wide_schema_take_no_stack_and_little_time() {
        const MANY: usize = 20_000;
        let chain = |last: usize| {
            let defs: Map<_, _> = (0..MANY)
                .map(|at| {
                    let next = if at + 1 < MANY { at + 1 } else { last };
                    (format!("d{at}"), json!({"items": {"$ref": format!("#/$defs/d{next}")}}))
                })
                .collect();
            json!({"properties": {"a": {"$ref": "#/$defs/d0"}}, "$defs": defs})
        };
        let whole = chain(0);
        let cyclic = facts(&whole, &whole, Place::Input);
        assert_eq!(cyclic[&Check::RecursiveReference].count, MANY + 1);
        let mut whole = chain(0);
        whole["$defs"][format!("d{}", MANY - 1)] = json!({});
        assert!(!facts(&whole, &whole, Place::Input).contains_key(&Check::RecursiveReference));
    }
}
