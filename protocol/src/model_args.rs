//! Arguments as a model wrote them, made safe for every reader.

use std::collections::{HashMap, HashSet};

use thiserror::Error;

use crate::json::{Elements, Members, RawJson, RawJsonError, excerpt, write_array, write_object};
use crate::limits::MODEL_ARGS_DEPTH;

/// Arguments that no extension should get.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum ModelArgsError {
    /// Arguments are always an object.
    #[error("the arguments are {found}, not a JSON object")]
    NotAnObject {
        /// What they are instead, shortened.
        found: String,
    },
    /// The text is no JSON.
    #[error("the arguments are {0}")]
    NotJson(#[from] RawJsonError),
    /// More than 64 objects and arrays open at once.
    #[error("the arguments nest {depth} levels deep; at most {MODEL_ARGS_DEPTH} are allowed")]
    TooDeep {
        /// How deep they are.
        depth: usize,
    },
}

/// Reads a model's arguments for a `tool_call`: an object at most 64 levels deep, of duplicate
/// keys only the last, unpaired surrogates replaced (`host.model-args`). Text without such faults
/// passes byte for byte, LF and CR between tokens aside.
pub fn model_args(text: &str) -> Result<RawJson, ModelArgsError> {
    let Some(members) = Members::of(text) else {
        let found = excerpt(RawJson::parse(text)?.get());
        return Err(ModelArgsError::NotAnObject { found });
    };
    let depth = members.depth;
    if depth > MODEL_ARGS_DEPTH {
        return Err(ModelArgsError::TooDeep { depth });
    }
    let raw = RawJson::of_scanned(text.trim(), members.unpaired_surrogate);
    if !repeats_a_key(&members) {
        return Ok(raw);
    }
    let mut out = Vec::with_capacity(raw.get().len());
    write_without_duplicates(raw.get(), &mut out);
    // Built from spans of valid UTF-8 and from `write_string`.
    Ok(RawJson::of_repaired(&String::from_utf8_lossy(&out)))
}

/// Whether an object in the value has a key twice.
fn has_duplicates(value: &str) -> bool {
    if let Some(members) = Members::of_valid(value) {
        repeats_a_key(&members)
    } else if let Some(mut elements) = Elements::of(value) {
        elements.any(has_duplicates)
    } else {
        false
    }
}

/// The same of an object that is taken apart already.
fn repeats_a_key(members: &Members<'_>) -> bool {
    /// Up to so many keys are compared with each other: that takes less than a set.
    const FEW: usize = 8;
    let repeats = if members.count() <= FEW {
        let earlier = |at| members.iter().take(at);
        members.iter().enumerate().any(|(at, it)| earlier(at).any(|other| other.key() == it.key()))
    } else {
        let mut seen = HashSet::new();
        !members.iter().all(|member| seen.insert(member.key()))
    };
    repeats || members.iter().any(|member| has_duplicates(member.value))
}

fn write_without_duplicates(value: &str, out: &mut Vec<u8>) {
    if let Some(members) = Members::of_valid(value) {
        let last: HashMap<_, _> =
            members.iter().enumerate().map(|(at, member)| (member.key(), at)).collect();
        let kept = members.iter().enumerate().filter(|(at, m)| last[&m.key()] == *at);
        let kept = kept.map(|(_, member)| (member.key(), member.value));
        write_object(kept, out, write_without_duplicates);
    } else if let Some(elements) = Elements::of(value) {
        write_array(elements, out, write_without_duplicates);
    } else {
        out.extend_from_slice(value.as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clean_arguments_pass_byte_for_byte() {
        let text = r#"{"n": 12345678901234567890,"s":"\u003c"}"#;
        assert_eq!(model_args(text).unwrap().get(), text);
    }

    #[test]
    fn of_duplicates_the_last_stays_where_it_stands() {
        let args = model_args(r#"{"a":1,"b":[{"x":1,"x":2}],"\u0061":3}"#).unwrap();
        assert_eq!(args.get(), r#"{"b":[{"x":2}],"a":3}"#);
    }

    #[test]
    fn depth_64_is_the_last_that_passes() {
        let nested = |levels: usize| {
            format!("{{\"a\":{}{}}}", "[".repeat(levels - 1), "]".repeat(levels - 1))
        };
        assert!(model_args(&nested(64)).is_ok());
        assert_eq!(model_args(&nested(65)), Err(ModelArgsError::TooDeep { depth: 65 }));
    }

    #[test]
    fn other_values_are_refused_by_name() {
        let error = model_args("[1]").unwrap_err().to_string();
        assert_eq!(error, "the arguments are [1], not a JSON object");
        assert!(model_args("{").is_err());
    }
}
