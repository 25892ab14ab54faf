//! What is wrong with the arguments of a call.

use extline_protocol::pointer::join;
use extline_protocol::{ArgsFailure, Elements, Members, RawJson};
use thiserror::Error;

use crate::place::prefix;
use crate::steps::Left;
use crate::{SchemaError, VALIDATION_STEPS};

/// Arguments that do not match their schema.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{}{message}", prefix(.pointer))]
pub struct Violation {
    /// JSON pointer to the offending member itself: a missing `city` is `/city`, one too many is
    /// `/x`. Empty for the arguments as a whole.
    pub pointer: String,
    /// What is wrong with it, as `required, and missing` or `must be a string, and is 5`.
    pub message: String,
}

impl Violation {
    /// Arguments that are valid JSON, and too large or too deep to be held as values.
    pub(crate) fn unreadable(args: &RawJson) -> Self {
        let (pointer, failure) = match unreadable_number(args.get(), 0) {
            Some((pointer, number)) => {
                (pointer, ArgsFailure::must_be("a number within 1.8e308 of zero", number))
            }
            None => (String::new(), ArgsFailure::sentence("nests more than 127 levels deep")),
        };
        Self { pointer, message: failure.to_string() }
    }

    /// Arguments of a schema that cannot be used.
    pub(crate) fn of_schema(error: &SchemaError) -> Self {
        let message = format!("cannot be checked, as the schema cannot be used: {error}");
        Self { pointer: String::new(), message }
    }

    /// Arguments that do not match, for a reason that would take too long to find.
    pub(crate) fn unexplained() -> Self {
        let message = "does not match the schema, and nests too deep to say where".to_owned();
        Self { pointer: String::new(), message }
    }

    /// Arguments that nobody can say of whether they match.
    pub(crate) fn unchecked(why: Left) -> Self {
        let message = match why {
            Left::OutOfSteps => {
                format!("take more than {VALIDATION_STEPS} steps to check against the schema")
            }
            Left::TooDeep => "nest too deep for the schema to be checked".to_owned(),
        };
        Self { pointer: String::new(), message }
    }

    /// The system has no thread for a long check.
    pub(crate) fn no_thread(error: &std::io::Error) -> Self {
        let message =
            format!("cannot be checked against the schema, for want of a thread: {error}");
        Self { pointer: String::new(), message }
    }
}

/// The first number that no double can hold, with its pointer.
fn unreadable_number(text: &str, depth: usize) -> Option<(String, &str)> {
    if depth > 127 {
        return None;
    }
    if let Some(members) = Members::of(text) {
        return members.iter().find_map(|member| {
            let (below, number) = unreadable_number(member.value, depth + 1)?;
            Some((join("", &member.key()) + &below, number))
        });
    }
    if let Some(elements) = Elements::of(text) {
        return elements.enumerate().find_map(|(at, element)| {
            let (below, number) = unreadable_number(element, depth + 1)?;
            Some((join("", &at.to_string()) + &below, number))
        });
    }
    let is_wrong =
        !text.starts_with('"') && serde_json::from_str::<serde_json::Value>(text).is_err();
    is_wrong.then(|| (String::new(), text))
}
