//! What an agent says of tools in place of their authors, and changes while it runs.

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::file;
use crate::lock::lock;

/// The most bytes of a file of descriptions.
const FILE_BYTES: u64 = 4 * 1024 * 1024;

/// What a tool is described by, for models.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ToolDescription {
    /// What it does; its author's words where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// What is in its schema, by JSON pointers: `/properties/city` for the parameter `city`. One that leads nowhere
    /// changes nothing.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub parameters: BTreeMap<String, String>,
}

impl ToolDescription {
    fn is_empty(&self) -> bool {
        self.description.is_none() && self.parameters.is_empty()
    }
}

/// Descriptions of tools, by the names of the tools: kept in memory, or in a file.
///
/// Each change counts up the revision. A host that has them ([`HostBuilder::descriptions`]) offers tools in these
/// words from the next [`Host::offer`] on, and tells of it ([`News::Descriptions`]). What a user has set for a tool
/// ([`ToolSettings`]) counts for more.
///
/// A clone is another handle of the same. It may be used from any thread.
///
/// ```
/// use extline_host::Descriptions;
///
/// let descriptions = Descriptions::default();
/// descriptions.set("rain", "Tells when it rains in a city.")?;
/// descriptions.set_parameter("rain", "/properties/city", "Name of the city, in English")?;
/// assert_eq!(descriptions.revision(), 2);
/// # Ok::<(), extline_host::DescriptionError>(())
/// ```
///
/// [`Host::offer`]: crate::Host::offer
/// [`HostBuilder::descriptions`]: crate::HostBuilder::descriptions
/// [`News::Descriptions`]: crate::News::Descriptions
/// [`ToolSettings`]: crate::config::ToolSettings
#[derive(Clone, Default)]
pub struct Descriptions(Arc<Mutex<Kept>>);

#[derive(Default)]
struct Kept {
    tools: BTreeMap<String, ToolDescription>,
    revision: u64,
    file: Option<PathBuf>,
    /// Told of each revision; a watcher that returns `false` is not told again.
    watchers: Vec<Box<dyn Fn(u64) -> bool + Send>>,
}

/// A description that cannot be kept; nothing has changed then.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum DescriptionError {
    /// There is nothing in it.
    #[error("the description is empty; delete it to have the author's words")]
    Empty,
    /// It is of no place in a schema.
    #[error("{pointer:?} is no JSON pointer; that of a parameter is /properties/NAME")]
    Pointer {
        /// What was given.
        pointer: String,
    },
    /// The file cannot be read, or is none of descriptions.
    #[error("{}: {reason}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What is wrong, with line and column where it is known.
        reason: String,
    },
    /// The file cannot be written.
    #[error("{}: {error}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
}

impl Descriptions {
    /// Those of a file, which is written at each change; none where it is not there yet. Its folder must be. The file
    /// is a JSON object, as [`Descriptions::load`] takes it: `{"rain": {"description": "..", "parameters": {"/properties/city": ".."}}}`.
    pub fn open(path: impl Into<PathBuf>) -> Result<Self, DescriptionError> {
        let path = path.into();
        let wrong = |reason: String| DescriptionError::Read { path: path.clone(), reason };
        let tools = match file::read_text(&path, FILE_BYTES) {
            Ok(text) => serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => BTreeMap::new(),
            Err(error) => return Err(wrong(error.to_string())),
        };
        check_all(&tools).map_err(|error| wrong(error.to_string()))?;
        Ok(Self(Arc::new(Mutex::new(Kept { tools, file: Some(path), ..Kept::default() }))))
    }

    /// What a tool is described by; `None` where it has its author's words.
    pub fn get(&self, tool: &str) -> Option<ToolDescription> {
        lock(&self.0).tools.get(tool).cloned()
    }

    /// All of them, by the names of the tools.
    pub fn all(&self) -> BTreeMap<String, ToolDescription> {
        lock(&self.0).tools.clone()
    }

    /// How often they have changed since they were made or opened.
    pub fn revision(&self) -> u64 {
        lock(&self.0).revision
    }

    /// Says what a tool does.
    pub fn set(&self, tool: &str, text: &str) -> Result<(), DescriptionError> {
        check(text)?;
        self.change(|tools| {
            tools.entry(tool.to_owned()).or_default().description = Some(text.to_owned());
        })
    }

    /// Says what stands at a place of its schema, by a JSON pointer: `/properties/city`.
    pub fn set_parameter(
        &self,
        tool: &str,
        pointer: &str,
        text: &str,
    ) -> Result<(), DescriptionError> {
        check(text)?;
        check_pointer(pointer)?;
        self.change(|tools| {
            let described = tools.entry(tool.to_owned()).or_default();
            described.parameters.insert(pointer.to_owned(), text.to_owned());
        })
    }

    /// The tool has its author's words again; whether it had others.
    pub fn delete(&self, tool: &str) -> Result<bool, DescriptionError> {
        let had = self.get(tool).is_some();
        self.change(|tools| drop(tools.remove(tool)))?;
        Ok(had)
    }

    /// Puts others in place of all of them, as one change.
    pub fn load(&self, all: BTreeMap<String, ToolDescription>) -> Result<(), DescriptionError> {
        check_all(&all)?;
        self.change(|tools| *tools = all)
    }

    /// What changes nothing is no revision.
    fn change(
        &self,
        change: impl FnOnce(&mut BTreeMap<String, ToolDescription>),
    ) -> Result<(), DescriptionError> {
        let mut kept = lock(&self.0);
        let mut tools = kept.tools.clone();
        change(&mut tools);
        tools.retain(|_, described| !described.is_empty());
        if tools == kept.tools {
            return Ok(());
        }
        if let Some(path) = &kept.file {
            write(path, &tools)?;
        }
        kept.tools = tools;
        kept.revision += 1;
        let revision = kept.revision;
        kept.watchers.retain(|watcher| watcher(revision));
        Ok(())
    }

    /// Is called at each change, with the revision, until it returns `false`. It may not ask for descriptions.
    pub(crate) fn watch(&self, watcher: impl Fn(u64) -> bool + Send + 'static) {
        lock(&self.0).watchers.push(Box::new(watcher));
    }
}

impl fmt::Debug for Descriptions {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kept = lock(&self.0);
        let mut shown = formatter.debug_struct("Descriptions");
        shown.field("tools", &kept.tools).field("revision", &kept.revision).finish_non_exhaustive()
    }
}

fn write(path: &Path, tools: &BTreeMap<String, ToolDescription>) -> Result<(), DescriptionError> {
    let written = serde_json::to_vec_pretty(tools).map_err(io::Error::other);
    let written = written.and_then(|mut bytes| {
        bytes.push(b'\n');
        file::replace(path, &bytes)
    });
    written.map_err(|error| DescriptionError::Write { path: path.to_owned(), error })
}

fn check_all(tools: &BTreeMap<String, ToolDescription>) -> Result<(), DescriptionError> {
    for described in tools.values() {
        described
            .description
            .iter()
            .chain(described.parameters.values())
            .try_for_each(|text| check(text))?;
        described.parameters.keys().try_for_each(|pointer| check_pointer(pointer))?;
    }
    Ok(())
}

fn check(text: &str) -> Result<(), DescriptionError> {
    if text.trim().is_empty() { Err(DescriptionError::Empty) } else { Ok(()) }
}

fn check_pointer(pointer: &str) -> Result<(), DescriptionError> {
    if pointer.starts_with('/') {
        return Ok(());
    }
    Err(DescriptionError::Pointer { pointer: pointer.to_owned() })
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;

    #[test]
    fn each_change_is_a_revision_and_what_changes_nothing_is_none() {
        let descriptions = Descriptions::default();
        let told = Arc::new(AtomicU64::new(0));
        let watcher = Arc::clone(&told);
        descriptions.watch(move |revision| {
            watcher.store(revision, Ordering::Relaxed);
            true
        });
        descriptions.set("rain", "Rain").unwrap();
        descriptions.set("rain", "Rain").unwrap();
        assert_eq!((descriptions.revision(), told.load(Ordering::Relaxed)), (1, 1));
        assert!(!descriptions.delete("snow").unwrap());
        assert_eq!(descriptions.revision(), 1);
        assert!(descriptions.delete("rain").unwrap());
        assert_eq!((descriptions.revision(), told.load(Ordering::Relaxed)), (2, 2));
        assert_eq!(descriptions.get("rain"), None);

        let said = ToolDescription { description: Some("Snow".to_owned()), ..Default::default() };
        descriptions.load(BTreeMap::from([("snow".to_owned(), said)])).unwrap();
        assert_eq!(descriptions.revision(), 3);
    }

    #[test]
    fn what_cannot_be_kept_changes_nothing() {
        let descriptions = Descriptions::default();
        assert!(matches!(descriptions.set("rain", " \n"), Err(DescriptionError::Empty)));
        let error = descriptions.set_parameter("rain", "city", "Where").unwrap_err();
        assert!(error.to_string().contains("/properties/NAME"));
        assert_eq!((descriptions.revision(), descriptions.all().len()), (0, 0));
    }

    #[test]
    fn a_file_has_each_change_and_a_broken_one_is_told_with_its_place() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("descriptions.json");
        let descriptions = Descriptions::open(&path).unwrap();
        assert!(!path.exists());
        descriptions.set_parameter("rain", "/properties/city", "Where").unwrap();
        assert_eq!(Descriptions::open(&path).unwrap().all(), descriptions.all());

        for (text, place) in [
            ("{\"rain\":\n {\"descripton\": \"x\"}}", "line 2 column 14"),
            ("[]", "line 1 column 0"),
            ("{\"rain\": {\"description\": \"\"}}", "is empty"),
        ] {
            fs::write(&path, text).unwrap();
            let error = Descriptions::open(&path).unwrap_err().to_string();
            assert!(error.contains("descriptions.json: ") && error.contains(place), "{error}");
        }
        fs::remove_dir_all(folder.path()).unwrap();
        assert!(matches!(descriptions.set("rain", "Rain"), Err(DescriptionError::Write { .. })));
        assert_eq!(
            (descriptions.revision(), descriptions.get("rain").unwrap().description),
            (1, None)
        );
    }
}
