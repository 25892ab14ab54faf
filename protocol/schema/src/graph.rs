//! The subschemas of a document, and which of them look at which part of a value.
//!
//! Where more than one subschema may be meant by a reference, as with `$dynamicRef`, it leads to
//! all of them here: what the graph says of the cost of a value is never too little.

use std::collections::HashMap;

use extline_protocol::limits::{SCHEMA_POINTER_BYTES, SCHEMA_REFERENCES, SCHEMA_SUBSCHEMAS};
use extline_protocol::pointer::join;
use serde_json::{Map, Value};

use crate::SchemaError;
use crate::pattern::{self, Patterns};

/// Subschemas that look at one and the same value, one through the other.
const CHAIN: usize = 256;

/// Edges that stand for references, where each may lead to several places.
const EDGES: usize = 4 * SCHEMA_REFERENCES;

/// The length of the pointers to all objects and arrays, and to all subschemas once more.
const POINTER_BYTES: usize = 4 * SCHEMA_POINTER_BYTES;

pub(crate) type NodeId = usize;

/// What a look of one subschema at one value costs, in steps.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Charge {
    pub(crate) own: u64,
    /// For each 16 bytes of a string.
    pub(crate) text: u64,
    /// For each member of an object.
    pub(crate) member: u64,
    /// For each value inside of it.
    pub(crate) inside: u64,
}

/// One subschema.
#[derive(Debug, Default)]
pub(crate) struct Node {
    pub(crate) pointer: String,
    pub(crate) charge: Charge,
    /// What looks at the same value.
    pub(crate) in_place: Vec<NodeId>,
    /// Of these one looks at each member.
    pub(crate) named: Vec<NodeId>,
    /// All of these look at each member or element.
    pub(crate) every: Vec<NodeId>,
    has_contains: bool,
}

#[derive(Debug)]
pub(crate) struct Graph {
    /// The first is the schema itself.
    pub(crate) nodes: Vec<Node>,
    /// Each node behind those that look at the same value for it; `None` when they go in circles.
    pub(crate) order: Option<Vec<NodeId>>,
    /// It has `unevaluatedProperties` or `unevaluatedItems`, which look at everything again.
    pub(crate) looks_again: bool,
    pub(crate) patterns: Patterns,
}

struct Builder<'d> {
    document: &'d Value,
    graph: Graph,
    values: Vec<&'d Value>,
    by_place: HashMap<*const Value, NodeId>,
    /// The document, and each value in it that has an `$id`: where a pointer may count from.
    roots: Vec<(String, &'d Value)>,
    anchors: HashMap<&'d str, Vec<(String, &'d Value)>>,
    /// Of each reference its node, its keyword and its text.
    references: Vec<(NodeId, &'static str, &'d str)>,
    edges: usize,
    pointer_bytes: usize,
}

impl Graph {
    pub(crate) fn of(document: &Value) -> Result<Self, SchemaError> {
        let graph = Self {
            nodes: Vec::new(),
            order: None,
            looks_again: false,
            patterns: Patterns::default(),
        };
        let mut builder = Builder {
            document,
            graph,
            values: Vec::new(),
            by_place: HashMap::new(),
            roots: vec![(String::new(), document)],
            anchors: HashMap::new(),
            references: Vec::new(),
            edges: 0,
            pointer_bytes: 0,
        };
        builder.find_names()?;
        builder.node(String::new(), document)?;
        builder.run()?;
        let mut graph = builder.graph;
        graph.order = graph.in_order();
        graph.check_chain()?;
        graph.charge_ahead();
        Ok(graph)
    }

    /// Each node behind what it leads to at the same value.
    fn in_order(&self) -> Option<Vec<NodeId>> {
        let mut order = Vec::with_capacity(self.nodes.len());
        // 0: not entered, 1: open, 2: done.
        let mut state = vec![0_u8; self.nodes.len()];
        for start in 0..self.nodes.len() {
            let mut way = vec![(start, 0)];
            while let Some((id, next)) = way.pop() {
                if next == 0 {
                    match state[id] {
                        0 => state[id] = 1,
                        1 => return None,
                        _ => continue,
                    }
                }
                if let Some(child) = self.nodes[id].in_place.get(next) {
                    way.push((id, next + 1));
                    match state[*child] {
                        0 => way.push((*child, 0)),
                        1 => return None,
                        _ => {}
                    }
                } else {
                    state[id] = 2;
                    order.push(id);
                }
            }
        }
        Some(order)
    }

    /// Every link of a chain is one more call on the stack, for every level of a value.
    fn check_chain(&self) -> Result<(), SchemaError> {
        let lengths = self.chain_lengths();
        let Some(id) = self.order.iter().flatten().find(|id| lengths[**id] > CHAIN) else {
            return Ok(());
        };
        let what = "references and alternatives, each inside the one before";
        Err(SchemaError::over(&self.nodes[*id].pointer, CHAIN, what))
    }

    /// How many nodes may look at one value, each for the one before, at most.
    pub(crate) fn longest_chain(&self) -> usize {
        self.chain_lengths().into_iter().max().unwrap_or(1)
    }

    /// For each node, how many the longest chain has that begins there.
    fn chain_lengths(&self) -> Vec<usize> {
        let mut lengths = vec![1; self.nodes.len()];
        for id in self.order.iter().flatten() {
            let below = self.nodes[*id].in_place.iter().map(|child| lengths[*child]).max();
            lengths[*id] = 1 + below.unwrap_or(0);
        }
        lengths
    }

    /// What a node leads to may fail before it is counted, so it is paid for here too.
    fn charge_ahead(&mut self) {
        let has_contains = self.nodes.iter().any(|node| node.has_contains);
        let own: Vec<_> = self.nodes.iter().map(|node| node.charge).collect();
        for node in &mut self.nodes {
            for child in &node.in_place {
                let Charge { own, text, member, inside } = own[*child];
                node.charge.own += own;
                node.charge.text += text;
                node.charge.member += member;
                node.charge.inside += inside + u64::from(has_contains);
            }
        }
    }
}

impl<'d> Builder<'d> {
    /// What references may name.
    fn find_names(&mut self) -> Result<(), SchemaError> {
        let mut open = vec![(String::new(), self.document)];
        while let Some((pointer, value)) = open.pop() {
            match value {
                Value::Object(members) => {
                    for keyword in ["$id", "id"] {
                        if let Some(id) = members.get(keyword).and_then(Value::as_str) {
                            if let Some((_, anchor)) = id.split_once('#') {
                                self.name(anchor, &pointer, value);
                            }
                            self.roots.push((pointer.clone(), value));
                        }
                    }
                    for keyword in ["$anchor", "$dynamicAnchor"] {
                        if let Some(anchor) = members.get(keyword).and_then(Value::as_str) {
                            self.name(anchor, &pointer, value);
                        }
                    }
                    if members.contains_key("$recursiveAnchor") {
                        self.roots.push((pointer.clone(), value));
                    }
                    for (name, value) in members.iter().filter(|(_, value)| holds_values(value)) {
                        open.push((self.pointer(join(&pointer, name))?, value));
                    }
                }
                Value::Array(items) => {
                    let items = items.iter().enumerate();
                    for (at, item) in items.filter(|(_, item)| holds_values(item)) {
                        open.push((self.pointer(join(&pointer, &at.to_string()))?, item));
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// A pointer that is kept: long names stand in the pointers to everything below them.
    fn pointer(&mut self, pointer: String) -> Result<String, SchemaError> {
        self.pointer_bytes += pointer.len();
        if self.pointer_bytes > POINTER_BYTES {
            let what = "bytes in the pointers to what it holds: shorten its names";
            return Err(SchemaError::over("", POINTER_BYTES, what));
        }
        Ok(pointer)
    }

    fn name(&mut self, anchor: &'d str, pointer: &str, value: &'d Value) {
        self.anchors.entry(anchor).or_default().push((pointer.to_owned(), value));
    }

    fn run(&mut self) -> Result<(), SchemaError> {
        let (mut next, mut followed) = (0, 0);
        loop {
            while next < self.values.len() {
                if let Value::Object(keywords) = self.values[next] {
                    self.fill(next, keywords)?;
                }
                next += 1;
            }
            let Some(&(id, keyword, reference)) = self.references.get(followed) else {
                return Ok(());
            };
            followed += 1;
            self.follow(id, keyword, reference)?;
        }
    }

    fn node(&mut self, pointer: String, value: &'d Value) -> Result<NodeId, SchemaError> {
        if let Some(id) = self.by_place.get(&std::ptr::from_ref(value)) {
            return Ok(*id);
        }
        let id = self.values.len();
        if id == SCHEMA_SUBSCHEMAS {
            return Err(SchemaError::over("", SCHEMA_SUBSCHEMAS, "subschemas"));
        }
        let pointer = self.pointer(pointer)?;
        self.by_place.insert(value, id);
        self.values.push(value);
        self.graph.nodes.push(Node { pointer, ..Node::default() });
        Ok(id)
    }

    fn fill(&mut self, id: NodeId, keywords: &'d Map<String, Value>) -> Result<(), SchemaError> {
        let mut node = std::mem::take(&mut self.graph.nodes[id]);
        node.charge.own = 1 + keywords.len() as u64;
        for (keyword, value) in keywords {
            self.keyword(id, &mut node, keyword, value)?;
        }
        self.graph.nodes[id] = node;
        Ok(())
    }

    fn keyword(
        &mut self,
        id: NodeId,
        node: &mut Node,
        keyword: &'d str,
        value: &'d Value,
    ) -> Result<(), SchemaError> {
        let at = join(&node.pointer, keyword);
        match keyword {
            "allOf" | "anyOf" | "oneOf" => node.in_place.extend(self.list(&at, value)?),
            "not" | "if" | "then" | "else" => node.in_place.push(self.node(at, value)?),
            "dependentSchemas" | "dependencies" => {
                let schemas = self.map(&at, value)?;
                node.charge.own += schemas.len() as u64;
                node.in_place.extend(schemas);
            }
            "properties" => {
                let schemas = self.map(&at, value)?;
                node.charge.own += schemas.len() as u64 / 8;
                node.named.extend(schemas);
            }
            "patternProperties" => {
                for (pattern, _) in value.as_object().into_iter().flatten() {
                    self.pattern(join(&at, pattern), pattern)?;
                    node.charge.member += pattern::steps(pattern);
                }
                node.every.extend(self.map(&at, value)?);
            }
            "prefixItems" => node.named.extend(self.list(&at, value)?),
            "items" if value.is_array() => node.named.extend(self.list(&at, value)?),
            "items" | "additionalItems" | "additionalProperties" => {
                node.named.push(self.node(at, value)?);
            }
            "contains" => {
                node.has_contains = true;
                node.every.push(self.node(at, value)?);
            }
            "propertyNames" => node.every.push(self.node(at, value)?),
            "unevaluatedProperties" | "unevaluatedItems" => {
                self.graph.looks_again = true;
                node.charge.member += 1;
                node.every.push(self.node(at, value)?);
            }
            "$defs" | "definitions" => drop(self.map(&at, value)?),
            "contentSchema" => drop(self.node(at, value)?),
            "$ref" => self.refer(id, &at, "$ref", value)?,
            "$dynamicRef" => self.refer(id, &at, "$dynamicRef", value)?,
            "$recursiveRef" => self.refer(id, &at, "$recursiveRef", value)?,
            "pattern" => {
                if let Some(pattern) = value.as_str() {
                    self.pattern(at, pattern)?;
                    let steps = pattern::steps(pattern);
                    node.charge.own += steps;
                    node.charge.text += steps;
                }
            }
            "required" | "dependentRequired" => node.charge.own += names_in(value),
            "enum" | "const" => {
                let options = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
                let is_container = |value: &&Value| value.is_array() || value.is_object();
                node.charge.own += options.len() as u64;
                node.charge.inside += options.iter().filter(is_container).count() as u64;
            }
            "uniqueItems" => node.charge.inside += 4,
            "minLength" | "maxLength" => node.charge.text += 1,
            _ => {}
        }
        Ok(())
    }

    fn pattern(&mut self, pointer: String, pattern: &str) -> Result<(), SchemaError> {
        let added = self.graph.patterns.add(pattern);
        added.map_err(|message| SchemaError { pointer, message, is_too_large: true })
    }

    fn list(&mut self, at: &str, value: &'d Value) -> Result<Vec<NodeId>, SchemaError> {
        let schemas = value.as_array().into_iter().flatten().enumerate();
        schemas.map(|(nth, schema)| self.node(join(at, &nth.to_string()), schema)).collect()
    }

    fn map(&mut self, at: &str, value: &'d Value) -> Result<Vec<NodeId>, SchemaError> {
        let schemas = value.as_object().into_iter().flatten();
        let schemas = schemas.filter(|(_, schema)| schema.is_object() || schema.is_boolean());
        schemas.map(|(name, schema)| self.node(join(at, name), schema)).collect()
    }

    fn refer(
        &mut self,
        id: NodeId,
        at: &str,
        keyword: &'static str,
        value: &'d Value,
    ) -> Result<(), SchemaError> {
        if self.references.len() == SCHEMA_REFERENCES {
            return Err(SchemaError::over(at, SCHEMA_REFERENCES, "references"));
        }
        if let Some(reference) = value.as_str() {
            self.references.push((id, keyword, reference));
        }
        Ok(())
    }

    /// Leads a reference to everything that it can mean.
    fn follow(&mut self, id: NodeId, keyword: &str, reference: &'d str) -> Result<(), SchemaError> {
        let (document, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        let fragment = unescape(fragment);
        let mut targets = Vec::new();
        if fragment.is_empty() || fragment.starts_with('/') {
            for (root, value) in &self.roots {
                if let Some(target) = value.pointer(&fragment) {
                    targets.push((format!("{root}{fragment}"), target));
                }
            }
        } else if let Some(named) = self.anchors.get(fragment.as_str()) {
            targets.extend(named.iter().cloned());
        }
        self.edges += targets.len();
        let at = join(&self.graph.nodes[id].pointer, keyword);
        if self.edges > EDGES {
            let what = "places that its references may lead to: name fewer with $id and $anchor";
            return Err(SchemaError::over(at, EDGES, what));
        }
        if targets.is_empty() && !is_of_json_schema(document) {
            // jsonschema has the words for what leads nowhere; this is for what it might find.
            let message = format!("leads to {reference}, which is not in the schema");
            return Err(SchemaError { pointer: at, message, is_too_large: false });
        }
        for (pointer, value) in targets {
            let target = self.node(pointer, value)?;
            if !self.graph.nodes[id].in_place.contains(&target) {
                self.graph.nodes[id].in_place.push(target);
            }
        }
        // What JSON Schema says of itself looks some forty times at each value.
        if is_of_json_schema(document) {
            self.graph.nodes[id].charge.inside += 40;
        }
        Ok(())
    }
}

/// Whether a reference leads to one of JSON Schema's own documents, which are at hand.
fn is_of_json_schema(document: &str) -> bool {
    let after_scheme = document.split_once("://").map_or("", |(_, rest)| rest);
    after_scheme.starts_with("json-schema.org/")
}

fn holds_values(value: &Value) -> bool {
    value.is_object() || value.is_array()
}

/// How many names stand in a list, or in the lists of an object.
fn names_in(value: &Value) -> u64 {
    match value {
        Value::Array(names) => names.len() as u64,
        Value::Object(lists) => lists.values().map(names_in).sum(),
        _ => 0,
    }
}

/// Resolves percent escapes.
fn unescape(fragment: &str) -> String {
    let mut bytes = Vec::with_capacity(fragment.len());
    let mut rest = fragment.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let escaped = after.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        match escaped.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) if *first == b'%' => {
                bytes.push(byte);
                rest = &after[2..];
            }
            _ => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
