//! Extensions that are listed and were not started yet.

use std::sync::Arc;

use extline_protocol::frame::{RegisterCommand, RegisterTool, Registered};
use tokio::sync::mpsc::UnboundedSender;

use super::{Command, Kept, Names, Registrations, Registry, Tool};
use crate::report::Diagnosis;

impl Registry {
    /// The extension is listed with these, and started when one of them is used.
    pub(crate) fn defer(&mut self, owner: usize, tools: Vec<Tool>, commands: Vec<Command>) {
        let offer = &mut self.offers[owner];
        offer.is_taken_away = false;
        offer.disabled = None;
        offer.is_deferred = true;
        offer.is_first_start = true;
        let tools = tools.into_iter().map(|tool| (tool.name().to_owned(), Arc::new(tool)));
        let commands =
            commands.into_iter().map(|command| (command.name().to_lowercase(), Arc::new(command)));
        offer.kept = Some(Kept { tools: tools.collect(), commands: commands.collect() });
        self.winners = None;
    }

    /// Who is told of a deferred extension that is used.
    pub(crate) fn start_when_used(&mut self, starter: UnboundedSender<usize>) {
        self.starter = Some(starter);
    }

    /// Somebody waits for the extension: where it is deferred, it is started.
    pub(super) fn use_it(&self, owner: usize) {
        if self.offers[owner].is_deferred
            && let Some(starter) = &self.starter
        {
            // Nobody is there when the host ends.
            let _ = starter.send(owner);
        }
    }

    /// It is started; what it was listed with, if it was deferred until now.
    pub(crate) fn begin_use(&mut self, owner: usize) -> Option<Registrations> {
        let offer = &mut self.offers[owner];
        if !std::mem::take(&mut offer.is_deferred) {
            return None;
        }
        Some(self.registered_by(owner))
    }

    /// Its first start failed: who calls what it was listed with reads why.
    pub(crate) fn fail_first_start(&mut self, owner: usize, diagnosis: Arc<Diagnosis>) {
        let offer = &mut self.offers[owner];
        offer.failed_first = offer.kept.as_ref().map(|kept| (kept.names(), diagnosis));
    }

    /// Why an extension that was listed with a tool of that name could not be started.
    pub(crate) fn failed_with_tool(&self, name: &str) -> Option<Arc<Diagnosis>> {
        self.failed_with(|names| names.tools.contains(name))
    }

    /// The same with a command.
    pub(crate) fn failed_with_command(&self, name: &str) -> Option<Arc<Diagnosis>> {
        let name = name.to_lowercase();
        self.failed_with(|names| names.commands.contains(&name))
    }

    fn failed_with(&self, has: impl Fn(&Names) -> bool) -> Option<Arc<Diagnosis>> {
        let mut failed = self.offers.iter().filter_map(|offer| offer.failed_first.as_ref());
        failed.find(|(names, _)| has(names)).map(|(_, diagnosis)| Arc::clone(diagnosis))
    }

    /// What a deferred extension is listed with.
    pub(crate) fn listed_as(&self, owner: usize) -> Registered {
        let kept = self.offers[owner].kept.as_ref();
        let tools = kept.into_iter().flat_map(|kept| kept.tools.keys().cloned());
        let commands = kept.into_iter().flat_map(|kept| kept.commands.keys().cloned());
        Registered { tools: tools.collect(), commands: commands.collect(), ..Registered::default() }
    }

    /// What an extension has registered, as it stands on the wire.
    pub(crate) fn definitions(&self, owner: usize) -> (Vec<RegisterTool>, Vec<RegisterCommand>) {
        let offer = &self.offers[owner];
        let tools = offer.tools.values().map(|tool| tool.definition.clone());
        let commands = offer.commands.values().map(|command| command.definition.clone());
        (tools.collect(), commands.collect())
    }
}
