//! The Python examples under a real zot, with the Python of the SDK's own tests.

use std::fs;
use std::io::{Write as _, stderr};
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::terminal::Terminal;
use crate::zot::Zot;

#[test]
#[ignore = "needs a zot: set ZOT_BIN"]
fn weather_python_answers_and_its_errors_reach_the_model() {
    let Some(zot) = zot_with("weather-python", "weather.py") else { return };
    let results = zot.play(&json!([
        {"call": ["weather", {"city": "Berlin"}]},
        {"call": ["weather", {"units": "f"}]},
        {"call": ["weather", {"city": "Atlantis"}]},
        {"call": ["bash", {"command": "echo rm -rf"}]},
        {"text": "done"},
    ]));
    assert_eq!(results[0].text, "Berlin: 16°C, fog");
    assert!(!results[0].is_error);
    assert!(results[1].is_error && results[1].text.contains("/city"), "{results:?}");
    assert!(results[2].is_error && results[2].text.contains("no such city"), "{results:?}");
    assert!(results[3].is_error && results[3].text.contains("refused: rm -rf"), "{results:?}");
    assert_eq!(results.len(), 4);
}

#[test]
#[ignore = "needs a zot: set ZOT_BIN"]
fn guard_python_blocks_with_its_reason_and_lets_others_through() {
    let Some(zot) = zot_with("guard-python", "guard.py") else { return };
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
fn notes_python_keeps_its_list_from_one_zot_to_the_next() {
    let Some(zot) = zot_with("notes-python", "notes.py") else { return };
    let add = json!([{"call": ["add_note", {"text": "milk"}]}, {"text": "done"}]);
    assert_eq!(zot.play(&add)[0].text, "1. milk");
    let list = json!([{"call": ["list_notes", {}]}, {"text": "done"}]);
    assert_eq!(zot.play(&list)[0].text, "1. milk");
}

#[test]
#[ignore = "needs a zot: set ZOT_BIN"]
fn notes_python_shows_its_panel_and_gets_the_keys() {
    let Some(zot) = zot_with("notes-python", "notes.py") else { return };
    let terminal = Terminal::start(&zot).expect("needs tmux, to have a terminal for zot");
    terminal.type_text("/notes");
    terminal.press("Enter");
    terminal.wait_for("none yet");
    terminal.type_text("a");
    terminal.type_text("milk");
    terminal.wait_for("> new: milk_");
    terminal.press("Enter");
    terminal.wait_for("> milk");
    terminal.wait_for("Notes (1)");
    terminal.press("Escape");
    terminal.wait_until("end of the panel", |screen| !screen.contains("Notes (1)"));
    let kept = fs::read_to_string(zot.extension_dir().join("notes.json")).unwrap();
    assert!(kept.contains("milk"), "{kept}");
}

/// A zot with that program of an example as its only extension. None where there is no Python with
/// the SDK: `scripts/test-python.sh` makes one.
fn zot_with(example: &str, program: &str) -> Option<Zot> {
    // target/debug/extline
    let builds = Path::new(env!("CARGO_BIN_EXE_extline")).parent().unwrap();
    let python = builds.parent().unwrap().join("python/bin/python");
    if !python.exists() {
        // Not by a macro, whose output is shown for tests that fail.
        let _ = writeln!(
            stderr(),
            "SKIPPED {example}: {} is missing; scripts/test-python.sh makes it",
            python.display()
        );
        return None;
    }
    let examples = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../examples"));
    let program = examples.join(example).join(program).canonicalize().unwrap();
    Some(Zot::with_command(example, &python, &[&program]))
}
