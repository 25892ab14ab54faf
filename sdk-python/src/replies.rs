//! How the Python half of the driver answers: what it does for a handler that it runs itself.

use extline_driver::questions::{Asked, Asker};
use extline_driver::running;
use extline_protocol::frame::{CommandResponse, Content, ErrorInfo, RpcError, ToolResult};
use extline_protocol::{CallKey, ErrorKind, RequestError, approval_answer};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::answer::answer;
use crate::call::Call;
use crate::context::Context;
use crate::core::end_if_in_child;
use crate::dump::dump_raw;
use crate::outgoing::{Question, raised};
use crate::run_tool::{Failed, cancelled};
use crate::session::Session;
use crate::stuck;
use crate::text::Text;
use crate::tool::members_of;

/// So large an answer is written at once, in bytes: a batch is for those that cost less than the write.
const LARGE: usize = 16 * 1024;

/// A context for what is no call: setup.
#[pyfunction]
pub(crate) fn context(session: &Session) -> Context {
    Context::new(&session.core, Call::new(None), None, None)
}

/// Has `waiter` called when the call is cancelled.
#[pyfunction]
pub(crate) fn on_cancel(context: &Context, waiter: &Bound<'_, PyAny>) -> PyResult<()> {
    context.call.on_cancel(waiter)
}

/// Does not have it called any more.
#[pyfunction]
pub(crate) fn forget(context: &Context, waiter: &Bound<'_, PyAny>) {
    context.call.forget(waiter);
}

/// From now on the call is in the list of those that can be cancelled; [`end`] takes the number.
#[pyfunction]
pub(crate) fn begin(context: &Context) -> u64 {
    let number = context.core.running.insert(&context.call);
    context.core.see_early_cancel(&context.call);
    number
}

#[pyfunction]
pub(crate) fn end(context: &Context, number: u64) {
    end_if_in_child();
    context.core.running.remove(number);
}

/// A call that runs as a task is in this thread from now on, until [`leave`].
#[pyfunction]
pub(crate) fn enter(py: Python<'_>, context: &Context) {
    if let Some(name) = context.call.task() {
        stuck::enter(py, [&name, ""], context.call.key().map(CallKey::serial));
    }
}

#[pyfunction]
pub(crate) fn leave() {
    running::leave();
}

/// The handler is about to wait for the host.
#[pyfunction]
pub(crate) fn step_aside(context: &Context) -> PyResult<()> {
    context.core.step_aside()
}

/// Answers a call of a tool that runs as a task with what its handler returned.
#[pyfunction]
pub(crate) fn answer_tool(
    py: Python<'_>,
    context: &Context,
    value: &Bound<'_, PyAny>,
) -> PyResult<()> {
    let failed = |error| failed(py, context, &Failed::Unsent(error));
    reply(context, answer(value).unwrap_or_else(failed))
}

/// The same with what it raised.
#[pyfunction]
pub(crate) fn fail_tool(
    py: Python<'_>,
    context: &Context,
    error: Bound<'_, PyAny>,
) -> PyResult<()> {
    let error = Failed::Raised(PyErr::from_value(error));
    reply(context, failed(py, context, &error))
}

fn failed(py: Python<'_>, context: &Context, failed: &Failed) -> ToolResult {
    let name = context.call.tool();
    match context.core.tool(name) {
        Some(tool) => context.core.failed(py, failed, &tool),
        // Taken back while it ran.
        None => ToolResult::error(
            "".into(),
            ErrorInfo::new(ErrorKind::Internal, format!("tool {name} failed")),
        ),
    }
}

/// The same where its host gave the call up.
#[pyfunction]
pub(crate) fn cancel_tool(context: &Context) -> PyResult<()> {
    reply(context, cancelled())
}

/// Shows what a generator yielded.
#[pyfunction]
pub(crate) fn show(context: &Context, update: &Bound<'_, PyAny>) -> PyResult<()> {
    context.show(update)
}

/// Answers a command by its frame.
#[pyfunction]
pub(crate) fn answer_command(context: &Context, frame: &Bound<'_, PyDict>) -> PyResult<()> {
    let Some(key) = context.call.key() else { return Ok(()) };
    let response: CommandResponse = members_of(frame)?;
    // It fails for a call that the session has answered in the handler's place, at shutdown.
    let _ = context.core.tell(|session| session.reply_command(key, response))?;
    Ok(())
}

/// A command failed.
#[pyfunction]
pub(crate) fn fail_command(context: &Context, message: Text) -> PyResult<()> {
    let Some(key) = context.call.key() else { return Ok(()) };
    let response = CommandResponse::error(key.id().clone(), message.0);
    // As above.
    let _ = context.core.tell(|session| session.reply_command(key, response))?;
    Ok(())
}

/// The handlers of an intercept failed.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "as pyo3 passes it")]
pub(crate) fn fail_intercept(context: &Context, reason: Text) -> PyResult<()> {
    let Some(key) = context.call.key() else { return Ok(()) };
    // As above.
    let _ = context.core.tell(|session| session.fail_intercept(key, &reason.0))?;
    Ok(())
}

/// Answers a request of the host's.
#[pyfunction]
pub(crate) fn answer_request(context: &Context, result: &Bound<'_, PyAny>) -> PyResult<()> {
    let Some(key) = context.call.key() else { return Ok(()) };
    let result = dump_raw(result)?;
    // As above.
    let _ = context.core.tell(|session| session.reply_request(key, Ok(result)))?;
    Ok(())
}

/// Says whether a call is to be approved. Raises `ValueError` for what is no answer to that.
#[pyfunction]
pub(crate) fn answer_approval(context: &Context, returned: &Bound<'_, PyAny>) -> PyResult<()> {
    let Some(key) = context.call.key() else { return Ok(()) };
    let answer = approval_answer(&dump_raw(returned)?);
    let answer = answer.map_err(|error| PyValueError::new_err(error.to_string()))?;
    // As above.
    let _ = context.core.tell(|session| session.reply_request(key, Ok(answer)))?;
    Ok(())
}

/// A request of the host's failed.
#[pyfunction]
pub(crate) fn fail_request(context: &Context, code: &str, message: Text) -> PyResult<()> {
    let Some(key) = context.call.key() else { return Ok(()) };
    let error = RpcError::new(ErrorKind::from(code), message.0);
    // As above.
    let _ = context.core.tell(|session| session.reply_request(key, Err(error)))?;
    Ok(())
}

/// Sends a part of the answer to a request of the host's. False while so many wait to be written that
/// this one has to (`rpc.parts-ahead`).
#[pyfunction]
pub(crate) fn send_part(
    py: Python<'_>,
    context: &Context,
    part: &Bound<'_, PyAny>,
) -> PyResult<bool> {
    let part = dump_raw(part)?;
    match context.core.tell(|session| session.send_part(context.call.key(), part))? {
        Err(RequestError::PartsAhead) => Ok(false),
        sent => sent.map(|()| true).map_err(|refused| raised(py, (&refused).into())),
    }
}

/// Calls a tool of the host's; `woken` is called when the answer is there. A cancel of the call ends the
/// wait where it `interrupts`.
#[pyfunction]
pub(crate) fn call_tool(
    py: Python<'_>,
    context: &Context,
    name: &str,
    args: &Bound<'_, PyDict>,
    interrupts: bool,
    woken: Py<PyAny>,
) -> PyResult<Question> {
    let asked = Asked::Tool { name, args: dump_raw(args)? };
    Question::ask(py, &context.core, asker(context, interrupts), asked, woken)
}

/// Asks the host by method; `woken` is called when a part or the answer is there. Else as `call_tool`.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "as Python calls it")]
pub(crate) fn request(
    py: Python<'_>,
    context: &Context,
    method: &str,
    params: Option<&Bound<'_, PyAny>>,
    timeout: Option<f64>,
    wants_parts: bool,
    interrupts: bool,
    woken: Py<PyAny>,
) -> PyResult<Question> {
    let params = params.map(dump_raw).transpose()?;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a time in milliseconds; what is no time is none"
    )]
    let timeout_ms = timeout.map(|seconds| (seconds * 1000.0).max(0.0) as u64);
    let asked = Asked::Request { method, params, timeout_ms, wants_parts };
    Question::ask(py, &context.core, asker(context, interrupts), asked, woken)
}

fn asker(context: &Context, is_handler: bool) -> Asker<'_> {
    Asker { call: context.call.key(), is_handler }
}

fn reply(context: &Context, result: ToolResult) -> PyResult<()> {
    end_if_in_child();
    let Some(key) = context.call.key() else { return Ok(()) };
    context.core.running.remove(key.serial());
    let may_wait = size(&result) < LARGE;
    // As above.
    let _ = context.core.say(|session| session.reply_tool(key, result), may_wait)?;
    Ok(())
}

/// About, in bytes.
fn size(result: &ToolResult) -> usize {
    let blocks = result.content.iter().map(|block| match block {
        Content::Text(text) => text.len(),
        Content::Image { data, .. } => data.len(),
        Content::TextJson(text) => text.get().len(),
        Content::Other(_) => 0,
    });
    blocks.sum()
}
