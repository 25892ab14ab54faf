//! What became of one file.

use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::file;

/// A larger file is not kept.
const FILE: u64 = 1024 * 1024;

/// So many equal lines stand around those that changed.
const CONTEXT: usize = 3;

/// A file at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Snapshot {
    /// It was not there.
    Missing,
    /// Its content.
    Content(Vec<u8>),
    /// It was there, and its content was not kept: it is over 1 MiB, or no file that can be read.
    NotKept {
        /// Its size.
        bytes: u64,
        /// When it was last changed.
        modified: Option<SystemTime>,
    },
    /// Nobody looked: it was not known that the call would change it.
    Unknown,
}

/// How it is known that a call changed a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Evidence {
    /// The tool told of it, and that was not seen: the file is as it was, or nobody looked before.
    Declared,
    /// It was seen, and the tool did not tell of it.
    Observed,
    /// The tool told of it, and it was seen.
    Both,
}

/// What became of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Change {
    /// The file, from the root of the recorder, without links.
    pub path: PathBuf,
    /// As it was before the first call.
    pub before: Snapshot,
    /// As it was behind the last one.
    pub after: Snapshot,
    /// How that is known.
    pub evidence: Evidence,
    /// The tools that did it, each once.
    pub tools: Vec<String>,
}

impl Snapshot {
    /// The file as it is now. `keeps` says whether its content may be kept.
    pub(super) fn take(path: &Path, keeps: bool) -> Self {
        let metadata = match path.symlink_metadata() {
            Ok(metadata) => metadata,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Self::Missing,
            Err(_) => return Self::NotKept { bytes: 0, modified: None },
        };
        let not_kept = Self::NotKept { bytes: metadata.len(), modified: metadata.modified().ok() };
        if !keeps || !metadata.is_file() || metadata.len() > FILE {
            return not_kept;
        }
        file::read_bytes(path, FILE).map_or(not_kept, Self::Content)
    }

    /// The text, empty where it was missing; `None` where it is not known or no text.
    fn text(&self) -> Option<&str> {
        match self {
            Self::Missing => Some(""),
            Self::Content(bytes) => str::from_utf8(bytes).ok(),
            Self::NotKept { .. } | Self::Unknown => None,
        }
    }

    /// What it takes in memory.
    pub(super) fn memory(&self) -> usize {
        if let Self::Content(bytes) = self { bytes.len() } else { 0 }
    }
}

impl Change {
    /// The change as a unified diff, as views of the kind `diff` have it: one hunk from the first line that changed to the
    /// last. `None` where one of the two is not known or no text, and where they are equal.
    pub fn diff(&self) -> Option<String> {
        let (before, after) = (self.before.text()?, self.after.text()?);
        if before == after {
            return None;
        }
        let name = |snapshot: &Snapshot, side: &str| match snapshot {
            Snapshot::Missing => "/dev/null".to_owned(),
            _ => format!("{side}/{}", self.path.display()),
        };
        let (old, new) = (name(&self.before, "a"), name(&self.after, "b"));
        let mut out = format!("--- {old}\n+++ {new}\n");
        write_hunk(before, after, &mut out);
        Some(out)
    }
}

fn write_hunk(before: &str, after: &str, out: &mut String) {
    let old: Vec<&str> = before.split_inclusive('\n').collect();
    let new: Vec<&str> = after.split_inclusive('\n').collect();
    let common = old.iter().zip(&new).take_while(|(one, other)| one == other).count();
    let rest = old.len().min(new.len()) - common;
    let ends = old.iter().rev().zip(new.iter().rev());
    let at_end = ends.take(rest).take_while(|(one, other)| one == other).count();
    let first = common.saturating_sub(CONTEXT);
    let behind = at_end.min(CONTEXT);
    let (old_end, new_end) = (old.len() - at_end, new.len() - at_end);
    let range = |end: usize| {
        let count = end + behind - first;
        // Of no lines the one before is named.
        (if count == 0 { first } else { first + 1 }, count)
    };
    let ((old_at, old_count), (new_at, new_count)) = (range(old_end), range(new_end));
    // A String takes all that is written.
    let _ = writeln!(out, "@@ -{old_at},{old_count} +{new_at},{new_count} @@");
    let lines = [
        (' ', &old[first..common]),
        ('-', &old[common..old_end]),
        ('+', &new[common..new_end]),
        (' ', &old[old_end..old_end + behind]),
    ];
    for (sign, lines) in lines {
        for line in lines {
            out.push(sign);
            out.push_str(line);
            if !line.ends_with('\n') {
                out.push_str("\n\\ No newline at end of file\n");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn diff(before: Option<&str>, after: Option<&str>) -> Option<String> {
        let of = |text: Option<&str>| {
            text.map_or(Snapshot::Missing, |text| Snapshot::Content(text.as_bytes().to_vec()))
        };
        let (before, after, evidence) = (of(before), of(after), Evidence::Both);
        Change { path: "f".into(), before, after, evidence, tools: Vec::new() }.diff()
    }

    #[test]
    fn a_diff_has_the_lines_around_what_changed() {
        let before = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
        let after = before.replace('5', "five\nand more");
        assert_eq!(
            diff(Some(before), Some(&after)).unwrap(),
            "--- a/f\n+++ b/f\n@@ -2,7 +2,8 @@\n 2\n 3\n 4\n-5\n+five\n+and more\n 6\n 7\n 8\n"
        );
        let added = "--- /dev/null\n+++ b/f\n@@ -0,0 +1,1 @@\n+a\n";
        assert_eq!(diff(None, Some("a\n")).unwrap(), added);
        let removed = "--- a/f\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-a\n";
        assert_eq!(diff(Some("a\n"), None).unwrap(), removed);
        let ended = "--- a/f\n+++ b/f\n@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+a\n";
        assert_eq!(diff(Some("a"), Some("a\n")).unwrap(), ended);
        assert_eq!(diff(Some("a"), Some("a")), None);
    }

    #[test]
    fn lines_that_repeat_are_counted_once() {
        let doubled = diff(Some("a\na\n"), Some("a\na\na\n")).unwrap();
        assert_eq!(doubled, "--- a/f\n+++ b/f\n@@ -1,2 +1,3 @@\n a\n a\n+a\n");
    }
}
