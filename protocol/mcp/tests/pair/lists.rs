//! Lists, and how clients hear that they changed.

use extline_protocol::RawJson;
use serde_json::json;

use crate::harness::{MODERN, Triple, command, config, tool};

#[test]
fn tools_are_listed_in_the_order_of_registration() {
    let mut config = config();
    config.registrations.tool(tool("alpha", "{\"type\":\"object\"}")).unwrap();
    let mut triple = Triple::initialized(config);
    let first = triple.request(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#);
    assert_eq!(
        first[0]["result"],
        json!({"tools": [
            {
                "name": "weather",
                "description": "What weather does.",
                "inputSchema": {"type": "object", "properties": {"city": {"type": "string"}}},
            },
            {"name": "alpha", "description": "What alpha does.", "inputSchema": {"type": "object"}},
        ]})
    );
    let lines: Vec<_> = triple.wire.iter().filter(|line| line.starts_with('<')).cloned().collect();
    triple.request(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#);
    assert_eq!(triple.wire.last(), lines.last(), "byte by byte the same");
}

#[test]
fn prompts_are_listed_with_their_one_argument() {
    let mut config = config();
    config.registrations.command(command("weather")).unwrap();
    let mut triple = Triple::initialized(config);
    let answer = triple.request(r#"{"jsonrpc":"2.0","id":1,"method":"prompts/list"}"#);
    let argument = json!({"name": "args", "description": "CITY", "required": false});
    assert_eq!(
        answer[0]["result"]["prompts"],
        json!([{"name": "weather", "description": "the weather", "arguments": [argument]}])
    );
}

#[test]
fn without_commands_there_are_no_prompts() {
    let mut triple = Triple::initialized(config());
    let answer = triple.request(r#"{"jsonrpc":"2.0","id":1,"method":"prompts/list"}"#);
    assert_eq!(answer[0]["error"]["code"], -32601);
}

#[test]
fn a_tool_that_comes_later_is_told_to_a_session() {
    let mut triple = Triple::initialized(config());
    triple.extension.register_tool(&tool("late", "{\"type\":\"object\"}")).unwrap();
    triple.step();
    assert_eq!(
        triple.received(),
        [json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})]
    );
    let answer = triple.request(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#);
    assert_eq!(answer[0]["result"]["tools"][1]["name"], "late");
    triple.extension.unregister_tool("late").unwrap();
    triple.step();
    assert_eq!(triple.received().len(), 3);
}

#[test]
fn the_modern_era_hears_of_changes_only_where_it_listens() {
    let mut triple = Triple::ready(config());
    let listen = |id: &str, wants: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"subscriptions/listen","params":{{{MODERN},"notifications":{wants}}}}}"#
        )
    };
    let id = "io.modelcontextprotocol/subscriptionId";
    let acknowledged =
        triple.request(&listen("1", r#"{"toolsListChanged":true,"promptsListChanged":true}"#));
    assert_eq!(
        acknowledged,
        [json!({
            "jsonrpc": "2.0",
            "method": "notifications/subscriptions/acknowledged",
            "params": {"_meta": {id: 1}, "notifications": {"toolsListChanged": true}},
        })]
    );
    triple.client(&listen("\"two\"", "{}"));
    let before = triple.wire.len();
    triple.extension.register_tool(&tool("late", "{\"type\":\"object\"}")).unwrap();
    triple.step();
    assert_eq!(
        triple.received_since(before),
        [json!({
            "jsonrpc": "2.0",
            "method": "notifications/tools/list_changed",
            "params": {"_meta": {id: 1}},
        })]
    );
    triple
        .client(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#);
    let before = triple.wire.len();
    triple.extension.unregister_tool("late").unwrap();
    triple.step();
    assert!(triple.received_since(before).is_empty());
    // What still listens is ended in order.
    triple.eof();
    let last = triple.received_since(before);
    assert_eq!(last[0]["id"], "two");
    assert_eq!(last[0]["result"]["_meta"][id], "two");
}

#[test]
fn alternatives_at_the_root_are_taken_off_and_said() {
    let mut triple = Triple::initialized(config());
    triple.extension.register_tool(&tool("odd", r#"{"anyOf":[{"properties":{"a":{}}}]}"#)).unwrap();
    triple.step();
    assert!(triple.said.iter().any(|line| line.contains("anyOf")), "{:?}", triple.said);
    let answer = triple.request(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#);
    assert_eq!(
        answer[0]["result"]["tools"][1]["inputSchema"],
        json!({"type": "object", "properties": {"a": {}}})
    );
}

#[test]
fn a_schema_whose_references_lead_nowhere_is_not_shown_and_that_is_said() {
    let nowhere = r##"{"type":"object","properties":{"a":{"$ref":"#/$defs/A"}}}"##;
    let mut triple = Triple::initialized(config());
    triple.extension.register_tool(&tool("lost", nowhere)).unwrap();
    let mut known = tool("known", r#"{"type":"object"}"#);
    known.output_schema = Some(RawJson::parse(nowhere).unwrap());
    triple.extension.register_tool(&known).unwrap();
    triple.step();
    let lost = "the reference #/$defs/A at /properties/a/$ref leads nowhere in its schema";
    for part in [lost, "tool known: its output schema is not shown"] {
        assert!(triple.said.iter().any(|line| line.contains(part)), "{:?}", triple.said);
    }
    let answer = triple.request(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#);
    let tools = answer[0]["result"]["tools"].as_array().unwrap();
    assert!(tools.iter().all(|tool| tool["name"] != "lost"));
    assert!(tools.iter().any(|tool| tool["name"] == "known" && tool["outputSchema"].is_null()));
}
