//! What is to become of one agent's file.

use std::io;
use std::path::{Path, PathBuf};

use super::agents::Agent;
use super::edit::{Read, insert, line_of_entry, remove, replace};
use super::entry::Entry;
use super::file::{Backup, ConfigFile};
use super::paths::resolve;
use super::problem::{Problem, Refusal};
use super::program::full_path;
use crate::args::Scope;

/// What a person wants.
pub(super) enum Wanted {
    Entry {
        entry: Entry,
        force: bool,
    },
    /// By name, or by folder.
    Gone(String),
}

pub(super) struct Plan {
    pub(super) agent: &'static Agent,
    pub(super) scope: Scope,
    pub(super) file: ConfigFile,
    pub(super) action: Action,
    pub(super) entry: Entry,
    /// What is written in place of the file's text.
    outcome: Outcome,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Action {
    Added,
    Replaced,
    Unchanged,
    Removed,
}

enum Outcome {
    Nothing,
    Text(String),
    /// The file as it was before, from there.
    Restored(PathBuf, String),
    /// There was no file before.
    Deleted,
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
    pub(super) fn of(
        agent: &'static Agent,
        scope: Scope,
        project: &Path,
        wanted: &Wanted,
    ) -> Result<Self, NoPlan> {
        let files = files(agent, scope, project)?;
        let plan = match wanted {
            Wanted::Entry { entry, force } => to_install(agent, scope, files, entry, *force)?,
            Wanted::Gone(what) => to_uninstall(agent, scope, files, what)?,
        };
        if !matches!(plan.outcome, Outcome::Nothing) {
            plan.file.check_writable()?;
        }
        Ok(plan)
    }

    /// Writes it, and says where the backup is.
    pub(super) fn carry_out(&self) -> Result<Option<PathBuf>, Refusal> {
        let done = || -> io::Result<Option<PathBuf>> {
            match &self.outcome {
                Outcome::Nothing => Ok(None),
                Outcome::Text(text) => {
                    let backup = self.file.back_up()?;
                    let written = self.file.write(text);
                    if let (Err(_), Some(Backup { path, is_new: true })) = (&written, &backup) {
                        // Of a file that is as it was.
                        let _ = std::fs::remove_file(path);
                    }
                    written.map(|()| backup.map(|it| it.path))
                }
                Outcome::Restored(backup, text) => {
                    self.file.write(text)?;
                    // It is the file again.
                    std::fs::remove_file(backup)?;
                    Ok(None)
                }
                Outcome::Deleted => self.file.delete().map(|()| None),
            }
        };
        done().map_err(|error| {
            let what = format!("it cannot be written: {error}");
            Problem::new(None, what).of(&self.file.path)
        })
    }

    /// Where the entry is, or was.
    pub(super) fn line(&self) -> Option<usize> {
        let text = match (&self.outcome, self.action) {
            (Outcome::Text(text), Action::Added | Action::Replaced) => text,
            _ => self.file.text(),
        };
        line_of_entry(self.agent, text, &self.entry.name)
    }

    /// The whole file is what was made for the entry.
    pub(super) fn deletes(&self) -> bool {
        matches!(self.outcome, Outcome::Deleted)
    }
}

/// The agent's files, those that are there and those that might be.
pub(super) fn files(
    agent: &Agent,
    scope: Scope,
    project: &Path,
) -> Result<Vec<ConfigFile>, Refusal> {
    let paths = agent.paths(scope).iter();
    paths
        .map(|written| {
            let path = resolve(written, project);
            let path = path.map_err(|why| Problem::new(None, why).of(Path::new(written)))?;
            ConfigFile::read(path)
        })
        .collect()
}

fn to_install(
    agent: &'static Agent,
    scope: Scope,
    files: Vec<ConfigFile>,
    entry: &Entry,
    force: bool,
) -> Result<Plan, NoPlan> {
    let mut with_name = None;
    let mut first_there = None;
    for (index, file) in files.iter().enumerate() {
        let read = Read::of(agent, file.text()).map_err(|problem| problem.of(&file.path))?;
        if read.server(agent, &entry.name).is_some() {
            with_name.get_or_insert(index);
        }
        if file.text.is_some() {
            first_there.get_or_insert(index);
        }
    }
    let index = with_name.or(first_there).unwrap_or_default();
    let Some(file) = files.into_iter().nth(index) else {
        return Err(Refusal(format!("{} has no such file here", agent.name)).into());
    };
    let read = Read::of(agent, file.text()).map_err(|problem| problem.of(&file.path))?;
    let (action, edited) = match read.server(agent, &entry.name) {
        None => (Action::Added, insert(agent, file.text(), entry)),
        Some(there) if Entry::of(agent, &entry.name, there).as_ref() == Some(entry) => {
            let (entry, outcome) = (entry.clone(), Outcome::Nothing);
            return Ok(Plan { agent, scope, file, action: Action::Unchanged, entry, outcome });
        }
        Some(_) if force => (Action::Replaced, replace(agent, file.text(), entry)),
        Some(there) => {
            let starts = match Entry::of(agent, &entry.name, there).and_then(|it| it.mcp()) {
                Some(_) => "this command or folder in another place",
                None => "something else",
            };
            let what = format!(
                "`{}.{name}` is there already, and starts {starts}; --force replaces it, --name gives \
                 another name",
                agent.key,
                name = entry.name
            );
            let line = line_of_entry(agent, file.text(), &entry.name);
            return Err(Problem::new(line, what).of(&file.path).into());
        }
    };
    let edited = edited.map_err(|problem| problem.of(&file.path))?;
    let outcome = Outcome::Text(edited);
    Ok(Plan { agent, scope, file, action, entry: entry.clone(), outcome })
}

fn to_uninstall(
    agent: &'static Agent,
    scope: Scope,
    files: Vec<ConfigFile>,
    what: &str,
) -> Result<Plan, NoPlan> {
    let mut ours = Vec::new();
    let mut other = None;
    let mut looked = Vec::new();
    for file in files {
        looked.push(file.path.display().to_string());
        let read = Read::of(agent, file.text()).map_err(|problem| problem.of(&file.path))?;
        let entries = read.servers(agent).filter_map(|(name, it)| Entry::of(agent, name, it));
        let entries: Vec<_> = entries.filter(|entry| entry.mcp().is_some()).collect();
        ours.extend(entries.iter().map(|entry| entry.name.clone()));
        let by_folder = || entries.iter().filter(|entry| is_of_folder(entry, what));
        let by_name = entries.iter().find(|entry| entry.name == what);
        if by_name.is_none() && by_folder().count() > 1 {
            let names: Vec<_> = by_folder().map(|entry| entry.name.as_str()).collect();
            let what = format!("several entries start this folder; name one: {}", names.join(", "));
            return Err(Problem::new(None, what).of(&file.path).into());
        }
        if let Some(entry) = by_name.or_else(|| by_folder().next()).cloned() {
            let outcome = without(agent, &file, &entry).map_err(|it| it.of(&file.path))?;
            return Ok(Plan { agent, scope, file, action: Action::Removed, entry, outcome });
        }
        if read.server(agent, what).is_some() {
            let line = line_of_entry(agent, file.text(), what);
            let why = format!(
                "`{}.{what}` does not start `extline mcp`, so it is not taken out; delete it by hand",
                agent.key
            );
            other.get_or_insert(Problem::new(line, why).of(&file.path));
        }
    }
    if let Some(other) = other {
        return Err(other.into());
    }
    let there = if ours.is_empty() {
        "none is installed there".to_owned()
    } else {
        format!("installed there: {}", ours.join(", "))
    };
    Err(NoPlan::Absent(format!("{what} is not in {}\n  {there}", looked.join(" or "))))
}

/// The text before the entry: the very one where nothing else has changed since.
fn without(agent: &Agent, file: &ConfigFile, entry: &Entry) -> Result<Outcome, Problem> {
    let is_before = |before: &str| {
        // It was read when it was kept, or the edit fails.
        insert(agent, before, entry).is_ok_and(|after| after == file.text())
    };
    let backups = file.backups();
    if let Some((path, text)) = backups.iter().find(|(_, text)| is_before(text)) {
        return Ok(Outcome::Restored(path.clone(), text.clone()));
    }
    if backups.is_empty() && is_before("") {
        return Ok(Outcome::Deleted);
    }
    remove(agent, file.text(), &entry.name).map(Outcome::Text)
}

/// Whether an entry starts that folder alone; the folder may be gone.
fn is_of_folder(entry: &Entry, folder: &str) -> bool {
    let Some(mcp) = entry.mcp() else { return false };
    let [only] = mcp.dirs.as_slice() else { return false };
    let (Ok(wanted), there) = (full_path(Path::new(folder)), Path::new(only)) else { return false };
    if wanted == there {
        return true;
    }
    let real = |path: &Path| std::fs::canonicalize(path).ok();
    real(&wanted).is_some_and(|wanted| real(there) == Some(wanted))
}
