//! JSON that people write, read strictly: no key twice, no depth without end, no text without end.

use std::collections::HashSet;

use extline_protocol::limits::MODEL_ARGS_DEPTH;
use extline_protocol::pointer::join;
use extline_protocol::{Elements, Members};
use serde_json::{Map, Value};

use crate::config_fault::ConfigFault;

/// The most bytes of the configuration of one extension, as JSON.
pub const CONFIG_BYTES: usize = 256 * 1024;

/// Reads an object. NaN, Infinity and comments are no JSON.
pub(super) fn read_object(text: &str) -> Result<Map<String, Value>, ConfigFault> {
    match read_value(text)? {
        Value::Object(members) => Ok(members),
        other => {
            Err(ConfigFault::new("", format!("must be an object, and is {}", excerpt(&other))))
        }
    }
}

/// Reads any value.
pub(super) fn read_value(text: &str) -> Result<Value, ConfigFault> {
    let text = text.trim_start_matches('\u{feff}').trim();
    if text.len() > CONFIG_BYTES {
        let message =
            format!("has {} bytes, and a configuration has at most {CONFIG_BYTES}", text.len());
        return Err(ConfigFault::new("", message));
    }
    let value = serde_json::from_str(text)
        .map_err(|error| ConfigFault::new("", format!("is not JSON: {error}")))?;
    check(text, "", 1)?;
    Ok(value)
}

/// Whether a value is small enough with all others, and the fault where it is not.
pub(super) fn check_size(config: &Map<String, Value>) -> Result<String, ConfigFault> {
    let text = serde_json::to_string(config)
        .map_err(|error| ConfigFault::new("", format!("cannot be written: {error}")))?;
    if text.len() > CONFIG_BYTES {
        let message =
            format!("has {} bytes, and a configuration has at most {CONFIG_BYTES}", text.len());
        return Err(ConfigFault::new("", message));
    }
    Ok(text)
}

fn check(text: &str, pointer: &str, depth: usize) -> Result<(), ConfigFault> {
    if depth > MODEL_ARGS_DEPTH {
        let message = format!("nests more than {MODEL_ARGS_DEPTH} levels deep");
        return Err(ConfigFault::new("", message));
    }
    if let Some(members) = Members::of(text) {
        let mut seen = HashSet::new();
        for member in members.iter() {
            let key = member.key();
            let at = join(pointer, &key);
            if !seen.insert(key) {
                return Err(ConfigFault::new(at, "stands there twice"));
            }
            check(member.value, &at, depth + 1)?;
        }
    } else if let Some(elements) = Elements::of(text) {
        for (at, element) in elements.enumerate() {
            check(element, &join(pointer, &at.to_string()), depth + 1)?;
        }
    }
    Ok(())
}

/// A value as an error shows it, cut where it is long.
pub(super) fn excerpt(value: &Value) -> String {
    const CHARS: usize = 60;
    let text = value.to_string();
    match text.char_indices().nth(CHARS) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(text: &str) -> String {
        read_object(text).unwrap_err().to_string()
    }

    #[test]
    fn what_is_no_plain_json_is_refused_with_its_place() {
        assert!(fault(r#"{"a": NaN}"#).starts_with("is not JSON: "));
        assert!(fault(r#"{"a": -Infinity}"#).starts_with("is not JSON: "));
        assert!(fault(r#"{"a": 1e400}"#).contains("number out of range"));
        assert!(fault("{ // why\n}").starts_with("is not JSON: "));
        assert_eq!(fault(r#"{"a":{"b":1,"\u0062":2}}"#), "/a/b: stands there twice");
        assert_eq!(fault("[1]"), "must be an object, and is [1]");
        let long = format!(r#"{{"a":"{}"}}"#, "x".repeat(1024 * 1024));
        assert_eq!(fault(&long), "has 1048584 bytes, and a configuration has at most 262144");
        let deep = format!("{}1{}", "[".repeat(100), "]".repeat(100));
        assert_eq!(fault(&format!(r#"{{"a":{deep}}}"#)), "nests more than 64 levels deep");
    }

    #[test]
    fn a_name_that_means_something_elsewhere_is_a_name() {
        let read = read_object(r#"{"__proto__":{"polluted":true},"constructor":1}"#).unwrap();
        assert_eq!(read["__proto__"]["polluted"], true);
    }
}
