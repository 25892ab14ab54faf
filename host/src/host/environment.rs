//! What extensions get of the environment, beside what their manifests declare.

use std::ffi::OsString;

use super::HostBuilder;

impl HostBuilder {
    /// Gives every extension a variable, whatever the host's own environment and the manifests say.
    #[must_use]
    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.environment.set.insert(name.into(), value.into());
        self
    }

    /// Passes variables of the host's own environment on to every extension, beside those that the
    /// extension's manifest declares. Names that the host does not have are left out.
    #[must_use]
    pub fn pass_env<N: Into<OsString>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.environment.pass.extend(names.into_iter().map(Into::into));
        self
    }

    /// Passes the host's whole environment on to every extension, keys and tokens included, as a
    /// zot does. Off by default.
    #[must_use]
    pub fn inherit_env(mut self, inherit: bool) -> Self {
        self.environment.inherit = inherit;
        self
    }
}
