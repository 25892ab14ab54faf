//! How all extensions stand.

use std::sync::Arc;

use super::Host;
use super::slot::Slots;
use crate::connection::{News, Newsroom};
use crate::status::StatusReport;

impl Host {
    /// How all extensions stand now: what each offers, why one has failed and what mends it, which names several want.
    /// [`News::Report`] has it when the host has started, and after each reload.
    pub fn report(&self) -> StatusReport {
        self.slots.report()
    }
}

impl Slots {
    /// How all stand.
    pub(super) fn report(&self) -> StatusReport {
        let slots = self.all();
        let statuses = slots.iter().map(|slot| slot.status()).collect();
        let tools = slots.first().map(|slot| slot.all_tools()).unwrap_or_default();
        let builtin = tools.iter().filter(|tool| tool.is_builtin()).count();
        StatusReport::of_host(statuses, (tools.len(), builtin))
    }

    /// Tells the embedder.
    pub(super) fn tell_report(&self, news: &Newsroom) {
        news.tell(News::Report(Arc::new(self.report())));
    }
}
