//! The host's end of the connection to one extension.

mod calls;
mod deadlines;
mod failure;
mod fork;
mod host_profile;
mod incoming;
mod lifecycle;
mod partial;
mod standstill;

use std::collections::VecDeque;
use std::time::{Duration, Instant};

pub use self::calls::Intercept;
pub use self::deadlines::Deadlines;
pub use self::failure::{HandshakeError, SendError};
use self::lifecycle::Stage;
use super::call::{CallKey, CallKind, Pending};
use super::countdown::Countdown;
use super::inbox::Inbox;
use super::notice::Notice;
use super::outbox::Outbox;
use super::requests::OutgoingCalls;
use crate::capability::{Capabilities, Capability};
use crate::decode::Incoming;
use crate::frame::{
    CallTool, CommandResponse, ErrorInfo, EventInterceptResponse, ExtensionFrame, Frame, Hello,
    HelloAck, Level, Log, Panel, PanelRender, RegisterCommand, RegisterTool, Rejection, Request,
    RpcError, Subscribe, ToolResult, ToolUpdate,
};
use crate::id::Id;
use crate::json::RawJson;
use crate::limits::{BOOTSTRAP_CEILING, FRAME_BYTES};
use crate::profile::Profile;

/// What a host tells an extension of itself.
#[derive(Clone, Debug, Default)]
pub struct HostConfig {
    /// The answer to `hello`, capabilities and limits included.
    pub ack: HelloAck,
    /// How long it waits for what.
    pub deadlines: Deadlines,
    /// Which host it is like; its rules hold over the two above.
    pub profile: Profile,
}

/// How one tool call differs from others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolCallOptions {
    /// The tool's own deadline.
    pub timeout: Option<Duration>,
    /// It waits for a person: no deadline holds.
    pub interactive: bool,
    /// Names what the call does, the same when it is repeated; where the profile sends that.
    pub operation_key: Option<String>,
    /// Asks what became of the call of that key (`tool.reconcile`); where the profile does.
    pub reconcile: bool,
}

/// What a host does next.
#[derive(Clone, Debug, PartialEq)]
#[allow(clippy::large_enum_variant, reason = "events live briefly, one at a time")]
#[non_exhaustive]
pub enum HostEvent {
    /// The extension said who it is; the ack waits to be written.
    Hello(Box<Hello>),
    /// It says no `hello` yet, and what it does meanwhile: its time for that begins anew.
    Bootstrap(String),
    /// It cannot be used: end its process.
    HandshakeFailed(HandshakeError),
    /// It offers a tool, or offers it anew.
    RegisterTool(Box<RegisterTool>),
    /// It takes a tool back.
    UnregisterTool(String),
    /// It offers a command.
    RegisterCommand(RegisterCommand),
    /// It asks for events, intercepts, guards.
    Subscribe(Subscribe),
    /// It guards, and at which points cannot be read: nothing passes at any of them until a
    /// `subscribe` says (`guard.unclear`).
    UnclearGuards {
        /// What cannot be read.
        why: String,
    },
    /// A registration that cannot be used; it belongs into the report.
    Rejected(Rejection),
    /// What is registered so far can be used. More may follow.
    Ready,
    /// `ready` came, so every initial registration is there. It follows [`HostEvent::Ready`] at once
    /// unless `ready` was overdue.
    SaidReady,
    /// A tool call is answered.
    ToolResult {
        /// Names the call.
        key: CallKey,
        /// The answer.
        result: Box<ToolResult>,
    },
    /// How a tool call stands.
    ToolUpdate {
        /// Names the call.
        key: CallKey,
        /// The snapshot.
        update: ToolUpdate,
    },
    /// A command is answered.
    CommandResponse {
        /// Names the call.
        key: CallKey,
        /// The answer.
        response: Box<CommandResponse>,
    },
    /// An intercept is answered.
    InterceptResponse {
        /// Names the call.
        key: CallKey,
        /// The answer.
        response: EventInterceptResponse,
    },
    /// A call has no answer, and will have none.
    CallFailed {
        /// Names the call.
        key: CallKey,
        /// `timeout`, `cancelled`, `transient` when the extension died, `too_large` or `protocol`
        /// when its answer cannot be read.
        error: ErrorInfo,
    },
    /// It calls a tool; answer with [`HostSession::reply_call_tool`].
    CallTool {
        /// Names the call.
        key: CallKey,
        /// The call.
        call: CallTool,
    },
    /// It asks for something; answer with [`HostSession::reply_request`].
    Request {
        /// Names the request.
        key: CallKey,
        /// The request.
        request: Request,
    },
    /// It no longer wants an answer, or has the session's own since a `call_tool` took too long.
    /// Answer all the same.
    Cancelled {
        /// Names its `call_tool` or `request`.
        key: CallKey,
    },
    /// The deadline of a call stands still, since a person is asked below it
    /// (`rpc.dialog-pauses`). Those of the calls above it are to stand still too: for one of an
    /// extension's, call [`HostSession::pause_call_tool`] of its session.
    Paused {
        /// Names the call.
        key: CallKey,
    },
    /// It goes on, with what was left. It does not come for a call that has ended meanwhile.
    Resumed {
        /// Names the call.
        key: CallKey,
    },
    /// A part of the answer to [`HostSession::request`].
    ResponsePart {
        /// Names the request.
        key: CallKey,
        /// Number of the part, from 1.
        seq: u64,
        /// The part.
        data: RawJson,
    },
    /// The answer to [`HostSession::request`].
    Response {
        /// Names the request.
        key: CallKey,
        /// What the method returned, or why it failed.
        result: Result<RawJson, RpcError>,
    },
    /// A note for the user.
    Notify {
        /// How much it matters.
        level: Level,
        /// The note.
        message: String,
    },
    /// Its notes are to go.
    ClearNotes,
    /// A line for the log.
    Log(Log),
    /// A prompt for the model.
    Submit(String),
    /// A slash command to run.
    SubmitSlash(String),
    /// A panel to open.
    OpenPanel(Panel),
    /// A panel to draw anew.
    PanelRender(PanelRender),
    /// A panel to close.
    PanelClose(String),
    /// A line over the limit came: nothing that it writes is read any more (`zot.max-line`).
    StoppedReading,
    /// It is about to end, as it was asked to.
    ShutdownAck,
    /// Something a person should know of.
    Notice(Notice),
    /// Write what is left, then close its input.
    CloseInput,
    /// It did not end: SIGTERM to its process group.
    Terminate,
    /// It still did not end: SIGKILL to its process group.
    Kill,
}

/// The host's end of the connection to one extension: a state machine without I/O, threads or a
/// clock.
///
/// Its methods come in the same three groups as those of
/// [`ExtensionSession`](super::ExtensionSession), and a driver calls them in the same order.
/// **`handle_*`**: bytes from its stdout, the end of them, the end of the process, the passing of
/// time. **Commands**: `call_tool`, `invoke_command`, `intercept`, `send_event`, `cancel`,
/// `shutdown`, ... **`poll_*`**: events, bytes for its stdin, the time of the next
/// `handle_timeout`.
///
/// Not thread-safe by itself.
///
/// ```
/// use std::time::Instant;
/// use extline_protocol::{HostConfig, HostEvent, HostSession};
///
/// let now = Instant::now();
/// let mut session = HostSession::new(HostConfig::default(), now);
/// session.handle_input(b"{\"type\":\"hello\",\"name\":\"clock\"}\n", now);
/// assert!(matches!(session.poll_event(), Some(HostEvent::Hello(hello)) if hello.name == "clock"));
/// let mut out = Vec::new();
/// session.poll_output(&mut out);
/// assert!(out.starts_with(b"{\"type\":\"hello_ack\""));
/// ```
#[derive(Debug)]
pub struct HostSession {
    profile: Profile,
    ack: HelloAck,
    deadlines: Deadlines,
    /// Longest line that is read.
    accepts: usize,
    inbox: Inbox<ExtensionFrame>,
    outbox: Outbox,
    extension: Option<Hello>,
    extension_capabilities: Capabilities,
    /// What the extension owes an answer to.
    outgoing: OutgoingCalls,
    /// What the extension waits for.
    open: Pending<Asked>,
    events: VecDeque<HostEvent>,
    stage: Stage,
    /// It has proposed an action, and so serves what that is resolved by (`pending.served`).
    has_pushed: bool,
    /// What still comes is not read.
    stopped_reading: bool,
    /// `ready` came.
    said_ready: bool,
    /// Frames of a fork that became requests.
    translated: u64,
}

/// What the extension asked for.
#[derive(Debug)]
struct Asked {
    /// When the session answers itself; for a request never.
    overdue: Countdown,
    /// The tool that is called; empty for a request.
    tool: String,
    /// The call that it belongs to.
    parent: Option<CallKey>,
    /// A person is asked, and the deadline of its parent stands still.
    is_paused: bool,
}

/// What happened.
impl HostSession {
    /// Starts a session as the process starts.
    pub fn new(config: HostConfig, now: Instant) -> Self {
        let granted = config.ack.limits.as_ref().and_then(|limits| limits.frame_bytes);
        let accepts = granted.and_then(|bytes| usize::try_from(bytes).ok()).unwrap_or(FRAME_BYTES);
        let (until, latest) =
            (config.deadlines.hello, config.deadlines.hello.max(BOOTSTRAP_CEILING));
        let HostConfig { ack, deadlines, profile } = config;
        let writes = if profile.limits_frames { accepts.max(FRAME_BYTES) } else { usize::MAX };
        let mut outbox = Outbox::new(writes);
        if profile.escapes_html {
            outbox.escape_html();
        }
        Self {
            ack: profile.ack(ack),
            deadlines: profile.deadlines(deadlines),
            profile,
            accepts,
            inbox: Inbox::new(accepts),
            outbox,
            extension: None,
            extension_capabilities: Capabilities::default(),
            outgoing: OutgoingCalls::default(),
            open: Pending::default(),
            events: VecDeque::new(),
            stage: Stage::AwaitingHello { until: now + until, latest: now + latest },
            stopped_reading: false,
            said_ready: false,
            has_pushed: false,
            translated: 0,
        }
    }

    /// Takes bytes from the extension, in any chunking.
    pub fn handle_input(&mut self, bytes: &[u8], now: Instant) {
        self.inbox.decoder().feed(bytes);
        self.handle_lines(now);
    }

    /// Room to read into without a copy; tell [`HostSession::handle_read`] how much came.
    pub fn read_space(&mut self) -> &mut [u8] {
        self.inbox.decoder().space()
    }

    /// The first `count` bytes of [`HostSession::read_space`] came from the extension.
    ///
    /// # Panics
    /// When `count` is more than the space offered.
    pub fn handle_read(&mut self, count: usize, now: Instant) {
        self.inbox.decoder().advance(count);
        self.handle_lines(now);
    }

    /// Takes a result of an extension in this process, as
    /// [`ExtensionSession::poll_result`](crate::ExtensionSession::poll_result) gives it out.
    pub fn handle_result(&mut self, result: ToolResult, now: Instant) {
        self.handle_incoming(Incoming::Frame(ExtensionFrame::from(result)), now);
    }

    /// The extension closed its output: it can answer nothing more. Say with
    /// [`HostSession::handle_gone`] how it ended, once that is known.
    pub fn handle_eof(&mut self, now: Instant) {
        if let Some(incoming) = self.inbox.finish() {
            self.handle_incoming(incoming, now);
        }
        match self.stage {
            Stage::AwaitingHello { .. } => self.fail_handshake(HandshakeError::Ended),
            Stage::AwaitingReady { .. } if !self.profile.kills_unresponsive => self.become_ready(),
            _ => {}
        }
    }

    /// The extension is gone: every call fails at once with that text (`end.death`).
    pub fn handle_gone(&mut self, how: &str) {
        self.stage = Stage::Gone;
        self.fail_everything(how);
    }

    /// Time has passed; does what was due.
    pub fn handle_timeout(&mut self, now: Instant) {
        self.advance_stage(now);
        self.fail_overdue(now);
        self.answer_overdue(now);
    }

    fn handle_lines(&mut self, now: Instant) {
        while let Some(incoming) = self.inbox.next() {
            self.handle_incoming(incoming, now);
        }
        if self.is_over_a_long_line() {
            self.stop_reading();
        }
    }

    fn handle_incoming(&mut self, incoming: Incoming<ExtensionFrame>, now: Instant) {
        match incoming {
            _ if self.stage.is_deaf() || self.stopped_reading => {}
            // It was asked to end before it said hello: there is nobody to talk to.
            _ if self.stage.is_ending() && self.extension.is_none() => {}
            Incoming::Unusable(unusable) if self.ends_reading(&unusable) => self.stop_reading(),
            incoming => {
                self.stage.extend_idle(self.profile.idle_ready, now);
                match incoming {
                    Incoming::Frame(frame) => self.handle_frame(frame, now),
                    Incoming::Unusable(unusable) => self.handle_unusable(unusable),
                }
            }
        }
    }
}

/// What to do.
impl HostSession {
    /// The next thing to do.
    pub fn poll_event(&mut self) -> Option<HostEvent> {
        self.events.pop_front()
    }

    /// Appends the bytes to write; whether there are any.
    pub fn poll_output(&mut self, out: &mut Vec<u8>) -> bool {
        self.outbox.take(out)
    }

    /// Bytes that wait to be written.
    pub fn waiting_output(&self) -> usize {
        self.outbox.len()
    }

    /// When [`HostSession::handle_timeout`] is due, if ever.
    pub fn poll_timeout(&self) -> Option<Instant> {
        let asked = self.open.states().filter_map(|asked| asked.overdue.due());
        let others = [self.stage.next_step(), self.outgoing.next_deadline()];
        others.into_iter().flatten().chain(asked).min()
    }

    /// The extension's `hello`, once it came.
    pub fn extension(&self) -> Option<&Hello> {
        self.extension.as_ref()
    }

    /// Whether the extension understands what the host would send under that capability, and the
    /// host's profile sends it.
    pub fn supports(&self, capability: Capability) -> bool {
        let we_send_it = match capability {
            Capability::Rpc => {
                let names = self.ack.capabilities.as_deref().unwrap_or(&[]);
                Capabilities::named(names).contains(Capability::Rpc)
            }
            Capability::ToolCancel => self.profile.tool_cancel,
            Capability::RegistrationReport | Capability::Config => {
                self.profile.vocabulary.is_extline()
            }
            _ => true,
        };
        self.extension_capabilities.contains(capability) && we_send_it
    }

    /// The call of that kind and id that the extension has not answered, if there is one: what an
    /// extension names as the parent of what it asks for.
    pub fn in_flight(&self, kind: CallKind, id: &Id) -> Option<CallKey> {
        self.outgoing.find(kind, id)
    }

    /// Calls that the extension has not answered.
    pub fn unanswered(&self) -> Vec<CallKey> {
        self.outgoing.keys()
    }

    fn emit(&mut self, event: HostEvent) {
        self.events.push_back(event);
    }

    fn notice(&mut self, notice: Notice) {
        self.emit(HostEvent::Notice(notice));
    }

    /// Adds a frame that no answer depends on; one over a limit is reported and dropped.
    fn send<F: Frame>(&mut self, frame: &F) {
        if let Err(unsendable) = self.outbox.push(frame) {
            self.notice(Notice::NotSent { frame_type: F::TYPE, why: unsendable.to_string() });
        }
    }

    fn unexpected(&mut self, kind: CallKind, id: Id) {
        self.notice(Notice::Unexpected { kind, id });
    }
}
