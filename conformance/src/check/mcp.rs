//! Checks of what MCP servers write: shapes of messages, answers, lists, progress, cancellation.

use std::collections::{BTreeMap, BTreeSet};

use extline_protocol::RawJson;
use extline_schema::ToolSchema;
use serde_json::{Value, json};

use super::{Finding, Observed, Outcome};
use crate::conversation::{Arrived, Era, is_response};
use crate::target::What;

/// The check of the end: the run blames it for what stays.
pub(crate) const ENDS: &str = "mcp-ends";
/// The codes of errors that 2026-07-28 withdrew.
const WITHDRAWN: [i64; 2] = [-32002, -32042];
/// Those that it defines, of the range that it keeps for itself.
const DEFINED: [i64; 3] = [-32020, -32021, -32022];
/// What of a line is quoted.
const QUOTED: usize = 100;

pub(super) const CHECKS: [(&str, super::Check); 26] = [
    ("mcp-stdout", stdout),
    ("mcp-shapes", shapes),
    ("mcp-one-answer", one_answer),
    ("mcp-known-ids", known_ids),
    ("mcp-error-codes", error_codes),
    ("mcp-reserved-codes", reserved_codes),
    ("mcp-initialize-result", initialize_result),
    ("mcp-discover-result", discover_result),
    ("mcp-same-version", same_version),
    ("mcp-version-echo", version_echo),
    ("mcp-early-requests", early_requests),
    ("mcp-no-requests", no_requests),
    ("mcp-result-type", result_type),
    ("mcp-cache-hints", cache_hints),
    ("mcp-server-info", server_info),
    ("mcp-undeclared", undeclared),
    ("mcp-input-schemas", input_schemas),
    ("mcp-tool-names", tool_names),
    ("mcp-same-tools", same_tools),
    ("mcp-validates", validates),
    ("mcp-tool-results", tool_results),
    ("mcp-structured", structured),
    ("mcp-structured-text", structured_text),
    ("mcp-progress", progress),
    ("mcp-after-cancel", after_cancel),
    (ENDS, ends),
];

/// What can still be said about a request that is nested too deep to be read: that its id was used.
pub(super) fn head(line: &[u8]) -> Option<Value> {
    let text = std::str::from_utf8(line).ok()?.strip_prefix(r#"{"jsonrpc":"2.0","id":"#)?;
    let (id, rest) = text.split_once(',')?;
    let method = rest.strip_prefix(r#""method":""#)?.split('"').next()?;
    let id: Value = serde_json::from_str(id).ok()?;
    Some(json!({"jsonrpc": "2.0", "id": id, "method": method}))
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

/// The same for requests that are whole and of the newer era: what a server makes of others is not held to its
/// rules.
fn newer_results<'a>(observed: &'a Observed<'_>) -> Vec<(usize, &'a Value, &'a Value)> {
    let mut results = results(observed);
    let version = "io.modelcontextprotocol/protocolVersion";
    results.retain(|(_, request, _)| {
        request["jsonrpc"] == "2.0"
            && request["params"]["_meta"][version] == Era::Discover.revision()
    });
    results
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

/// Every line on stdout is a message.
fn stdout(observed: &Observed<'_>) -> Outcome {
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
fn shapes(observed: &Observed<'_>) -> Outcome {
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
fn one_answer(observed: &Observed<'_>) -> Outcome {
    let answers: Vec<_> =
        responses(observed).filter(|(_, message)| !message["id"].is_null()).collect();
    if answers.is_empty() {
        return Outcome::Nothing;
    }
    let sent = observed.sent().iter().filter(|sent| sent["method"].is_string());
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
fn known_ids(observed: &Observed<'_>) -> Outcome {
    let asked: BTreeSet<_> = observed.sent().iter().map(|sent| sent["id"].to_string()).collect();
    let answers = responses(observed).filter(|(_, message)| !message["id"].is_null());
    each(&answers.collect::<Vec<_>>(), |(record, message)| {
        let id = message["id"].to_string();
        (!asked.contains(&id)).then(|| (*record, format!("an answer to {id}, which nobody asked")))
    })
}

/// Codes of errors are integers.
fn error_codes(observed: &Observed<'_>) -> Outcome {
    let errors = responses(observed).filter(|(_, message)| message.get("error").is_some());
    each(&errors.collect::<Vec<_>>(), |(record, message)| {
        let code = &message["error"]["code"];
        (!code.is_i64()).then(|| (*record, format!("the code of an error is {code}")))
    })
}

/// No codes that the revision withdrew or keeps for itself.
fn reserved_codes(observed: &Observed<'_>) -> Outcome {
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

/// `initialize` is answered with a version, capabilities and who the server is.
fn initialize_result(observed: &Observed<'_>) -> Outcome {
    each(&results_of(observed, "initialize"), |(record, _, result)| {
        let missing = if !result["protocolVersion"].is_string() {
            "protocolVersion that is a string"
        } else if !result["capabilities"].is_object() {
            "capabilities that are an object"
        } else if !result["serverInfo"]["name"].is_string()
            || !result["serverInfo"]["version"].is_string()
        {
            "serverInfo with a name and a version"
        } else {
            return None;
        };
        Some((*record, format!("the result has no {missing}: {}", quoted(&result.to_string()))))
    })
}

/// `server/discover` is answered with versions and capabilities.
fn discover_result(observed: &Observed<'_>) -> Outcome {
    each(&results_of(observed, "server/discover"), |(record, _, result)| {
        let versions = result["supportedVersions"].as_array();
        let named = versions.is_some_and(|all| !all.is_empty() && all.iter().all(Value::is_string));
        let missing = if !named {
            "supportedVersions that is a list of strings"
        } else if !result["capabilities"].is_object() {
            "capabilities that are an object"
        } else {
            return None;
        };
        Some((*record, format!("the result has no {missing}: {}", quoted(&result.to_string()))))
    })
}

fn results_of<'a>(observed: &'a Observed<'_>, method: &str) -> Vec<(usize, &'a Value, &'a Value)> {
    let mut results = results(observed);
    results.retain(|(_, request, _)| request["method"] == method);
    results
}

/// The version that it answered at first is the one that it answers when it is asked for that.
fn same_version(observed: &Observed<'_>) -> Outcome {
    let Some(first) = observed.first else { return Outcome::Nothing };
    let version = &first.hello["protocolVersion"];
    let mut results = results_of(observed, "initialize");
    results.retain(|(_, request, _)| request["params"]["protocolVersion"] == *version);
    each(&results, |(record, _, result)| {
        let answered = &result["protocolVersion"];
        (answered != version)
            .then(|| (*record, format!("asked for {version}, which it speaks, it says {answered}")))
    })
}

/// The version that nobody speaks is not taken for one that the server speaks.
fn version_echo(observed: &Observed<'_>) -> Outcome {
    let mut results = results_of(observed, "initialize");
    results.retain(|(_, request, _)| request["params"]["protocolVersion"] == "1999-01-01");
    each(&results, |(record, _, result)| {
        (result["protocolVersion"] == "1999-01-01")
            .then(|| (*record, "it says that it speaks 1999-01-01".to_owned()))
    })
}

/// Before `notifications/initialized` the server asks nothing but `ping`.
fn early_requests(observed: &Observed<'_>) -> Outcome {
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
fn no_requests(observed: &Observed<'_>) -> Outcome {
    each(&messages(observed).collect::<Vec<_>>(), |(record, message)| {
        let method = message["method"].as_str()?;
        message.get("id").map(|_| (*record, format!("a request of {method}")))
    })
}

/// Each result says what type it is of.
fn result_type(observed: &Observed<'_>) -> Outcome {
    each(&newer_results(observed), |(record, request, result)| {
        let kind = &result["resultType"];
        (!kind.is_string())
            .then(|| (*record, format!("a result of {} without resultType", request["method"])))
    })
}

/// What may be kept says for how long, and for whom.
fn cache_hints(observed: &Observed<'_>) -> Outcome {
    const KEPT: [&str; 6] = [
        "server/discover",
        "tools/list",
        "prompts/list",
        "resources/list",
        "resources/templates/list",
        "resources/read",
    ];
    let mut results = newer_results(observed);
    results.retain(|(_, request, result)| {
        KEPT.iter().any(|method| request["method"] == *method)
            && result["resultType"] != "input_required"
    });
    each(&results, |(record, request, result)| {
        let missing = if result["ttlMs"].as_f64().is_none_or(|ttl| ttl < 0.0) {
            "ttlMs that is not negative"
        } else if result["cacheScope"] != "public" && result["cacheScope"] != "private" {
            "cacheScope \"public\" or \"private\""
        } else {
            return None;
        };
        Some((*record, format!("a result of {} without {missing}", request["method"])))
    })
}

/// Each result says whose it is.
fn server_info(observed: &Observed<'_>) -> Outcome {
    each(&newer_results(observed), |(record, request, result)| {
        let info = &result["_meta"]["io.modelcontextprotocol/serverInfo"];
        let is_named = info["name"].is_string() && info["version"].is_string();
        (!is_named).then(|| {
            let method = &request["method"];
            let what = "_meta with io.modelcontextprotocol/serverInfo";
            (*record, format!("a result of {method} without {what}"))
        })
    })
}

/// What a server tells unasked it has declared.
fn undeclared(observed: &Observed<'_>) -> Outcome {
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

/// Every tool in every list, with its place.
fn tools<'a>(observed: &'a Observed<'_>) -> Vec<Message<'a>> {
    let lists = results_of(observed, "tools/list");
    let of = |(record, _, result): (usize, &'a Value, &'a Value)| {
        let tools = result["tools"].as_array().map(Vec::as_slice).unwrap_or_default();
        tools.iter().map(move |tool| (record, tool)).collect::<Vec<_>>()
    };
    lists.into_iter().flat_map(of).collect()
}

/// Each tool has a schema that describes an object, and is one.
fn input_schemas(observed: &Observed<'_>) -> Outcome {
    each(&tools(observed), |(record, tool)| {
        let schema = &tool["inputSchema"];
        let why = if !schema.is_object() {
            "is no object".to_owned()
        } else if schema["type"] != "object" {
            format!("has the type {}, not \"object\"", schema["type"])
        } else {
            let schema = RawJson::parse(&schema.to_string()).ok()?;
            ToolSchema::compile(&schema).err()?.to_string()
        };
        Some((*record, format!("the inputSchema of {} {why}", tool["name"])))
    })
}

/// Names of tools have 1 to 128 of the letters that they may have, and no two are the same.
fn tool_names(observed: &Observed<'_>) -> Outcome {
    let is_fine = |name: &str| {
        let letter = |letter: char| letter.is_ascii_alphanumeric() || "_-.".contains(letter);
        (1..=128).contains(&name.len()) && name.chars().all(letter)
    };
    let lists = results_of(observed, "tools/list");
    let look = |(record, _, result): &(usize, &Value, &Value)| {
        let tools = result["tools"].as_array()?;
        let names: Vec<_> = tools.iter().filter_map(|tool| tool["name"].as_str()).collect();
        let wrong = names.iter().find(|name| !is_fine(name));
        let twice = names.iter().enumerate().find(|(at, name)| names[..*at].contains(name));
        let wrong = wrong.map(|name| format!("a tool is called {name:?}"));
        let twice = twice.map(|(_, name)| format!("two tools are called {name:?}"));
        Some((*record, wrong.or(twice)?))
    };
    each(&lists, look)
}

/// The same tools in the same order, however often they are asked for.
fn same_tools(observed: &Observed<'_>) -> Outcome {
    let mut lists = results_of(observed, "tools/list");
    lists.retain(|(_, request, _)| request["params"]["cursor"].is_null());
    let names = |result: &Value| -> Vec<String> {
        let tools = result["tools"].as_array().map(Vec::as_slice).unwrap_or_default();
        tools.iter().map(|tool| tool["name"].to_string()).collect()
    };
    let changes = messages(observed)
        .any(|(_, message)| message["method"] == "notifications/tools/list_changed");
    if lists.len() < 2 || changes {
        return Outcome::Nothing;
    }
    let first = names(lists[0].2);
    each(&lists, |(record, _, result)| {
        let now = names(result);
        let what = format!("{} first, {} now", first.join(", "), now.join(", "));
        (now != first).then(|| (*record, quoted(&what)))
    })
}

/// Each call of a tool that was listed, with the tool, the request and the message that answers.
fn calls<'a>(observed: &'a Observed<'_>) -> Vec<(usize, &'a Value, &'a Value, &'a Value)> {
    let tools: BTreeMap<_, _> = tools(observed)
        .into_iter()
        .filter_map(|(_, tool)| Some((tool["name"].as_str()?, tool)))
        .collect();
    let requests = requests(observed);
    let call = |(record, message): Message<'a>| {
        let request = *requests.get(&message["id"].to_string())?;
        let tool = tools.get(request["params"]["name"].as_str()?)?;
        (request["method"] == "tools/call").then_some((record, *tool, request, message))
    };
    responses(observed).filter_map(call).collect()
}

fn fits(schema: &Value, value: &Value) -> Result<(), String> {
    let (Ok(schema), Ok(value)) =
        (RawJson::parse(&schema.to_string()), RawJson::parse(&value.to_string()))
    else {
        return Ok(());
    };
    let Ok(schema) = ToolSchema::compile(&schema) else { return Ok(()) };
    schema.validate(&value).map_err(|violation| violation.to_string())
}

/// Arguments that a tool's schema refuses are refused.
fn validates(observed: &Observed<'_>) -> Outcome {
    let mut calls = calls(observed);
    calls.retain(|(_, tool, request, _)| {
        fits(&tool["inputSchema"], &request["params"]["arguments"]).is_err()
    });
    each(&calls, |(record, tool, request, message)| {
        let is_refused = message.get("error").is_some() || message["result"]["isError"] == true;
        let why = fits(&tool["inputSchema"], &request["params"]["arguments"]).err()?;
        (!is_refused).then(|| {
            let arguments = quoted(&request["params"]["arguments"].to_string());
            (*record, format!("{} ran with {arguments}, though {why}", tool["name"]))
        })
    })
}

/// Results of tools have content, and each part of it what its type wants.
fn tool_results(observed: &Observed<'_>) -> Outcome {
    let mut results = results_of(observed, "tools/call");
    results.retain(|(_, _, result)| result["resultType"] != "input_required");
    each(&results, |(record, request, result)| {
        let why = match result["content"].as_array() {
            None => "content that is a list is missing".to_owned(),
            Some(content) => content.iter().find_map(part_of)?,
        };
        Some((*record, format!("the result of {}: {why}", request["params"]["name"])))
    })
}

fn part_of(part: &Value) -> Option<String> {
    let needs: &[&str] = match part["type"].as_str() {
        Some("text") => &["text"],
        Some("image" | "audio") => &["data", "mimeType"],
        Some("resource_link") => &["uri", "name"],
        Some("resource") if part["resource"]["uri"].is_string() => &[],
        Some("resource") => return Some("a resource without a uri".to_owned()),
        _ => return Some(format!("content of the type {}", part["type"])),
    };
    let missing = needs.iter().find(|member| !part[**member].is_string())?;
    Some(format!("content of the type {} without {missing}", part["type"]))
}

/// What a tool with an output schema gives fits it.
fn structured(observed: &Observed<'_>) -> Outcome {
    let mut calls = calls(observed);
    calls.retain(|(_, tool, _, message)| {
        tool["outputSchema"].is_object()
            && message["result"].is_object()
            && message["result"]["isError"] != true
            && message["result"]["resultType"] != "input_required"
    });
    each(&calls, |(record, tool, _, message)| {
        let why = match message["result"].get("structuredContent") {
            None => "there is no structuredContent".to_owned(),
            Some(value) => fits(&tool["outputSchema"], value).err()?,
        };
        Some((*record, format!("{} has an outputSchema, and {why}", tool["name"])))
    })
}

/// What is structured stands there as text too.
fn structured_text(observed: &Observed<'_>) -> Outcome {
    let mut calls = calls(observed);
    calls.retain(|(.., message)| message["result"].get("structuredContent").is_some());
    each(&calls, |(record, tool, _, message)| {
        let content = message["result"]["content"].as_array().map(Vec::as_slice);
        let text = content.unwrap_or_default().iter().any(|part| part["type"] == "text");
        (!text).then(|| (*record, format!("{} gives structuredContent and no text", tool["name"])))
    })
}

/// Progress has a token that a request gave, grows, and stops with the answer.
fn progress(observed: &Observed<'_>) -> Outcome {
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
fn ends(observed: &Observed<'_>) -> Outcome {
    if observed.killed { Outcome::Nothing } else { Outcome::Found(Vec::new()) }
}

/// Nothing comes for a request that was cancelled, once what was sent behind the cancellation is answered.
fn after_cancel(observed: &Observed<'_>) -> Outcome {
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
