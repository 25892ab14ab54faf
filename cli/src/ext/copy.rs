//! Copies the folder of an extension, and nothing that is not in it.

use std::fs;
use std::io;
use std::path::Path;

use extline_host::file;

use super::limits::{DEEPEST, MOST_BYTES, MOST_FILES, TOO_DEEP, TOO_MANY_FILES, TOO_MUCH};

/// What one folder becomes in another.
pub(super) struct Copy<'a> {
    from: &'a Path,
    /// A folder that is left out: it may be within what is copied.
    without: &'a Path,
    files: usize,
    bytes: u64,
}

impl<'a> Copy<'a> {
    /// Copies what is in `from`, a path without links, into the folder `to`: files with whether they may be executed,
    /// folders, and links that stay in it. Histories of git are left out, and environments of Python, which hold their
    /// own paths.
    pub(super) fn all(from: &'a Path, to: &Path, without: &'a Path) -> Result<(), String> {
        Self { from, without, files: 0, bytes: 0 }.folder(from, to, 0)
    }

    fn folder(&mut self, from: &Path, to: &Path, depth: usize) -> Result<(), String> {
        if depth > DEEPEST {
            return Err(format!("{}: {TOO_DEEP}", from.display()));
        }
        let wrong = |path: &Path, error: io::Error| format!("{}: {error}", path.display());
        for entry in from.read_dir().map_err(|error| wrong(from, error))? {
            let path = entry.map_err(|error| wrong(from, error))?.path();
            let name = path.file_name().unwrap_or_default();
            let is_environment = path.join("pyvenv.cfg").exists();
            if name == ".git" || path == self.without || is_environment {
                continue;
            }
            self.files += 1;
            if self.files > MOST_FILES {
                return Err(TOO_MANY_FILES.to_owned());
            }
            let target = to.join(name);
            let found = path.symlink_metadata().map_err(|error| wrong(&path, error))?;
            if found.is_dir() {
                fs::create_dir(&target).map_err(|error| wrong(&target, error))?;
                self.folder(&path, &target, depth + 1)?;
            } else if found.is_symlink() {
                self.link(&path, &target)?;
            } else {
                self.bytes += found.len();
                if self.bytes > MOST_BYTES {
                    return Err(TOO_MUCH.to_owned());
                }
                copy_file(&path, &target, found.len()).map_err(|error| wrong(&path, error))?;
            }
        }
        Ok(())
    }

    fn link(&self, path: &Path, target: &Path) -> Result<(), String> {
        let leads = path.read_link().map_err(|error| format!("{}: {error}", path.display()))?;
        let end = path.canonicalize().ok();
        let stays = end.is_none_or(|end| end.starts_with(self.from)) && leads.is_relative();
        // One that leads nowhere yet may lead out of the copy.
        let climbs = leads.components().filter(|it| it.as_os_str() == "..").count();
        let depth = path.strip_prefix(self.from).map_or(0, |it| it.components().count());
        if !stays || climbs >= depth {
            return Err(format!(
                "{} is a link to {}, outside of the extension: put a copy in its place",
                path.display(),
                leads.display()
            ));
        }
        make_link(&leads, target).map_err(|error| format!("{}: {error}", target.display()))
    }
}

/// At most as many bytes as it was said to have: it may grow meanwhile.
fn copy_file(from: &Path, to: &Path, length: u64) -> io::Result<()> {
    use io::Read;
    let file = file::open(from)?;
    let permissions = file.metadata()?.permissions();
    let mut target = fs::File::create_new(to)?;
    io::copy(&mut file.take(length), &mut target)?;
    target.set_permissions(sane(&permissions))
}

/// Readable and writable by its owner, and executable where it was.
#[cfg(unix)]
fn sane(permissions: &fs::Permissions) -> fs::Permissions {
    use std::os::unix::fs::PermissionsExt;
    let is_executable = permissions.mode() & 0o111 != 0;
    fs::Permissions::from_mode(if is_executable { 0o755 } else { 0o644 })
}

#[cfg(not(unix))]
fn sane(permissions: &fs::Permissions) -> fs::Permissions {
    permissions.clone()
}

#[cfg(unix)]
pub(super) fn make_link(leads: &Path, at: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(leads, at)
}

#[cfg(not(unix))]
pub(super) fn make_link(_leads: &Path, _at: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
