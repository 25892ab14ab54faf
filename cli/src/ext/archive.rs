//! Unpacks an archive, whose content nobody has seen: a `.tar.gz` here.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

use extline_host::file;
use flate2::read::MultiGzDecoder;
use sha2::{Digest, Sha256};
use tar::{Archive, Entry};

use super::copy::make_link;
use super::limits::{MOST_BYTES, MOST_FILES, TOO_MANY_FILES};
use super::zipped::Unpacking;

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
    let links = if is_zip { Unpacking::all(&copy, &folder) } else { untar(&copy, &folder) };
    let links = links.map_err(|why| format!("{}: {why}", archive.display()))?;
    // Links come last, so that no file is written through one.
    for (leads, at) in links {
        let name = at.strip_prefix(&folder).unwrap_or(&at).display();
        make_link(&leads, &at).map_err(|error| format!("{name} in the archive: {error}"))?;
    }
    Ok((only_folder(folder), found))
}

/// Unpacks all files of a `.tar.gz`: where each link leads, and where it is to be.
fn untar(archive: &Path, folder: &Path) -> Result<Vec<(PathBuf, PathBuf)>, String> {
    let wrong = |error: io::Error| error.to_string();
    let bytes = MultiGzDecoder::new(File::open(archive).map_err(wrong)?).take(MOST_BYTES);
    let mut links = Vec::new();
    for (index, entry) in Archive::new(bytes).entries().map_err(wrong)?.enumerate() {
        if index >= MOST_FILES {
            return Err(TOO_MANY_FILES.to_owned());
        }
        put(&mut entry.map_err(wrong)?, folder, &mut links)?;
    }
    Ok(links)
}

/// Where a file of an archive is put: in the folder, or nowhere.
pub(super) fn place_in(folder: &Path, name: &Path) -> Result<PathBuf, String> {
    let is_plain = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
    if name.components().all(is_plain) {
        return Ok(folder.join(name));
    }
    Err(format!("{} in the archive leads out of it", name.display()))
}

fn put<R: Read>(
    entry: &mut Entry<'_, R>,
    folder: &Path,
    links: &mut Vec<(PathBuf, PathBuf)>,
) -> Result<(), String> {
    let kind = entry.header().entry_type();
    if kind.is_pax_global_extensions() {
        return Ok(());
    }
    let name = entry.path().map_err(|error| error.to_string())?.into_owned();
    let at = place_in(folder, &name)?;
    let wrong = |error: io::Error| format!("{} in the archive: {error}", name.display());
    if kind.is_dir() {
        return fs::create_dir_all(&at).map_err(wrong);
    }
    fs::create_dir_all(at.parent().unwrap_or(folder)).map_err(wrong)?;
    if kind.is_symlink() {
        let leads = entry.link_name().map_err(wrong)?.map_or_else(PathBuf::new, Cow::into_owned);
        links.push((leads, at));
        return Ok(());
    }
    if !kind.is_file() {
        return Err(format!("{} in the archive is neither a file nor a folder", name.display()));
    }
    let mode = entry.header().mode().unwrap_or_default();
    let mut file = File::create_new(&at).map_err(wrong)?;
    io::copy(entry, &mut file).map_err(wrong)?;
    set_mode(&file, mode).map_err(wrong)
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
    let (mut from, mut to) = (file::open(from)?.take(MOST_BYTES), File::create_new(to)?);
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

#[cfg(unix)]
pub(super) fn set_mode(file: &File, mode: u32) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let mode = if mode & 0o111 == 0 { 0o644 } else { 0o755 };
    file.set_permissions(fs::Permissions::from_mode(mode))
}

#[cfg(not(unix))]
pub(super) fn set_mode(_file: &File, _mode: u32) -> io::Result<()> {
    Ok(())
}
