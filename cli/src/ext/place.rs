//! The folder that extensions are installed in, and how one is put in place whole.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use extline_host::{default_home, file};

use super::Refused;

/// Beginnings of names in the folder that are no extensions: what is not whole yet, and what was before.
const STAGING: &str = ".staging-";
const BEFORE: &str = ".before-";

/// The folder of installed extensions, which nobody else changes as long as this lives.
pub(super) struct Place {
    pub(super) folder: PathBuf,
    _lock: File,
}

impl Place {
    /// That of this user, or of the project in `cwd`; made where there is none.
    pub(super) fn open(is_project: bool, cwd: &Path) -> Result<Self, Refused> {
        let folder = if is_project {
            cwd.join(".extline/extensions")
        } else {
            default_home().join("extensions")
        };
        let opened = Self::lock(&folder, is_project);
        opened.map_err(|error| failure(&folder, &error))
    }

    /// That of another host, which is made where there is none.
    pub(super) fn at(folder: &Path) -> io::Result<Self> {
        Self::lock(folder, true)
    }

    fn lock(folder: &Path, is_project: bool) -> io::Result<Self> {
        if is_project {
            fs::create_dir_all(folder)?;
        } else {
            file::make_folder(folder.parent().unwrap_or(folder))?;
            file::make_folder(folder)?;
        }
        let folder = file::real(folder)?;
        let lock =
            File::options().create(true).truncate(false).write(true).open(folder.join(".lock"))?;
        extline_host::file::lock(&lock)?;
        let place = Self { folder, _lock: lock };
        place.clean()?;
        Ok(place)
    }

    /// A new folder for what is not whole yet.
    pub(super) fn stage(&self) -> io::Result<PathBuf> {
        let staging = self.folder.join(format!("{STAGING}{}", std::process::id()));
        fs::create_dir(&staging)?;
        Ok(staging)
    }

    /// Puts a folder under a name, whole: in place of the one that is there, if one is.
    pub(super) fn put(&self, staged: &Path, name: &str) -> io::Result<()> {
        let target = self.folder.join(name);
        if !target.exists() {
            return fs::rename(staged, &target);
        }
        if exchange(staged, &target).is_ok() {
            return fs::remove_dir_all(staged);
        }
        // The file system cannot exchange them. Who is killed in between finds the old one here again, see `clean`.
        let before = self.folder.join(format!("{BEFORE}{name}"));
        fs::rename(&target, &before)?;
        if let Err(error) = fs::rename(staged, &target) {
            fs::rename(&before, &target)?;
            return Err(error);
        }
        fs::remove_dir_all(&before)
    }

    /// Takes the one of that name away, at once.
    pub(super) fn remove(&self, path: &Path) -> io::Result<()> {
        if path.symlink_metadata()?.is_symlink() {
            return fs::remove_file(path);
        }
        let staging = self.folder.join(format!("{STAGING}{}", std::process::id()));
        fs::rename(path, &staging)?;
        fs::remove_dir_all(&staging)
    }

    /// Takes away what somebody left who was killed.
    fn clean(&self) -> io::Result<()> {
        for entry in self.folder.read_dir()? {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if let Some(name) = name.strip_prefix(BEFORE) {
                let target = self.folder.join(name);
                if target.exists() {
                    fs::remove_dir_all(&path)?;
                } else {
                    fs::rename(&path, target)?;
                }
            } else if name.starts_with(STAGING) {
                fs::remove_dir_all(&path)?;
            }
        }
        Ok(())
    }
}

pub(super) fn failure(path: &Path, error: &io::Error) -> Refused {
    Refused::file(&format!("{}: {error}", path.display()))
}

#[cfg(any(target_os = "linux", target_os = "macos"))]
fn exchange(one: &Path, other: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    Ok(renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE)?)
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
fn exchange(_one: &Path, _other: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_killed_install_left_is_cleaned_and_the_old_one_comes_back() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("extensions");
        fs::create_dir_all(folder.join(".staging-1/half")).unwrap();
        fs::create_dir_all(folder.join(".before-clock")).unwrap();
        fs::write(folder.join(".before-clock/old"), "").unwrap();
        let place = Place::lock(&folder, true).unwrap();
        assert!(folder.join("clock/old").exists());
        assert!(!folder.join(".staging-1").exists());
        let staged = place.stage().unwrap();
        fs::write(staged.join("new"), "").unwrap();
        place.put(&staged, "clock").unwrap();
        assert!(folder.join("clock/new").exists() && !folder.join("clock/old").exists());
        place.remove(&folder.join("clock")).unwrap();
        let left: Vec<_> = folder.read_dir().unwrap().map(|it| it.unwrap().file_name()).collect();
        assert_eq!(left, [".lock"]);
    }
}
