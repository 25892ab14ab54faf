//! The testing host, for JavaScript.

use extline_testing::{Host, Look, Mistake, Progress};
use napi::bindgen_prelude::{Buffer, Uint8Array};
use napi::{Error, Result};
use napi_derive::napi;

/// What a look at a step found: one of the three.
#[napi(object)]
pub struct Looked {
    /// Nothing yet: look again after so many milliseconds.
    pub wait: Option<f64>,
    /// What the step was for, as JSON.
    pub found: Option<String>,
    /// Why it cannot be done.
    pub failure: Option<Failure>,
}

/// Why a step cannot be done.
#[napi(object)]
pub struct Failure {
    /// The name of its class.
    pub kind: String,
    /// What was wrong.
    pub text: String,
}

/// Something new that a user would see.
#[napi(object)]
pub struct Told {
    /// The list it belongs to.
    pub list: String,
    /// The entry, as JSON.
    pub json: String,
}

/// What the extension asks of the test.
#[napi(object)]
pub struct Asked {
    /// For the answer.
    pub serial: i64,
    /// Whether a method is asked for, and not a tool.
    pub is_method: bool,
    /// The tool or the method.
    pub name: String,
    /// What it is given, as JSON.
    pub json: String,
}

/// A line of the transcript.
#[napi(object)]
pub struct Line {
    /// Who sent it.
    pub side: String,
    /// The line.
    pub json: String,
}

/// A testing host without its waiting. What a test does is a step, named by a number.
#[napi]
pub struct HostSteps(pub(crate) Host);

#[napi]
impl HostSteps {
    /// A host as the options say, an object.
    #[napi(constructor, catch_unwind)]
    pub fn new(options: String) -> Result<Self> {
        Host::new(&options).map(Self).map_err(to_js)
    }

    /// Milliseconds that each step may take.
    #[napi(getter, catch_unwind)]
    pub fn deadline(&self) -> f64 {
        self.0.deadline()
    }

    /// Sets it, for steps from now on.
    #[napi(setter, catch_unwind)]
    pub fn set_deadline(&mut self, milliseconds: f64) {
        self.0.set_deadline(milliseconds);
    }

    /// Begins a step: an array of its name and what it is given.
    #[napi(catch_unwind)]
    pub fn step(&mut self, step: String) -> u32 {
        self.0.step(&step)
    }

    /// Looks at a step.
    #[napi(catch_unwind)]
    pub fn look(&mut self, step: u32, has_begun: bool, is_calm: bool) -> Looked {
        // The session, on the same event loop, tells of a teardown that is late.
        let progress = Progress { has_begun, is_calm, is_tearing_down: false };
        let nothing = Looked { wait: None, found: None, failure: None };
        match self.0.look(step, progress) {
            Ok(Look::Wait(time)) => Looked { wait: Some(time.as_secs_f64() * 1000.0), ..nothing },
            Ok(Look::Found(json)) => Looked { found: Some(json), ..nothing },
            Err(failure) => {
                let kind = failure.kind.name().to_owned();
                Looked { failure: Some(Failure { kind, text: failure.text }), ..nothing }
            }
        }
    }

    /// Ends a step that is not waited for any more.
    #[napi(catch_unwind)]
    pub fn drop_step(&mut self, step: u32) {
        self.0.drop_step(step);
    }

    // What comes and goes.

    /// Bytes of the extension's.
    #[napi(catch_unwind)]
    pub fn handle_input(&mut self, bytes: Uint8Array) {
        self.0.handle_input(&bytes);
    }

    /// The extension has ended; how, and its exit code where it ended in the ordinary way.
    #[napi(catch_unwind)]
    pub fn handle_end(&mut self, how: String, code: Option<i32>) {
        self.0.handle_end(&how, code);
    }

    /// A handler that answers nobody has failed.
    #[napi(catch_unwind)]
    pub fn handle_failure(&mut self, text: String) {
        self.0.handle_failure(&text);
    }

    /// The bytes to send; nothing when there are none.
    #[napi(catch_unwind)]
    pub fn poll_output(&mut self) -> Option<Buffer> {
        let bytes = self.0.poll_output();
        (!bytes.is_empty()).then(|| bytes.into())
    }

    /// A case sends this, past the session.
    #[napi(catch_unwind)]
    pub fn note_sent(&mut self, bytes: Uint8Array) {
        self.0.note_sent(&bytes);
    }

    /// Something new that a user would see.
    #[napi(catch_unwind)]
    pub fn poll_told(&mut self) -> Option<Told> {
        let extline_testing::Told { list, json } = self.0.poll_told()?;
        Some(Told { list: list.to_owned(), json })
    }

    /// What the extension asks of the test.
    #[napi(catch_unwind)]
    pub fn poll_asked(&mut self) -> Option<Asked> {
        let extline_testing::Asked { serial, is_method, name, json } = self.0.poll_asked()?;
        Some(Asked { serial: outside(serial), is_method, name, json })
    }

    /// Answers a call of the extension's, with blocks.
    #[napi(catch_unwind)]
    pub fn answer_call(&mut self, asked: i64, content: String, is_error: bool) -> Result<()> {
        self.0.answer_call(inside(asked), &content, is_error).map_err(to_js)
    }

    /// Says why a tool of the test's has failed.
    #[napi(catch_unwind)]
    pub fn fail_call(&mut self, asked: i64, text: String) {
        self.0.fail_call(inside(asked), &text);
    }

    /// Answers a request of the extension's.
    #[napi(catch_unwind)]
    pub fn answer_request(&mut self, asked: i64, result: String) -> Result<()> {
        self.0.answer_request(inside(asked), &result).map_err(to_js)
    }

    /// Refuses a request of the extension's.
    #[napi(catch_unwind)]
    pub fn refuse_request(&mut self, asked: i64, kind: String, message: String) {
        self.0.refuse_request(inside(asked), &kind, &message);
    }

    /// Sends the next part of the answer to a request.
    #[napi(catch_unwind)]
    pub fn send_part(&mut self, asked: i64, part: String) -> Result<()> {
        self.0.send_part(inside(asked), &part).map_err(to_js)
    }

    /// Runs nothing of the test's any more.
    #[napi(catch_unwind)]
    pub fn forget_stand_ins(&mut self) {
        self.0.forget_stand_ins();
    }

    // What is known.

    /// Its tools: frames.
    #[napi(getter, catch_unwind)]
    pub fn tools(&self) -> String {
        self.0.tools()
    }

    /// Its commands: frames.
    #[napi(getter, catch_unwind)]
    pub fn commands(&self) -> String {
        self.0.commands()
    }

    /// What it listens to.
    #[napi(getter, catch_unwind)]
    pub fn subscription(&self) -> String {
        self.0.subscription()
    }

    /// How it has ended, if it has.
    #[napi(getter, catch_unwind)]
    pub fn ended(&self) -> Option<String> {
        self.0.ended().map(str::to_owned)
    }

    /// What the extension keeps, JSON text; `null` where the host keeps nothing.
    #[napi(catch_unwind)]
    pub fn state(&mut self) -> String {
        self.0.state()
    }

    /// The lines of the transcript from a number on.
    #[napi(catch_unwind)]
    pub fn lines(&self, start: u32) -> Vec<Line> {
        let lines = self.0.transcript().lines().iter().skip(start as usize);
        lines
            .map(|line| Line { side: line.side.name().to_owned(), json: line.json.clone() })
            .collect()
    }

    /// The end of the transcript, as it stands in a failure.
    #[napi(catch_unwind)]
    pub fn tail(&self) -> String {
        self.0.transcript().tail()
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
