//! An intercept's way through the interceptors and the guards of this extension, a step at a time for
//! the Python half, which calls the handlers.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use extline_protocol::frame::{EventIntercept, ReplaceResult};
use extline_protocol::{CallKey, Change, InterceptChain as Way, Turn};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString};

use crate::core::Core;
use crate::dump::dump_raw;
use crate::frames::to_dict;
use crate::text::{Text, text_of};

/// What a handler is shown and decides crosses into JSON only where it rewrites.
#[pyclass(frozen, module = "extline._native")]
pub(crate) struct InterceptChain {
    core: Arc<Core>,
    key: CallKey,
    interceptors: Py<PyList>,
    guards: Py<PyList>,
    /// `None` once it is answered.
    way: Mutex<Option<Way>>,
}

impl InterceptChain {
    pub(crate) fn new(
        core: &Arc<Core>,
        key: CallKey,
        intercept: EventIntercept,
        interceptors: Bound<'_, PyList>,
        guards: Bound<'_, PyList>,
    ) -> Self {
        let (asked, guarding) = (interceptors.len(), guards.len());
        let way = core.channel().session.chain(intercept, asked, guarding);
        let (interceptors, guards) = (interceptors.unbind(), guards.unbind());
        Self { core: Arc::clone(core), key, interceptors, guards, way: Mutex::new(Some(way)) }
    }

    /// Never locked while Python runs.
    fn way(&self) -> MutexGuard<'_, Option<Way>> {
        self.way.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl InterceptChain {
    /// The handler whose turn it is, and whether it is a guard. `None` when all is decided; then the
    /// host has its answer.
    fn next<'py>(&self, py: Python<'py>) -> PyResult<Option<(Bound<'py, PyAny>, bool)>> {
        let turn = self.way().as_ref().and_then(Way::turn);
        match turn {
            Some(Turn::Interceptor(index)) => {
                Ok(Some((self.interceptors.bind(py).get_item(index)?, false)))
            }
            Some(Turn::Guard(index)) => {
                let guard = self.guards.bind(py).get_item(index)?;
                let name = guard.getattr("name")?.cast_into::<PyString>()?;
                let name = text_of(&name);
                self.core.channel().session.intercept_running(&self.key, &name);
                Ok(Some((guard, true)))
            }
            None => {
                let Some(way) = self.way().take() else { return Ok(None) };
                // It fails for one that the session has answered in the handler's place.
                let _ = self.core.tell(|session| session.end_chain(&self.key, way))?;
                Ok(None)
            }
        }
    }

    /// What the handler is shown, where one before it has changed it or failed.
    fn frame<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let intercept = self.way().as_ref().map(|way| Arc::clone(way.intercept()));
        intercept.map(|intercept| to_dict(py, &*intercept)).transpose()
    }

    /// What the handler decided, as the fields of its answer: none, a block, or one change.
    fn decided(&self, fields: &Bound<'_, PyDict>) -> PyResult<()> {
        let change = change_of(fields)?;
        match self.way().as_mut().map(|way| way.decided(change)) {
            Some(Err(unfit)) => Err(PyTypeError::new_err(unfit.to_string())),
            _ => Ok(()),
        }
    }

    /// The handler has failed; the text names it.
    fn failed(&self, why: Text) {
        if let Some(way) = self.way().as_mut() {
            way.failed(why.0);
        }
    }
}

fn change_of(fields: &Bound<'_, PyDict>) -> PyResult<Change> {
    if fields.is_empty() {
        return Ok(Change::None);
    }
    let text = |name: &str| -> PyResult<Option<String>> {
        let value = fields.get_item(name)?;
        Ok(value.map(|value| value.extract::<Text>()).transpose()?.map(|text| text.0))
    };
    if fields.contains("ask")? {
        return Ok(Change::Ask(text("reason")?.unwrap_or_default()));
    }
    if fields.contains("block")? {
        return Ok(Change::Block(text("reason")?.unwrap_or_default()));
    }
    if let Some(args) = fields.get_item("modified_args")? {
        return Ok(Change::Args(dump_raw(&args)?));
    }
    if fields.contains("handled")? {
        return Ok(Change::Handled);
    }
    if let Some(result) = fields.get_item("replace_result")? {
        let result =
            ReplaceResult::parse(dump_raw(&result)?.get()).map_err(PyTypeError::new_err)?;
        return Ok(Change::Result(result));
    }
    if let Some(replaced) = text("replace_text")? {
        return Ok(Change::Text(replaced));
    }
    Ok(text("system_prompt")?.map_or(Change::None, Change::SystemPrompt))
}
