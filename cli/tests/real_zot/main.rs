//! The examples under a real zot, which this repository does not bring: `ZOT_BIN` names one.
//!
//! What a guard blocks here does no harm where it is not blocked.

#![cfg(unix)]

mod c;
#[path = "../support/c_library.rs"]
mod c_library;
mod host;
mod model;
mod node;
mod python;
#[path = "../support/mod.rs"]
mod support;
mod terminal;
mod zot;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use serde_json::json;

use support::built;
use terminal::Terminal;
use zot::Zot;

#[test]
#[ignore = "needs a zot: set ZOT_BIN"]
fn weather_rust_answers_and_its_errors_reach_the_model() {
    let zot = Zot::with("weather-rust", &built("weather-rust"));
    let results = zot.play(&json!([
        {"call": ["weather", {"city": "Berlin"}]},
        {"call": ["weather", {}]},
        {"call": ["weather", {"city": "Atlantis"}]},
        {"text": "done"},
    ]));
    assert_eq!(results[0].text, "Berlin: 16°C, fog");
    assert!(!results[0].is_error);
    assert!(results[1].is_error && results[1].text.contains("/city"), "{results:?}");
    assert!(results[2].is_error && results[2].text.contains("no such city"), "{results:?}");
    assert_eq!(results.len(), 3);
}

#[test]
#[ignore = "needs a zot: set ZOT_BIN"]
fn guard_rust_blocks_with_its_reason_and_gives_a_timeout() {
    let guard = built("guard-rust");
    let folder = tempfile::tempdir().unwrap();
    let zot = Zot::with("guard-rust", &recorded(folder.path(), &guard));
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
    let said = fs::read_to_string(folder.path().join("said")).unwrap();
    let rewritten = r#""modified_args":{"command":"echo still here","timeout":120}"#;
    assert!(said.contains(rewritten), "{said}");
}

#[test]
#[ignore = "needs a zot: set ZOT_BIN"]
fn todo_rust_keeps_its_list_from_one_zot_to_the_next() {
    let zot = Zot::with("todo-rust", &built("todo-rust"));
    let add = json!([{"call": ["todo", {"action": "add", "text": "ship"}]}, {"text": "done"}]);
    assert_eq!(zot.play(&add)[0].text, "1. [ ] ship");
    assert!(zot.extension_dir().join("todos.json").exists());
    let done = json!([{"call": ["todo", {"action": "done", "number": 1}]}, {"text": "done"}]);
    assert_eq!(zot.play(&done)[0].text, "1. [x] ship");
}

#[test]
#[ignore = "needs a zot: set ZOT_BIN"]
fn todo_rust_shows_its_panel_and_gets_the_keys() {
    let zot = Zot::with("todo-rust", &built("todo-rust"));
    let Some(terminal) = Terminal::start(&zot) else {
        panic!("needs tmux, to have a terminal for zot");
    };
    terminal.type_text("/todo");
    terminal.press("Enter");
    terminal.wait_for("nothing to do");
    terminal.type_text("a");
    terminal.type_text("ship");
    terminal.wait_for("> new: ship_");
    terminal.press("Enter");
    terminal.wait_for("> [ ] ship");
    terminal.type_text(" ");
    terminal.wait_for("> [x] ship");
    terminal.wait_for("Todos, 0 of 1 open");
    terminal.press("Escape");
    terminal.wait_until("end of the panel", |screen| !screen.contains("[x] ship"));
    let list = fs::read_to_string(zot.extension_dir().join("todos.json")).unwrap();
    assert!(list.contains(r#""done": true"#), "{list}");
}

#[test]
#[ignore = "needs a zot: set ZOT_BIN"]
fn a_tapped_extension_answers_as_ever_and_its_trace_is_checked_played_again_and_a_mock() {
    let weather = built("weather-rust");
    let folder = tempfile::tempdir().unwrap();
    let (script, trace) = (folder.path().join("tapped"), folder.path().join("t.ndjson"));
    let (extline, file) = (env!("CARGO_BIN_EXE_extline"), trace.to_str().unwrap());
    let tapped =
        format!("#!/bin/sh\nexec '{extline}' tap --trace '{file}' -- '{}'\n", weather.display());
    fs::write(&script, tapped).unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    let zot = Zot::with("weather-rust", &script);
    let results = zot.play(&json!([{"call": ["weather", {"city": "Berlin"}]}, {"text": "done"}]));
    assert_eq!(results[0].text, "Berlin: 16°C, fog");
    drop(zot);

    let text = fs::read_to_string(&trace).unwrap();
    assert!(text.contains(r#""event":"exit","code":0"#), "it ended in order: {text}");
    let extline = support::Extline::new();
    extline.run(&["conformance", "check", file]).assert_code(0);
    let again = ["conformance", "replay", file, "--", weather.to_str().unwrap()];
    extline.run(&again).assert_code(0);

    // In place of the extension, as its trace has it.
    let command = Path::new(env!("CARGO_BIN_EXE_extline"));
    let zot = Zot::with_command("weather-rust", command, &[Path::new("mock"), &trace]);
    let results = zot.play(&json!([
        {"call": ["weather", {"city": "Berlin"}]},
        {"call": ["weather", {"city": "Rome"}]},
        {"text": "done"},
    ]));
    assert_eq!(results[0].text, "Berlin: 16°C, fog");
    let missing = r#"the mock has no answer of weather to {"city":"Rome"}"#;
    assert!(results[1].is_error && results[1].text.contains(missing), "{results:?}");
}

/// A script that becomes the program; what that says goes to the host and into `said`.
fn recorded(folder: &Path, program: &Path) -> PathBuf {
    let script = folder.join("recorded.sh");
    let (folder, program) = (folder.display(), program.display());
    let text = format!(
        "#!/bin/sh\nmkfifo '{folder}/pipe' || exit 1\ntee '{folder}/said' <'{folder}/pipe' &\n\
         exec '{program}' >'{folder}/pipe'\n"
    );
    fs::write(&script, text).unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    script
}
