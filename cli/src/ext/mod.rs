//! `extline ext`: extensions that are found without being named: installed, listed, trusted, switched.
//!
//! Nothing of an extension is run here, but an installer of its language where a person wants its environment made.

mod archive;
mod audit;
pub(crate) mod beside;
mod copy;
mod describe;
mod environment;
mod install;
mod limits;
mod list;
mod logs;
mod place;
mod remove;
mod room;
mod source;
mod status;
pub(crate) mod trust;
mod update;
mod validate;
mod zipped;

pub(crate) use self::logs::Follower;

use std::env;
use std::path::PathBuf;

use extline_host::discovery::{Discovery, Found, Layer, Verdict, switch_extension};
use extline_host::{EnvironmentKind, default_home, file};
use serde_json::json;

use crate::args::{Ext, ExtAction, ExtNames};
use crate::exit::Exit;
use crate::failure::{Failure, nearest};
use crate::interrupt::Interrupts;
use crate::printer::Printer;

/// Why nothing was done.
#[derive(Debug)]
pub(crate) struct Refused {
    exit: Exit,
    why: String,
}

impl Refused {
    /// It was asked for in a wrong way.
    fn usage(why: &str) -> Self {
        Self { exit: Exit::Usage, why: why.to_owned() }
    }

    /// What is there does not allow it.
    fn file(why: &str) -> Self {
        Self { exit: Exit::ToolError, why: why.to_owned() }
    }

    /// A person, or the system, ended it.
    fn interrupted(exit: Exit) -> Self {
        Self { exit, why: "interrupted".to_owned() }
    }

    fn is_interrupted(&self) -> bool {
        matches!(self.exit, Exit::Interrupted | Exit::Terminated)
    }

    /// The same, with what became of it in front.
    fn because(self, fact: &str) -> Self {
        Self { why: format!("{fact}: {}", self.why), ..self }
    }

    /// Tells it where it belongs, and returns the exit code.
    pub(crate) fn report(&self, printer: &mut Printer) -> Exit {
        match self.exit {
            Exit::Usage => Failure::of_usage(&self.why).report(printer),
            exit if self.is_interrupted() => {
                printer.error(&self.why);
                exit
            }
            _ => Failure::of_file(&self.why).report(printer),
        }
    }
}

pub(crate) async fn run(ext: Ext, mut printer: Printer) -> Exit {
    let outcome = match ext.action {
        // It gives the printer to what it starts.
        ExtAction::Doctor(doctor) => return status::doctor(*doctor, printer).await,
        ExtAction::Describe(describe) => return describe::run(describe, printer),
        ExtAction::Logs(logs) => logs::run(&logs, &mut printer).await,
        ExtAction::Status(status) => status::status(&status, &mut printer),
        ExtAction::Validate(validate) => Ok(validate::run(&validate, &mut printer)),
        ExtAction::Audit(audit) => audit::run(&audit, &mut printer),
        ExtAction::List(list) => list::run(&list, &mut printer),
        ExtAction::Install(install) => install::run(&install, &mut printer).await,
        ExtAction::Update(update) => update::run(&update, &mut printer).await,
        ExtAction::Remove(remove) => remove::run(&remove, &mut printer).await,
        ExtAction::Enable(names) => switch(&names, true, &mut printer),
        ExtAction::Disable(names) => switch(&names, false, &mut printer),
        ExtAction::Trust(trust) => trust::run(&trust, &mut printer).await,
        ExtAction::Untrust(names) => trust::untrust(&names, &mut printer),
    };
    let code = outcome.unwrap_or_else(|refused| refused.report(&mut printer));
    printer.finish(code)
}

/// From then on Ctrl-C ends what is waited for or made, and no longer the process.
fn listen() -> Result<Interrupts, Refused> {
    Interrupts::listen()
        .map_err(|error| Refused::file(&format!("cannot listen for Ctrl-C: {error}")))
}

fn cwd() -> Result<PathBuf, Refused> {
    env::current_dir()
        .map_err(|error| Refused::file(&format!("there is no present folder: {error}")))
}

fn discovery() -> Result<Discovery, Refused> {
    Discovery::of_user(&cwd()?).map_err(|error| Refused::file(&error.to_string()))
}

/// Those that `extline run` starts: the given ones, and those that are installed. On a terminal the person is asked
/// about those of the project that nobody has trusted; of others that do not run it is said why.
pub(crate) async fn installed(
    given: &[PathBuf],
    only_given: bool,
    printer: &mut Printer,
) -> Result<Vec<Found>, Refused> {
    let mut discovery = given.iter().fold(discovery()?, Discovery::with);
    if only_given {
        discovery = discovery.only_given();
    }
    let found = trust::ask_about(discovery, printer).await?;
    for one in &found {
        let is_told = match one.verdict {
            Verdict::Broken(_) | Verdict::Unfit { .. } | Verdict::Shadowed { .. } => true,
            Verdict::SwitchedOff { .. } | Verdict::Disabled { .. } => one.layer == Layer::Given,
            _ => false,
        };
        if let Some(why) = one.verdict.why().filter(|_| is_told) {
            printer.warn(format_args!("{} is not started: {why}", one.name));
        }
        if let Verdict::Runs { .. } = one.verdict {
            // What is missing of others is in the diagnosis of why they do not start.
            let missing = one.missing();
            for missing in missing.iter().filter(|it| it.kind == EnvironmentKind::Node) {
                let command = missing.command(&one.path);
                printer.warn(format_args!("{}: {missing}: `{command}` makes it", one.name));
            }
        }
    }
    Ok(found)
}

/// Those that were found under that name, or in that folder.
fn named<'f>(found: &'f [Found], name: &str) -> Result<Vec<&'f Found>, Refused> {
    let path = file::real(name).ok();
    let is_it = |it: &&Found| it.name == name || Some(&it.path) == path.as_ref();
    let those: Vec<_> = found.iter().filter(is_it).collect();
    if those.is_empty() {
        let meant = nearest(name, found.iter().map(|it| it.name.as_str()));
        let meant = meant.map(|it| format!(", did you mean {it}?")).unwrap_or_default();
        let text = format!("there is no extension {name}{meant}; `extline ext list` has all");
        return Err(Refused::usage(&text));
    }
    Ok(those)
}

fn switch(names: &ExtNames, enabled: bool, printer: &mut Printer) -> Result<Exit, Refused> {
    let found = discovery()?.find();
    let home = default_home();
    for name in &names.names {
        // What is no more there may be enabled again all the same.
        let name = match named(&found, name) {
            Ok(those) => those[0].name.clone(),
            Err(_) if enabled => name.clone(),
            Err(failure) => return Err(failure),
        };
        let changed = switch_extension(&home, &name, enabled)
            .map_err(|error| Refused::file(&error.to_string()))?;
        let word = if enabled { "enabled" } else { "disabled" };
        let was = if changed { "" } else { "already " };
        printer.tell(
            format_args!("{name} is {was}{word}, from the next start on"),
            &json!({"name": name, "enabled": enabled, "changed": changed}),
        );
    }
    if enabled {
        tell_of_those_that_stay_off(&names.names, printer)?;
    }
    Ok(Exit::Ok)
}

/// A manifest and the settings may say otherwise than a person who enables an extension.
fn tell_of_those_that_stay_off(names: &[String], printer: &mut Printer) -> Result<(), Refused> {
    let is_off = |one: &&Found| {
        matches!(one.verdict, Verdict::SwitchedOff { .. } | Verdict::Disabled { .. })
    };
    let found = discovery()?.find();
    for one in found.iter().filter(|one| names.contains(&one.name)).filter(is_off) {
        let why = one.verdict.why().unwrap_or_default();
        printer.warn(format_args!("{} does not run all the same: {why}", one.name));
    }
    Ok(())
}
