//! The committed JSON Schema of the frames (protocol/schemas) against the committed snapshots
//! (protocol/tests/snapshots): what is written is what is described.

use std::path::{Path, PathBuf};

use jsonschema::Validator;
use serde_json::{Value, json};

const DIRECTIONS: [&str; 2] = ["extension", "host"];

#[test]
fn every_snapshot_matches_the_schema_of_its_direction() {
    for direction in DIRECTIONS {
        let validator = validator(&document(direction));
        let frames = snapshots(direction);
        assert!(frames.len() > 2 * 10, "{direction} has {} snapshots", frames.len());
        for frame in frames {
            let errors: Vec<_> =
                validator.iter_errors(&frame).map(|error| error.to_string()).collect();
            assert_eq!(errors, [""; 0], "{frame}");
        }
    }
}

#[test]
fn every_snapshot_matches_the_schema_of_its_type_and_of_no_other() {
    for direction in DIRECTIONS {
        let document = document(direction);
        let definitions = document["$defs"].as_object().unwrap();
        let frames = snapshots(direction);
        for (name, schema) in definitions {
            let validator = validator(schema);
            for frame in &frames {
                assert_eq!(validator.is_valid(frame), frame["type"] == **name, "{name}: {frame}");
            }
        }
    }
}

#[test]
fn what_no_peer_may_send_does_not_match() {
    let extension = validator(&document("extension"));
    let host = validator(&document("host"));
    let bad = [
        (&host, json!({"type": "tool_call", "id": "1"})),
        (&host, json!({"type": "tool_call", "id": "", "name": "x", "args": {}})),
        (&host, json!({"type": "tool_call", "id": 7, "name": "x", "args": {}})),
        (&host, json!({"type": "panel_resize", "panel_id": "p", "width": -1, "height": 1})),
        (&host, json!({"type": "tool_update", "id": "1", "seq": 1})),
        (&extension, json!({"type": "tool_result", "id": "1", "content": "text"})),
        (&extension, json!({"type": "tool_result", "id": "1", "content": [{"text": "x"}]})),
        (&extension, json!({"type": "tool_result", "id": "1", "content": [{"type": "image"}]})),
        (&extension, json!({"type": "tool_result", "id": "1", "content": [], "is_error": "no"})),
        (&extension, json!({"type": "tool_call", "id": "1", "name": "x", "args": {}})),
        (&extension, json!({"type": "quantum"})),
        (&extension, json!([])),
    ];
    for (validator, frame) in bad {
        assert!(!validator.is_valid(&frame), "{frame}");
    }
    let more = json!({"type": "ready", "a member of a later version": [1]});
    assert!(extension.is_valid(&more), "further members are always allowed");
}

fn validator(schema: &Value) -> Validator {
    jsonschema::draft202012::new(schema).unwrap_or_else(|error| panic!("{error}"))
}

fn document(direction: &str) -> Value {
    let text = std::fs::read_to_string(protocol(&format!("schemas/{direction}.json"))).unwrap();
    let document: Value = serde_json::from_str(&text).unwrap();
    assert!(jsonschema::draft202012::meta::is_valid(&document), "{direction}.json is no schema");
    document
}

/// The frames of a direction: each snapshot holds, behind its header, one in each line.
fn snapshots(direction: &str) -> Vec<Value> {
    let mut paths: Vec<_> = std::fs::read_dir(protocol("tests/snapshots"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.file_name().unwrap().to_str().unwrap().starts_with(direction))
        .filter(|path| path.extension().is_some_and(|extension| extension == "snap"))
        .collect();
    paths.sort();
    let lines = |path: &PathBuf| {
        let text = std::fs::read_to_string(path).unwrap();
        let (_, lines) = text.split_once("\n---\n").unwrap();
        lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect::<Vec<Value>>()
    };
    paths.iter().flat_map(lines).collect()
}

fn protocol(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join(path)
}
