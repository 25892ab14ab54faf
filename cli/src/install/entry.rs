//! An entry that starts `extline mcp`, and how one is recognized.

use std::path::Path;

use clap::Parser;
use serde_json::{Map, Value};

use crate::agents::{Agent, Member};
use crate::args::{Action, Cli, Mcp};

/// What is started, under which name.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Entry {
    pub(super) name: String,
    pub(super) command: String,
    pub(super) args: Vec<String>,
}

impl Entry {
    /// The members as they are written, in their order.
    pub(super) fn members(&self, agent: &Agent) -> impl Iterator<Item = (&'static str, Value)> {
        agent.entry.iter().map(|(name, member)| {
            let value = match member {
                Member::Command => Value::from(self.command.as_str()),
                Member::Args => Value::from(self.args.clone()),
                Member::CommandLine => {
                    let words = std::iter::once(&self.command).chain(&self.args);
                    words.cloned().collect()
                }
                Member::Text(text) => Value::from(*text),
                Member::True => Value::from(true),
                Member::All => Value::from(vec!["*"]),
            };
            (*name, value)
        })
    }

    pub(super) fn value(&self, agent: &Agent) -> Value {
        let members = self.members(agent).map(|(name, value)| (name.to_owned(), value));
        Value::Object(members.collect::<Map<_, _>>())
    }

    /// An entry of a file; none where it starts no program.
    pub(super) fn of(agent: &Agent, name: &str, value: &Value) -> Option<Self> {
        let words = |value: &Value| -> Option<Vec<String>> {
            value.as_array()?.iter().map(|it| it.as_str().map(str::to_owned)).collect()
        };
        let mut entry = Self { name: name.to_owned(), command: String::new(), args: Vec::new() };
        for (member, kind) in agent.entry {
            match kind {
                Member::Command => value.get(member)?.as_str()?.clone_into(&mut entry.command),
                Member::Args => {
                    entry.args = value.get(member).map_or_else(|| Some(Vec::new()), words)?;
                }
                Member::CommandLine => {
                    let mut words = words(value.get(member)?)?.into_iter();
                    (entry.command, entry.args) = (words.next()?, words.collect());
                }
                Member::Text(_) | Member::True | Member::All => {}
            }
        }
        Some(entry)
    }

    /// The folders and the program that it starts, without arguments: those may be secret.
    pub(super) fn targets(mcp: &Mcp) -> Vec<String> {
        let words = mcp.dirs.iter().chain(mcp.program.words.first());
        words.map(|word| word.display().to_string()).collect()
    }

    /// What it starts, where that is `extline mcp`.
    pub(super) fn mcp(&self) -> Option<Mcp> {
        let stem = Path::new(&self.command).file_stem()?;
        if stem != "extline" || self.args.first()? != "mcp" {
            return None;
        }
        let words = std::iter::once("extline").chain(self.args.iter().map(String::as_str));
        match Cli::try_parse_from(words).ok()?.action {
            Action::Mcp(mcp) => Some(mcp),
            _ => None,
        }
    }
}
