//! From a file to a manifest, and to all that is wrong with it.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::advice;
use super::check::{self, ManifestFault, Severity, kind_of};
use super::{Distribution, MANIFEST, Manifest, ManifestError, NAMES};
use crate::file::{MANIFEST_BYTES, read_bytes};
use crate::registry::Point;

/// So many manifests are kept as they were read last, none of them longer than that.
const KEPT: usize = 256;
const KEPT_BYTES: usize = 16 * 1024;

/// What came of reading a manifest.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ManifestCheck {
    /// The file.
    pub file: PathBuf,
    /// The manifest, or the first error of it.
    pub manifest: Result<Manifest, ManifestError>,
    /// All that is wrong, in the order of docs/host/manifest.md; errors and warnings.
    pub faults: Vec<ManifestFault>,
}

impl ManifestCheck {
    /// Whether a host would start it.
    pub fn is_valid(&self) -> bool {
        self.manifest.is_ok()
    }

    /// What does not keep it from starting.
    pub fn warnings(&self) -> impl Iterator<Item = &ManifestFault> {
        self.faults.iter().filter(|fault| fault.severity == Severity::Warning)
    }
}

/// The manifests that a path stands for: the file itself; those in a folder, of each name that a manifest may have; and
/// where the folder has none, those in the folders below it. Sorted; empty where there are none.
pub fn manifests_in(path: &Path) -> io::Result<Vec<PathBuf>> {
    if !path.is_dir() {
        // What is not there is told by whoever reads it.
        return Ok(vec![path.to_owned()]);
    }
    let in_folder = |folder: &Path| {
        NAMES.map(|name| folder.join(name)).into_iter().filter(|file| file.exists())
    };
    let mut files: Vec<PathBuf> = in_folder(path).collect();
    if files.is_empty() {
        for entry in path.read_dir()? {
            let below = entry?.path();
            if below.is_dir() {
                files.extend(in_folder(&below));
            }
        }
    }
    files.sort();
    Ok(files)
}

/// The manifest a path stands for.
pub(crate) fn manifest_file(path: &Path) -> PathBuf {
    let is_one = |name| NAMES.iter().any(|one| name == *one);
    if path.file_name().is_some_and(is_one) && !path.is_dir() {
        return path.to_owned();
    }
    let mut there = NAMES.map(|name| path.join(name)).into_iter();
    there.find(|file| file.exists()).unwrap_or_else(|| path.join(MANIFEST))
}

pub(super) fn file(path: &Path) -> ManifestCheck {
    let file = manifest_file(path);
    let bytes = match read_bytes(&file, MANIFEST_BYTES) {
        Ok(bytes) => bytes,
        Err(error) => {
            // A file whose text nobody knows may guard anything.
            let guards = if file.is_file() { all_points() } else { Vec::new() };
            let is_long = error.kind() == io::ErrorKind::FileTooLarge;
            let code = if is_long { "manifest.size" } else { "manifest.unreadable" };
            return failed(code, ManifestError { guards, ..unreadable(path, &file, &error) });
        }
    };
    match String::from_utf8(bytes) {
        Ok(content) => {
            let mut check = text_once(&content, &file);
            if let Ok(manifest) = &check.manifest {
                check.faults.extend(advice::of(manifest, &file, &content));
            }
            check
        }
        Err(error) => {
            let guards = guards_named_in(&String::from_utf8_lossy(error.as_bytes()));
            let error = io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8");
            let error = ManifestError { guards, ..unreadable(path, &file, &error) };
            failed("manifest.encoding", error)
        }
    }
}

/// [`text`], done once for each text: discovery, remarks and each start read the same file within moments.
fn text_once(content: &str, file: &Path) -> ManifestCheck {
    static READ: Mutex<BTreeMap<PathBuf, (String, ManifestCheck)>> = Mutex::new(BTreeMap::new());
    let mut read = READ.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, check)) = read.get(file).filter(|(text, _)| text == content) {
        return check.clone();
    }
    let check = text(content, file);
    if read.len() >= KEPT {
        read.clear();
    }
    if content.len() <= KEPT_BYTES {
        read.insert(file.to_owned(), (content.to_owned(), check.clone()));
    }
    check
}

pub(super) fn text(content: &str, file: &Path) -> ManifestCheck {
    let text = content.trim_start_matches('\u{feff}');
    let whole = |problem: String, remedy: &str| ManifestError {
        file: file.to_owned(),
        guards: guards_named_in(text),
        pointer: None,
        problem,
        remedy: remedy.to_owned(),
    };
    let members = match serde_json::from_str(text) {
        Ok(Value::Object(members)) => members,
        Ok(other) => {
            let problem = format!("it holds {}, not an object", kind_of(&other));
            let error = whole(problem, "write {\"name\": \"...\", \"exec\": \"./...\"}");
            return failed("manifest.type", error);
        }
        Err(error) => {
            let (line, column) = (error.line(), error.column());
            let mut failed =
                failed("manifest.json", whole(format!("not JSON: {error}"), "correct that place"));
            for fault in &mut failed.faults {
                (fault.line, fault.column) = (Some(line), Some(column));
            }
            return failed;
        }
    };
    let faults = check::check(text, &members);
    let error = faults.iter().find(|fault| fault.severity == Severity::Error);
    let manifest = match error {
        Some(fault) => {
            let (problem, remedy) = (fault.message.clone(), &fault.remedy);
            let error = ManifestError::at(file, &fault.pointer, problem, remedy);
            Err(ManifestError { guards: guards_named_in(text), ..error })
        }
        // The table and the type say the same.
        None => Manifest::of(members).map_err(|error| whole(error.to_string(), "correct it")),
    };
    ManifestCheck { file: file.to_owned(), manifest, faults }
}

/// One of which nothing is known but that it cannot be used.
fn failed(code: &str, error: ManifestError) -> ManifestCheck {
    let fault = ManifestFault {
        code: code.to_owned(),
        severity: Severity::Error,
        pointer: String::new(),
        line: None,
        column: None,
        message: error.problem.clone(),
        remedy: error.remedy.clone(),
    };
    ManifestCheck { file: error.file.clone(), manifest: Err(error), faults: vec![fault] }
}

/// Where a manifest that is wrong may guard: the word is enough.
fn guards_named_in(text: &str) -> Vec<String> {
    // In UTF-16 every second byte of it is 0.
    let names_them = text.replace('\0', "").contains("\"guards\"");
    if names_them { all_points() } else { Vec::new() }
}

/// The points that have guards.
fn all_points() -> Vec<String> {
    let points = Point::ALL.into_iter().filter(|point| point.has_guards());
    points.map(|point| point.as_str().to_owned()).collect()
}

fn unreadable(path: &Path, file: &Path, error: &io::Error) -> ManifestError {
    let (problem, remedy) = if path.is_file() && path != file {
        let remedy = "give the folder of an extension, or start this program with \
                      `-- PROGRAM ARGS` in place of the folder";
        ("it is a file, not a folder with an extension.json".to_owned(), remedy)
    } else if !path.exists() {
        ("there is no such folder".to_owned(), "check the path")
    } else if error.kind() == io::ErrorKind::NotFound {
        let remedy = "write one with at least \"name\" and \"exec\", or start a program without \
                      a manifest with `-- PROGRAM ARGS` in place of the folder";
        ("there is no such file".to_owned(), remedy)
    } else {
        let remedy = "it must be a regular file of at most 256 KiB in UTF-8 that you may read";
        (format!("it cannot be read: {error}"), remedy)
    };
    let file = if path.is_dir() { file } else { path };
    let (file, remedy) = (file.to_owned(), remedy.to_owned());
    ManifestError { file, guards: Vec::new(), pointer: None, problem, remedy }
}

/// What is a string, or an object with one string that counts.
#[derive(Deserialize)]
#[serde(untagged)]
enum Short<T> {
    Text(String),
    Object(T),
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Type {
    r#type: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Status {
    status: Option<String>,
}

pub(super) fn short_type<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    Ok(match Short::<Type>::deserialize(from)? {
        Short::Text(text) => Some(text),
        Short::Object(object) => object.r#type,
    })
}

pub(super) fn short_status<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    Ok(match Short::<Status>::deserialize(from)? {
        Short::Text(text) => Some(text),
        Short::Object(object) => object.status,
    })
}

pub(super) fn short_source<'de, D: Deserializer<'de>>(
    from: D,
) -> Result<Option<Distribution>, D::Error> {
    Ok(match Short::<Distribution>::deserialize(from)? {
        Short::Text(text) => Some(Distribution { source: Some(text), ..Distribution::default() }),
        Short::Object(object) => Some(object),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_anew_is_read_anew() {
        let folder = tempfile::tempdir().unwrap();
        let name_in = |text: &str| {
            std::fs::write(folder.path().join(MANIFEST), text).unwrap();
            file(folder.path()).manifest.map(|manifest| manifest.name)
        };
        for name in ["clock", "watch", "clock"] {
            let text = format!(r#"{{"name": "{name}", "exec": "/bin/sh"}}"#);
            assert_eq!(name_in(&text).as_deref(), Ok(name));
            assert_eq!(name_in(&text).as_deref(), Ok(name));
        }
        assert!(name_in("{").is_err());
    }
}
