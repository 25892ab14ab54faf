//! Files on Windows, where lists say who may do what.

use std::fs::{self, File, FileType, OpenOptions};
use std::io;
use std::path::{Component, Path, PathBuf, Prefix};

pub(super) fn open(path: &Path) -> io::Result<File> {
    File::open(path)
}

pub(super) fn word_for(_kind: FileType) -> &'static str {
    "a device"
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
            Component::Normal(name) if is_plain(name.to_str()?) => plain.push(name),
            _ => return None,
        }
    }
    (plain.as_os_str().len() <= LONGEST).then_some(plain)
}

/// Whether the name is the same without `\\?\`: it ends in no dot or space, and is none of a device.
fn is_plain(name: &str) -> bool {
    const DEVICES: [&str; 4] = ["CON", "PRN", "AUX", "NUL"];
    let stem = name.split('.').next().unwrap_or_default().trim_end().to_ascii_uppercase();
    let is_numbered = ["COM", "LPT"]
        .iter()
        .any(|device| stem.strip_prefix(device).is_some_and(|number| number.chars().count() == 1));
    !name.ends_with(['.', ' ']) && !DEVICES.contains(&&*stem) && !is_numbered
}

pub(super) fn make_folder(path: &Path) -> io::Result<()> {
    fs::create_dir_all(path)
}

pub(super) fn create(path: &Path) -> io::Result<File> {
    File::create(path)
}

#[expect(clippy::unnecessary_wraps, reason = "on Unix it may be")]
pub(super) fn check_private(_file: &File) -> Result<(), String> {
    Ok(())
}

pub(super) fn rotate(path: &Path, _file: &File) -> io::Result<File> {
    fs::rename(path, super::before(path))?;
    append(path)
}

pub(super) fn append(path: &Path) -> io::Result<File> {
    OpenOptions::new().append(true).create(true).open(path)
}
