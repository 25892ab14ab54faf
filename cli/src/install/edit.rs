//! One edit of a text in any syntax. What comes of it is read again: it must say what the text said
//! before, and the one change, or the edit is refused.

use std::path::Path;

use serde_json::{Map, Value};

use super::entry::Entry;
use super::problem::Problem;
use super::{json_text, toml_text};
use crate::agents::{Agent, Syntax};

/// What the byte order mark is in a text; editors of Windows write it.
pub(super) const MARK: char = '\u{feff}';

/// The configuration as it stands.
#[derive(Debug)]
pub(super) struct Read {
    pub(super) root: Map<String, Value>,
}

impl Read {
    /// Reads a text; an empty one has nothing in it.
    pub(super) fn of(agent: &Agent, text: &str) -> Result<Self, Problem> {
        let text = text.strip_prefix(MARK).unwrap_or(text);
        let root = match agent.syntax {
            Syntax::Toml => toml_text::read(text),
            syntax => json_text::read(text, syntax, agent.key),
        }?;
        let read = Self { root };
        match read.root.get(agent.key) {
            None | Some(Value::Object(_)) => Ok(read),
            Some(_) => Err(Problem::new(
                line_of_key(agent, text, None),
                format!(
                    "`{}` is not a table of servers by name; correct it by hand, as {} does not read it either",
                    agent.key, agent.name
                ),
            )),
        }
    }

    /// The servers by name.
    pub(super) fn servers(&self, agent: &Agent) -> impl Iterator<Item = (&String, &Value)> {
        self.root.get(agent.key).and_then(Value::as_object).into_iter().flatten()
    }

    /// The servers that the file has for one folder alone.
    pub(super) fn servers_of_folder(
        &self,
        agent: &Agent,
        folder: &Path,
    ) -> impl Iterator<Item = (&String, &Value)> {
        let folders = agent.folders_key.and_then(|key| self.root.get(key));
        let folder = folders.zip(folder.to_str()).and_then(|(it, folder)| it.get(folder));
        let servers = folder.and_then(|it| it.get(agent.key)).and_then(Value::as_object);
        servers.into_iter().flatten()
    }

    pub(super) fn server(&self, agent: &Agent, name: &str) -> Option<&Value> {
        self.root.get(agent.key)?.get(name)
    }
}

/// Adds an entry whose name is not there.
pub(super) fn insert(agent: &Agent, text: &str, entry: &Entry) -> Result<String, Problem> {
    edit(agent, text, Change::Insert(entry))
}

/// Puts an entry in the place of the one of its name.
pub(super) fn replace(agent: &Agent, text: &str, entry: &Entry) -> Result<String, Problem> {
    edit(agent, text, Change::Replace(entry))
}

/// Takes an entry out, and the table of servers with it where nothing else is in there.
pub(super) fn remove(agent: &Agent, text: &str, name: &str) -> Result<String, Problem> {
    edit(agent, text, Change::Remove(name))
}

/// Where an entry is.
pub(super) fn line_of_entry(agent: &Agent, text: &str, name: &str) -> Option<usize> {
    line_of_key(agent, text.strip_prefix(MARK).unwrap_or(text), Some(name))
}

fn line_of_key(agent: &Agent, text: &str, name: Option<&str>) -> Option<usize> {
    match agent.syntax {
        Syntax::Toml => toml_text::line_of(text, agent.key, name),
        _ => json_text::line_of(text, agent.key, name),
    }
}

#[derive(Clone, Copy)]
enum Change<'a> {
    Insert(&'a Entry),
    Replace(&'a Entry),
    Remove(&'a str),
}

fn edit(agent: &Agent, marked: &str, change: Change<'_>) -> Result<String, Problem> {
    let text = marked.strip_prefix(MARK).unwrap_or(marked);
    let edited = match (agent.syntax, change) {
        (Syntax::Toml, Change::Insert(entry)) => Some(toml_text::insert(text, agent, entry)),
        (Syntax::Toml, Change::Replace(entry)) => toml_text::replace(text, agent, entry),
        (Syntax::Toml, Change::Remove(name)) => toml_text::remove(text, agent.key, name),
        (_, Change::Insert(entry)) => json_text::insert(text, agent, entry),
        (_, Change::Replace(entry)) => json_text::replace(text, agent, entry),
        (_, Change::Remove(name)) => json_text::remove(text, agent.key, name),
    };
    let is_as_meant = |edited: &String| {
        let (before, after) = (Read::of(agent, text).ok()?, Read::of(agent, edited).ok()?);
        Some(changed(before.root, agent, change) == without_empty(after.root, agent))
    };
    let name = match change {
        Change::Insert(entry) | Change::Replace(entry) => &entry.name,
        Change::Remove(name) => name,
    };
    match edited.filter(|edited| is_as_meant(edited) == Some(true)) {
        Some(edited) => Ok(format!("{}{edited}", &marked[..marked.len() - text.len()])),
        None => Err(Problem::new(
            line_of_key(agent, text, Some(name)).or_else(|| line_of_key(agent, text, None)),
            match change {
                Change::Insert(_) => format!(
                    "`{}` is written in a way that is not edited here; write it as tables of their own, \
                     or add the entry by hand",
                    agent.key
                ),
                _ => format!(
                    "`{}.{name}` is written in a way that is not edited here; change it by hand",
                    agent.key
                ),
            },
        )),
    }
}

/// What the file has to say after a change.
fn changed(mut root: Map<String, Value>, agent: &Agent, change: Change<'_>) -> Map<String, Value> {
    if let Value::Object(servers) = root.entry(agent.key).or_insert_with(|| Map::new().into()) {
        match change {
            Change::Insert(entry) | Change::Replace(entry) => {
                servers.insert(entry.name.clone(), entry.value(agent));
            }
            Change::Remove(name) => drop(servers.remove(name)),
        }
    }
    without_empty(root, agent)
}

/// No table of servers says the same as one without any.
fn without_empty(mut root: Map<String, Value>, agent: &Agent) -> Map<String, Value> {
    if root.get(agent.key).and_then(Value::as_object).is_some_and(Map::is_empty) {
        root.remove(agent.key);
    }
    root
}
