//! Files on Windows, where lists say who may do what.

mod access;
mod handle;

use std::fs::{self, File, FileType, OpenOptions};
use std::io;
use std::os::windows::fs::OpenOptionsExt;
use std::path::{Component, Path, PathBuf, Prefix};

use windows_sys::Win32::Foundation::GENERIC_WRITE;
use windows_sys::Win32::Storage::FileSystem::{
    FILE_FLAG_BACKUP_SEMANTICS, FILE_FLAG_OPEN_REPARSE_POINT, FILE_GENERIC_WRITE, FILE_WRITE_DATA,
    READ_CONTROL, WRITE_DAC,
};

pub(crate) use self::access::OwnersAlone;
use self::access::{Access, CHANGE, READ, close_for_others};
pub(super) use self::handle::{lock, try_lock};
use super::is_of_device;

pub(super) fn open(path: &Path) -> io::Result<File> {
    let file = File::open(path)?;
    match handle::word_for(&file) {
        None => Ok(file),
        Some(found) => {
            let text = format!("it is {found}, not a regular file");
            Err(io::Error::new(io::ErrorKind::InvalidInput, text))
        }
    }
}

/// What is no file is told where it is opened.
pub(super) fn word_for(_kind: FileType) -> &'static str {
    "a link"
}

/// The system's own answer is a path that many programs do not take: `\\?\C:\x` in place of `C:\x`.
pub(super) fn real(path: &Path) -> io::Result<PathBuf> {
    let real = path.canonicalize()?;
    Ok(plain(&real).unwrap_or(real))
}

/// The same path as all programs take it; `None` where there is none.
fn plain(path: &Path) -> Option<PathBuf> {
    /// Longer ones are only taken in the other form.
    const LONGEST: usize = 247;
    let mut components = path.components();
    let Component::Prefix(prefix) = components.next()? else { return None };
    let mut plain = match prefix.kind() {
        Prefix::VerbatimDisk(letter) => PathBuf::from(format!("{}:\\", char::from(letter))),
        Prefix::VerbatimUNC(server, share) => {
            let mut start = std::ffi::OsString::from(r"\\");
            start.push(server);
            start.push(r"\");
            start.push(share);
            start.push(r"\");
            PathBuf::from(start)
        }
        _ => return None,
    };
    for component in components {
        match component {
            Component::RootDir => {}
            Component::Normal(name)
                if !name.to_str()?.ends_with(['.', ' ']) && !is_of_device(name.to_str()?) =>
            {
                plain.push(name)
            }
            _ => return None,
        }
    }
    (plain.as_os_str().len() <= LONGEST).then_some(plain)
}

pub(super) fn make_folder(path: &Path) -> io::Result<()> {
    let missing: Vec<_> = path.ancestors().take_while(|folder| !folder.exists()).collect();
    fs::create_dir_all(path)?;
    for folder in missing.into_iter().rev().filter(|folder| !folder.as_os_str().is_empty()) {
        close_for_others(&open_folder(folder, READ_CONTROL | WRITE_DAC)?)?;
    }
    check_link(path)?;
    let found = Access::of(&open_folder(path, READ_CONTROL)?)?;
    if !found.is_trusted {
        return Err(of_another(path));
    }
    if found.is_open_to_others(CHANGE) {
        let text = format!("other users may write to {}: {REMEDY}", path.display());
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, text));
    }
    Ok(())
}

pub(super) fn create(path: &Path) -> io::Result<File> {
    check_link(path)?;
    // Emptied when it is known whose it is.
    let options = || OpenOptions::new().write(true).create(true).truncate(false).clone();
    let file = match options().access_mode(GENERIC_WRITE | READ_CONTROL | WRITE_DAC).open(path) {
        Ok(file) => file,
        // A device may be nobody's to close for others.
        Err(error) => match options().open(path) {
            Ok(device) if handle::word_for(&device).is_some() => return Ok(device),
            _ => return Err(error),
        },
    };
    if handle::word_for(&file).is_none() {
        own(path, &file)?;
        file.set_len(0)?;
    }
    Ok(file)
}

pub(super) fn check_private(file: &File) -> Result<(), String> {
    let found = Access::of(file).map_err(|error| error.to_string())?;
    if !found.is_trusted {
        return Err("it belongs to another user".to_owned());
    }
    if found.is_open_to_others(READ) {
        return Err(
            "others may read it: icacls FILE /inheritance:r /grant:r %USERNAME%:F".to_owned()
        );
    }
    Ok(())
}

/// Whether a pipe was made by this user, or by one who may do all anyhow.
pub(crate) fn is_own_pipe(pipe: &File) -> io::Result<bool> {
    Access::of_pipe(pipe).map(|found| found.is_trusted)
}

/// Whether others may do anything with a pipe.
#[cfg(test)]
pub(crate) fn is_open_pipe(pipe: &File) -> bool {
    Access::of_pipe(pipe).unwrap().is_open_to_others(READ | CHANGE)
}

pub(super) fn append(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.append(true).create(true).custom_flags(FILE_FLAG_OPEN_REPARSE_POINT);
    let rights = FILE_GENERIC_WRITE & !FILE_WRITE_DATA | READ_CONTROL | WRITE_DAC;
    let file = options.access_mode(rights).open(path)?;
    if handle::word_for(&file).is_some() {
        return Err(io::Error::other("it is not a regular file: remove it"));
    }
    if file.metadata()?.is_symlink() {
        return Err(io::Error::other("it is a link, which is not followed: remove it"));
    }
    own(path, &file)?;
    Ok(file)
}

pub(super) fn rotate(path: &Path, file: &File) -> io::Result<File> {
    // Who opened the same file waits here, and finds another one under the name then. The lock goes
    // with the file.
    lock(file)?;
    let here = File::open(path).and_then(|here| handle::identity(&here));
    if here.is_ok_and(|here| handle::identity(file).is_ok_and(|ours| ours == here)) {
        fs::rename(path, super::before(path))?;
    }
    append(path)
}

const REMEDY: &str = "let EXTLINE_HOME name a folder of your own";

/// Sees to it that the file is this user's alone.
fn own(path: &Path, file: &File) -> io::Result<()> {
    let found = Access::of(file)?;
    if !found.is_trusted {
        return Err(of_another(path));
    }
    if found.is_open_to_others(READ | CHANGE) {
        close_for_others(file)?;
    }
    Ok(())
}

/// A link of another user's would lead to where that user wants.
fn check_link(path: &Path) -> io::Result<()> {
    if !fs::symlink_metadata(path).is_ok_and(|found| found.is_symlink()) {
        return Ok(());
    }
    let flags = FILE_FLAG_BACKUP_SEMANTICS | FILE_FLAG_OPEN_REPARSE_POINT;
    let link = OpenOptions::new().access_mode(READ_CONTROL).custom_flags(flags).open(path)?;
    if Access::of(&link)?.is_trusted { Ok(()) } else { Err(of_another(path)) }
}

fn open_folder(path: &Path, rights: u32) -> io::Result<File> {
    OpenOptions::new().access_mode(rights).custom_flags(FILE_FLAG_BACKUP_SEMANTICS).open(path)
}

fn of_another(path: &Path) -> io::Error {
    let text = format!("{} belongs to another user: remove it, or {REMEDY}", path.display());
    io::Error::new(io::ErrorKind::PermissionDenied, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether others may read or change it.
    fn is_open(file: &File) -> bool {
        Access::of(file).unwrap().is_open_to_others(READ | CHANGE)
    }

    #[test]
    fn what_is_made_is_for_its_owner_only() {
        let folder = tempfile::tempdir().unwrap();
        let (above, below) = (folder.path().join("a"), folder.path().join("a/b"));
        make_folder(&below).unwrap();
        for made in [&above, &below] {
            assert!(!is_open(&open_folder(made, READ_CONTROL).unwrap()));
        }
        make_folder(&below).unwrap();
        let (log, trace) = (below.join("log"), below.join("trace"));
        fs::write(&trace, "before").unwrap();
        drop((append(&log).unwrap(), create(&trace).unwrap()));
        for made in [&log, &trace] {
            let file = File::open(made).unwrap();
            assert!(!is_open(&file));
            check_private(&file).unwrap();
            assert_eq!(file.metadata().unwrap().len(), 0);
        }
    }

    #[test]
    fn a_log_is_rotated_by_the_first_who_comes() {
        use std::io::Write;

        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        let (mut one, other) = (append(&path).unwrap(), append(&path).unwrap());
        one.write_all(b"old").unwrap();
        let mut new = rotate(&path, &one).unwrap();
        drop(one);
        new.write_all(b"new").unwrap();
        let mut same = rotate(&path, &other).unwrap();
        same.write_all(b"er").unwrap();
        assert_eq!(fs::read(super::super::before(&path)).unwrap(), b"old");
        assert_eq!(fs::read(&path).unwrap(), b"newer");
    }

    #[test]
    fn devices_are_not_read() {
        let error = super::super::read_bytes("NUL", 10).unwrap_err();
        assert_eq!(error.to_string(), "it is a device, not a regular file");
    }

    #[test]
    fn a_path_is_as_all_programs_take_it() {
        let shown = |path: &str| plain(Path::new(path)).map(|path| path.display().to_string());
        assert_eq!(shown(r"\\?\C:\a\b").as_deref(), Some(r"C:\a\b"));
        assert_eq!(shown(r"\\?\UNC\s\f\a").as_deref(), Some(r"\\s\f\a"));
        for other in [r"\\?\C:\nul.txt", r"\\?\C:\COM1", r"\\?\C:\a. ", r"\\?\Volume{1}\a"] {
            assert_eq!(shown(other), None, "{other}");
        }
        let long = format!(r"\\?\C:\{}", "a".repeat(250));
        assert_eq!(shown(&long), None);
    }
}
