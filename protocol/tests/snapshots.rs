//! Every frame as its canonical line, committed: a change of the wire shows as a changed snapshot.
//!
//! Each snapshot holds two lines: the frame with nothing beyond what must be there, and the frame
//! with every member. `cargo insta review` accepts a change that is meant.

mod samples;

use std::collections::BTreeSet;
use std::path::Path;

use extline_protocol::frame::{AnyFrame, ExtensionFrame, HostFrame};
use extline_protocol::{Incoming, decode_text};
use serde_json::Value;

use samples::{Sample, extension_frames, host_frames, line};

#[test]
fn every_frame_of_an_extension_is_written_as_it_was() {
    compare_with_snapshots("extension", &extension_frames());
}

#[test]
fn every_frame_of_a_host_is_written_as_it_was() {
    compare_with_snapshots("host", &host_frames());
}

#[test]
fn every_type_has_a_sample_and_each_snapshot_a_type() {
    let mut expected = snapshot_names("extension", ExtensionFrame::TYPES);
    expected.extend(snapshot_names("host", HostFrame::TYPES));
    let mut sampled: BTreeSet<String> = BTreeSet::new();
    sampled.extend(extension_frames().iter().map(|s| format!("extension__{}", s.frame_type())));
    sampled.extend(host_frames().iter().map(|sample| format!("host__{}", sample.frame_type())));
    assert_eq!(sampled, expected, "the samples (left) against AnyFrame::TYPES (right)");

    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/snapshots");
    let files = std::fs::read_dir(folder).expect("tests/snapshots");
    let names = files.map(|file| file.expect("an entry").file_name());
    let files: BTreeSet<_> =
        names.filter_map(|name| Some(name.to_str()?.strip_suffix(".snap")?.to_owned())).collect();
    assert_eq!(files, expected, "the files of tests/snapshots (left) against the types (right)");
}

#[test]
fn a_full_sample_holds_every_member() {
    check_full(&extension_frames());
    check_full(&host_frames());
}

#[test]
fn every_sample_is_read_as_it_was_written() {
    check_round_trip(&extension_frames());
    check_round_trip(&host_frames());
}

fn compare_with_snapshots<F: AnyFrame>(direction: &str, samples: &[Sample<F>]) {
    insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
        for sample in samples {
            let lines = format!("{}\n{}", line(&sample.minimal), line(&sample.full));
            let name = format!("{direction}__{}", sample.frame_type());
            insta::assert_snapshot!(name, lines);
        }
    });
}

fn snapshot_names(direction: &str, types: &[&str]) -> BTreeSet<String> {
    types.iter().map(|frame_type| format!("{direction}__{frame_type}")).collect()
}

fn check_full<F: AnyFrame>(samples: &[Sample<F>]) {
    for (frame_type, schema) in F::schemas() {
        let sample = samples.iter().find(|sample| sample.frame_type() == frame_type);
        let sample = sample.unwrap_or_else(|| panic!("no sample of {frame_type}"));
        let full = serde_json::from_str(&line(&sample.full)).expect("a line is JSON");
        let minimal = serde_json::from_str(&line(&sample.minimal)).expect("a line is JSON");
        check_members(frame_type, &schema, &[&full]);
        check_required(frame_type, &schema, &minimal);
    }
}

/// Each property of the schema stands in one of the objects, and so on below.
fn check_members(path: &str, schema: &Value, objects: &[&Value]) {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else { return };
    for (name, property) in properties {
        let path = format!("{path}/{name}");
        let found: Vec<_> = objects.iter().filter_map(|object| object.get(name)).collect();
        assert!(!found.is_empty(), "{path} is missing in the full sample");
        match property.get("items") {
            Some(items) => {
                let elements = found.iter().filter_map(|value| value.as_array()).flatten();
                check_members(&path, items, &elements.collect::<Vec<_>>());
            }
            None => check_members(&path, property, &found),
        }
    }
}

fn check_required(frame_type: &str, schema: &Value, minimal: &Value) {
    for name in schema["required"].as_array().expect("a list of names") {
        let name = name.as_str().expect("a name");
        assert!(minimal.get(name).is_some(), "{frame_type}: {name} is required, and missing");
    }
}

fn check_round_trip<F>(samples: &[Sample<F>])
where
    F: AnyFrame + PartialEq + std::fmt::Debug,
{
    for frame in samples.iter().flat_map(|sample| [&sample.minimal, &sample.full]) {
        let Incoming::Frame(read) = decode_text::<F>(&line(frame)) else {
            panic!("{frame:?} is not read back")
        };
        assert_eq!(&read, frame);
    }
}
