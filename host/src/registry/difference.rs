//! What differs between two versions of an extension: the tools and commands that it registers.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use extline_protocol::frame::Frame;
use serde::Serialize;
use serde_json::{Map, Value};

use super::{Command, Tool};

/// What differs between what an extension registered before and what it registers now.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// Its tools.
    pub tools: Changes,
    /// Its commands.
    pub commands: Changes,
}

/// The names that are new, those that are gone, and those that mean something else; each list is sorted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Changes {
    /// They were not there before.
    pub added: Vec<String>,
    /// They are not there any more.
    pub removed: Vec<String>,
    /// They are registered otherwise.
    pub changed: Vec<Changed>,
}

/// Something that is registered otherwise than before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Changed {
    /// Its name.
    pub name: String,
    /// The members of its registration that differ, as `schema` and `description`.
    pub members: Vec<String>,
}

/// What an extension registered, each as the object that stands on the wire, by kind and name.
#[derive(Debug, Default)]
pub(crate) struct Registrations {
    tools: BTreeMap<String, Map<String, Value>>,
    commands: BTreeMap<String, Map<String, Value>>,
}

impl Registrations {
    pub(super) fn of<'a>(
        tools: impl Iterator<Item = &'a Arc<Tool>>,
        commands: impl Iterator<Item = &'a Arc<Command>>,
    ) -> Self {
        let tools = tools.map(|tool| (tool.name().to_owned(), members(&tool.definition)));
        let commands =
            commands.map(|command| (command.name().to_owned(), members(&command.definition)));
        Self { tools: tools.collect(), commands: commands.collect() }
    }

    /// What differs in those that came behind these.
    pub(crate) fn difference(&self, now: &Self) -> Difference {
        Difference {
            tools: changes(&self.tools, &now.tools),
            commands: changes(&self.commands, &now.commands),
        }
    }
}

fn members(frame: &impl Frame) -> Map<String, Value> {
    // What the protocol writes can be read.
    serde_json::from_str(&frame.frame_text()).unwrap_or_default()
}

fn changes(
    before: &BTreeMap<String, Map<String, Value>>,
    now: &BTreeMap<String, Map<String, Value>>,
) -> Changes {
    let changed = before.iter().filter_map(|(name, before)| {
        let members = differing(before, now.get(name)?);
        (!members.is_empty()).then(|| Changed { name: name.clone(), members })
    });
    Changes {
        added: now.keys().filter(|name| !before.contains_key(*name)).cloned().collect(),
        removed: before.keys().filter(|name| !now.contains_key(*name)).cloned().collect(),
        changed: changed.collect(),
    }
}

/// The names of the members that only one has, or that have another value; sorted.
fn differing(before: &Map<String, Value>, now: &Map<String, Value>) -> Vec<String> {
    let names: BTreeSet<&String> = before.keys().chain(now.keys()).collect();
    let differs = |name: &&&String| before.get(**name) != now.get(**name);
    names.iter().filter(differs).map(|name| (*name).clone()).collect()
}

impl Difference {
    /// Whether everything is registered as before.
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }
}

/// In one line: `tool read added; tool write changed (schema); command go removed`.
impl fmt::Display for Difference {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        for (kind, changes) in [("tool", &self.tools), ("command", &self.commands)] {
            parts.extend(changes.added.iter().map(|name| format!("{kind} {name} added")));
            let changed = changes.changed.iter();
            parts.extend(changed.map(|Changed { name, members }| {
                format!("{kind} {name} changed ({})", members.join(", "))
            }));
            parts.extend(changes.removed.iter().map(|name| format!("{kind} {name} removed")));
        }
        if parts.is_empty() {
            return formatter.write_str("the same tools and commands");
        }
        formatter.write_str(&parts.join("; "))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn registered(tools: &Value) -> Registrations {
        let tools = serde_json::from_value(tools.clone()).unwrap();
        Registrations { tools, ..Registrations::default() }
    }

    #[test]
    fn what_differs_is_named() {
        let before = registered(&json!({"a": {"schema": {}}, "b": {}, "c": {"label": "x"}}));
        let now = registered(
            &json!({"a": {"schema": {"type": "object"}, "label": "A"}, "c": {"label": "x"}, "d": {}}),
        );
        let text = "tool d added; tool a changed (label, schema); tool b removed";
        assert_eq!(before.difference(&now).to_string(), text);
        assert!(now.difference(&now).is_none());
        assert_eq!(now.difference(&now).to_string(), "the same tools and commands");
    }
}
