//! Full JSON Schema validation of tool arguments, for hosts, the command line and the
//! conformance tester.
//!
//! [`jsonschema`] decides whether arguments match. What is wrong with those that do not is said,
//! where it can, by the small validator of extline-protocol that SDKs use, so that a host and an
//! extension name the same member in the same words; [`jsonschema`]'s own errors explain the
//! rest.
//!
//! Nothing is ever fetched: a `$ref` to another document is an error of the schema. `format` is
//! an annotation, as JSON Schema 2020-12 has it, whatever the draft.

#![forbid(unsafe_code)]

mod explain;
mod place;
mod plain;
mod recursion;
mod refused;
mod violation;

use std::sync::OnceLock;

use extline_protocol::{ArgsError, ArgsValidator, RawJson};
use jsonschema::Validator;
use serde_json::Value;

use crate::plain::is_plain;
use crate::recursion::Recursion;
pub use crate::refused::SchemaError;
pub use crate::violation::Violation;

/// A tool's schema, ready to validate arguments. It can be shared between threads.
#[derive(Debug)]
pub struct ToolSchema {
    small: ArgsValidator,
    text: RawJson,
    /// Made when it is first needed where the schema is valid at a glance, else at once.
    full: OnceLock<Result<Full, SchemaError>>,
}

/// What jsonschema makes of a schema.
#[derive(Debug)]
struct Full {
    validator: Validator,
    recursion: Option<Recursion>,
}

impl ToolSchema {
    /// Compiles a schema in the draft its `$schema` names, else in 2020-12. Refuses what is no
    /// JSON object or no valid schema, a `$ref` that leads nowhere, back to itself or out of the
    /// schema, and a `$schema` that is none of JSON Schema's own drafts.
    pub fn compile(schema: &RawJson) -> Result<Self, SchemaError> {
        let small = ArgsValidator::compile(schema)?;
        let full = if small.unsupported().is_empty() && is_plain(schema) {
            OnceLock::new()
        } else {
            OnceLock::from(Ok(Full::compile(schema)?))
        };
        Ok(Self { small, text: schema.clone(), full })
    }

    /// Validates the arguments of a call. Of several mistakes the first in the text is named;
    /// what is missing counts as standing at the end of its object. A mistake the small validator
    /// can see comes before one it cannot, so that a host and an SDK name the same.
    ///
    /// Numbers beyond 64 bits are compared as the nearest double. One that no double can hold,
    /// as `1e400`, is refused, and so is nesting beyond 127 levels.
    pub fn validate(&self, args: &RawJson) -> Result<(), Violation> {
        let value: Value = args.to().map_err(|_| Violation::unreadable(args))?;
        let full = self.full.get_or_init(|| Full::compile(&self.text));
        // It does not fail where it was left for later.
        let Full { validator, recursion } = full.as_ref().map_err(Violation::of_schema)?;
        if validator.is_valid(&value) {
            return Ok(());
        }
        if let Err(ArgsError { pointer, message }) = self.small.validate(args) {
            return Err(Violation { pointer, message });
        }
        if recursion.as_ref().is_some_and(|recursion| recursion.outgrows(args)) {
            return Err(Violation::unexplained());
        }
        Err(explain::violation(validator.iter_errors(&value), args))
    }
}

impl Full {
    fn compile(schema: &RawJson) -> Result<Self, SchemaError> {
        let document: Value = schema.to().map_err(|error| SchemaError::unreadable(&error))?;
        let validator = jsonschema::options()
            .offline()
            .should_validate_formats(false)
            .build(&document)
            .map_err(|error| SchemaError::of(error, schema, &document))?;
        Ok(Self { validator, recursion: Recursion::of(&document) })
    }
}
