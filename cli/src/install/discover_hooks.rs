//! The hooks that `extline discover` finds in a file.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::file::ConfigFile;
use super::hook::{Hook, Target};
use super::hook_edit::Hooks;
use crate::agents::Agent;
use crate::styled::{BOLD, DIM, Text, YELLOW, text};

pub(super) struct FoundHooks {
    /// Ours, each command once.
    ours: Vec<(Hook, Vec<String>)>,
    others: usize,
}

impl FoundHooks {
    pub(super) fn of(agent: &Agent, file: &ConfigFile) -> Result<Option<Self>, String> {
        let Some(table) = agent.hooks else { return Ok(None) };
        let hooks = Hooks::of(agent, table, file.text()).map_err(|it| it.of(&file.path).0)?;
        let mut ours: Vec<(Hook, Vec<String>)> = Vec::new();
        for found in hooks.ours {
            match ours.iter_mut().find(|(hook, _)| *hook == found.hook) {
                Some((_, events)) => events.push(found.event),
                None => ours.push((found.hook, vec![found.event])),
            }
        }
        Ok(Some(Self { ours, others: hooks.others }))
    }

    pub(super) fn lines(&self) -> Vec<Text> {
        let mut lines = Vec::new();
        for (hook, events) in &self.ours {
            let events = events.join(", ");
            let target = hook.target.shown();
            lines.push(text!("    {BOLD}hooks{BOLD:#}  {target}  {DIM}{events}{DIM:#}"));
            for lost in lost(hook) {
                lines.push(text!("      {YELLOW}{} is no longer there{YELLOW:#}", lost.display()));
            }
        }
        if self.others > 0 {
            let s = if self.others == 1 { "" } else { "s" };
            lines.push(text!("    {DIM}{} other hook{s}{DIM:#}", self.others));
        }
        lines
    }

    pub(super) fn add_to(&self, json: &mut Value) {
        let ours = self.ours.iter().map(|(hook, events)| {
            let target = match &hook.target {
                Target::Folder(_) => "dirs",
                Target::Program(_) => "program",
            };
            let shown = hook.target.shown();
            let shown = if target == "dirs" { json!([shown]) } else { json!(shown) };
            json!({ "events": events, target: shown, "missing": lost(hook).collect::<Vec<_>>() })
        });
        json["hooks"] = ours.collect();
        json["other_hooks"] = self.others.into();
    }
}

/// What is no longer there: the command, or the folder.
fn lost(hook: &Hook) -> impl Iterator<Item = PathBuf> {
    let folder = match &hook.target {
        Target::Folder(folder) => Some(folder.clone()),
        Target::Program(_) => None,
    };
    let there = hook.program().into_iter().chain(folder).map(PathBuf::from);
    there.filter(|path| path.is_absolute() && !Path::exists(path))
}
