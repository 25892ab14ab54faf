//! Calls of an author's that define something, and where their mistakes are told.

use pyo3::exceptions::{PyBaseException, PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

/// A function of the package, whose errors have no traceback in the package. One that was raised outside
/// of it, as by an author's class that is asked for its schema, keeps its traceback from there on.
///
/// It is native, as a frame of Python's that raises again would stand in the traceback itself.
#[pyclass(frozen, module = "extline._native", name = "AtTheAuthorsLine")]
pub(crate) struct AtTheAuthorsLine {
    define: Py<PyAny>,
}

#[pymethods]
impl AtTheAuthorsLine {
    #[new]
    fn new(define: Py<PyAny>) -> Self {
        Self { define }
    }

    #[pyo3(signature = (*args, **options))]
    fn __call__(
        &self,
        py: Python<'_>,
        args: &Bound<'_, PyTuple>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Py<PyAny>> {
        self.define.call(py, args, options).map_err(|error| {
            let is_mistake =
                error.is_instance_of::<PyTypeError>(py) || error.is_instance_of::<PyValueError>(py);
            if !is_mistake {
                return error;
            }
            let value = error.into_value(py).into_bound(py);
            // What cannot be cut off stays.
            let _ = cut_traceback(&value);
            PyErr::from_value(value.into_any())
        })
    }

    /// As a method of an object.
    fn __get__(
        slf: &Bound<'_, Self>,
        object: Option<&Bound<'_, PyAny>>,
        _kind: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Py<PyAny>> {
        let Some(object) = object.filter(|object| !object.is_none()) else {
            return Ok(slf.clone().into_any().unbind());
        };
        let method = slf.py().import("types")?.getattr("MethodType")?;
        Ok(method.call1((slf, object))?.unbind())
    }

    #[getter(__doc__)]
    fn doc(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.define.getattr(py, intern!(py, "__doc__"))
    }

    #[getter]
    fn __wrapped__(&self, py: Python<'_>) -> Py<PyAny> {
        self.define.clone_ref(py)
    }

    /// Its name and whatever else a function has.
    fn __getattr__(&self, py: Python<'_>, name: &str) -> PyResult<Py<PyAny>> {
        self.define.getattr(py, name)
    }
}

fn cut_traceback(error: &Bound<'_, PyBaseException>) -> PyResult<()> {
    let py = error.py();
    let authors = py.import("extline._failure")?.call_method1("authors_part", (error,))?;
    error.setattr(intern!(py, "__traceback__"), &authors)?;
    if authors.is_none() {
        error.setattr(intern!(py, "__suppress_context__"), true)?;
    }
    Ok(())
}
