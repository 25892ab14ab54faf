//! `extline ext install`: fetched, checked beside the place, and put in place whole.

use std::borrow::Cow;
use std::fs;
use std::path::Path;

use extline_host::discovery::Discovery;
use extline_host::trust::{Tree, TrustDecision};
use extline_host::{Manifest, default_home};
use serde_json::json;

use super::Refused;
use super::copy::Copy;
use super::cwd;
use super::place::{Place, failure};
use super::source::{RECORD, Source};
use super::trust::command_line;
use crate::args::ExtInstall;
use crate::exit::Exit;
use crate::printer::Printer;
use crate::styled::{BOLD, DIM, Text};

/// Characters that are shown of a line that others wrote.
const LINE_CHARS: usize = 1000;

pub(super) fn run(install: &ExtInstall, printer: &mut Printer) -> Result<Exit, Refused> {
    let cwd = cwd()?;
    let mut source = Source::of(&install.source, install.sha256.as_deref())
        .map_err(|why| Refused::usage(&why))?;
    let place = Place::open(install.project, &cwd)?;
    let staging = place.stage().map_err(|error| failure(&place.folder, &error))?;
    let done = put(install, &mut source, &place, &staging);
    if staging.exists() {
        // What could not be put in place is of no use, and the reason is told.
        let _ = fs::remove_dir_all(&staging);
    }
    let manifest = done?;
    let folder = place.folder.join(&manifest.name);
    if install.project {
        // Who installs it has seen it; the others of the project are asked on their own machines.
        trust(&folder, &cwd)?;
    }
    tell(&manifest, &source, &folder, printer);
    Ok(Exit::Ok)
}

fn put(
    install: &ExtInstall,
    source: &mut Source,
    place: &Place,
    staging: &Path,
) -> Result<Manifest, Refused> {
    let wrong = |why: String| Refused::file(&format!("nothing was installed: {why}"));
    let from = source.fetch(staging).map_err(wrong)?;
    // Before a gigabyte is copied.
    Manifest::read(&from).map_err(|error| wrong(error.to_string()))?;
    let staged = staging.join("extension");
    fs::create_dir(&staged).map_err(|error| failure(&staged, &error))?;
    Copy::all(&from, &staged, &place.folder).map_err(wrong)?;
    let manifest = Manifest::read(&staged).map_err(|error| wrong(error.to_string()))?;
    let record = json!({ "version": 1, "source": source });
    let file = staged.join(RECORD);
    fs::write(&file, format!("{record:#}\n")).map_err(|error| failure(&file, &error))?;
    let name = &manifest.name;
    let target = place.folder.join(name);
    if target.symlink_metadata().is_ok() && !install.replace {
        let version = Manifest::read(&target).map(|it| it.version).unwrap_or_default();
        return Err(wrong(format!(
            "{name} {version} is installed in {}; --replace puts this one in its place",
            target.display()
        )));
    }
    place.put(&staged, name).map_err(|error| failure(&target, &error))?;
    Ok(manifest)
}

fn trust(folder: &Path, cwd: &Path) -> Result<(), Refused> {
    let wrong =
        |why: String| Refused::file(&format!("it was installed, and is not trusted: {why}"));
    let tree = Tree::read(folder).map_err(|error| wrong(error.to_string()))?;
    let discovery = Discovery::new(&default_home(), cwd);
    let store = discovery.map_err(|error| wrong(error.to_string()))?.trust_store();
    let kept = store.keep(folder, &tree, TrustDecision::Trusted);
    kept.map(drop).map_err(|error| wrong(error.to_string()))
}

fn tell(manifest: &Manifest, source: &Source, folder: &Path, printer: &mut Printer) {
    let (name, line) = (&manifest.name, command_line(manifest));
    let needs = needs(folder);
    if printer.json {
        printer.json(&json!({
            "installed": name,
            "version": manifest.version,
            "path": folder,
            "source": source,
            "runs": line,
            "needs": needs,
        }));
        return;
    }
    printer.result(format_args!(
        "installed {BOLD}{name}{BOLD:#} {} {DIM}{}{DIM:#}",
        Text::line(&manifest.version, LINE_CHARS),
        folder.display()
    ));
    printer.result(format_args!("  from  {}", Text::line(&source.to_string(), LINE_CHARS)));
    printer.result(format_args!("  runs  {}", Text::line(&line, LINE_CHARS)));
    for need in needs {
        printer.result(format_args!("  first {need}"));
    }
}

/// What has to be done before it runs: nothing of this is done here, as it runs what others wrote.
fn needs(folder: &Path) -> Vec<String> {
    let has = |name: &str| folder.join(name).exists();
    let at = shlex::try_quote(&folder.to_string_lossy()).map(Cow::into_owned);
    let Ok(at) = at else { return Vec::new() };
    let mut needs = Vec::new();
    if has("package.json") && !has("node_modules") {
        let command = if has("package-lock.json") { "npm ci" } else { "npm install" };
        needs.push(format!("cd {at} && {command}"));
    }
    if has("requirements.txt") && !has(".venv") {
        needs.push(format!(
            "cd {at} && python3 -m venv .venv && .venv/bin/pip install -r requirements.txt"
        ));
    }
    if has("Cargo.toml") && !has("target") {
        needs.push(format!("cd {at} && cargo build --release"));
    }
    needs
}
