//! Extensions whose process is about to be another, or the first one: calls wait for that.

use super::{Offer, Registrations, Registry};

impl Registry {
    /// Another process is to take the place of the extension's, or has: calls wait meanwhile.
    pub(crate) fn set_reloading(&mut self, owner: usize, is_reloading: bool) {
        let offer = &mut self.offers[owner];
        offer.is_reloading = is_reloading;
        offer.is_first_start &= is_reloading;
    }

    /// Whether another process takes the place of the extension's.
    pub(crate) fn is_reloading(&self, owner: usize) -> bool {
        self.offers[owner].is_reloading
    }

    /// Whether the extension that has the tool is being reloaded; one that is deferred is started by that.
    pub(crate) fn is_tool_reloading(&mut self, name: &str) -> bool {
        let owner = self.tool(name).and_then(|tool| tool.owner());
        owner.is_some_and(|owner| self.is_waited_for(owner))
    }

    /// The same where only the first start is waited for.
    pub(crate) fn is_tool_deferred(&mut self, name: &str) -> bool {
        let owner = self.tool(name).and_then(|tool| tool.owner());
        owner.is_some_and(|owner| self.is_waited_for(owner) && self.offers[owner].is_first_start)
    }

    fn is_waited_for(&self, owner: usize) -> bool {
        self.use_it(owner);
        self.is_reloading(owner)
    }

    /// The same of a command.
    pub(crate) fn is_command_reloading(&mut self, name: &str) -> bool {
        let owner = self.command(name).map(|command| command.owner);
        owner.is_some_and(|owner| self.is_waited_for(owner))
    }

    /// The tools and commands that an extension has registered, or is listed with.
    pub(crate) fn registered_by(&self, owner: usize) -> Registrations {
        let Offer { tools, commands, kept, .. } = &self.offers[owner];
        match kept {
            Some(kept) if tools.is_empty() && commands.is_empty() => {
                Registrations::of(kept.tools.values(), kept.commands.values())
            }
            _ => Registrations::of(tools.values(), commands.values()),
        }
    }
}
