//! A hook that runs `extline hook`, and how one is recognized.

use std::ffi::OsString;
use std::path::Path;

use serde_json::Value;

use super::entry::Entry;
use super::json_edit::Tree;
use super::program::{full_path, same_folder};
use crate::agents::Agent;
use crate::agents::hooks::{FailClosed, Form, HookEvent, HookTable};
use crate::hook::{Kind, kind_of};

/// What stands behind a command whose failure has to block. Of all exit codes agents take this one alone
/// for a refusal: without it, a tool runs unasked once the program is gone.
const OR_BLOCK: &str = " || exit 2";

/// Behind it, on the line of a hook, is the event.
const EVENT: &str = "--event";

/// What hooks run.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Hook {
    /// The line that the agent hands to a shell, but for [`OR_BLOCK`].
    pub(super) command: String,
    pub(super) target: Target,
}

/// Which extension is asked.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Target {
    /// That of a folder.
    Folder(String),
    /// A program, with its arguments.
    Program(Vec<String>),
}

impl Target {
    /// What an entry starts; none where that are several.
    pub(super) fn of_entry(entry: &Entry) -> Option<Self> {
        let mcp = entry.mcp()?;
        let text = |word: &OsString| word.to_str().map(str::to_owned);
        match (mcp.dirs.as_slice(), mcp.program.words.as_slice()) {
            ([folder], []) => text(folder).map(Self::Folder),
            ([], program) => program.iter().map(text).collect::<Option<_>>().map(Self::Program),
            _ => None,
        }
    }

    /// That of a folder as a person names it.
    pub(super) fn of_folder(folder: &str) -> Option<Self> {
        let full = full_path(Path::new(folder)).ok()?;
        full.into_os_string().into_string().ok().map(Self::Folder)
    }

    /// What stands behind `extline hook`. Several folders, or values of options that look like one,
    /// are somebody's own work.
    fn of_words(words: &[String]) -> Option<Self> {
        let dashes = words.iter().position(|word| word == "--").unwrap_or(words.len());
        let (args, program) = words.split_at(dashes);
        let mut folders = args.iter().filter(|word| Path::new(word).is_absolute());
        match (folders.next(), folders.next(), program) {
            (Some(folder), None, []) => Some(Self::Folder(folder.clone())),
            (None, None, [_, program @ ..]) => Some(Self::Program(program.to_vec())),
            _ => None,
        }
    }

    /// Whether both are the same extension; a folder may be gone.
    pub(super) fn is(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Folder(one), Self::Folder(other)) => {
                same_folder(Path::new(one), Path::new(other))
            }
            (one, other) => one == other,
        }
    }

    /// The folder or the program, without arguments: those may be secret.
    pub(super) fn shown(&self) -> &str {
        match self {
            Self::Folder(folder) => folder,
            Self::Program(words) => words.first().map_or("", String::as_str),
        }
    }
}

impl Hook {
    /// The one that asks what an entry starts.
    pub(super) fn of_entry(agent: &Agent, entry: &Entry) -> Option<Self> {
        let words = [&entry.command, "hook", "--agent", agent.id];
        let rest = entry.args.iter().skip(1).map(String::as_str);
        let command = shlex::try_join(words.into_iter().chain(rest)).ok()?;
        Self::of_command(&command)
    }

    /// One that a file has; none where it runs anything else.
    pub(super) fn of_command(command: &str) -> Option<Self> {
        let command = command.trim().strip_suffix(OR_BLOCK).unwrap_or(command);
        let words = shlex::split(command)?;
        let [program, action, rest @ ..] = words.as_slice() else { return None };
        if Path::new(program).file_stem()? != "extline" || action != "hook" {
            return None;
        }
        let target = Target::of_words(rest)?;
        let Some(event) = rest.iter().position(|word| word == EVENT) else {
            return Some(Self { command: command.to_owned(), target });
        };
        // It is the same hook for each event.
        let (before, after) = (&rest[..event], rest.get(event + 2..)?);
        let words = [program, action].into_iter().chain(before).chain(after);
        Some(Self { command: shlex::try_join(words.map(String::as_str)).ok()?, target })
    }

    /// The program that is started.
    pub(super) fn program(&self) -> Option<String> {
        shlex::split(&self.command)?.into_iter().next()
    }

    /// An element of the list of an event.
    pub(super) fn element(&self, table: &HookTable, event: &HookEvent) -> Tree {
        element(&self.command, table, event)
    }
}

/// An element of the list of an event, which runs this line.
pub(super) fn element(line: &str, table: &HookTable, event: &HookEvent) -> Tree {
    let text = |name: &str, text: &str| (name.to_owned(), Tree::Leaf(Value::from(text)));
    let kind = kind_of(table.agent, event.name);
    let is_call = kind == Some(Kind::Call);
    let by_member = matches!(table.fail_closed, FailClosed::Member(_));
    let or_block = if is_call && !by_member { OR_BLOCK } else { "" };
    let members = &table.members;
    let agent = format!("--agent {}", table.agent);
    let line = if members.event_on_line {
        line.replacen(&agent, &format!("{agent} {EVENT} {}", event.name), 1)
    } else {
        line.to_owned()
    };
    let mut hook = vec![text(members.command, &format!("{line}{or_block}"))];
    hook.push((members.timeout.to_owned(), Tree::Leaf(Value::from(event.timeout))));
    match table.fail_closed {
        FailClosed::Member(member) if is_call => {
            hook.push((member.to_owned(), Tree::Leaf(Value::from(true))));
        }
        FailClosed::Both(member, value) if is_call => hook.push(text(member, value)),
        _ => {}
    }
    if table.form == Form::Flat {
        return Tree::Branch(hook);
    }
    hook.insert(0, text("type", "command"));
    if table.form == Form::Typed {
        return Tree::Branch(hook);
    }
    let mut group = Vec::new();
    let is_of_tool = matches!(kind, Some(Kind::Call | Kind::Result | Kind::FailedResult));
    if let Some(matcher) = members.matcher.filter(|_| is_of_tool) {
        group.push(text("matcher", matcher));
    }
    group.push(("hooks".to_owned(), Tree::List(vec![Tree::Branch(hook)])));
    Tree::Branch(group)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::AGENTS;

    #[test]
    fn every_hook_that_is_written_is_one_that_is_answered() {
        for table in AGENTS.iter().filter_map(|agent| agent.hooks) {
            let kinds = table.events.iter().map(|event| kind_of(table.agent, event.name));
            let kinds: Vec<_> = kinds.collect();
            assert!(kinds.iter().all(Option::is_some), "{}", table.agent);
            let calls = kinds.iter().filter(|kind| **kind == Some(Kind::Call));
            assert_eq!(calls.count(), 1, "{}", table.agent);
        }
        assert!(AGENTS.iter().all(|it| it.hooks.is_none_or(|table| table.agent == it.id)));
    }
}
