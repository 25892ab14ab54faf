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
}

impl SchemaError {
    pub(crate) fn unreadable(error: &serde_json::Error) -> Self {
        Self { pointer: String::new(), message: format!("cannot be read: {error}") }
    }

    /// The words for why jsonschema does not compile a schema.
    pub(crate) fn of(error: ValidationError<'_>, schema: &RawJson, document: &Value) -> Self {
        match error.kind() {
            ValidationErrorKind::Referencing(ReferencingError::Unretrievable { uri, .. }) => {
                let pointer = reference_to(uri, document, "").unwrap_or_default();
                let message = format!(
                    "leads to {uri}, and other documents are not fetched: copy it into $defs"
                );
                Self { pointer, message }
            }
            ValidationErrorKind::Referencing(ReferencingError::UnknownSpecification {
                specification,
            }) => Self {
                pointer: "/$schema".to_owned(),
                message: format!("is no draft of JSON Schema: {specification}"),
            },
            ValidationErrorKind::Referencing(error) => {
                Self { pointer: String::new(), message: error.to_string() }
            }
            _ => {
                let violation = explain::violation(std::iter::once(error), schema);
                Self { pointer: violation.pointer, message: violation.message }
            }
        }
    }
}

impl From<SchemaProblem> for SchemaError {
    fn from(problem: SchemaProblem) -> Self {
        Self { pointer: problem.pointer, message: problem.message }
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
