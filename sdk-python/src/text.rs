//! JSON as text, for the Python half and its tests.

use extline_protocol::RawJson;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::{dump, load, stderr};

/// The value of a JSON text, as the arguments of a call are read.
#[pyfunction]
pub(crate) fn loads<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyAny>> {
    let text = RawJson::parse(text).map_err(|error| PyValueError::new_err(error.to_string()))?;
    load::load(py, text.get())
}

/// The JSON text of a value, as the result of a call is written.
#[pyfunction]
pub(crate) fn dumps(value: &Bound<'_, PyAny>) -> PyResult<String> {
    dump::dump(value)
}

/// Writes one line to stderr.
#[pyfunction]
pub(crate) fn report(message: &str) {
    stderr::report(message);
}
