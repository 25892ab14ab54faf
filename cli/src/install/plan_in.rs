//! How an entry and hooks get into an agent's files.

use std::path::Path;

use super::change::{FileChange, Outcome};
use super::edit::{Read, insert, line_of_entry, replace};
use super::entry::Entry;
use super::file::ConfigFile;
use super::hook::Hook;
use super::hook_edit::{Hooks, insert_hooks, line_of_hooks, remove_hooks};
use super::plan::{Action, NoPlan, Plan, Planned, PlannedHooks, files};
use super::problem::{Problem, Refusal};
use super::shim;
use crate::agents::Agent;
use crate::agents::Scope;
use crate::agents::hooks::{Form, HookEvent, HookTable};

pub(super) fn plan(
    agent: &'static Agent,
    scope: Scope,
    project: &Path,
    entry: &Entry,
    hooks: Option<&'static HookTable>,
    force: bool,
) -> Result<Plan, NoPlan> {
    let file = file_of_entry(agent, files(agent.paths(scope), project)?, entry)?;
    let (action, outcome) = with_entry(agent, &file, entry, force)?;
    let mut plan = Plan {
        agent,
        scope,
        name: entry.name.clone(),
        entry: Some(Planned { what: entry.clone(), action, file: 0 }),
        hooks: None,
        files: vec![FileChange::new(file, outcome)],
    };
    if let Some(table) = hooks {
        let hook = Hook::of_entry(agent, entry);
        let hook = hook.ok_or_else(|| {
            Refusal(
                "a shell cannot be told of its path or arguments; --no-hooks leaves hooks out"
                    .to_owned(),
            )
        })?;
        add_hooks(&mut plan, project, table, hook, force)?;
    }
    add_plugin(&mut plan, project)?;
    Ok(plan)
}

/// The one that has the entry, or else the first that is there, or else the first.
fn file_of_entry(
    agent: &Agent,
    files: Vec<ConfigFile>,
    entry: &Entry,
) -> Result<ConfigFile, Refusal> {
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
    let file = files.into_iter().nth(index);
    file.ok_or_else(|| Refusal(format!("{} has no such file here", agent.name)))
}

fn with_entry(
    agent: &Agent,
    file: &ConfigFile,
    entry: &Entry,
    force: bool,
) -> Result<(Action, Outcome), Refusal> {
    let read = Read::of(agent, file.text()).map_err(|problem| problem.of(&file.path))?;
    let (action, edited) = match read.server(agent, &entry.name) {
        None => (Action::Added, insert(agent, file.text(), entry)),
        Some(there) if Entry::of(agent, &entry.name, there).as_ref() == Some(entry) => {
            return Ok((Action::Unchanged, Outcome::Nothing));
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
            return Err(Problem::new(line, what).of(&file.path));
        }
    };
    let edited = edited.map_err(|problem| problem.of(&file.path))?;
    Ok((action, Outcome::Text(edited)))
}

fn add_hooks(
    plan: &mut Plan,
    project: &Path,
    table: &'static HookTable,
    hook: Hook,
    force: bool,
) -> Result<(), Refusal> {
    // Where they have no file of their own, it is that of the entry, as it will be.
    let own = table.own_file.as_ref().map(|own| files(&[own.path(plan.scope)], project));
    if let Some(own) = own {
        plan.files.extend(own?.into_iter().map(|file| FileChange::new(file, Outcome::Nothing)));
    }
    let index = plan.files.len() - 1;
    let change = &mut plan.files[index];
    let mut text = change.text().to_owned();
    let mut is_outdated = false;
    if let Form::Module(body) = table.form {
        if force && Hooks::of(plan.agent, table, &text).is_err() {
            text.clear();
        }
        is_outdated = !shim::is_current(&text, body);
    }
    let there = Hooks::of(plan.agent, table, &text);
    let there = there.map_err(|problem| problem.of(&change.file.path))?;
    let is_other = there.of_target(&hook.target).any(|it| it.hook.command != hook.command);
    if is_other && !force {
        let line = line_of_hooks(plan.agent, table, change.text(), &hook.target);
        let what = "hooks that run `extline hook` for it are there already, with another command; --force \
                    replaces them, --no-hooks leaves them";
        return Err(Problem::new(line, what).of(&change.file.path));
    }
    let has = |event: &&HookEvent| {
        there.of_target(&hook.target).any(|it| it.event == event.name) && !is_other
    };
    let missing: Vec<&HookEvent> = table.events.iter().filter(|event| !has(event)).collect();
    let action = match (is_other || (is_outdated && missing.is_empty()), missing.is_empty()) {
        (true, _) => Action::Replaced,
        (false, false) => Action::Added,
        (false, true) => Action::Unchanged,
    };
    if action != Action::Unchanged {
        let rest =
            if is_other { remove_hooks(plan.agent, table, &text, &hook.target) } else { Ok(text) };
        let edited = rest.and_then(|rest| insert_hooks(plan.agent, table, &rest, &hook, &missing));
        let edited = edited.map_err(|problem| problem.of(&change.file.path))?;
        change.outcome = match table.form {
            Form::Module(body) if shim::is_current(change.file.text(), body) => {
                Outcome::Generated(edited)
            }
            _ => Outcome::Text(edited),
        };
    }
    let shown = if missing.is_empty() { table.events.iter().collect() } else { missing };
    let events = shown.into_iter().map(|event| event.name.to_owned()).collect();
    let hook = Planned { what: hook, action, file: index };
    let turned_off = turned_off(plan, table, &there);
    plan.hooks = Some(PlannedHooks { table, hook, events, turned_off });
    Ok(())
}

/// What the agent wants beside both. One that is there is somebody's, and does.
fn add_plugin(plan: &mut Plan, project: &Path) -> Result<(), Refusal> {
    let Some(plugin) = &plan.agent.plugin else { return Ok(()) };
    let missing = files(&[plugin.path(plan.scope)], project)?.into_iter();
    for file in missing.filter(|file| file.text.is_none()) {
        let outcome = Outcome::Generated(plugin.text.to_owned());
        plan.files.push(FileChange::new(file, outcome));
    }
    Ok(())
}

fn turned_off(plan: &Plan, table: &HookTable, hooks: &Hooks) -> Option<String> {
    let switch = table.switch.as_ref()?;
    if !switch.is_with_servers {
        return switch.turned_off(&hooks.root);
    }
    let servers = Read::of(plan.agent, plan.files.first()?.file.text()).ok()?;
    switch.turned_off(&servers.root)
}
