//! What stands in the Python half, looked up once.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;

/// The class `Fix`.
pub(crate) fn fix(py: Python<'_>) -> PyResult<&Bound<'_, PyType>> {
    static FIX: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    FIX.import(py, "extline.model._found", "Fix")
}

/// The class `RepairError`.
pub(crate) fn repair_error(py: Python<'_>) -> PyResult<&Bound<'_, PyType>> {
    static ERROR: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    ERROR.import(py, "extline.model._found", "RepairError")
}

/// The class `UnrenderableError`.
pub(crate) fn unrenderable_error(py: Python<'_>) -> PyResult<&Bound<'_, PyType>> {
    static ERROR: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    ERROR.import(py, "extline.model._schema", "UnrenderableError")
}
