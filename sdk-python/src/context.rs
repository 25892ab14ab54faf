//! What a handler is given about its call.

use std::sync::Arc;
use std::time::Instant;

use extline_protocol::frame::{Content, Progress, SessionInfo, ToolUpdate};
use extline_protocol::{RawJson, Repetition, Update};
use pyo3::exceptions::{PyRuntimeError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};

use crate::call::Call;
use crate::core::Core;
use crate::dump::dump_raw;
use crate::imports;
use crate::level::{log_level, note_level};
use crate::raw;
use crate::text::{Text, text_of};
use crate::tool::members_of;

/// The call that a handler serves, its host, and what can be said meanwhile.
///
/// Any handler may take it, as ``ctx`` or by the annotation ``Context``. It may be used from any
/// thread. When the handler has ended, `update`, `call_tool` and `request` raise `RuntimeError`. When
/// the session has ended, and in the child of a fork, every method that says something does.
#[pyclass(frozen, module = "extline._native", weakref)]
pub(crate) struct Context {
    pub(crate) core: Arc<Core>,
    pub(crate) call: Arc<Call>,
    deadline: Option<Instant>,
    session: Option<SessionInfo>,
    args: Option<RawJson>,
}

impl Context {
    pub(crate) fn new(
        core: &Arc<Core>,
        call: Arc<Call>,
        deadline: Option<Instant>,
        session: Option<SessionInfo>,
    ) -> Self {
        Self { core: Arc::clone(core), call, deadline, session, args: None }
    }

    fn repetition(&self) -> Option<Repetition> {
        self.core.channel().session.repetition(self.call.key()?).cloned()
    }

    /// The context of a tool's call with these arguments.
    pub(crate) fn with_args(self, args: RawJson) -> Self {
        Self { args: Some(args), ..self }
    }

    /// Shows what a generator yielded.
    pub(crate) fn show(&self, update: &Bound<'_, PyAny>) -> PyResult<()> {
        if update.is_none() {
            return Ok(());
        }
        if let Ok(message) = update.cast::<PyString>() {
            let message = text_of(message).into_owned();
            return self.send_update(saying(Some(message)));
        }
        if update.is_instance(imports::update(update.py())?)? {
            let fields = update.call_method0("_fields")?.cast_into::<PyDict>()?;
            return update_of(&fields).and_then(|update| self.send_update(update));
        }
        let kind = update.get_type().name()?;
        Err(PyTypeError::new_err(format!(
            "a tool yields how it stands: a str, or an Update; this is {kind} \
             (the result is what it returns)"
        )))
    }

    /// What is said of a call, and asked for one, belongs to its time.
    fn refuse_when_over(&self, what: &str) -> PyResult<()> {
        if self.call.key().is_none() || !self.call.has_ended() {
            return Ok(());
        }
        let text = format!(
            "the handler of this ctx has ended, and {what}: do it before the handler returns, or \
             use ctx.notify or ctx.log, which a ctx can do as long as the session lasts"
        );
        Err(PyRuntimeError::new_err(text))
    }

    fn send_update(&self, update: Update) -> PyResult<()> {
        let Some(key) = self.call.key() else { return Ok(()) };
        self.refuse_when_over("ctx.update shows how a running call stands")?;
        self.core.tell(|session| session.update(key, update))
    }
}

/// What a handler may ask of its call.
#[pymethods]
impl Context {
    /// The id of the call; empty for what has none: an event, a panel's input, setup, teardown.
    #[getter]
    fn call_id(&self) -> &str {
        self.call.key().map_or("", |key| key.id().as_str())
    }

    /// The arguments of a tool's call as they were written; None elsewhere.
    #[getter]
    fn raw_args(&self) -> Option<raw::RawJson> {
        self.args.clone().map(raw::RawJson)
    }

    /// When the host stops waiting, in seconds on the clock of `time.monotonic()`; None where it
    /// waits without an end, or does not say. It moves while a person is asked on behalf of the call, so
    /// read it again afterwards.
    #[getter]
    fn deadline(&self, py: Python<'_>) -> PyResult<Option<f64>> {
        let Some(deadline) = self.deadline else { return Ok(None) };
        // One that is answered has none any more.
        let of_call = |key| self.core.channel().session.deadline(key, Instant::now());
        let deadline = self.call.key().and_then(of_call).unwrap_or(deadline);
        let monotonic: f64 = py.import("time")?.call_method0("monotonic")?.extract()?;
        let now = Instant::now();
        let left = deadline.saturating_duration_since(now).as_secs_f64();
        // One that has passed stays where it was: it is compared with what the clock says later.
        let past = now.saturating_duration_since(deadline).as_secs_f64();
        Ok(Some(monotonic + left - past))
    }

    /// Names what a tool's call does, where the agent would make it again after a crash: then with the
    /// same key. None elsewhere.
    #[getter]
    fn operation_key(&self) -> Option<String> {
        self.repetition().and_then(|repetition| repetition.operation_key)
    }

    /// Whether the agent only asks what became of the call of that key, of a tool with
    /// `replay="reconcile"`: do nothing, and return `{"state": "completed"}`, `"not_started"` or
    /// `"unknown"`.
    #[getter]
    fn reconcile(&self) -> bool {
        self.repetition().is_some_and(|repetition| repetition.reconcile)
    }

    /// The conversation, as `(id, generation)`; None where the host does not say it. The id stays
    /// the same when a conversation is taken up again, the generation grows.
    #[getter]
    fn session(&self) -> Option<(String, Option<u64>)> {
        self.session.as_ref().map(|session| (session.id.clone(), session.generation))
    }

    /// The host: `name`, `version`, `provider`, `model`, `cwd`, `supports(capability)`.
    #[getter]
    fn host<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.core.serving(py).getattr("host")
    }

    /// The configuration as it is now: of the class that `ext.config` was given, else a dict.
    #[getter]
    fn config<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.core.serving(py).getattr("config")
    }

    /// Asks the person in front of the agent: `confirm`, `select`, `input`.
    #[getter]
    fn ui<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("extline._ui")?.getattr("Ui")?.call1((slf,))
    }

    /// What the extension keeps with its host: `session`, `project` and `global_`, each like a dict.
    #[getter]
    fn state<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("extline._state")?.getattr("State")?.call1((slf,))
    }

    /// The agent: `state`, `abort`, `tools`, `activate`, `deactivate`, `models`.
    #[getter]
    fn agent<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("extline._agent")?.getattr("Agent")?.call1((slf,))
    }

    /// Proposes what is done only when the model, or a person, says so: `push`.
    #[getter]
    fn pending<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.get().core.serving(slf.py()).call_method1("pending", (slf,))
    }

    /// The history of the conversation: `append`, `branch`, `info`.
    #[getter]
    fn history<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("extline._state")?.getattr("History")?.call1((slf,))
    }

    /// Where the extension is; None where the host does not say it.
    #[getter]
    fn extension_dir<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.host(py)?.getattr("extension_dir")
    }

    /// Where the extension may keep data; None where the host does not say it.
    #[getter]
    fn data_dir<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.host(py)?.getattr("data_dir")
    }

    /// Whether the host no longer wants the answer: the user pressed Esc, or the session ends.
    #[getter]
    fn cancelled(&self) -> bool {
        self.call.is_cancelled()
    }

    /// Raises `Cancelled` when the host no longer wants the answer; it becomes the answer. In an
    /// `async` handler a cancel is asyncio's own, raised by the next `await`.
    fn raise_if_cancelled(&self, py: Python<'_>) -> PyResult<()> {
        if !self.call.is_cancelled() {
            return Ok(());
        }
        Err(PyErr::from_value(imports::cancelled(py)?.call0()?))
    }

    /// Waits so many seconds; ends with `Cancelled` as soon as the call is cancelled. In an
    /// `async` handler it is to be awaited.
    fn sleep<'py>(slf: &Bound<'py, Self>, seconds: f64) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        slf.get().core.serving(py).call_method1("sleep", (slf, seconds))
    }

    /// Shows how the call stands; each replaces the one before. Never waits, and does nothing
    /// where the host does not show it.
    ///
    /// `message` is one line for the user, `done` of `total` in `unit` how far it is, `text` what
    /// there is of the answer so far, `details` any JSON value, `view` how a person is shown the answer so
    /// far. Of several within 50 ms the last is sent.
    #[pyo3(signature = (message=None, *, done=None, total=None, unit=None, text=None, details=None, view=None))]
    #[expect(clippy::too_many_arguments, reason = "by name, from Python")]
    fn update(
        &self,
        message: Option<Text>,
        done: Option<f64>,
        total: Option<f64>,
        unit: Option<Text>,
        text: Option<Text>,
        details: Option<&Bound<'_, PyAny>>,
        view: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let [message, unit, text] = [message, unit, text].map(|text| text.map(|text| text.0));
        let progress = Progress { done, total, unit, message };
        self.send_update(Update {
            progress: Some(progress).filter(|progress| *progress != Progress::default()),
            content: text.map(|text| vec![Content::Text(text)]),
            details: details.map(dump_raw).transpose()?,
            view: view.map(dump_raw).transpose()?,
        })
    }

    /// Goes through a loop and shows how far it is, as `3/10`; ends with `Cancelled` when the call
    /// is cancelled. `total` is the number of items, where `len(items)` does not say it.
    #[pyo3(signature = (items, message=None, *, unit=None, total=None))]
    fn track<'py>(
        slf: &Bound<'py, Self>,
        items: &Bound<'py, PyAny>,
        message: Option<Bound<'py, PyAny>>,
        unit: Option<Bound<'py, PyAny>>,
        total: Option<f64>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let track = slf.py().import("extline._track")?.getattr("track")?;
        track.call1((slf, items, message, unit, total))
    }

    /// Writes a line to the host's log, or to stderr where it keeps none. The level is `debug`,
    /// `info`, `warn` or `error`; `fields` are JSON values.
    #[pyo3(signature = (message, *, level="info", **fields))]
    fn log(&self, message: Text, level: &str, fields: Option<&Bound<'_, PyDict>>) -> PyResult<()> {
        let level = log_level(level)?;
        let fields = fields.map(|fields| dump_raw(fields)).transpose()?;
        self.core.tell_host(|session| session.log(level, message.0, fields))
    }

    /// Shows the user a note. `level` is `info`, `success`, `warn` or `error`.
    #[pyo3(signature = (message, *, level="info"))]
    fn notify(&self, message: Text, level: &str) -> PyResult<()> {
        let level = note_level(level)?;
        self.core.tell_host(|session| session.notify(level, message.0))
    }

    /// Queues a prompt for the model, or with a slash in front runs a command.
    fn submit(&self, text: Text) -> PyResult<()> {
        self.core.submit(text)
    }

    /// Calls another tool through the host, its guards and approvals: `ctx.call_tool("bash",
    /// command="ls")`. Returns a `ToolOutput`; to be awaited in an `async` handler.
    ///
    /// Raises `ToolError`: what the tool answered, or of kind `unsupported` where the host does
    /// not let extensions call tools, and `cancelled`.
    #[pyo3(signature = (name, /, **args))]
    fn call_tool<'py>(
        slf: &Bound<'py, Self>,
        name: &str,
        args: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        slf.get().refuse_when_over("ctx.call_tool is part of its call")?;
        let args = args.map_or_else(|| PyDict::new(py), Clone::clone);
        slf.get().core.serving(py).call_method1("call_tool", (slf, name, args))
    }

    /// Asks the host for something by method, with any JSON value; returns what it answers. To be
    /// awaited in an `async` handler.
    ///
    /// `timeout` is in seconds, unsaid there is none. `on_part` is called with each part of an
    /// answer that comes in parts, before the result is returned; in an `async` handler it may be
    /// `async` itself. What it raises ends the request.
    ///
    /// Raises `ToolError` with the kind that the host answered, or `unsupported` where it does not
    /// serve the method, `timeout`, `too_large`, `cancelled`.
    #[pyo3(signature = (method, params=None, *, timeout=None, on_part=None))]
    fn request<'py>(
        slf: &Bound<'py, Self>,
        method: &str,
        params: Option<&Bound<'py, PyAny>>,
        timeout: Option<f64>,
        on_part: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        slf.get().refuse_when_over("ctx.request is part of its call")?;
        slf.get().core.serving(py).call_method1("ask", (slf, method, params, timeout, on_part))
    }

    /// Has the host run a program, without a shell, and returns how it ended and what it wrote, as a `Ran`. To be
    /// awaited in an `async` handler. The person in front of the agent is asked first, unless they allow it; the
    /// program ends with the handler's call.
    ///
    /// `cwd` is a folder from the project's, which it is where that is unsaid. `env` has variables beside those of the
    /// extension, None takes one away. `timeout` is in seconds: a program whose time is over is ended, and
    /// `timed_out`. `max_bytes` is how much is kept of each stream, 262,144 at most. `on_output` is called with each
    /// text that it writes, and with `"stdout"` or `"stderr"`, while it runs.
    ///
    /// Raises `ToolError`: `permission` where it may not run, `not_found` where the program or its folder is not
    /// there, `unsupported` where the host runs no programs, which `ctx.host.serves("exec.run")` tells before.
    #[pyo3(signature = (command, args=None, *, cwd=None, env=None, stdin=None, timeout=None, max_bytes=None, on_output=None))]
    #[expect(clippy::too_many_arguments, reason = "authors name them")]
    fn exec<'py>(
        slf: &Bound<'py, Self>,
        command: &Bound<'py, PyAny>,
        args: Option<&Bound<'py, PyAny>>,
        cwd: Option<&Bound<'py, PyAny>>,
        env: Option<&Bound<'py, PyAny>>,
        stdin: Option<&Bound<'py, PyAny>>,
        timeout: Option<&Bound<'py, PyAny>>,
        max_bytes: Option<&Bound<'py, PyAny>>,
        on_output: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        slf.get().refuse_when_over("ctx.exec is part of its call")?;
        let run = py.import("extline._exec")?.getattr("run")?;
        let options = [cwd, env, stdin, timeout, max_bytes, on_output];
        run.call1((slf, command, args, PyTuple::new(py, options)?))
    }

    /// A key or a token that `permissions.secrets` of the extension's `extension.json` declares, as a `Secret`:
    /// `ctx.secret("OPENWEATHER_KEY").reveal()`. To be awaited in an `async` handler. `purpose` says in a few words
    /// what it is for. Under a host that keeps no secrets it is the environment variable of that name.
    ///
    /// Raises `ToolError` of kind `not_found` where it is not set, with a text that says what sets it, and
    /// `permission` where it is not declared.
    #[pyo3(signature = (name, purpose=None))]
    fn secret<'py>(
        slf: &Bound<'py, Self>,
        name: &Bound<'py, PyAny>,
        purpose: Option<&str>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let secret = slf.py().import("extline._secret")?.getattr("secret")?;
        secret.call1((slf, name, purpose))
    }

    /// An environment variable that `permissions.env` of the extension's `extension.json` declares, as it is where
    /// the agent was started. Else as `secret`, with a `str`.
    fn env<'py>(slf: &Bound<'py, Self>, name: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("extline._secret")?.getattr("env")?.call1((slf, name))
    }

    /// Sends a part of a method's answer before the answer, any JSON value; waits while the host does
    /// not read. To be awaited in an `async` handler. What a method's generator yields is sent so.
    ///
    /// Raises `ToolError` of kind `unsupported` elsewhere than in a method, `too_large`, `stale`,
    /// `cancelled`.
    fn send_part<'py>(
        slf: &Bound<'py, Self>,
        part: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        slf.get().refuse_when_over("ctx.send_part is part of its call")?;
        slf.get().core.serving(slf.py()).call_method1("send_part", (slf, part))
    }

    /// What it does not have, and what is in its place.
    #[expect(clippy::unused_self, reason = "as Python calls it")]
    fn __getattr__(&self, py: Python<'_>, name: &str) -> PyResult<()> {
        let error = py.import("extline._habits")?.getattr("of_context")?.call1((name,))?;
        Err(PyErr::from_value(error))
    }

    fn __repr__(&self) -> String {
        format!("<extline.Context of call {:?}>", self.call_id())
    }

    /// A panel of the extension by its id: `open`, `render`, `close`, `is_open`.
    fn panel<'py>(&self, py: Python<'py>, id: &str) -> PyResult<Bound<'py, PyAny>> {
        self.core.serving(py).call_method1("panel_of", (id,))
    }
}

fn saying(message: Option<String>) -> Update {
    Update { progress: Some(Progress { message, ..Progress::default() }), ..Update::default() }
}

/// An update by its members, as they stand in the frame.
fn update_of(fields: &Bound<'_, PyDict>) -> PyResult<Update> {
    let update: ToolUpdate = members_of(fields)?;
    let ToolUpdate { content, details, view, progress, .. } = update;
    Ok(Update { content, details, view, progress })
}
