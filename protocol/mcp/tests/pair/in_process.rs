//! An extension in the same process is given calls, and gives results, as they are: a client sees no
//! difference.

use extline_protocol::frame::{Content, Effect, ErrorInfo, ToolResult};
use extline_protocol::{ErrorKind, RawJson};
use serde_json::Value;

use crate::harness::{Triple, config};

fn json(text: &str) -> RawJson {
    RawJson::parse(text).unwrap()
}

fn result(content: Vec<Content>) -> ToolResult {
    ToolResult::new("0".into(), content)
}

/// What an extension may answer, with what its SDK leaves as an author wrote it.
fn results() -> Vec<ToolResult> {
    let deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
    vec![
        result(vec![Content::text("fog\n\u{1}<\"")]),
        result(vec![Content::TextJson(json(r#""fo\u0067\n""#)), Content::image(b"x", "image/png")]),
        result(vec![Content::Other(json(r#"{"type":"text","text":"a","annotations":{}}"#))]),
        result(vec![Content::Other(json(
            r#"{"type":"image","mime_type":"image/png","data":"eA=="}"#,
        ))]),
        result(vec![Content::Other(json(r#"{"type":"hologram"}"#))]),
        ToolResult {
            structured_content: Some(json(r#"{"a":1}"#)),
            ..result(vec![Content::text(r#"{"a":1}"#)])
        },
        ToolResult::error("0".into(), ErrorInfo::new(ErrorKind::NotFound, "no such city")),
        ToolResult { structured_content: Some(json(&deep)), ..result(Vec::new()) },
        ToolResult { effects: Some(vec![Effect::process("make")]), ..result(Vec::new()) },
    ]
}

fn answers(mut triple: Triple) -> Vec<Value> {
    for (number, result) in results().into_iter().enumerate() {
        let key = triple.call(&number.to_string(), "");
        let _ = triple.extension.reply_tool(&key, result);
        triple.step();
    }
    triple.eof();
    triple.received()
}

#[test]
fn a_client_sees_no_difference() {
    let handed_over = answers(Triple::ready(config()).in_process());
    assert_eq!(handed_over.len(), results().len());
    let written = answers(Triple::ready(config()));
    for (number, (handed_over, written)) in handed_over.iter().zip(&written).enumerate() {
        let excerpt = |value: &Value| value.to_string().chars().take(300).collect::<String>();
        assert!(handed_over == written, "{number}: {} {}", excerpt(handed_over), excerpt(written));
    }
}

#[test]
fn a_call_is_handed_over_before_its_cancel() {
    let mut triple = Triple::ready(config()).in_process();
    let call = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"weather"}}"#;
    let cancel = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#;
    triple.bridge.handle_client(format!("{call}\n{cancel}\n").as_bytes(), triple.now);
    triple.step();
    let key = triple.last_call();
    assert!(triple.extension.is_cancelled(&key));
    triple.answer(&key, "late");
    assert_eq!(triple.received(), Vec::<Value>::new());
}

#[test]
fn what_is_asked_before_the_end_of_input_is_answered() {
    let mut triple = Triple::ready(config()).in_process();
    let key = triple.call("1", "");
    triple.eof();
    assert!(!triple.input_is_closed);
    triple.answer(&key, "fog");
    assert_eq!(triple.received()[0]["result"]["content"][0]["text"], "fog");
    triple.step();
    assert!(triple.input_is_closed);
}
