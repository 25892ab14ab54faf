//! What tells that no file of a folder was written, without reading any.

use std::fs::{self, Metadata};
use std::path::Path;

use sha2::{Digest, Sha256};

use crate::trust::text_of;

/// A folder with more files takes longer to look at than an extension to start.
const MOST_FILES: usize = 20_000;
const DEEPEST: usize = 64;

/// One text for the paths, sizes, times and places of all files; `None` where something cannot be read, or is too much.
pub(super) fn of(dir: &Path) -> Option<String> {
    let mut lines = Vec::new();
    add(dir, dir, 0, &mut lines)?;
    // A folder is read in any order.
    lines.sort_unstable();
    let mut digest = Sha256::new();
    for line in &lines {
        digest.update(line);
    }
    Some(text_of(digest))
}

fn add(root: &Path, folder: &Path, depth: usize, lines: &mut Vec<String>) -> Option<()> {
    if depth > DEEPEST {
        return None;
    }
    for entry in folder.read_dir().ok()? {
        let entry = entry.ok()?;
        let path = entry.path();
        let found = entry.metadata().ok()?;
        if found.is_dir() {
            add(root, &path, depth + 1, lines)?;
            continue;
        }
        let name = path.strip_prefix(root).unwrap_or(&path).to_str()?;
        // What a link leads to counts too.
        let end = if found.is_symlink() { fs::metadata(&path).ok() } else { None };
        let end = end.as_ref().map(place).unwrap_or_default();
        lines.push(format!("{name}\0{}\0{end}\0", place(&found)));
        if lines.len() > MOST_FILES {
            return None;
        }
    }
    Some(())
}

#[cfg(unix)]
fn place(found: &Metadata) -> String {
    use std::os::unix::fs::MetadataExt;
    let (time, nanos) = (found.ctime(), found.ctime_nsec());
    let modified = (found.mtime(), found.mtime_nsec());
    format!("{} {} {time}.{nanos} {modified:?} {:o}", found.len(), found.ino(), found.mode())
}

#[cfg(not(unix))]
fn place(found: &Metadata) -> String {
    format!("{} {:?}", found.len(), found.modified().ok())
}
