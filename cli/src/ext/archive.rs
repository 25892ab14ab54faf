//! Unpacks an archive, whose content nobody has seen: a `.tar.gz` here.

use std::borrow::Cow;
use std::cell::Cell;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use extline_host::file;
use flate2::read::MultiGzDecoder;
use sha2::{Digest, Sha256};
use tar::{Archive, Entry};

use super::copy::make_link;
use super::limits::{MOST_BYTES, MOST_FILES, TOO_MANY_FILES, TOO_MUCH};
use super::room::Room;
use super::zipped::unzip;

/// What stands before a file in a `tar`: names and times, far shorter than this.
const HEADER_BYTES: u64 = 1024 * 1024;
const TOO_LONG_HEADERS: &str = "what stands before or behind a file in it is longer than 1 MiB";

/// Unpacks an archive into a folder of `work`, once its SHA-256 is the one that is wanted. The folder with what is in it,
/// and its SHA-256.
pub(super) fn unpack(
    archive: &Path,
    wanted: Option<&str>,
    work: &Path,
) -> Result<(PathBuf, String), String> {
    let wrong = |error: io::Error| format!("{}: {error}", archive.display());
    // What was looked at is what is unpacked, whoever writes into the archive meanwhile.
    let copy = work.join("archive");
    let found = copy_of(archive, &copy).map_err(wrong)?;
    if let Some(wanted) = wanted.filter(|wanted| *wanted != found) {
        let name = archive.display();
        return Err(format!("the SHA-256 of {name} is {found}, and {wanted} was wanted"));
    }
    let folder = work.join("unpacked");
    fs::create_dir(&folder).map_err(wrong)?;
    let is_zip = archive.extension().is_some_and(|end| end == "zip");
    let links = if is_zip { unzip(&copy, &folder) } else { untar(&copy, &folder) };
    let links = links.map_err(|why| format!("{}: {why}", archive.display()))?;
    for (leads, at) in links {
        let name = at.strip_prefix(&folder).unwrap_or(&at).display();
        make_link(&leads, &at).map_err(|error| format!("{name} in the archive: {error}"))?;
    }
    Ok((only_folder(folder), found))
}

/// Unpacks all files of a `.tar.gz`: where each link leads, and where it is to be.
fn untar(archive: &Path, folder: &Path) -> Result<Vec<(PathBuf, PathBuf)>, String> {
    let wrong = |error: io::Error| error.to_string();
    let ration = Rc::new(Cell::new(HEADER_BYTES));
    let bytes = MultiGzDecoder::new(File::open(archive).map_err(wrong)?);
    let mut archive = Archive::new(Rationed { bytes, left: Rc::clone(&ration) });
    let mut room = Room::new(folder);
    for (index, entry) in archive.entries().map_err(wrong)?.enumerate() {
        if index >= MOST_FILES {
            return Err(TOO_MANY_FILES.to_owned());
        }
        let mut entry = entry.map_err(wrong)?;
        ration.set(entry.size());
        put(&mut entry, &mut room)?;
        ration.set(HEADER_BYTES);
    }
    // The checksum of all stands at the end.
    io::copy(&mut archive.into_inner(), &mut io::sink()).map_err(wrong)?;
    Ok(room.into_links())
}

/// What is read for one file, or between two: a `tar` keeps long names in memory, however long they are said to be.
struct Rationed<R> {
    bytes: R,
    left: Rc<Cell<u64>>,
}

impl<R: Read> Read for Rationed<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(self.left.get()).unwrap_or(usize::MAX).min(buffer.len());
        let count = match left {
            // The end is no more than there may be.
            0 if !buffer.is_empty() => match self.bytes.read(&mut [0])? {
                0 => 0,
                _ => return Err(io::Error::other(TOO_LONG_HEADERS)),
            },
            left => self.bytes.read(&mut buffer[..left])?,
        };
        self.left.set(self.left.get() - count as u64);
        Ok(count)
    }
}

fn put<R: Read>(entry: &mut Entry<'_, R>, room: &mut Room<'_>) -> Result<(), String> {
    let kind = entry.header().entry_type();
    if kind.is_pax_global_extensions() {
        return Ok(());
    }
    let name = entry.path().map_err(|error| error.to_string())?.into_owned();
    let at = room.place(&name)?;
    if kind.is_dir() {
        return room.make_folders(&at);
    }
    room.count()?;
    let wrong = |error: io::Error| format!("{} in the archive: {error}", name.display());
    if kind.is_symlink() {
        let leads = entry.link_name().map_err(wrong)?.map_or_else(PathBuf::new, Cow::into_owned);
        return room.link(leads, at);
    }
    if kind.is_hard_link() {
        let text = format!("{} in the archive is a hard link: pack a copy", name.display());
        return Err(text);
    }
    if !kind.is_file() {
        return Err(format!("{} in the archive is neither a file nor a folder", name.display()));
    }
    let (size, mode) = (entry.size(), entry.header().mode().unwrap_or_default());
    room.write(&at, size, mode, entry)
}

/// Archives have all that is in them in one folder, mostly.
fn only_folder(folder: PathBuf) -> PathBuf {
    let entries = folder.read_dir().into_iter().flatten().flatten();
    let paths: Vec<_> = entries.map(|entry| entry.path()).collect();
    match paths.as_slice() {
        [only] if only.symlink_metadata().is_ok_and(|found| found.is_dir()) => only.clone(),
        _ => folder,
    }
}

/// Copies a file; the SHA-256 of what was copied.
fn copy_of(from: &Path, to: &Path) -> io::Result<String> {
    let from = file::open(from)?;
    if from.metadata()?.len() > MOST_BYTES {
        return Err(io::Error::other(TOO_MUCH));
    }
    // At most as many bytes if it grows meanwhile.
    let (mut from, mut to) = (from.take(MOST_BYTES), File::create_new(to)?);
    let mut digest = Sha256::new();
    let mut bytes = vec![0; 64 * 1024];
    loop {
        let count = from.read(&mut bytes)?;
        if count == 0 {
            break;
        }
        digest.update(&bytes[..count]);
        io::Write::write_all(&mut to, &bytes[..count])?;
    }
    let mut text = String::new();
    for byte in digest.finalize() {
        // Writing into a string cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    Ok(text)
}
