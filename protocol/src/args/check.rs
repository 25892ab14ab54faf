//! The walk over the text of the arguments.

use std::collections::HashMap;

use super::ArgsError;
use super::assertion::Assertion;
use super::finding::{Cause, Finding};
use super::schema::{LOOK, Node, NodeId, Schema};
use super::value;
use crate::RawJson;
use crate::json::Elements;
use crate::limits::CHECK_STEPS;

/// Schemas open at once, one inside the other, on the way down to a value. Arguments of the
/// deepest nesting the wire allows may pass through four schemas a level.
const OPEN_SCHEMAS: usize = 512;

/// Checks arguments, and names the first mistake in the order of the text. What is missing counts
/// as standing at the end of its object, and a value's own mistake comes before those inside it.
pub(super) fn check(schema: &Schema, args: &RawJson) -> Result<(), ArgsError> {
    check_within(CHECK_STEPS, schema, args)
}

fn check_within(steps: u64, schema: &Schema, args: &RawJson) -> Result<(), ArgsError> {
    let known = HashMap::new();
    let mut check = Check { schema, args, known, open: 0, steps, given_up: None };
    let first = check.node(0, args.get());
    match check.given_up.or(first) {
        None => Ok(()),
        Some(finding) => Err(finding.to_error(args.get())),
    }
}

struct Check<'s, 'a> {
    schema: &'s Schema,
    args: &'a RawJson,
    /// What was found where a `$ref` led to, by schema and value. Without it a recursive schema
    /// with alternatives would try all their combinations.
    known: HashMap<(NodeId, *const u8), Option<Finding<'s, 'a>>>,
    open: usize,
    /// How many are left.
    steps: u64,
    /// Why no more is checked.
    given_up: Option<Finding<'s, 'a>>,
}

impl<'s, 'a> Check<'s, 'a> {
    fn node(&mut self, id: NodeId, value: &'a str) -> Option<Finding<'s, 'a>> {
        let schema = self.schema;
        let node = &schema.nodes[id];
        let place = (id, value.as_ptr());
        if node.is_target
            && let Some(known) = self.known.get(&place)
        {
            return known.clone();
        }
        if self.open == OPEN_SCHEMAS {
            let finding = self.finding(value, Cause::TooDeep);
            self.given_up.get_or_insert(finding);
            return None;
        }
        self.spend(node.steps(value.len()))?;
        self.open += 1;
        let first = self.first_finding(node, value);
        self.open -= 1;
        if node.is_target {
            self.known.insert(place, first.clone());
        }
        first
    }

    /// Takes that many steps of those that are left; `None` when there are fewer, and from then on.
    fn spend(&mut self, steps: u64) -> Option<()> {
        match self.steps.checked_sub(steps) {
            Some(left) if self.given_up.is_none() => {
                self.steps = left;
                Some(())
            }
            _ => {
                let finding = self.finding(self.args.get(), Cause::TooMuch);
                self.given_up.get_or_insert(finding);
                None
            }
        }
    }

    fn first_finding(&mut self, node: &'s Node, value: &'a str) -> Option<Finding<'s, 'a>> {
        if let Some(rule) = node.assertions.iter().find(|rule| !rule.holds(value)) {
            // Nothing in a value stands before the value itself.
            return Some(self.finding(value, Cause::Rule(rule)));
        }
        let mut first = None;
        for id in node.reference.iter().chain(&node.all_of) {
            first = earlier(first, self.node(*id, value));
        }
        if !node.any_of.is_empty() {
            first = earlier(first, self.any_of(&node.any_of, value));
        }
        if !node.one_of.is_empty() {
            first = earlier(first, self.one_of(&node.one_of, value));
        }
        if node.looks_at_members() {
            first = earlier(first, self.members(node, value));
        }
        if let Some(items) = node.items {
            first = earlier(first, self.elements(items, value));
        }
        first
    }

    fn members(&mut self, node: &'s Node, value: &'a str) -> Option<Finding<'s, 'a>> {
        let members = value::members_in(self.args, value)?;
        for (name, value) in &members {
            // Members come in the order of the text, and what is missing after them.
            if let Some(finding) = self.member(node, name, value) {
                return Some(finding);
            }
        }
        let is_missing = |name: &&String| value::member(&members, name).is_none();
        let missing = node.required.iter().find(is_missing)?;
        Some(self.finding(value, Cause::Missing(missing)))
    }

    fn member(&mut self, node: &'s Node, name: &str, value: &'a str) -> Option<Finding<'s, 'a>> {
        if let Some(id) = node.properties.get(name) {
            return self.node(*id, value);
        }
        let additional = node.additional?;
        if matches!(self.schema.nodes[additional].assertions[..], [Assertion::Never]) {
            return Some(self.finding(value, Cause::NotNamed(node)));
        }
        self.node(additional, value)
    }

    fn elements(&mut self, items: NodeId, value: &'a str) -> Option<Finding<'s, 'a>> {
        Elements::of(value)?.find_map(|element| self.node(items, element))
    }

    fn any_of(&mut self, branches: &'s [NodeId], value: &'a str) -> Option<Finding<'s, 'a>> {
        let mut findings = Vec::new();
        for id in branches {
            findings.push(self.node(*id, value)?);
        }
        self.no_branch(branches, findings, value)
    }

    fn one_of(&mut self, branches: &'s [NodeId], value: &'a str) -> Option<Finding<'s, 'a>> {
        let mut findings = Vec::new();
        let mut certain = 0;
        for id in branches {
            match self.node(*id, value) {
                Some(finding) => findings.push(finding),
                // The host may still refuse what an inexact branch accepts.
                None => certain += usize::from(self.schema.nodes[*id].exact),
            }
        }
        if certain > 1 {
            return Some(self.finding(value, Cause::Ambiguous(certain)));
        }
        if findings.len() < branches.len() {
            return None;
        }
        self.no_branch(branches, findings, value)
    }

    /// What is wrong with a value that none of its alternatives accepts, each for its finding:
    /// the mistake in the alternative that was meant, if that can be told.
    fn no_branch(
        &mut self,
        branches: &'s [NodeId],
        mut findings: Vec<Finding<'s, 'a>>,
        value: &'a str,
    ) -> Option<Finding<'s, 'a>> {
        self.spend(branches.len() as u64 * (value.len() as u64 + LOOK))?;
        // `{"kind": "a", ...}` was not meant for the alternative whose kind is "b".
        let tags: Vec<_> = branches.iter().map(|id| self.wrong_tag(*id, value)).collect();
        if tags.iter().all(Option::is_some) {
            findings = tags.into_iter().flatten().collect();
        } else {
            let mut tags = tags.iter();
            findings.retain(|_| tags.next().is_some_and(Option::is_none));
        }
        // Of the others, the one that was meant got furthest before its first mistake.
        let furthest = findings.iter().map(|finding| finding.at).max()?;
        findings.retain(|finding| finding.at == furthest);
        if findings.iter().all(|finding| finding.is_about_same(&findings[0])) {
            return Finding::merge(&findings);
        }
        Some(self.finding(value, Cause::NoAlternative(findings.into())))
    }

    /// The member that says a value was not meant for this schema: a property that has to be one
    /// certain value, and is another.
    fn wrong_tag(&self, mut id: NodeId, value: &'a str) -> Option<Finding<'s, 'a>> {
        while let Some(target) = self.schema.nodes[id].reference {
            id = target;
        }
        let properties = &self.schema.nodes[id].properties;
        value::members(value)?.into_iter().find_map(|(name, value)| {
            let rules = &self.schema.nodes[*properties.get(name.as_ref())?].assertions;
            let is_tag =
                |rule: &&Assertion| matches!(rule, Assertion::Values(one) if one.len() == 1);
            let tag = rules.iter().find(is_tag)?;
            (!tag.holds(value)).then(|| self.finding(value, Cause::Rule(tag)))
        })
    }

    fn finding(&self, value: &'a str, cause: Cause<'s, 'a>) -> Finding<'s, 'a> {
        Finding::new(self.args.get(), value, cause)
    }
}

/// The finding that stands first in the text; of two at one place, the first found.
fn earlier<'s, 'a>(
    first: Option<Finding<'s, 'a>>,
    second: Option<Finding<'s, 'a>>,
) -> Option<Finding<'s, 'a>> {
    match (first, second) {
        (Some(first), Some(second)) if second.at < first.at => Some(second),
        (first, second) => first.or(second),
    }
}

#[cfg(test)]
mod tests {
    use super::super::compile::compile;
    use super::*;

    #[test]
    fn a_check_ends_with_its_steps() {
        let (schema, _) = compile(r#"{"items":{"items":{"type":"integer"}}}"#).unwrap();
        let args = RawJson::parse("[[1,2],[3,4],[5,6]]").unwrap();
        assert_eq!(check_within(1_000, &schema, &args), Ok(()));
        let error = check_within(100, &schema, &args).unwrap_err();
        assert_eq!(error.pointer, "");
        assert_eq!(error.message, "take more than 268435456 steps to check against the schema");
    }
}
