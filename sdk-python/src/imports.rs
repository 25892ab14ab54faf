//! What the native half needs of the Python half, imported when it is first needed.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

static PLAIN: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
static PLAIN_KEY: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
static TOOL_RESULT: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
static IMAGE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
static TOOL_ERROR: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
static ARGUMENT_ERROR: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
static CANCELLED: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
static FAILED: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
static TOOL_OUTPUT: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
static UPDATE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
static UNSENT: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
static NO_ANSWER: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
static CAUSES_OF: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
static EXPLAIN: PyOnceLock<Py<PyAny>> = PyOnceLock::new();

/// Turns what is no plain value (a dataclass, an enum, ...) into one.
pub(crate) fn plain(py: Python<'_>) -> PyResult<&Bound<'_, PyAny>> {
    get(py, &PLAIN, "extline._plain_value", "plain_value")
}

/// Turns a key that is no str into one.
pub(crate) fn plain_key(py: Python<'_>) -> PyResult<&Bound<'_, PyAny>> {
    get(py, &PLAIN_KEY, "extline._plain_value", "plain_key")
}

/// The class of results with more than content.
pub(crate) fn tool_result(py: Python<'_>) -> PyResult<&Bound<'_, PyAny>> {
    get(py, &TOOL_RESULT, "extline._result", "ToolResult")
}

/// The class of images in results.
pub(crate) fn image(py: Python<'_>) -> PyResult<&Bound<'_, PyAny>> {
    get(py, &IMAGE, "extline._result", "Image")
}

/// The class of updates that say more than a text.
pub(crate) fn update(py: Python<'_>) -> PyResult<&Bound<'_, PyAny>> {
    get(py, &UPDATE, "extline._result", "Update")
}

/// The class of failures with a kind.
pub(crate) fn tool_error(py: Python<'_>) -> PyResult<&Bound<'_, PyAny>> {
    get(py, &TOOL_ERROR, "extline._errors", "ToolError")
}

/// What `ctx.raise_if_cancelled()` raises.
pub(crate) fn cancelled(py: Python<'_>) -> PyResult<&Bound<'_, PyAny>> {
    get(py, &CANCELLED, "extline._errors", "Cancelled")
}

/// Makes the error that a failed question raises.
pub(crate) fn failed(py: Python<'_>) -> PyResult<&Bound<'_, PyAny>> {
    get(py, &FAILED, "extline._errors", "failed")
}

/// The class of what other tools answer.
pub(crate) fn tool_output(py: Python<'_>) -> PyResult<&Bound<'_, PyAny>> {
    get(py, &TOOL_OUTPUT, "extline._output", "ToolOutput")
}

/// What the decoder of arguments raises.
pub(crate) fn argument_error(py: Python<'_>) -> PyResult<&Bound<'_, PyAny>> {
    get(py, &ARGUMENT_ERROR, "extline._mistake", "ArgumentError")
}

/// Shows an unforeseen exception to the author, and gives a short text for the model.
pub(crate) fn explain(py: Python<'_>) -> PyResult<&Bound<'_, PyAny>> {
    get(py, &EXPLAIN, "extline._failure", "explain")
}

/// What led to an exception, for the model.
pub(crate) fn causes_of(py: Python<'_>) -> PyResult<&Bound<'_, PyAny>> {
    get(py, &CAUSES_OF, "extline._failure", "causes_of")
}

/// The same for what a tool returned and cannot be sent.
pub(crate) fn unsent(py: Python<'_>) -> PyResult<&Bound<'_, PyAny>> {
    get(py, &UNSENT, "extline._failure", "unsent")
}

/// Makes the error of a generator that returned nothing.
pub(crate) fn no_answer(py: Python<'_>) -> PyResult<&Bound<'_, PyAny>> {
    get(py, &NO_ANSWER, "extline._failure", "no_answer")
}

fn get<'py>(
    py: Python<'py>,
    cell: &'static PyOnceLock<Py<PyAny>>,
    module: &str,
    name: &str,
) -> PyResult<&'py Bound<'py, PyAny>> {
    let found =
        cell.get_or_try_init(py, || Ok::<_, PyErr>(py.import(module)?.getattr(name)?.unbind()));
    found.map(|found| found.bind(py))
}
