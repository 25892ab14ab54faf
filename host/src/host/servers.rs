//! Servers of MCP among the extensions.

use std::path::Path;
use std::sync::Arc;

use super::HostBuilder;
use crate::connection::Adapter;
use crate::source::ExtensionSource;

/// What all servers of a host share.
pub(super) struct Servers {
    #[cfg(feature = "mcp-client")]
    eras: Arc<crate::mcp::Eras>,
}

impl Servers {
    #[cfg(feature = "mcp-client")]
    pub(super) fn of(builder: &HostBuilder) -> Self {
        Self { eras: Arc::new(crate::mcp::Eras::of_home(&builder.home_or_default())) }
    }

    #[cfg(not(feature = "mcp-client"))]
    pub(super) fn of(_: &HostBuilder) -> Self {
        Self {}
    }

    /// What makes an extension of a server.
    #[cfg(feature = "mcp-client")]
    pub(super) fn adapter(&self, source: &ExtensionSource, cwd: &Path) -> Option<Arc<dyn Adapter>> {
        let server = match source {
            ExtensionSource::Mcp(server) => server,
            ExtensionSource::OnDemand(source) => return self.adapter(source, cwd),
            _ => return None,
        };
        let (server, eras) = (server.clone(), Arc::clone(&self.eras));
        Some(Arc::new(crate::mcp::ServerAdapter::new(server, cwd.to_owned(), eras)))
    }

    #[cfg(not(feature = "mcp-client"))]
    #[expect(clippy::unused_self, reason = "as with servers")]
    pub(super) fn adapter(&self, _: &ExtensionSource, _: &Path) -> Option<Arc<dyn Adapter>> {
        None
    }
}
