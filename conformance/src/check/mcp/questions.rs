//! What a server asks the user of its client: by requests of its own up to 2025-11-25, in results from
//! 2026-07-28 on.

use serde_json::Value;

use super::{each, found, messages, quoted, requests, results};
use crate::check::{Observed, Outcome};
use crate::conversation::ELICIT;

/// The check of what comes of a call whose question is answered: the run blames it for what does not come.
pub(crate) const ANSWERED: &str = "mcp-answered-questions";

/// The requests that may be answered by a question, and those that may stand in it.
const MAY_REQUIRE: [&str; 3] = ["prompts/get", "resources/read", "tools/call"];
const MAY_ASK: [&str; 3] = [ELICIT, "sampling/createMessage", "roots/list"];
/// What a form may be filled with.
const PRIMITIVE: [&str; 4] = ["string", "number", "integer", "boolean"];

/// A question: its place, the params, and whether the client had declared that its user can be asked.
struct Question<'a> {
    record: usize,
    params: &'a Value,
    is_declared: bool,
}

/// The results that require input, each with the request that it answers.
fn required<'a>(observed: &'a Observed<'_>) -> Vec<(usize, &'a Value, &'a Value)> {
    let mut results = results(observed);
    results.retain(|(_, _, result)| result["resultType"] == "input_required");
    results
}

fn questions<'a>(observed: &'a Observed<'_>) -> Vec<Question<'a>> {
    let opened = requests(observed).into_values().find(|sent| sent["method"] == "initialize");
    let declares = |capabilities: &Value| capabilities["elicitation"].is_object();
    let is_declared = opened.is_some_and(|sent| declares(&sent["params"]["capabilities"]));
    let is_asked = |message: &Value| message["method"] == ELICIT && message.get("id").is_some();
    let asked = messages(observed).filter(|(_, message)| is_asked(message));
    let asked = asked.map(|(record, message)| {
        let params = &message["params"];
        Question { record, params, is_declared }
    });
    let in_results = required(observed).into_iter().flat_map(|(record, request, result)| {
        let meta = &request["params"]["_meta"];
        let is_declared = declares(&meta["io.modelcontextprotocol/clientCapabilities"]);
        let asked = result["inputRequests"].as_object().into_iter().flatten();
        let asked = asked.filter(|(_, one)| one["method"] == ELICIT);
        asked.map(move |(_, one)| Question { record, params: &one["params"], is_declared })
    });
    asked.chain(in_results).collect()
}

/// A question says why it is asked, and what is wanted.
pub(super) fn whole(observed: &Observed<'_>) -> Outcome {
    each(&questions(observed), |question| {
        let params = question.params;
        let missing = if params["message"].as_str().is_none_or(str::is_empty) {
            "message that is a text"
        } else if params["mode"] == "url" {
            params["url"].as_str().is_none_or(|url| !url.contains("://")).then_some("url")?
        } else if !params["requestedSchema"].is_object() {
            "requestedSchema that is an object"
        } else {
            return None;
        };
        let quoted = quoted(&params.to_string());
        Some((question.record, format!("a question without a {missing}: {quoted}")))
    })
}

/// The schema of a form has members that are no objects and no lists of objects.
pub(super) fn flat(observed: &Observed<'_>) -> Outcome {
    let mut forms = questions(observed);
    forms.retain(|question| question.params["requestedSchema"].is_object());
    each(&forms, |question| {
        let schema = &question.params["requestedSchema"];
        if schema["type"] != "object" {
            let kind = &schema["type"];
            return Some((question.record, format!("a form of the type {kind}, not \"object\"")));
        }
        let members = schema["properties"].as_object().into_iter().flatten();
        let (name, member) = members.into_iter().find(|(_, member)| !is_primitive(member))?;
        let member = quoted(&member.to_string());
        Some((question.record, format!("the field {name} of a form is no single value: {member}")))
    })
}

/// Whether a field can be filled with one text, number or yes, or with some of a list of texts.
fn is_primitive(member: &Value) -> bool {
    let kind = member["type"].as_str();
    let is_choice = kind == Some("array") && {
        let items = &member["items"];
        items["enum"].is_array() || items["anyOf"].is_array()
    };
    is_choice || kind.is_some_and(|kind| PRIMITIVE.contains(&kind))
}

/// Nobody is asked whose client did not declare that, or in a way that it did not declare.
pub(super) fn undeclared(observed: &Observed<'_>) -> Outcome {
    each(&questions(observed), |question| {
        let why = if !question.is_declared {
            "a client that declared no elicitation is asked"
        } else if question.params["mode"] == "url" {
            "a client that declared forms alone is asked to open a URL"
        } else {
            return None;
        };
        Some((question.record, format!("{why}: {}", quoted(&question.params.to_string()))))
    })
}

/// A call goes on once its question is answered.
pub(super) fn answered(observed: &Observed<'_>) -> Outcome {
    if questions(observed).is_empty() { Outcome::Nothing } else { found([]) }
}

/// A result that requires input answers a request that may be answered so, and says what it requires.
pub(super) fn input_required(observed: &Observed<'_>) -> Outcome {
    each(&required(observed), |(record, request, result)| {
        let method = request["method"].as_str().unwrap_or_default();
        let asked = result["inputRequests"].as_object();
        let methods = asked.into_iter().flatten().map(|(_, one)| &one["method"]);
        let is_odd = |method: &Value| method.as_str().is_none_or(|it| !MAY_ASK.contains(&it));
        let odd = methods.into_iter().find(|method| is_odd(method));
        let why = if !MAY_REQUIRE.contains(&method) {
            format!("{method} is answered by a result that requires input")
        } else if asked.is_none() && result["requestState"].is_null() {
            "a result that requires input has neither inputRequests nor requestState".to_owned()
        } else if let Some(odd) = odd {
            format!("inputRequests has a request of {odd}, which no client answers")
        } else {
            return None;
        };
        Some((*record, why))
    })
}
