//! What depends on what came before: progress, cancellation, the end.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::{found, messages, responses};
use crate::check::{Observed, Outcome};
use crate::conversation::is_response;

/// Progress has a token that a request gave, grows, and stops with the answer.
pub(super) fn progress(observed: &Observed<'_>) -> Outcome {
    let mut tokens: BTreeMap<String, String> = BTreeMap::new();
    for request in observed.sent().iter().filter(|sent| sent["method"].is_string()) {
        let token = &request["params"]["_meta"]["progressToken"];
        if !token.is_null() {
            tokens.insert(token.to_string(), request["id"].to_string());
        }
    }
    let (mut seen, mut answered, mut findings) = (BTreeMap::new(), BTreeSet::new(), Vec::new());
    let mut looked = false;
    for (record, message) in messages(observed) {
        if is_response(message) {
            answered.insert(message["id"].to_string());
        }
        if message["method"] != "notifications/progress" {
            continue;
        }
        looked = true;
        let token = message["params"]["progressToken"].to_string();
        let value = message["params"]["progress"].as_f64();
        let before = seen.insert(token.clone(), value);
        let why = match (tokens.get(&token), value) {
            (None, _) => Some(format!("progress for the token {token}, which no request gave")),
            (_, None) => Some("progress that is no number".to_owned()),
            // A token that several requests gave is told of by none of them alone.
            (Some(id), _) if answered.contains(id) => {
                Some(format!("progress for {token} behind the answer to its request"))
            }
            (_, Some(now)) => before.flatten().filter(|before| *before >= now).map(|before| {
                format!("progress for {token} is {now} after {before}: it must increase")
            }),
        };
        findings.extend(why.map(|why| (record, why)));
    }
    if looked { found(findings) } else { Outcome::Nothing }
}

/// It ends when its stdin does.
pub(super) fn ends(observed: &Observed<'_>) -> Outcome {
    if observed.killed { Outcome::Nothing } else { Outcome::Found(Vec::new()) }
}

/// It does not hold on to what it was sent.
pub(super) fn memory(observed: &Observed<'_>) -> Outcome {
    let Some(growth) = observed.growth else { return Outcome::Nothing };
    let sent = growth.sent * growth.rounds;
    let text = format!(
        "it held {} MiB more after requests of {} MiB, each of which it had answered",
        growth.held >> 20,
        sent >> 20
    );
    let record = observed.timeline.mark().saturating_sub(1);
    found(growth.is_kept().then_some((record, text)))
}

/// Nothing comes for a request that was cancelled, once what was sent behind the cancellation is answered.
pub(super) fn after_cancel(observed: &Observed<'_>) -> Outcome {
    let sent = observed.sent();
    let mut findings = Vec::new();
    let mut looked = false;
    for (at, cancel) in sent.iter().enumerate() {
        if cancel["method"] != "notifications/cancelled" {
            continue;
        }
        let id = &cancel["params"]["requestId"];
        let is_of = |sent: &Value| sent["id"] == *id && sent["method"].is_string();
        if id.is_null() || !sent[..at].iter().any(is_of) {
            continue;
        }
        looked = true;
        let later: BTreeSet<_> = sent[at + 1..]
            .iter()
            .filter(|sent| sent["method"].is_string() && !sent["id"].is_null())
            .map(|sent| sent["id"].to_string())
            .collect();
        let mut was_read = false;
        for (record, message) in responses(observed) {
            was_read |= later.contains(&message["id"].to_string());
            if was_read && message["id"] == *id {
                let text = format!("an answer to {id}, which was cancelled before");
                findings.push((record, text));
            }
        }
    }
    if looked { found(findings) } else { Outcome::Nothing }
}
