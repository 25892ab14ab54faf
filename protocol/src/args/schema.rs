//! A compiled schema: its subschemas in one list, and the rules that only the whole can break.

use std::collections::BTreeMap;

use super::assertion::Assertion;

/// Where a subschema stands in [`Schema::nodes`].
pub(super) type NodeId = usize;

/// A compiled schema. The first node is the schema itself.
#[derive(Debug)]
pub(super) struct Schema {
    pub(super) nodes: Vec<Node>,
}

/// One subschema. A value passes when it passes every part.
#[derive(Debug)]
pub(super) struct Node {
    /// JSON pointer to where it stands in the schema.
    pub(super) pointer: String,
    /// What it says about the value alone.
    pub(super) assertions: Vec<Assertion>,
    /// The target of its `$ref`.
    pub(super) reference: Option<NodeId>,
    pub(super) all_of: Vec<NodeId>,
    pub(super) any_of: Vec<NodeId>,
    pub(super) one_of: Vec<NodeId>,
    pub(super) properties: BTreeMap<String, NodeId>,
    /// For the members that `properties` does not name.
    pub(super) additional: Option<NodeId>,
    /// In the order of the schema.
    pub(super) required: Vec<String>,
    pub(super) items: Option<NodeId>,
    /// Some `$ref` leads here, so that a recursive schema may come back to it.
    pub(super) is_target: bool,
    /// Everything in it and below it is checked. What an inexact node accepts, the host may still
    /// refuse.
    pub(super) exact: bool,
}

impl Node {
    /// A schema that every value passes.
    pub(super) fn new(pointer: String) -> Self {
        Self {
            pointer,
            assertions: Vec::new(),
            reference: None,
            all_of: Vec::new(),
            any_of: Vec::new(),
            one_of: Vec::new(),
            properties: BTreeMap::new(),
            additional: None,
            required: Vec::new(),
            items: None,
            is_target: false,
            exact: true,
        }
    }

    /// Whether it says anything about the members of an object.
    pub(super) fn looks_at_members(&self) -> bool {
        !self.properties.is_empty() || self.additional.is_some() || !self.required.is_empty()
    }

    /// The subschemas that look at the same value.
    fn in_place(&self) -> impl Iterator<Item = NodeId> {
        self.reference.iter().chain(&self.all_of).chain(&self.any_of).chain(&self.one_of).copied()
    }

    fn children(&self) -> impl Iterator<Item = NodeId> {
        let inside = self.properties.values().chain(&self.additional).chain(&self.items);
        self.in_place().chain(inside.copied())
    }
}

impl Schema {
    /// A node whose `$ref` comes back to it at the same value: checking it would never end.
    pub(super) fn endless_reference(&self) -> Option<&Node> {
        let has_reference = |id: &NodeId| self.nodes[*id].reference.is_some();
        let endless = (0..self.nodes.len()).filter(has_reference).find(|id| self.reenters(*id));
        endless.map(|id| &self.nodes[id])
    }

    /// Marks every node inexact that has an inexact one below it.
    pub(super) fn spread_inexactness(&mut self) {
        // Children mostly stand behind their parents, so that going backwards, one round does
        // nearly all.
        let mut changed = true;
        while changed {
            changed = false;
            for id in (0..self.nodes.len()).rev() {
                let node = &self.nodes[id];
                if node.exact && node.children().any(|child| !self.nodes[child].exact) {
                    self.nodes[id].exact = false;
                    changed = true;
                }
            }
        }
    }

    fn reenters(&self, start: NodeId) -> bool {
        let mut seen = vec![false; self.nodes.len()];
        let mut open: Vec<_> = self.nodes[start].in_place().collect();
        while let Some(id) = open.pop() {
            if id == start {
                return true;
            }
            if !std::mem::replace(&mut seen[id], true) {
                open.extend(self.nodes[id].in_place());
            }
        }
        false
    }
}
