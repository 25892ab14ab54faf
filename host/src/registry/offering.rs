//! What models are offered of all that is registered.

use std::fmt;
use std::sync::Arc;

use super::{Offer as Registered, Registry, Tool};
use crate::descriptions::Descriptions;
use crate::offers::{Making, Offer, Selector, TOOL_INVOKE, TOOL_SEARCH, why_hidden};
use crate::tool::ToolFilter;

/// How the host offers tools to models, as its builder was told.
#[derive(Clone, Default)]
pub(crate) struct OfferRules {
    /// Holds for every model of this host.
    pub(crate) filter: Option<Arc<ToolFilter>>,
    /// It has `tool_search` and `tool_invoke`.
    pub(crate) has_search: bool,
    /// Chooses the tools of a turn.
    pub(crate) selector: Option<Arc<dyn Selector>>,
    /// The agent's words for tools.
    pub(crate) descriptions: Option<Descriptions>,
}

impl fmt::Debug for OfferRules {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = formatter.debug_struct("OfferRules");
        shown.field("filter", &self.filter).field("has_search", &self.has_search);
        shown.field("descriptions", &self.descriptions).finish_non_exhaustive()
    }
}

/// How tools are offered now.
#[derive(Debug, Default)]
pub(crate) struct Offering {
    pub(crate) rules: OfferRules,
    /// The revision of the descriptions that the tools have.
    pub(super) described: u64,
    /// Tools that results have activated, in that order.
    activated: Vec<String>,
}

impl Registered {
    /// The tool as it is offered: with what the agent and its user say of it.
    pub(super) fn as_offered(
        &self,
        tool: &Arc<Tool>,
        descriptions: Option<&Descriptions>,
    ) -> Arc<Tool> {
        let agent = descriptions.and_then(|it| it.get(tool.name()));
        let user = self.user.0.get(tool.name());
        match (agent, user) {
            (None, None) => Arc::clone(tool),
            (agent, user) => Arc::new(tool.described(agent.as_ref(), user)),
        }
    }
}

impl Registry {
    /// Says how tools are offered, once.
    pub(crate) fn offer_by(&mut self, rules: OfferRules) {
        self.offering = Offering { rules, ..Offering::default() };
        if self.offering.rules.has_search {
            // An offer lists them where there is something to find.
            for name in [TOOL_SEARCH, TOOL_INVOKE] {
                self.list_builtin(name, false);
            }
        }
    }

    pub(crate) fn offering(&self) -> &Offering {
        &self.offering
    }

    /// For a turn, whose words the selector gets; without one it is not asked.
    pub(crate) fn offer(&mut self, filter: &Arc<ToolFilter>, turn: Option<&str>) -> Offer {
        let tools = self.all_tools();
        let Offering { rules, activated, .. } = &self.offering;
        let names = [TOOL_SEARCH, TOOL_INVOKE].into_iter().filter(|_| rules.has_search);
        let search = names.filter_map(|name| self.builtin_tools.get(name)?.clone()).collect();
        let turn = rules.selector.as_deref().zip(turn);
        Making { tools, activated, search, own: rules.filter.as_deref(), turn }.offer(filter)
    }

    /// Whether a model with that filter may call a tool. What searches and calls passes: both look at the filter
    /// themselves.
    pub(crate) fn may_have(&self, tool: &Tool, filter: Option<&ToolFilter>) -> bool {
        let Offering { rules: OfferRules { filter: own, has_search, .. }, activated, .. } =
            &self.offering;
        let is_search = *has_search && [TOOL_SEARCH, TOOL_INVOKE].contains(&tool.name());
        if is_search && tool.is_builtin() {
            return true;
        }
        match (filter, own.as_deref()) {
            (None, None) => true,
            (Some(filter), own) | (None, own @ Some(filter)) => {
                why_hidden(tool, true, activated, [Some(filter), own]).is_none()
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
