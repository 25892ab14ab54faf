//! Unpacks a `.zip`, whose content nobody has seen.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use zip::ZipArchive;
use zip::read::ZipFile;
use zip::result::ZipError;

use super::limits::{MOST_BYTES, MOST_FILES, TOO_MANY_FILES, TOO_MUCH};
use super::room::Room;

/// The kind of a file in its mode, as Unix has it; archives of other systems have none.
const KIND: u32 = 0o170_000;
const FILE: u32 = 0o100_000;
const FOLDER: u32 = 0o040_000;
const LINK: u32 = 0o120_000;
/// More of a link than any path has.
const LINK_BYTES: u64 = 8192;

/// Unpacks all files: where each link leads, and where it is to be.
pub(super) fn unzip(archive: &Path, folder: &Path) -> Result<Vec<(PathBuf, PathBuf)>, String> {
    let file = File::open(archive).map_err(|error| error.to_string())?;
    let mut archive = ZipArchive::new(file).map_err(|error| error.to_string())?;
    if archive.len() > MOST_FILES {
        return Err(TOO_MANY_FILES.to_owned());
    }
    let wrong = |error: ZipError| error.to_string();
    // What it says of all sizes, before anything is written; each file is held to that.
    let mut all: u64 = 0;
    for index in 0..archive.len() {
        all = all.saturating_add(archive.by_index_raw(index).map_err(wrong)?.size());
    }
    if all > MOST_BYTES {
        return Err(TOO_MUCH.to_owned());
    }
    let mut room = Room::new(folder);
    for index in 0..archive.len() {
        put(archive.by_index(index).map_err(wrong)?, &mut room)?;
    }
    Ok(room.into_links())
}

fn put<R: Read>(mut entry: ZipFile<'_, R>, room: &mut Room<'_>) -> Result<(), String> {
    let name = entry.name().map_err(|error| error.to_string())?.into_owned();
    if name.contains(['\\', '\0']) {
        return Err(format!("{name:?} in the archive is no name that all systems have"));
    }
    let at = room.place(Path::new(&name))?;
    let mode = entry.unix_mode().unwrap_or_default();
    if entry.is_dir() || mode & KIND == FOLDER {
        return room.make_folders(&at);
    }
    room.count()?;
    match mode & KIND {
        0 | FILE => {
            let size = entry.size();
            room.write(&at, size, mode, &mut entry)
        }
        LINK => {
            let mut leads = String::new();
            let wrong = |error: io::Error| format!("{name} in the archive: {error}");
            entry.take(LINK_BYTES).read_to_string(&mut leads).map_err(wrong)?;
            room.link(leads.into(), at)
        }
        _ => Err(format!("{name} in the archive is neither a file nor a folder")),
    }
}
