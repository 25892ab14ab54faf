//! The files of a package.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// What a package holds: each file by its path in there, with slashes.
#[derive(Clone, Debug, Default)]
pub(super) struct Content {
    pub(super) files: BTreeMap<String, File>,
    /// What of the extension is not in there.
    pub(super) left_out: Vec<String>,
}

#[derive(Clone, Debug)]
pub(super) struct File {
    pub(super) bytes: Vec<u8>,
    /// It is a program.
    pub(super) is_program: bool,
}

/// Folders that are made from others, or that are of one machine.
const NOT_CARRIED: [&str; 4] = ["__pycache__", "node_modules", "target", "venv"];
/// What a package may hold, in bytes: more is a mistake, as a folder with data.
const MOST_BYTES: u64 = 64 * 1024 * 1024;

impl Content {
    pub(super) fn add(&mut self, path: impl Into<String>, text: impl Into<Vec<u8>>) {
        self.files.insert(path.into(), File { bytes: text.into(), is_program: false });
    }

    pub(super) fn bytes(&self) -> usize {
        self.files.values().map(|file| file.bytes.len()).sum()
    }

    /// Makes the folder anew; what was there before goes when the new one is whole.
    pub(super) fn write(&self, folder: &Path) -> io::Result<()> {
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        let made = folder.with_file_name(format!(".{name}.new"));
        remove(&made)?;
        for (path, file) in &self.files {
            let path = made.join(path);
            if let Some(parent) = path.parent() {
                fs::create_dir_all(parent)?;
            }
            fs::write(&path, &file.bytes)?;
            set_mode(&path, file.is_program)?;
        }
        remove(folder)?;
        fs::rename(made, folder)
    }
}

/// Takes a folder away, if there is one.
fn remove(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// What the folder of an extension holds, but for what is hidden or made; `out` may be in it.
pub(super) fn of_extension(folder: &Path, out: &Path) -> Result<Content, String> {
    let mut content = Content::default();
    let out = std::path::absolute(out).unwrap_or_default();
    let mut bytes = 0;
    read_folder(folder, "", &out, &mut content, &mut bytes)?;
    content.left_out.sort();
    Ok(content)
}

fn read_folder(
    folder: &Path,
    below: &str,
    out: &Path,
    content: &mut Content,
    bytes: &mut u64,
) -> Result<(), String> {
    let failed =
        |path: &Path, error: io::Error| format!("{} cannot be read: {error}", path.display());
    for entry in fs::read_dir(folder).map_err(|error| failed(folder, error))? {
        let entry = entry.map_err(|error| failed(folder, error))?;
        let path = entry.path();
        let name = entry.file_name().into_string().map_err(|name| {
            format!("{} is not UTF-8, as a package needs it: rename it", name.display())
        })?;
        let inside = format!("{below}{name}");
        let kind = entry.file_type().map_err(|error| failed(&path, error))?;
        let is_out = std::path::absolute(&path).is_ok_and(|path| path == out);
        if name.starts_with('.') || NOT_CARRIED.contains(&&*name) || is_out {
            content.left_out.push(inside);
        } else if kind.is_dir() {
            read_folder(&path, &format!("{inside}/"), out, content, bytes)?;
        } else if kind.is_file() {
            let metadata = entry.metadata().map_err(|error| failed(&path, error))?;
            *bytes += metadata.len();
            if *bytes > MOST_BYTES {
                return Err(format!(
                    "{} and what is before it have more than 64 MiB; a package holds what runs and no data",
                    path.display()
                ));
            }
            let bytes = fs::read(&path).map_err(|error| failed(&path, error))?;
            content.files.insert(inside, File { bytes, is_program: is_program(&metadata) });
        } else {
            return Err(format!(
                "{} is no file and no folder, and links are not carried: put what it leads to in its place",
                path.display()
            ));
        }
    }
    Ok(())
}

/// A package of before is replaced where that is wanted; anything else is not ours to remove.
pub(super) fn check_free(folder: &Path, force: bool) -> Result<(), String> {
    let shown = folder.display();
    match fs::read_dir(folder).map(Iterator::count) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(format!("{shown} cannot be read: {error}")),
        Ok(0) => Ok(()),
        Ok(_) if !folder.join(super::EXTENSION).join(extline_host::MANIFEST).is_file() => Err(
            format!("{shown} holds something that is no package; give another folder with --out"),
        ),
        Ok(_) if force => Ok(()),
        Ok(_) => Err(format!("{shown} is there already; --force replaces it")),
    }
}

#[cfg(unix)]
fn is_program(metadata: &fs::Metadata) -> bool {
    std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o111 != 0
}

#[cfg(not(unix))]
fn is_program(_metadata: &fs::Metadata) -> bool {
    false
}

#[cfg(unix)]
fn set_mode(path: &Path, is_program: bool) -> io::Result<()> {
    let mode = if is_program { 0o755 } else { 0o644 };
    fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(mode))
}

#[cfg(not(unix))]
fn set_mode(_path: &Path, _is_program: bool) -> io::Result<()> {
    Ok(())
}

/// The path of a file below a folder of the extension, `skills/` say, without that folder.
pub(super) fn below<'a>(
    content: &'a Content,
    folder: &'a str,
) -> impl Iterator<Item = (&'a str, &'a File)> {
    content.files.iter().filter_map(move |(path, file)| Some((path.strip_prefix(folder)?, file)))
}

/// For a sentence.
pub(super) fn shown(folder: &Path) -> PathBuf {
    std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned())
}
