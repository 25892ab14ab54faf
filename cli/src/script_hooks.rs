//! The script hooks of a run: the user's, those of the project once somebody trusts them, and those of --hooks.

use std::path::Path;

use extline_host::{ScriptHooks, default_home};

use crate::args::Hooks;
use crate::printer::Printer;
use crate::styled::{DIM, Text};
use crate::trust::{NotStarted, Trust};

/// The file of the project, below the present folder.
const PROJECT: &str = ".extline/hooks.toml";
/// Characters that are shown of a command line.
const LINE_CHARS: usize = 1000;

/// All of them. `Err` where a file cannot be used: who wants something checked wants no run without it.
pub(crate) async fn all(
    hooks: &Hooks,
    printer: &mut Printer,
) -> Result<Vec<ScriptHooks>, NotStarted> {
    let read = |file: &Path| ScriptHooks::read(file).map_err(|error| error.to_string());
    let mut all = Vec::new();
    if !hooks.none {
        let own = default_home().join("hooks.toml");
        if own.exists() {
            all.push(read(&own)?);
        }
        let of_project = Path::new(PROJECT);
        if of_project.exists() {
            all.extend(trusted(read(of_project)?, hooks, printer).await?);
        }
    }
    for file in &hooks.files {
        // Who names a file wants it.
        all.push(read(file)?);
    }
    Ok(all)
}

/// Those of the project, where somebody trusts just these.
async fn trusted(
    found: ScriptHooks,
    hooks: &Hooks,
    printer: &mut Printer,
) -> Result<Option<ScriptHooks>, NotStarted> {
    let mut trust = Trust::read("hooks", "--hooks-trust", &hooks.trusted);
    let digest = found.digest().to_owned();
    if trust.has(&digest) {
        return Ok(Some(found));
    }
    printer.say(format_args!("{PROJECT} {DIM}({digest}){DIM:#}"));
    for line in found.lines() {
        printer.say(format_args!("  {}", Text::line(&line, LINE_CHARS)));
    }
    let is_trusted = trust.ask(&digest, PROJECT, printer).await?;
    Ok(is_trusted.then_some(found))
}
