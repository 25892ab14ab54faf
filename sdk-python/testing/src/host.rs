//! The host's session, for Python.

use extline_testing::{Host, Mistake, Seen};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// The host's end of a connection, for one thread. Calls are named by their serials; arguments that
/// are frames or values are JSON text.
#[pyclass(module = "extline.testing._native")]
pub(crate) struct HostSession(Host);

#[pymethods]
impl HostSession {
    /// A session of a host like `profile`, which answers a hello with `ack`.
    #[new]
    fn new(ack: &str, profile: &str) -> PyResult<Self> {
        Host::new(ack, profile).map(Self).map_err(mistake)
    }

    // What the profile says.

    /// Whether it cancels calls.
    #[getter]
    fn cancels(&self) -> bool {
        self.0.cancels()
    }

    /// Whether it asks guards apart from interceptors.
    #[getter]
    fn asks_in_phases(&self) -> bool {
        self.0.asks_in_phases()
    }

    fn has_event(&self, name: &str) -> bool {
        self.0.has_event(name)
    }

    fn has_point(&self, name: &str) -> bool {
        self.0.has_point(name)
    }

    // Bytes.

    fn handle_input(&mut self, bytes: &[u8]) {
        self.0.handle_input(bytes);
    }

    /// Its output has ended; `how` the extension did.
    fn handle_end(&mut self, how: &str) {
        self.0.handle_end(how);
    }

    /// The bytes to send.
    fn poll_output<'py>(&mut self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.poll_output())
    }

    /// What happened next: `(name, serial of a call or 0, what it says)`, or None.
    fn poll_event(&mut self) -> Option<(&'static str, u64, String)> {
        let Seen { name, serial, json } = self.0.poll_event()?;
        Some((name, serial, json))
    }

    // Calls; the answer is an event with the serial that these return.

    #[pyo3(signature = (name, args, timeout=None))]
    fn call_tool(&mut self, name: &str, args: &str, timeout: Option<u64>) -> PyResult<u64> {
        self.0.call_tool(name, args, timeout).map_err(mistake)
    }

    fn invoke_command(&mut self, name: &str, args: &str) -> PyResult<u64> {
        self.0.invoke_command(name, args).map_err(mistake)
    }

    /// Asks at a point, by the frame.
    fn intercept(&mut self, frame: &str) -> PyResult<u64> {
        self.0.intercept(frame).map_err(mistake)
    }

    fn request(&mut self, method: &str, params: Option<&str>) -> PyResult<u64> {
        self.0.request(method, params).map_err(mistake)
    }

    fn cancel(&mut self, serial: u64, reason: &str) {
        self.0.cancel(serial, reason);
    }

    /// Tells of an event, of what happened in a panel, or of the registrations, by the frame.
    fn tell(&mut self, frame: &str) -> PyResult<()> {
        self.0.tell(frame).map_err(mistake)
    }

    // Answers to what the extension asks. One that was answered before stays answered.

    fn answer_call(&mut self, serial: u64, frame: &str) -> PyResult<()> {
        self.0.answer_call(serial, frame).map_err(mistake)
    }

    fn answer_request(&mut self, serial: u64, result: &str) -> PyResult<()> {
        self.0.answer_request(serial, result).map_err(mistake)
    }

    fn refuse_request(&mut self, serial: u64, kind: &str, message: &str) {
        self.0.refuse_request(serial, kind, message);
    }

    fn send_part(&mut self, serial: u64, number: u64, part: &str) -> PyResult<()> {
        self.0.send_part(serial, number, part).map_err(mistake)
    }

    // The end.

    fn shutdown(&mut self) {
        self.0.shutdown();
    }
}

/// Why a value does not match a schema of the extension's; None where it does.
#[pyfunction]
pub(crate) fn output_problem(schema: &str, value: &str) -> PyResult<Option<String>> {
    extline_testing::output_problem(schema, value).map_err(mistake)
}

#[expect(clippy::needless_pass_by_value, reason = "for `map_err`")]
fn mistake(mistake: Mistake) -> PyErr {
    PyValueError::new_err(mistake.to_string())
}
