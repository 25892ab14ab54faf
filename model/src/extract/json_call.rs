//! Calls in JSON: flat objects, nested ones as chat interfaces have them, and arrays of both.

use extline_json::{Elements, Members, read_string};

use super::arguments::{Arguments, cuts_arguments};
use crate::repair::{Repaired, repair};

/// What the tool is called by.
const NAMES: [&str; 5] = ["name", "tool_name", "tool", "action", "function"];

/// What its arguments are called.
const ARGUMENTS: [&str; 7] =
    ["arguments", "parameters", "args", "input", "action_input", "tool_input", "kwargs"];

/// What JSON may begin with that is a call.
pub(super) const FIRST_KEYS: [&str; 19] = [
    "name",
    "tool_name",
    "tool",
    "action",
    "function",
    "arguments",
    "parameters",
    "args",
    "input",
    "action_input",
    "tool_input",
    "kwargs",
    "id",
    "type",
    "call_id",
    "tool_calls",
    "function_call",
    "index",
    "reasoning",
];

/// A call that was read from JSON.
pub(super) struct Found {
    pub(super) name: String,
    pub(super) id: Option<String>,
    pub(super) arguments: Arguments,
    /// Whether it says what its arguments are; `{"name": "x"}` does not.
    pub(super) has_arguments: bool,
}

/// The calls that a text holds as JSON; or why it holds none.
pub(super) fn calls(text: &str) -> Result<Vec<Found>, String> {
    let repaired = repair(text).map_err(|error| error.to_string())?;
    let mut calls = Vec::new();
    collect(repaired.value.get(), 0, &repaired, &mut calls)?;
    Ok(calls)
}

/// `around` counts the brackets around the value.
fn collect(
    value: &str,
    around: usize,
    repaired: &Repaired,
    calls: &mut Vec<Found>,
) -> Result<(), String> {
    if let Some(elements) = Elements::of(value) {
        let elements: Vec<_> = elements.collect();
        if elements.is_empty() {
            return Err("a call needs a name".to_owned());
        }
        for (place, element) in elements.iter().enumerate() {
            // Only the last can be cut.
            let is_last = place + 1 == elements.len();
            collect_one(element, around + 1, is_last, repaired, calls)?;
        }
        return Ok(());
    }
    collect_one(value, around, true, repaired, calls)
}

fn collect_one(
    value: &str,
    around: usize,
    is_last: bool,
    repaired: &Repaired,
    calls: &mut Vec<Found>,
) -> Result<(), String> {
    let members = Members::of(value).ok_or("a call is a JSON object")?;
    let text = |name: &str| {
        let value = members.last(name)?.value;
        read_string(value).map(std::borrow::Cow::into_owned)
    };
    if around == 0 {
        if let Some(list) = members.last("tool_calls") {
            return collect(list.value, around + 1, repaired, calls);
        }
        if let Some(call) = members.last("function_call") {
            return collect_one(call.value, around + 1, true, repaired, calls);
        }
    }
    let id = text("id").or_else(|| text("call_id"));
    if let Some(nested) = members.last("function").filter(|it| it.value.starts_with('{')) {
        collect_one(nested.value, around + 1, is_last, repaired, calls)?;
        if let Some(call) = calls.last_mut() {
            call.id = id;
        }
        return Ok(());
    }
    let name = NAMES.iter().find_map(|it| text(it)).ok_or("a call needs a name")?;
    let arguments = ARGUMENTS.iter().find_map(|it| members.last(it));
    let has_arguments = arguments.is_some();
    let truncated = is_last && cuts_arguments(repaired, around + 1);
    let fixes = repaired.fixes.clone();
    let arguments = match arguments {
        Some(arguments) => Arguments::of_value(arguments.value, fixes, truncated)?,
        // With other members it is something else, or has its arguments in a place of its own.
        None if is_named_alone(&members) => {
            Arguments { fixes, truncated: is_last && repaired.truncated, ..Arguments::none() }
        }
        None => return Err(format!("the call of {name} has no arguments")),
    };
    calls.push(Found { name, id, arguments, has_arguments });
    Ok(())
}

fn is_named_alone(members: &Members<'_>) -> bool {
    let known = |name: &str| NAMES.contains(&name) || matches!(name, "id" | "type" | "call_id");
    members.iter().all(|member| known(&member.key()))
}
