//! Which tools a model may have.

use extline_protocol::Glob;

use super::Tool;

/// Which tools a model may have. The default lets all through.
///
/// Of names, `*` stands for any text. Where an agent has none of a name, [`Offer::unknown`](crate::Offer::unknown)
/// says so.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolFilter {
    /// Extensions whose tools are offered; `the host` stands for the agent's own. Where this, `tools` and
    /// `namespaces` are empty, all tools are.
    pub extensions: Vec<String>,
    /// Tools that are offered, beside those of `extensions` and `namespaces`.
    pub tools: Vec<String>,
    /// Groups whose tools are offered, beside those of `extensions` and `tools`.
    pub namespaces: Vec<String>,
    /// Of the above only those that declare all of these: `read_only`, `destructive`, `idempotent`, `open_world`,
    /// `pure`, `interactive`, `gated`.
    pub tags: Vec<String>,
    /// Extensions and tools that are not offered, whatever else is said.
    pub disabled: Vec<String>,
    /// If not empty: extensions and tools outside of which nothing is offered.
    pub enabled_only: Vec<String>,
    /// How many tokens the schemas may cost before tools are found by a search, [`MAX_TOKENS`] when absent.
    pub max_tokens: Option<usize>,
}

/// What the schemas of an offer may cost, in tokens, unless a filter says otherwise.
pub const MAX_TOKENS: usize = 40_000;

const TAGS: [&str; 7] =
    ["read_only", "destructive", "idempotent", "open_world", "pure", "interactive", "gated"];

impl ToolFilter {
    /// Whether a model may have the tool.
    pub fn passes(&self, tool: &Tool) -> bool {
        let is_all =
            self.extensions.is_empty() && self.tools.is_empty() && self.namespaces.is_empty();
        let namespace = tool.definition.namespace.as_deref();
        let is_chosen = is_all
            || names(&self.extensions, &tool.extension)
            || names(&self.tools, tool.name())
            || namespace.is_some_and(|namespace| names(&self.namespaces, namespace));
        let is_named = |list: &[String]| names(list, &tool.extension) || names(list, tool.name());
        is_chosen
            && self.tags.iter().all(|tag| declares(tool, tag))
            && !is_named(&self.disabled)
            && (self.enabled_only.is_empty() || is_named(&self.enabled_only))
    }

    /// Whether it says a tool's own name, with no star in it.
    pub(crate) fn names(&self, tool: &Tool) -> bool {
        self.tools.iter().chain(&self.enabled_only).any(|name| name == tool.name())
    }

    /// The names in it that no tool, extension or group has, and words that are no tags.
    pub(crate) fn unknown(&self, tools: &[&Tool]) -> Vec<String> {
        let is_extension = |name: &str| tools.iter().any(|tool| fits(name, &tool.extension));
        let is_tool = |name: &str| tools.iter().any(|tool| fits(name, tool.name()));
        let is_namespace = |name: &str| {
            let mut namespaces = tools.iter().filter_map(|it| it.definition.namespace.as_deref());
            namespaces.any(|namespace| fits(name, namespace))
        };
        let is_either = |name: &str| is_extension(name) || is_tool(name);
        let unknown = without(&self.extensions, is_extension)
            .chain(without(&self.tools, is_tool))
            .chain(without(&self.namespaces, is_namespace))
            .chain(without(&self.tags, |tag| TAGS.contains(&tag)))
            .chain(without(&self.disabled, is_either))
            .chain(without(&self.enabled_only, is_either));
        unknown.collect()
    }
}

/// The names of a list that are not known.
fn without<'a>(
    list: &'a [String],
    is_known: impl Fn(&str) -> bool + 'a,
) -> impl Iterator<Item = String> + 'a {
    list.iter().filter(move |name| !is_known(name)).cloned()
}

fn names(list: &[String], name: &str) -> bool {
    list.iter().any(|it| fits(it, name))
}

/// Whether a name fits one that may have stars in it; with a lone backslash it is what it says.
fn fits(pattern: &str, name: &str) -> bool {
    pattern == name || pattern.parse::<Glob>().is_ok_and(|glob| glob.matches(name))
}

fn declares(tool: &Tool, tag: &str) -> bool {
    let definition = &tool.definition;
    let annotations = definition.annotations.as_ref();
    let approval = definition.approval.as_ref();
    match tag {
        "read_only" => annotations.is_some_and(|it| it.read_only == Some(true)),
        "destructive" => annotations.is_some_and(|it| it.destructive == Some(true)),
        "idempotent" => annotations.is_some_and(|it| it.idempotent == Some(true)),
        "open_world" => annotations.is_some_and(|it| it.open_world == Some(true)),
        "pure" => definition.pure,
        "interactive" => definition.interactive,
        "gated" => approval.is_some_and(|it| it.gated || it.dynamic),
        _ => false,
    }
}
