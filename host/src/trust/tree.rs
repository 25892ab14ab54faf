//! All files of a folder, and one digest over them.

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};
use std::fs::{self, Metadata};
use std::io::Read;
use std::path::{Path, PathBuf};

use serde::Serialize;
use sha2::{Digest, Sha256};
use thiserror::Error;

use crate::file::open;

/// More files than this, or more bytes, are not read.
const MOST_FILES: usize = 50_000;
const MOST_BYTES: u64 = 2 * 1024 * 1024 * 1024;
/// Folders within folders.
const DEEPEST: usize = 64;

const CHANGES: &str = "it changes while it is read";

/// What stands in a folder: each file by its path in the folder, with a digest of its content, of whether it may be
/// executed, and of where it leads if it is a link.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tree {
    files: BTreeMap<String, String>,
    bytes: u64,
}

/// A file that is otherwise than before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "change", content = "file")]
#[non_exhaustive]
pub enum Change {
    /// It is new.
    Added(String),
    /// It is gone.
    Removed(String),
    /// It has another content, may be executed now, or leads elsewhere.
    Changed(String),
}

/// A folder that cannot be trusted, since nobody can say what is in it.
#[derive(Debug, Error)]
#[error("{}: {problem}", file.display())]
pub struct TreeError {
    file: PathBuf,
    problem: String,
}

impl Tree {
    /// Reads all files of a folder. Nothing is run, and no link is followed into another folder.
    ///
    /// # Errors
    ///
    /// Something cannot be read; is neither a file, a folder nor a link; changes while it is read; leads, as a link, to
    /// a folder elsewhere; or it is too much: more than 50,000 files or 2 GiB.
    pub fn read(dir: &Path) -> Result<Self, TreeError> {
        let root = fs::canonicalize(dir).map_err(|error| wrong(dir, &error))?;
        let mut tree = Self::default();
        tree.add_folder(&root, &root, 0)?;
        Ok(tree)
    }

    /// The digest over all of it: `sha256:` and 64 digits.
    pub fn digest(&self) -> String {
        let mut digest = Sha256::new();
        for (path, content) in &self.files {
            digest.update(path.as_bytes());
            digest.update([0]);
            digest.update(content.as_bytes());
            digest.update([0]);
        }
        text_of(digest)
    }

    /// The files, with the digest of each.
    pub fn files(&self) -> &BTreeMap<String, String> {
        &self.files
    }

    /// What is otherwise than it was, by path.
    pub fn changes_since(&self, before: &BTreeMap<String, String>) -> Vec<Change> {
        let gone = before.keys().filter(|path| !self.files.contains_key(*path));
        let mut changes: Vec<_> = gone.map(|path| Change::Removed(path.clone())).collect();
        for (path, content) in &self.files {
            match before.get(path) {
                None => changes.push(Change::Added(path.clone())),
                Some(was) if was != content => changes.push(Change::Changed(path.clone())),
                Some(_) => {}
            }
        }
        changes.sort_by(|one, other| one.file().cmp(other.file()));
        changes
    }

    fn add_folder(&mut self, root: &Path, folder: &Path, depth: usize) -> Result<(), TreeError> {
        if depth > DEEPEST {
            return Err(wrong(folder, &"its folders are nested too deep"));
        }
        let before = fs::symlink_metadata(folder).map_err(|error| wrong(folder, &error))?;
        if !before.is_dir() {
            return Err(wrong(folder, &CHANGES));
        }
        for entry in folder.read_dir().map_err(|error| wrong(folder, &error))? {
            let path = entry.map_err(|error| wrong(folder, &error))?.path();
            let found = fs::symlink_metadata(&path).map_err(|error| wrong(&path, &error))?;
            if found.is_dir() {
                self.add_folder(root, &path, depth + 1)?;
                continue;
            }
            let content =
                if found.is_symlink() { self.link(root, &path)? } else { self.content(&path)? };
            let name = path.strip_prefix(root).unwrap_or(&path).to_str();
            let name = name.ok_or_else(|| wrong(&path, &"its name is not UTF-8"))?;
            self.files.insert(name.to_owned(), content);
            // It was no other file in between, such as a link.
            let still = fs::symlink_metadata(&path).map_err(|error| wrong(&path, &error))?;
            same(&path, &found, &still)?;
            if self.files.len() > MOST_FILES {
                return Err(wrong(root, &format_args!("it has more than {MOST_FILES} files")));
            }
        }
        let after = fs::symlink_metadata(folder).map_err(|error| wrong(folder, &error))?;
        same(folder, &before, &after)
    }

    /// Where a link leads. What it leads to counts too where it is a file elsewhere: one in the folder counts itself.
    fn link(&mut self, root: &Path, path: &Path) -> Result<String, TreeError> {
        let target = fs::read_link(path).map_err(|error| wrong(path, &error))?;
        let named = format!("link {}", target.to_string_lossy());
        let Ok(end) = fs::canonicalize(path) else { return Ok(named) };
        if end.starts_with(root) {
            return Ok(named);
        }
        if end.is_dir() {
            let text = format!("it is a link to {}, outside of the extension", end.display());
            return Err(wrong(path, &text));
        }
        Ok(format!("{named} {}", self.content(&end)?))
    }

    fn content(&mut self, path: &Path) -> Result<String, TreeError> {
        let mut file = open(path).map_err(|error| wrong(path, &error))?;
        let before = file.metadata().map_err(|error| wrong(path, &error))?;
        self.bytes += before.len();
        if self.bytes > MOST_BYTES {
            return Err(wrong(path, &"the extension has more than 2 GiB"));
        }
        let mut digest = Sha256::new();
        let mut bytes = vec![0; 64 * 1024];
        let mut read = 0;
        loop {
            match file.read(&mut bytes).map_err(|error| wrong(path, &error))? {
                0 => break,
                count => {
                    digest.update(&bytes[..count]);
                    read += count as u64;
                }
            }
            if read > before.len() {
                return Err(wrong(path, &CHANGES));
            }
        }
        let after = file.metadata().map_err(|error| wrong(path, &error))?;
        same(path, &before, &after)?;
        let mode = if is_executable(&before) { "x" } else { "-" };
        Ok(format!("{mode} {}", text_of(digest)))
    }
}

impl Change {
    /// The file, by its path in the folder.
    pub fn file(&self) -> &str {
        match self {
            Self::Added(file) | Self::Removed(file) | Self::Changed(file) => file,
        }
    }
}

impl fmt::Display for Change {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (what, file) = match self {
            Self::Added(file) => ("new", file),
            Self::Removed(file) => ("gone", file),
            Self::Changed(file) => ("changed", file),
        };
        write!(formatter, "{what} {file}")
    }
}

fn wrong(file: &Path, problem: &dyn fmt::Display) -> TreeError {
    TreeError { file: file.to_owned(), problem: problem.to_string() }
}

/// Whether nothing was written meanwhile.
fn same(path: &Path, before: &Metadata, after: &Metadata) -> Result<(), TreeError> {
    #[cfg(unix)]
    let stamp = |found: &Metadata| {
        use std::os::unix::fs::MetadataExt;
        (found.len(), found.ino(), found.ctime(), found.ctime_nsec(), found.mode())
    };
    #[cfg(not(unix))]
    let stamp = |found: &Metadata| (found.len(), found.modified().ok());
    if stamp(before) == stamp(after) {
        return Ok(());
    }
    Err(wrong(path, &CHANGES))
}

#[cfg(unix)]
fn is_executable(found: &Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    found.permissions().mode() & 0o111 != 0
}

#[cfg(not(unix))]
fn is_executable(_found: &Metadata) -> bool {
    false
}

pub(crate) fn text_of(digest: Sha256) -> String {
    let mut text = "sha256:".to_owned();
    for byte in digest.finalize() {
        // Writing into a string cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs::Permissions;
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn every_byte_mode_and_link_counts() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        let tree = || Tree::read(dir.path()).unwrap();
        fs::create_dir(at("sub")).unwrap();
        fs::write(at("sub/a"), "one").unwrap();
        fs::write(at("b"), "two").unwrap();
        symlink("b", at("link")).unwrap();
        let first = tree();
        assert_eq!(first.files().keys().collect::<Vec<_>>(), ["b", "link", "sub/a"]);
        assert_eq!(first.digest(), tree().digest());

        let mut digests = vec![first.digest()];
        let mut changed = |what: &[Change]| {
            let now = tree();
            assert_eq!(now.changes_since(first.files()), what);
            assert!(!digests.contains(&now.digest()));
            digests.push(now.digest());
        };
        fs::write(at("sub/a"), "onf").unwrap();
        changed(&[Change::Changed("sub/a".to_owned())]);
        fs::write(at("sub/a"), "one").unwrap();
        fs::set_permissions(at("b"), Permissions::from_mode(0o755)).unwrap();
        changed(&[Change::Changed("b".to_owned())]);
        fs::set_permissions(at("b"), Permissions::from_mode(0o644)).unwrap();
        fs::remove_file(at("link")).unwrap();
        symlink("sub/a", at("link")).unwrap();
        changed(&[Change::Changed("link".to_owned())]);
        fs::remove_file(at("link")).unwrap();
        fs::write(at("new"), "").unwrap();
        changed(&[Change::Removed("link".to_owned()), Change::Added("new".to_owned())]);
        // The bytes of one file cannot be taken for those of another.
        fs::rename(at("new"), at("neu")).unwrap();
        changed(&[Change::Removed("link".to_owned()), Change::Added("neu".to_owned())]);
    }

    #[test]
    fn what_a_link_leads_to_counts_and_a_folder_elsewhere_is_refused() {
        let (dir, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let file = elsewhere.path().join("run.sh");
        fs::write(&file, "one").unwrap();
        symlink(&file, dir.path().join("run.sh")).unwrap();
        let first = Tree::read(dir.path()).unwrap().digest();
        fs::write(&file, "two").unwrap();
        assert_ne!(first, Tree::read(dir.path()).unwrap().digest());
        symlink(elsewhere.path(), dir.path().join("lib")).unwrap();
        let error = Tree::read(dir.path()).unwrap_err().to_string();
        assert!(error.contains("outside of the extension"), "{error}");
    }

    #[test]
    fn a_pipe_is_refused_and_not_waited_for() {
        let dir = tempfile::tempdir().unwrap();
        let made = std::process::Command::new("mkfifo").arg(dir.path().join("pipe")).status();
        assert!(made.unwrap().success());
        let error = Tree::read(dir.path()).unwrap_err().to_string();
        assert!(error.contains("a pipe"), "{error}");
    }
}
