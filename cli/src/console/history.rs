//! What was typed before, kept over runs.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use extline_host::file::{WRITTEN_BYTES, create, make_folder, read_bytes};

/// Lines that are kept.
const KEPT: usize = 1000;

/// The lines typed at the prompt, oldest first, each once, in a file for the user's eyes only.
pub(crate) struct History {
    file: PathBuf,
}

impl History {
    pub(crate) fn below(home: &Path) -> Self {
        Self { file: home.join("console-history") }
    }

    /// The lines; none where there is no file that can be read.
    pub(crate) fn lines(&self) -> Vec<String> {
        let text = read_bytes(&self.file, WRITTEN_BYTES).unwrap_or_default();
        String::from_utf8_lossy(&text).lines().map(str::to_owned).collect()
    }

    /// Adds a line behind the others, which another console may have written meanwhile. As in a
    /// shell, one that begins with a blank is not kept.
    pub(crate) fn add(&self, line: &str) -> io::Result<()> {
        if line.starts_with(' ') || line.trim().is_empty() {
            return Ok(());
        }
        // Pasted text may hold line ends; between the parts of JSON they mean what a blank means.
        let line = line.replace(['\r', '\n'], " ");
        let mut lines = self.lines();
        lines.retain(|it| *it != line);
        lines.push(line);
        let kept = &lines[lines.len().saturating_sub(KEPT)..];
        let new = self.file.with_extension(std::process::id().to_string());
        let written = create_in_home(&new).and_then(|mut file| {
            file.write_all((kept.join("\n") + "\n").as_bytes())?;
            fs::rename(&new, &self.file)
        });
        if written.is_err() {
            let _ = fs::remove_file(&new);
        }
        written
    }
}

/// A file in the home, which is this user's alone.
fn create_in_home(path: &Path) -> io::Result<File> {
    if let Some(folder) = path.parent() {
        make_folder(folder)?;
    }
    create(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_line_is_kept_once_where_it_was_typed_last() {
        let home = tempfile::tempdir().unwrap();
        let history = History::below(home.path());
        assert_eq!(history.lines(), Vec::<String>::new());
        for line in ["!a {}", "/b", "!a {}", " /secret", "", "!c {\n1}"] {
            history.add(line).unwrap();
        }
        assert_eq!(history.lines(), ["/b", "!a {}", "!c { 1}"]);
        assert_eq!(fs::read_dir(home.path()).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn nobody_else_may_read_it() {
        use std::os::unix::fs::PermissionsExt;
        let home = tempfile::tempdir().unwrap();
        let history = History::below(&home.path().join("new"));
        history.add("/x").unwrap();
        let mode = fs::metadata(&history.file).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[test]
    fn it_does_not_grow_for_ever() {
        let home = tempfile::tempdir().unwrap();
        let history = History::below(home.path());
        let many: Vec<_> = (0..KEPT).map(|number| format!("/{number}")).collect();
        fs::write(&history.file, many.join("\n")).unwrap();
        history.add("/last").unwrap();
        let lines = history.lines();
        assert_eq!((lines.len(), &*lines[0], &*lines[KEPT - 1]), (KEPT, "/1", "/last"));
    }
}
