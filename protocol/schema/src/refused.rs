//! Schemas that cannot be compiled.

use extline_protocol::pointer::join;
use extline_protocol::{RawJson, SchemaProblem};
use jsonschema::error::ValidationErrorKind;
use jsonschema::{ReferencingError, ValidationError};
use serde_json::Value;
use thiserror::Error;

use crate::explain;
use crate::place::prefix;

/// A schema that cannot be used.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{}{message}", prefix(.pointer))]
pub struct SchemaError {
    /// JSON pointer to what is wrong in the schema; empty for the schema itself.
    pub pointer: String,
    /// What is wrong with it, as `must be a number, and is "5"`.
    pub message: String,
    /// It may be a valid schema, and is over a limit, which the message names.
    pub is_too_large: bool,
}

impl SchemaError {
    pub(crate) fn unreadable(error: &dyn std::fmt::Display) -> Self {
        Self::at("", format!("cannot be read: {error}"))
    }

    /// The schema has more than `limit` of something.
    pub(crate) fn over(pointer: impl Into<String>, limit: usize, what: &str) -> Self {
        Self { is_too_large: true, ..Self::at(pointer, format!("has more than {limit} {what}")) }
    }

    fn at(pointer: impl Into<String>, message: String) -> Self {
        Self { pointer: pointer.into(), message, is_too_large: false }
    }

    /// The words for why jsonschema does not compile a schema.
    pub(crate) fn of(error: ValidationError<'_>, schema: &RawJson, document: &Value) -> Self {
        match error.kind() {
            ValidationErrorKind::Referencing(ReferencingError::Unretrievable { uri, .. }) => {
                let pointer = reference_to(uri, document, "").unwrap_or_default();
                let message = format!(
                    "leads to {uri}, and other documents are not fetched: copy it into $defs"
                );
                Self::at(pointer, message)
            }
            ValidationErrorKind::Referencing(ReferencingError::UnknownSpecification {
                specification,
            }) => Self::at("/$schema", format!("is no draft of JSON Schema: {specification}")),
            ValidationErrorKind::Referencing(error) => Self::at("", error.to_string()),
            _ => {
                let violation = explain::violation(std::iter::once(error), schema);
                Self::at(violation.pointer, violation.message)
            }
        }
    }
}

impl From<SchemaProblem> for SchemaError {
    fn from(problem: SchemaProblem) -> Self {
        let SchemaProblem { pointer, message, is_too_large } = problem;
        Self { pointer, message, is_too_large }
    }
}

/// The `$ref` in a schema that leads to that document.
fn reference_to(uri: &str, schema: &Value, pointer: &str) -> Option<String> {
    let leads_there = |reference: &str| {
        let document = reference.split('#').next().unwrap_or_default();
        !document.is_empty() && uri.ends_with(document)
    };
    match schema {
        Value::Object(members) => members.iter().find_map(|(name, value)| {
            let pointer = join(pointer, name);
            match value.as_str() {
                Some(reference) if name == "$ref" && leads_there(reference) => Some(pointer),
                _ => reference_to(uri, value, &pointer),
            }
        }),
        Value::Array(items) => items
            .iter()
            .enumerate()
            .find_map(|(at, item)| reference_to(uri, item, &join(pointer, &at.to_string()))),
        _ => None,
    }
}
