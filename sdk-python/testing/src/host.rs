//! The testing host, for Python.

use extline_testing::{Asked, Failure, Host, Look, Mistake, Progress, Told};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyFloat, PyString};

/// A testing host without its waiting, for one thread. What a test does is a step, named by a number;
/// arguments that are objects or values are JSON text.
#[pyclass(module = "extline.testing._native")]
pub(crate) struct HostSteps(pub(crate) Host);

#[pymethods]
impl HostSteps {
    /// A host as `options` say, an object.
    #[new]
    fn new(options: &str) -> PyResult<Self> {
        Host::new(options).map(Self).map_err(mistake)
    }

    /// Seconds that each step may take.
    #[getter]
    fn deadline(&self) -> f64 {
        self.0.deadline()
    }

    #[setter]
    fn set_deadline(&mut self, seconds: f64) {
        self.0.set_deadline(seconds);
    }

    /// Begins a step: an array of its name and what it is given.
    fn step(&mut self, step: &str) -> u32 {
        self.0.step(step)
    }

    /// Looks at a step: seconds to wait for its end, or what it found as JSON text. A failure is
    /// raised, as the class of its kind.
    fn look<'py>(
        &mut self,
        py: Python<'py>,
        step: u32,
        has_begun: bool,
        is_calm: bool,
        is_tearing_down: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        match self.0.look(step, Progress { has_begun, is_calm, is_tearing_down }) {
            Ok(Look::Wait(time)) => Ok(PyFloat::new(py, time.as_secs_f64()).into_any()),
            Ok(Look::Found(json)) => Ok(PyString::new(py, &json).into_any()),
            Err(failure) => Err(raised(py, &failure)),
        }
    }

    /// Ends a step that is not waited for any more.
    fn drop_step(&mut self, step: u32) {
        self.0.drop_step(step);
    }

    // What comes and goes.

    fn handle_input(&mut self, bytes: &[u8]) {
        self.0.handle_input(bytes);
    }

    /// Its output has ended; `how` the extension did, and its exit code.
    fn handle_end(&mut self, how: &str, code: Option<i32>) {
        self.0.handle_end(how, code);
    }

    /// A handler that answers nobody has failed.
    fn handle_failure(&mut self, text: &str) {
        self.0.handle_failure(text);
    }

    /// The bytes to send.
    fn poll_output<'py>(&mut self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.poll_output())
    }

    /// A case sends this, past the session.
    fn note_sent(&mut self, bytes: &[u8]) {
        self.0.note_sent(bytes);
    }

    /// Something new that a user would see: the name of its list, and the entry.
    fn poll_told(&mut self) -> Option<(&'static str, String)> {
        let Told { list, json } = self.0.poll_told()?;
        Some((list, json))
    }

    /// What the extension asks of the test: a number for the answer, whether of a method, the name,
    /// and what it is given.
    fn poll_asked(&mut self) -> Option<(u64, bool, String, String)> {
        let Asked { serial, is_method, name, json } = self.0.poll_asked()?;
        Some((serial, is_method, name, json))
    }

    fn answer_call(&mut self, asked: u64, content: &str, is_error: bool) -> PyResult<()> {
        self.0.answer_call(asked, content, is_error).map_err(mistake)
    }

    fn answer_request(&mut self, asked: u64, result: &str) -> PyResult<()> {
        self.0.answer_request(asked, result).map_err(mistake)
    }

    fn refuse_request(&mut self, asked: u64, kind: &str, message: &str) {
        self.0.refuse_request(asked, kind, message);
    }

    fn send_part(&mut self, asked: u64, part: &str) -> PyResult<()> {
        self.0.send_part(asked, part).map_err(mistake)
    }

    /// Runs nothing of the test's any more.
    fn forget_stand_ins(&mut self) {
        self.0.forget_stand_ins();
    }

    // What is known.

    #[getter]
    fn tools(&self) -> String {
        self.0.tools()
    }

    #[getter]
    fn commands(&self) -> String {
        self.0.commands()
    }

    #[getter]
    fn subscription(&self) -> String {
        self.0.subscription()
    }

    /// How the extension has ended, if it has.
    #[getter]
    fn ended(&self) -> Option<&str> {
        self.0.ended()
    }

    #[getter]
    fn has_left(&self) -> bool {
        self.0.has_left()
    }

    #[getter]
    fn has_answered(&self) -> bool {
        self.0.has_answered()
    }

    /// What the extension keeps, JSON text; `null` where the host keeps nothing.
    fn state(&mut self) -> String {
        self.0.state()
    }

    /// The lines of the transcript from a number on: who sent each, and the line.
    fn lines(&self, start: usize) -> Vec<(&'static str, String)> {
        let lines = self.0.transcript().lines().iter().skip(start);
        lines.map(|line| (line.side.name(), line.json.clone())).collect()
    }

    /// The end of the transcript, as it stands in a failure.
    fn tail(&self) -> String {
        self.0.transcript().tail()
    }
}

/// The class of its kind, as a test catches it.
fn raised(py: Python<'_>, failure: &Failure) -> PyErr {
    let class =
        py.import("extline.testing._failure").and_then(|it| it.getattr(failure.kind.name()));
    match class.and_then(|class| class.call1((&failure.text,))) {
        Ok(exception) => PyErr::from_value(exception),
        Err(error) => error,
    }
}

#[expect(clippy::needless_pass_by_value, reason = "for `map_err`")]
fn mistake(mistake: Mistake) -> PyErr {
    PyValueError::new_err(mistake.to_string())
}
