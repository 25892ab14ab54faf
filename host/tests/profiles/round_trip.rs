//! A trace that this host wrote, through the replay of the recordings: what a host writes down is
//! as good as what was recorded of a zot.

#[path = "../../../protocol/tests/replay/extension.rs"]
mod extension;
#[path = "../../../protocol/tests/replay/host.rs"]
mod host;
#[path = "../../../protocol/tests/replay/trace.rs"]
mod trace;

use std::collections::BTreeMap;

use extline_host::protocol::Profile;
use extline_host::protocol::frame::{EventPayload, ExtensionFrame, HostFrame};
use serde_json::json;

use self::trace::{Side, Trace};
use crate::scripted::{Stage, end, ok, send, start, tool};

type Counts = BTreeMap<String, usize>;

#[derive(Debug, Default)]
struct Replay {
    arrived: Counts,
    notices: Vec<String>,
    written: Vec<String>,
}

#[tokio::test]
async fn a_trace_of_this_host_replays_like_a_recording() {
    let command = json!({"type": "register_command", "name": "greet", "description": "greets"});
    let wants = json!({"type": "subscribe", "events": ["turn_start"], "intercept": ["turn_start"]});
    let let_pass = send(&json!({"type": "event_intercept_response", "id": "$ID"}));
    let say = json!({"type": "command_response", "id": "$ID", "action": "noop"});
    let script = json!({
        "start": start(&[tool("run"), command, wants]),
        "on": {
            "tool_call": [json!({"raw": "not a frame"}), ok()],
            "event_intercept": [let_pass],
            "command_invoked": [send(&say)],
        },
    });
    let stage = Stage::new(Profile::zot_0_1_62()).with("x", &script);
    let host = stage.start().await;
    host.emit("turn_start", EventPayload { step: Some(1), ..EventPayload::default() });
    host.intercept_turn_start(1).await.unwrap();
    let long = json!({"data": "x".repeat(40_000), "html": "<&>"});
    host.call("run", &long.to_string()).await.unwrap();
    host.command("greet", "you").await.unwrap();
    end(host).await;

    let text = std::fs::read_to_string(stage.folder().join("trace.ndjson")).unwrap();
    let trace = Trace::read("trace.ndjson", &text);
    let of_host = host::replay(&trace);
    let lines: Vec<_> = trace.lines(Side::Host).collect();
    assert_eq!(of_host.written, lines, "a session in virtual time writes the same");
    assert_eq!(of_host.arrived, trace.counts::<ExtensionFrame>(Side::Extension));
    assert!(of_host.notices[0].contains("not a frame"), "{:?}", of_host.notices);
    let of_extension = extension::replay(&trace);
    assert_eq!(of_extension.arrived, trace.counts::<HostFrame>(Side::Host));
    assert_eq!(of_extension.notices, Vec::<String>::new());
}
