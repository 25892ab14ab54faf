//! Files that others may have made, and files that are for nobody else's eyes.
//!
//! What stands in an extension's folder, or is given on a command line, may be a pipe, a device or
//! endless: [`read_text`] takes regular files of a bounded size. What a host writes may be secret,
//! and its folder may have been made by somebody else: [`make_folder`] and [`create`] make what only
//! its owner may read, and follow nothing that another user owns.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

#[cfg(unix)]
use self::unix as system;
#[cfg(windows)]
use self::windows as system;

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(all(windows, test))]
pub(crate) use self::windows::is_open_pipe;
#[cfg(windows)]
pub(crate) use self::windows::{OwnersAlone, is_own_pipe};

/// The most bytes of an `extension.json`.
pub const MANIFEST_BYTES: u64 = 256 * 1024;
/// The most bytes of a file of cases, a baseline or the like, which people write.
pub const WRITTEN_BYTES: u64 = 4 * 1024 * 1024;

/// The text of a regular file of at most so many bytes. A pipe, a device or a longer file is an
/// error that says so, and is not waited for.
pub fn read_text(path: impl AsRef<Path>, at_most: u64) -> io::Result<String> {
    let bytes = read_bytes(path, at_most)?;
    String::from_utf8(bytes)
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8"))
}

/// The same for bytes.
pub fn read_bytes(path: impl AsRef<Path>, at_most: u64) -> io::Result<Vec<u8>> {
    let file = open(path)?;
    let too_long = |bytes: u64| {
        let text = format!("it has {bytes} bytes, and at most {at_most} are read");
        Err(io::Error::new(io::ErrorKind::FileTooLarge, text))
    };
    let length = file.metadata()?.len();
    if length > at_most {
        return too_long(length);
    }
    let mut bytes = Vec::new();
    // It may grow meanwhile, and in /proc it has no length.
    file.take(at_most + 1).read_to_end(&mut bytes)?;
    match bytes.len() as u64 {
        read if read > at_most => too_long(read),
        _ => Ok(bytes),
    }
}

/// Opens a regular file to read it; a pipe or a device is an error, and is not waited for.
pub fn open(path: impl AsRef<Path>) -> io::Result<File> {
    let file = system::open(path.as_ref())?;
    let kind = file.metadata()?.file_type();
    if kind.is_file() {
        return Ok(file);
    }
    let found = if kind.is_dir() { "a folder" } else { system::word_for(kind) };
    Err(io::Error::new(io::ErrorKind::InvalidInput, format!("it is {found}, not a regular file")))
}

/// A path without links, `.` and `..`, as other programs take it too: on Windows without `\\?\` where it can be.
pub fn real(path: impl AsRef<Path>) -> io::Result<PathBuf> {
    system::real(path.as_ref())
}

/// Makes a folder, and those above it that are missing, which only their owner may enter. One that
/// is there already must belong to this user or to root, and not be open for all to write to.
pub fn make_folder(path: impl AsRef<Path>) -> io::Result<()> {
    system::make_folder(path.as_ref())
}

/// Makes a file anew that only its owner may read; one that is there already must be this user's.
/// A device or a pipe is opened as it is.
pub fn create(path: impl AsRef<Path>) -> io::Result<File> {
    system::create(path.as_ref())
}

/// Waits until nobody else has a file locked, and locks it until it is closed.
pub fn lock(file: &File) -> io::Result<()> {
    system::lock(file)
}

/// Locks a file until it is closed, unless somebody else has it locked; whether it is.
pub fn try_lock(file: &File) -> io::Result<bool> {
    system::try_lock(file)
}

/// Writes a file whole, for its owner only: who reads at this moment sees what was there, or this, and never a half.
/// Its folder has to be there.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{}", std::process::id()));
    let part = Path::new(&name);
    let written = create(part).and_then(|mut file| {
        file.write_all(bytes)?;
        file.sync_all()
    });
    let moved = written.and_then(|()| std::fs::rename(part, path));
    if moved.is_err() {
        // It may not even have been made.
        let _ = std::fs::remove_file(part);
    }
    moved
}

/// Says why a file is not this user's alone, where it is not: others may read it, or it belongs to somebody else.
pub(crate) fn check_private(file: &File) -> Result<(), String> {
    system::check_private(file)
}

/// Opens a regular file of this user's to write behind its end, or makes it, for its owner only. A
/// link is not followed.
pub(crate) fn append(path: &Path) -> io::Result<File> {
    system::append(path)
}

/// Renames a file that was opened by [`append`] to `NAME.1`, in place of the one before, and begins a
/// new one. Where somebody else has done so meanwhile, that one is opened.
pub(crate) fn rotate(path: &Path, file: &File) -> io::Result<File> {
    system::rotate(path, file)
}

/// Whether a name stands for a device on Windows, in any folder and with any ending.
pub(crate) fn is_of_device(name: &str) -> bool {
    const DEVICES: [&str; 4] = ["CON", "PRN", "AUX", "NUL"];
    let stem = name.split('.').next().unwrap_or_default().trim_end().to_ascii_uppercase();
    let is_numbered = ["COM", "LPT"]
        .iter()
        .any(|device| stem.strip_prefix(device).is_some_and(|number| number.chars().count() == 1));
    is_numbered || DEVICES.contains(&&*stem)
}

/// The name of the file before it.
fn before(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".1");
    name.into()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn devices_of_windows_are_known_by_their_names() {
        for name in ["nul", "Con.txt", "COM1", "lpt9.a.b", "aux .log"] {
            assert!(is_of_device(name), "{name}");
        }
        for name in ["null", "com", "com10", "clock", "a.nul", ""] {
            assert!(!is_of_device(name), "{name}");
        }
    }

    #[test]
    fn a_file_is_read_up_to_its_bound() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("x");
        fs::write(&file, "12345").unwrap();
        assert_eq!(read_text(&file, 5).unwrap(), "12345");
        let error = read_text(&file, 4).unwrap_err();
        assert_eq!(error.to_string(), "it has 5 bytes, and at most 4 are read");
        fs::write(&file, [0xff]).unwrap();
        assert_eq!(read_text(&file, 4).unwrap_err().to_string(), "it is not UTF-8");
        assert!(read_text(folder.path(), 4).is_err());
    }
}
