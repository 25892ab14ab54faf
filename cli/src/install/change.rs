//! What is written into files: into all of them, or into none.

use std::fs;
use std::io;
use std::path::PathBuf;

use super::file::{Backup, ConfigFile};
use super::problem::{Problem, Refusal};

/// What becomes of a file.
pub(super) struct FileChange {
    pub(super) file: ConfigFile,
    pub(super) outcome: Outcome,
    /// Where it is kept as it was, once it is changed.
    pub(super) backup: Option<PathBuf>,
    /// How many folders above it are for it alone, and go with it where nothing else is in there.
    pub(super) own_folders: usize,
}

pub(super) enum Outcome {
    Nothing,
    Text(String),
    /// The file held nothing but what this program makes, so that it is not kept.
    Generated(String),
    /// The file as it was before, which those backups are no longer needed for.
    Restored(Vec<PathBuf>, String),
    /// There was no file before.
    Deleted,
}

impl FileChange {
    pub(super) fn new(file: ConfigFile, outcome: Outcome) -> Self {
        Self { file, outcome, backup: None, own_folders: 0 }
    }

    /// What the file says afterwards.
    pub(super) fn text(&self) -> &str {
        match &self.outcome {
            Outcome::Nothing => self.file.text(),
            Outcome::Text(text) | Outcome::Generated(text) | Outcome::Restored(_, text) => text,
            Outcome::Deleted => "",
        }
    }

    /// The whole file is what was made for what goes.
    pub(super) fn deletes(&self) -> bool {
        matches!(self.outcome, Outcome::Deleted)
    }

    fn write(&self) -> io::Result<()> {
        match &self.outcome {
            Outcome::Nothing => Ok(()),
            Outcome::Text(text) | Outcome::Generated(text) | Outcome::Restored(_, text) => {
                self.file.write(text)
            }
            Outcome::Deleted => self.file.delete(self.own_folders),
        }
    }

    /// Makes the file what it was.
    fn undo(&self) -> io::Result<()> {
        let now = match &self.outcome {
            Outcome::Nothing => return Ok(()),
            Outcome::Text(text) | Outcome::Generated(text) | Outcome::Restored(_, text) => {
                self.file.with_text(Some(text))
            }
            Outcome::Deleted => self.file.with_text(None),
        };
        match &self.file.text {
            Some(text) => now.write(text),
            None => now.delete(self.own_folders),
        }
    }

    fn refused(&self, error: &io::Error) -> Refusal {
        Problem::new(None, format!("it cannot be written: {error}")).of(&self.file.path)
    }
}

/// Writes all files. Where one cannot be, those before it are made what they were; the error says which
/// could not be.
pub(super) fn carry_out(changes: &mut [&mut FileChange]) -> Result<(), String> {
    let mut new_backups = Vec::new();
    let backed_up = back_up(changes, &mut new_backups);
    let written =
        backed_up.map_err(|why| (nothing_written(&why), true)).and_then(|()| write(changes));
    if let Err((why, is_undone)) = written {
        // Of files that are as they were.
        for backup in new_backups.into_iter().filter(|_| is_undone) {
            let _ = fs::remove_file(backup);
        }
        return Err(why);
    }
    for change in changes {
        if let Outcome::Restored(backups, _) = &change.outcome {
            for backup in backups {
                fs::remove_file(backup).map_err(|error| {
                    let backup = backup.display();
                    format!("all is done, but {backup} is still there: {error}; delete it")
                })?;
            }
        }
    }
    Ok(())
}

pub(super) fn nothing_written(why: &Refusal) -> String {
    format!("{why}\n  nothing was written")
}

fn back_up(changes: &mut [&mut FileChange], new_backups: &mut Vec<PathBuf>) -> Result<(), Refusal> {
    for change in changes {
        if matches!(change.outcome, Outcome::Text(_)) {
            let backup = change.file.back_up().map_err(|error| change.refused(&error))?;
            if let Some(Backup { path, is_new: true }) = &backup {
                new_backups.push(path.clone());
            }
            change.backup = backup.map(|it| it.path);
        }
    }
    Ok(())
}

/// The error has whether all files are what they were.
fn write(changes: &[&mut FileChange]) -> Result<(), (String, bool)> {
    for (index, change) in changes.iter().enumerate() {
        let Err(error) = change.write() else { continue };
        let why = change.refused(&error);
        let undone = changes[..index].iter().filter_map(|change| {
            let error = change.undo().err()?;
            let file = change.file.path.display();
            Some(format!("  {file} is changed, and cannot be made what it was: {error}"))
        });
        let undone: Vec<_> = undone.collect();
        return Err(match undone.as_slice() {
            [] => (nothing_written(&why), true),
            lines => (format!("{why}\n{}", lines.join("\n")), false),
        });
    }
    Ok(())
}
