//! What the session takes as an answer to `tool.approval`, against the declaration of that method in
//! docs/protocol/services.json.

use extline_protocol::{RawJson, approval_answer};
use serde_json::{Value, json};

#[test]
fn an_answer_has_the_members_that_are_declared_and_no_others() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/protocol/services.json");
    let services: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let declared = &services["extension_methods"]["tool.approval"]["result"];
    for (name, member) in declared["properties"].as_object().unwrap() {
        for fitting in values(member, declared) {
            assert_eq!(pointer(&json!({ name: fitting })), None, "{name}: {fitting}");
        }
        let takes_any_text = member["type"].as_array().is_some_and(|types| types[0] == "string");
        for wrong in [json!(5), json!({}), json!([5])] {
            assert_eq!(pointer(&json!({ name: wrong })).as_deref().map(first), Some(&**name));
        }
        let word = pointer(&json!({ name: "perhaps" }));
        assert_eq!(word, (!takes_any_text).then(|| format!("/{name}")), "{name}");
    }
    assert_eq!(pointer(&json!({"risk": "high"})).as_deref(), Some("/risk"));
    for wrong in [json!("yes"), json!(1), json!(null), json!([])] {
        assert_eq!(pointer(&wrong).as_deref(), Some(""), "{wrong}");
    }
}

#[test]
fn what_is_null_is_left_out() {
    let returned = RawJson::parse(r#"{"tier":null,"details":["a"],"other":null}"#).unwrap();
    assert_eq!(approval_answer(&returned).unwrap().get(), r#"{"details":["a"]}"#);
}

/// Where an answer is wrong.
fn pointer(answer: &Value) -> Option<String> {
    approval_answer(&RawJson::of(answer).unwrap()).err().map(|error| error.pointer)
}

fn first(pointer: &str) -> &str {
    pointer.split('/').nth(1).unwrap_or_default()
}

/// Values that a member may have: of a word each, of another type one.
fn values(member: &Value, declared: &Value) -> Vec<Value> {
    let reference = member["$ref"].as_str().or_else(|| member["anyOf"][0]["$ref"].as_str());
    if let Some(name) = reference.and_then(|reference| reference.strip_prefix("#/$defs/")) {
        let words = declared["$defs"][name]["oneOf"].as_array().unwrap();
        return words.iter().map(|word| word["const"].clone()).collect();
    }
    let is_list = member["type"] == "array";
    vec![if is_list { json!(["a", "b"]) } else { json!("a") }]
}
