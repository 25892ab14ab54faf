//! A host's session without input and output: what a testing host is made of.
//!
//! Arguments that are frames or values are JSON text.

use std::collections::HashMap;
use std::fmt;
use std::time::{Duration, Instant};

use extline_protocol::frame::{HostFrame, Limits, RpcError, ShutdownReason};
use extline_protocol::limits::{COMMAND_DEADLINE, FRAME_BYTES, INTERCEPT_DEADLINE, TOOL_DEADLINE};
use extline_protocol::{
    CallKey, Capabilities, Deadlines, ErrorKind, HostConfig, HostSession, Intercept, Profile,
    ToolCallOptions, Vocabulary,
};

use crate::events::{Seen, seen};
use crate::frames::{host_frame, raw};

/// A test asks for something that a host cannot do; the text says what.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Mistake(String);

impl Mistake {
    pub(crate) fn of(error: impl fmt::Display) -> Self {
        Self(error.to_string())
    }
}

/// Longer than any test: what a real host would give up, a testing host waits for until its own
/// deadline.
const NEVER: Duration = Duration::from_secs(24 * 60 * 60);

/// What is not answered, by serials; each side counts its own.
#[derive(Debug, Default)]
pub(crate) struct Open {
    /// Asked by the host.
    pub(crate) calls: HashMap<u64, CallKey>,
    /// Asked by the extension.
    pub(crate) asked: HashMap<u64, CallKey>,
}

/// The host's end of a connection, for one thread. Calls are named by their serials.
#[derive(Debug)]
pub struct Host {
    session: HostSession,
    profile: Profile,
    open: Open,
}

impl Host {
    /// A session of a host like `profile`, which answers a hello with `ack`.
    pub fn new(ack: &str, profile: &str) -> Result<Self, Mistake> {
        let profile = Profile::named(profile).map_err(Mistake::of)?;
        let HostFrame::HelloAck(mut ack) = host_frame(ack)? else {
            return Err(Mistake::of("it is no hello_ack"));
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
        Ok(Self {
            session: HostSession::new(config, Instant::now()),
            profile,
            open: Open::default(),
        })
    }

    // What the profile says.

    /// Whether it cancels calls.
    pub fn cancels(&self) -> bool {
        self.profile.tool_cancel
    }

    /// Whether it asks guards apart from interceptors.
    pub fn asks_in_phases(&self) -> bool {
        self.profile.vocabulary == Vocabulary::Extline
    }

    /// Whether it has such an event.
    pub fn has_event(&self, name: &str) -> bool {
        self.profile.vocabulary.has_event(name)
    }

    /// Whether it asks at such a point.
    pub fn has_point(&self, name: &str) -> bool {
        self.profile.vocabulary.has_point(name)
    }

    // Bytes.

    /// The extension has written this.
    pub fn handle_input(&mut self, bytes: &[u8]) {
        self.session.handle_input(bytes, Instant::now());
    }

    /// Its output has ended; `how` the extension did.
    pub fn handle_end(&mut self, how: &str) {
        self.session.handle_eof(Instant::now());
        self.session.handle_gone(how);
    }

    /// The bytes to send.
    pub fn poll_output(&mut self) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.session.poll_output(&mut bytes);
        bytes
    }

    /// What happened next.
    pub fn poll_event(&mut self) -> Option<Seen> {
        let event = self.session.poll_event()?;
        Some(seen(event, &mut self.open))
    }

    // Calls; the answer is an event with the serial that these return.

    /// Calls a tool, with a timeout in milliseconds.
    pub fn call_tool(
        &mut self,
        name: &str,
        args: &str,
        timeout: Option<u64>,
    ) -> Result<u64, Mistake> {
        let timeout = timeout.map(Duration::from_millis);
        let options = ToolCallOptions { timeout, ..ToolCallOptions::default() };
        let sent = self.session.call_tool(name, raw(args)?, options, Instant::now());
        Ok(self.keep(sent.map_err(Mistake::of)?))
    }

    /// Runs a command with what a user typed behind it.
    pub fn invoke_command(&mut self, name: &str, args: &str) -> Result<u64, Mistake> {
        let sent = self.session.invoke_command(name, args, Instant::now());
        Ok(self.keep(sent.map_err(Mistake::of)?))
    }

    /// Asks at a point, by the frame.
    pub fn intercept(&mut self, frame: &str) -> Result<u64, Mistake> {
        let HostFrame::EventIntercept(frame) = host_frame(frame)? else {
            return Err(Mistake::of("it is no event_intercept"));
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
        Ok(self.keep(sent.map_err(Mistake::of)?))
    }

    /// Asks by method.
    pub fn request(&mut self, method: &str, params: Option<&str>) -> Result<u64, Mistake> {
        let params = params.map(raw).transpose()?;
        let sent = self.session.request(method, params, None, Instant::now());
        Ok(self.keep(sent.map_err(Mistake::of)?))
    }

    /// Takes a call back, unless it is answered.
    pub fn cancel(&mut self, serial: u64, reason: &str) {
        if let Some(key) = self.open.calls.get(&serial) {
            self.session.cancel(key, reason, Instant::now());
        }
    }

    /// Tells of an event, of what happened in a panel, or of the registrations, by the frame.
    pub fn tell(&mut self, frame: &str) -> Result<(), Mistake> {
        match host_frame(frame)? {
            HostFrame::Event(event) => self.session.send_event(&event),
            HostFrame::PanelKey(key) => self.session.panel_key(&key),
            HostFrame::PanelResize(resize) => self.session.panel_resize(&resize),
            HostFrame::PanelClose(close) => self.session.panel_close(&close.panel_id),
            HostFrame::Registered(report) => self.session.report(&report),
            _ => return Err(Mistake::of("a host does not tell this")),
        }
        Ok(())
    }

    // Answers to what the extension asks. One that was answered before stays answered.

    /// Answers a call of a tool, by the frame `tool_result`.
    pub fn answer_call(&mut self, serial: u64, frame: &str) -> Result<(), Mistake> {
        let HostFrame::CallToolResult(result) = host_frame(frame)? else {
            return Err(Mistake::of("it is no tool_result"));
        };
        if let Some(key) = self.open.asked.remove(&serial) {
            let _ = self.session.reply_call_tool(&key, result);
        }
        Ok(())
    }

    /// Answers a request.
    pub fn answer_request(&mut self, serial: u64, result: &str) -> Result<(), Mistake> {
        let result = raw(result)?;
        if let Some(key) = self.open.asked.remove(&serial) {
            let _ = self.session.reply_request(&key, Ok(result));
        }
        Ok(())
    }

    /// Says why a request is not served.
    pub fn refuse_request(&mut self, serial: u64, kind: &str, message: &str) {
        let error = RpcError::new(ErrorKind::from(kind), message);
        if let Some(key) = self.open.asked.remove(&serial) {
            let _ = self.session.reply_request(&key, Err(error));
        }
    }

    /// Sends a part of the answer to a request; they are numbered from 1.
    pub fn send_part(&mut self, serial: u64, number: u64, part: &str) -> Result<(), Mistake> {
        let part = raw(part)?;
        if let Some(key) = self.open.asked.get(&serial) {
            let _ = self.session.send_part(key, number, part);
        }
        Ok(())
    }

    // The end.

    /// Asks the extension to end.
    pub fn shutdown(&mut self) {
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

impl Host {
    fn keep(&mut self, key: CallKey) -> u64 {
        let serial = key.serial();
        self.open.calls.insert(serial, key);
        serial
    }
}
