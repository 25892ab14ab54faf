//! zot, which runs extensions itself: they are copied into its folder, as its own `zot ext install` does. There is
//! no file to edit, and the guards of an extension hold as they do in zot.

use std::fmt::Display;
use std::fs;
use std::path::{Path, PathBuf};

use extline_host::Manifest;
use extline_host::discovery::zot_home;
use serde_json::{Value, json};

use super::entry::Entry;
use super::plan::{Action, Wanted};
use super::program::same_folder;
use super::report::{action, done, scope as word};
use crate::agents::{Scope, ZOT};
use crate::ext::beside::{self, Copied};
use crate::printer::Printer;
use crate::styled::{BOLD, DIM, Text, YELLOW, text};

const NEXT: &str = "a session that runs already does not have it; `/reload-ext` loads it";
/// Characters that are shown of a name.
const NAME_CHARS: usize = 100;

/// What is to become of one extension.
pub(super) struct Copy {
    scope: Scope,
    name: String,
    /// Where it is, or will be.
    path: PathBuf,
    from: Option<PathBuf>,
    action: Action,
    copied: Option<Copied>,
}

/// Why there is nothing to do.
pub(super) enum NoCopy {
    Refused(String),
    /// It was asked for in a wrong way, or is not there.
    Usage(String),
}

impl Copy {
    pub(super) fn of(scope: Scope, project: &Path, wanted: &Wanted) -> Result<Self, NoCopy> {
        let root = root(scope, project).map_err(NoCopy::Refused)?;
        match wanted {
            Wanted::Entry { entry, force, .. } => Self::into(scope, &root, entry, *force),
            Wanted::Gone(what) => Self::out_of(scope, &root, what),
        }
    }

    fn into(scope: Scope, root: &Path, entry: &Entry, force: bool) -> Result<Self, NoCopy> {
        let [_, dir] = entry.args.as_slice() else {
            let why = "zot runs the folder of an extension, and a program behind `--` is none";
            return Err(NoCopy::Usage(why.to_owned()));
        };
        let (from, path) = (PathBuf::from(dir), root.join(&entry.name));
        let manifest = Manifest::read(&from).map_err(|it| NoCopy::Refused(it.to_string()))?;
        // It would start both, and one of them is never ended.
        let twin =
            extensions(root).into_iter().find(|it| *it != path && is_called(it, &manifest.name));
        if let Some(twin) = twin {
            let twin = twin.display();
            return Err(NoCopy::Refused(format!(
                "{twin} is an extension of that name too, and zot would start both; take that one out first"
            )));
        }
        let is_there = path.symlink_metadata().is_ok();
        let is_same = beside::origin(&path).is_some_and(|it| same_folder(&it, &from));
        let action = match (is_there, is_same && beside::is_as_copied(&path, &from)) {
            (false, _) => Action::Added,
            (true, true) => Action::Unchanged,
            (true, false) if force => Action::Replaced,
            (true, false) => {
                let what = if is_same {
                    "and what it was copied from has changed since; --force copies it again"
                } else {
                    "and was not copied from this folder; --force puts this one in its place, --name gives \
                     another name"
                };
                let path = path.display();
                return Err(NoCopy::Refused(format!("{path} is there already, {what}")));
            }
        };
        let from = Some(from);
        Ok(Self { scope, name: entry.name.clone(), path, from, action, copied: None })
    }

    fn out_of(scope: Scope, root: &Path, what: &str) -> Result<Self, NoCopy> {
        let all = extensions(root);
        let is_meant = |path: &&PathBuf| {
            path.file_name().is_some_and(|name| name == what)
                || is_called(path, what)
                || beside::origin(path).is_some_and(|from| same_folder(&from, Path::new(what)))
        };
        let Some(path) = all.iter().find(is_meant) else {
            let names = all.iter().filter(|path| beside::origin(path).is_some());
            let names: Vec<_> = names.map(|path| name_of(path)).collect();
            let there = match &*names.join(", ") {
                "" => "none is installed there".to_owned(),
                names => format!("installed there: {names}"),
            };
            let root = root.display();
            return Err(NoCopy::Usage(format!("{what} is not in {root}\n  {there}")));
        };
        let Some(from) = beside::origin(path) else {
            return Err(NoCopy::Refused(format!(
                "{} was not copied there by this program; `zot ext remove` takes it out",
                path.display()
            )));
        };
        Ok(Self {
            scope,
            name: name_of(path),
            path: path.clone(),
            from: Some(from),
            action: Action::Removed,
            copied: None,
        })
    }

    /// What may fail, before anything is changed anywhere.
    pub(super) fn prepare(&mut self, printer: &mut Printer) -> Result<(), String> {
        if let (true, Some(from), Some(root)) =
            (self.action.is_in(), &self.from, self.path.parent())
        {
            self.copied = Some(Copied::of(from, root, printer)?);
        }
        Ok(())
    }

    pub(super) fn carry_out(&mut self) -> Result<(), String> {
        if self.action == Action::Removed {
            return beside::remove(&self.path);
        }
        self.copied.take().map_or(Ok(()), |copied| copied.put(&self.name))
    }

    pub(super) fn tell(&self, dry_run: bool, printer: &mut Printer) {
        let path = self.path.display();
        if printer.json {
            printer.json(&json!({
                "agent": ZOT,
                "scope": word(self.scope),
                "name": self.name,
                "dry_run": dry_run,
                "folder": self.path,
                "from": self.from,
                "action": action(self.action),
            }));
            return;
        }
        let what = done(self.action, dry_run);
        printer.result(format_args!("zot: {BOLD}{}{BOLD:#} {what}", self.name));
        let from = self.from.as_ref().map(|from| from.display());
        let mut line = |shown: &dyn Display| printer.result(format_args!("  {shown}"));
        match (self.action, from) {
            (Action::Added | Action::Replaced, Some(from)) => {
                line(&format_args!("{path}, a copy of {from}"));
            }
            _ => line(&path),
        }
        if self.action.is_in() && !dry_run {
            line(&text!("{DIM}{NEXT}{DIM:#}"));
        }
    }
}

/// The extensions that zot has in one scope.
pub(super) struct Found {
    scope: Scope,
    root: PathBuf,
    extensions: Vec<PathBuf>,
}

/// Those of both scopes, where there are any.
pub(super) fn look(project: &Path) -> Vec<Found> {
    let found = [Scope::User, Scope::Project].into_iter().filter_map(|scope| {
        let root = root(scope, project).ok()?;
        let extensions = extensions(&root);
        Some(Found { scope, root, extensions }).filter(|it| !it.extensions.is_empty())
    });
    found.collect()
}

impl Found {
    pub(super) fn show(&self, printer: &mut Printer) {
        printer.result(format_args!("  {} ({})", self.root.display(), word(self.scope)));
        for path in &self.extensions {
            let name = Text::line(&name_of(path), NAME_CHARS);
            let Some(from) = beside::origin(path) else {
                printer.result(text!("    {name}  {DIM}another extension{DIM:#}"));
                continue;
            };
            printer.result(text!("    {BOLD}{name}{BOLD:#}  a copy of {}", from.display()));
            if !beside::is_as_copied(path, &from) {
                printer.result(text!("      {YELLOW}which has changed since{YELLOW:#}"));
            }
        }
    }

    pub(super) fn json(&self) -> Value {
        let extensions = self.extensions.iter().map(|path| {
            let from = beside::origin(path);
            json!({ "name": name_of(path), "ours": from.is_some(), "from": from })
        });
        let extensions: Vec<_> = extensions.collect();
        json!({ "agent": ZOT, "scope": word(self.scope), "folder": self.root, "extensions": extensions })
    }
}

/// The folder of a scope.
fn root(scope: Scope, project: &Path) -> Result<PathBuf, String> {
    if scope == Scope::Project {
        return Ok(project.join(".zot/extensions"));
    }
    let home = zot_home().ok_or_else(|| {
        let of_person = if cfg!(windows) { "LOCALAPPDATA" } else { "HOME" };
        format!(
            "{of_person} is not set to an absolute path; set it or ZOT_HOME, or use --scope project"
        )
    })?;
    Ok(home.join("extensions"))
}

/// The folders with a manifest, as zot looks at them: it follows no links.
fn extensions(root: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(root).into_iter().flatten().flatten();
    let folders = entries.filter(|entry| entry.file_type().is_ok_and(|it| it.is_dir()));
    let paths = folders.map(|entry| entry.path());
    let mut paths: Vec<_> = paths
        .filter(|path| {
            !name_of(path).starts_with('.') && path.join(extline_host::MANIFEST).exists()
        })
        .collect();
    paths.sort();
    paths
}

fn is_called(path: &Path, name: &str) -> bool {
    Manifest::read(path).is_ok_and(|manifest| manifest.name == name)
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
