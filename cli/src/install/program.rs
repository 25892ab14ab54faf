//! What an entry starts, in full paths: an agent starts it in whatever folder it likes.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};

use clap::error::ErrorKind;

use super::entry::Entry;
use crate::args::{Install, Program};
use crate::target::{program_of, usage};

/// Agents replace these by variables, or hand them to a shell.
const REPLACED: [&str; 4] = ["$", "`", "{env:", "{file:"];
/// Some agents put the name before those of tools, and allow 64 characters for both.
const NAME_CHARS: usize = 40;

/// What is to be installed.
pub(super) struct Meant {
    pub(super) entry: Entry,
    /// Its manifest says that it has guards.
    pub(super) has_guards: bool,
}

/// What is meant. The inner `Err` says why there is nothing, and what to do.
pub(super) fn meant_by(install: &Install) -> Result<Result<Meant, String>, clap::Error> {
    if install.dir.is_some() && !install.program.words.is_empty() {
        let message = "give either DIR or a program behind `--`, not both";
        return Err(usage("install", ErrorKind::ArgumentConflict, message));
    }
    // Also looks whether it can be started at all.
    let runnable = match program_of("install", install.dir.as_ref(), &install.program)? {
        Ok(runnable) => runnable,
        Err(why) => return Ok(Err(why)),
    };
    let manifest = runnable.manifest();
    let has_guards = manifest.is_some_and(|manifest| !manifest.guards.is_empty());
    let name = manifest.map(|manifest| manifest.name.clone());
    let name = install.name.clone().or(name).unwrap_or_default();
    let args = match &install.dir {
        Some(dir) => dir_words(Path::new(dir)),
        None => program_words(&install.program),
    };
    Ok(check_name(&name).and_then(|()| {
        let entry = Entry { name, command: own_path()?, args: args? };
        check_words(&entry)?;
        Ok(Meant { entry, has_guards })
    }))
}

/// The full path of a folder as it was given: a link in it may lead elsewhere later.
pub(super) fn full_path(path: &Path) -> Result<PathBuf, String> {
    let full = std::path::absolute(path).map_err(|error| format!("{}: {error}", path.display()))?;
    // `a/..` is `.` where `a` is no link.
    let has_parents = full.components().any(|it| it == std::path::Component::ParentDir);
    let full = if has_parents { extline_host::file::real(&full).unwrap_or(full) } else { full };
    // Without a separator at its end.
    Ok(full.components().collect())
}

/// Whether both paths are of one folder, which may be gone.
pub(super) fn same_folder(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| fs::canonicalize(path).ok();
    one == other || real(one).is_some_and(|one| real(other) == Some(one))
}

fn dir_words(dir: &Path) -> Result<Vec<String>, String> {
    Ok(vec!["mcp".to_owned(), text(full_path(dir)?.into_os_string())?])
}

fn program_words(program: &Program) -> Result<Vec<String>, String> {
    let mut words = program.words.iter();
    let first = words.next().cloned().unwrap_or_default();
    let found = if Path::new(&first).components().count() > 1 {
        full_path(Path::new(&first))?
    } else {
        in_path(&first).ok_or_else(|| format!("{} is not in PATH", first.display()))?
    };
    let mut args = vec!["mcp".to_owned(), "--".to_owned(), text(found.into_os_string())?];
    for word in words {
        let path = Path::new(word);
        if path.is_relative() && path.exists() {
            return Err(format!(
                "{} is a path from the present folder, in which no agent starts it; write {}",
                path.display(),
                full_path(path)?.display()
            ));
        }
        args.push(text(word.clone())?);
    }
    Ok(args)
}

/// The path of this program as it was called, where that still leads here: a link in PATH outlives the
/// version that it leads to.
fn own_path() -> Result<String, String> {
    let own = env::current_exe();
    let own = own.map_err(|error| format!("the path of this program is unknown: {error}"))?;
    let called = env::args_os().next().and_then(|word| {
        let path = Path::new(&word);
        if path.components().count() > 1 { std::path::absolute(path).ok() } else { in_path(&word) }
    });
    let same = |path: &PathBuf| {
        let (called, own) = (fs::canonicalize(path), fs::canonicalize(&own));
        called.is_ok_and(|called| own.is_ok_and(|own| called == own))
    };
    let is_named = |path: &PathBuf| path.file_stem().is_some_and(|stem| stem == "extline");
    let path = called.filter(same).filter(is_named).unwrap_or_else(|| own.clone());
    if !is_named(&path) {
        return Err(format!(
            "this program is called {}, and an entry is recognized by the name extline; call it that",
            path.display()
        ));
    }
    text(path.into_os_string())
}

fn in_path(name: &OsStr) -> Option<PathBuf> {
    let folders = env::var_os("PATH")?;
    env::split_paths(&folders).filter(|it| it.is_absolute()).find_map(|folder| {
        let path = folder.join(name);
        let path = if cfg!(windows) && path.extension().is_none() {
            path.with_extension("exe")
        } else {
            path
        };
        is_program(&path).then_some(path)
    })
}

fn is_program(path: &Path) -> bool {
    let Ok(metadata) = fs::metadata(path) else { return false };
    #[cfg(unix)]
    let may_run = std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o111 != 0;
    #[cfg(not(unix))]
    let may_run = true;
    metadata.is_file() && may_run
}

fn text(word: OsString) -> Result<String, String> {
    word.into_string().map_err(|word| {
        format!("{} is not UTF-8, as a configuration file is; rename it", word.display())
    })
}

fn check_name(name: &str) -> Result<(), String> {
    let is_plain = |it: char| it.is_ascii_alphanumeric() || it == '-' || it == '_';
    if !name.is_empty() && name.len() <= NAME_CHARS && name.chars().all(is_plain) {
        return Ok(());
    }
    Err(format!(
        "{name:?} is no name that every agent takes for a server: it is 1 to {NAME_CHARS} letters, \
         digits, dashes and underscores; give another one with --name"
    ))
}

fn check_words(entry: &Entry) -> Result<(), String> {
    for word in std::iter::once(&entry.command).chain(&entry.args) {
        if let Some(replaced) = REPLACED.iter().find(|it| word.contains(**it)) {
            return Err(format!(
                "{word} holds `{replaced}`, which agents replace by something else; rename it"
            ));
        }
    }
    Ok(())
}
