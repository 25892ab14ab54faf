//! A text that comes in pieces.

use std::sync::{Mutex, MutexGuard, PoisonError};

use extline_model::{Offered, Part};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;

use crate::apart;
use crate::found::{CallParts, ExtractedParts, call, extracted};

/// The name of a tool, and the JSON text of its schema where it has one.
pub(crate) type OfferedParts = (String, Option<String>);

/// A part of the text that is settled: text, or a call.
#[derive(IntoPyObject)]
pub(crate) enum PartParts {
    Text(String),
    Call(CallParts),
}

/// Finds calls in a text that comes in pieces. It may be used from any thread, by one at a time.
#[pyclass(frozen, module = "extline.model._native")]
pub(crate) struct Extractor(Mutex<Option<extline_model::Extractor>>);

#[pymethods]
impl Extractor {
    /// Looks for calls of these tools.
    #[new]
    fn new(offered: Vec<OfferedParts>) -> PyResult<Self> {
        Ok(Self(Mutex::new(Some(extline_model::Extractor::new(offers(offered)?)))))
    }

    /// Takes the next piece, and returns what has been settled by it.
    fn push(&self, py: Python<'_>, piece: &str) -> PyResult<Vec<PartParts>> {
        let settled = apart(py, piece.len(), || self.lock().as_mut().map(|it| it.push(piece)));
        settled.map(parts).ok_or_else(is_over)
    }

    /// The text has ended. Returns the last parts, and all that was found.
    fn finish(&self, py: Python<'_>) -> PyResult<(Vec<PartParts>, ExtractedParts)> {
        let finished = py.detach(|| self.lock().take().map(extline_model::Extractor::finish));
        let (rest, found) = finished.ok_or_else(is_over)?;
        Ok((parts(rest), extracted(found)))
    }
}

impl Extractor {
    fn lock(&self) -> MutexGuard<'_, Option<extline_model::Extractor>> {
        // It has no half of a state to be seen: a panic in it would be ours, and is told by itself.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub(crate) fn offers(offered: Vec<OfferedParts>) -> PyResult<Vec<Offered>> {
    let tool = |(name, schema): OfferedParts| {
        let Some(schema) = schema else { return Ok(Offered::from(name)) };
        Offered::with_schema(name, &schema)
            .map_err(|error| PyValueError::new_err(error.to_string()))
    };
    offered.into_iter().map(tool).collect()
}

fn parts(parts: Vec<Part>) -> Vec<PartParts> {
    let part = |part| match part {
        Part::Text(text) => PartParts::Text(text),
        Part::Call(it) => PartParts::Call(call(it)),
    };
    parts.into_iter().map(part).collect()
}

fn is_over() -> PyErr {
    PyRuntimeError::new_err("the text of this Extractor has ended; make another for the next one")
}
