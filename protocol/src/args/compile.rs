//! From the text of a schema to the rules it states.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use super::assertion::{Assertion, Limit, Measure, Relation, Types};
use super::dialect::{Dialect, Role};
use super::schema::{Node, NodeId, Schema};
use super::size;
use super::value::{MemberList, member, members, string};
use super::{SchemaProblem, Unsupported};
use crate::json::{Elements, depth, excerpt};
use crate::limits::{
    DEPTH, SCHEMA_LOOKED_THROUGH, SCHEMA_POINTER_BYTES, SCHEMA_REFERENCES, SCHEMA_SUBSCHEMAS,
};
use crate::pointer::{follow, join, of_fragment};

/// Compiles the text of a schema; also lists what of it is left to the host.
pub(super) fn compile(document: &str) -> Result<(Schema, Vec<Unsupported>), SchemaProblem> {
    size::check(document)?;
    if depth(document) > DEPTH {
        let message = format!("nests more than {DEPTH} levels deep");
        return Err(SchemaProblem::new("", message));
    }
    let keywords = members(document).ok_or_else(|| expected("", "a JSON object", document))?;
    let mut compiler = Compiler {
        document,
        dialect: Dialect::of(&keywords),
        schema: Schema { nodes: Vec::new() },
        texts: Vec::new(),
        by_pointer: HashMap::new(),
        pointer_bytes: 0,
        looked_through: 0,
        references: Vec::new(),
        unsupported: Vec::new(),
    };
    compiler.run()?;
    let Compiler { mut schema, unsupported, .. } = compiler;
    if let Some(node) = schema.endless_reference() {
        let pointer = join(&node.pointer, "$ref");
        return Err(SchemaProblem::new(pointer, "leads back to itself, so checking never ends"));
    }
    schema.spread_inexactness();
    Ok((schema, unsupported))
}

struct Compiler<'d> {
    document: &'d str,
    dialect: Dialect,
    schema: Schema,
    /// The text of each node of the schema.
    texts: Vec<&'d str>,
    by_pointer: HashMap<String, NodeId>,
    /// The length of all pointers together.
    pointer_bytes: usize,
    /// Bytes that were looked through for what references lead to.
    looked_through: usize,
    /// Of each `$ref` the node that holds it and the pointer it leads to, in the order of the nodes.
    references: Vec<(NodeId, String)>,
    unsupported: Vec<Unsupported>,
}

impl<'d> Compiler<'d> {
    /// Compiles the document's own schema, then each one that was named on the way. No recursion:
    /// a schema may be as long a chain of references as its author likes.
    ///
    /// References are followed when everything else is known: most lead to a node, and looking for
    /// the others costs a walk through the document each.
    fn run(&mut self) -> Result<(), SchemaProblem> {
        self.node_at(String::new(), self.document)?;
        let (mut next, mut followed) = (0, 0);
        loop {
            while next < self.texts.len() {
                self.fill(next)?;
                next += 1;
            }
            let Some((node, pointer)) = self.references.get(followed).cloned() else {
                return Ok(());
            };
            followed += 1;
            self.follow_reference(node, pointer)?;
        }
    }

    /// The node of the subschema at a place in the document; it is filled when its turn comes.
    fn node_at(&mut self, pointer: String, text: &'d str) -> Result<NodeId, SchemaProblem> {
        if let Some(id) = self.by_pointer.get(&pointer) {
            return Ok(*id);
        }
        let id = self.texts.len();
        if id == SCHEMA_SUBSCHEMAS {
            return Err(SchemaProblem::over("", SCHEMA_SUBSCHEMAS, "subschemas"));
        }
        self.pointer_bytes += pointer.len();
        if self.pointer_bytes > SCHEMA_POINTER_BYTES {
            let what = "bytes in the pointers to its subschemas: shorten its names";
            return Err(SchemaProblem::over("", SCHEMA_POINTER_BYTES, what));
        }
        self.by_pointer.insert(pointer.clone(), id);
        self.texts.push(text);
        self.schema.nodes.push(Node::new(pointer));
        Ok(id)
    }

    fn fill(&mut self, id: NodeId) -> Result<(), SchemaProblem> {
        let text = self.texts[id];
        let mut node = std::mem::replace(&mut self.schema.nodes[id], Node::new(String::new()));
        match (text, members(text)) {
            ("true", _) => {}
            ("false", _) => node.assertions.push(Assertion::Never),
            (_, Some(keywords)) => self.object(id, &mut node, &keywords)?,
            _ => return Err(expected(&node.pointer, "a schema (an object or a boolean)", text)),
        }
        self.schema.nodes[id] = node;
        Ok(())
    }

    fn object(
        &mut self,
        id: NodeId,
        node: &mut Node,
        keywords: &MemberList<'d>,
    ) -> Result<(), SchemaProblem> {
        if self.dialect == Dialect::Other {
            self.leave_to_host(node, "$schema");
            return Ok(());
        }
        // Inside, "#" would mean that subschema and no longer the document.
        let resource = member(keywords, "$id").and_then(string);
        if !node.pointer.is_empty() && resource.is_some_and(|id| !id.starts_with('#')) {
            self.leave_to_host(node, "$id");
            return Ok(());
        }
        if let Some(reference) = member(keywords, "$ref") {
            self.reference(id, node, reference)?;
            if self.dialect.ref_stands_alone() {
                return Ok(());
            }
        }
        for (name, value) in keywords {
            match self.dialect.role(name, keywords) {
                Role::Checked => self.keyword(node, name, value)?,
                Role::Annotation => {}
                Role::Unchecked => self.leave_to_host(node, name),
                Role::Unknown => self.report(node, name),
            }
        }
        Ok(())
    }

    fn keyword(
        &mut self,
        node: &mut Node,
        name: &str,
        value: &'d str,
    ) -> Result<(), SchemaProblem> {
        let at = join(&node.pointer, name);
        let size = |measure, relation| {
            count(&at, value).map(|limit| Assertion::Size(measure, relation, limit))
        };
        let limit = |relation| number(&at, value).map(|limit| Assertion::Limit(relation, limit));
        let assertion = match name {
            "type" => Assertion::Types(types(&at, value)?),
            "const" => Assertion::Values(vec![value.into()]),
            "enum" => Assertion::Values(array(&at, value)?.map(Into::into).collect()),
            "minimum" => limit(Relation::AtLeast)?,
            "maximum" => limit(Relation::AtMost)?,
            "exclusiveMinimum" => limit(Relation::MoreThan)?,
            "exclusiveMaximum" => limit(Relation::LessThan)?,
            "minLength" => size(Measure::Characters, Relation::AtLeast)?,
            "maxLength" => size(Measure::Characters, Relation::AtMost)?,
            "minItems" => size(Measure::Items, Relation::AtLeast)?,
            "maxItems" => size(Measure::Items, Relation::AtMost)?,
            "minProperties" => size(Measure::Members, Relation::AtLeast)?,
            "maxProperties" => size(Measure::Members, Relation::AtMost)?,
            _ => return self.applicator(node, name, at, value),
        };
        // A list of values says more than a type, so it speaks first.
        if matches!(assertion, Assertion::Values(_)) {
            node.assertions.insert(0, assertion);
        } else {
            node.assertions.push(assertion);
        }
        Ok(())
    }

    fn applicator(
        &mut self,
        node: &mut Node,
        name: &str,
        at: String,
        value: &'d str,
    ) -> Result<(), SchemaProblem> {
        match name {
            "required" => node.required = names(&at, value)?,
            "properties" => node.properties = self.named_schemas(&at, value)?,
            // Compiled for their mistakes; what uses them finds them by `$ref`.
            "$defs" | "definitions" => drop(self.named_schemas(&at, value)?),
            "allOf" => node.all_of = self.schemas(&at, value)?,
            "anyOf" => node.any_of = self.schemas(&at, value)?,
            "oneOf" => node.one_of = self.schemas(&at, value)?,
            "items" => node.items = Some(self.node_at(at, value)?),
            "additionalProperties" => node.additional = Some(self.node_at(at, value)?),
            // `$ref` was read before all others.
            _ => {}
        }
        Ok(())
    }

    fn reference(&mut self, id: NodeId, node: &mut Node, value: &str) -> Result<(), SchemaProblem> {
        let at = join(&node.pointer, "$ref");
        let reference = string(value).ok_or_else(|| expected(&at, "a string", value))?;
        if self.references.len() == SCHEMA_REFERENCES {
            return Err(SchemaProblem::over(at, SCHEMA_REFERENCES, "references"));
        }
        match of_fragment(&reference) {
            Some(pointer) => self.references.push((id, pointer.into_owned())),
            None => self.leave_to_host(node, "$ref"),
        }
        Ok(())
    }

    fn follow_reference(&mut self, id: NodeId, pointer: String) -> Result<(), SchemaProblem> {
        let target = match self.by_pointer.get(&pointer) {
            Some(target) => *target,
            None => match self.look_for(&pointer) {
                _ if self.looked_through > SCHEMA_LOOKED_THROUGH => {
                    let at = join(&self.schema.nodes[id].pointer, "$ref");
                    let what = "bytes to look through for its references: move what they lead to \
                                into $defs";
                    return Err(SchemaProblem::over(at, SCHEMA_LOOKED_THROUGH, what));
                }
                Some(text) => self.node_at(pointer, text)?,
                None => {
                    let at = join(&self.schema.nodes[id].pointer, "$ref");
                    let message = format!("leads nowhere: the schema has no {pointer}");
                    return Err(SchemaProblem::new(at, message));
                }
            },
        };
        self.schema.nodes[target].is_target = true;
        self.schema.nodes[id].reference = Some(target);
        Ok(())
    }

    /// Looks for what stands where no keyword wants a schema.
    fn look_for(&mut self, pointer: &str) -> Option<&'d str> {
        self.looked_through += self.document.len();
        follow(self.document, pointer)
    }

    fn schemas(&mut self, at: &str, value: &'d str) -> Result<Vec<NodeId>, SchemaProblem> {
        let schemas = array(at, value)?.enumerate();
        let nodes = schemas.map(|(nth, text)| self.node_at(join(at, &nth.to_string()), text));
        let nodes: Vec<_> = nodes.collect::<Result<_, _>>()?;
        if nodes.is_empty() {
            return Err(expected(at, "a list of at least one schema", value));
        }
        Ok(nodes)
    }

    fn named_schemas(
        &mut self,
        at: &str,
        value: &'d str,
    ) -> Result<BTreeMap<String, NodeId>, SchemaProblem> {
        let schemas = members(value).ok_or_else(|| expected(at, "an object of schemas", value))?;
        let nodes = schemas.into_iter().map(|(name, text)| {
            let node = self.node_at(join(at, &name), text)?;
            Ok((name.into_owned(), node))
        });
        nodes.collect()
    }

    fn leave_to_host(&mut self, node: &mut Node, keyword: &str) {
        node.exact = false;
        self.report(node, keyword);
    }

    fn report(&mut self, node: &Node, keyword: &str) {
        let pointer = join(&node.pointer, keyword);
        self.unsupported.push(Unsupported { keyword: keyword.to_owned(), pointer });
    }
}

fn types(at: &str, value: &str) -> Result<Types, SchemaProblem> {
    let names: Vec<_> = match Elements::of(value) {
        Some(names) => names.collect(),
        None => vec![value],
    };
    let mut types = Types::default();
    let mut add = |name: &&str| string(name).is_some_and(|name| types.add(&name));
    if names.is_empty() || !names.iter().all(&mut add) {
        let known = Types::all_names();
        return Err(expected(at, &format!("one or a list of {known}"), value));
    }
    Ok(types)
}

fn number(at: &str, value: &str) -> Result<Limit, SchemaProblem> {
    Limit::read(value).ok_or_else(|| expected(at, "a number", value))
}

/// A whole number from 0. One too large for 64 bits is as good as the largest.
fn count(at: &str, value: &str) -> Result<u64, SchemaProblem> {
    let count = Limit::read(value).and_then(|limit| limit.to_count());
    count.ok_or_else(|| expected(at, "a whole number from 0", value))
}

fn array<'v>(at: &str, value: &'v str) -> Result<Elements<'v>, SchemaProblem> {
    Elements::of(value).ok_or_else(|| expected(at, "an array", value))
}

fn names(at: &str, value: &str) -> Result<Vec<String>, SchemaProblem> {
    let names = Elements::of(value)
        .and_then(|names| names.map(|name| string(name).map(Cow::into_owned)).collect());
    names.ok_or_else(|| expected(at, "an array of strings", value))
}

fn expected(pointer: &str, expected: &str, found: &str) -> SchemaProblem {
    SchemaProblem::new(pointer, format!("must be {expected}, and is {}", excerpt(found)))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn compile_value(schema: &Value) -> Result<(Schema, Vec<Unsupported>), SchemaProblem> {
        compile(&schema.to_string())
    }

    fn unsupported(schema: &Value) -> Vec<String> {
        let (_, unsupported) = compile_value(schema).unwrap();
        unsupported.into_iter().map(|one| one.pointer).collect()
    }

    #[test]
    fn mistakes_are_named_with_their_place() {
        for (schema, problem) in [
            (json!(true), "must be a JSON object, and is true"),
            (json!([]), "must be a JSON object, and is []"),
            (
                json!({"type": "text"}),
                "/type: must be one or a list of string, integer, number, boolean, array, object, \
                 null, and is \"text\"",
            ),
            (
                json!({"properties": {"a/b": {"minLength": -1}}}),
                "/properties/a~1b/minLength: must be a whole number from 0, and is -1",
            ),
            (
                json!({"properties": {"a": {"properties": ["b"]}}}),
                "/properties/a/properties: must be an object of schemas, and is [\"b\"]",
            ),
            (json!({"items": {"enum": "a"}}), "/items/enum: must be an array, and is \"a\""),
            (json!({"maximum": "5"}), "/maximum: must be a number, and is \"5\""),
            (
                json!({"required": ["a", 1]}),
                "/required: must be an array of strings, and is [\"a\",1]",
            ),
            (json!({"required": true}), "/required: must be an array of strings, and is true"),
            (json!({"anyOf": []}), "/anyOf: must be a list of at least one schema, and is []"),
            (
                json!({"oneOf": [{}, 5]}),
                "/oneOf/1: must be a schema (an object or a boolean), and is 5",
            ),
            (
                json!({"items": [{}]}),
                "/items: must be a schema (an object or a boolean), and is [{}]",
            ),
            (
                json!({"$defs": {"a": {"type": 1}}}),
                "/$defs/a/type: must be one or a list of string, integer, number, boolean, array, \
                 object, null, and is 1",
            ),
            (json!({"$ref": 5}), "/$ref: must be a string, and is 5"),
            (
                json!({"properties": {"a": {"$ref": "#/$defs/b"}}, "$defs": {}}),
                "/properties/a/$ref: leads nowhere: the schema has no /$defs/b",
            ),
        ] {
            let error = compile_value(&schema).unwrap_err();
            assert_eq!(error.to_string(), problem);
        }
    }

    #[test]
    fn a_reference_has_to_come_nearer_to_a_value() {
        for (schema, pointer) in [
            (json!({"$ref": "#"}), "/$ref"),
            (
                json!({"properties": {"a": {"anyOf": [{"$ref": "#/properties/a"}]}}}),
                "/properties/a/anyOf/0/$ref",
            ),
            (
                json!({"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"allOf": [{"$ref": "#/$defs/a"}]}}}),
                "/$defs/a/$ref",
            ),
        ] {
            let error = compile_value(&schema).unwrap_err();
            assert_eq!(error.pointer, pointer);
            assert_eq!(error.message, "leads back to itself, so checking never ends");
        }
        for schema in [
            json!({"properties": {"a": {"$ref": "#"}}}),
            json!({"$defs": {"list": {"items": {"$ref": "#/$defs/list"}}}, "$ref": "#/$defs/list"}),
        ] {
            assert!(compile_value(&schema).is_ok());
        }
    }

    #[test]
    fn what_is_left_to_the_host_is_listed() {
        let annotations = json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "https://example.com/a",
            "$comment": "", "title": "t", "description": "d", "default": {}, "examples": [],
            "properties": {"a": {"format": "date", "readOnly": true, "x-order": 1}},
        });
        assert_eq!(unsupported(&annotations), Vec::<String>::new());
        let schema = json!({
            "properties": {
                "city": {"type": "string", "pattern": "^[A-Z]"},
                "pair": {"prefixItems": [{"multipleOf": 2}], "items": false},
                "other": {"$ref": "https://example.com/other.json"},
                "named": {"$ref": "#name"},
                "own": {"$id": "own.json", "type": 5},
            },
            "requried": ["city"],
            "patternProperties": {"^x": {}}, "additionalProperties": false,
        });
        assert_eq!(
            unsupported(&schema),
            [
                "/additionalProperties",
                "/patternProperties",
                "/requried",
                "/properties/city/pattern",
                "/properties/named/$ref",
                "/properties/other/$ref",
                "/properties/own/$id",
                "/properties/pair/items",
                "/properties/pair/prefixItems",
            ]
        );
        let old = json!({"$schema": "http://json-schema.org/draft-04/schema#", "type": 5});
        assert_eq!(unsupported(&old), ["/$schema"]);
    }
}
