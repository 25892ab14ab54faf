//! What a system prompt says of the tools: how groups are used, and what is found by a search.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use super::search::{TOOL_INVOKE, TOOL_SEARCH};
use crate::tool::Tool;

/// Bytes of the list of tools that are found by a search: 2,000 tokens.
const CATALOGUE: usize = 8_000;
/// Characters of a description in it.
const SENTENCE: usize = 100;

/// Empty where there is nothing to say.
pub(super) fn summary(
    tools: &[Arc<Tool>],
    codemode: &[Arc<Tool>],
    deferred: &[Arc<Tool>],
    has_search: bool,
) -> String {
    let mut text = String::new();
    for (namespace, about) in namespaces(tools.iter().chain(codemode).chain(deferred)) {
        let _ = writeln!(text, "## Tools of {namespace}\n\n{about}\n");
    }
    if !codemode.is_empty() {
        let names: Vec<_> = codemode.iter().map(|tool| tool.name()).collect();
        let _ = writeln!(text, "## Tools for scripts\n\nScripts can call: {}\n", names.join(", "));
    }
    if has_search && !deferred.is_empty() {
        let _ = writeln!(
            text,
            "## More tools\n\n{TOOL_SEARCH} finds these by words and says what arguments they take, and {TOOL_INVOKE} \
             calls them:\n"
        );
        catalogue(deferred, &mut text);
    }
    text.truncate(text.trim_end().len());
    text
}

/// What the first tool of each group says of it.
fn namespaces<'a>(tools: impl Iterator<Item = &'a Arc<Tool>>) -> BTreeMap<&'a str, String> {
    let mut namespaces: BTreeMap<&str, String> = BTreeMap::new();
    for tool in tools {
        let definition = &tool.definition;
        let Some(namespace) = definition.namespace.as_deref() else { continue };
        let said = [&definition.namespace_description, &definition.namespace_instructions];
        let said: Vec<_> = said.into_iter().flatten().map(|it| it.trim()).collect();
        if !said.concat().is_empty() {
            namespaces.entry(namespace).or_insert_with(|| said.join("\n\n"));
        }
    }
    namespaces
}

fn catalogue(deferred: &[Arc<Tool>], text: &mut String) {
    let mut left = CATALOGUE;
    for (position, tool) in deferred.iter().enumerate() {
        let mut line = format!("- {}", tool.name());
        let sentence = sentence(tool.description());
        if !sentence.is_empty() {
            let _ = write!(line, ": {sentence}");
        }
        if line.len() + 1 > left {
            let _ = writeln!(text, "- and {} more", deferred.len() - position);
            return;
        }
        left -= line.len() + 1;
        let _ = writeln!(text, "{line}");
    }
}

/// The first sentence, on one line.
fn sentence(description: &str) -> String {
    let line = description.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    let end = line.find(". ").map_or(line.len(), |end| end + 1);
    let sentence = &line[..end];
    match sentence.char_indices().nth(SENTENCE) {
        Some((cut, _)) => format!("{}...", &sentence[..cut]),
        None => sentence.to_owned(),
    }
}
