//! What was changed, or would be, as text and as JSON. Only what belongs to the entry is shown: what
//! stands around it may be secret.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::entry::Entry;
use super::plan::{Action, Plan};
use crate::args::Scope;
use crate::printer::Printer;
use crate::styled::{BOLD, DIM, GREEN, RED, text};

pub(super) fn tell(plan: &Plan, backup: Option<PathBuf>, dry_run: bool, printer: &mut Printer) {
    if printer.json {
        let mut json = json!({
            "agent": plan.agent.id,
            "scope": scope(plan.scope),
            "file": plan.file.path,
            "line": plan.line(),
            "key": plan.agent.key,
            "name": plan.entry.name,
            "action": action(plan.action),
            "dry_run": dry_run,
            "new_file": plan.file.text.is_none(),
            "deleted_file": plan.deletes(),
            "backup": backup,
        });
        if plan.action != Action::Removed {
            json["entry"] = plan.entry.value(plan.agent);
        }
        printer.json(&json);
        return;
    }
    let would = if dry_run { "would be " } else { "" };
    let done = match plan.action {
        Action::Unchanged => "is there already".to_owned(),
        action => format!("{would}{}", self::action(action)),
    };
    let name = &plan.entry.name;
    printer.result(format_args!("{}: {BOLD}{name}{BOLD:#} {done}", plan.agent.name));
    let line = plan.line().map(|line| format!(", line {line}")).unwrap_or_default();
    let new = match (plan.file.text.is_none(), plan.deletes()) {
        (true, _) => ", a new file",
        (_, true) => ", a file that has nothing else and goes with it",
        _ => "",
    };
    printer.result(format_args!("  {}{line}{new}", plan.file.path.display()));
    tell_change(plan, printer);
    if let Some(backup) = backup {
        printer.result(format_args!("  backup: {}", backup.display()));
    }
    if matches!(plan.action, Action::Added | Action::Replaced) {
        // Whoever installs a guard takes it for one that the agent asks.
        let agent = plan.agent.name;
        let bounds =
            format!("if it has guards, they hold for its own tools and not for those of {agent}");
        printer.result(text!("  {DIM}{bounds}{DIM:#}"));
    }
    if !dry_run && matches!(plan.action, Action::Added | Action::Replaced) {
        let in_project = plan.agent.next_in_project;
        let next = if plan.scope == Scope::Project && !in_project.is_empty() {
            in_project
        } else {
            plan.agent.next
        };
        printer.result(text!("  {DIM}{next}{DIM:#}"));
    }
    if plan.agent.splits_names && name.contains('_') && plan.action != Action::Removed {
        let agent = plan.agent.name;
        printer.warn(format_args!(
            "{agent} takes what stands behind `_` in the name of a server for the name of a tool in its \
             policies; --name {} has none",
            name.replace('_', "-")
        ));
    }
}

/// The lines of the entry; of one that was replaced only that it was.
fn tell_change(plan: &Plan, printer: &mut Printer) {
    let place = format!("{}.{}", plan.agent.key, plan.entry.name);
    if plan.action == Action::Replaced {
        printer.result(text!("  {RED}- {place}: {{..}}{RED:#}"));
    }
    let members = plan.entry.members(plan.agent);
    let members: Vec<_> =
        members.map(|(name, value)| format!("{name:?}: {}", spaced(&value))).collect();
    let shown = match plan.entry.mcp() {
        Some(mcp) if plan.action == Action::Removed => {
            format!("{place}: {}", Entry::targets(&mcp).join(", "))
        }
        _ => format!("{place}: {{{}}}", members.join(", ")),
    };
    match plan.action {
        Action::Added | Action::Replaced => {
            printer.result(text!("  {GREEN}+ {shown}{GREEN:#}"));
        }
        Action::Removed => printer.result(text!("  {RED}- {shown}{RED:#}")),
        Action::Unchanged => {}
    }
}

/// A value in one line, with blanks as people write them.
pub(super) fn spaced(value: &Value) -> String {
    match value {
        Value::Array(elements) => {
            format!("[{}]", elements.iter().map(spaced).collect::<Vec<_>>().join(", "))
        }
        value => value.to_string(),
    }
}

pub(super) fn scope(scope: Scope) -> &'static str {
    match scope {
        Scope::Project => "project",
        Scope::User => "user",
    }
}

fn action(action: Action) -> &'static str {
    match action {
        Action::Added => "added",
        Action::Replaced => "replaced",
        Action::Unchanged => "unchanged",
        Action::Removed => "removed",
    }
}
