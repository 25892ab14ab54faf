//! The cases of how an intercept goes through the handlers, to which every SDK is held.

use serde_json::{Value, json};

use crate::host::Host;

#[test]
fn handlers_are_asked_and_heard_as_in_every_sdk() {
    let cases = include_str!("../../../protocol/tests/intercept_chains.json");
    let cases: Vec<Value> = serde_json::from_str(cases).unwrap();
    for case in &cases {
        let arguments = arguments(case);
        let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
        let mut host = Host::start("intercept_chains", &arguments);
        let what = match arguments[0] {
            "tool_call" => r#""tool_id":"c","tool_name":"bash","tool_args":{"n":1}"#,
            "tool_result" => {
                r#""result":{"content":[{"type":"text","text":"one"}],"structured_content":{"n":1}}"#
            }
            _ => r#""text":"one""#,
        };
        let point = arguments[0];
        host.send(&[format!(r#"{{"type":"event_intercept","id":"1","event":"{point}",{what}}}"#)]);
        let answer = host.next("event_intercept_response");
        let end = host.shut_down();
        end.assert_code(0);
        let seen = end.stderr.lines().filter_map(|line| line.strip_prefix("saw "));
        let seen: Vec<Value> = seen.map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(json!(seen), case["seen"], "{}", case["name"]);
        assert_eq!(answer, expected(case), "{}", case["name"]);
    }
}

fn arguments(case: &Value) -> Vec<String> {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let point = case["point"].as_str().unwrap_or("tool_call");
    let mode = case["on_failure"].as_str().unwrap_or("-");
    let mut arguments = vec![point.to_owned(), mode.to_owned()];
    for (kind, handlers) in [("interceptor", "interceptors"), ("guard", "guards")] {
        for (index, does) in case[handlers].as_array().unwrap().iter().enumerate() {
            let verb = does.as_object().and_then(|verbs| verbs.iter().next());
            let verb = verb.map(|(verb, with)| (verb.as_str(), with));
            let blocks = |with: &Value| json!([{ "type": "text", "text": with }]);
            let (verb, with) = match verb {
                None => ("allow", String::new()),
                Some(("withhold", with)) => ("block", text(with)),
                Some(("fail_result", with)) => {
                    ("replace", json!({ "content": blocks(with), "is_error": true }).to_string())
                }
                // The text alone, by the function that takes one.
                Some(("replace", with))
                    if with["content"].is_string() && with.as_object().unwrap().len() == 1 =>
                {
                    ("text", text(&with["content"]))
                }
                Some(("replace", with)) => {
                    let mut with = with.clone();
                    if with["content"].is_string() {
                        with["content"] = blocks(&with["content"]);
                    }
                    ("replace", with.to_string())
                }
                Some((verb, with)) => (verb, text(with)),
            };
            arguments.extend([format!("{kind} {index}"), verb.to_owned(), with]);
        }
    }
    arguments
}

/// A failure is told in the handler's own words.
fn expected(case: &Value) -> Value {
    let mut answer = json!({ "type": "event_intercept_response", "id": "1" });
    let ruling = &case["ruling"];
    let (reason, args, text) = (&ruling["blocked"], &ruling["args"], &ruling["text"]);
    let asked = &ruling["asked"];
    if !ruling["failed"].is_null() {
        answer["block"] = json!(true);
        answer["reason"] = json!("broken");
    } else if !reason.is_null() {
        answer["block"] = json!(true);
        answer["reason"] = reason.clone();
    } else if !asked.is_null() {
        answer["block"] = json!(true);
        answer["ask"] = json!(true);
        answer["reason"] = asked.clone();
    } else if !args.is_null() {
        answer["modified_args"] = args.clone();
    } else if !text.is_null() {
        answer["replace_text"] = text.clone();
    } else if !ruling["result"].is_null() {
        answer["replace_result"] = ruling["result"].clone();
    } else if !ruling["handled"].is_null() {
        answer["handled"] = json!(true);
    }
    answer
}
