//! Calls that need an approval: the client's user is asked.

use extline_protocol::frame::{Approval, Tier};
use extline_protocol::{ExtensionConfig, ExtensionEvent};
use serde_json::{Value, json};

use crate::harness::{Triple, tool};

const FORMS: &str = r#"{"elicitation":{}}"#;

fn config() -> ExtensionConfig {
    let mut config = ExtensionConfig::new("cleaner", "1.0.0");
    let schema = r#"{"type":"object","properties":{"path":{"type":"string"}}}"#;
    let mut wipe = tool("wipe", schema);
    wipe.approval = Some(Approval {
        gated: true,
        tier: Some(Tier::Write),
        key: Some("{path}".to_owned()),
        reason: Some("it deletes the file".to_owned()),
        ..Approval::default()
    });
    config.registrations.tool(wipe).unwrap();
    config
}

fn asking(can: &str) -> Triple {
    Triple::with_session(config(), "2025-11-25", can)
}

fn call(triple: &mut Triple, id: u32, path: &str) -> Value {
    let params = json!({"name": "wipe", "arguments": {"path": path}});
    let line = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params});
    triple.request(&line.to_string()).pop().unwrap_or_default()
}

fn decide(triple: &mut Triple, asked: &Value, approval: &str) {
    let result = json!({"action": "accept", "content": {"approval": approval}});
    triple.client(&json!({"jsonrpc": "2.0", "id": asked["id"], "result": result}).to_string());
}

fn runs(triple: &Triple) -> usize {
    let is_call = |event: &&ExtensionEvent| matches!(event, ExtensionEvent::ToolCall { .. });
    triple.extension_events.iter().filter(is_call).count()
}

fn text(triple: &Triple) -> String {
    triple.last()["result"]["content"][0]["text"].as_str().unwrap().to_owned()
}

#[test]
fn the_person_sees_what_would_run_and_decides() {
    let mut triple = asking(FORMS);
    let asked = call(&mut triple, 1, "tmp/a\u{202e}");
    let message = asked["params"]["message"].as_str().unwrap();
    for shown in ["cleaner wants to run wipe", "tmp/a\\u{202e}", "write", "it deletes the file"] {
        assert!(message.contains(shown), "{shown}: {message}");
    }
    assert_eq!(runs(&triple), 0);
    decide(&mut triple, &asked, "once");
    assert_eq!(runs(&triple), 1);
    let again = call(&mut triple, 2, "tmp/a\u{202e}");
    assert_eq!(again["method"], "elicitation/create", "once is once");
    decide(&mut triple, &again, "no");
    assert_eq!(runs(&triple), 1);
    assert_eq!(text(&triple), "wipe was not approved: the user said no");
    assert_eq!(triple.last()["result"]["_meta"]["dev.extline/error"]["kind"], "permission");
}

#[test]
fn always_covers_the_same_key_until_the_tool_changes() {
    let mut triple = asking(FORMS);
    let asked = call(&mut triple, 1, "tmp/a");
    decide(&mut triple, &asked, "always");
    call(&mut triple, 2, "tmp/a");
    assert_eq!(runs(&triple), 2);
    assert_eq!(call(&mut triple, 3, "tmp/b")["method"], "elicitation/create");
    let other = br#"{"type":"register_tool","name":"wipe","schema":{"type":"object"},"approval":{"gated":true,"key":"{path}"}}"#;
    triple.bridge.handle_extension(&[other, &b"\n"[..]].concat(), triple.now);
    triple.step();
    assert_eq!(call(&mut triple, 4, "tmp/a")["method"], "elicitation/create");
}

#[test]
fn without_a_person_it_does_not_run_unless_that_was_allowed() {
    let mut triple = asking("{}");
    call(&mut triple, 1, "tmp/a");
    assert_eq!(runs(&triple), 0);
    assert!(text(&triple).contains("capability elicitation"), "{}", text(&triple));
    assert!(text(&triple).contains("EXTLINE_APPROVE=yolo"), "{}", text(&triple));
}

#[test]
fn a_closed_question_is_a_no_and_one_that_is_cancelled_runs_nothing() {
    let mut triple = asking(FORMS);
    let asked = call(&mut triple, 1, "tmp/a");
    let result = json!({"action": "cancel"});
    triple.client(&json!({"jsonrpc": "2.0", "id": asked["id"], "result": result}).to_string());
    assert_eq!(text(&triple), "wipe was not approved: the user closed the question");
    let asked = call(&mut triple, 2, "tmp/a");
    triple
        .client(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}"#);
    decide(&mut triple, &asked, "once");
    assert_eq!(runs(&triple), 0);
}
