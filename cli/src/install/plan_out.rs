//! How an entry and hooks get out of an agent's files.

use std::path::{Path, PathBuf};

use super::change::{FileChange, Outcome};
use super::edit::{Read, insert, line_of_entry, remove};
use super::entry::Entry;
use super::file::ConfigFile;
use super::hook::{Hook, Target};
use super::hook_edit::{Hooks, insert_hooks, remove_hooks};
use super::plan::{Action, NoPlan, Plan, Planned, PlannedHooks, files};
use super::problem::{Problem, Refusal};
use super::program::{full_path, same_folder};
use super::shim;
use crate::agents::Agent;
use crate::agents::Scope;
use crate::agents::hooks::{Form, HookEvent, HookTable};

/// What is to go out of one file.
#[derive(Default)]
struct Going {
    entry: Option<Entry>,
    hooks: Option<GoingHooks>,
}

struct GoingHooks {
    table: &'static HookTable,
    hook: Hook,
    events: Vec<String>,
}

/// What the agent's servers have of what is named.
#[derive(Default)]
struct Search {
    /// The entry, and the file that it is in.
    found: Option<(Entry, PathBuf)>,
    /// Another entry starts the same, which its hooks are for too.
    is_shared: bool,
    /// Why an entry of that name stays.
    other: Option<Refusal>,
    /// The names of ours.
    ours: Vec<String>,
}

pub(super) fn plan(
    agent: &'static Agent,
    scope: Scope,
    project: &Path,
    what: &str,
) -> Result<Plan, NoPlan> {
    let servers = files(agent.paths(scope), project)?;
    let search = search(agent, &servers, what)?;
    let target = match &search.found {
        Some((entry, _)) => Target::of_entry(entry),
        None => Target::of_folder(what),
    };
    let mut plan =
        Plan { agent, scope, name: what.to_owned(), entry: None, hooks: None, files: vec![] };
    let table = agent.hooks.filter(|_| !search.is_shared);
    let own = table.and_then(|table| table.own_file.as_ref());
    let own = own.map_or_else(Vec::new, |own| vec![own.path(scope)]);
    let own_files = files(&own, project)?;
    let mut looked = Vec::new();
    let with_servers = servers.into_iter().map(|file| (file, table.filter(|_| own.is_empty())));
    let with_hooks = own_files.into_iter().map(|file| (file, table));
    for (file, table) in with_servers.chain(with_hooks) {
        looked.push(file.path.display().to_string());
        let found = search.found.as_ref().filter(|(_, path)| *path == file.path);
        let hooks = match table.zip(target.as_ref()) {
            Some((table, target)) => hooks_in(agent, table, &file, target)?,
            None => None,
        };
        take(&mut plan, file, Going { entry: found.map(|(entry, _)| entry.clone()), hooks })?;
    }
    if !plan.files.is_empty() {
        take_plugin(&mut plan, project)?;
        return Ok(plan);
    }
    if let Some(other) = search.other {
        return Err(other.into());
    }
    let there = if search.ours.is_empty() {
        "none is installed there".to_owned()
    } else {
        format!("installed there: {}", search.ours.join(", "))
    };
    Err(NoPlan::Absent(format!("{what} is not in {}\n  {there}", looked.join(" or "))))
}

fn search(agent: &Agent, files: &[ConfigFile], what: &str) -> Result<Search, Refusal> {
    let mut search = Search::default();
    let mut all = Vec::new();
    for file in files {
        let read = Read::of(agent, file.text()).map_err(|problem| problem.of(&file.path))?;
        let entries = read.servers(agent).filter_map(|(name, it)| Entry::of(agent, name, it));
        let entries: Vec<_> = entries.filter(|entry| entry.mcp().is_some()).collect();
        search.ours.extend(entries.iter().map(|entry| entry.name.clone()));
        all.extend(entries.iter().cloned());
        if search.found.is_some() {
            continue;
        }
        let by_folder = || entries.iter().filter(|entry| is_of_folder(entry, what));
        let by_name = entries.iter().find(|entry| entry.name == what);
        if by_name.is_none() && by_folder().count() > 1 {
            let names: Vec<_> = by_folder().map(|entry| entry.name.as_str()).collect();
            let what = format!("several entries start this folder; name one: {}", names.join(", "));
            return Err(Problem::new(None, what).of(&file.path));
        }
        if let Some(entry) = by_name.or_else(|| by_folder().next()).cloned() {
            search.found = Some((entry, file.path.clone()));
        } else if read.server(agent, what).is_some() {
            let line = line_of_entry(agent, file.text(), what);
            let why = format!(
                "`{}.{what}` does not start `extline mcp`, so it is not taken out; delete it by hand",
                agent.key
            );
            search.other.get_or_insert(Problem::new(line, why).of(&file.path));
        }
    }
    if let Some((found, _)) = &search.found
        && let Some(target) = Target::of_entry(found)
    {
        let others = all.iter().filter(|entry| *entry != found);
        search.is_shared = others.filter_map(Target::of_entry).any(|other| other.is(&target));
    }
    Ok(search)
}

/// The hooks of a file that ask an extension.
fn hooks_in(
    agent: &Agent,
    table: &'static HookTable,
    file: &ConfigFile,
    target: &Target,
) -> Result<Option<GoingHooks>, Refusal> {
    // A file that has none of ours need not be readable.
    let is_foreign = matches!(table.form, Form::Module(_)) && !shim::is_ours(file.text());
    if is_foreign || !file.text().contains("extline") {
        return Ok(None);
    }
    let hooks = Hooks::of(agent, table, file.text()).map_err(|it| it.of(&file.path))?;
    let mut found = hooks.of_target(target).peekable();
    let Some(hook) = found.peek().map(|it| it.hook.clone()) else { return Ok(None) };
    let mut events: Vec<String> = Vec::new();
    for hook in found {
        if !events.contains(&hook.event) {
            events.push(hook.event.clone());
        }
    }
    Ok(Some(GoingHooks { table, hook, events }))
}

/// Takes out of a file what is to go.
fn take(plan: &mut Plan, file: ConfigFile, going: Going) -> Result<(), Refusal> {
    if going.entry.is_none() && going.hooks.is_none() {
        return Ok(());
    }
    let index = plan.files.len();
    let outcome = without(plan.agent, &file, &going).map_err(|it| it.of(&file.path))?;
    plan.files.push(FileChange::new(file, outcome));
    if let Some(entry) = going.entry {
        plan.name.clone_from(&entry.name);
        plan.entry = Some(Planned { what: entry, action: Action::Removed, file: index });
    }
    if let Some(GoingHooks { table, hook, events }) = going.hooks {
        let hook = Planned { what: hook, action: Action::Removed, file: index };
        plan.hooks.get_or_insert(PlannedHooks { table, hook, events, turned_off: None });
    }
    Ok(())
}

/// What a plugin has beside both goes with the last of them, and its folder.
fn take_plugin(plan: &mut Plan, project: &Path) -> Result<(), Refusal> {
    let Some(plugin) = &plan.agent.plugin else { return Ok(()) };
    let parts = [plan.agent.paths(plan.scope), &plan.agent.hook_paths(plan.scope)].concat();
    let goes = |file: &ConfigFile| {
        plan.files.iter().any(|change| change.deletes() && change.file.path == file.path)
    };
    if files(&parts, project)?.iter().any(|file| file.text.is_some() && !goes(file)) {
        return Ok(());
    }
    let about = files(&[plugin.path(plan.scope)], project)?;
    let folder = about[0].path.parent().map(Path::to_owned).unwrap_or_default();
    let ours = about.into_iter().filter(|file| file.text() == plugin.text);
    plan.files.extend(ours.map(|file| FileChange::new(file, Outcome::Deleted)));
    for change in &mut plan.files {
        let inside = change.file.path.strip_prefix(&folder);
        change.own_folders = inside.map_or(0, |inside| inside.components().count());
    }
    Ok(())
}

/// The text before both: the very one where nothing else has changed since.
fn without(agent: &Agent, file: &ConfigFile, going: &Going) -> Result<Outcome, Problem> {
    if let Some(GoingHooks { table: HookTable { form: Form::Module(body), .. }, hook, .. }) =
        &going.hooks
    {
        let rest = shim::without(file.text(), body, &hook.target)?;
        let is_last = rest.is_empty();
        return Ok(if is_last { Outcome::Deleted } else { Outcome::Generated(rest) });
    }
    // What was written in between belongs to neither.
    let backups = file.backups();
    let restored = backups.iter().find_map(|(_, text)| {
        let steps = steps(agent, text, going)
            .ok()
            .filter(|it| it.last().is_some_and(|it| it == file.text()))?;
        let between = backups.iter().filter(|(_, it)| steps[..steps.len() - 1].contains(it));
        let paths = between.map(|(path, _)| path.clone()).collect();
        Some(Outcome::Restored(paths, text.clone()))
    });
    if let Some(restored) = restored {
        return Ok(restored);
    }
    let from_nothing = steps(agent, "", going).ok();
    if backups.is_empty()
        && from_nothing.is_some_and(|it| it.last().is_some_and(|it| it == file.text()))
    {
        return Ok(Outcome::Deleted);
    }
    let mut text = file.text().to_owned();
    if let Some(entry) = &going.entry {
        text = remove(agent, &text, &entry.name)?;
    }
    if let Some(GoingHooks { table, hook, .. }) = &going.hooks {
        text = remove_hooks(agent, table, &text, &hook.target)?;
    }
    Ok(Outcome::Text(text))
}

/// What a file said, and what it says after each edit that `install` makes.
fn steps(agent: &Agent, before: &str, going: &Going) -> Result<Vec<String>, Problem> {
    let mut steps = vec![before.to_owned()];
    let mut text = before.to_owned();
    if let Some(entry) = &going.entry {
        text = insert(agent, &text, entry)?;
        steps.push(text.clone());
    }
    if let Some(GoingHooks { table, hook, .. }) = &going.hooks {
        let events: Vec<&HookEvent> = table.events.iter().collect();
        steps.push(insert_hooks(agent, table, &text, hook, &events)?);
    }
    Ok(steps)
}

/// Whether an entry starts that folder alone; the folder may be gone.
fn is_of_folder(entry: &Entry, folder: &str) -> bool {
    let Some(mcp) = entry.mcp() else { return false };
    let [only] = mcp.dirs.as_slice() else { return false };
    full_path(Path::new(folder)).is_ok_and(|wanted| same_folder(&wanted, Path::new(only)))
}
