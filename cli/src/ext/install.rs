//! `extline ext install`: fetched, checked beside the place, and put in place whole.

use std::fs;
use std::path::{Path, PathBuf};

use extline_host::discovery::Discovery;
use extline_host::trust::{Tree, TrustDecision};
use extline_host::{Manifest, default_home, sandbox_limits};
use serde_json::json;

use super::copy::Copy;
use super::place::{Place, failure};
use super::source::{RECORD, Source};
use super::trust::command_line;
use super::{Refused, cwd, environment, listen};
use crate::args::ExtInstall;
use crate::exit::Exit;
use crate::printer::Printer;
use crate::styled::{BOLD, DIM, Text};

/// Characters that are shown of a line that others wrote.
const LINE_CHARS: usize = 1000;

/// What is whole beside its place, and not in it yet.
pub(super) struct Staged {
    pub(super) folder: PathBuf,
    pub(super) manifest: Manifest,
    /// Its files as they came.
    pub(super) tree: Tree,
}

pub(super) async fn run(install: &ExtInstall, printer: &mut Printer) -> Result<Exit, Refused> {
    let cwd = cwd()?;
    let mut source = Source::of(&install.source, install.sha256.as_deref())
        .map_err(|why| Refused::usage(&why))?;
    let place = Place::open(install.project, &cwd)?;
    let staging = place.stage().map_err(|error| failure(&place.folder, &error))?;
    let done = put(install, &mut source, &place, &staging, printer).await;
    if staging.exists() {
        // What could not be put in place is of no use, and the reason is told.
        let _ = fs::remove_dir_all(&staging);
    }
    let manifest = done.map_err(|refused| refused.because("nothing was installed"))?;
    let folder = place.folder.join(&manifest.name);
    if install.project {
        // Who installs it has seen it; the others of the project are asked on their own machines.
        trust(&folder, &cwd)?;
    }
    tell(&manifest, &source, &folder, printer);
    Ok(Exit::Ok)
}

async fn put(
    install: &ExtInstall,
    source: &mut Source,
    place: &Place,
    staging: &Path,
    printer: &mut Printer,
) -> Result<Manifest, Refused> {
    let staged = stage(source, place, staging, printer)?;
    let name = &staged.manifest.name;
    let target = place.folder.join(name);
    if target.symlink_metadata().is_ok() && !install.replace {
        let version = Manifest::read(&target).map(|it| it.version).unwrap_or_default();
        return Err(Refused::file(&format!(
            "{name} {version} is installed in {}; --replace puts this one in its place",
            target.display()
        )));
    }
    let wanted = environment::wanted(&staged.manifest, &staged.folder);
    if environment::are_agreed(&wanted, install.yes, printer).await? {
        let mut interrupts = listen()?;
        environment::make(&wanted, &staged.folder, &target, &mut interrupts, printer).await?;
    }
    place.put(&staged.folder, name).map_err(|error| failure(&target, &error))?;
    Ok(staged.manifest)
}

/// Fetches it, checks it, and copies it into the folder for what is not whole yet, with where it comes from.
pub(super) fn stage(
    source: &mut Source,
    place: &Place,
    staging: &Path,
    printer: &mut Printer,
) -> Result<Staged, Refused> {
    let wrong = |why: String| Refused::file(&why);
    printer.progress(&format!("fetching {source}"));
    let from = source.fetch(staging).map_err(wrong)?;
    // Before a gigabyte is copied.
    Manifest::read(&from).map_err(|error| wrong(error.to_string()))?;
    let folder = staging.join("extension");
    fs::create_dir(&folder).map_err(|error| failure(&folder, &error))?;
    printer.progress("copying");
    Copy::all(&from, &folder, &place.folder).map_err(wrong)?;
    printer.clear_progress();
    let manifest = Manifest::read(&folder).map_err(|error| wrong(error.to_string()))?;
    // Installers of packages write files too; those are no changes of the extension.
    let tree = Tree::read(&folder).map_err(|error| wrong(error.to_string()))?;
    let record = json!({ "version": 1, "source": source, "files": tree.files() });
    let file = folder.join(RECORD);
    fs::write(&file, format!("{record:#}\n")).map_err(|error| failure(&file, &error))?;
    Ok(Staged { folder, manifest, tree })
}

pub(super) fn trust(folder: &Path, cwd: &Path) -> Result<(), Refused> {
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
    let limits = sandbox_limits(manifest, folder, &cwd().unwrap_or_default());
    let missing = environment::missing(manifest, folder);
    let needs: Vec<_> = missing.iter().map(|one| one.command(folder)).collect();
    if printer.json {
        printer.json(&json!({
            "installed": name,
            "version": manifest.version,
            "path": folder,
            "source": source,
            "runs": line,
            "limits": limits,
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
    for limit in limits {
        printer.result(format_args!("  limit {}", Text::line(&limit, LINE_CHARS)));
    }
    for need in needs {
        printer.result(format_args!("  first {need}"));
    }
}
