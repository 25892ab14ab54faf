//! What may be unpacked of an archive, and where: nothing outside of one folder, and no more than an extension may have.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

use super::limits::{DEEPEST, MOST_BYTES, MOST_FILES, TOO_DEEP, TOO_MANY_FILES, TOO_MUCH};

/// A longer path leads nowhere.
const LINK_BYTES: usize = 4096;

/// A folder that an archive is unpacked into, and what there is still room for.
pub(super) struct Room<'a> {
    folder: &'a Path,
    bytes: u64,
    files: usize,
    /// Where each link leads, and where it is to be: they come last, so that no file is written through one.
    links: Vec<(PathBuf, PathBuf)>,
}

impl<'a> Room<'a> {
    pub(super) fn new(folder: &'a Path) -> Self {
        Self { folder, bytes: MOST_BYTES, files: MOST_FILES, links: Vec::new() }
    }

    /// Counts a file, a folder or a link.
    pub(super) fn count(&mut self) -> Result<(), String> {
        self.files = self.files.checked_sub(1).ok_or(TOO_MANY_FILES)?;
        Ok(())
    }

    /// Counts the bytes that a file is said to have, before any of them is written.
    fn count_bytes(&mut self, bytes: u64) -> Result<(), String> {
        self.bytes = self.bytes.checked_sub(bytes).ok_or(TOO_MUCH)?;
        Ok(())
    }

    /// Where a file of an archive is put: in the folder, or nowhere. The folders above it are made.
    pub(super) fn place(&mut self, name: &Path) -> Result<PathBuf, String> {
        let is_plain =
            |part: &Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
        if !name.components().all(|part| is_plain(&part)) {
            return Err(format!("{} in the archive leads out of it", name.display()));
        }
        let at = self.folder.join(name);
        if let Some(above) = at.parent().filter(|above| above.starts_with(self.folder)) {
            self.make_folders(above)?;
        }
        Ok(at)
    }

    /// Makes a folder of the archive, and those above it.
    pub(super) fn make_folders(&mut self, folder: &Path) -> Result<(), String> {
        let parts = folder.strip_prefix(self.folder).unwrap_or(folder).components();
        if parts.clone().count() > DEEPEST {
            return Err(TOO_DEEP.to_owned());
        }
        let mut at = self.folder.to_owned();
        for part in parts {
            at.push(part);
            match fs::create_dir(&at) {
                Ok(()) => self.count()?,
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && at.is_dir() => {}
                Err(error) => return Err(self.failure(&at, &error)),
            }
        }
        Ok(())
    }

    /// Writes a file that is said to have so many bytes: one that has more is an error of whoever reads the archive.
    pub(super) fn write(
        &mut self,
        at: &Path,
        size: u64,
        mode: u32,
        from: &mut impl Read,
    ) -> Result<(), String> {
        self.count_bytes(size)?;
        let mut write = || {
            let mut file = File::create_new(at)?;
            io::copy(from, &mut file)?;
            set_mode(&file, mode)
        };
        write().map_err(|error| self.failure(at, &error))
    }

    /// Keeps a link for when no file is written any more.
    pub(super) fn link(&mut self, leads: PathBuf, at: PathBuf) -> Result<(), String> {
        if leads.as_os_str().len() >= LINK_BYTES {
            return Err(self.failure(&at, &"it is a link to a path that is too long"));
        }
        self.links.push((leads, at));
        Ok(())
    }

    pub(super) fn into_links(self) -> Vec<(PathBuf, PathBuf)> {
        self.links
    }

    fn failure(&self, at: &Path, why: &dyn std::fmt::Display) -> String {
        format!("{} in the archive: {why}", at.strip_prefix(self.folder).unwrap_or(at).display())
    }
}

#[cfg(unix)]
fn set_mode(file: &File, mode: u32) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let mode = if mode & 0o111 == 0 { 0o644 } else { 0o755 };
    file.set_permissions(fs::Permissions::from_mode(mode))
}

#[cfg(not(unix))]
fn set_mode(_file: &File, _mode: u32) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_that_no_entry_names_are_counted_once() {
        let dir = tempfile::tempdir().unwrap();
        let mut room = Room { files: 4, ..Room::new(dir.path()) };
        for name in ["a/b/c/one", "./a/b/c/two", "a/d"] {
            assert_eq!(room.place(Path::new(name)).unwrap(), dir.path().join(name));
        }
        assert_eq!(room.files, 1);
        assert_eq!(room.place(Path::new("e/f/g")).unwrap_err(), TOO_MANY_FILES);
        assert!(dir.path().join("a/b/c").is_dir());
        let deep = "x/".repeat(DEEPEST + 1) + "file";
        assert_eq!(room.place(Path::new(&deep)).unwrap_err(), TOO_DEEP);
    }

    #[test]
    fn no_more_is_written_than_there_is_room_for() {
        let dir = tempfile::tempdir().unwrap();
        let mut room = Room { bytes: 3, ..Room::new(dir.path()) };
        let at = |name: &str| dir.path().join(name);
        room.write(&at("two"), 2, 0o644, &mut &b"xx"[..]).unwrap();
        assert_eq!(room.write(&at("more"), 2, 0o644, &mut &b"xx"[..]).unwrap_err(), TOO_MUCH);
        assert!(at("two").exists() && !at("more").exists());
    }
}
