//! Unpacks a `.zip`, whose content nobody has seen.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use zip::ZipArchive;
use zip::read::ZipFile;

use super::archive::place_in;
use super::limits::{MOST_BYTES, MOST_FILES, TOO_MANY_FILES, TOO_MUCH};

/// The kind of a file in its mode, as Unix has it; archives of other systems have none.
const KIND: u32 = 0o170_000;
const FILE: u32 = 0o100_000;
const FOLDER: u32 = 0o040_000;
const LINK: u32 = 0o120_000;
/// A longer path leads nowhere.
const LINK_BYTES: u64 = 4096;

/// What is unpacked from one archive.
pub(super) struct Unpacking<'a> {
    folder: &'a Path,
    /// Bytes that may still be written: what an archive says of its sizes may be wrong.
    left: u64,
    /// Where each link leads, and where it is to be.
    links: Vec<(PathBuf, PathBuf)>,
}

impl<'a> Unpacking<'a> {
    /// Unpacks all files; the links are left for when no file is written any more.
    pub(super) fn all(archive: &Path, folder: &'a Path) -> Result<Vec<(PathBuf, PathBuf)>, String> {
        let mut unpacking = Self { folder, left: MOST_BYTES, links: Vec::new() };
        let file = File::open(archive).map_err(|error| error.to_string())?;
        let mut archive = ZipArchive::new(file).map_err(|error| error.to_string())?;
        if archive.len() > MOST_FILES {
            return Err(TOO_MANY_FILES.to_owned());
        }
        for index in 0..archive.len() {
            let entry = archive.by_index(index).map_err(|error| error.to_string())?;
            unpacking.put(entry)?;
        }
        Ok(unpacking.links)
    }

    fn put<R: Read>(&mut self, mut entry: ZipFile<'_, R>) -> Result<(), String> {
        let name = entry.name().map_err(|error| error.to_string())?.into_owned();
        let at = place_in(self.folder, Path::new(&name))?;
        if name.contains(['\\', '\0']) {
            return Err(format!("{name:?} in the archive is no name that all systems have"));
        }
        let wrong = |error: io::Error| format!("{name} in the archive: {error}");
        let mode = entry.unix_mode().unwrap_or_default();
        if entry.is_dir() || mode & KIND == FOLDER {
            return fs::create_dir_all(&at).map_err(wrong);
        }
        fs::create_dir_all(at.parent().unwrap_or(self.folder)).map_err(wrong)?;
        match mode & KIND {
            0 | FILE => {}
            LINK => {
                let mut leads = String::new();
                entry.take(LINK_BYTES).read_to_string(&mut leads).map_err(wrong)?;
                self.links.push((leads.into(), at));
                return Ok(());
            }
            _ => return Err(format!("{name} in the archive is neither a file nor a folder")),
        }
        if entry.size() > self.left {
            return Err(TOO_MUCH.to_owned());
        }
        let mut file = File::create_new(&at).map_err(wrong)?;
        // One more byte shows that there is more.
        let written = io::copy(&mut (&mut entry).take(self.left + 1), &mut file).map_err(wrong)?;
        self.left = self.left.checked_sub(written).ok_or(TOO_MUCH)?;
        super::archive::set_mode(&file, mode).map_err(wrong)
    }
}
