//! The host's session, for JavaScript.

use extline_testing::{Host, Mistake};
use napi::bindgen_prelude::{Buffer, Uint8Array};
use napi::{Error, Result};
use napi_derive::napi;

/// Something that the session has said of the extension.
#[napi(object)]
pub struct Seen {
    /// Its name: `hello`, `tool_result`, ...
    pub name: String,
    /// The serial of the call that it belongs to, or 0.
    pub serial: i64,
    /// What it says, mostly the frame, as JSON.
    pub json: String,
}

/// The host's end of a connection. Calls are named by their serials.
#[napi]
pub struct HostSession(Host);

#[napi]
impl HostSession {
    /// A session of a host like `profile`, which answers a hello with `ack`.
    #[napi(constructor, catch_unwind)]
    pub fn new(ack: String, profile: String) -> Result<Self> {
        Host::new(&ack, &profile).map(Self).map_err(to_js)
    }

    /// Whether such a host cancels calls.
    #[napi(getter, catch_unwind)]
    pub fn cancels(&self) -> bool {
        self.0.cancels()
    }

    /// Whether it asks guards apart from interceptors.
    #[napi(getter, catch_unwind)]
    pub fn asks_in_phases(&self) -> bool {
        self.0.asks_in_phases()
    }

    /// Whether it has an event.
    #[napi(catch_unwind)]
    pub fn has_event(&self, name: String) -> bool {
        self.0.has_event(&name)
    }

    /// Whether it asks at a point.
    #[napi(catch_unwind)]
    pub fn has_point(&self, name: String) -> bool {
        self.0.has_point(&name)
    }

    /// Bytes of the extension's.
    #[napi(catch_unwind)]
    pub fn handle_input(&mut self, bytes: Uint8Array) {
        self.0.handle_input(&bytes);
    }

    /// Its output has ended.
    #[napi(catch_unwind)]
    pub fn handle_end(&mut self, how: String) {
        self.0.handle_end(&how);
    }

    /// The bytes to send; nothing when there are none.
    #[napi(catch_unwind)]
    pub fn poll_output(&mut self) -> Option<Buffer> {
        let bytes = self.0.poll_output();
        (!bytes.is_empty()).then(|| bytes.into())
    }

    /// What happened next.
    #[napi(catch_unwind)]
    pub fn poll_event(&mut self) -> Option<Seen> {
        let extline_testing::Seen { name, serial, json } = self.0.poll_event()?;
        Some(Seen { name: name.to_owned(), serial: outside(serial), json })
    }

    /// Calls a tool, with a timeout in milliseconds; the serial of the call.
    #[napi(catch_unwind)]
    pub fn call_tool(&mut self, name: String, args: String, timeout: Option<u32>) -> Result<i64> {
        self.0.call_tool(&name, &args, timeout.map(Into::into)).map(outside).map_err(to_js)
    }

    /// Runs a command.
    #[napi(catch_unwind)]
    pub fn invoke_command(&mut self, name: String, args: String) -> Result<i64> {
        self.0.invoke_command(&name, &args).map(outside).map_err(to_js)
    }

    /// Asks at a point, by the frame.
    #[napi(catch_unwind)]
    pub fn intercept(&mut self, frame: String) -> Result<i64> {
        self.0.intercept(&frame).map(outside).map_err(to_js)
    }

    /// Asks by method.
    #[napi(catch_unwind)]
    pub fn request(&mut self, method: String, params: Option<String>) -> Result<i64> {
        self.0.request(&method, params.as_deref()).map(outside).map_err(to_js)
    }

    /// Takes a call back.
    #[napi(catch_unwind)]
    pub fn cancel(&mut self, serial: i64, reason: String) {
        self.0.cancel(inside(serial), &reason);
    }

    /// Tells of an event, of what happened in a panel, or of the registrations, by the frame.
    #[napi(catch_unwind)]
    pub fn tell(&mut self, frame: String) -> Result<()> {
        self.0.tell(&frame).map_err(to_js)
    }

    /// Answers a call of the extension's, by the frame.
    #[napi(catch_unwind)]
    pub fn answer_call(&mut self, serial: i64, frame: String) -> Result<()> {
        self.0.answer_call(inside(serial), &frame).map_err(to_js)
    }

    /// Answers a request of the extension's.
    #[napi(catch_unwind)]
    pub fn answer_request(&mut self, serial: i64, result: String) -> Result<()> {
        self.0.answer_request(inside(serial), &result).map_err(to_js)
    }

    /// Refuses a request of the extension's.
    #[napi(catch_unwind)]
    pub fn refuse_request(&mut self, serial: i64, kind: String, message: String) {
        self.0.refuse_request(inside(serial), &kind, &message);
    }

    /// Sends a part of the answer to a request.
    #[napi(catch_unwind)]
    pub fn send_part(&mut self, serial: i64, number: u32, part: String) -> Result<()> {
        self.0.send_part(inside(serial), number.into(), &part).map_err(to_js)
    }

    /// What is wrong with a structured result by the output schema of its tool; both are JSON.
    #[napi(catch_unwind)]
    pub fn output_problem(schema: String, value: String) -> Result<Option<String>> {
        extline_testing::output_problem(&schema, &value).map_err(to_js)
    }

    /// Asks the extension to end.
    #[napi(catch_unwind)]
    pub fn shutdown(&mut self) {
        self.0.shutdown();
    }
}

// A test makes fewer calls than either type has numbers.

fn outside(serial: u64) -> i64 {
    serial.try_into().unwrap_or(i64::MAX)
}

fn inside(serial: i64) -> u64 {
    serial.try_into().unwrap_or(0)
}

#[expect(clippy::needless_pass_by_value, reason = "for `map_err`")]
fn to_js(mistake: Mistake) -> Error {
    Error::from_reason(mistake.to_string())
}
