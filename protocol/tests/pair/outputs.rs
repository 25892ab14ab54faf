//! A tool whose model chooses how its value is written.

use extline_protocol::frame::{Content, OutputFormat, RegisterTool, ToolResult};
use extline_protocol::{
    ErrorKind, ExtensionConfig, ExtensionEvent, HostEvent, Notice, RawJson, ToolCallOptions,
};

use crate::harness::{Pair, full_ack, tool};

fn pair() -> Pair {
    let mut config = ExtensionConfig::new("pair", "1.0.0");
    let outputs = Some(vec![OutputFormat::Labeled, OutputFormat::Json]);
    config.registrations.tool(RegisterTool { outputs, ..tool("find") }).unwrap();
    Pair::ready(config, full_ack())
}

fn call(pair: &mut Pair, args: &str) {
    let args = RawJson::parse(args).unwrap();
    pair.host.call_tool("find", args, ToolCallOptions::default(), pair.now).unwrap();
    pair.step();
}

/// The arguments as the handler gets them, and the answer for what it returns.
fn handled(pair: &mut Pair, args: &str) -> (String, ToolResult) {
    pair.clear();
    call(pair, args);
    let got = pair.extension_events.iter().find_map(|event| match event {
        ExtensionEvent::ToolCall { call, .. } => Some(call.args.to_string()),
        _ => None,
    });
    let mut result = ToolResult::new("".into(), Vec::new());
    result.push_value(RawJson::parse(r#"[{"path":"a.rs","line":3}]"#).unwrap());
    let key = pair.last_call();
    pair.extension.reply_tool(&key, result).unwrap();
    pair.step();
    (got.expect("a call"), result_of(pair))
}

fn result_of(pair: &Pair) -> ToolResult {
    let result = pair.host_events.iter().find_map(|event| match event {
        HostEvent::ToolResult { result, .. } => Some(ToolResult::clone(result)),
        _ => None,
    });
    result.expect("a result")
}

#[test]
fn the_handler_gets_no_word_of_it_and_the_value_is_the_same() {
    let mut pair = pair();
    let registered =
        r#"{"type":"object","properties":{"output":{"type":"string","enum":["labeled","json"]"#;
    let mut new = Pair::new(config_of(&pair), full_ack());
    new.step();
    new.extension.ready();
    new.step();
    assert_eq!(new.lines(registered).len(), 1, "{:?}", new.wire);
    assert!(new.lines("outputs").is_empty());

    for (args, text) in [
        (r#"{"q":"a"}"#, "path | line\na.rs | 3"),
        (r#"{"q":"a","output":"labeled"}"#, "path | line\na.rs | 3"),
        (r#"{"output":"json","q":"a"}"#, r#"{"count":1,"items":[{"path":"a.rs","line":3}]}"#),
    ] {
        let (got, result) = handled(&mut pair, args);
        assert_eq!(got, r#"{"q":"a"}"#);
        assert_eq!(result.content[0].plain().as_deref(), Some(text));
        assert_eq!(result.structured_content.unwrap().get(), r#"[{"path":"a.rs","line":3}]"#);
    }
}

fn config_of(pair: &Pair) -> ExtensionConfig {
    let mut config = ExtensionConfig::new("pair", "1.0.0");
    config.registrations = pair.extension.registrations().clone();
    config
}

#[test]
fn a_word_that_is_no_form_is_refused_before_the_handler_runs() {
    let mut pair = pair();
    call(&mut pair, r#"{"output":"xml"}"#);
    assert!(pair.extension_events.is_empty());
    let error = result_of(&pair).error.unwrap();
    assert_eq!((error.kind, error.field.as_deref()), (ErrorKind::Validation, Some("/output")));
}

#[test]
fn an_author_who_returns_a_text_is_told_once() {
    let mut pair = pair();
    for _ in 0..2 {
        call(&mut pair, "{}");
        let key = pair.last_call();
        let result = ToolResult::new("".into(), vec![Content::text("two hits")]);
        pair.extension.reply_tool(&key, result).unwrap();
        pair.step();
        assert_eq!(result_of(&pair).content, [Content::text("two hits")]);
    }
    let told = |event: &&ExtensionEvent| matches!(event, ExtensionEvent::Notice(Notice::NoValue(tool)) if tool == "find");
    assert_eq!(pair.extension_events.iter().filter(told).count(), 1);
}
