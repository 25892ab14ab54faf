//! What is to become of one agent's files.

use std::path::Path;

use super::change::FileChange;
use super::edit::line_of_entry;
use super::entry::Entry;
use super::file::ConfigFile;
use super::hook::Hook;
use super::hook_edit::line_of_hooks;
use super::paths::resolve;
use super::problem::{Problem, Refusal};
use crate::agents::Agent;
use crate::agents::Scope;
use crate::agents::hooks::HookTable;

/// What a person wants.
pub(super) enum Wanted {
    Entry {
        entry: Entry,
        /// With the hooks that an agent has.
        hooks: bool,
        force: bool,
    },
    /// By name, or by folder.
    Gone(String),
}

pub(super) struct Plan {
    pub(super) agent: &'static Agent,
    pub(super) scope: Scope,
    pub(super) name: String,
    /// None where only hooks are there to be taken out.
    pub(super) entry: Option<Planned<Entry>>,
    pub(super) hooks: Option<PlannedHooks>,
    /// Those of both; one where the agent has both in one file.
    pub(super) files: Vec<FileChange>,
}

/// What is to become of an entry or of hooks.
pub(super) struct Planned<T> {
    pub(super) what: T,
    pub(super) action: Action,
    /// Which of the files it is in.
    pub(super) file: usize,
}

pub(super) struct PlannedHooks {
    pub(super) table: &'static HookTable,
    pub(super) hook: Planned<Hook>,
    /// Those that are added, or that go; all where none is.
    pub(super) events: Vec<String>,
    /// The setting with which the person has turned all hooks off.
    pub(super) turned_off: Option<String>,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Action {
    Added,
    Replaced,
    Unchanged,
    Removed,
}

impl Action {
    /// Something was put in.
    pub(super) fn is_in(self) -> bool {
        matches!(self, Self::Added | Self::Replaced)
    }
}

/// Why there is no plan.
pub(super) enum NoPlan {
    Refused(Refusal),
    /// What is to go is not there.
    Absent(String),
}

impl From<Refusal> for NoPlan {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl Plan {
    /// Where the entry is, or was.
    pub(super) fn line_of_entry(&self) -> Option<usize> {
        let entry = self.entry.as_ref()?;
        line_of_entry(self.agent, self.text(entry), &entry.what.name)
    }

    /// Where the first hook is, or was.
    pub(super) fn line_of_hooks(&self) -> Option<usize> {
        let PlannedHooks { table, hook, .. } = self.hooks.as_ref()?;
        line_of_hooks(self.agent, table, self.text(hook), &hook.what.target)
    }

    /// The text that it is in.
    fn text<T>(&self, planned: &Planned<T>) -> &str {
        let change = &self.files[planned.file];
        if planned.action == Action::Removed { change.file.text() } else { change.text() }
    }
}

/// Files in their notation, those that are there and those that might be.
pub(super) fn files(paths: &[&str], project: &Path) -> Result<Vec<ConfigFile>, Refusal> {
    let files = paths.iter().map(|written| {
        let path = resolve(written, project);
        let path = path.map_err(|why| Problem::new(None, why).of(Path::new(written)))?;
        ConfigFile::read(path)
    });
    files.collect()
}
