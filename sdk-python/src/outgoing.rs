//! What the extension asks the host for, until the answer comes.

use std::sync::Arc;

use extline_driver::questions::{Answer, Asked, Asker, News, Reply};
use extline_driver::{Question as Open, Questions, modify, secrets};
use extline_protocol::ExtensionEvent;
use extline_protocol::frame::ErrorInfo;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::context::Context;
use crate::core::{Core, refuse_in_child};
use crate::frames::to_dict;
use crate::imports;
use extline_python_json::load;

/// A question to the host, for Python. What it was asked with is called when there is something to
/// take.
#[pyclass(frozen, module = "extline._native")]
pub(crate) struct Question {
    core: Arc<Core>,
    open: Arc<Open<Py<PyAny>>>,
}

impl Question {
    /// Has `woken` called once the host has answered.
    pub(crate) fn ask(
        py: Python<'_>,
        core: &Arc<Core>,
        asker: Asker<'_>,
        what: Asked<'_>,
        woken: Py<PyAny>,
    ) -> PyResult<Self> {
        refuse_in_child()?;
        // Nobody can answer before the question is in the list.
        let mut questions = core.questions();
        let open = core.tell(|session| questions.ask(session, asker, what, || woken))?;
        drop(questions);
        let open = open.map_err(|error| raised(py, *error))?;
        Ok(Self { core: Arc::clone(core), open })
    }
}

#[pymethods]
impl Question {
    /// What came: `(True, part)`, and behind all parts `(False, answer)`; `None` while there is
    /// nothing. Raises the `ToolError` that the answer is, or `Cancelled`.
    fn take<'py>(&self, py: Python<'py>) -> PyResult<Option<(bool, Bound<'py, PyAny>)>> {
        Ok(Some(match self.open.take() {
            None => return Ok(None),
            Some(News::Part(part)) => (true, load(py, part.get())?),
            Some(News::Answer(answer)) => (false, value(py, answer)?),
            Some(News::Interrupted) => {
                return Err(PyErr::from_value(imports::cancelled(py)?.call0()?));
            }
        }))
    }

    /// The answer is not wanted any more. It comes all the same, and nobody is told.
    fn cancel(&self) -> PyResult<()> {
        refuse_in_child()?;
        let mut questions = self.core.questions();
        self.core.tell(|session| questions.give_up(session, &self.open))
    }
}

impl Core {
    /// Hands an answer over.
    pub(crate) fn deliver(&self, py: Python<'_>, event: ExtensionEvent) {
        let taken = { self.questions().take_in(event) };
        if let Ok(Some(question)) = taken {
            wake(py, &question);
        }
    }

    /// Gives up what cancelled handlers have asked.
    pub(crate) fn interrupt_questions(
        &self,
        py: Python<'_>,
        which: impl FnOnce(
            &mut Questions<Py<PyAny>>,
            &mut extline_protocol::ExtensionSession,
        ) -> Vec<Arc<Open<Py<PyAny>>>>,
    ) {
        let interrupted = {
            let mut questions = self.questions();
            let mut channel = self.channel();
            which(&mut questions, &mut channel.session)
        };
        for question in interrupted {
            wake(py, &question);
        }
    }
}

fn wake(py: Python<'_>, question: &Open<Py<PyAny>>) {
    if let Err(error) = question.waiter.call0(py) {
        error.write_unraisable(py, None);
    }
}

/// The answer as the author sees it.
fn value(py: Python<'_>, Answer { reply, error }: Answer) -> PyResult<Bound<'_, PyAny>> {
    if let Some(error) = error {
        return Err(raised(py, *error));
    }
    match reply {
        Reply::Tool(result) => {
            let content = to_dict(py, &result)?.get_item("content")?;
            let content = content.unwrap_or_else(|| PyList::empty(py).into_any());
            imports::tool_output(py)?.call1((content, result.truncated))
        }
        Reply::Method(result) => load(py, result.unwrap_or_default().get()),
    }
}

/// What `secret.get` or `env.get` would answer, where the host does not serve it: as the answer of `ctx.request`, to be
/// awaited where that is. `None` where the host is to be asked. Raises `ToolError`.
#[pyfunction]
pub(crate) fn elsewhere<'py>(
    py: Python<'py>,
    context: &Context,
    method: &str,
    name: &str,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let found = secrets::elsewhere(&context.core.channel().session, method, name);
    let Some(found) = found else { return Ok(None) };
    let answer = PyDict::new(py);
    answer.set_item("value", found.map_err(|error| raised(py, *error))?)?;
    context.core.serving(py).call_method1("at_once", (answer,)).map(Some)
}

/// Whether a value that could not be set, by the kind of the failure, is read and changed again.
#[pyfunction]
pub(crate) fn tries_again(kind: &str, tried: u32) -> bool {
    modify::tries_again(&kind.into(), tried)
}

/// A failure as Python's `ToolError`.
pub(crate) fn raised(py: Python<'_>, error: ErrorInfo) -> PyErr {
    let ErrorInfo { kind, message, hint, causes, .. } = error;
    let causes = causes.unwrap_or_default();
    let error =
        imports::failed(py).and_then(|failed| failed.call1((kind.as_str(), message, hint, causes)));
    error.map_or_else(|error| error, PyErr::from_value)
}
