//! Where an extension comes from, and the program that is started for it.

mod manifest;
#[cfg(feature = "mcp-client")]
mod mcp_server;
mod pin;
mod plan;
mod program;

use std::ffi::OsString;
use std::path::PathBuf;

pub(crate) use self::manifest::manifest_file;
pub use self::manifest::{
    Distribution, FilePermissions, MANIFEST, Manifest, ManifestCheck, ManifestError, ManifestFault,
    Permissions, Provider, Requires, Severity, manifest_members, manifest_schema, manifests_in,
};
#[cfg(feature = "mcp-client")]
pub(crate) use self::mcp_server::Way;
#[cfg(feature = "mcp-client")]
pub use self::mcp_server::{McpServer, McpServerError};
pub(crate) use self::pin::check_pin;
pub(crate) use self::plan::{Plan, explain, resolve};
pub use self::program::Program;

/// Where an extension comes from: a folder with a manifest, or a command line.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ExtensionSource {
    /// A folder that holds an `extension.json`, or the path of that file.
    Folder(PathBuf),
    /// A program without a manifest. It runs in the host's `cwd`, and is found as a shell would
    /// find it: a name with a separator is a path, any other is looked up in `$PATH`.
    Command {
        /// The program.
        program: OsString,
        /// Its arguments.
        args: Vec<OsString>,
        /// What the extension is called; without it, the name of the first argument that is a
        /// file, else of the program, without folder and suffix.
        name: Option<String>,
    },
    /// A server of MCP.
    #[cfg(feature = "mcp-client")]
    Mcp(McpServer),
    /// One that is started only while its files have a digest, see [`ExtensionSource::pinned`].
    Pinned {
        /// The extension.
        source: Box<Self>,
        /// The digest over its files.
        digest: String,
    },
    /// One that is not started with the host, see [`ExtensionSource::on_demand`].
    OnDemand(Box<Self>),
}

impl ExtensionSource {
    /// A folder with a manifest.
    pub fn folder(path: impl Into<PathBuf>) -> Self {
        Self::Folder(path.into())
    }

    /// A program without a manifest.
    pub fn command<A: Into<OsString>>(
        program: impl Into<OsString>,
        args: impl IntoIterator<Item = A>,
    ) -> Self {
        let args = args.into_iter().map(Into::into).collect();
        Self::Command { program: program.into(), args, name: None }
    }

    /// The same with another name. A folder is named by its manifest, and stays as it is.
    #[must_use]
    pub fn named(mut self, to: impl Into<String>) -> Self {
        match &mut self {
            Self::Command { name, .. } => *name = Some(to.into()),
            Self::OnDemand(source) | Self::Pinned { source, .. } => {
                **source = source.as_ref().clone().named(to);
            }
            _ => {}
        }
        self
    }

    /// The same, started only while all files in its folder have this digest ([`Tree::digest`](crate::trust::Tree)): it
    /// is looked at just before each start, also when it is started again.
    #[must_use]
    pub fn pinned(self, digest: impl Into<String>) -> Self {
        match self {
            Self::OnDemand(source) => Self::OnDemand(Box::new(source.pinned(digest))),
            source => Self::Pinned { source: Box::new(source), digest: digest.into() },
        }
    }

    /// The same, not started with the host: it has its place, and nothing of it runs or holds until
    /// somebody enables it ([`Host::enable`](crate::Host::enable)).
    #[must_use]
    pub fn on_demand(self) -> Self {
        match self {
            Self::OnDemand(_) => self,
            source => Self::OnDemand(Box::new(source)),
        }
    }

    /// Whether it is not started with the host.
    pub(crate) fn is_on_demand(&self) -> bool {
        matches!(self, Self::OnDemand(_))
    }
}
