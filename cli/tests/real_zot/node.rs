//! The TypeScript and JavaScript examples under a real zot: copies of their folders, started as
//! their `extension.json` says.

use std::fs;
use std::io::{Write as _, stderr};
use std::path::Path;
use std::process::Command;

use serde_json::json;

use crate::terminal::Terminal;
use crate::zot::Zot;

#[test]
#[ignore = "needs a zot: set ZOT_BIN"]
fn weather_typescript_answers_and_its_errors_reach_the_model() {
    let Some(zot) = zot_with("weather-typescript") else { return };
    let results = zot.play(&json!([
        {"call": ["weather", {"city": "Berlin"}]},
        {"call": ["weather", {"units": "f"}]},
        {"text": "done"},
    ]));
    assert_eq!(results[0].text, "Berlin: 16°C, fog");
    assert!(!results[0].is_error);
    assert!(results[1].is_error && results[1].text.contains("/city"), "{results:?}");
    assert_eq!(results.len(), 2);
}

#[test]
#[ignore = "needs a zot: set ZOT_BIN"]
fn hello_javascript_answers() {
    let Some(zot) = zot_with("hello-javascript") else { return };
    let results = zot.play(&json!([
        {"call": ["hello", {"who": "Ada"}]},
        {"call": ["hello", {"who": ""}]},
        {"text": "done"},
    ]));
    assert_eq!(results[0].text, "Hello, Ada!");
    assert!(results[1].is_error && results[1].text.contains("/who"), "{results:?}");
}

#[test]
#[ignore = "needs a zot: set ZOT_BIN"]
fn guard_typescript_blocks_with_its_reason_and_lets_others_through() {
    let Some(zot) = zot_with("guard-typescript") else { return };
    let results = zot.play(&json!([
        {"call": ["bash", {"command": "git  push '--force' nowhere"}]},
        {"call": ["bash", {"command": "echo still here"}]},
        {"text": "done"},
    ]));
    assert!(
        results[0].is_error && results[0].text.contains("use --force-with-lease"),
        "{results:?}"
    );
    assert!(!results[1].is_error && results[1].text.contains("still here"), "{results:?}");
}

#[test]
#[ignore = "needs a zot: set ZOT_BIN"]
fn scratchpad_typescript_keeps_its_lines_and_shows_its_panel() {
    let Some(zot) = zot_with("scratchpad-typescript") else { return };
    let add =
        json!([{"call": ["scratchpad", {"action": "add", "text": "milk"}]}, {"text": "done"}]);
    assert_eq!(zot.play(&add)[0].text, "1. milk");

    let terminal = Terminal::start(&zot).expect("needs tmux, to have a terminal for zot");
    terminal.type_text("/scratchpad");
    terminal.press("Enter");
    terminal.wait_for("> milk");
    terminal.type_text("a");
    terminal.type_text("bread");
    terminal.wait_for("> new: bread_");
    terminal.press("Enter");
    terminal.wait_for("> bread");
    terminal.wait_for("Scratchpad (2)");
    terminal.press("Escape");
    terminal.wait_until("end of the panel", |screen| !screen.contains("Scratchpad (2)"));
    let kept = fs::read_to_string(zot.extension_dir().join("scratchpad.json")).unwrap();
    assert!(kept.contains("bread"), "{kept}");
}

/// A zot with that example as its only extension. None where the Node SDK is not built:
/// `scripts/test-node.sh` builds it.
fn zot_with(example: &str) -> Option<Zot> {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
    let sdk = root.join("sdk-node");
    if !sdk.join("dist/index.js").exists() || !sdk.join("node_modules").exists() {
        // Not by a macro, whose output is shown for tests that fail.
        let _ = writeln!(
            stderr(),
            "SKIPPED {example}: the Node SDK is not built; scripts/test-node.sh builds it"
        );
        return None;
    }
    let zot = Zot::with_copy(&root.join("examples").join(example));
    let mut link = Command::new("node");
    link.arg(sdk.join("scripts/link.mjs")).arg(zot.extension_dir()).args(["tsx", "zod"]);
    assert!(link.status().unwrap().success());
    Some(zot)
}
