//! Lines and messages: what stands on stdout, shapes, ids, codes, and what is told unasked.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::{Message, each, found, messages, quoted, responses, results};
use crate::check::{Observed, Outcome};
use crate::conversation::Arrived;
use crate::target::What;

/// The codes of errors that 2026-07-28 withdrew.
const WITHDRAWN: [i64; 2] = [-32002, -32042];

/// Those that it defines, of the range that it keeps for itself.
const DEFINED: [i64; 3] = [-32020, -32021, -32022];

/// Every line on stdout is a message.
pub(super) fn stdout(observed: &Observed<'_>) -> Outcome {
    let lines: Vec<_> = observed.frames.iter().collect();
    let is_cut = |arrived: &Arrived| {
        let records = observed.timeline.records();
        let record = records.get(arrived.record).map(|record| &record.what);
        // Of one that was killed the last line may be missing its end.
        observed.killed && matches!(record, Some(What::Line { terminated: false, .. }))
    };
    each(&lines, |arrived| {
        let why = arrived.frame.as_ref().err().filter(|_| !is_cut(arrived))?;
        let line = observed.timeline.line(arrived.record).unwrap_or_default();
        Some((arrived.record, format!("{why}: {}", quoted(&String::from_utf8_lossy(line)))))
    })
}

/// Requests, notifications and responses have the members that they must have, and no others.
pub(super) fn shapes(observed: &Observed<'_>) -> Outcome {
    each(&messages(observed).collect::<Vec<_>>(), |(record, message)| {
        shape_of(message).map(|why| (*record, format!("{why}: {}", quoted(&message.to_string()))))
    })
}

fn shape_of(message: &Value) -> Option<&'static str> {
    let has = |member: &str| message.get(member).is_some();
    let is_id = |id: &Value| id.is_string() || id.is_i64() || id.is_u64();
    if let Some(method) = message.get("method") {
        return match (method.is_string(), message.get("id")) {
            (false, _) => Some("the method is no string"),
            (_, Some(id)) if !is_id(id) => {
                Some("the id of a request is neither a string nor an integer")
            }
            _ if message.get("params").is_some_and(|params| !params.is_object()) => {
                Some("params are no object")
            }
            _ => None,
        };
    }
    match (has("result"), has("error")) {
        (true, true) => Some("a result and an error in one response"),
        (false, false) => Some("neither a request nor a notification nor a response"),
        (true, false) if !message["result"].is_object() => Some("the result is no object"),
        (true, false) if !message.get("id").is_some_and(is_id) => Some("a result without an id"),
        (false, true) if !message["error"]["message"].is_string() => {
            Some("an error without a message that is a string")
        }
        _ => None,
    }
}

/// Each request is answered once at most.
pub(super) fn one_answer(observed: &Observed<'_>) -> Outcome {
    let answers: Vec<_> =
        responses(observed).filter(|(_, message)| !message["id"].is_null()).collect();
    if answers.is_empty() {
        return Outcome::Nothing;
    }
    // What is no request may be answered too, by an error that says so.
    let sent = observed.sent().iter().filter(|sent| !sent["id"].is_null());
    let mut asked: BTreeMap<String, usize> = BTreeMap::new();
    for request in sent {
        *asked.entry(request["id"].to_string()).or_default() += 1;
    }
    let mut seen = BTreeSet::new();
    let twice = |(record, message): &Message<'_>| {
        let id = message["id"].to_string();
        // An id that a case used twice on purpose is answered twice.
        let once = asked.get(&id).is_none_or(|times| *times <= 1);
        (!seen.insert(id.clone()) && once).then(|| (*record, format!("a second answer to {id}")))
    };
    found(answers.iter().filter_map(twice))
}

/// What is answered was asked.
pub(super) fn known_ids(observed: &Observed<'_>) -> Outcome {
    let each_of = |sent: &'_ Value| match sent {
        Value::Array(batch) => batch.iter().map(|one| one["id"].to_string()).collect(),
        one => vec![one["id"].to_string()],
    };
    let asked: BTreeSet<_> = observed.sent().iter().flat_map(each_of).collect();
    let answers = responses(observed).filter(|(_, message)| !message["id"].is_null());
    each(&answers.collect::<Vec<_>>(), |(record, message)| {
        let id = message["id"].to_string();
        (!asked.contains(&id)).then(|| (*record, format!("an answer to {id}, which nobody asked")))
    })
}

/// Codes of errors are integers.
pub(super) fn error_codes(observed: &Observed<'_>) -> Outcome {
    let errors = responses(observed).filter(|(_, message)| message.get("error").is_some());
    each(&errors.collect::<Vec<_>>(), |(record, message)| {
        let code = &message["error"]["code"];
        (!code.is_i64()).then(|| (*record, format!("the code of an error is {code}")))
    })
}

/// No codes that the revision withdrew or keeps for itself.
pub(super) fn reserved_codes(observed: &Observed<'_>) -> Outcome {
    let errors = responses(observed).filter(|(_, message)| message.get("error").is_some());
    each(&errors.collect::<Vec<_>>(), |(record, message)| {
        let code = message["error"]["code"].as_i64()?;
        let is_reserved = (-32099..=-32020).contains(&code) && !DEFINED.contains(&code);
        let what = if WITHDRAWN.contains(&code) {
            "which this revision withdrew"
        } else if is_reserved {
            "which the specification keeps for itself"
        } else {
            return None;
        };
        Some((*record, format!("the error code {code}, {what}")))
    })
}

/// Before `notifications/initialized` the server asks nothing but `ping`.
pub(super) fn early_requests(observed: &Observed<'_>) -> Outcome {
    let initialized = observed.timeline.records().iter().position(|record| match &record.what {
        What::Sent { bytes, .. } => {
            String::from_utf8_lossy(bytes).contains("\"notifications/initialized\"")
        }
        _ => false,
    });
    let until = initialized.unwrap_or(usize::MAX);
    let early = messages(observed).filter(|(record, _)| *record < until);
    each(&early.collect::<Vec<_>>(), |(record, message)| {
        let method = message["method"].as_str().filter(|method| *method != "ping")?;
        let is_request = message.get("id").is_some();
        is_request.then(|| (*record, format!("a request of {method} before initialized")))
    })
}

/// The server asks nothing: what it wants to know travels in results.
pub(super) fn no_requests(observed: &Observed<'_>) -> Outcome {
    each(&messages(observed).collect::<Vec<_>>(), |(record, message)| {
        let method = message["method"].as_str()?;
        message.get("id").map(|_| (*record, format!("a request of {method}")))
    })
}

/// What a server tells unasked it has declared.
pub(super) fn undeclared(observed: &Observed<'_>) -> Outcome {
    const DECLARED: [(&str, &str); 5] = [
        ("notifications/tools/list_changed", "/tools/listChanged"),
        ("notifications/prompts/list_changed", "/prompts/listChanged"),
        ("notifications/resources/list_changed", "/resources/listChanged"),
        ("notifications/resources/updated", "/resources/subscribe"),
        ("notifications/message", "/logging"),
    ];
    let opened = results(observed).into_iter().find(|(_, request, _)| {
        request["method"] == "initialize" || request["method"] == "server/discover"
    });
    let Some((_, _, opened)) = opened else { return Outcome::Nothing };
    each(&messages(observed).collect::<Vec<_>>(), |(record, message)| {
        let (method, place) = DECLARED.iter().find(|(method, _)| message["method"] == *method)?;
        let declared = opened["capabilities"].pointer(place);
        let is_declared = declared.is_some_and(|one| one.is_object() || *one == true);
        (!is_declared).then(|| {
            let capability = place.trim_start_matches('/').replace('/', ".");
            (*record, format!("{method} without the capability {capability}"))
        })
    })
}
