//! The configuration of an extension that runs.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Mutex;

use extline_protocol::RawJson;

use super::{ConfigError, Configuration, ToolSettings};
use crate::lock::lock;
use crate::source::Manifest;

/// How an agent is named where it gave a configuration.
const AGENT: &str = "given by the agent";

/// Where the configuration of one extension comes from, and what it got last.
#[derive(Debug)]
pub(crate) struct LiveConfig {
    extension: String,
    home: PathBuf,
    cwd: PathBuf,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    manifest: Option<Manifest>,
    /// What the agent gave, and where it says that it has it from.
    given: Option<(String, RawJson)>,
    current: Option<RawJson>,
}

/// What a reading brought.
#[derive(Debug)]
pub(crate) struct Reading {
    /// The configuration, where it is another one than before.
    pub(crate) changed: Option<RawJson>,
    pub(crate) tools: BTreeMap<String, ToolSettings>,
    /// Where the settings of tools stand.
    pub(crate) file: PathBuf,
}

impl LiveConfig {
    pub(crate) fn new(
        extension: &str,
        manifest: Option<Manifest>,
        home: PathBuf,
        cwd: PathBuf,
        given: Option<(String, RawJson)>,
    ) -> Self {
        let state = Mutex::new(State { manifest, given, current: None });
        Self { extension: extension.to_owned(), home, cwd, state }
    }

    /// Its manifest is this one now.
    pub(crate) fn describe(&self, manifest: Option<Manifest>) {
        lock(&self.state).manifest = manifest;
    }

    /// What it got last, or will get.
    pub(crate) fn current(&self) -> Option<RawJson> {
        lock(&self.state).current.clone()
    }

    /// Reads everything anew, with what the agent gives from now on where it gives something. Nothing
    /// changes where that cannot be used.
    pub(crate) fn read(&self, given: Option<RawJson>) -> Result<Reading, ConfigError> {
        let Self { extension, home, cwd, .. } = self;
        let mut state = lock(&self.state);
        let given = given.map(|given| (AGENT.to_owned(), given)).or_else(|| state.given.clone());
        let mut configuration = Configuration::read(extension, state.manifest.as_ref(), home, cwd)?;
        if let Some((source, given)) = &given {
            configuration.give(source, given.get())?;
        }
        let config = configuration.config()?;
        let has_changed = config != state.current;
        (state.given, state.current) = (given, config.clone());
        Ok(Reading {
            changed: config.filter(|_| has_changed),
            tools: configuration.tools().clone(),
            file: configuration.user_file().to_owned(),
        })
    }

    /// What to do about a configuration that cannot be used.
    pub(crate) fn remedy(&self, error: &ConfigError, folder: Option<&std::path::Path>) -> String {
        let folder = folder.map(|folder| match folder.strip_prefix(&self.cwd) {
            Ok(below) if below.as_os_str().is_empty() => ".".to_owned(),
            Ok(below) => format!("./{}", below.display()),
            Err(_) => folder.display().to_string(),
        });
        error.remedy(&self.extension, folder.as_deref().unwrap_or(&self.extension))
    }
}
