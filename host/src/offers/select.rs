//! Which tools a model gets for one turn.

use std::collections::BTreeSet;
use std::sync::Arc;

use extline_model::{Indexed, ToolIndex};

use crate::tool::Tool;

/// How many tools [`SelectByWords`] selects unless told otherwise.
const MOST: usize = 15;

/// Chooses the tools of a turn among those of extensions; the agent's own are always offered
/// ([`HostBuilder::selector`](crate::HostBuilder::selector)).
///
/// It is asked while the host's list of tools is locked, so it must not call the host, and must not wait.
pub trait Selector: Send + Sync {
    /// The names of the tools that the model gets for this turn, in any order. What is no name of `tools` is passed
    /// over. The same turn and tools should have the same answer, so that what a provider keeps of a prompt holds.
    fn select(&self, turn: &str, tools: &[Arc<Tool>]) -> Vec<String>;
}

/// Selects the tools whose names, descriptions and parameters have words of the turn, the best first (BM25), and those
/// that are always wanted: by name, and by a `weight` of 1 in their preference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SelectByWords {
    /// How many are selected at most, those that are always wanted included; 15 by default.
    pub at_most: usize,
    /// Tools that are always wanted.
    pub always: Vec<String>,
}

impl Default for SelectByWords {
    fn default() -> Self {
        Self { at_most: MOST, always: Vec::new() }
    }
}

impl Selector for SelectByWords {
    fn select(&self, turn: &str, tools: &[Arc<Tool>]) -> Vec<String> {
        let is_wanted = |tool: &Tool| {
            tool.weight() >= 1.0 || self.always.iter().any(|name| name == tool.name())
        };
        let wanted = (0..tools.len()).filter(|place| is_wanted(&tools[*place]));
        let index = ToolIndex::new(tools.iter().map(|tool| indexed(tool)));
        let mut seen = BTreeSet::new();
        let found = wanted.chain(index.search(turn, tools.len())).filter(|it| seen.insert(*it));
        found.take(self.at_most).map(|place| tools[place].name().to_owned()).collect()
    }
}

/// A tool as it is searched.
pub(super) fn indexed(tool: &Tool) -> Indexed<'_> {
    Indexed {
        name: tool.name(),
        namespace: tool.definition.namespace.as_deref().unwrap_or_default(),
        description: tool.description(),
        schema: &tool.definition.schema,
    }
}
