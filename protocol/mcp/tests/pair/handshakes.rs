//! The first messages, in both eras and in any order.

use serde_json::{Value, json};

use crate::harness::{MODERN, Triple, command, config};

fn initialize(version: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":0,"method":"initialize","params":{{"protocolVersion":"{version}","capabilities":{{}},"clientInfo":{{"name":"t","version":"1"}}}}}}"#
    )
}

#[test]
fn initialize_is_answered_with_the_revision_that_was_asked_for() {
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let answer = Triple::ready(config()).request(&initialize(version));
        assert_eq!(
            answer,
            [json!({"jsonrpc": "2.0", "id": 0, "result": {
                "protocolVersion": version,
                "capabilities": {"logging": {}, "tools": {"listChanged": true}},
                "serverInfo": {"name": "weather", "version": "1.2.3"},
            }})]
        );
    }
}

#[test]
fn a_revision_that_nobody_knows_is_answered_with_the_newest_that_has_a_handshake() {
    let answer = Triple::ready(config()).request(&initialize("2030-01-01"));
    assert_eq!(answer[0]["result"]["protocolVersion"], "2025-11-25");
}

#[test]
fn discover_needs_no_state_and_leaves_none() {
    let mut triple = Triple::ready(config());
    let answer = triple.request(&format!(
        r#"{{"jsonrpc":"2.0","id":"d","method":"server/discover","params":{{{MODERN}}}}}"#
    ));
    assert_eq!(
        answer[0]["result"],
        json!({
            "resultType": "complete",
            "supportedVersions": ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"],
            "capabilities": {"tools": {"listChanged": true}},
            "ttlMs": 60000,
            "cacheScope": "private",
            "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "weather", "version": "1.2.3"}},
        })
    );
    // A client that probed may go on with a handshake.
    assert_eq!(
        triple.request(&initialize("2025-06-18"))[0]["result"]["protocolVersion"],
        "2025-06-18"
    );
}

#[test]
fn both_eras_are_served_on_one_stream() {
    let mut triple = Triple::initialized(config());
    let legacy = &triple.request(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#)[0]["result"];
    assert!(legacy.get("resultType").is_none() && legacy.get("ttlMs").is_none(), "{legacy}");
    let modern = triple.request(&format!(
        r#"{{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{{{MODERN}}}}}"#
    ));
    assert_eq!(modern[0]["result"]["resultType"], "complete");
    assert_eq!(modern[0]["result"]["tools"], legacy["tools"]);
}

#[test]
fn what_comes_before_the_extension_is_ready_waits_in_order() {
    let mut triple = Triple::new(config());
    triple.client(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#);
    triple.client(&initialize("2025-06-18"));
    triple.client(r#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#);
    assert_eq!(triple.received(), Vec::<Value>::new());
    triple.extension.ready();
    triple.step();
    let ids: Vec<_> = triple.received().iter().map(|answer| answer["id"].clone()).collect();
    assert_eq!(ids, [json!(1), json!(0), json!(2)]);
}

#[test]
fn a_revision_in_meta_that_is_not_spoken_is_refused_with_those_that_are() {
    let mut triple = Triple::ready(config());
    for version in ["1900-01-01", "2025-06-18"] {
        let line =
            format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{{{MODERN}}}}}"#);
        let answer = triple.request(&line.replace("2026-07-28", version));
        assert_eq!(answer[0]["error"]["code"], -32022);
        assert_eq!(answer[0]["error"]["data"]["requested"], version);
        assert_eq!(answer[0]["error"]["data"]["supported"][0], "2026-07-28");
    }
}

#[test]
fn a_request_of_the_modern_era_names_what_its_client_can_do() {
    let line =
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{{{MODERN}}}}}"#);
    let line = line.replace(r#""io.modelcontextprotocol/clientCapabilities":{},"#, "");
    let answer = Triple::ready(config()).request(&line);
    assert_eq!(answer[0]["error"]["code"], -32602);
    let bare = r#"{"jsonrpc":"2.0","id":1,"method":"server/discover"}"#;
    assert_eq!(Triple::ready(config()).request(bare)[0]["error"]["code"], -32602);
}

#[test]
fn prompts_are_offered_where_there_are_commands() {
    let mut config = config();
    config.registrations.command(command("weather")).unwrap();
    let answer = Triple::ready(config).request(&initialize("2025-06-18"));
    assert_eq!(answer[0]["result"]["capabilities"]["prompts"], json!({"listChanged": true}));
}
