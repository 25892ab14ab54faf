//! A schema that an extension registers, any bytes, and behind a line of `---` the arguments of a call:
//! both are taken or refused in words, within the steps and the memory that are named.

use extline_protocol::{RawJson, shown};
use extline_schema::{ToolSchema, Violation};
use serde_json::Value;

/// What one schema may take in memory, as its limits promise: a small part of what an extension has.
const MEMORY: usize = 32 << 20;

/// A message is read by a person; it holds a few values of the schema at most.
const MESSAGE_BYTES: usize = 16 << 10;

pub(crate) fn run(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let (schema, args) = text.split_once("\n---\n").unwrap_or((&text, "{}"));
    let Ok(schema) = RawJson::parse(schema) else { return };
    let compiled = ToolSchema::compile(&schema);
    if let Some(quick) = ToolSchema::compile_if_quick(&schema) {
        assert_eq!(quick.is_ok(), compiled.is_ok(), "{schema}");
    }
    let compiled = match compiled {
        Ok(compiled) => compiled,
        Err(error) => return assert_in_words(&error.to_string()),
    };
    let Ok(args) = RawJson::parse(args) else { return };
    let verdict = compiled.validate(&args);
    if let Some(quick) = compiled.validate_if_quick(&args) {
        assert_eq!(quick, verdict, "{args} of {schema}");
    }
    if let Err(violation) = verdict {
        assert_in_words(&violation.to_string());
        assert_leads_into(&args, &violation);
    }
    assert!(compiled.memory() < MEMORY, "{} bytes for {schema}", compiled.memory());
}

fn assert_in_words(message: &str) {
    assert!(!message.is_empty() && message.len() < MESSAGE_BYTES, "{message}");
    // What is shown of it can be shown again.
    let once = shown(message);
    assert_eq!(shown(&once), once);
}

/// What is wrong is where the error says, or is missing there.
fn assert_leads_into(args: &RawJson, violation: &Violation) {
    let Ok(value) = args.to::<Value>() else { return };
    let holder = violation.pointer.rsplit_once('/').map_or("", |(holder, _)| holder);
    assert!(value.pointer(holder).is_some(), "{violation} is not in {args}");
}
