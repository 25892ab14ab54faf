//! Tools: how they are listed, and what comes of their calls.

use std::collections::BTreeMap;

use extline_protocol::RawJson;
use extline_schema::ToolSchema;
use serde_json::Value;

use super::{Message, each, messages, quoted, requests, responses, results_of};
use crate::check::{Observed, Outcome};

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
pub(super) fn input_schemas(observed: &Observed<'_>) -> Outcome {
    each(&tools(observed), |(record, tool)| {
        let schema = &tool["inputSchema"];
        let why = if !schema.is_object() {
            "is no object".to_owned()
        } else if schema["type"] != "object" {
            format!("has the type {}, not \"object\"", schema["type"])
        } else {
            let compiled = ToolSchema::compile(&RawJson::parse(&schema.to_string()).ok()?);
            // One that is over a limit of ours may be valid, as may one that is not whole by itself.
            let error = compiled.err().filter(|it| !it.is_too_large && !leads_elsewhere(schema))?;
            error.to_string()
        };
        Some((*record, format!("the inputSchema of {} {why}", tool["name"])))
    })
}

/// Whether what a schema means stands in another document: a dialect of its own, or what a `$ref` leads to.
fn leads_elsewhere(schema: &Value) -> bool {
    match schema {
        Value::Object(members) => members.iter().any(|(name, value)| {
            let leads = |text: &str| match name.as_str() {
                "$ref" => !text.starts_with('#'),
                "$schema" => !text.contains("//json-schema.org/"),
                _ => false,
            };
            value.as_str().is_some_and(leads) || leads_elsewhere(value)
        }),
        Value::Array(items) => items.iter().any(leads_elsewhere),
        _ => false,
    }
}

/// Names of tools have 1 to 128 of the letters that they may have, and no two are the same.
pub(super) fn tool_names(observed: &Observed<'_>) -> Outcome {
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
pub(super) fn same_tools(observed: &Observed<'_>) -> Outcome {
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
pub(super) fn validates(observed: &Observed<'_>) -> Outcome {
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
pub(super) fn tool_results(observed: &Observed<'_>) -> Outcome {
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
pub(super) fn structured(observed: &Observed<'_>) -> Outcome {
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
pub(super) fn structured_text(observed: &Observed<'_>) -> Outcome {
    let mut calls = calls(observed);
    calls.retain(|(.., message)| message["result"].get("structuredContent").is_some());
    each(&calls, |(record, tool, _, message)| {
        let content = message["result"]["content"].as_array().map(Vec::as_slice);
        let text = content.unwrap_or_default().iter().any(|part| part["type"] == "text");
        (!text).then(|| (*record, format!("{} gives structuredContent and no text", tool["name"])))
    })
}
