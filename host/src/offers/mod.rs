//! What a model is offered of the tools, and how much of it is found by a search.

mod search;
mod select;
mod summary;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::Arc;

use extline_model::{Note, Provider, Unrenderable, check_name, schema_for, tokens_estimate};
use extline_protocol::frame::Exposure;
use extline_protocol::{RawJson, write_string};
use sha2::{Digest, Sha256};

use crate::tool::{MAX_TOKENS, Tool, ToolFilter, USUAL_WEIGHT};

pub(crate) use search::{
    TOOL_INVOKE, TOOL_SEARCH, found, invoke_definition, invoked, not_itself, search_definition,
};
pub use select::{SelectByWords, Selector};

/// The word of [`Exposure`] for tools that other extensions and scripts call, and no model.
const HIDDEN: &str = "hidden";

/// What a model is offered. Of the same tools and filters it is the same, byte for byte, so that what providers
/// keep of the beginning of a prompt holds.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Offer {
    /// What the model's own list has, by name.
    pub tools: Vec<Arc<Tool>>,
    /// What scripts that the model writes may call (`exposure: "codemode"`), by name.
    pub codemode: Vec<Arc<Tool>>,
    /// What is found by a search, by name: tools that want that (`exposure: "deferred"`), and those that would pass
    /// the budget.
    pub deferred: Vec<Arc<Tool>>,
    /// What the model does not get, by name.
    pub hidden: Vec<HiddenTool>,
    /// For the system prompt, as Markdown: how groups of tools are used, and what a search finds, in at most 2,000
    /// tokens. Empty where there is nothing to say. The words are those of extensions.
    pub summary: String,
    /// About what `tools` cost in each request, a token for four bytes.
    pub tokens: usize,
    /// Changes with the names, descriptions or schemas of `tools`, and with the summary: SHA-256, in hexadecimal
    /// digits.
    pub fingerprint: String,
    /// Names in the filter that nothing has, and words in its tags that are none.
    pub unknown: Vec<String>,
    filter: Arc<ToolFilter>,
}

/// A tool that the model does not get.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct HiddenTool {
    /// The tool.
    pub tool: Arc<Tool>,
    /// Why.
    pub why: WhyHidden,
}

/// Why a model does not get a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WhyHidden {
    /// The filter does not let it through.
    Filtered,
    /// It is for other extensions (`exposure: "hidden"`).
    NotForModels,
    /// An extension has deactivated it, or the host its extension.
    Inactive,
    /// Its author proposes not to offer it, and neither the filter names it nor its user wants it
    /// (`tool.preference`).
    NotProposed,
    /// It was not selected for this turn ([`Selector`]).
    NotSelected,
}

/// The tools of an offer as a provider takes them.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RenderedOffer {
    /// By name.
    pub tools: Vec<RenderedTool>,
    /// Those that it does not take, by name, each with the reason.
    pub left_out: Vec<(Arc<Tool>, Unrenderable)>,
}

/// A tool as a provider takes it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RenderedTool {
    /// The tool as it was registered.
    pub tool: Arc<Tool>,
    /// Its schema for the provider.
    pub schema: RawJson,
    /// What was changed of the schema.
    pub notes: Vec<Note>,
}

impl Offer {
    /// The filter it was made with, for [`CallOptions::filter`](crate::CallOptions::filter).
    pub fn filter(&self) -> Arc<ToolFilter> {
        Arc::clone(&self.filter)
    }

    /// The tools as a provider takes them. One that it does not take is left out, with the reason.
    pub fn render(&self, provider: Provider) -> RenderedOffer {
        let mut offer = RenderedOffer { tools: Vec::new(), left_out: Vec::new() };
        for tool in &self.tools {
            let rendered = check_name(provider, tool.name())
                .and_then(|()| schema_for(provider, &tool.definition.schema));
            let tool = Arc::clone(tool);
            match rendered {
                Ok(it) => {
                    offer.tools.push(RenderedTool { tool, schema: it.schema, notes: it.notes });
                }
                Err(error) => offer.left_out.push((tool, error)),
            }
        }
        offer
    }

    /// The tools as a JSON array of `{"name", "description", "schema"}`, the schemas as they were registered.
    pub fn json(&self) -> String {
        let mut out = vec![b'['];
        for (position, tool) in self.tools.iter().enumerate() {
            out.extend_from_slice(if position > 0 { b",{\"name\":" } else { b"{\"name\":" });
            write_string(tool.name(), &mut out);
            out.extend_from_slice(b",\"description\":");
            write_string(tool.description(), &mut out);
            out.extend_from_slice(b",\"schema\":");
            out.extend_from_slice(tool.definition.schema.get().as_bytes());
            out.push(b'}');
        }
        out.push(b']');
        String::from_utf8_lossy(&out).into_owned()
    }
}

/// What an offer is made of.
pub(crate) struct Making<'a> {
    /// All that are in use, by name, each with whether it is active.
    pub(crate) tools: Vec<(Arc<Tool>, bool)>,
    /// Tools that results have activated, in that order.
    pub(crate) activated: &'a [String],
    /// The two tools that search and call, where the host has them.
    pub(crate) search: Vec<Arc<Tool>>,
    /// The host's own filter.
    pub(crate) own: Option<&'a ToolFilter>,
    /// Who chooses the tools of a turn, and its words.
    pub(crate) turn: Option<(&'a dyn Selector, &'a str)>,
}

impl Making<'_> {
    pub(crate) fn offer(self, filter: &Arc<ToolFilter>) -> Offer {
        let known: Vec<_> = self.tools.iter().map(|(tool, _)| &**tool).collect();
        let unknown = filter.unknown(&known);
        let (mut tools, mut codemode, mut deferred) = (Vec::new(), Vec::new(), Vec::new());
        let mut hidden = Vec::new();
        for (tool, is_active) in self.tools {
            match why_hidden(&tool, is_active, self.activated, [Some(filter), self.own]) {
                Some(why) => hidden.push(HiddenTool { tool, why }),
                None if tool.definition.exposure == Some(Exposure::Codemode) => codemode.push(tool),
                None if is_deferred(&tool)
                    && !self.activated.iter().any(|it| it == tool.name()) =>
                {
                    deferred.push(tool);
                }
                None => tools.push(tool),
            }
        }
        let limits = [Some(&**filter), self.own].into_iter().flatten();
        let budget = limits.filter_map(|it| it.max_tokens).min().unwrap_or(MAX_TOKENS);
        let has_search = !self.search.is_empty();
        let mut filter = Arc::clone(filter);
        if let Some((selector, turn)) = self.turn {
            let unselected = unselected(selector, turn, &mut tools, self.activated);
            if has_search {
                deferred.extend(unselected);
            } else {
                // What is not offered cannot be called either.
                let names = unselected.iter().map(|tool| tool.name().to_owned());
                Arc::make_mut(&mut filter).disabled.extend(names);
                hidden.extend(
                    unselected
                        .into_iter()
                        .map(|tool| HiddenTool { tool, why: WhyHidden::NotSelected }),
                );
                hidden.sort_by(|one, other| one.tool.name().cmp(other.tool.name()));
            }
        }
        if has_search {
            deferred.extend(beyond(budget, &mut tools, self.activated));
            by_name(&mut deferred);
        }
        let summary = summary::summary(&tools, &codemode, &deferred, has_search);
        if !deferred.is_empty() {
            tools.extend(self.search);
            by_name(&mut tools);
        }
        let mut offer = Offer {
            tokens: tools.iter().map(|tool| tokens(tool)).sum(),
            tools,
            codemode,
            deferred,
            hidden,
            summary,
            fingerprint: String::new(),
            unknown,
            filter,
        };
        offer.fingerprint = fingerprint(&offer);
        offer
    }
}

/// Whether a model may not have a tool, by the filter of its agent's and the host's own.
pub(crate) fn why_hidden(
    tool: &Tool,
    is_active: bool,
    activated: &[String],
    filters: [Option<&ToolFilter>; 2],
) -> Option<WhyHidden> {
    let mut filters = filters.into_iter().flatten();
    let is_named = |filter: &ToolFilter| filter.names(tool);
    let is_for_models = tool.definition.exposure.as_ref().map(Exposure::as_str) != Some(HIDDEN);
    if !filters.clone().all(|filter| filter.passes(tool)) {
        Some(WhyHidden::Filtered)
    } else if !is_for_models {
        Some(WhyHidden::NotForModels)
    } else if !(tool.is_proposed()
        || activated.iter().any(|name| name == tool.name())
        || filters.any(is_named))
    {
        Some(WhyHidden::NotProposed)
    } else {
        (!is_active).then_some(WhyHidden::Inactive)
    }
}

fn is_deferred(tool: &Tool) -> bool {
    let definition = &tool.definition;
    // `exposure` counts for more than its older form.
    match &definition.exposure {
        Some(exposure) => *exposure == Exposure::Deferred,
        None => definition.deferred,
    }
}

/// Takes out what was not selected for a turn. The agent's own tools stay, and those that were activated.
fn unselected(
    selector: &dyn Selector,
    turn: &str,
    tools: &mut Vec<Arc<Tool>>,
    activated: &[String],
) -> Vec<Arc<Tool>> {
    let (kept, others): (Vec<_>, Vec<_>) = std::mem::take(tools)
        .into_iter()
        .partition(|tool| tool.is_builtin() || activated.iter().any(|name| name == tool.name()));
    let selected: BTreeSet<_> = selector.select(turn, &others).into_iter().collect();
    let (selected, unselected): (Vec<_>, Vec<_>) =
        others.into_iter().partition(|tool| selected.contains(tool.name()));
    *tools = kept;
    tools.extend(selected);
    by_name(tools);
    unselected
}

/// Takes out what the budget has no room for. The agent's own tools stay, then those that were activated, the
/// newest first, then those that want to more than others, the most wanted first. Where the rest does not fit, none of
/// it stays, so that the list does not change with each.
fn beyond(budget: usize, tools: &mut Vec<Arc<Tool>>, activated: &[String]) -> Vec<Arc<Tool>> {
    if tools.iter().map(|tool| tokens(tool)).sum::<usize>() <= budget {
        return Vec::new();
    }
    let (own, others): (Vec<_>, Vec<_>) =
        std::mem::take(tools).into_iter().partition(|tool| tool.is_builtin());
    let mut left = budget.saturating_sub(own.iter().map(|tool| tokens(tool)).sum());
    *tools = own;
    let named = |name: &String| others.iter().find(|tool| tool.name() == name);
    let mut wanted: Vec<_> = others.iter().filter(|tool| tool.weight() > USUAL_WEIGHT).collect();
    wanted.sort_by(|one, other| other.weight().total_cmp(&one.weight()));
    let mut kept = BTreeSet::new();
    for tool in activated.iter().rev().filter_map(named).chain(wanted) {
        if kept.contains(tool.name()) {
            continue;
        }
        let Some(rest) = left.checked_sub(tokens(tool)) else { continue };
        left = rest;
        kept.insert(tool.name().to_owned());
    }
    let (kept, beyond): (Vec<_>, Vec<_>) =
        others.into_iter().partition(|tool| kept.contains(tool.name()));
    tools.extend(kept);
    by_name(tools);
    beyond
}

fn by_name(tools: &mut [Arc<Tool>]) {
    tools.sort_by(|one, other| one.name().cmp(other.name()));
}

fn tokens(tool: &Tool) -> usize {
    tokens_estimate(tool.name(), tool.description(), tool.definition.schema.get())
}

fn fingerprint(offer: &Offer) -> String {
    let mut digest = Sha256::new();
    digest.update(offer.json());
    digest.update([0]);
    digest.update(&offer.summary);
    digest.finalize().iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
