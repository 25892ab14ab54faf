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
//!
//! What compiling and validating cost is bounded, in bytes and steps and not in time: by the limits
//! `SCHEMA_...` of [`extline_protocol::limits`] and by [`VALIDATION_STEPS`]. A schema that is over
//! one is refused with its name, and so is a call.

#![forbid(unsafe_code)]

mod bound;
mod explain;
mod full;
mod graph;
mod pattern;
mod place;
mod plain;
mod refused;
mod steps;
mod violation;

#[cfg(test)]
#[path = "../tests/random/mod.rs"]
#[allow(dead_code, reason = "the tests of the folder use all of it")]
mod random;

use std::sync::OnceLock;

use extline_protocol::{ArgsError, ArgsValidator, RawJson};

use crate::full::Full;
pub use crate::full::VALIDATION_STEPS;
use crate::plain::{is_plain, is_plain_object};
pub use crate::refused::SchemaError;
pub use crate::violation::Violation;

/// A plain schema of this length is compiled in no time worth speaking of.
const SHORT: usize = 2 * 1024;

/// A tool's schema, ready to validate arguments. It can be shared between threads.
#[derive(Debug)]
pub struct ToolSchema {
    small: ArgsValidator,
    text: RawJson,
    /// The small validator checks all of it.
    is_plain: bool,
    /// Made when it is first needed where the schema is valid at a glance, else at once.
    full: OnceLock<Result<Full, SchemaError>>,
}

impl ToolSchema {
    /// Compiles a schema in the draft its `$schema` names, else in 2020-12. Refuses what is no
    /// JSON object or no valid schema, a `$ref` that leads nowhere, back to itself or out of the
    /// schema, a `$schema` that is none of JSON Schema's own drafts, and what is over a limit.
    ///
    /// A schema that is as large as the limits allow takes some seconds: where others wait for this
    /// thread, see [`ToolSchema::compile_if_quick`].
    pub fn compile(schema: &RawJson) -> Result<Self, SchemaError> {
        let small = ArgsValidator::compile(schema)?;
        let is_plain = small.unsupported().is_empty() && is_plain(schema);
        let full =
            if is_plain { OnceLock::new() } else { OnceLock::from(Ok(Full::compile(schema)?)) };
        Ok(Self { small, text: schema.clone(), is_plain, full })
    }

    /// Compiles a schema that is valid at a glance, as most are; `None` for all others.
    pub fn compile_if_quick(schema: &RawJson) -> Option<Result<Self, SchemaError>> {
        if schema.get().len() > SHORT || !is_plain(schema) {
            return None;
        }
        match ArgsValidator::compile(schema) {
            Ok(small) if small.unsupported().is_empty() => {
                let (text, full) = (schema.clone(), OnceLock::new());
                Some(Ok(Self { small, text, is_plain: true, full }))
            }
            Ok(_) => None,
            Err(problem) => Some(Err(problem.into())),
        }
    }

    /// Validates arguments where that takes some milliseconds at most, so that it needs no thread of its
    /// own; `None` for all others.
    pub fn validate_if_quick(&self, args: &RawJson) -> Option<Result<(), Violation>> {
        if self.accepts_at_a_glance(args) {
            return Some(Ok(()));
        }
        self.is_quick(args).then(|| self.validate(args))
    }

    /// Whether it is plain, the arguments are, and they match. jsonschema, which agrees then, would build a
    /// tree of them first.
    fn accepts_at_a_glance(&self, args: &RawJson) -> bool {
        self.is_plain && is_plain_object(args) && self.small.validate(args).is_ok()
    }

    /// Whether a validation takes some milliseconds at most.
    fn is_quick(&self, args: &RawJson) -> bool {
        if self.full.get().is_none() && self.text.get().len() > SHORT {
            return false;
        }
        self.full().is_ok_and(|full| full.is_quick(args))
    }

    /// What it takes in memory, roughly, in bytes.
    pub fn memory(&self) -> usize {
        let text = self.text.get();
        let full = self.full.get().and_then(|full| full.as_ref().ok());
        // Of what is not compiled yet each brace may begin a subschema.
        let subschemas = || text.matches('{').count() * full::SUBSCHEMA_BYTES;
        2 * text.len() + full.map_or_else(subschemas, Full::memory)
    }

    /// Validates the arguments of a call. Of several mistakes the first in the text is named;
    /// what is missing counts as standing at the end of its object. A mistake the small validator
    /// can see comes before one it cannot, so that a host and an SDK name the same.
    ///
    /// Numbers beyond 64 bits are compared as the nearest double. One that no double can hold,
    /// as `1e400`, is refused, and so is nesting beyond 127 levels, and what takes more than
    /// [`VALIDATION_STEPS`].
    pub fn validate(&self, args: &RawJson) -> Result<(), Violation> {
        let full = self.full().map_err(Violation::of_schema)?;
        full.validate(args, || match self.small.validate(args) {
            Ok(()) => None,
            Err(ArgsError { pointer, message }) => Some(Violation { pointer, message }),
        })
    }

    /// Everything that does not match, in the order of the text, each place once; for what people write,
    /// and mend at once. The first is what [`ToolSchema::validate`] says.
    pub fn violations(&self, value: &RawJson) -> Vec<Violation> {
        let Err(first) = self.validate(value) else { return Vec::new() };
        let mut all = self.full().map_or_else(|_| Vec::new(), |full| full.violations(value));
        match all.iter_mut().find(|other| other.pointer == first.pointer) {
            Some(same) => *same = first,
            None => all.insert(0, first),
        }
        all
    }

    /// It does not fail where it was left for later.
    fn full(&self) -> Result<&Full, &SchemaError> {
        self.full.get_or_init(|| Full::compile(&self.text)).as_ref()
    }
}
