//! The same bytes in other pieces mean the same.

use proptest::prelude::*;

use crate::harness::{MODERN, Triple, config};

/// A whole conversation, with mistakes.
fn script() -> String {
    let list = format!(r#"{{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{{{MODERN}}}}}"#);
    [
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{}}}"#,
        "\r",
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        &list,
        "{broken",
        r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"weather","arguments":{"city":"Zürich 😀"}}}"#,
        r#"{"jsonrpc":"2.0","id":"4","method":"ping"}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}"#,
        r#"{"jsonrpc":"2.0","id":5,"method":"nothing"}"#,
    ]
    .join("\n")
}

fn played(cuts: &[usize]) -> Vec<String> {
    let mut triple = Triple::ready(config());
    let script = script();
    let mut rest = script.as_bytes();
    for cut in cuts {
        let (chunk, later) = rest.split_at((*cut).min(rest.len()));
        triple.bridge.handle_client(chunk, triple.now);
        triple.step();
        rest = later;
    }
    triple.bridge.handle_client(rest, triple.now);
    triple.step();
    triple.eof();
    triple.wire
}

proptest! {
    #[test]
    fn any_chunking_of_a_conversation_has_the_same_answers(cuts in prop::collection::vec(0..120_usize, 0..40)) {
        prop_assert_eq!(played(&cuts), played(&[]));
    }

    #[test]
    fn no_line_of_a_client_breaks_the_server(line in "\\PC*", id in any::<i64>()) {
        let mut triple = Triple::initialized(config());
        triple.client(&line);
        let quoted = serde_json::to_string(&line).unwrap();
        triple.client(&format!(r#"{{"jsonrpc":"2.0","id":{id},"method":{quoted},"params":{{"name":{quoted}}}}}"#));
        let answer = triple.request(r#"{"jsonrpc":"2.0","id":"last","method":"ping"}"#);
        prop_assert_eq!(&answer[0]["id"], "last");
    }
}
