//! Cases from files, played against an extension in this process.

use std::time::{Duration, Instant};

use extline_testing::{Arrival, Extension, Run, Trouble, parse_own, play};
use pyo3::exceptions::PyValueError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::host::HostSteps;

/// What is done to an extension and what must come of it, read from a file.
#[pyclass(frozen, module = "extline.testing")]
pub(crate) struct Case(extline_testing::Case);

#[pymethods]
impl Case {
    /// Its name.
    #[getter]
    fn id(&self) -> &str {
        &self.0.id
    }

    /// What holds when it passes.
    #[getter]
    fn title(&self) -> &str {
        &self.0.title
    }

    /// The file it was read from.
    #[getter]
    fn file(&self) -> &str {
        &self.0.file
    }

    /// Its line there, from 1.
    #[getter]
    fn line(&self) -> usize {
        self.0.line
    }

    /// One run for each; one run when there are none.
    #[getter]
    fn values(&self) -> Vec<u64> {
        self.0.values.clone()
    }

    /// Whether it may be played where others were.
    #[getter]
    fn is_shared(&self) -> bool {
        self.0.is_shared()
    }

    fn __repr__(&self) -> String {
        format!("<Case {} at {}:{}>", self.0.id, self.0.file, self.0.line)
    }
}

/// The cases of a file's text; `file` is only named. A mistake in it is a `ValueError` with its line.
#[pyfunction]
pub(crate) fn read_cases(file: &str, text: &str) -> PyResult<Vec<Case>> {
    let cases = parse_own(file, text).map_err(|error| PyValueError::new_err(error.to_string()))?;
    Ok(cases.into_iter().map(Case).collect())
}

/// Where a step went wrong: its place, the case, what was expected, what came instead.
type Finding = (String, String, String, String);

/// Plays one run of a case, and has what went wrong. A case that cannot be played in process is a
/// `ValueError`; what the connection raises comes through.
///
/// `connection` has `send(bytes)` and `wait(seconds)`, which has the bytes that came, None when none
/// did in time, and how the extension ended, as a str.
#[pyfunction]
pub(crate) fn play_case(
    case: &Case,
    value: u64,
    host: &Bound<'_, HostSteps>,
    connection: &Bound<'_, PyAny>,
    prefix: String,
) -> PyResult<Option<Finding>> {
    // The connection uses the host meanwhile.
    let (surface, deadline) = {
        let host = host.borrow();
        (host.0.surface(), host.0.deadline())
    };
    let deadline = Duration::try_from_secs_f64(deadline);
    let deadline = deadline.map_err(|error| PyValueError::new_err(error.to_string()))?;
    let run = Run { value, deadline, prefix };
    match play(&case.0, run, &surface, &mut Line { connection }) {
        Ok(()) => Ok(None),
        Err(Trouble::Failed { place, case, expected, got }) => {
            Ok(Some((place, case, expected, got)))
        }
        Err(Trouble::Misuse(text)) => Err(PyValueError::new_err(text)),
        Err(Trouble::Broken(raised)) => Err(raised),
    }
}

/// To the extension by way of Python, and back.
struct Line<'a, 'py> {
    connection: &'a Bound<'py, PyAny>,
}

impl Extension for Line<'_, '_> {
    /// Raised by the connection.
    type Error = PyErr;

    fn send(&mut self, bytes: &[u8]) -> PyResult<()> {
        let py = self.connection.py();
        self.connection.call_method1(intern!(py, "send"), (PyBytes::new(py, bytes),))?;
        Ok(())
    }

    fn wait(&mut self, until: Instant) -> PyResult<Arrival> {
        let py = self.connection.py();
        let left = until.saturating_duration_since(Instant::now()).as_secs_f64();
        let came = self.connection.call_method1(intern!(py, "wait"), (left,))?;
        if came.is_none() {
            return Ok(Arrival::Nothing);
        }
        match came.cast::<PyBytes>() {
            Ok(bytes) => Ok(Arrival::Data(bytes.as_bytes().to_vec())),
            Err(_) => Ok(Arrival::Ended(came.extract()?)),
        }
    }
}
