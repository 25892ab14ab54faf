//! Where an extension comes from, and the program that is started for it.

mod manifest;
#[cfg(feature = "mcp-client")]
mod mcp_server;
mod plan;
mod program;

use std::ffi::OsString;
use std::path::PathBuf;

pub use self::manifest::{MANIFEST, Manifest, ManifestError, Permissions};
#[cfg(feature = "mcp-client")]
pub(crate) use self::mcp_server::Way;
#[cfg(feature = "mcp-client")]
pub use self::mcp_server::{McpServer, McpServerError};
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
            Self::OnDemand(source) => **source = source.as_ref().clone().named(to),
            _ => {}
        }
        self
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
