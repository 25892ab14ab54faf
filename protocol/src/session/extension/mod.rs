//! The extension's end of the connection.

mod event;
mod fork;
mod incoming;
mod intercept_chain;
mod intercepts;
mod lanes;
mod outgoing;
mod panels;
mod replies;
mod requirement;
mod shutdown;
mod standstill;
mod start;
mod views;

use std::collections::{HashSet, VecDeque};
use std::time::{Duration, Instant};

pub use event::{ExtensionEvent, PanelInput};
pub use intercept_chain::{Change, ChangeError, InterceptChain, Turn};
pub use outgoing::{CallToolError, Update};
pub use start::RegisterError;

use self::fork::Fork;
use self::lanes::Lanes;
use self::panels::Panels;
use self::shutdown::Stage;
use super::call::{CallKey, Pending};
use super::countdown::Countdown;
use super::inbox::Inbox;
use super::notice::Notice;
use super::outbox::Outbox;
use super::requests::OutgoingCalls;
use crate::capability::{Capabilities, Capability};
use crate::decode::Incoming;
use crate::frame::{Frame, HelloAck, HostFrame, OutputFormat, SdkInfo, ToolCall, ToolResult};
use crate::json::RawJson;
use crate::limits::{EXTENSION_ACCEPTS_BYTES, FRAME_BYTES};
use crate::method::APPROVAL_METHOD;
use crate::registrations::Registrations;

/// What an extension is before it meets its host.
#[derive(Clone, Debug)]
pub struct ExtensionConfig {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The library it is written with; absent for one without.
    pub sdk: Option<SdkInfo>,
    /// What it understands.
    pub capabilities: Capabilities,
    /// The methods it serves.
    ///
    /// Where a tool declares `approval: {"dynamic": true}`, [`APPROVAL_METHOD`] is one of them. Unless it
    /// is named here, the session asks by [`ExtensionEvent::Approval`].
    pub methods: Vec<String>,
    /// What it offers. More may come until [`ExtensionSession::ready`].
    pub registrations: Registrations,
    /// The version of the values that it keeps with its host: every request for `state.*` says it as `slot_version`
    /// (`state.version`). 1 where it is unsaid.
    pub state_version: Option<u64>,
    /// It wants [`ExtensionEvent::Teardown`] before it ends.
    pub teardown: bool,
    /// Longest frame it accepts, in bytes without the LF.
    pub accepts_bytes: usize,
}

impl ExtensionConfig {
    /// An extension with every capability this crate serves, and nothing registered.
    pub fn new(name: impl Into<String>, version: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            version: version.into(),
            sdk: None,
            capabilities: Capabilities::all(),
            methods: Vec::new(),
            state_version: None,
            registrations: Registrations::default(),
            teardown: false,
            accepts_bytes: EXTENSION_ACCEPTS_BYTES,
        }
    }
}

/// The extension's end of the connection: a state machine without I/O, threads or a clock.
///
/// Its methods come in three groups.
/// - **`handle_*`** take in what happened: bytes, the end of input, SIGTERM, the passing of time.
/// - **Commands** (`ready`, `reply_*`, `update`, `notify`, `call_tool`, ...) say what to send.
/// - **`poll_*`** give out what to do: events, bytes to write, the time of the next
///   `handle_timeout`.
///
/// A driver does, in this order, over and over: `handle_input` with what it read (or
/// `handle_timeout` when the time came), `poll_event` until it returns `None` while running
/// handlers and sending their answers, `poll_output` and one write, `poll_timeout` and a wait for
/// input until then. After [`ExtensionEvent::Finished`] it writes what is left and ends.
///
/// Not thread-safe by itself: a driver with threads keeps it behind a lock, and never holds the
/// lock while a handler runs.
///
/// ```
/// use std::time::Instant;
/// use extline_protocol::{ExtensionConfig, ExtensionEvent, ExtensionSession};
///
/// let now = Instant::now();
/// let mut session = ExtensionSession::new(ExtensionConfig::new("hello", "1.0.0"));
/// let mut out = Vec::new();
/// session.poll_output(now, &mut out);
/// assert!(out.starts_with(b"{\"type\":\"hello\",\"name\":\"hello\",\"version\":\"1.0.0\""));
///
/// session.handle_input(b"{\"type\":\"hello_ack\",\"protocol_version\":1}\n", now);
/// assert!(matches!(session.poll_event(), Some(ExtensionEvent::Accepted(_))));
/// session.ready();
/// out.clear();
/// session.poll_output(now, &mut out);
/// assert_eq!(out, b"{\"type\":\"ready\"}\n");
/// ```
#[derive(Debug)]
pub struct ExtensionSession {
    registrations: Registrations,
    state_version: Option<u64>,
    /// It has asked for `pending.push`, and so serves what that is resolved by (`pending.served`).
    has_pushed: bool,
    methods: Vec<String>,
    /// What is asked by [`APPROVAL_METHOD`] goes to the tool that it is about.
    asks_tools: bool,
    name: String,
    inbox: Inbox<HostFrame>,
    outbox: Outbox,
    /// Results for a host in this process, which takes them as they are.
    results: Option<VecDeque<ToolResult>>,
    host: Option<HelloAck>,
    /// A host that has frames of its own for what we ask for.
    fork: Option<Fork>,
    host_capabilities: Capabilities,
    own_capabilities: Capabilities,
    open: Pending<Open>,
    open_intercepts: usize,
    outgoing: OutgoingCalls,
    /// Calls of which a dialog was given up, until there is a time to go on from.
    given_up: Vec<CallKey>,
    lanes: Lanes,
    panels: Panels,
    updates: Vec<CallKey>,
    logs_dropped: u64,
    parts_are_waiting: bool,
    warned: HashSet<String>,
    is_ready: bool,
    /// The host has answered, and `setup` is not known to have ended.
    is_setting_up: bool,
    next_keepalive: Option<Instant>,
    stage: Stage,
    teardown: bool,
    /// Handlers whose calls the session answered for them, still running.
    overdue: Vec<(CallKey, String)>,
}

/// A call from the host that is not answered.
#[derive(Debug)]
struct Open {
    name: Box<str>,
    delivered: bool,
    cancelled: bool,
    /// When the host stops waiting, where it says so; for an intercept when the session answers itself.
    deadline: Countdown,
    /// Boxed, as most calls have none.
    deciding: Option<Box<Deciding>>,
    update: Option<Box<outgoing::UpdateState>>,
    /// Boxed too: only an agent that goes on after a crash says it.
    repetition: Option<Box<Repetition>>,
    /// The form that the result is to have, where its tool has one.
    output: Option<OutputFormat>,
    parts: u64,
    unwritten_parts: usize,
}

/// What a call says of its being made again (`tool.operation-key`, `tool.reconcile`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Repetition {
    /// Names what the call does: the same when it is made again.
    pub operation_key: Option<String>,
    /// The call is not to be done: the answer says what became of it.
    pub reconcile: bool,
}

/// What an intercept has beyond other calls.
#[derive(Debug)]
struct Deciding {
    point: Box<str>,
    /// Who has the word: `interceptor` or `guard`.
    role: &'static str,
}

impl Open {
    fn new(name: &str) -> Self {
        Self {
            name: name.into(),
            delivered: false,
            cancelled: false,
            deadline: Countdown::default(),
            deciding: None,
            update: None,
            repetition: None,
            output: None,
            parts: 0,
            unwritten_parts: 0,
        }
    }
}

/// What happened.
impl ExtensionSession {
    /// Starts a session: `hello` waits to be written.
    pub fn new(mut config: ExtensionConfig) -> Self {
        let is_named = config.methods.iter().any(|method| method == APPROVAL_METHOD);
        let asks_tools = config.registrations.advised().next().is_some() && !is_named;
        if asks_tools {
            config.methods.push(APPROVAL_METHOD.to_owned());
        }
        let mut session = Self {
            inbox: Inbox::new(config.accepts_bytes),
            outbox: Outbox::new(FRAME_BYTES),
            results: None,
            host: None,
            fork: None,
            host_capabilities: Capabilities::default(),
            own_capabilities: config.capabilities,
            open: Pending::default(),
            open_intercepts: 0,
            outgoing: OutgoingCalls::default(),
            given_up: Vec::new(),
            lanes: Lanes::default(),
            panels: Panels::default(),
            updates: Vec::new(),
            logs_dropped: 0,
            parts_are_waiting: false,
            warned: HashSet::new(),
            is_ready: false,
            is_setting_up: false,
            next_keepalive: None,
            stage: Stage::Running,
            teardown: config.teardown,
            overdue: Vec::new(),
            registrations: config.registrations,
            methods: config.methods,
            state_version: config.state_version,
            has_pushed: false,
            asks_tools,
            name: config.name.clone(),
        };
        session.say_hello(config.name, config.version, config.sdk);
        session
    }

    /// Takes bytes from the host, in any chunking.
    pub fn handle_input(&mut self, bytes: &[u8], now: Instant) {
        self.inbox.decoder().feed(bytes);
        self.handle_lines(now);
    }

    /// Room to read into without a copy; tell [`ExtensionSession::handle_read`] how much came.
    pub fn read_space(&mut self) -> &mut [u8] {
        self.inbox.decoder().space()
    }

    /// The first `count` bytes of [`ExtensionSession::read_space`] came from the host.
    ///
    /// # Panics
    /// When `count` is more than the space offered.
    pub fn handle_read(&mut self, count: usize, now: Instant) {
        self.inbox.decoder().advance(count);
        self.handle_lines(now);
    }

    /// Takes a call of a host in this process, as
    /// [`HostSession::begin_tool_call`](crate::HostSession::begin_tool_call) makes it.
    pub fn handle_call(&mut self, call: ToolCall, now: Instant) {
        self.handle_frame(HostFrame::ToolCall(call), now);
    }

    /// The host closed its end: the same as `shutdown`, without an ack (`end.eof`).
    pub fn handle_eof(&mut self, now: Instant) {
        if let Some(incoming) = self.inbox.finish() {
            self.handle_incoming(incoming, now);
        }
        self.begin_shutdown(None, false, 0, now);
    }

    /// Nothing can be written any more: nobody waits for answers (`end.epipe`).
    pub fn handle_write_failed(&mut self, now: Instant) {
        self.begin_shutdown(None, false, 0, now);
        self.abandon_all();
    }

    /// Time has passed; does what was due.
    pub fn handle_timeout(&mut self, now: Instant) {
        self.resume_given_up(now);
        self.keep_setup_alive(now);
        self.answer_overdue_intercepts(now);
        self.fail_overdue_requests(now);
        self.advance_shutdown(now);
    }

    /// The time of the end is over, and the driver ends the process: what is open is answered, and
    /// `shutdown_ack` follows, where nobody has had the time for it. Teardown has had its time. The driver
    /// writes what the host takes.
    pub fn handle_overdue(&mut self, now: Instant) {
        // What each step leaves is done by the next.
        for _ in 0..2 {
            self.advance_shutdown(now);
        }
    }

    fn handle_lines(&mut self, now: Instant) {
        while let Some(incoming) = self.inbox.next() {
            self.handle_incoming(incoming, now);
        }
    }

    fn handle_incoming(&mut self, incoming: Incoming<HostFrame>, now: Instant) {
        match incoming {
            Incoming::Frame(frame) => self.handle_frame(frame, now),
            Incoming::Unusable(unusable) => self.handle_unusable(unusable, now),
        }
    }
}

/// What to do.
impl ExtensionSession {
    /// The next thing to do, if there is one that can be done now.
    pub fn poll_event(&mut self) -> Option<ExtensionEvent> {
        loop {
            let event = self.lanes.pop()?;
            let (ExtensionEvent::ToolCall { key, .. }
            | ExtensionEvent::Command { key, .. }
            | ExtensionEvent::Intercept { key, .. }
            | ExtensionEvent::Request { key, .. }
            | ExtensionEvent::Approval { key, .. }) = &event
            else {
                return Some(event);
            };
            // One that was answered while it waited, by a deadline or the shutdown, is not run.
            let Some(open) = self.open.get_mut(key) else { continue };
            open.delivered = true;
            if open.cancelled {
                let (key, reason) = (key.clone(), "cancelled".to_owned());
                self.lanes.first(ExtensionEvent::Cancelled { key, reason });
            }
            return Some(event);
        }
    }

    /// The next thing that nothing holds up: cancels, answers, notices, the end. No call, event or
    /// panel comes out. For a driver whose output waits, which takes no new work on.
    pub fn poll_control(&mut self) -> Option<ExtensionEvent> {
        self.lanes.pop_control()
    }

    /// Whether the answer to a call that was handed out is no longer wanted: it was cancelled, or the
    /// session has answered in the handler's place. It holds from the moment in which the cancel is
    /// read, whoever takes its [`ExtensionEvent::Cancelled`] out, and when.
    ///
    /// A driver asks when it begins a call, once cancels find the call (`cancel.early`): the cancel may
    /// stand in the same read, and its event may have been taken by another thread, before there was a
    /// call that it could be told to.
    pub fn is_cancelled(&self, key: &CallKey) -> bool {
        self.open.get(key).is_none_or(|open| open.cancelled)
    }

    /// What an open tool call says of its being made again; `None` where it says nothing.
    pub fn repetition(&self, key: &CallKey) -> Option<&Repetition> {
        self.open.get(key)?.repetition.as_deref()
    }

    /// Whether a call has no answer yet.
    pub fn is_open(&self, key: &CallKey) -> bool {
        self.open.get(key).is_some()
    }

    /// The same as [`Self::is_cancelled`] for a handler that answers nobody, of an event, a panel or
    /// setup: the end has begun. Teardown is wanted then.
    pub fn is_ending(&self) -> bool {
        self.stage.is_ending() && !matches!(self.stage, Stage::TearingDown(_))
    }

    /// Appends the bytes to write; whether there are any. What is not taken yet can still be
    /// replaced: take it only when it can be written.
    pub fn poll_output(&mut self, now: Instant, out: &mut Vec<u8>) -> bool {
        self.resume_given_up(now);
        self.write_updates(now);
        self.report_dropped_logs();
        self.forget_unwritten_parts();
        self.outbox.take(out)
    }

    /// The host is in this process: from now on the results of tools are not written, and
    /// [`ExtensionSession::poll_result`] gives them out. Their limits hold as ever.
    pub fn hand_over_results(&mut self) {
        self.results.get_or_insert_default();
    }

    /// The next result that is handed over. It follows all that `poll_output` gave out before.
    pub fn poll_result(&mut self) -> Option<ToolResult> {
        self.results.as_mut()?.pop_front()
    }

    /// Whether an update waits to be written: only then does `poll_output` look at the time.
    pub fn has_updates(&self) -> bool {
        !self.updates.is_empty()
    }

    /// When [`ExtensionSession::handle_timeout`] and `poll_output` are due, if ever.
    pub fn poll_timeout(&self) -> Option<Instant> {
        [self.poll_timeout_stalled(), self.next_update()].into_iter().flatten().min()
    }

    /// [`ExtensionSession::poll_timeout`] for a driver whose output waits: an update that is due
    /// cannot be written then, and would be due over and over.
    pub fn poll_timeout_stalled(&self) -> Option<Instant> {
        let intercepts = (self.open_intercepts > 0)
            .then(|| {
                let deciding = self.open.states().filter(|open| open.deciding.is_some());
                deciding.filter_map(|open| open.deadline.due()).min()
            })
            .flatten();
        [self.next_keepalive, intercepts, self.outgoing.next_deadline(), self.stage.next_step()]
            .into_iter()
            .flatten()
            .min()
    }

    /// Whether something may be written now. An update that is held back for its rate does not
    /// count: `poll_timeout` says when it is due.
    pub fn has_output(&self) -> bool {
        let has_results = self.results.as_ref().is_some_and(|results| !results.is_empty());
        !self.outbox.is_empty() || has_results || self.has_first_update()
    }

    /// Frames that wait for the driver.
    pub fn waiting(&self) -> usize {
        self.lanes.len()
    }

    /// Whether nothing waits for the driver and no event and no panel's input is being handled; calls
    /// may still run. For hosts that test.
    pub fn is_calm(&self) -> bool {
        self.waiting() == 0 && self.lanes.is_idle()
    }

    /// The host's `hello_ack`, once it came.
    pub fn host(&self) -> Option<&HelloAck> {
        self.host.as_ref()
    }

    /// The configuration as it stands, an object: that of `hello_ack`, or of the last `config_changed`.
    /// `None` before the host has answered, and where it gives none.
    pub fn config(&self) -> Option<&RawJson> {
        self.host.as_ref()?.config.as_ref().filter(|config| config.is_object())
    }

    /// Whether what the extension would send under that capability is understood (`cap.send`).
    pub fn supports(&self, capability: Capability) -> bool {
        let both = capability != Capability::Rpc || self.own_capabilities.contains(Capability::Rpc);
        self.host_capabilities.contains(capability) && both
    }

    /// What is registered, or will be.
    pub fn registrations(&self) -> &Registrations {
        &self.registrations
    }

    fn notice(&mut self, notice: Notice) {
        self.lanes.control(ExtensionEvent::Notice(notice));
    }

    /// Adds a frame that no answer depends on; one over a limit is reported and dropped. Nothing
    /// follows the last frame (`end.ack-sdk`).
    fn send<F: Frame>(&mut self, frame: &F) {
        if matches!(self.stage, Stage::Finished(_) | Stage::Over(_)) {
            return;
        }
        if let Err(unsendable) = self.outbox.push(frame) {
            self.notice(Notice::NotSent { frame_type: F::TYPE, why: unsendable.to_string() });
        }
    }
}

fn millis(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}
