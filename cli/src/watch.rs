//! The files of an extension, which something is done again for when they change.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// How often the files are looked at.
const TICK: Duration = Duration::from_millis(300);
/// After a change, how long nothing more may change before it is told: an editor or a compiler
/// writes more than one file.
const SETTLED: Duration = Duration::from_millis(200);
/// The most files that are looked at.
const MOST: usize = 10_000;
/// Folders of what tools make, not people.
const MADE: [&str; 5] = ["node_modules", "target", "__pycache__", "venv", "dist"];

/// The files of an extension, and what they were when they were last looked at.
pub(crate) struct Watch {
    roots: Vec<PathBuf>,
    /// What is not to be told of.
    written: Vec<PathBuf>,
    seen: FileTimes,
    /// The file that changed during the last run.
    during: Option<PathBuf>,
}

/// When each file was written, and its size.
type FileTimes = BTreeMap<PathBuf, (SystemTime, u64)>;

impl Watch {
    /// Files and folders, but for those files that are written by who watches.
    pub(crate) fn of(roots: Vec<PathBuf>, written: Vec<PathBuf>) -> Self {
        let mut watch = Self { roots, written, seen: FileTimes::new(), during: None };
        watch.seen = watch.look();
        watch
    }

    /// After a run: the file that somebody changed meanwhile. One that changes in two runs one after
    /// the other is written by the extension, and not watched any more, which is told.
    pub(crate) fn changed_during_run(&mut self, tell: impl FnOnce(&Path)) -> Option<PathBuf> {
        let now = self.look();
        let mut changed = difference(&self.seen, &now);
        self.seen = now;
        if let Some(file) = changed.take_if(|file| self.during.as_ref() == Some(file)) {
            tell(&file);
            self.seen.remove(&file);
            self.written.extend(fs::canonicalize(file));
        }
        self.during.clone_from(&changed);
        changed
    }

    /// Comes back when a file has changed, is gone or is new, and none has since for a moment.
    pub(crate) async fn change(&mut self) -> PathBuf {
        let mut changed = None;
        loop {
            tokio::time::sleep(if changed.is_some() { SETTLED } else { TICK }).await;
            let now = self.look();
            let difference = difference(&self.seen, &now);
            self.seen = now;
            match (difference, &changed) {
                (Some(file), _) => changed = Some(file),
                (None, Some(file)) => return file.clone(),
                (None, None) => {}
            }
        }
    }

    /// How many files are watched.
    pub(crate) fn count(&self) -> usize {
        self.seen.len()
    }

    fn look(&self) -> FileTimes {
        let mut seen = FileTimes::new();
        self.roots.iter().for_each(|root| enter(root, &mut seen));
        for file in &self.written {
            let is_it = |path: &Path| {
                path.file_name() == file.file_name()
                    && fs::canonicalize(path).ok().as_ref() == Some(file)
            };
            seen.retain(|path, _| !is_it(path));
        }
        seen
    }
}

/// A file, or a folder with all that is in it; links to folders are not followed.
fn enter(path: &Path, seen: &mut FileTimes) {
    let Ok(about) = fs::metadata(path) else { return };
    if seen.len() >= MOST {
        return;
    }
    if about.is_file() {
        let written = about.modified().unwrap_or(SystemTime::UNIX_EPOCH);
        seen.insert(path.to_owned(), (written, about.len()));
    }
    if about.is_dir() {
        let entries = fs::read_dir(path).into_iter().flatten().flatten();
        let entries = entries.filter(|entry| !is_made(entry)).map(|entry| entry.path());
        entries.for_each(|entry| enter(&entry, seen));
    }
}

/// Hidden, made by a tool, or a link to a folder.
fn is_made(entry: &fs::DirEntry) -> bool {
    let name = entry.file_name();
    let name = name.to_string_lossy();
    let is_link = entry.file_type().is_ok_and(|it| it.is_symlink());
    name.starts_with('.') || MADE.contains(&&*name) || is_link && entry.path().is_dir()
}

/// A file that is in one and not, or otherwise, in the other.
fn difference(before: &FileTimes, now: &FileTimes) -> Option<PathBuf> {
    let changed = now.iter().find(|(file, about)| before.get(*file) != Some(about));
    let gone = || before.iter().find(|(file, _)| !now.contains_key(*file));
    changed.or_else(gone).map(|(file, _)| file.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_changes_is_found_and_what_tools_make_is_not_looked_at() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let file = folder.path().join(name);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        };
        let look = || {
            let mut seen = FileTimes::new();
            enter(folder.path(), &mut seen);
            seen
        };
        write("src/a.py", "1");
        for made in [".git/index", "node_modules/x/y.js", "src/__pycache__/a.pyc"] {
            write(made, "1");
        }
        let first = look();
        assert_eq!(first.len(), 1, "{first:?}");
        assert_eq!(difference(&first, &look()), None);
        write("src/a.py", "22");
        let second = look();
        assert!(difference(&first, &second).unwrap().ends_with("src/a.py"));
        write("b.py", "1");
        assert!(difference(&second, &look()).unwrap().ends_with("b.py"));
        let third = look();
        fs::remove_file(folder.path().join("b.py")).unwrap();
        assert!(difference(&third, &look()).unwrap().ends_with("b.py"));
    }
}
