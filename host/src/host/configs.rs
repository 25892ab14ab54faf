//! The configuration of extensions, at their start and later.

use std::path::Path;
use std::sync::Arc;

use extline_protocol::{RawJson, Vocabulary};

use super::{Host, HostBuilder};
use crate::config::{LiveConfig, Reading};
use crate::report::{CallError, Problem};
use crate::source::Manifest;

impl HostBuilder {
    /// Where the configuration of an extension comes from.
    pub(super) fn live_config(
        &self,
        extension: &str,
        manifest: Option<&Manifest>,
        cwd: &Path,
    ) -> LiveConfig {
        let (home, cwd) = (self.home_or_default(), cwd.to_owned());
        let given = self.configs.get(extension).or_else(|| self.configs.get("")).cloned();
        LiveConfig::new(extension, manifest.cloned(), home, cwd, given)
    }

    /// Whether extensions have configurations: under a zot there are none.
    pub(super) fn has_configs(&self) -> bool {
        let vocabulary = self.profile.vocabulary;
        vocabulary.is_extline() || vocabulary == Vocabulary::TERVA
    }
}

impl Host {
    /// Reads the configuration of an extension before it is started, or says why it is not
    /// (`config.valid`).
    pub(super) fn read_config(
        &self,
        index: usize,
        config: &Arc<LiveConfig>,
        folder: Option<&Path>,
    ) -> Result<(), Problem> {
        if !self.has_configs {
            return Ok(());
        }
        let Reading { tools, file, .. } = config.read(None).map_err(|error| {
            let remedy = config.remedy(&error, folder);
            Problem::Config { faults: error.faults, remedy }
        })?;
        self.shared.registry().set_tools(index, tools, file);
        Ok(())
    }

    /// Gives an extension another configuration, an object that lies over what the files say from now on.
    /// The files are read anew. Where what comes of it differs, the extension is told (`config.changed`);
    /// whether it does. One that does not run gets it at its next start.
    ///
    /// [`CallError::Config`] has all that is wrong with it, and nothing changes then.
    pub fn set_config(&self, extension: &str, config: RawJson) -> Result<bool, CallError> {
        self.change_config(extension, Some(config))
    }

    /// Reads the files of an extension's configuration anew, as after `extline config`: the extension is told where
    /// its configuration is another one, and tools are offered, or not, as they say now. Whether the
    /// configuration has changed.
    pub fn reload_config(&self, extension: &str) -> Result<bool, CallError> {
        self.change_config(extension, None)
    }

    fn change_config(&self, name: &str, given: Option<RawJson>) -> Result<bool, CallError> {
        let mut extensions = self.extensions.iter().enumerate();
        let (index, extension) = extensions
            .find(|(_, it)| it.name == name)
            .ok_or_else(|| CallError::Unknown { what: "extension", name: name.to_owned() })?;
        if !self.has_configs {
            return Ok(false);
        }
        let reading = extension.config.read(given);
        let Reading { changed, tools, file } =
            reading.map_err(|error| CallError::Config { extension: name.to_owned(), error })?;
        self.shared.registry().set_tools(index, tools, file);
        let has_changed = changed.is_some();
        if let (Some(config), Ok(slot)) = (changed, &extension.running) {
            slot.current().change_config(config);
        }
        self.shared.publish();
        Ok(has_changed)
    }
}
