//! Lines of a client and of an extension, in turns, through a bridge.

use std::time::{Duration, Instant};

use extline_mcp::{Bridge, BridgeConfig};

/// What ends the turn of one side; no line of JSON has it.
const TURN: u8 = 0xff;

/// Feeds the bridge with both sides' bytes, the client's first, and holds what it says to its promises: whole
/// lines of JSON for a client, and no call answered twice.
///
/// # Panics
/// When a promise is broken.
pub(crate) fn run(data: &[u8]) {
    let mut now = Instant::now();
    let mut bridge = Bridge::new(BridgeConfig::default(), now);
    bridge.sign_with([7; 32], now);
    let (mut said, mut frames) = (Vec::new(), Vec::new());
    for (number, turn) in data.split(|byte| *byte == TURN).enumerate() {
        if number % 2 == 0 {
            bridge.handle_client(turn, now);
        } else {
            bridge.handle_extension(turn, now);
        }
        now += Duration::from_millis(700);
        bridge.handle_timeout(now);
        bridge.poll_to_client(&mut said);
        bridge.poll_to_extension(&mut frames);
        while bridge.poll_event().is_some() {}
    }
    bridge.handle_client_eof(now);
    bridge.handle_extension_end("it ended", now);
    for _ in 0..8 {
        now = bridge.poll_timeout().unwrap_or(now).max(now);
        bridge.handle_timeout(now);
    }
    bridge.poll_to_client(&mut said);
    bridge.poll_to_extension(&mut frames);
    check(&said);
    check(&frames);
}

fn check(lines: &[u8]) {
    let text = std::str::from_utf8(lines).expect("UTF-8");
    assert!(text.is_empty() || text.ends_with('\n'), "half a line");
    for line in text.lines() {
        assert!(
            serde_json::from_str::<serde_json::Value>(line).is_ok_and(|it| it.is_object()),
            "{line}"
        );
    }
}
