//! The list in a file, which is whole at any time: it is written beside and moved into place, and
//! the one before is kept. A file that cannot be read is never written over.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use extline::ToolError;
use extline::serde_json;

use crate::todos::Todos;

/// Where the list is kept. Each operation reads it anew, so that no other process is overlooked.
#[derive(Clone, Debug)]
pub(crate) struct Store {
    file: PathBuf,
}

impl Store {
    /// The list in a folder that exists.
    pub(crate) fn within(folder: &Path) -> Self {
        Self { file: folder.join("todos.json") }
    }

    /// The list; an empty one as long as nothing was saved.
    pub(crate) fn load(&self) -> Result<Todos, ToolError> {
        let text = match fs::read(&self.file) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Todos::default()),
            Err(error) => return Err(failed("cannot read", &self.file, &error)),
        };
        serde_json::from_slice(&text).map_err(|error| {
            let (file, backup) = (self.file.display(), self.backup());
            let message = format!("{file} is damaged, so it is left as it is: {error}");
            ToolError::internal(message).hint(if backup.exists() {
                format!("the list before the last change is {}: copy it over", backup.display())
            } else {
                "mend it, or move it away to begin anew".to_owned()
            })
        })
    }

    /// Keeps the list. What was there before stays in `todos.json.bak`.
    pub(crate) fn save(&self, todos: &Todos) -> Result<(), ToolError> {
        let mut text = serde_json::to_vec_pretty(todos)?;
        text.push(b'\n');
        let new = self.beside("new");
        let failed_to_write = |error| failed("cannot write", &new, &error);
        write_through(&new, &text).map_err(failed_to_write)?;
        match fs::copy(&self.file, self.backup()) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(failed("cannot write", &self.backup(), &error));
            }
            _ => {}
        }
        fs::rename(&new, &self.file).map_err(failed_to_write)
    }

    /// Loads, changes and saves. An error of `change` saves nothing.
    pub(crate) fn update<T>(
        &self,
        change: impl FnOnce(&mut Todos) -> Result<T, ToolError>,
    ) -> Result<T, ToolError> {
        let mut todos = self.load()?;
        let before = todos.clone();
        let outcome = change(&mut todos)?;
        if todos != before {
            self.save(&todos)?;
        }
        Ok(outcome)
    }

    fn backup(&self) -> PathBuf {
        self.beside("bak")
    }

    fn beside(&self, suffix: &str) -> PathBuf {
        self.file.with_extension(format!("json.{suffix}"))
    }
}

fn failed(what: &str, path: &Path, error: &io::Error) -> ToolError {
    ToolError::internal(format!("{what} {}: {error}", path.display()))
}

/// Writes a file and waits until the disk has it.
fn write_through(path: &Path, text: &[u8]) -> io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(text)?;
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn add(store: &Store, text: &str) {
        store.update(|todos| Ok(todos.add(text))).unwrap();
    }

    #[test]
    fn what_is_saved_is_there_again_and_the_list_before_it_too() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::within(folder.path());
        assert_eq!(store.load().unwrap(), Todos::default());
        add(&store, "one");
        add(&store, "two");
        let again = Store::within(folder.path());
        assert_eq!(again.load().unwrap().to_string(), "1. [ ] one\n2. [ ] two");
        let before = fs::read(folder.path().join("todos.json.bak")).unwrap();
        let before: Todos = serde_json::from_slice(&before).unwrap();
        assert_eq!(before.to_string(), "1. [ ] one");
        assert!(!folder.path().join("todos.json.new").exists());
    }

    #[test]
    fn a_damaged_file_is_an_error_that_leads_to_the_backup_and_changes_neither() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::within(folder.path());
        add(&store, "one");
        add(&store, "two");
        let (file, backup) =
            (folder.path().join("todos.json"), folder.path().join("todos.json.bak"));
        let kept = fs::read(&backup).unwrap();
        fs::write(&file, "{\"todos\":[").unwrap();

        let error = store.update(|todos| Ok(todos.add("three"))).unwrap_err().to_string();
        assert!(error.contains("todos.json is damaged"), "{error}");
        assert!(error.contains("line 1") && error.contains("todos.json.bak"), "{error}");
        assert_eq!(fs::read(&file).unwrap(), b"{\"todos\":[");
        assert_eq!(fs::read(&backup).unwrap(), kept);

        fs::copy(&backup, &file).unwrap();
        assert_eq!(store.load().unwrap().to_string(), "1. [ ] one");
    }

    #[test]
    fn a_damaged_file_without_a_backup_says_so() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("todos.json"), "[]").unwrap();
        let error = Store::within(folder.path()).load().unwrap_err().to_string();
        assert!(error.contains("move it away"), "{error}");
    }

    #[test]
    fn a_change_that_fails_or_changes_nothing_writes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::within(folder.path());
        let refused: Result<(), _> = store.update(|todos| {
            todos.add("one");
            Err(ToolError::new("no"))
        });
        assert!(refused.is_err());
        store.update(|_| Ok(())).unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_folder_that_cannot_be_written_to_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::within(&folder.path().join("gone"));
        let error = store.update(|todos| Ok(todos.add("one"))).unwrap_err().to_string();
        assert!(error.contains("cannot write") && error.contains("todos.json.new"), "{error}");
    }
}
