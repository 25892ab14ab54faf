//! `extline ext update`: again from where it came.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use extline_host::discovery::{Discovery, Verdict};
use extline_host::file::read_text;
use extline_host::trust::Change;
use extline_host::{Manifest, default_home, nearest};
use serde::Deserialize;
use serde_json::{Value, json};

use super::install::{Staged, stage, trust};
use super::place::{Place, failure};
use super::source::{RECORD, Source};
use super::{Refused, cwd, environment, listen};
use crate::args::ExtUpdate;
use crate::exit::Exit;
use crate::interrupt::Interrupts;
use crate::printer::Printer;
use crate::question;
use crate::styled::{BOLD, DIM, Text, YELLOW, counted};

/// A line for each file.
const RECORD_BYTES: u64 = 32 * 1024 * 1024;
/// Files that are shown of those that change, and characters of a line.
const FILES: usize = 20;
const LINE_CHARS: usize = 500;

/// One that was installed from somewhere.
struct Installed {
    name: String,
    version: String,
    path: PathBuf,
    source: Source,
    /// Its files as they came, with the digest of each.
    files: BTreeMap<String, String>,
}

/// What `install` keeps.
#[derive(Deserialize)]
struct Record {
    source: Source,
    files: BTreeMap<String, String>,
}

/// What came of one.
enum Outcome {
    Same,
    /// There is something, and nobody wants it.
    Kept(Changes),
    Updated(Changes),
}

/// What is to be done about one.
enum Looked {
    Told(Outcome),
    Wanted(Box<Staged>, Changes),
}

/// What is otherwise.
struct Changes {
    version: String,
    source: Source,
    files: Vec<Change>,
}

pub(super) async fn run(update: &ExtUpdate, printer: &mut Printer) -> Result<Exit, Refused> {
    if !update.yes && !update.check && !question::is_terminal() {
        let text = "nobody is there to ask: --yes updates, and --check only tells";
        return Err(Refused::usage(text));
    }
    let cwd = cwd()?;
    let place = Place::open(update.project, &cwd)?;
    let installed = wanted(&place, &update.names)?;
    if installed.is_empty() {
        printer.say(format_args!("nothing in {} can be updated", place.folder.display()));
    }
    let staging = place.stage().map_err(|error| failure(&place.folder, &error))?;
    let done = all(&installed, update, &place, &staging, printer).await;
    fs::remove_dir_all(&staging).map_err(|error| failure(&staging, &error))?;
    done
}

async fn all(
    installed: &[Installed],
    update: &ExtUpdate,
    place: &Place,
    staging: &Path,
    printer: &mut Printer,
) -> Result<Exit, Refused> {
    // All questions come first: a person is not kept waiting for the next one.
    let mut interrupts = listen()?;
    let mut looked = Vec::new();
    for (index, one) in installed.iter().enumerate() {
        let staging = staging.join(index.to_string());
        fs::create_dir(&staging).map_err(|error| failure(&staging, &error))?;
        let found = look(one, update, place, &staging, printer).await;
        if let Some(exit) = interrupts.pending().await {
            return Err(Refused::interrupted(exit).because("nothing was updated"));
        }
        match found {
            Err(refused) if refused.is_interrupted() => {
                return Err(refused.because("nothing was updated"));
            }
            found => looked.push(found),
        }
    }
    let (mut told, mut exit) = (Vec::new(), Exit::Ok);
    for (one, looked) in installed.iter().zip(looked) {
        let outcome = match looked {
            Ok(Looked::Told(outcome)) => Ok(outcome),
            Ok(Looked::Wanted(staged, changes)) => {
                let made = put(one, &staged, update, place, &mut interrupts, printer).await;
                made.map(|()| Outcome::Updated(changes))
            }
            Err(refused) => Err(refused),
        };
        match outcome {
            Ok(outcome) => {
                outcome.tell(one, printer);
                told.push(outcome.json(one));
            }
            Err(refused) => {
                let refused = refused.because(&format!("{} was not updated", one.name));
                if refused.is_interrupted() {
                    return Err(refused);
                }
                exit = Exit::ToolError;
                printer.error(&refused.why);
                told.push(json!({"name": one.name, "outcome": "failed", "why": refused.why}));
            }
        }
    }
    if printer.json {
        printer.json(&json!({ "extensions": told }));
    }
    Ok(exit)
}

/// Those with these names, or all that came from somewhere.
fn wanted(place: &Place, names: &[String]) -> Result<Vec<Installed>, Refused> {
    let folders = place.folder.read_dir().map_err(|error| failure(&place.folder, &error))?;
    let mut all: Vec<_> =
        folders.flatten().filter_map(|entry| Installed::read(&entry.path())).collect();
    all.sort_by(|one, other| one.name.cmp(&other.name));
    for name in names {
        if !all.iter().any(|one| one.name == *name) {
            let meant = nearest(name, all.iter().map(|one| one.name.as_str()));
            let meant = meant.map(|it| format!(", did you mean {it}?")).unwrap_or_default();
            return Err(Refused::usage(&format!(
                "{name} was not installed in {} by `extline ext install`{meant}",
                place.folder.display()
            )));
        }
    }
    all.retain(|one| names.is_empty() || names.contains(&one.name));
    Ok(all)
}

/// Fetches what is there now, and asks where it is otherwise.
async fn look(
    one: &Installed,
    update: &ExtUpdate,
    place: &Place,
    staging: &Path,
    printer: &mut Printer,
) -> Result<Looked, Refused> {
    let mut source = one.source.clone().anew();
    let staged = stage(&mut source, place, staging, printer)?;
    if staged.manifest.name != one.name {
        return Err(Refused::file(&format!(
            "what is there now is called {}: `extline ext install` installs it",
            staged.manifest.name
        )));
    }
    let files = staged.tree.changes_since(&one.files);
    if files.is_empty() {
        return Ok(Looked::Told(Outcome::Same));
    }
    let changes = Changes { version: staged.manifest.version.clone(), source, files };
    if update.check {
        return Ok(Looked::Told(Outcome::Kept(changes)));
    }
    if !update.yes {
        changes.show(one, printer);
        environment::show(&environment::wanted(&staged.manifest, &staged.folder), printer);
        let agreed = question::is_agreed("Update it?", printer).await;
        if !agreed.map_err(Refused::interrupted)? {
            return Ok(Looked::Told(Outcome::Kept(changes)));
        }
    }
    Ok(Looked::Wanted(Box::new(staged), changes))
}

/// In place of the old one, with its packages. Who has trusted that has seen now what changes, and wants it.
async fn put(
    one: &Installed,
    staged: &Staged,
    update: &ExtUpdate,
    place: &Place,
    interrupts: &mut Interrupts,
    printer: &mut Printer,
) -> Result<(), Refused> {
    let wanted = environment::wanted(&staged.manifest, &staged.folder);
    environment::make(&wanted, &staged.folder, &one.path, interrupts, printer).await?;
    let cwd = cwd()?;
    let was_trusted = update.project && is_trusted(&one.path, &cwd)?;
    place.put(&staged.folder, &one.name).map_err(|error| failure(&one.path, &error))?;
    if was_trusted {
        trust(&one.path, &cwd)?;
    }
    Ok(())
}

fn is_trusted(path: &Path, cwd: &Path) -> Result<bool, Refused> {
    let discovery = Discovery::new(&default_home(), cwd);
    let found = discovery.map_err(|error| Refused::file(&error.to_string()))?.find();
    let is_it = |verdict: &Verdict| matches!(verdict, Verdict::Runs { digest: Some(_) });
    Ok(found.iter().any(|one| one.path == path && is_it(&one.verdict)))
}

/// Where the extension in a folder was installed from, if it was.
pub(super) fn origin(path: &Path) -> Option<Source> {
    record(path).map(|record| record.source)
}

/// What a link leads to was put there by a person.
fn record(path: &Path) -> Option<Record> {
    let is_link = path.symlink_metadata().ok()?.is_symlink();
    let text = read_text(path.join(RECORD), RECORD_BYTES).ok().filter(|_| !is_link)?;
    serde_json::from_str(&text).ok()
}

/// Where an installed extension comes from, and its files as they came.
pub(super) fn record_of(path: &Path) -> Option<(Source, BTreeMap<String, String>)> {
    let Record { source, files } = record(path)?;
    Some((source, files))
}

impl Installed {
    /// What cannot be read was not installed by this command.
    fn read(path: &Path) -> Option<Self> {
        let Record { source, files } = record(path)?;
        let name = path.file_name()?.to_str()?.to_owned();
        let version = Manifest::read(path).map(|manifest| manifest.version).unwrap_or_default();
        Some(Self { name, version, path: path.to_owned(), source, files })
    }
}

impl Changes {
    fn show(&self, one: &Installed, printer: &mut Printer) {
        printer.say(format_args!("{} {DIM}from {}{DIM:#}", self.title(one), self.source));
        for change in self.files.iter().take(FILES) {
            let change = Text::line(&change.to_string(), LINE_CHARS);
            printer.say(format_args!("  {YELLOW}{change}{YELLOW:#}"));
        }
        if let more @ 1.. = self.files.len().saturating_sub(FILES) {
            printer.say(format_args!("  {YELLOW}and {more} more{YELLOW:#}"));
        }
    }

    fn title(&self, one: &Installed) -> Text {
        let versions = match (&*one.version, &*self.version) {
            (old, new) if old == new => old.to_owned(),
            (old, new) => format!("{old} -> {new}"),
        };
        let versions = Text::line(&versions, LINE_CHARS);
        Text::of(format_args!("{BOLD}{}{BOLD:#} {versions}", one.name))
    }
}

impl Outcome {
    fn word(&self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::Kept(_) => "available",
            Self::Updated(_) => "updated",
        }
    }

    fn tell(&self, one: &Installed, printer: &mut Printer) {
        if printer.json {
            return;
        }
        match self {
            Self::Same => printer.result(format_args!("{} is as it is there", one.name)),
            Self::Kept(changes) | Self::Updated(changes) => {
                let (title, word) = (changes.title(one), self.word());
                let files = counted(changes.files.len(), "file");
                printer.result(format_args!(
                    "{word} {title} {DIM}{files}, from {}{DIM:#}",
                    Text::line(&changes.source.to_string(), LINE_CHARS)
                ));
            }
        }
    }

    fn json(&self, one: &Installed) -> Value {
        let changes = match self {
            Self::Same => None,
            Self::Kept(changes) | Self::Updated(changes) => Some(changes),
        };
        json!({
            "name": one.name,
            "path": one.path,
            "outcome": self.word(),
            "version": one.version,
            "new_version": changes.map(|it| &it.version),
            "source": changes.map_or(&one.source, |it| &it.source),
            "changes": changes.map(|it| &it.files),
        })
    }
}
