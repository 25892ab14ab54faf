//! An extension that is listed by what it offered the last time, and started when that is first used.

use std::sync::Arc;

use extline_protocol::frame::{RegisterTool, Subscribe};
use extline_schema::ToolSchema;
use tokio::task::spawn_blocking;

use super::{EnableError, Slot, Stage};
use crate::lazy::{KeptOffer, Whose};
use crate::lock::lock;
use crate::process::Launch;
use crate::registry::Registrations;
use crate::report::Notice;
use crate::source::ExtensionSource;
use crate::tool::{Command, Tool};

impl Slot {
    /// Lists it without starting it, where it can wait for that; whether it does.
    ///
    /// One that guards, or wants to be told of events or asked about calls, cannot: it would miss them.
    pub(crate) fn defer(&self, launch: &Launch) -> bool {
        let Some(offer) = self.whose(|whose| KeptOffer::read(whose, launch.pin.as_deref())) else {
            return false;
        };
        // What a person has switched off is not listed; what is wrong with it is told by its start.
        if self.prepare().is_err() {
            return false;
        }
        let Some((tools, commands)) = self.usable(offer) else { return false };
        self.shared.registry().defer(self.index, tools, commands);
        self.shared.begin_to_reload(self.index);
        *lock(&self.stage) = Stage::NotStarted;
        true
    }

    fn usable(&self, offer: KeptOffer) -> Option<(Vec<Tool>, Vec<Command>)> {
        let profile = &self.builder.profile;
        let tool = |definition: RegisterTool| {
            // One that takes long would be compiled at each start of the host.
            let schema = if profile.validates {
                Some(ToolSchema::compile_if_quick(&definition.schema)?)
            } else {
                None
            };
            Tool::of_extension(&self.name, self.index, definition, schema, profile).ok()
        };
        let tools = offer.tools.into_iter().map(tool).collect::<Option<_>>()?;
        let command =
            |definition| Command { extension: self.name.clone(), definition, owner: self.index };
        Some((tools, offer.commands.into_iter().map(command).collect()))
    }

    /// It is started: those who call it wait until that has an end. What it was listed with, if it was deferred.
    pub(super) fn begin_use(&self) -> Option<Registrations> {
        self.shared.registry().begin_use(self.index)
    }

    /// Its start has an end: calls go on, and what it registers otherwise than it was listed is told.
    pub(super) fn used(&self, listed: &Registrations, started: Result<(), &EnableError>) {
        if let Err(EnableError::Failed { diagnosis, .. }) = started {
            self.shared.registry().fail_first_start(self.index, Arc::clone(diagnosis));
        }
        self.reloaded(started.is_ok());
        if started.is_err() {
            return;
        }
        let difference = listed.difference(&self.shared.registry().registered_by(self.index));
        if !difference.is_none()
            && let Some(run) = self.run()
        {
            let text = format!("it does not offer what it was listed with: {difference}");
            run.current().notice_from_outside(Notice::new(text));
        }
    }

    /// Keeps what it offers now for the next host, in the background; or that it cannot be deferred.
    pub(crate) fn keep_offer(self: &Arc<Self>) {
        let Some(run) = self.run().filter(|run| run.current().is_ready()) else { return };
        let status = run.current().status();
        let serves = status.hello.is_some_and(|hello| {
            hello.methods.is_some_and(|methods| methods.iter().any(|it| it != "tool.approval"))
        });
        let is_deferrable = !serves
            && is_nothing(&status.subscribed)
            && status.report.rejected.is_empty()
            && lock(&self.found).manifest.as_ref().is_some_and(|it| it.guards.is_empty());
        let (tools, commands) = self.shared.registry().definitions(self.index);
        let offer = KeptOffer { tools, commands };
        let slot = Arc::clone(self);
        spawn_blocking(move || {
            slot.whose(|whose| {
                let kept = is_deferrable && offer.keep(whose).is_ok();
                // It is started with the next host then, as before.
                (!kept).then(|| KeptOffer::forget(whose))
            })
        });
    }

    /// Something about what is kept of it; `None` where it has no folder of its own.
    fn whose<T>(&self, work: impl FnOnce(Whose<'_>) -> Option<T>) -> Option<T> {
        let (ExtensionSource::Folder(_) | ExtensionSource::Pinned { .. }) = &self.source else {
            return None;
        };
        let dir = lock(&self.found).dir.clone()?;
        let home = self.builder.home_or_default();
        let profile = self.builder.profile.name;
        work(Whose { home: &home, name: &self.name, dir: &dir, profile })
    }
}

fn is_nothing(subscribed: &Subscribe) -> bool {
    let is_empty = |names: &Option<Vec<String>>| names.as_ref().is_none_or(Vec::is_empty);
    is_empty(&subscribed.events) && is_empty(&subscribed.intercept) && is_empty(&subscribed.guards)
}
