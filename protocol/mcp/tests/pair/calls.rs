//! Calls, their progress and their cancels.

use std::time::Duration;

use extline_protocol::frame::{CommandResponse, Progress, ToolResult};
use extline_protocol::{ExtensionEvent, RawJson, Update};
use serde_json::{Value, json};

use crate::harness::{MODERN, Triple, command, config};

#[test]
fn a_call_reaches_the_extension_and_its_answer_the_client() {
    let mut triple = Triple::initialized(config());
    let key = triple.call("7", "");
    let Some(ExtensionEvent::ToolCall { call, .. }) = triple.extension_events.last() else {
        panic!()
    };
    assert_eq!((call.name.as_str(), call.args.get()), ("weather", r#"{"city":"Berlin"}"#));
    triple.answer(&key, "16°C");
    let result = json!({"content": [{"type": "text", "text": "16°C"}]});
    assert_eq!(triple.received(), [json!({"jsonrpc": "2.0", "id": 7, "result": result})]);
}

#[test]
fn an_id_comes_back_as_it_was_written() {
    for id in ["\"a\\u0062c\"", "\"\"", "0", "-5", "9007199254740993123"] {
        let mut triple = Triple::initialized(config());
        let key = triple.call(id, "");
        triple.answer(&key, "");
        let line = triple.wire.last().unwrap();
        assert!(line.contains(&format!(r#""id":{id},"#)), "{line}");
    }
}

#[test]
fn a_cancelled_call_is_never_answered() {
    let mut triple = Triple::initialized(config());
    let key = triple.call("1", r#","_meta":{"progressToken":"p"}"#);
    triple.client(
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":"enough"}}"#,
    );
    assert!(triple.extension.is_cancelled(&key));
    let reasons = |event: &ExtensionEvent| matches!(event, ExtensionEvent::Cancelled { reason, .. } if reason == "enough");
    assert!(triple.extension_events.iter().any(reasons));
    triple.answer(&key, "too late");
    triple.pass(Duration::from_secs(60));
    assert_eq!(triple.received(), Vec::<Value>::new());
    // Its id is free again.
    let again = triple.call("1", "");
    triple.answer(&again, "now");
    assert_eq!(triple.received().len(), 1);
}

#[test]
fn a_cancel_of_what_is_not_open_means_nothing() {
    let mut triple = Triple::initialized(config());
    for id in ["1", "\"1\"", "null", "{}"] {
        triple.client(&format!(
            r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id}}}}}"#
        ));
    }
    assert_eq!(triple.received(), Vec::<Value>::new());
}

#[test]
fn updates_are_progress_where_a_token_came() {
    let mut triple = Triple::initialized(config());
    let key = triple.call("1", r#","_meta":{"progressToken":42}"#);
    let progress = Progress {
        done: Some(1.0),
        total: Some(3.0),
        message: Some("asking".to_owned()),
        unit: None,
    };
    triple.extension.update(&key, Update { progress: Some(progress), ..Update::default() });
    triple.pass(Duration::from_millis(100));
    let params = json!({"progressToken": 42, "progress": 1, "total": 3, "message": "asking"});
    assert_eq!(
        triple.received(),
        [json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": params})]
    );
    triple.answer(&key, "done");

    let key = triple.call("2", "");
    triple.extension.update(&key, Update::default());
    triple.pass(Duration::from_secs(60));
    assert_eq!(triple.received().len(), 2, "no token, no progress: {:?}", triple.wire);
}

#[test]
fn a_long_call_shows_that_it_goes_on() {
    let mut triple = Triple::initialized(config());
    let key = triple.call("1", r#","_meta":{"progressToken":"t"}"#);
    triple.pass(Duration::from_secs(61));
    let numbers: Vec<_> =
        triple.received().iter().map(|it| it["params"]["progress"].as_f64().unwrap()).collect();
    assert_eq!(numbers, [1.0, 2.0, 3.0]);
    triple.answer(&key, "done");
    triple.pass(Duration::from_secs(61));
    assert_eq!(triple.received().len(), 4);
}

#[test]
fn a_call_may_take_as_long_as_its_client_waits() {
    let mut triple = Triple::initialized(config());
    let key = triple.call("1", "");
    triple.pass(Duration::from_secs(3600));
    triple.answer(&key, "at last");
    assert_eq!(triple.received()[0]["result"]["content"][0]["text"], "at last");
}

#[test]
fn what_cannot_be_called_is_an_error_of_parameters() {
    let mut triple = Triple::initialized(config());
    for (params, word) in [
        (r#"{"name":"nobody"}"#, "unknown tool nobody"),
        ("{}", "params.name is missing"),
        (r#"{"name":5}"#, "params.name has to be a string"),
        (r#"{"name":"weather","arguments":[1]}"#, "not a JSON object"),
        ("[]", "params has to be an object"),
    ] {
        let answer = triple.request(&format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{params}}}"#
        ));
        assert_eq!(answer[0]["error"]["code"], -32602, "{params}");
        let message = answer[0]["error"]["message"].as_str().unwrap();
        assert!(message.contains(word), "{message}");
    }
    assert!(triple.extension_events.is_empty());
}

#[test]
fn an_extension_that_dies_fails_its_calls_in_words() {
    let mut triple = Triple::initialized(config());
    triple.call("1", "");
    triple.bridge.handle_extension_end("the extension ended with exit status 3", triple.now);
    triple.step();
    let result = &triple.received()[0]["result"];
    assert_eq!(result["isError"], true);
    assert!(result["content"][0]["text"].as_str().unwrap().contains("exit status 3"), "{result}");
}

#[test]
fn a_modern_call_says_that_it_is_complete_and_who_answered() {
    let mut triple = Triple::ready(config());
    let key = triple.call("1", &format!(",{MODERN}"));
    let value = RawJson::parse("[1,2]").unwrap();
    let result = ToolResult {
        structured_content: Some(value.clone()),
        ..ToolResult::new(
            key.id().clone(),
            vec![extline_protocol::frame::Content::text(value.get())],
        )
    };
    triple.extension.reply_tool(&key, result).unwrap();
    triple.step();
    assert_eq!(
        triple.received()[0]["result"],
        json!({
            "resultType": "complete",
            "content": [{"type": "text", "text": "[1,2]"}],
            "structuredContent": [1, 2],
            "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "weather", "version": "1.2.3"}},
        })
    );
}

#[test]
fn a_prompt_is_what_the_command_answers() {
    let mut config = config();
    config.registrations.command(command("Weather")).unwrap();
    let mut triple = Triple::initialized(config);
    triple.client(r#"{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"weather","arguments":{"args":"Berlin"}}}"#);
    let Some(ExtensionEvent::Command { key, command }) = triple.extension_events.last().cloned()
    else {
        panic!()
    };
    assert_eq!((command.name.as_str(), command.args.as_deref()), ("Weather", Some("Berlin")));
    let prompt = Some("Show the weather.".to_owned());
    let action = extline_protocol::frame::Action::Prompt;
    let response = CommandResponse { prompt, ..CommandResponse::new(key.id().clone(), action) };
    triple.extension.reply_command(&key, response).unwrap();
    triple.step();
    let content = json!({"type": "text", "text": "Show the weather."});
    assert_eq!(
        triple.received()[0]["result"],
        json!({"messages": [{"role": "user", "content": content}]})
    );

    triple.client(r#"{"jsonrpc":"2.0","id":2,"method":"prompts/get","params":{"name":"weather"}}"#);
    let key = triple.last_call();
    triple
        .extension
        .reply_command(&key, CommandResponse::error(key.id().clone(), "no such city"))
        .unwrap();
    triple.step();
    assert_eq!(triple.received()[1]["error"], json!({"code": -32603, "message": "no such city"}));
}
