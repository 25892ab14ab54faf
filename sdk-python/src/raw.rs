//! JSON that is passed on as it was written.

use extline_protocol::RawJson as Text;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use extline_python_json::load;

/// A JSON value as text, which goes over the wire as it stands: every digit, key and escape.
///
/// A tool may return one, also inside of other values. Raises `ValueError` for what is no JSON.
#[pyclass(frozen, eq, hash, module = "extline")]
#[derive(PartialEq, Eq, Hash)]
pub(crate) struct RawJson(pub(crate) Text);

#[pymethods]
impl RawJson {
    #[new]
    fn new(text: &str) -> PyResult<Self> {
        let text = Text::parse(text).map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(Self(text))
    }

    /// The text.
    #[getter]
    fn text(&self) -> &str {
        self.0.get()
    }

    /// The value in Python's own types.
    fn load<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        load(py, self.0.get())
    }

    fn __str__(&self) -> &str {
        self.0.get()
    }

    fn __repr__(&self) -> String {
        format!("RawJson({:?})", self.0.get())
    }
}
