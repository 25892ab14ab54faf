//! A compiled schema: its subschemas in one list, and the rules that only the whole can break.

use std::collections::BTreeMap;

use super::assertion::Assertion;

/// What a look at a subschema costs, however short the value.
pub(super) const LOOK: u64 = 16;

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

    /// What a look at a value of that length costs, without what other nodes cost.
    pub(super) fn steps(&self, length: usize) -> u64 {
        let length = length as u64;
        let looks = u64::from(!self.assertions.is_empty())
            + u64::from(self.looks_at_members())
            + u64::from(self.items.is_some());
        let options = self.assertions.iter().map(Assertion::options).sum::<u64>();
        LOOK + looks * length + options * (LOOK + length / LOOK)
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
        // Each node is entered once: it is open as long as a way from it is followed.
        let mut was_entered = vec![false; self.nodes.len()];
        let mut is_open = was_entered.clone();
        for start in 0..self.nodes.len() {
            let mut way = Vec::new();
            self.enter(start, &mut way, &mut was_entered, &mut is_open);
            while let Some((id, ahead)) = way.last_mut() {
                let Some(next) = ahead.pop() else {
                    is_open[*id] = false;
                    way.pop();
                    continue;
                };
                if is_open[next] {
                    let circle = way.iter().map(|(id, _)| *id).skip_while(|id| *id != next);
                    let has_reference = |id: &NodeId| self.nodes[*id].reference.is_some();
                    return circle.filter(has_reference).min().map(|id| &self.nodes[id]);
                }
                self.enter(next, &mut way, &mut was_entered, &mut is_open);
            }
        }
        None
    }

    fn enter(
        &self,
        id: NodeId,
        way: &mut Vec<(NodeId, Vec<NodeId>)>,
        was_entered: &mut [bool],
        is_open: &mut [bool],
    ) {
        if !std::mem::replace(&mut was_entered[id], true) {
            is_open[id] = true;
            way.push((id, self.nodes[id].in_place().collect()));
        }
    }

    /// Marks every node inexact that has an inexact one below it.
    pub(super) fn spread_inexactness(&mut self) {
        let mut open: Vec<_> = (0..self.nodes.len()).filter(|id| !self.nodes[*id].exact).collect();
        if open.is_empty() {
            return;
        }
        let mut parents = vec![Vec::new(); self.nodes.len()];
        for (id, node) in self.nodes.iter().enumerate() {
            node.children().for_each(|child| parents[child].push(id));
        }
        while let Some(id) = open.pop() {
            for parent in std::mem::take(&mut parents[id]) {
                if std::mem::replace(&mut self.nodes[parent].exact, false) {
                    open.push(parent);
                }
            }
        }
    }
}
