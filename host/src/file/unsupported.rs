//! Files where there are neither owners nor permissions as on Unix.

use std::fs::{self, File, FileType, OpenOptions};
use std::io;
use std::path::Path;

pub(super) fn open(path: &Path) -> io::Result<File> {
    File::open(path)
}

pub(super) fn word_for(_kind: FileType) -> &'static str {
    "a device"
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
