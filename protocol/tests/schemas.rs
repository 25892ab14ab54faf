//! The JSON Schema of every frame, one document for each direction, generated from the types and
//! committed in schemas/ for people and tools that do not read Rust.

use std::path::{Path, PathBuf};

use extline_protocol::frame::{AnyFrame, ExtensionFrame, HostFrame};
use serde_json::{Value, json};

#[test]
fn the_schema_of_an_extension_s_frames_is_up_to_date() {
    compare_or_write("extension", &document::<ExtensionFrame>("from an extension to a host"));
}

#[test]
fn the_schema_of_a_host_s_frames_is_up_to_date() {
    compare_or_write("host", &document::<HostFrame>("from a host to an extension"));
}

#[test]
fn a_document_has_each_type_once_and_says_what_it_requires() {
    let document = document::<HostFrame>("from a host to an extension");
    let choices = document["oneOf"].as_array().expect("a list");
    assert_eq!(choices.len(), HostFrame::TYPES.len());
    assert_eq!(document["$defs"].as_object().expect("an object").len(), HostFrame::TYPES.len());
    let call = &document["$defs"]["tool_call"];
    assert_eq!(call["required"], json!(["type", "id", "name"]));
    assert_eq!(call["properties"]["type"], json!({"const": "tool_call"}));
    assert_eq!(call["properties"]["id"]["minLength"], 1);
}

fn document<F: AnyFrame>(direction: &str) -> Value {
    let choices: Vec<_> =
        F::TYPES.iter().map(|name| json!({"$ref": format!("#/$defs/{name}")})).collect();
    let definitions: serde_json::Map<_, _> =
        F::schemas().into_iter().map(|(name, schema)| (name.to_owned(), schema)).collect();
    let mut document = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": format!("A frame {direction}"),
        "oneOf": choices,
        "$defs": definitions,
    });
    // The order must not depend on the features other crates of a build turn on.
    document.sort_all_objects();
    document
}

fn compare_or_write(name: &str, document: &Value) {
    let path = file(name);
    let mut text = serde_json::to_string_pretty(document).expect("a value can be written");
    text.push('\n');
    if std::env::var_os("EXTLINE_GENERATE").is_some() {
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("the folder is made");
        std::fs::write(&path, text).expect("the file is written");
        return;
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        committed == text,
        "protocol/schemas/{name}.json differs from the frames in protocol/src/frame: \
         run `make generate` (or EXTLINE_GENERATE=1 cargo test -p extline-protocol --test schemas) \
         and commit the file"
    );
}

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas").join(format!("{name}.json"))
}
