//! The cases of how an intercept goes through the handlers, to which every SDK is held.

use std::sync::{Arc, Mutex};

use extline::Replacement;
use extline::prelude::*;
use extline::testing::{Failure, Host, Moment, Ruling};

type Seen = Arc<Mutex<Vec<Value>>>;

#[test]
fn handlers_are_asked_and_heard_as_in_every_sdk() -> Result<(), Failure> {
    let cases = include_str!("../../../protocol/tests/intercept_chains.json");
    let cases: Vec<Value> = serde_json::from_str(cases).unwrap();
    for (case, on_zot) in cases.iter().flat_map(|case| [(case, false), (case, true)]) {
        let what = format!("{}, on a zot: {on_zot}", case["name"]);
        let point = case["point"].as_str().unwrap_or("tool_call");
        let seen = Seen::default();
        let (all, by) = (case.clone(), Arc::clone(&seen));
        let builder = if on_zot { Host::builder().zot() } else { Host::builder() };
        let mut host = builder.start(move || extension(&all, &by))?;
        let ruling = host.intercept(match point {
            "tool_call" => Moment::tool_call("bash", json!({ "n": 1 })),
            "user_prompt_submit" => Moment::user_prompt_submit("one"),
            "tool_result" => Moment::tool_result("bash", json!({}), ["one"]).with(|payload| {
                let result = payload.result.as_mut().unwrap();
                result.structured_content = Some(json!({ "n": 1 }).into());
            }),
            _ => Moment::assistant_message("one"),
        })?;
        let seen = json!(*seen.lock().unwrap());
        if on_zot && ["tool_result", "user_prompt_submit"].contains(&point) {
            // No zot asks there.
            assert_eq!((seen, ruling), (json!([]), Ruling::Allowed), "{what}");
            continue;
        }
        assert_eq!(seen, case["seen"], "{what}");
        let came = match ruling {
            Ruling::Allowed => json!("allowed"),
            Ruling::Rewritten(args) => json!({ "args": args }),
            Ruling::Replaced(text) => json!({ "text": text }),
            Ruling::Blocked(reason) => match reason.split_once(" failed: ") {
                Some((handler, _)) => json!({ "failed": handler }),
                None => json!({ "blocked": reason }),
            },
            Ruling::Asked(reason) => json!({ "asked": reason }),
            Ruling::Result(result) => json!({ "result": result }),
            Ruling::Handled => json!({ "handled": true }),
            other => panic!("{what}: {other:?}"),
        };
        // A zot cannot ask, and blocks.
        let ruling = match &case["ruling"]["asked"] {
            reason if on_zot && !reason.is_null() => json!({ "blocked": reason }),
            _ => case["ruling"].clone(),
        };
        assert_eq!(came, ruling, "{what}");
    }
    Ok(())
}

fn extension(case: &Value, seen: &Seen) -> Extension {
    let mut ext = Extension::new("a", "1");
    for (index, does) in case["interceptors"].as_array().unwrap().iter().enumerate() {
        let (seen, does) = (Arc::clone(seen), does.clone());
        let note = move |saw: Value| {
            seen.lock().unwrap().push(json!([format!("interceptor {index}"), saw]));
        };
        ext = if case["point"] == "tool_result" {
            ext.intercept(point::ToolResult, async move |answer, _| {
                let value = answer.structured_content().map(|it| it.to::<Value>().unwrap());
                note(json!([answer.text(), answer.is_error(), value]));
                let text = |value: &Value| value.as_str().unwrap().to_owned();
                Ok(match verb(&does)? {
                    None => answer.allow(),
                    Some(("withhold", reason)) => answer.withhold(text(reason)),
                    Some(("fail_result", why)) => answer.fail(text(why)),
                    Some((_, replaced)) => answer.replace(replacement(replaced)),
                })
            })
        } else if case["point"] == "user_prompt_submit" {
            ext.intercept(point::UserPromptSubmit, async move |prompt, _| {
                note(prompt.text().into());
                Ok(match verb(&does)? {
                    None => prompt.allow(),
                    Some(("handled", _)) => prompt.handled(),
                    Some(("block", reason)) => prompt.block(reason.as_str().unwrap()),
                    Some((_, text)) => prompt.replace(text.as_str().unwrap()),
                })
            })
        } else if case["point"].is_null() {
            ext.intercept(point::ToolCall, async move |call, _| {
                note(call.args_as()?);
                Ok(match verb(&does)? {
                    None => call.allow(),
                    Some(("block", reason)) => call.block(reason.as_str().unwrap()),
                    Some((_, args)) => call.rewrite(args.clone()),
                })
            })
        } else {
            ext.intercept(point::AssistantMessage, async move |message, _| {
                note(message.text().into());
                Ok(match verb(&does)? {
                    None => message.allow(),
                    Some((_, text)) => message.replace(text.as_str().unwrap()),
                })
            })
        };
    }
    for (index, does) in case["guards"].as_array().unwrap().iter().enumerate() {
        let (seen, does) = (Arc::clone(seen), does.clone());
        ext = ext.guard(index.to_string(), async move |call, _| {
            let saw: Value = call.args_as()?;
            seen.lock().unwrap().push(json!([format!("guard {index}"), saw]));
            Ok(verb(&does)?.map(|(verb, reason)| {
                let reason = reason.as_str().unwrap();
                if verb == "ask" { call.ask(reason) } else { call.block(reason) }
            }))
        });
    }
    let mode = |mode: &str| if mode == "allow" { OnFailure::Allow } else { OnFailure::Block };
    match (case["on_failure"].as_str().map(mode), case["point"].as_str()) {
        (None, _) => ext,
        (Some(mode), None) => ext.on_failure(point::ToolCall, mode),
        (Some(mode), Some("tool_result")) => ext.on_failure(point::ToolResult, mode),
        (Some(mode), _) => ext.on_failure(point::AssistantMessage, mode),
    }
}

fn replacement(said: &Value) -> Replacement {
    let mut replacement = Replacement::new();
    for (name, value) in said.as_object().unwrap() {
        replacement = match name.as_str() {
            "content" => replacement.content([value.as_str().unwrap()]),
            "structured_content" => replacement.structured_content(value.clone()),
            "details" => replacement.details(value.clone()),
            _ => replacement.is_error(value.as_bool().unwrap()),
        };
    }
    replacement
}

/// What a handler does, if anything, or that it fails.
fn verb(does: &Value) -> Result<Option<(&str, &Value)>, ToolError> {
    let verb = does.as_object().and_then(|verbs| verbs.iter().next());
    match verb.map(|(verb, value)| (verb.as_str(), value)) {
        Some(("fail", why)) => Err(ToolError::new(why.as_str().unwrap())),
        verb => Ok(verb),
    }
}
