//! A value that was read, as an object of Python.

use extline_model::{Fixes, RepairedValue};
use extline_python_json::load;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyList, PyString};

use crate::found;
use crate::python;

/// A value that was read, and what had to be changed for it.
#[pyclass(frozen, module = "extline.model")]
pub(crate) struct Repaired {
    /// The value. Of two members of one name it has the last.
    #[pyo3(get)]
    value: Py<PyAny>,
    /// What the model wrote, and what was changed of it; none of a copy, whose fixes are listed.
    changed: Option<(Py<PyString>, Fixes)>,
    /// Listed when somebody asks for them: most look at the value alone.
    fixes: PyOnceLock<Py<PyList>>,
    /// How many fixes there were beyond the 1,000 that are listed.
    #[pyo3(get)]
    unlisted: usize,
    /// Whether the text ended before the value did, so that there may have been more of it.
    #[pyo3(get)]
    truncated: bool,
}

/// All of it, for what compares, shows and copies.
type Parts<'py> = (Bound<'py, PyAny>, Bound<'py, PyList>, usize, bool);

#[pymethods]
impl Repaired {
    #[new]
    fn new(value: Py<PyAny>, fixes: Py<PyList>, unlisted: usize, truncated: bool) -> Self {
        let made = PyOnceLock::new();
        Python::attach(|py| {
            // It is new, so there is none in it.
            let _ = made.set(py, fixes);
        });
        Self { value, changed: None, fixes: made, unlisted, truncated }
    }

    /// What was changed, in the order of the text; empty where it was valid JSON.
    #[getter]
    fn fixes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let made = self.fixes.get_or_try_init(py, || {
            let class = python::fix(py)?;
            let listed = match &self.changed {
                Some((text, fixes)) => fixes.list(text.to_str(py)?),
                None => Vec::new(),
            };
            let fixes = listed.into_iter().map(|fix| class.call1(found::fix(fix)));
            PyResult::Ok(PyList::new(py, fixes.collect::<PyResult<Vec<_>>>()?)?.unbind())
        })?;
        Ok(made.bind(py).clone())
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> PyResult<bool> {
        let py = other.py();
        let Ok(other) = other.cast::<Self>() else { return Ok(false) };
        let (own, others) = (self.parts(py)?, other.get().parts(py)?);
        Ok(own.2 == others.2 && own.3 == others.3 && own.0.eq(others.0)? && own.1.eq(others.1)?)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let (value, fixes, unlisted, truncated) = self.parts(py)?;
        let truncated = if truncated { "True" } else { "False" };
        let (value, fixes) = (value.repr()?, fixes.repr()?);
        Ok(format!(
            "Repaired(value={value}, fixes={fixes}, unlisted={unlisted}, truncated={truncated})"
        ))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Parts<'py>)> {
        Ok((slf.get_type().into_any(), slf.get().parts(slf.py())?))
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.value)
    }
}

impl Repaired {
    /// What was made of that text.
    pub(crate) fn of(text: Bound<'_, PyString>, found: RepairedValue) -> PyResult<Self> {
        let RepairedValue { value, fixes, truncated, .. } = found;
        let value = load(text.py(), value.get())?.unbind();
        let unlisted = fixes.unlisted();
        let changed = Some((text.unbind(), fixes));
        Ok(Self { value, changed, fixes: PyOnceLock::new(), unlisted, truncated })
    }

    fn parts<'py>(&self, py: Python<'py>) -> PyResult<Parts<'py>> {
        Ok((self.value.bind(py).clone(), self.fixes(py)?, self.unlisted, self.truncated))
    }
}
