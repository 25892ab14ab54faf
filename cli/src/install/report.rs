//! What was changed, or would be, as text and as JSON. Only what belongs to the entry is shown: what
//! stands around it may be secret.

use serde_json::{Value, json};

use super::change::FileChange;
use super::entry::Entry;
use super::json_text::spaced;
use super::plan::{Action, Plan, Planned, PlannedHooks};
use crate::agents::Scope;
use crate::printer::Printer;
use crate::styled::{BOLD, DIM, GREEN, RED, text};

pub(super) fn tell(plan: &Plan, dry_run: bool, printer: &mut Printer) {
    if printer.json {
        printer.json(&json_of(plan, dry_run));
        return;
    }
    let done = |action| done(action, dry_run);
    let entry = plan.entry.as_ref().map(|entry| entry.action);
    let hooks = plan.hooks.as_ref().map(|hooks| hooks.hook.action);
    let done = match (entry, hooks) {
        (Some(entry), Some(hooks)) if entry != hooks => {
            format!("{}, its hooks {}", done(entry), done(hooks))
        }
        (Some(entry), _) => done(entry),
        (None, Some(Action::Unchanged)) => done(Action::Unchanged),
        (None, hooks) => format!("hooks {}", hooks.map(done).unwrap_or_default()),
    };
    printer.result(format_args!("{}: {BOLD}{}{BOLD:#} {done}", plan.agent.name, plan.name));
    for (index, change) in plan.files.iter().enumerate() {
        let entry = plan.entry.as_ref().filter(|it| it.file == index);
        let hooks = plan.hooks.as_ref().filter(|it| it.hook.file == index);
        let line = entry.and_then(|_| plan.line_of_entry());
        let line = line.or_else(|| hooks.and_then(|_| plan.line_of_hooks()));
        tell_file(change, line, printer);
        if let Some(entry) = entry {
            tell_entry(plan, entry, printer);
        }
        if let Some(hooks) = hooks {
            tell_hooks(hooks, printer);
        }
        if let Some(backup) = &change.backup {
            printer.result(format_args!("  backup: {}", backup.display()));
        }
    }
    tell_what_holds(plan, dry_run, printer);
    if let Some(setting) = plan.hooks.as_ref().and_then(|hooks| hooks.turned_off.as_ref()) {
        let agent = plan.agent.name;
        printer.warn(format_args!(
            "`{setting}` has {agent} run no hooks, so that no guard is asked; change that setting"
        ));
    }
    if plan.agent.splits_names
        && plan.name.contains('_')
        && entry.is_some_and(|it| it != Action::Removed)
    {
        let agent = plan.agent.name;
        printer.warn(format_args!(
            "{agent} takes what stands behind `_` in the name of a server for the name of a tool in its \
             policies; --name {} has none",
            plan.name.replace('_', "-")
        ));
    }
}

fn json_of(plan: &Plan, dry_run: bool) -> Value {
    let mut json = json!({
        "agent": plan.agent.id,
        "scope": scope(plan.scope),
        "name": plan.name,
        "dry_run": dry_run,
    });
    if let Some(entry) = &plan.entry {
        json["key"] = plan.agent.key.into();
        add_file(&mut json, entry, plan, plan.line_of_entry());
        if entry.action != Action::Removed {
            json["entry"] = entry.what.value(plan.agent);
        }
    }
    if let Some(PlannedHooks { hook, events, turned_off, .. }) = &plan.hooks {
        let mut hooks = json!({ "events": events, "turned_off": turned_off });
        add_file(&mut hooks, hook, plan, plan.line_of_hooks());
        if hook.action != Action::Removed {
            hooks["command"] = hook.what.command.as_str().into();
        }
        json["hooks"] = hooks;
    }
    json
}

fn add_file<T>(json: &mut Value, planned: &Planned<T>, plan: &Plan, line: Option<usize>) {
    let change = &plan.files[planned.file];
    json["file"] = json!(change.file.path);
    json["line"] = json!(line);
    json["action"] = action(planned.action).into();
    json["new_file"] = change.file.text.is_none().into();
    json["deleted_file"] = change.deletes().into();
    json["backup"] = json!(change.backup);
}

pub(super) fn done(action: Action, dry_run: bool) -> String {
    match action {
        Action::Unchanged => "is there already".to_owned(),
        action if dry_run => format!("would be {}", self::action(action)),
        action => self::action(action).to_owned(),
    }
}

fn tell_file(change: &FileChange, line: Option<usize>, printer: &mut Printer) {
    let line = line.map(|line| format!(", line {line}")).unwrap_or_default();
    let new = match (change.file.text.is_none(), change.deletes()) {
        (true, _) => ", a new file",
        (_, true) => ", a file that has nothing else and goes with it",
        _ => "",
    };
    printer.result(format_args!("  {}{line}{new}", change.file.path.display()));
}

/// The lines of the entry; of one that was replaced only that it was.
fn tell_entry(plan: &Plan, entry: &Planned<Entry>, printer: &mut Printer) {
    let place = format!("{}.{}", plan.agent.key, entry.what.name);
    if entry.action == Action::Replaced {
        printer.result(text!("  {RED}- {place}: {{..}}{RED:#}"));
    }
    let members = entry.what.members(plan.agent);
    let members: Vec<_> =
        members.map(|(name, value)| format!("{name:?}: {}", spaced(&value))).collect();
    let shown = match entry.what.mcp() {
        Some(mcp) if entry.action == Action::Removed => {
            format!("{place}: {}", Entry::targets(&mcp).join(", "))
        }
        _ => format!("{place}: {{{}}}", members.join(", ")),
    };
    tell_change(entry.action, &shown, printer);
}

fn tell_hooks(hooks: &PlannedHooks, printer: &mut Printer) {
    let Planned { what: hook, action, .. } = &hooks.hook;
    if *action == Action::Replaced {
        printer.result(text!("  {RED}- hooks: {{..}}{RED:#}"));
    }
    let runs = if *action == Action::Removed { hook.target.shown() } else { &hook.command };
    tell_change(*action, &format!("hooks.{{{}}}: {runs}", hooks.events.join(", ")), printer);
}

fn tell_change(action: Action, shown: &str, printer: &mut Printer) {
    match action {
        Action::Added | Action::Replaced => printer.result(text!("  {GREEN}+ {shown}{GREEN:#}")),
        Action::Removed => printer.result(text!("  {RED}- {shown}{RED:#}")),
        Action::Unchanged => {}
    }
}

/// What guards hold for, since whoever installs one takes it for one that the agent asks; and what is to be
/// done next.
fn tell_what_holds(plan: &Plan, dry_run: bool, printer: &mut Printer) {
    let is_in = plan.entry.as_ref().is_some_and(|it| it.action.is_in());
    let hooks = plan.hooks.as_ref().filter(|it| it.hook.action.is_in());
    let agent = plan.agent.name;
    let holds = match (&plan.hooks, plan.agent.hooks) {
        (Some(hooks), _) => hooks.table.holds.to_owned(),
        (None, Some(_)) => format!(
            "if it has guards, they hold for its own tools and not for those of {agent}; with --hooks they \
             hold for both"
        ),
        (None, None) => format!(
            "if it has guards, they hold for its own tools and not for those of {agent}, for which no hooks \
             are written"
        ),
    };
    let mut lines = Vec::new();
    if is_in || hooks.is_some() {
        lines.push(holds.as_str());
    }
    if is_in && !dry_run {
        let in_project = plan.agent.next_in_project;
        let is_in_project = plan.scope == Scope::Project && !in_project.is_empty();
        lines.push(if is_in_project { in_project } else { plan.agent.next });
    }
    if let Some(hooks) = hooks.filter(|_| !dry_run) {
        lines.push(hooks.table.next);
    }
    for line in lines.into_iter().filter(|line| !line.is_empty()) {
        printer.result(text!("  {DIM}{line}{DIM:#}"));
    }
}

pub(super) fn scope(scope: Scope) -> &'static str {
    match scope {
        Scope::Project => "project",
        Scope::User => "user",
    }
}

pub(super) fn action(action: Action) -> &'static str {
    match action {
        Action::Added => "added",
        Action::Replaced => "replaced",
        Action::Unchanged => "unchanged",
        Action::Removed => "removed",
    }
}
