//! `docs/protocol/services.json`, for people and tools that do not read Rust.

use std::path::Path;

use extline_services::view::View;
use extline_services::{EXTENSION_METHODS, METHODS};
use serde_json::{Map, Value, json};

#[test]
fn the_document_is_up_to_date() {
    let mut document = json!({
        "title": "What a host may serve its extensions by request, and they it",
        "extension_methods": EXTENSION_METHODS.iter().map(method).collect::<Map<_, _>>(),
        "methods": METHODS.iter().map(method).collect::<Map<_, _>>(),
        "view": plain(schemars::schema_for!(View)),
    });
    document.sort_all_objects();
    let mut text = serde_json::to_string_pretty(&document).unwrap();
    text.push('\n');
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/protocol/services.json");
    if std::env::var_os("EXTLINE_GENERATE").is_some() {
        std::fs::write(path, text).unwrap();
        return;
    }
    let committed = std::fs::read_to_string(path).unwrap_or_default();
    assert!(
        committed == text,
        "docs/protocol/services.json differs from protocol/services: run `make generate`"
    );
}

fn method(method: &extline_services::Entry) -> (String, Value) {
    let mut described = json!({
        "description": method.what,
        "waits_for_person": method.waits_for_person,
        "params": plain((method.params)()),
        "result": plain((method.result)()),
    });
    if let Some(part) = method.part {
        described["part"] = plain(part());
    }
    (method.name.to_owned(), described)
}

/// A schema without the title that Rust's name of the type is.
fn plain(schema: impl Into<Value>) -> Value {
    let mut schema = schema.into();
    if let Some(members) = schema.as_object_mut() {
        members.remove("title");
    }
    schema
}

#[test]
fn answers_are_read_as_they_are_written() {
    use extline_services::ui::{Answer, Confirmed, Dismissal, Selected};

    let read = |text: &str| serde_json::from_str::<Answer<Confirmed>>(text).unwrap();
    assert_eq!(read(r#"{"confirmed":true}"#), Answer::Given(Confirmed { confirmed: true }));
    let headless = Answer::Dismissed { dismissed: Dismissal::Headless };
    assert_eq!(read(r#"{"dismissed":"headless"}"#), headless);
    assert_eq!(serde_json::to_string(&headless).unwrap(), r#"{"dismissed":"headless"}"#);
    let several: Selected = serde_json::from_str(r#"{"values":["a"]}"#).unwrap();
    assert_eq!(several, Selected::Several { values: vec!["a".to_owned()] });
}
