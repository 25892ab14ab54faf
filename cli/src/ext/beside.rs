//! Extensions in the folder of another host, as zot: copied there as `extline ext install` copies, and taken away.

use std::fs;
use std::path::{Path, PathBuf};

use extline_host::file;
use extline_host::trust::Tree;

use super::install::{Staged, stage};
use super::place::Place;
use super::source::Source;
use super::update::record_of;
use crate::printer::Printer;

/// A copy that is whole, and not in its place yet. It goes unless it is put there.
pub(crate) struct Copied {
    place: Place,
    staging: PathBuf,
    folder: PathBuf,
}

impl Copied {
    /// Copies the extension in `from` beside where it is to be: in `folder`, which is made.
    pub(crate) fn of(from: &Path, folder: &Path, printer: &mut Printer) -> Result<Self, String> {
        let wrong =
            |path: &Path, error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
        let from = file::real(from).map_err(|error| wrong(from, &error))?;
        let place = Place::at(folder).map_err(|error| wrong(folder, &error))?;
        let staging = place.stage().map_err(|error| wrong(folder, &error))?;
        let mut copied = Self { folder: staging.clone(), place, staging };
        let mut source = Source::Folder { path: from };
        let staged = stage(&mut source, &copied.place, &copied.staging, printer);
        let Staged { folder, .. } = staged.map_err(|refused| refused.why)?;
        copied.folder = folder;
        Ok(copied)
    }

    /// Puts it in its place, whole, also where there is one.
    pub(crate) fn put(self, name: &str) -> Result<(), String> {
        let put = self.place.put(&self.folder, name);
        put.map_err(|error| format!("{name} cannot be put into its place: {error}"))
    }
}

impl Drop for Copied {
    fn drop(&mut self) {
        // What is left of it is cleaned by the next one.
        let _ = fs::remove_dir_all(&self.staging);
    }
}

/// Takes an extension away, at once.
pub(crate) fn remove(path: &Path) -> Result<(), String> {
    let folder = path.parent().unwrap_or(path);
    let place = Place::at(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    place.remove(path).map_err(|error| format!("{}: {error}", path.display()))
}

/// The folder that an extension was copied from; none where it came otherwise.
pub(crate) fn origin(path: &Path) -> Option<PathBuf> {
    match record_of(path)?.0 {
        Source::Folder { path } => Some(path),
        _ => None,
    }
}

/// Whether what was copied is what there is now. Histories of git do not count, as they are not copied.
pub(crate) fn is_as_copied(path: &Path, from: &Path) -> bool {
    let (Some((_, files)), Ok(tree)) = (record_of(path), Tree::read(from)) else { return false };
    let is_history = |file: &str| file.split('/').any(|part| part == ".git");
    tree.changes_since(&files).iter().all(|change| is_history(change.file()))
}
