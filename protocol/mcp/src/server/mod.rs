//! The server's end of an MCP connection over stdio.

mod answers;
mod asking;
mod further;
mod offers;
mod open;
mod requests;
mod state;
mod streams;
mod suspended;
mod writing;

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use extline_protocol::frame::RpcError;
use extline_protocol::limits::{EXTENSION_ACCEPTS_BYTES, READ_AHEAD_BYTES};
use extline_protocol::{Decoder, Line, RawJson};

pub use self::asking::QuestionKey;
use self::asking::Questions;
use self::open::Open;
use self::state::Signer;
use self::streams::Streams;
use crate::catalogue::Catalogue;
use crate::elicits::Elicits;
use crate::level::McpLevel;
use crate::revision::Revision;

/// How often a call with a progress token shows that it goes on, where its handler shows nothing: clients
/// give up after a minute without (typescript-sdk#192).
const HEARTBEAT: Duration = Duration::from_secs(20);

/// How long calls may go on when the client has closed its end: whoever writes requests into a pipe and
/// closes it waits for the answers.
const GRACE: Duration = Duration::from_secs(2);

/// What a server says of itself.
#[derive(Clone, Debug, Default)]
pub struct ServerConfig {
    /// The program's name.
    pub name: String,
    /// The program's version.
    pub version: String,
    /// Its name for a person.
    pub title: Option<String>,
    /// What a model should know before it uses the tools.
    pub instructions: Option<String>,
}

/// Names one request for as long as the server lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RequestKey(u64);

/// What a client wants done.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ServerEvent {
    /// It calls a tool that is offered; answer with [`Server::reply_tool`].
    CallTool {
        /// Names the call.
        key: RequestKey,
        /// The tool.
        name: String,
        /// The arguments, an object without duplicate keys.
        args: RawJson,
    },
    /// It wants a prompt, which is a command; answer with [`Server::reply_prompt`].
    GetPrompt {
        /// Names the request.
        key: RequestKey,
        /// The command, as it was registered.
        name: String,
        /// What would be typed behind it.
        args: String,
    },
    /// What was asked by [`Server::ask`] has its answer, or will have none.
    Answered {
        /// Names the question.
        question: QuestionKey,
        /// The answer, as an extension reads that of the dialog.
        answer: Result<RawJson, RpcError>,
    },
    /// It no longer wants an answer. None is sent, whatever [`Server::reply_tool`] is told.
    Cancelled {
        /// Names the request.
        key: RequestKey,
        /// Why, in the client's words.
        reason: Option<String>,
    },
    /// The client has closed its end, and what it asked for is answered or has had its time: the end.
    Closed,
    /// Something a person should know of, for stderr.
    Remark(String),
}

/// The server's end of an MCP connection: a state machine without I/O, threads or a clock.
///
/// Its methods come in three groups. **`handle_*`**: bytes from the client, their end, the passing of time.
/// **Commands**: [`Server::add_tool`] and what else is offered, [`Server::ready`], the answers.
/// **`poll_*`**: events, bytes for the client, the time of the next [`Server::handle_timeout`].
///
/// Requests that come before [`Server::ready`] wait. Not thread-safe by itself.
///
/// ```
/// use std::time::Instant;
/// use extline_mcp::{Server, ServerConfig, ServerEvent};
/// use extline_protocol::frame::{Content, RegisterTool, ToolResult};
///
/// let now = Instant::now();
/// let mut server = Server::new();
/// server.introduce(ServerConfig { name: "clock".into(), version: "1.0.0".into(), ..ServerConfig::default() });
/// server.add_tool(&RegisterTool { name: "time".into(), ..RegisterTool::default() }).unwrap();
/// server.ready(now);
/// server.handle_input(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"time\"}}\n", now);
/// let Some(ServerEvent::CallTool { key, .. }) = server.poll_event() else { panic!() };
/// server.reply_tool(key, &ToolResult::new("1".into(), vec![Content::text("12:00")]));
/// let mut out = Vec::new();
/// server.poll_output(&mut out);
/// assert!(out.starts_with(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":"));
/// ```
#[derive(Debug)]
pub struct Server {
    config: ServerConfig,
    decoder: Decoder,
    out: Vec<u8>,
    catalogue: Catalogue,
    /// Everything that is offered at first is known.
    is_ready: bool,
    /// Lines that came before that, and how many bytes they have.
    held: VecDeque<String>,
    held_bytes: usize,
    /// What `initialize` was answered with.
    session: Option<Revision>,
    /// `notifications/initialized` came: notifications that answer nothing may be sent.
    is_initialized: bool,
    /// What the client of the session can ask its user.
    elicits: Elicits,
    log_level: McpLevel,
    open: Open,
    questions: Questions,
    /// Signs what a client brings back.
    signer: Option<Arc<Signer>>,
    streams: Streams,
    events: VecDeque<ServerEvent>,
    /// The client has closed its end.
    has_ended: bool,
    /// When the calls that are left have had their time.
    closes_at: Option<Instant>,
    is_closed: bool,
}

impl Default for Server {
    fn default() -> Self {
        Self::new()
    }
}

/// What happened.
impl Server {
    /// A server of which nothing is known yet.
    pub fn new() -> Self {
        Self {
            config: ServerConfig::default(),
            decoder: Decoder::new(EXTENSION_ACCEPTS_BYTES),
            out: Vec::new(),
            catalogue: Catalogue::default(),
            is_ready: false,
            held: VecDeque::new(),
            held_bytes: 0,
            session: None,
            is_initialized: false,
            elicits: Elicits::default(),
            log_level: McpLevel::INFO,
            open: Open::default(),
            questions: Questions::default(),
            signer: None,
            streams: Streams::default(),
            events: VecDeque::new(),
            has_ended: false,
            closes_at: None,
            is_closed: false,
        }
    }

    /// Takes bytes from the client, in any chunking.
    pub fn handle_input(&mut self, bytes: &[u8], now: Instant) {
        self.decoder.feed(bytes);
        self.handle_lines(now);
    }

    /// Room to read into without a copy; tell [`Server::handle_read`] how much came.
    pub fn read_space(&mut self) -> &mut [u8] {
        self.decoder.space()
    }

    /// The first `count` bytes of [`Server::read_space`] came from the client.
    ///
    /// # Panics
    /// When `count` is more than the space offered.
    pub fn handle_read(&mut self, count: usize, now: Instant) {
        self.decoder.advance(count);
        self.handle_lines(now);
    }

    /// The client has closed its end. What it asked for is still answered for two seconds.
    pub fn handle_eof(&mut self, now: Instant) {
        if std::mem::replace(&mut self.has_ended, true) {
            return;
        }
        let mut decoder = self.take_decoder();
        if let Some(line) = decoder.finish() {
            self.take(&line, now);
        }
        self.decoder = decoder;
        self.withdraw_all();
        self.abandon_suspended();
        self.count_down(now);
    }

    /// Time has passed; does what was due.
    pub fn handle_timeout(&mut self, now: Instant) {
        self.beat(now);
        self.close_overdue(now);
        self.expire(now);
        if self.closes_at.is_some_and(|at| at <= now) {
            self.close();
        }
    }

    fn handle_lines(&mut self, now: Instant) {
        // What handles a line may use the whole server, and the line lies in the decoder.
        let mut decoder = self.take_decoder();
        while let Some(line) = decoder.next_line() {
            self.take(&line, now);
        }
        self.decoder = decoder;
    }

    fn take_decoder(&mut self) -> Decoder {
        std::mem::replace(&mut self.decoder, Decoder::new(0))
    }

    /// Does what a line asks for, or keeps it until it is known what is offered.
    fn take(&mut self, line: &Line<'_>, now: Instant) {
        if self.is_closed {
            return;
        }
        match line {
            Line::Text(text) if !self.is_ready => {
                self.held_bytes += text.len();
                self.held.push_back(text.clone().into_owned());
            }
            line => self.handle_line(line, now),
        }
    }

    /// After the client's end: what is left to answer has its time.
    fn count_down(&mut self, now: Instant) {
        if self.has_ended && self.is_ready && !self.is_closed {
            self.closes_at.get_or_insert(now + GRACE);
            self.close_if_done();
        }
    }

    /// After the client's end: closes when nothing is left to answer.
    fn close_if_done(&mut self) {
        if self.has_ended && self.is_ready && self.open.is_empty() {
            self.close();
        }
    }

    fn close(&mut self) {
        self.closes_at = None;
        if !std::mem::replace(&mut self.is_closed, true) {
            self.end_streams();
            self.events.push_back(ServerEvent::Closed);
        }
    }
}

/// What comes of it.
impl Server {
    /// The next thing to do.
    pub fn poll_event(&mut self) -> Option<ServerEvent> {
        self.events.pop_front()
    }

    /// Moves the bytes for the client behind what `out` holds; whether there were any.
    pub fn poll_output(&mut self, out: &mut Vec<u8>) -> bool {
        let any = !self.out.is_empty();
        if out.is_empty() {
            std::mem::swap(out, &mut self.out);
        } else {
            out.append(&mut self.out);
        }
        any
    }

    /// When [`Server::handle_timeout`] is due, if ever.
    pub fn poll_timeout(&self) -> Option<Instant> {
        let ends = [self.open.next_expiry(), self.questions.next_end()];
        [self.closes_at, self.open.next_beat()].into_iter().chain(ends).flatten().min()
    }

    /// Whether there are bytes for the client.
    pub fn has_output(&self) -> bool {
        !self.out.is_empty()
    }

    /// Whether so much waits for [`Server::ready`] that no more should be read.
    pub fn is_full(&self) -> bool {
        self.held_bytes > READ_AHEAD_BYTES
    }
}
