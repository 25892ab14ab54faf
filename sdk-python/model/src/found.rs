//! What was found, as tuples of which the Python half makes its classes.

use extline_model::{
    Call, Extracted, Fix, Note, Refused, Rendered, RepairError, Repaired, Unrenderable,
};
use pyo3::prelude::*;

/// Kind, line, column, what stood there, and the sentence.
type FixParts = (&'static str, usize, usize, String, String);

/// The value as JSON text, the fixes, how many are not listed, whether the text was cut off.
pub(crate) type RepairedParts = (String, Vec<FixParts>, usize, bool);

/// Name, arguments as JSON text, id, envelope, fixes, whether the text was cut off.
pub(crate) type CallParts = (String, String, Option<String>, &'static str, Vec<FixParts>, bool);

/// Calls, the remaining text, the envelope of the first, whether some were repaired or cut off, and of
/// what was refused the envelope and the reason.
pub(crate) type ExtractedParts =
    (Vec<CallParts>, String, Option<&'static str>, bool, bool, Vec<(&'static str, String)>);

pub(crate) fn repaired(repaired: Repaired) -> RepairedParts {
    let Repaired { value, fixes, unlisted, truncated, .. } = repaired;
    (value.into_string(), self::fixes(fixes), unlisted, truncated)
}

pub(crate) fn call(call: Call) -> CallParts {
    let Call { name, arguments, id, envelope, fixes, truncated, .. } = call;
    (name, arguments.into_string(), id, envelope.as_str(), self::fixes(fixes), truncated)
}

pub(crate) fn extracted(extracted: Extracted) -> ExtractedParts {
    let Extracted { calls, remaining, envelope, repaired, truncated, refused, .. } = extracted;
    let refused =
        refused.into_iter().map(|Refused { envelope, reason, .. }| (envelope.as_str(), reason));
    (
        calls.into_iter().map(call).collect(),
        remaining,
        envelope.map(extline_model::Envelope::as_str),
        repaired,
        truncated,
        refused.collect(),
    )
}

/// The schema as JSON text, and of each change the kind, the pointer and the sentence.
pub(crate) type RenderedParts = (String, Vec<(&'static str, String, String)>);

pub(crate) fn rendered(Rendered { schema, notes }: Rendered) -> RenderedParts {
    let note = |note: Note| (note.kind.as_str(), note.pointer, note.text);
    (schema.into_string(), notes.into_iter().map(note).collect())
}

/// The class of the Python half.
pub(crate) fn unrenderable(py: Python<'_>, error: &Unrenderable) -> PyErr {
    let class = py.import("extline.model._schema").and_then(|it| it.getattr("UnrenderableError"));
    let given = (error.to_string(), error.reason.as_str(), &error.pointer);
    match class.and_then(|class| class.call1(given)) {
        Ok(exception) => PyErr::from_value(exception),
        Err(error) => error,
    }
}

/// The class of the Python half.
pub(crate) fn raised(py: Python<'_>, error: &RepairError) -> PyErr {
    let class = py.import("extline.model._found").and_then(|it| it.getattr("RepairError"));
    let given = (error.to_string(), error.kind.as_str(), error.line, error.column);
    match class.and_then(|class| class.call1(given)) {
        Ok(exception) => PyErr::from_value(exception),
        Err(error) => error,
    }
}

fn fixes(fixes: Vec<Fix>) -> Vec<FixParts> {
    let parts = |fix: Fix| {
        let text = fix.to_string();
        (fix.kind.as_str(), fix.line, fix.column, fix.found, text)
    };
    fixes.into_iter().map(parts).collect()
}
