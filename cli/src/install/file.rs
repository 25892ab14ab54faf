//! A configuration file: read once, and written whole or not at all.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use extline_host::file::read_bytes;

use super::problem::{Problem, Refusal};

/// What agents keep in these files beside settings may be long.
const AT_MOST: u64 = 64 * 1024 * 1024;
/// What is added to the name of a file for what it was before.
const BACKUP: &str = ".extline-backup";
const BACKUPS: usize = 99;

/// A file as it was read.
#[derive(Debug)]
pub(super) struct ConfigFile {
    /// As agents know it; it may be a link.
    pub(super) path: PathBuf,
    /// Where a link leads.
    real: PathBuf,
    /// None where there is no file.
    pub(super) text: Option<String>,
}

/// Where a file is kept as it was.
pub(super) struct Backup {
    pub(super) path: PathBuf,
    pub(super) is_new: bool,
}

impl ConfigFile {
    pub(super) fn read(path: PathBuf) -> Result<Self, Refusal> {
        let refused = |what: String| Problem::new(None, what).of(&path);
        let real = match fs::canonicalize(&path) {
            Ok(real) => real,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                if fs::symlink_metadata(&path).is_ok() {
                    return Err(refused(
                        "it is a link to what is not there; correct the link, or delete it"
                            .to_owned(),
                    ));
                }
                return Ok(Self { real: path.clone(), path, text: None });
            }
            Err(error) => return Err(refused(format!("it cannot be read: {error}"))),
        };
        let bytes = read_bytes(&real, AT_MOST);
        let bytes = bytes.map_err(|error| refused(format!("it cannot be read: {error}")))?;
        match String::from_utf8(bytes) {
            Ok(text) => Ok(Self { path, real, text: Some(text) }),
            Err(_) => Err(refused("it is not UTF-8; save it as UTF-8 first".to_owned())),
        }
    }

    /// The same file, once it says this.
    pub(super) fn with_text(&self, text: Option<&str>) -> Self {
        let (path, real) = (self.path.clone(), self.real.clone());
        Self { path, real, text: text.map(str::to_owned) }
    }

    /// What it says; nothing where there is none.
    pub(super) fn text(&self) -> &str {
        self.text.as_deref().unwrap_or_default()
    }

    /// Refuses what could not be written, before anything else is.
    pub(super) fn check_writable(&self) -> Result<(), Refusal> {
        let is_read_only = fs::metadata(&self.real).is_ok_and(|it| it.permissions().readonly());
        if !is_read_only {
            return Ok(());
        }
        Err(Problem::new(None, "it is read-only; allow writing to it first").of(&self.path))
    }

    /// What it was before earlier changes, the latest first.
    pub(super) fn backups(&self) -> Vec<(PathBuf, String)> {
        let there = (1..=BACKUPS).map(|number| backup_path(&self.path, number));
        let mut backups: Vec<_> = there
            .filter_map(|path| {
                let bytes = read_bytes(&path, AT_MOST).ok()?;
                Some((path, String::from_utf8(bytes).ok()?))
            })
            .collect();
        backups.reverse();
        backups
    }

    /// Keeps what it says beside it, and says where; nothing where there is no file, and one that is kept
    /// already is not kept twice.
    pub(super) fn back_up(&self) -> io::Result<Option<Backup>> {
        let Some(text) = &self.text else { return Ok(None) };
        if let Some((path, _)) = self.backups().into_iter().find(|(_, kept)| kept == text) {
            return Ok(Some(Backup { path, is_new: false }));
        }
        for path in (1..=BACKUPS).map(|number| backup_path(&self.path, number)) {
            match self.write_beside(&path, text) {
                Ok(()) => return Ok(Some(Backup { path, is_new: true })),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        let full =
            format!("there are {BACKUPS} backups beside it already; delete those you do not need");
        Err(io::Error::other(full))
    }

    /// Puts this text in the place of the file, at once. A file that somebody changed since it was read is
    /// left as it is.
    pub(super) fn write(&self, text: &str) -> io::Result<()> {
        if let Some(folder) = self.real.parent() {
            fs::create_dir_all(folder)?;
        }
        let name = self.real.file_name().unwrap_or_default().to_string_lossy();
        let new = self.real.with_file_name(format!(".{name}.extline-{}", std::process::id()));
        let written = self.write_beside(&new, text).and_then(|()| {
            self.check_unchanged()?;
            fs::rename(&new, &self.real)
        });
        if written.is_err() {
            // What was begun, if anything was.
            let _ = fs::remove_file(&new);
        }
        written
    }

    /// Takes the file away, and as many folders above it as have nothing else.
    pub(super) fn delete(&self, folders: usize) -> io::Result<()> {
        self.check_unchanged()?;
        fs::remove_file(&self.real)?;
        for folder in self.real.ancestors().skip(1).take(folders) {
            // One that is not empty stays, and so do those above.
            let _ = fs::remove_dir(folder);
        }
        Ok(())
    }

    fn check_unchanged(&self) -> io::Result<()> {
        let now = match read_bytes(&self.real, AT_MOST) {
            Ok(bytes) => Some(bytes),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        if now.as_deref() == self.text.as_deref().map(str::as_bytes) {
            return Ok(());
        }
        Err(io::Error::other("another program has changed it meanwhile; do it again"))
    }

    /// A new file with this text, for those who may read the present one.
    fn write_beside(&self, path: &Path, text: &str) -> io::Result<()> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        let present = fs::metadata(&self.real).ok();
        #[cfg(unix)]
        if present.is_some() {
            // Until it has the owner and the permissions of the present one.
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        }
        let mut file = options.open(path)?;
        let written = file.write_all(text.as_bytes()).and_then(|()| {
            if let Some(present) = present {
                take_over(&file, &present)?;
            }
            file.sync_all()
        });
        if written.is_err() {
            // What was begun.
            let _ = fs::remove_file(path);
        }
        written
    }
}

/// Gives a file the owner and the permissions of another.
fn take_over(file: &File, present: &fs::Metadata) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt, fchown};
        let new = file.metadata()?;
        if (new.uid(), new.gid()) != (present.uid(), present.gid()) {
            fchown(file, Some(present.uid()), Some(present.gid()))?;
        }
    }
    file.set_permissions(present.permissions())
}

fn backup_path(path: &Path, number: usize) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(BACKUP);
    if number > 1 {
        name.push(format!("-{number}"));
    }
    path.with_file_name(name)
}
