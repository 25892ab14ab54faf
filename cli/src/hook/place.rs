//! Where hooks find the extensions that run for them: a folder of the user alone, with a socket for each
//! set of extensions in each project.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde::Deserialize;

use super::channel::folder;
use super::dialects::Dialect;

/// The files of one set of extensions.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) socket: PathBuf,
    /// Held by whoever starts them.
    pub(super) lock: PathBuf,
    /// What they say on stderr, and what goes wrong.
    pub(super) log: PathBuf,
    /// The folder that they work in.
    pub(super) project: PathBuf,
}

/// The words of the command line that differ between hooks of the same extensions.
const OF_ONE_HOOK: [&str; 3] = ["--agent", "--event", "--within"];

impl Place {
    /// That of the extensions of this command line, in the project of this hook.
    pub(super) fn of(
        dialect: &Dialect,
        words: &[OsString],
        dirs: &[OsString],
    ) -> Result<Self, String> {
        let folder = folder()?;
        let project = project(dialect);
        let mut hasher = DefaultHasher::new();
        (env!("CARGO_PKG_VERSION"), words, &project).hash(&mut hasher);
        // A newer program, and a changed extension, are started anew.
        for file in env::current_exe().into_iter().chain(files(dirs, &project)) {
            changed(&file).hash(&mut hasher);
            file.hash(&mut hasher);
        }
        let name = format!("{:016x}", hasher.finish());
        let file = |end: &str| folder.join(format!("{name}.{end}"));
        Ok(Self { socket: file("sock"), lock: file("lock"), log: file("log"), project })
    }
}

/// What is to be said to the process that runs the extensions: all but what belongs to one hook.
pub(super) fn shared_words(words: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut words = words.into_iter();
    let mut shared = Vec::new();
    while let Some(word) = words.next() {
        if word == "--" {
            shared.push(word);
            break;
        }
        if OF_ONE_HOOK.iter().any(|own| word == *own) {
            words.next();
        } else if !OF_ONE_HOOK.iter().any(|own| begins(&word, own)) {
            shared.push(word);
        }
    }
    shared.extend(words);
    shared
}

/// `--agent=claude`.
fn begins(word: &OsStr, name: &str) -> bool {
    let rest = word.as_encoded_bytes().strip_prefix(name.as_bytes());
    rest.is_some_and(|rest| rest.starts_with(b"="))
}

/// The agent's own word for the project, or else the present folder.
fn project(dialect: &Dialect) -> PathBuf {
    let named = (!dialect.project.is_empty()).then(|| env::var_os(dialect.project)).flatten();
    let named = named.map(PathBuf::from).filter(|it| it.is_absolute() && it.is_dir());
    named.unwrap_or_else(|| env::current_dir().unwrap_or_default())
}

/// What the extensions are made of, as far as it can be told from their folders: the manifest, the program
/// and the files that it is given, and what stands beside these of their kind, as other modules of Python.
fn files(dirs: &[OsString], project: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for dir in dirs {
        let dir = project.join(dir);
        let manifest = dir.join(extline_host::MANIFEST);
        let Command { exec, args } = fs::read(&manifest)
            .ok()
            .and_then(|text| serde_json::from_slice(&text).ok())
            .unwrap_or_default();
        let own = exec.into_iter().chain(args).map(|word| dir.join(word)).filter(|it| it.is_file());
        for file in own {
            if let (Some(kind), Some(folder)) = (file.extension(), file.parent()) {
                let entries = fs::read_dir(folder).into_iter().flatten().flatten();
                files.extend(entries.map(|it| it.path()).filter(|it| it.extension() == Some(kind)));
            }
            files.push(file);
        }
        files.push(manifest);
    }
    files.sort();
    files.dedup();
    files
}

/// What a manifest says about the start.
#[derive(Default, Deserialize)]
struct Command {
    exec: Option<String>,
    #[serde(default)]
    args: Vec<String>,
}

fn changed(file: &Path) -> Option<(Option<SystemTime>, u64)> {
    let metadata = fs::metadata(file).ok()?;
    Some((metadata.modified().ok(), metadata.len()))
}
