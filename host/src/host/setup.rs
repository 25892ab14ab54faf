//! What every place of an extension is made of, at the start of a host and later.

use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use super::servers::Servers;
use super::slot::{Setting, Slot, Slots};
use super::{EnableError, Host, HostBuilder};
use crate::connection::Shared;
use crate::lock::lock;
use crate::process::{Environments, Launch};
use crate::report::Problem;
use crate::secrets::SecretServer;
use crate::source::{ExtensionSource, Plan};

/// The settings of a host.
pub(super) struct Setup {
    pub(super) builder: Arc<HostBuilder>,
    /// As the embedder gave it, without what the host has added.
    pub(super) given: Arc<HostBuilder>,
    pub(super) cwd: PathBuf,
    pub(super) secrets: Arc<SecretServer>,
    pub(super) servers: Servers,
    /// Held by who looks for a name and takes it.
    pub(super) adding: Mutex<()>,
}

impl Setup {
    /// A place behind the others, disabled; and how to start what is in it, or why that cannot work.
    pub(super) fn place(
        &self,
        source: &ExtensionSource,
        plan: Plan,
        shared: &Arc<Shared>,
        slots: &Slots,
    ) -> (Arc<Slot>, Result<Launch, Problem>) {
        let Self { builder, given, cwd, secrets, servers, .. } = self;
        let adapter = servers.adapter(source, cwd);
        let setting = Setting { shared, builder, given, cwd, adapter, secrets };
        let (slot, launch) = Slot::new(source, plan, setting);
        slots.add(Arc::clone(&slot));
        (slot, launch)
    }

    pub(super) fn plan(&self, source: &ExtensionSource, environments: &Environments<'_>) -> Plan {
        Plan::of(source, &self.cwd, environments)
    }
}

impl fmt::Debug for Setup {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Setup").field("cwd", &self.cwd).finish_non_exhaustive()
    }
}

impl Host {
    /// Adds an extension behind the others while the host runs, as [`HostBuilder::extension`] does before, starts it and
    /// waits until it is ready; one [on demand](ExtensionSource::on_demand) is not started. Returns its name.
    ///
    /// One that fails stays in its place, as one given to the builder does: [enable](Host::enable) it when it is mended,
    /// or [remove](Host::remove) it. It goes on when its future is dropped.
    ///
    /// # Errors
    ///
    /// [`EnableError::Taken`] where the host has one of that name; else as [`Host::enable`].
    ///
    /// # Panics
    ///
    /// Outside the runtime.
    pub async fn add(&self, source: ExtensionSource) -> Result<String, EnableError> {
        let slot = {
            let _adding = lock(&self.setup.adding);
            let environments = Environments::new(&self.setup.builder.environment);
            let plan = self.setup.plan(&source, &environments);
            if self.slots.named(&plan.name).is_some() {
                return Err(EnableError::Taken { name: plan.name });
            }
            self.setup.place(&source, plan, &self.shared, &self.slots).0
        };
        let enabled = if source.is_on_demand() { Ok(()) } else { slot.enable().await };
        self.slots.tell_report(&self.shared.news);
        enabled.map(|()| slot.name().to_owned())
    }
}
