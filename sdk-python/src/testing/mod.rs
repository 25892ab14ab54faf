//! A host's session without input and output: what `extline.testing` is made of.

mod events;

use std::collections::HashMap;
use std::time::{Duration, Instant};

use extline_protocol::frame::{HostFrame, Limits, RpcError, ShutdownReason};
use extline_protocol::limits::{COMMAND_DEADLINE, FRAME_BYTES, INTERCEPT_DEADLINE, TOOL_DEADLINE};
use extline_protocol::{
    CallKey, Capabilities, Deadlines, ErrorKind, HostConfig, HostSession as Session, Intercept,
    Profile, ToolCallOptions, Vocabulary,
};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::dump::dump_raw;
use crate::frames::host_frame;

/// Longer than any test: what a real host would give up, a testing host waits for until its own
/// deadline.
const NEVER: Duration = Duration::from_secs(24 * 60 * 60);

/// What is not answered, by serials; each side counts its own.
#[derive(Default)]
struct Open {
    /// Asked by the host.
    calls: HashMap<u64, CallKey>,
    /// Asked by the extension.
    asked: HashMap<u64, CallKey>,
}

/// The host's end of a connection, for one thread. Calls are named by their serials.
#[pyclass(module = "extline._native")]
pub(crate) struct HostSession {
    session: Session,
    profile: Profile,
    open: Open,
}

#[pymethods]
impl HostSession {
    /// A session of a host like `profile`, which answers a hello with `ack`.
    #[new]
    fn new(ack: &Bound<'_, PyDict>, profile: &str) -> PyResult<Self> {
        let profile = Profile::named(profile).map_err(mistake)?;
        let HostFrame::HelloAck(mut ack) = host_frame(ack)? else {
            return Err(PyValueError::new_err("it is no hello_ack"));
        };
        ack.capabilities.get_or_insert_with(|| Capabilities::all().names());
        ack.limits.get_or_insert_with(limits);
        profile.zot_version.clone_into(&mut ack.zot_version);
        let deadlines = Deadlines {
            hello: NEVER,
            ready: NEVER,
            command: NEVER,
            tool: NEVER,
            intercept: NEVER,
            call_tool: NEVER,
            cancelled: NEVER,
            write: NEVER,
        };
        let config = HostConfig { ack: *ack, deadlines, profile: profile.clone() };
        Ok(Self { session: Session::new(config, Instant::now()), profile, open: Open::default() })
    }

    // What the profile says.

    /// Whether it cancels calls.
    #[getter]
    fn cancels(&self) -> bool {
        self.profile.tool_cancel
    }

    /// Whether it asks guards apart from interceptors.
    #[getter]
    fn asks_in_phases(&self) -> bool {
        self.profile.vocabulary == Vocabulary::Extline
    }

    fn has_event(&self, name: &str) -> bool {
        self.profile.vocabulary.has_event(name)
    }

    fn has_point(&self, name: &str) -> bool {
        self.profile.vocabulary.has_point(name)
    }

    // Bytes.

    fn handle_input(&mut self, bytes: &[u8]) {
        self.session.handle_input(bytes, Instant::now());
    }

    /// Its output has ended; `how` the extension did.
    fn handle_end(&mut self, how: &str) {
        self.session.handle_eof(Instant::now());
        self.session.handle_gone(how);
    }

    /// The bytes to send.
    fn poll_output<'py>(&mut self, py: Python<'py>) -> Bound<'py, PyBytes> {
        let mut bytes = Vec::new();
        self.session.poll_output(&mut bytes);
        PyBytes::new(py, &bytes)
    }

    /// What happened next: `(name, serial of a call or 0, what it says)`, or None.
    fn poll_event<'py>(&mut self, py: Python<'py>) -> PyResult<Option<events::Seen<'py>>> {
        let Some(event) = self.session.poll_event() else { return Ok(None) };
        events::seen(py, event, &mut self.open).map(Some)
    }

    // Calls; the answer is an event with the serial that these return.

    #[pyo3(signature = (name, args, timeout=None))]
    fn call_tool(
        &mut self,
        name: &str,
        args: &Bound<'_, PyDict>,
        timeout: Option<u64>,
    ) -> PyResult<u64> {
        let timeout = timeout.map(Duration::from_millis);
        let options = ToolCallOptions { timeout, ..ToolCallOptions::default() };
        let sent = self.session.call_tool(name, dump_raw(args)?, options, Instant::now());
        Ok(self.keep(sent.map_err(mistake)?))
    }

    fn invoke_command(&mut self, name: &str, args: &str) -> PyResult<u64> {
        let sent = self.session.invoke_command(name, args, Instant::now());
        Ok(self.keep(sent.map_err(mistake)?))
    }

    /// Asks at a point, by the frame.
    fn intercept(&mut self, frame: &Bound<'_, PyDict>) -> PyResult<u64> {
        let HostFrame::EventIntercept(frame) = host_frame(frame)? else {
            return Err(PyValueError::new_err("it is no event_intercept"));
        };
        let intercept = Intercept {
            event: frame.event,
            phase: frame.phase,
            payload: frame.payload,
            provider: frame.provider,
            model: frame.model,
            system_prompt: frame.system_prompt,
        };
        let sent = self.session.intercept(intercept, Instant::now());
        Ok(self.keep(sent.map_err(mistake)?))
    }

    fn request(&mut self, method: &str, params: Option<&Bound<'_, PyAny>>) -> PyResult<u64> {
        let params = params.map(dump_raw).transpose()?;
        let sent = self.session.request(method, params, None, Instant::now());
        Ok(self.keep(sent.map_err(mistake)?))
    }

    fn cancel(&mut self, serial: u64, reason: &str) {
        if let Some(key) = self.open.calls.get(&serial) {
            self.session.cancel(key, reason, Instant::now());
        }
    }

    /// Tells of an event, of what happened in a panel, or of the registrations, by the frame.
    fn tell(&mut self, frame: &Bound<'_, PyDict>) -> PyResult<()> {
        match host_frame(frame)? {
            HostFrame::Event(event) => self.session.send_event(&event),
            HostFrame::PanelKey(key) => self.session.panel_key(&key),
            HostFrame::PanelResize(resize) => self.session.panel_resize(&resize),
            HostFrame::PanelClose(close) => self.session.panel_close(&close.panel_id),
            HostFrame::Registered(report) => self.session.report(&report),
            _ => return Err(PyValueError::new_err("a host does not tell this")),
        }
        Ok(())
    }

    // Answers to what the extension asks. One that was answered before stays answered.

    fn answer_call(&mut self, serial: u64, frame: &Bound<'_, PyDict>) -> PyResult<()> {
        let HostFrame::CallToolResult(result) = host_frame(frame)? else {
            return Err(PyValueError::new_err("it is no tool_result"));
        };
        if let Some(key) = self.open.asked.remove(&serial) {
            let _ = self.session.reply_call_tool(&key, result);
        }
        Ok(())
    }

    fn answer_request(&mut self, serial: u64, result: &Bound<'_, PyAny>) -> PyResult<()> {
        let result = dump_raw(result)?;
        if let Some(key) = self.open.asked.remove(&serial) {
            let _ = self.session.reply_request(&key, Ok(result));
        }
        Ok(())
    }

    fn refuse_request(&mut self, serial: u64, kind: &str, message: &str) {
        let error = RpcError::new(ErrorKind::from(kind), message);
        if let Some(key) = self.open.asked.remove(&serial) {
            let _ = self.session.reply_request(&key, Err(error));
        }
    }

    fn send_part(&mut self, serial: u64, number: u64, part: &Bound<'_, PyAny>) -> PyResult<()> {
        let part = dump_raw(part)?;
        if let Some(key) = self.open.asked.get(&serial) {
            let _ = self.session.send_part(key, number, part);
        }
        Ok(())
    }

    // The end.

    fn shutdown(&mut self) {
        self.session.shutdown(Some(ShutdownReason::Exit), Instant::now());
    }
}

/// What every host grants unless a test says otherwise.
fn limits() -> Limits {
    let millis = |duration: Duration| u64::try_from(duration.as_millis()).ok();
    Limits {
        frame_bytes: u64::try_from(FRAME_BYTES).ok(),
        tool_timeout_ms: millis(TOOL_DEADLINE),
        intercept_timeout_ms: millis(INTERCEPT_DEADLINE),
        command_timeout_ms: millis(COMMAND_DEADLINE),
    }
}

impl HostSession {
    fn keep(&mut self, key: CallKey) -> u64 {
        let serial = key.serial();
        self.open.calls.insert(serial, key);
        serial
    }
}

fn mistake(error: impl std::error::Error) -> PyErr {
    PyRuntimeError::new_err(error.to_string())
}
