//! Extensions that are started when they are first used.

use std::sync::Arc;

use tokio::sync::mpsc::unbounded_channel;

use super::slot::Slots;
use super::{Host, HostBuilder};

impl HostBuilder {
    /// Lists extensions by what they offered the last time, and starts each when one of its tools or commands is first
    /// used. It holds for extensions in folders with a manifest, as long as no file of the folder has changed, and for
    /// those that wait for nothing else: one that guards, subscribes to anything or serves methods is started with the
    /// host. What they offer is kept in `offers` in the home of the host; an extension that offers something else when
    /// it is started says so by a notice. Off by default.
    #[must_use]
    pub fn lazy_start(mut self, lazy: bool) -> Self {
        self.is_lazy = lazy;
        self
    }
}

impl Host {
    /// Starts deferred extensions when they are used.
    pub(super) fn start_when_used(&self) {
        let (starter, mut used) = unbounded_channel();
        self.shared.registry().start_when_used(starter);
        let slots = Arc::downgrade(&self.slots);
        tokio::spawn(async move {
            while let Some(owner) = used.recv().await {
                // Without them the host is gone.
                let Some(slots) = slots.upgrade() else { return };
                let Some(slot) = slots.at(owner) else { continue };
                tokio::spawn(async move {
                    // Those who wait for it are told what came of it.
                    if slot.enable().await.is_ok() {
                        slot.keep_offer();
                    }
                });
            }
        });
    }
}

impl Slots {
    /// Keeps what those offer that were started.
    pub(super) fn keep_offers(&self) {
        for slot in self.all() {
            slot.keep_offer();
        }
    }
}
