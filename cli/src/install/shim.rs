//! Hooks of agents that run modules in their own process in place of commands: a file of JavaScript that
//! runs `extline hook` for each event. The whole file is ours, and one is for all extensions.

use serde_json::json;

use super::hook::{Hook, Target};
use super::json_text::spaced;
use super::problem::Problem;

/// The first line, by which the file is known. What stands in it is not to change.
const MARK: &str =
    "// Written by `extline install`, which writes it anew: changes in here get lost.";
const OPEN: &str = "const COMMANDS = [";
const CLOSE: &str = "];";
/// What is the same for all agents: how a command is run, and what its answer means.
const ASK: &str = include_str!("shims/ask.js");

/// Whether a file is ours, or there is none.
pub(super) fn is_ours(text: &str) -> bool {
    text.is_empty() || text.lines().next() == Some(MARK)
}

/// Whether this program would write the file as it is; an older one wrote another.
pub(super) fn is_current(text: &str, body: &str) -> bool {
    text.is_empty() || hooks(text).is_ok_and(|hooks| whole(hooks.iter(), body) == text)
}

/// What the file runs, with where each stands in the text.
pub(super) fn placed_hooks(text: &str) -> Result<Vec<(usize, Hook)>, Problem> {
    if text.is_empty() {
        return Ok(Vec::new());
    }
    let refused = |line: Option<usize>, what: &str| {
        Err(Problem::new(line, format!("{what}; move it away, or --force replaces it")))
    };
    if !is_ours(text) {
        return refused(None, "it was not written by `extline install`");
    }
    let mut hooks = Vec::new();
    let mut place = 0;
    let mut lines = text.split_inclusive('\n').enumerate().map(|(number, line)| {
        place += line.len();
        (number + 1, place - line.len(), line.trim_end())
    });
    if !lines.any(|(_, _, line)| line == OPEN) {
        return refused(None, "its list of commands was taken out");
    }
    for (number, place, line) in lines {
        if line == CLOSE {
            return Ok(hooks);
        }
        match hook_of(line) {
            Some(hook) => hooks.push((place, hook)),
            None => return refused(Some(number), "this is no line that `extline install` writes"),
        }
    }
    refused(None, "its list of commands has no end")
}

fn hooks(text: &str) -> Result<Vec<Hook>, Problem> {
    Ok(placed_hooks(text)?.into_iter().map(|(_, hook)| hook).collect())
}

fn hook_of(line: &str) -> Option<Hook> {
    let words: Vec<String> = serde_json::from_str(line.trim().strip_suffix(',')?).ok()?;
    Hook::of_command(&shlex::try_join(words.iter().map(String::as_str)).ok()?)
}

/// The file with this hook too, in the place of one for the same extension.
pub(super) fn with(text: &str, body: &str, hook: &Hook) -> Result<String, Problem> {
    let mut hooks = hooks(text)?;
    match hooks.iter_mut().find(|it| it.target.is(&hook.target)) {
        Some(there) => there.clone_from(hook),
        None => hooks.push(hook.clone()),
    }
    Ok(whole(hooks.iter(), body))
}

/// The file without the hook for an extension; nothing where there is no other.
pub(super) fn without(text: &str, body: &str, target: &Target) -> Result<String, Problem> {
    let hooks = hooks(text)?;
    let mut rest = hooks.iter().filter(|it| !it.target.is(target)).peekable();
    Ok(if rest.peek().is_none() { String::new() } else { whole(rest, body) })
}

/// The file that runs these.
fn whole<'a>(hooks: impl Iterator<Item = &'a Hook>, body: &str) -> String {
    let lines = hooks.map(|hook| format!("  {},\n", words_of(hook)));
    format!("{MARK}\n{OPEN}\n{}{CLOSE}\n\n{ASK}\n{body}", lines.collect::<String>())
}

fn words_of(hook: &Hook) -> String {
    spaced(&json!(shlex::split(&hook.command).unwrap_or_default()))
}
