//! Checks of what MCP servers write, by subject, and what they look at.

mod changes;
mod messages;
mod moments;
mod offers;
mod questions;
mod results;
mod tools;

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{Finding, Observed, Outcome};
use crate::conversation::{Arrived, is_response};

pub(crate) use self::questions::ANSWERED;

/// The check of the end: the run blames it for what stays.
pub(crate) const ENDS: &str = "mcp-ends";
/// The check of a call with wrong arguments: the run blames it for what is not answered.
pub(crate) const VALIDATES: &str = "mcp-validates";

/// What of a line is quoted.
const QUOTED: usize = 100;

pub(super) const CHECKS: [(&str, super::Check); 36] = [
    ("mcp-stdout", messages::stdout),
    ("mcp-shapes", messages::shapes),
    ("mcp-one-answer", messages::one_answer),
    ("mcp-known-ids", messages::known_ids),
    ("mcp-error-codes", messages::error_codes),
    ("mcp-reserved-codes", messages::reserved_codes),
    ("mcp-initialize-result", results::initialize_result),
    ("mcp-discover-result", results::discover_result),
    ("mcp-same-version", results::same_version),
    ("mcp-version-echo", results::version_echo),
    ("mcp-early-requests", messages::early_requests),
    ("mcp-no-requests", messages::no_requests),
    ("mcp-result-type", results::result_type),
    ("mcp-cache-hints", results::cache_hints),
    ("mcp-server-info", results::server_info),
    ("mcp-undeclared", messages::undeclared),
    ("mcp-input-schemas", tools::input_schemas),
    ("mcp-tool-names", tools::tool_names),
    ("mcp-same-tools", tools::same_tools),
    (VALIDATES, tools::validates),
    ("mcp-tool-results", tools::tool_results),
    ("mcp-structured", tools::structured),
    ("mcp-structured-text", tools::structured_text),
    ("mcp-progress", moments::progress),
    ("mcp-after-cancel", moments::after_cancel),
    (ENDS, moments::ends),
    ("mcp-memory", moments::memory),
    ("mcp-templates", offers::templates),
    ("mcp-completions", offers::completions),
    ("mcp-subscriptions", changes::subscribed),
    ("mcp-tells-changes", changes::told),
    ("mcp-questions", questions::whole),
    ("mcp-flat-questions", questions::flat),
    ("mcp-undeclared-questions", questions::undeclared),
    (ANSWERED, questions::answered),
    ("mcp-input-required", questions::input_required),
];

/// What can still be said about a request that is cut off, or nested too deep to be read: that its id was used.
pub(super) fn head(line: &[u8]) -> Option<Value> {
    let text = std::str::from_utf8(line).ok()?.strip_prefix(r#"{"jsonrpc":"2.0","id":"#)?;
    let (id, _) = text.split_once(',')?;
    let id: Value = serde_json::from_str(id).ok()?;
    Some(json!({"jsonrpc": "2.0", "id": id}))
}

/// A message of the server, and its place in the timeline.
type Message<'a> = (usize, &'a Value);

fn messages<'a>(observed: &'a Observed<'_>) -> impl Iterator<Item = Message<'a>> {
    let message = |arrived: &'a Arrived| Some((arrived.record, arrived.frame.as_ref().ok()?));
    observed.frames.iter().filter_map(message)
}

fn responses<'a>(observed: &'a Observed<'_>) -> impl Iterator<Item = Message<'a>> {
    messages(observed).filter(|(_, message)| is_response(message))
}

/// The requests that the server was sent, by their ids.
fn requests<'a>(observed: &'a Observed<'_>) -> BTreeMap<String, &'a Value> {
    let requests = observed.sent().iter().filter(|sent| sent["method"].is_string());
    let requests = requests.filter(|sent| !sent["id"].is_null());
    requests.map(|request| (request["id"].to_string(), request)).collect()
}

/// The results, each with the request that it answers.
fn results<'a>(observed: &'a Observed<'_>) -> Vec<(usize, &'a Value, &'a Value)> {
    let requests = requests(observed);
    let answered = responses(observed).filter_map(|(record, message)| {
        let request = requests.get(&message["id"].to_string())?;
        Some((record, *request, message.get("result")?))
    });
    answered.collect()
}

fn found(findings: impl IntoIterator<Item = (usize, String)>) -> Outcome {
    let finding = |(record, text)| Finding { text, record };
    Outcome::Found(findings.into_iter().map(finding).collect())
}

/// Looks at each of them; nothing where there is none.
fn each<T>(all: &[T], look: impl Fn(&T) -> Option<(usize, String)>) -> Outcome {
    if all.is_empty() { Outcome::Nothing } else { found(all.iter().filter_map(look)) }
}

fn quoted(text: &str) -> String {
    match text.char_indices().nth(QUOTED) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

fn results_of<'a>(observed: &'a Observed<'_>, method: &str) -> Vec<(usize, &'a Value, &'a Value)> {
    let mut results = results(observed);
    results.retain(|(_, request, _)| request["method"] == method);
    results
}
