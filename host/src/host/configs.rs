//! The configuration of extensions, at their start and later.

use std::path::Path;

use extline_protocol::{RawJson, Vocabulary};

use super::{Host, HostBuilder};
use crate::config::LiveConfig;
use crate::report::CallError;
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
        let slot = self.slots.named(name);
        let slot =
            slot.ok_or_else(|| CallError::Unknown { what: "extension", name: name.to_owned() })?;
        slot.change_config(given)
    }
}
