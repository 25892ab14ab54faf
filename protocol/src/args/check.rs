//! The walk over the text of the arguments.

use std::borrow::Cow;
use std::collections::HashMap;

use super::ArgsError;
use super::assertion::Assertion;
use super::failure::ArgsFailure;
use super::pointer::Path;
use super::schema::{Node, NodeId, Schema};
use super::value;
use crate::json::Elements;

/// Schemas open at once, one inside the other, on the way down to a value. Arguments of the
/// deepest nesting the wire allows pass through four schemas a level and stay below.
const OPEN_SCHEMAS: usize = 512;

/// Checks arguments, and names the first mistake in the order of the text. What is missing counts
/// as standing at the end of its object, and a value's own mistake comes before those inside it.
pub(super) fn check(schema: &Schema, args: &str) -> Result<(), ArgsError> {
    let mut check = Check { schema, text: args, known: HashMap::new(), open: 0, too_deep: None };
    let first = check.node(0, args, &Path::ROOT);
    match check.too_deep.or(first) {
        None => Ok(()),
        Some(Finding { pointer, failure, .. }) => {
            Err(ArgsError { pointer, message: failure.to_string() })
        }
    }
}

/// A mistake in the arguments, and where in the text it is.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Finding {
    at: usize,
    pointer: String,
    failure: ArgsFailure,
}

struct Check<'s, 'a> {
    schema: &'s Schema,
    text: &'a str,
    /// What was found where a `$ref` led to, by schema and place in the text. Without it a
    /// recursive schema with alternatives would try all their combinations.
    known: HashMap<(NodeId, usize), Option<Finding>>,
    open: usize,
    too_deep: Option<Finding>,
}

impl<'s, 'a> Check<'s, 'a> {
    fn node(&mut self, id: NodeId, value: &'a str, path: &Path<'_>) -> Option<Finding> {
        let schema = self.schema;
        let node = &schema.nodes[id];
        let place = (id, self.offset(value));
        if node.is_target
            && let Some(known) = self.known.get(&place)
        {
            return known.clone();
        }
        if self.open == OPEN_SCHEMAS {
            let failure = ArgsFailure::sentence("nests too deep for its schema to be checked");
            self.too_deep.get_or_insert(Finding { at: place.1, pointer: path.pointer(), failure });
            return None;
        }
        self.open += 1;
        let first = self.first_finding(node, value, path);
        self.open -= 1;
        if node.is_target {
            self.known.insert(place, first.clone());
        }
        first
    }

    fn first_finding(
        &mut self,
        node: &'s Node,
        value: &'a str,
        path: &Path<'_>,
    ) -> Option<Finding> {
        if let Some(failure) = node.assertions.iter().find_map(|rule| rule.failure(value)) {
            // Nothing in a value stands before the value itself.
            return Some(self.at_value(value, path, failure));
        }
        let mut first = None;
        for id in node.reference.iter().chain(&node.all_of) {
            first = earlier(first, self.node(*id, value, path));
        }
        first = earlier(first, self.any_of(&node.any_of, value, path));
        first = earlier(first, self.one_of(&node.one_of, value, path));
        first = earlier(first, self.members(node, value, path));
        earlier(first, self.elements(node, value, path))
    }

    fn members(&mut self, node: &'s Node, value: &'a str, path: &Path<'_>) -> Option<Finding> {
        if node.properties.is_empty() && node.additional.is_none() && node.required.is_empty() {
            return None;
        }
        let members = value::members(value)?;
        for (name, value) in &members {
            if let Some(finding) = self.member(node, name, value, path) {
                // Members come in the order of the text, and what is missing after them.
                return Some(finding);
            }
        }
        let is_there = |name: &String| members.iter().any(|(present, _)| present == name);
        let missing = node.required.iter().find(|name| !is_there(name))?;
        Some(Finding {
            at: self.offset(value) + value.len() - 1,
            pointer: path.member(missing).pointer(),
            failure: ArgsFailure::missing(),
        })
    }

    fn member(
        &mut self,
        node: &'s Node,
        name: &str,
        value: &'a str,
        path: &Path<'_>,
    ) -> Option<Finding> {
        let path = path.member(name);
        if let Some(id) = node.properties.get(name) {
            return self.node(*id, value, &path);
        }
        let additional = node.additional?;
        if matches!(self.schema.nodes[additional].assertions[..], [Assertion::Never]) {
            let allowed = node.properties.keys().map(String::as_str);
            return Some(self.at_value(value, &path, ArgsFailure::not_allowed(allowed)));
        }
        self.node(additional, value, &path)
    }

    fn elements(&mut self, node: &'s Node, value: &'a str, path: &Path<'_>) -> Option<Finding> {
        let items = node.items?;
        let mut elements = Elements::of(value)?.enumerate();
        elements.find_map(|(at, element)| self.node(items, element, &path.element(at)))
    }

    fn any_of(&mut self, branches: &[NodeId], value: &'a str, path: &Path<'_>) -> Option<Finding> {
        let mut findings = Vec::new();
        for id in branches {
            findings.push(self.node(*id, value, path)?);
        }
        self.no_branch(branches, findings, value, path)
    }

    fn one_of(&mut self, branches: &[NodeId], value: &'a str, path: &Path<'_>) -> Option<Finding> {
        let mut findings = Vec::new();
        let mut certain = 0;
        for id in branches {
            match self.node(*id, value, path) {
                Some(finding) => findings.push(finding),
                // The host may still refuse what an inexact branch accepts.
                None => certain += usize::from(self.schema.nodes[*id].exact),
            }
        }
        if certain > 1 {
            return Some(self.at_value(value, path, ArgsFailure::ambiguous(Some(certain))));
        }
        if findings.len() < branches.len() {
            return None;
        }
        self.no_branch(branches, findings, value, path)
    }

    /// What is wrong with a value that none of its alternatives accepts, each for its finding:
    /// the mistake in the alternative that was meant, if that can be told.
    fn no_branch(
        &self,
        branches: &[NodeId],
        mut findings: Vec<Finding>,
        value: &'a str,
        path: &Path<'_>,
    ) -> Option<Finding> {
        // `{"kind": "a", ...}` was not meant for the alternative whose kind is "b".
        let tags: Vec<_> = branches.iter().map(|id| self.wrong_tag(*id, value, path)).collect();
        if tags.iter().all(Option::is_some) {
            findings = tags.into_iter().flatten().collect();
        } else {
            let mut tags = tags.iter();
            findings.retain(|_| tags.next().is_some_and(Option::is_none));
        }
        // Of the others, the one that was meant got furthest before its first mistake.
        let furthest = findings.iter().map(|finding| finding.at).max()?;
        let of_furthest = |finding: &&Finding| finding.at == furthest;
        let nearest: Vec<_> = findings.iter().filter(of_furthest).collect();
        let first = nearest[0];
        if nearest.iter().all(|finding| finding.pointer == first.pointer) {
            let failures: Vec<_> = nearest.iter().map(|finding| &finding.failure).collect();
            return Some(Finding { failure: ArgsFailure::join(&failures), ..first.clone() });
        }
        let texts =
            nearest.iter().map(|finding| format!("{}: {}", finding.pointer, finding.failure));
        Some(self.at_value(value, path, ArgsFailure::list_alternatives(texts)))
    }

    /// The member that says a value was not meant for this schema: a property that has to be one
    /// certain value, and is another.
    fn wrong_tag(&self, mut id: NodeId, value: &'a str, path: &Path<'_>) -> Option<Finding> {
        while let Some(target) = self.schema.nodes[id].reference {
            id = target;
        }
        let properties = &self.schema.nodes[id].properties;
        value::members(value)?.into_iter().find_map(|(name, value): (Cow<'_, str>, _)| {
            let rules = &self.schema.nodes[*properties.get(name.as_ref())?].assertions;
            let is_tag =
                |rule: &&Assertion| matches!(rule, Assertion::Values(one) if one.len() == 1);
            let failure = rules.iter().find(is_tag)?.failure(value)?;
            Some(self.at_value(value, &path.member(&name), failure))
        })
    }

    fn at_value(&self, value: &'a str, path: &Path<'_>, failure: ArgsFailure) -> Finding {
        Finding { at: self.offset(value), pointer: path.pointer(), failure }
    }

    /// Where a value of the arguments begins.
    fn offset(&self, value: &'a str) -> usize {
        value.as_ptr().addr() - self.text.as_ptr().addr()
    }
}

/// The finding that stands first in the text; of two at one place, the first found.
fn earlier(first: Option<Finding>, second: Option<Finding>) -> Option<Finding> {
    match (first, second) {
        (Some(first), Some(second)) if second.at < first.at => Some(second),
        (first, second) => first.or(second),
    }
}
