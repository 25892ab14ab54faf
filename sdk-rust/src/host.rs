//! What the host said about itself.

use std::path::Path;

use extline_protocol::frame::{HelloAck, Limits, SessionInfo};
use extline_protocol::{Capabilities, Capability};

/// The host: its name, its model, what it understands.
///
/// Before the host's `hello_ack` everything is empty; a handler runs that early only when a host
/// breaks the order.
///
/// ```
/// # fn handler(ctx: &extline::Context) {
/// use extline::Capability;
///
/// let host = ctx.host();
/// println!("{} {} with {} of {}", host.name(), host.version(), host.model(), host.provider());
/// if host.supports(Capability::CallTool) && host.serves("ui.confirm") {
///     println!("in {}", host.cwd().display());
/// }
/// # }
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Host {
    ack: HelloAck,
    supported: Capabilities,
}

impl Host {
    pub(crate) fn new(ack: HelloAck, supported: Capabilities) -> Self {
        Self { ack, supported }
    }

    /// The program's name. A real zot does not say it, so it is `zot` then.
    pub fn name(&self) -> &str {
        self.ack.host_name()
    }

    /// The program's version.
    pub fn version(&self) -> &str {
        self.ack.host_version()
    }

    /// The version of zot that the host is, or behaves like.
    pub fn zot_version(&self) -> &str {
        &self.ack.zot_version
    }

    /// The model's provider, empty when the host has none.
    pub fn provider(&self) -> &str {
        &self.ack.provider
    }

    /// The model, empty when the host has none.
    pub fn model(&self) -> &str {
        &self.ack.model
    }

    /// The project's directory.
    pub fn cwd(&self) -> &Path {
        Path::new(&self.ack.cwd)
    }

    /// Whether the host understands what an extension would send under that capability.
    pub fn supports(&self, capability: Capability) -> bool {
        self.supported.contains(capability)
    }

    /// Whether the host serves a method, for [`Context::request`](crate::Context::request).
    pub fn serves(&self, method: &str) -> bool {
        self.ack.methods.iter().flatten().any(|name| name == method)
    }

    /// What the host grants, where it says so.
    pub fn limits(&self) -> Option<&Limits> {
        self.ack.limits.as_ref()
    }

    pub(crate) fn extension_dir(&self) -> Option<&Path> {
        self.ack.extension_dir.as_deref().map(Path::new)
    }

    pub(crate) fn data_dir(&self) -> Option<&Path> {
        self.ack.data_dir.as_deref().map(Path::new)
    }

    pub(crate) fn session(&self) -> Option<&SessionInfo> {
        self.ack.session.as_ref()
    }
}
