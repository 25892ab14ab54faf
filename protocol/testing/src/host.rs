//! A host without input and output: what a testing host is made of.
//!
//! Arguments that are objects or values are JSON text, with the names of the wire.

use std::fmt;
use std::time::Instant;

use extline_protocol::frame::{Level, Subscribe};
use extline_protocol::{CallKey, HostConfig, HostEvent, HostSession, Profile, RawJson};

use crate::asked::Questions;
use crate::calls::{Calls, Outcome};
use crate::demands::deadlines;
use crate::frames::{frame, json, object};
use crate::kept::Kept;
use crate::offered::Offered;
use crate::options::{Options, Unit};
use crate::pending::Pending;
use crate::play::Surface;
use crate::shown::{Shown, Told};
use crate::steps::Steps;
use crate::transcript::{Side, Transcript};

/// A test asks for something that a host cannot do; the text says what.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Mistake(String);

impl Mistake {
    pub(crate) fn of(error: impl fmt::Display) -> Self {
        Self(error.to_string())
    }
}

/// How the extension ended.
#[derive(Debug)]
pub(crate) struct End {
    /// As `has ended with exit code 0`.
    pub(crate) how: String,
    /// Where it ended in the ordinary way.
    pub(crate) code: Option<i32>,
}

/// A host at one extension, for one thread, without input and output.
///
/// What a test does is a step, named by a number. Whoever drives the host looks at it ([`Host::look`])
/// until it is over. Between two looks it passes on bytes ([`Host::handle_input`],
/// [`Host::poll_output`]), answers what the extension asks of the test ([`Host::poll_asked`]), and
/// takes what a user would have seen ([`Host::poll_told`]).
#[derive(Debug)]
pub struct Host {
    pub(crate) session: HostSession,
    pub(crate) profile: Profile,
    pub(crate) unit: Unit,
    pub(crate) deadline: f64,
    pub(crate) least: f64,
    pub(crate) start_deadline: f64,
    /// How a test waits longer for the start, in the language.
    pub(crate) wait_longer: String,
    /// Provider and model.
    pub(crate) model: (String, String),
    pub(crate) transcript: Transcript,
    pub(crate) offered: Offered,
    pub(crate) shown: Shown,
    pub(crate) calls: Calls,
    pub(crate) questions: Questions,
    pub(crate) kept: Kept,
    pub(crate) pending: Pending,
    pub(crate) steps: Steps,
    pub(crate) proposals: u64,
    pub(crate) has_greeted: bool,
    /// It has said its last.
    pub(crate) has_left: bool,
    /// Why it cannot be used.
    pub(crate) broken: Option<String>,
    pub(crate) ending_since: Option<Instant>,
    pub(crate) end: Option<End>,
    /// How handlers failed that nobody waits for, until a step has told of it.
    pub(crate) failed_handlers: Vec<String>,
}

impl Host {
    /// A host as the options say, an object with these members, none of which must be there:
    ///
    /// - what the extension is told: `provider`, `model`, `cwd`, `data_dir`, `extension_dir`,
    ///   `session`, `limits`, `capabilities`, `methods`, `config` as in `hello_ack`, `version` of the SDK;
    /// - `profile`: the host that it is like;
    /// - `unit` of times, `s` or `ms`; `deadline` of a step; `start_deadline`, and in `wait_longer` how
    ///   a test sets it;
    /// - `reject`: pairs of kind and name that it does not take;
    /// - `tools`: the test's, by name, and whether each ever answers;
    /// - `pending`: whether actions may be proposed;
    /// - `secrets`: texts by their names, `null` for one that is declared and not set.
    ///
    /// # Errors
    ///
    /// There is no such profile, or a member is none of `hello_ack`.
    pub fn new(options: &str) -> Result<Self, Mistake> {
        let options = Options::read(options)?;
        let Options { ack, profile, .. } = options;
        let model = (ack.provider.clone(), ack.model.clone());
        let config = HostConfig { ack, deadlines: deadlines(), profile: profile.clone() };
        Ok(Self {
            session: HostSession::new(config, Instant::now()),
            profile,
            unit: options.unit,
            deadline: options.deadline,
            least: options.least,
            start_deadline: options.start_deadline,
            wait_longer: options.wait_longer,
            model,
            transcript: Transcript::default(),
            offered: Offered::new(options.unwanted),
            shown: Shown::default(),
            calls: Calls::default(),
            questions: Questions::new(
                options.tools,
                options.functions,
                (options.answers, options.secrets),
            ),
            kept: Kept::new(options.state),
            pending: Pending::default(),
            steps: Steps::default(),
            proposals: 0,
            has_greeted: false,
            has_left: false,
            broken: None,
            ending_since: None,
            end: None,
            failed_handlers: Vec::new(),
        })
    }

    /// How long a step may take that begins now, in the unit of the options.
    pub fn deadline(&self) -> f64 {
        self.deadline
    }

    /// Sets how long a step may take that begins from now on.
    pub fn set_deadline(&mut self, deadline: f64) {
        self.deadline = deadline;
    }

    // What comes and goes.

    /// The extension has written this.
    pub fn handle_input(&mut self, bytes: &[u8]) {
        self.transcript.add(Side::Extension, bytes);
        self.session.handle_input(bytes, Instant::now());
    }

    /// Its output has ended; `how` the extension did, as `has ended with exit code 0`, and its exit
    /// code where it ended in the ordinary way.
    pub fn handle_end(&mut self, how: &str, code: Option<i32>) {
        self.end = Some(End { how: how.to_owned(), code });
        self.session.handle_eof(Instant::now());
        self.session.handle_gone("the extension has ended");
    }

    /// A handler that answers nobody has failed; the text says which, and how.
    pub fn handle_failure(&mut self, text: &str) {
        self.failed_handlers.push(text.to_owned());
    }

    /// The bytes to send.
    pub fn poll_output(&mut self) -> Vec<u8> {
        self.turn();
        let mut bytes = Vec::new();
        self.session.poll_output(&mut bytes);
        self.transcript.add(Side::Host, &bytes);
        bytes
    }

    /// A case sends this, past the session.
    pub fn note_sent(&mut self, bytes: &[u8]) {
        self.transcript.add(Side::Host, bytes);
    }

    /// Something new that a user, a log or the host's developer would see.
    pub fn poll_told(&mut self) -> Option<Told> {
        self.turn();
        self.shown.poll()
    }

    // What is known.

    /// The tools that the extension offers, as it registered them: an array of frames.
    pub fn tools(&self) -> String {
        json(&self.offered.tools.iter().map(frame).collect::<Vec<RawJson>>())
    }

    /// Its commands, likewise.
    pub fn commands(&self) -> String {
        json(&self.offered.commands.iter().map(frame).collect::<Vec<RawJson>>())
    }

    /// What it listens to: an object with `events`, `intercept`, `guards`.
    pub fn subscription(&self) -> String {
        // Nobody asks what silence means.
        let subscribe = Subscribe { on_failure: None, ..self.offered.subscribe.clone() };
        object(&subscribe).into_string()
    }

    /// What it has, for a case.
    pub fn surface(&self) -> Surface {
        self.offered.surface()
    }

    /// Every frame, both ways.
    pub fn transcript(&self) -> &Transcript {
        &self.transcript
    }

    /// How the extension has ended, if it has.
    pub fn ended(&self) -> Option<&str> {
        self.end.as_ref().map(|end| &*end.how)
    }

    /// Whether it has said its last.
    pub fn has_left(&self) -> bool {
        self.has_left
    }

    /// Whether it has answered all that it was asked.
    pub fn has_answered(&self) -> bool {
        self.calls.are_answered()
    }

    // What happens.

    /// Takes in what the session says, and has it report what was taken of the registrations.
    pub(crate) fn turn(&mut self) {
        while let Some(event) = self.session.poll_event() {
            self.take_event(event);
        }
        if let Some(report) = self.offered.take_report() {
            self.session.report(&report);
        }
    }

    fn take_event(&mut self, event: HostEvent) {
        match event {
            HostEvent::Hello(_) => self.has_greeted = true,
            HostEvent::HandshakeFailed(error) => self.broken = Some(error.to_string()),
            HostEvent::RegisterTool(tool) => self.offered.add_tool(*tool),
            HostEvent::UnregisterTool(name) => self.offered.remove_tool(&name),
            HostEvent::RegisterCommand(command) => self.offered.add_command(command),
            HostEvent::Subscribe(subscribe) => self.offered.subscribe(subscribe),
            HostEvent::Rejected(rejection) => self.offered.reject(rejection),
            HostEvent::Ready => self.offered.ready(),
            HostEvent::ToolUpdate { key, update } => {
                if let Some(call) = self.calls.get_mut(key.serial()) {
                    call.updates.push(frame(&update));
                }
            }
            HostEvent::ResponsePart { key, data, .. } => {
                if let Some(call) = self.calls.get_mut(key.serial()) {
                    call.parts.push(data);
                }
            }
            HostEvent::ToolResult { key, result } => self.answered(&key, Outcome::Tool(*result)),
            HostEvent::CommandResponse { key, response } => {
                self.answered(&key, Outcome::Command(*response));
            }
            HostEvent::InterceptResponse { key, response } => {
                self.answered(&key, Outcome::Intercept(response));
            }
            HostEvent::Response { key, result } => self.answered(&key, Outcome::Method(result)),
            HostEvent::CallFailed { key, error } => self.answered(&key, Outcome::Failed(error)),
            HostEvent::CallTool { key, call } => self.take_call(key, call),
            HostEvent::Request { key, request } => self.take_request(key, request),
            HostEvent::Cancelled { key } => self.take_cancel(&key),
            HostEvent::Notify { level, message } => self.note(&level, &message),
            HostEvent::ClearNotes => self.shown.tell("notes", "null".to_owned()),
            HostEvent::Log(log) => self.shown.tell("logs", object(&log).into_string()),
            HostEvent::Submit(prompt) | HostEvent::SubmitSlash(prompt) => {
                self.shown.tell("submitted", json(&prompt));
            }
            HostEvent::Notice(notice) => self.shown.tell("notices", json(&notice.to_string())),
            HostEvent::OpenPanel(panel) => self.shown.open_panel(panel),
            HostEvent::PanelRender(render) => self.shown.render_panel(render),
            HostEvent::PanelClose(id) => self.shown.close_panel(&id),
            HostEvent::ShutdownAck => self.has_left = true,
            // The rest is of processes.
            _ => {}
        }
    }

    fn note(&mut self, level: &Level, message: &str) {
        self.shown.tell("notes", json(&[level.as_str(), message]));
    }

    fn answered(&mut self, key: &CallKey, outcome: Outcome) {
        let serial = key.serial();
        let Some(outcome) = self.take_migrated(serial, outcome) else { return };
        let Some(outcome) = self.take_resolved(serial, outcome) else { return };
        let Some(outcome) = self.take_nested(serial, outcome) else { return };
        if let Some(call) = self.calls.get_mut(serial) {
            call.is_answered = true;
            call.outcome = Some(outcome);
        }
    }
}
