//! What was found, as tuples of which the Python half makes its classes.

use extline_model::{Call, Extracted, Fix, Note, Refused, Rendered, RepairError, Unrenderable};
use pyo3::call::PyCallArgs;
use pyo3::prelude::*;
use pyo3::types::PyType;

use crate::python;

/// Kind, line, column, what stood there, and the sentence.
type FixParts = (&'static str, usize, usize, String, String);

/// Name, arguments as JSON text, id, envelope, fixes, whether the text was cut off.
pub(crate) type CallParts = (String, String, Option<String>, &'static str, Vec<FixParts>, bool);

/// Calls, the remaining text, the envelope of the first, whether some were repaired or cut off, and of
/// what was refused the envelope and the reason.
pub(crate) type ExtractedParts =
    (Vec<CallParts>, String, Option<&'static str>, bool, bool, Vec<(&'static str, String)>);

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

pub(crate) fn unrenderable(py: Python<'_>, error: &Unrenderable) -> PyErr {
    raised(
        python::unrenderable_error(py),
        (error.to_string(), error.reason.as_str(), &error.pointer),
    )
}

pub(crate) fn unrepaired(py: Python<'_>, error: &RepairError) -> PyErr {
    let given = (error.to_string(), error.kind.as_str(), error.line, error.column);
    raised(python::repair_error(py), given)
}

/// An error of a class of the Python half.
fn raised<'py>(class: PyResult<&Bound<'py, PyType>>, given: impl PyCallArgs<'py>) -> PyErr {
    match class.and_then(|class| class.call1(given)) {
        Ok(exception) => PyErr::from_value(exception),
        Err(error) => error,
    }
}

fn fixes(fixes: Vec<Fix>) -> Vec<FixParts> {
    fixes.into_iter().map(fix).collect()
}

pub(crate) fn fix(fix: Fix) -> FixParts {
    let text = fix.to_string();
    (fix.kind.as_str(), fix.line, fix.column, fix.found, text)
}
