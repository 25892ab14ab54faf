//! Changes: what is told of them, and to whom.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{each, found, messages, results, results_of};
use crate::check::{Observed, Outcome};

/// Where a notification names the subscription that it belongs to.
const SUBSCRIPTION: &str = "io.modelcontextprotocol/subscriptionId";
const ACKNOWLEDGED: &str = "notifications/subscriptions/acknowledged";
const TOOLS: &str = "notifications/tools/list_changed";
/// What is told through a subscription, and the member of the filter that asks for it.
const TOLD: [(&str, &str); 4] = [
    (TOOLS, "toolsListChanged"),
    ("notifications/prompts/list_changed", "promptsListChanged"),
    ("notifications/resources/list_changed", "resourcesListChanged"),
    ("notifications/resources/updated", "resourceSubscriptions"),
];

/// The subscriptions that were asked for: their filters by their ids.
fn subscriptions<'a>(observed: &'a Observed<'_>) -> BTreeMap<String, &'a Value> {
    let asked = observed.sent().iter().filter(|sent| sent["method"] == "subscriptions/listen");
    asked.map(|sent| (sent["id"].to_string(), &sent["params"]["notifications"])).collect()
}

/// What is told belongs to a subscription that asked for it, and comes behind its acknowledgement.
pub(super) fn subscribed(observed: &Observed<'_>) -> Outcome {
    let asked = subscriptions(observed);
    let mut acknowledged = Vec::new();
    let mut findings = Vec::new();
    let mut looked = false;
    for (record, message) in messages(observed) {
        let id = message["params"]["_meta"][SUBSCRIPTION].to_string();
        let method = message["method"].as_str().unwrap_or_default();
        if method == ACKNOWLEDGED {
            looked = true;
            acknowledged.push(id);
            continue;
        }
        let Some((_, member)) = TOLD.iter().find(|(told, _)| *told == method) else { continue };
        looked = true;
        let why = match asked.get(&id) {
            None => format!("{method} belongs to no subscription: its {SUBSCRIPTION} is {id}"),
            Some(filter) if filter.get(*member).is_none() => {
                format!("{method} is told to the subscription {id}, which did not ask for it")
            }
            Some(_) if !acknowledged.contains(&id) => {
                format!("{method} comes before the subscription {id} is acknowledged")
            }
            Some(_) => continue,
        };
        findings.push((record, why));
    }
    if looked { found(findings) } else { Outcome::Nothing }
}

/// Where the list of tools is another one, that was told to whoever could be told.
pub(super) fn told(observed: &Observed<'_>) -> Outcome {
    let mut lists = results_of(observed, "tools/list");
    lists.retain(|(_, request, _)| request["params"]["cursor"].is_null());
    let names = |result: &Value| -> Vec<String> {
        let tools = result["tools"].as_array();
        let mut names: Vec<_> =
            tools.into_iter().flatten().map(|tool| tool["name"].to_string()).collect();
        names.sort();
        names
    };
    let changed: Vec<_> = lists
        .windows(2)
        .filter(|pair| names(pair[0].2) != names(pair[1].2))
        .map(|pair| pair[1].0)
        .collect();
    if !may_tell(observed) {
        return Outcome::Nothing;
    }
    let is_told = messages(observed).any(|(_, message)| message["method"] == TOOLS);
    each(&changed, |record| {
        let text = format!("tools/list has other tools than before, and no {TOOLS} came");
        (!is_told).then_some((*record, text))
    })
}

/// Whether the server declared that it tells, and somebody is there to be told.
fn may_tell(observed: &Observed<'_>) -> bool {
    let opened = |method: &str| {
        let result = results(observed).into_iter().find(|(_, sent, _)| sent["method"] == method);
        result.is_some_and(|(.., it)| it["capabilities"]["tools"]["listChanged"] == true)
    };
    let is_subscribed =
        || subscriptions(observed).into_values().any(|filter| filter["toolsListChanged"] == true);
    opened("initialize") || opened("server/discover") && is_subscribed()
}
