//! What models are offered of all that is registered.

use std::sync::Arc;

use super::{Offer as Registered, Registry, Tool};
use crate::offers::{Making, Offer, TOOL_INVOKE, TOOL_SEARCH, ToolFilter, why_hidden};

/// How the host offers tools to models.
#[derive(Debug, Default)]
pub(crate) struct Offering {
    /// Holds for every model of this host.
    pub(crate) filter: Option<Arc<ToolFilter>>,
    /// It has `tool_search` and `tool_invoke`.
    pub(crate) has_search: bool,
    /// Tools that results have activated, in that order.
    activated: Vec<String>,
}

impl Registered {
    /// The tool, with the descriptions that its user gave it.
    pub(super) fn in_its_user_s_words(&self, tool: &Arc<Tool>) -> Arc<Tool> {
        let settings = self.user.0.get(tool.name());
        let described = settings.filter(|it| it.description.is_some() || !it.parameters.is_empty());
        described.map_or_else(|| Arc::clone(tool), |settings| Arc::new(tool.described(settings)))
    }
}

impl Registry {
    /// Says how tools are offered, once.
    pub(crate) fn offer_by(&mut self, filter: Option<Arc<ToolFilter>>, has_search: bool) {
        self.offering = Offering { filter, has_search, activated: Vec::new() };
        if has_search {
            // An offer lists them where there is something to find.
            for name in [TOOL_SEARCH, TOOL_INVOKE] {
                self.list_builtin(name, false);
            }
        }
    }

    pub(crate) fn offering(&self) -> &Offering {
        &self.offering
    }

    pub(crate) fn offer(&mut self, filter: &Arc<ToolFilter>) -> Offer {
        let tools = self.all_tools();
        let names = [TOOL_SEARCH, TOOL_INVOKE].into_iter().filter(|_| self.offering.has_search);
        let search = names.filter_map(|name| self.builtin_tools.get(name)?.clone()).collect();
        let Offering { filter: own, activated, .. } = &self.offering;
        Making { tools, activated, search, own: own.as_deref() }.offer(filter)
    }

    /// Whether a model with that filter may call a tool. What searches and calls passes: both look at the filter
    /// themselves.
    pub(crate) fn may_have(&self, tool: &Tool, filter: Option<&ToolFilter>) -> bool {
        let Offering { filter: own, has_search, .. } = &self.offering;
        let is_search = *has_search && [TOOL_SEARCH, TOOL_INVOKE].contains(&tool.name());
        if is_search && tool.is_builtin() {
            return true;
        }
        match (filter, own.as_deref()) {
            (None, None) => true,
            (Some(filter), own) | (None, own @ Some(filter)) => {
                why_hidden(tool, true, filter, own).is_none()
            }
        }
    }

    /// Lists tools from now on that a result names. Returns those that were not listed before.
    pub(crate) fn activate(&mut self, names: &[String]) -> Vec<String> {
        let mut changed = Vec::new();
        for name in names {
            if self.offering.activated.contains(name) || self.tool(name).is_none() {
                continue;
            }
            self.offering.activated.push(name.clone());
            changed.push(name.clone());
        }
        changed
    }
}
