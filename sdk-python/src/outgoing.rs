//! What the extension asks the host for, until the answer comes.

use std::mem;
use std::sync::{Arc, Mutex, PoisonError};

use extline_protocol::frame::{CallToolResult, RpcError};
use extline_protocol::{CallKey, ErrorKind, ExtensionSession, RawJson};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::core::{Core, refuse_in_child};
use crate::frames::to_dict;
use crate::load::load;

/// One question: `woken` is called when the answer is there.
pub(crate) struct Asked {
    woken: Py<PyAny>,
    answer: Mutex<Option<Answer>>,
    /// What came before it; `None` for a question whose parts nobody wants.
    parts: Option<Mutex<Vec<RawJson>>>,
}

enum Answer {
    Tool(CallToolResult),
    Response(Result<RawJson, RpcError>),
}

/// A question to the host, for Python.
#[pyclass(frozen, module = "extline._native")]
pub(crate) struct Question {
    core: Arc<Core>,
    key: CallKey,
    asked: Arc<Asked>,
}

impl Question {
    /// Has `woken` called once the host has answered. The question is asked by `ask`, while nobody
    /// can answer.
    pub(crate) fn ask<E>(
        core: &Arc<Core>,
        woken: Py<PyAny>,
        wants_parts: bool,
        ask: impl FnOnce(&mut ExtensionSession) -> Result<CallKey, E>,
    ) -> PyResult<Result<Self, E>> {
        refuse_in_child()?;
        let parts = wants_parts.then(Mutex::default);
        let asked = Arc::new(Asked { woken, answer: Mutex::new(None), parts });
        let mut table = core.asked.lock().unwrap_or_else(PoisonError::into_inner);
        let key = core.tell(ask)?;
        if let Ok(key) = &key {
            table.insert(key.clone(), Arc::clone(&asked));
        }
        drop(table);
        Ok(key.map(|key| Self { core: Arc::clone(core), key, asked }))
    }
}

#[pymethods]
impl Question {
    /// The answer as `(result, error)` of dicts, or `None` while there is none.
    fn answer<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<Option<(Bound<'py, PyAny>, Bound<'py, PyAny>)>> {
        let answer = self.asked.answer.lock().unwrap_or_else(PoisonError::into_inner).take();
        let none = || py.None().into_bound(py);
        Ok(match answer {
            None => None,
            Some(Answer::Tool(result)) => Some((to_dict(py, &result)?.into_any(), none())),
            Some(Answer::Response(Ok(result))) => Some((load(py, result.get())?, none())),
            Some(Answer::Response(Err(error))) => {
                Some((none(), error_dict(py, &error)?.into_any()))
            }
        })
    }

    /// The parts that have come since this was asked last. All of them are here once there is an
    /// answer.
    fn parts<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let Some(parts) = &self.asked.parts else { return Ok(Vec::new()) };
        let parts = mem::take(&mut *parts.lock().unwrap_or_else(PoisonError::into_inner));
        parts.iter().map(|part| load(py, part.get())).collect()
    }

    /// The answer is not wanted any more. It comes all the same, and nobody is told.
    fn cancel(&self) -> PyResult<()> {
        let forgotten =
            self.core.asked.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.key);
        drop(forgotten);
        self.core.tell(|session| session.cancel_outgoing(&self.key))
    }
}

impl Core {
    pub(crate) fn deliver_tool(&self, py: Python<'_>, key: &CallKey, result: CallToolResult) {
        self.deliver(py, key, Answer::Tool(result));
    }

    pub(crate) fn deliver_response(
        &self,
        py: Python<'_>,
        key: &CallKey,
        result: Result<RawJson, RpcError>,
    ) {
        self.deliver(py, key, Answer::Response(result));
    }

    pub(crate) fn deliver_part(&self, py: Python<'_>, key: &CallKey, part: RawJson) {
        let asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner).get(key).cloned();
        let Some(asked) = asked else { return };
        let Some(parts) = &asked.parts else { return };
        parts.lock().unwrap_or_else(PoisonError::into_inner).push(part);
        wake(py, &asked);
    }

    fn deliver(&self, py: Python<'_>, key: &CallKey, answer: Answer) {
        let asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner).remove(key);
        let Some(asked) = asked else { return };
        *asked.answer.lock().unwrap_or_else(PoisonError::into_inner) = Some(answer);
        wake(py, &asked);
    }
}

fn wake(py: Python<'_>, asked: &Asked) {
    if let Err(error) = asked.woken.call0(py) {
        error.write_unraisable(py, None);
    }
}

fn error_dict<'py>(py: Python<'py>, error: &RpcError) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("code", error.code.as_str())?;
    dict.set_item("message", &error.message)?;
    dict.set_item("data", error.data.as_ref().map(|data| load(py, data.get())).transpose()?)?;
    Ok(dict)
}

/// The error of one of the extension's own calls, as Python's `ToolError` says it.
pub(crate) fn refusal(py: Python<'_>, kind: &ErrorKind, message: &str) -> PyErr {
    let error = crate::imports::tool_error(py).and_then(|class| {
        let of_kind = class.getattr("of_kind")?;
        of_kind.call1((kind.as_str(), message))
    });
    error.map_or_else(|error| error, PyErr::from_value)
}
