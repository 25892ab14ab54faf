//! `extline install`, `extline uninstall` and `extline discover`: extensions as MCP servers and as hooks in
//! the configuration of agents.
//!
//! A change is planned for all files of all agents first (`plan.rs`), and nothing is written where one of
//! them refuses, or cannot be written (`change.rs`). What is known of agents is data, in
//! `agents/`. zot has no file, and gets a copy (`zot` beside this).

mod change;
mod discover;
mod discover_hooks;
mod edit;
#[cfg(test)]
mod edit_tests;
mod entry;
mod file;
mod hook;
mod hook_edit;
mod json_edit;
mod json_text;
mod paths;
mod plan;
mod plan_in;
mod plan_out;
mod problem;
mod program;
mod report;
mod shim;
mod toml_text;
mod zot;

use std::env;
use std::path::Path;

use serde_json::{Map, Value, json};

use crate::agents::{self, AGENTS, Agent, Scope, Syntax, ZOT};
use crate::args::{Install, Place, Uninstall};
use crate::exit::Exit;
use crate::failure::{Failure, nearest};
use crate::printer::Printer;

use self::change::{Outcome, carry_out, nothing_written};
use self::file::ConfigFile;
use self::plan::{NoPlan, Plan, Wanted};
use self::problem::Refusal;
use self::program::Meant;

pub(crate) use self::discover::run as discover;

/// What a file of an agent says, whatever its syntax.
pub(crate) fn settings_of(file: &Path) -> Result<Map<String, Value>, String> {
    let read = ConfigFile::read(file.to_owned()).map_err(|refusal| refusal.0)?;
    let Some(text) = &read.text else {
        return Err(format!("{}: there is no such file", file.display()));
    };
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let settings = if file.extension().is_some_and(|it| it == "toml") {
        toml_text::read(text)
    } else {
        json_text::read(text, Syntax::Jsonc, "mcpServers")
    };
    settings.map_err(|problem| problem.of(file).0)
}

/// The hooks of an agent as a file of their own, each of which runs this line: for its packages.
pub(crate) fn hooks_of(agent: &str, line: &str) -> Option<Value> {
    let table = AGENTS.iter().find(|it| it.id == agent)?.hooks?;
    let lists = table.events.iter().map(|event| {
        let list = vec![hook::element(line, table, event).value()];
        (event.name.to_owned(), Value::from(list))
    });
    Some(json!({ hook_edit::KEY: Value::Object(lists.collect()) }))
}

pub(crate) fn install(install: &Install, mut printer: Printer) -> Result<Exit, clap::Error> {
    let Meant { entry, has_guards } = match program::meant_by(install)? {
        Ok(meant) => meant,
        Err(why) => return Ok(fail(&why, &mut printer, Exit::Usage)),
    };
    if install.hooks
        && let Some(why) = no_hooks(&install.place.agents)
    {
        return Ok(fail(&why, &mut printer, Exit::Usage));
    }
    let hooks = install.hooks || (has_guards && !install.no_hooks);
    let wanted = Wanted::Entry { entry, hooks, force: install.force };
    Ok(change(&install.place, &wanted, printer))
}

/// Why there are no hooks for one of the agents.
fn no_hooks(names: &[String]) -> Option<String> {
    let agents = names.iter().filter_map(|name| AGENTS.iter().find(|agent| agent.id == name));
    let without = agents.into_iter().find(|agent| agent.hooks.is_none())?;
    Some(format!(
        "no hooks are written for {}; leave --hooks out\n  agents that have hooks: {}",
        without.name,
        agents::names_with_hooks().join(", ")
    ))
}

pub(crate) fn uninstall(uninstall: &Uninstall, printer: Printer) -> Exit {
    change(&uninstall.place, &Wanted::Gone(uninstall.what.clone()), printer)
}

fn change(place: &Place, wanted: &Wanted, mut printer: Printer) -> Exit {
    let (zot, names): (Vec<_>, Vec<_>) = place.agents.iter().cloned().partition(|name| name == ZOT);
    let agents = match chosen(&names) {
        Ok(agents) => agents,
        Err(why) => return fail(&why, &mut printer, Exit::Usage),
    };
    let cwd = env::current_dir().unwrap_or_default();
    let zot = (!zot.is_empty()).then(|| zot::Copy::of(place.scope, &cwd, wanted)).transpose();
    let mut zot = match zot {
        Ok(zot) => zot,
        Err(zot::NoCopy::Usage(why)) => return fail(&why, &mut printer, Exit::Usage),
        Err(zot::NoCopy::Refused(why)) => {
            return fail(&nothing_written(&Refusal(why)), &mut printer, Exit::ToolError);
        }
    };
    let mut plans = Vec::new();
    for agent in agents {
        match plan(agent, place.scope, &cwd, wanted) {
            Ok(plan) => plans.push(plan),
            Err(NoPlan::Refused(why)) => {
                return fail(&nothing_written(&why), &mut printer, Exit::ToolError);
            }
            Err(NoPlan::Absent(why)) => return fail(&why, &mut printer, Exit::Usage),
        }
    }
    if !place.dry_run {
        let prepared = zot.as_mut().map_or(Ok(()), |zot| zot.prepare(&mut printer));
        let mut files: Vec<_> = plans.iter_mut().flat_map(|plan| &mut plan.files).collect();
        let written = prepared
            .map_err(|why| nothing_written(&Refusal(why)))
            .and_then(|()| carry_out(&mut files))
            .and_then(|()| zot.as_mut().map_or(Ok(()), zot::Copy::carry_out));
        if let Err(why) = written {
            return fail(&why, &mut printer, Exit::ToolError);
        }
    }
    for plan in &plans {
        report::tell(plan, place.dry_run, &mut printer);
    }
    if let Some(zot) = zot {
        zot.tell(place.dry_run, &mut printer);
    }
    printer.finish(Exit::Ok)
}

fn fail(why: &str, printer: &mut Printer, exit: Exit) -> Exit {
    if exit == Exit::Usage {
        return Failure::of_usage(why).report(printer);
    }
    Failure::of_file(why).report(printer)
}

/// What is to become of the files of one agent. None is written that cannot be.
fn plan(
    agent: &'static Agent,
    scope: Scope,
    project: &Path,
    wanted: &Wanted,
) -> Result<Plan, NoPlan> {
    let plan = match wanted {
        Wanted::Entry { entry, hooks, force } => {
            let hooks = agent.hooks.filter(|_| *hooks);
            plan_in::plan(agent, scope, project, entry, hooks, *force)?
        }
        Wanted::Gone(what) => plan_out::plan(agent, scope, project, what)?,
    };
    for change in &plan.files {
        if !matches!(change.outcome, Outcome::Nothing) {
            change.file.check_writable()?;
        }
    }
    Ok(plan)
}

/// The agents of these names, each once.
fn chosen(names: &[String]) -> Result<Vec<&'static Agent>, String> {
    let mut chosen: Vec<&'static Agent> = Vec::new();
    for name in names {
        let Some(agent) = AGENTS.iter().find(|agent| agent.id == name) else {
            let known: Vec<_> = agents::names().into_iter().map(str::to_owned).collect();
            let meant = nearest(name, &known).map(|it| format!("; did you mean {it}?"));
            return Err(format!(
                "unknown agent {name}{}\n  agents: {}",
                meant.unwrap_or_default(),
                known.join(", ")
            ));
        };
        if !chosen.iter().any(|it| it.id == agent.id) {
            chosen.push(agent);
        }
    }
    Ok(chosen)
}
