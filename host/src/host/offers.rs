//! What the host offers to models.

use std::sync::{Arc, OnceLock, Weak};

use extline_protocol::ErrorKind;
use extline_protocol::frame::ErrorInfo;

use super::{Host, HostBuilder};
use crate::connection::Shared;
use crate::descriptions::Descriptions;
use crate::offers::{Offer, Selector, found, invoke_definition, not_itself, search_definition};
use crate::tool::Builtin;
use crate::tool::ToolFilter;

/// What a model is offered.
impl HostBuilder {
    /// Which tools models may have at all: [`Host::offer`] offers nothing else, and a call that no extension makes
    /// is `not_found` for others, whatever its own filter says. By default all.
    #[must_use]
    pub fn tool_filter(mut self, filter: ToolFilter) -> Self {
        self.offer_rules.filter = Some(Arc::new(filter));
        self
    }

    /// Has tools found by a search where they want that (`exposure: "deferred"`), or where the schemas of all would
    /// pass [`ToolFilter::max_tokens`]. Then [`Host::offer`] has the tools `tool_search {query, limit}`, which finds
    /// five tools by words, at most 20, with their schemas, and `tool_invoke {name, args}`, which calls one.
    ///
    /// A call of `tool_invoke` is a call of the tool it names: interceptors, guards, approvals and whoever is told of
    /// calls see that tool with its arguments. By default there is no search, and such tools are not listed until a
    /// result activates them.
    #[must_use]
    pub fn tool_search(mut self) -> Self {
        self.offer_rules.has_search = true;
        self
    }

    /// Has somebody choose the tools of a turn, for [`Host::offer_for`]: [`SelectByWords`](crate::SelectByWords), or a
    /// [`Selector`] of the agent's own. By default nobody does.
    #[must_use]
    pub fn selector(mut self, selector: impl Selector + 'static) -> Self {
        self.offer_rules.selector = Some(Arc::new(selector));
        self
    }

    /// Describes tools of extensions to models in the agent's words. They can be changed while the host runs; the user's
    /// words ([`ToolSettings`](crate::config::ToolSettings)) count for more.
    #[must_use]
    pub fn descriptions(mut self, descriptions: Descriptions) -> Self {
        self.offer_rules.descriptions = Some(descriptions);
        self
    }

    /// Adds the tools that search, where they are wanted.
    pub(super) fn add_search_tools(&mut self, own: &Arc<OnceLock<Weak<Shared>>>) {
        if !self.offer_rules.has_search {
            return;
        }
        let own = Arc::clone(own);
        let search = Builtin::new(move |call| {
            let shared = own.get().and_then(Weak::upgrade);
            async move {
                let gone = || ErrorInfo::new(ErrorKind::Cancelled, "the host was shut down");
                let filter = call.filter.clone().unwrap_or_default();
                let offer = shared.ok_or_else(gone)?.registry().offer(&filter, None);
                let mut tools = offer.deferred;
                tools.extend(offer.tools.into_iter().filter(|tool| !tool.is_builtin()));
                tools.sort_by(|one, other| one.name().cmp(other.name()));
                Ok(found(&call, &tools))
            }
        });
        let invoke = Builtin::new(|_| async { Err(not_itself()) });
        let tools = [search.tool(search_definition()), invoke.tool(invoke_definition())];
        // Both definitions are always correct.
        self.builtin_tools.extend(tools.into_iter().filter_map(|tool| tool.ok().map(Arc::new)));
    }
}

/// What a model is offered.
impl Host {
    /// What a model is offered of all tools, by a filter of the agent's.
    ///
    /// Ask anew when tools come and go ([`News::Report`](crate::News::Report),
    /// [`News::ToolsActivated`](crate::News::ToolsActivated)), and look at [`Offer::fingerprint`]: as long as it is
    /// the same, so is what the provider has kept. Give the calls of that model the same filter,
    /// [`CallOptions::filter`](crate::CallOptions::filter): then what was not offered cannot be called.
    pub fn offer(&self, filter: &ToolFilter) -> Offer {
        self.shared.registry().offer(&Arc::new(filter.clone()), None)
    }

    /// The same for one turn, whose words are given: the last prompt, or what the agent thinks it is about. Of the tools
    /// that the filter lets through, those are offered that the host's selector chooses
    /// ([`HostBuilder::selector`]), the agent's own, and those that results have activated. The others are found by a
    /// search, where the host has one; else they are hidden ([`WhyHidden::NotSelected`](crate::WhyHidden::NotSelected)),
    /// and [`Offer::filter`] keeps them from being called.
    pub fn offer_for(&self, filter: &ToolFilter, turn: &str) -> Offer {
        self.shared.registry().offer(&Arc::new(filter.clone()), Some(turn))
    }
}
