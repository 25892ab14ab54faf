//! An MCP client on one side, one extension on the other.

mod asking;
mod extension;
mod gate;

use std::collections::{BTreeMap, VecDeque};
use std::time::{Duration, Instant};

use extline_protocol::frame::{
    Frame, HelloAck, HostInfo, Limits, RegisterTool, Subscribe, ToolCall, ToolResult,
};
use extline_protocol::limits::{FRAME_BYTES, INTERCEPT_DEADLINE};
use extline_protocol::{
    CallKey, Capabilities, Capability, Deadlines, HostConfig, HostSession, Profile,
};

use self::asking::{Asking, Covered};
use self::gate::Stage;
use crate::keyed::Keyed;
use crate::question::{DIALOGS, DISPLAYS};
use crate::server::{RequestKey, Server, ServerEvent};

/// A client of MCP decides itself how long it waits, and says when it does no longer.
const NO_DEADLINE: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// What an extension is told of where it runs.
#[derive(Clone, Debug, Default)]
pub struct BridgeConfig {
    /// The version of what stands between; `hello_ack.host` names it, as `mcp`.
    pub version: String,
    /// The working directory.
    pub cwd: String,
    /// Where the extension is.
    pub extension_dir: Option<String>,
    /// Where it may keep data.
    pub data_dir: Option<String>,
    /// Calls of tools that need an approval run without.
    pub asks_nobody: bool,
}

/// What whoever drives a bridge has to do.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BridgeEvent {
    /// A line for a person, on stderr.
    Say(String),
    /// The extension is to end: close its input when everything is written to it.
    CloseInput,
}

/// A codec between the lines of an MCP client and the lines of one extension: a state machine without I/O,
/// threads or a clock.
///
/// **`handle_*`**: bytes and ends of both sides, the passing of time. **`poll_*`**: bytes for both sides, what is
/// to be done, the time of the next [`Bridge::handle_timeout`]. Not thread-safe by itself.
///
/// To the extension it is a host: it answers `hello`, and the extension's own interceptors and guards at
/// `tool_call` are asked before each call. Its dialogs, and its calls that need an approval, are shown by a
/// client that can ask its user (`elicitation`). What MCP has no place for (panels, events, other intercepts, calls of
/// other tools) is refused in the extension's registration report or by an error, so that its author sees it.
#[derive(Debug)]
pub struct Bridge {
    server: Server,
    host: HostSession,
    /// The extension's name.
    name: String,
    asks_nobody: bool,
    /// What the client's user is asked.
    asking: Keyed<Asking>,
    /// The calls that always run, by the tool.
    approved: Vec<(String, Covered)>,
    /// Requests of the client's that the extension has to answer, by the serial of what it was sent.
    stages: BTreeMap<u64, Stage>,
    /// The same by the request, for cancels.
    sent: BTreeMap<RequestKey, CallKey>,
    /// What the extension wants to be asked.
    subscribed: Subscribe,
    tools: BTreeMap<String, RegisterTool>,
    commands: Vec<String>,
    /// Calls for the extension.
    calls: VecDeque<ToolCall>,
    is_ready: bool,
    /// What was said once.
    said: Vec<&'static str>,
    events: VecDeque<BridgeEvent>,
}

/// What happened.
impl Bridge {
    /// For an extension that begins now.
    pub fn new(config: BridgeConfig, now: Instant) -> Self {
        Self {
            server: Server::new(),
            name: String::new(),
            asks_nobody: config.asks_nobody,
            asking: Keyed::default(),
            approved: Vec::new(),
            host: HostSession::new(host_config(config), now),
            stages: BTreeMap::new(),
            sent: BTreeMap::new(),
            subscribed: Subscribe::default(),
            tools: BTreeMap::new(),
            commands: Vec::new(),
            calls: VecDeque::new(),
            is_ready: false,
            said: Vec::new(),
            events: VecDeque::new(),
        }
    }

    /// Has clients of the modern era asked too, see [`Server::sign_with`].
    pub fn sign_with(&mut self, secret: [u8; 32], now: Instant) {
        self.server.sign_with(secret, now);
    }

    /// Takes bytes from the client, in any chunking.
    pub fn handle_client(&mut self, bytes: &[u8], now: Instant) {
        self.server.handle_input(bytes, now);
        self.go_on(now);
    }

    /// Room to read the client's bytes into; tell [`Bridge::handle_client_read`] how much came.
    pub fn client_space(&mut self) -> &mut [u8] {
        self.server.read_space()
    }

    /// The first `count` bytes of [`Bridge::client_space`] came from the client.
    ///
    /// # Panics
    /// When `count` is more than the space offered.
    pub fn handle_client_read(&mut self, count: usize, now: Instant) {
        self.server.handle_read(count, now);
        self.go_on(now);
    }

    /// The client has closed its end. What it asked for is answered for two seconds, then the extension is
    /// asked to end.
    pub fn handle_client_eof(&mut self, now: Instant) {
        self.server.handle_eof(now);
        self.go_on(now);
    }

    /// Takes bytes from the extension, in any chunking.
    pub fn handle_extension(&mut self, bytes: &[u8], now: Instant) {
        self.host.handle_input(bytes, now);
        self.go_on(now);
    }

    /// Takes a result from an extension in the same process, behind what [`Bridge::handle_extension`] took.
    pub fn handle_result(&mut self, result: ToolResult, now: Instant) {
        self.host.handle_result(result, now);
        self.go_on(now);
    }

    /// The extension has ended, as `how` says: what is open fails.
    pub fn handle_extension_end(&mut self, how: &str, now: Instant) {
        self.host.handle_eof(now);
        self.host.handle_gone(how);
        self.server.ready(now);
        self.go_on(now);
    }

    /// Time has passed; does what was due.
    pub fn handle_timeout(&mut self, now: Instant) {
        self.server.handle_timeout(now);
        self.host.handle_timeout(now);
        self.go_on(now);
    }

    /// Does what came up on either side, until nothing does.
    fn go_on(&mut self, now: Instant) {
        loop {
            if let Some(event) = self.host.poll_event() {
                self.handle_host_event(event, now);
            } else if let Some(event) = self.server.poll_event() {
                self.handle_server_event(event, now);
            } else {
                return;
            }
        }
    }

    fn handle_server_event(&mut self, event: ServerEvent, now: Instant) {
        match event {
            ServerEvent::CallTool { key, name, args } => self.begin_call(key, name, args, now),
            ServerEvent::GetPrompt { key, name, args } => {
                self.begin_command(key, &name, &args, now);
            }
            ServerEvent::Cancelled { key, reason } => {
                if let Some(call) = self.sent.remove(&key) {
                    self.stages.remove(&call.serial());
                    self.host.cancel(&call, reason.as_deref().unwrap_or("cancelled"), now);
                }
            }
            ServerEvent::Answered { question, answer } => self.answered(question, answer, now),
            ServerEvent::Closed => self.host.shutdown(None, now),
            ServerEvent::Remark(text) => self.say(text),
        }
    }

    fn say(&mut self, text: impl Into<String>) {
        self.events.push_back(BridgeEvent::Say(text.into()));
    }

    /// Says what a client of MCP cannot show, once.
    fn say_once(&mut self, text: &'static str) {
        if !self.said.contains(&text) {
            self.said.push(text);
            self.say(text);
        }
    }
}

/// What comes of it.
impl Bridge {
    /// Moves the bytes for the client behind what `out` holds; whether there were any.
    pub fn poll_to_client(&mut self, out: &mut Vec<u8>) -> bool {
        self.server.poll_output(out)
    }

    /// The next call for an extension in the same process, before what [`Bridge::poll_to_extension`] has
    /// for it. Without this they are among those bytes.
    pub fn poll_call(&mut self) -> Option<ToolCall> {
        self.calls.pop_front()
    }

    /// Moves the bytes for the extension behind what `out` holds; whether there were any.
    pub fn poll_to_extension(&mut self, out: &mut Vec<u8>) -> bool {
        let mut has_calls = false;
        while let Some(call) = self.calls.pop_front() {
            call.write_line(out);
            has_calls = true;
        }
        self.host.poll_output(out) || has_calls
    }

    /// Whether there are bytes for the client.
    pub fn has_output(&self) -> bool {
        self.server.has_output()
    }

    /// What is to be done next.
    pub fn poll_event(&mut self) -> Option<BridgeEvent> {
        self.events.pop_front()
    }

    /// When [`Bridge::handle_timeout`] is due, if ever.
    pub fn poll_timeout(&self) -> Option<Instant> {
        [self.server.poll_timeout(), self.host.poll_timeout()].into_iter().flatten().min()
    }

    /// Whether so much waits for the extension to be ready that no more should be read.
    pub fn is_full(&self) -> bool {
        self.server.is_full()
    }
}

/// A host that grants what MCP has a place for.
fn host_config(config: BridgeConfig) -> HostConfig {
    let capabilities =
        Capabilities::all().without(Capability::Panels).without(Capability::CallTool);
    // Whether a client can ask its user is known only when it calls: those that cannot are told of then.
    let methods = DIALOGS.iter().chain(&DISPLAYS).map(|method| (*method).to_owned());
    let intercept = u64::try_from(INTERCEPT_DEADLINE.as_millis()).ok();
    let ack = HelloAck {
        protocol_version: 1,
        capabilities: Some(capabilities.names()),
        methods: Some(methods.collect()),
        cwd: config.cwd,
        extension_dir: config.extension_dir,
        data_dir: config.data_dir,
        host: Some(HostInfo { name: "mcp".to_owned(), version: config.version }),
        limits: Some(Limits {
            frame_bytes: u64::try_from(FRAME_BYTES * 16).ok(),
            intercept_timeout_ms: intercept,
            ..Limits::default()
        }),
        ..HelloAck::default()
    };
    let deadlines = Deadlines {
        // An extension may take its time before hello: the client has a deadline of its own.
        hello: NO_DEADLINE,
        tool: NO_DEADLINE,
        command: NO_DEADLINE,
        ..Deadlines::default()
    };
    HostConfig { ack, deadlines, profile: Profile::spec() }
}
