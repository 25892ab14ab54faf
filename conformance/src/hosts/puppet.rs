//! One extension that the host started: a puppet, whose pipes the tester has.
//!
//! The puppet's process hands its stdin, stdout and stderr over as soon as it is started, and keeps
//! none of them. What it is told after that: `exit N`, `kill`, `ignore` (SIGTERM), `child`.

use std::io::{self, IoSliceMut, Read, Write};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use memchr::memchr;
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::io::{Errno, FdFlags, fcntl_setfd};
use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, recvmsg};
use serde_json::{Value, json};

use super::log::Log;
use super::outgoing::Outgoing;
use crate::conversation::{Era, Protocol};
use crate::report::Lane;
use crate::target::weight;

const READ_BYTES: usize = 64 * 1024;
/// How much is kept of what the host writes to one process, in bytes of memory: then nothing more is
/// read of it. Eight cases are played at a time.
const KEPT: usize = 24 << 20;
/// The pipes must not get into the drivers that other cases start meanwhile: an extension's stdout
/// would never end.
#[cfg(target_os = "linux")]
const AT_ONCE_OURS: RecvFlags = RecvFlags::CMSG_CLOEXEC;
#[cfg(not(target_os = "linux"))]
const AT_ONCE_OURS: RecvFlags = RecvFlags::empty();
/// A puppet says who it is with its first bytes.
const FIRST_WORDS: Duration = Duration::from_secs(10);

/// A line that the host wrote to an extension.
#[derive(Clone, Debug)]
pub(super) struct Arrived {
    /// Without its LF.
    pub(super) bytes: Vec<u8>,
    /// The frame, or why it is none.
    pub(super) frame: Result<Value, String>,
}

/// Something that the extension wrote, or the host: what the checks look at, in order.
#[derive(Clone, Debug)]
pub(super) enum Passed {
    /// The host wrote this line.
    ToExtension(Arrived),
    /// The extension wrote these bytes.
    ToHost(Vec<u8>),
}

/// One extension that the host starts.
#[derive(Debug)]
pub(super) struct Puppet {
    pub(super) name: String,
    protocol: Protocol,
    /// As a server of MCP: the tools, by the pages in which `tools/list` is answered. None before it was greeted.
    pub(super) pages: Vec<Vec<Value>>,
    /// As a server of MCP: it knows no `initialize`, and speaks 2026-07-28 alone.
    pub(super) newer: bool,
    control: Option<UnixStream>,
    /// What the host writes to.
    pub(super) stdin: Option<OwnedFd>,
    /// What the host reads.
    pub(super) stdout: Option<OwnedFd>,
    stderr: Option<OwnedFd>,
    partial: (Vec<u8>, Vec<usize>),
    kept: usize,
    pub(super) outgoing: Outgoing,
    pub(super) reading: bool,
    /// It ends when it is asked to.
    pub(super) obeys: bool,
    /// The frames that came, and how many of them were looked at.
    pub(super) arrived: Vec<Arrived>,
    pub(super) cursor: usize,
    /// All that passed in each of its processes.
    pub(super) passed: Vec<Vec<Passed>>,
    pub(super) acknowledged: usize,
    child: Option<UnixStream>,
    pub(super) child_gone: bool,
}

/// Who has come to the tester's socket.
pub(super) enum Caller {
    /// A puppet, with its pipes.
    Puppet { name: String, control: UnixStream, pipes: Vec<OwnedFd> },
    /// A process that a puppet started.
    Child { of: String, stream: UnixStream },
}

impl Caller {
    /// Reads who it is.
    pub(super) fn of(stream: UnixStream) -> io::Result<Self> {
        stream.set_nonblocking(false)?;
        stream.set_read_timeout(Some(FIRST_WORDS))?;
        let mut words = [0; 512];
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(3))];
        let mut control = RecvAncillaryBuffer::new(&mut space);
        let came =
            recvmsg(&stream, &mut [IoSliceMut::new(&mut words)], &mut control, AT_ONCE_OURS)?;
        let mut pipes = Vec::new();
        for message in control.drain() {
            if let RecvAncillaryMessage::ScmRights(descriptors) = message {
                pipes.extend(descriptors);
            }
        }
        let words = String::from_utf8_lossy(&words[..came.bytes]).into_owned();
        stream.set_read_timeout(None)?;
        stream.set_nonblocking(true)?;
        match words.trim_end().split_once(' ') {
            Some(("puppet", name)) if pipes.len() == 3 => {
                Ok(Self::Puppet { name: name.to_owned(), control: stream, pipes })
            }
            Some(("child", of)) => Ok(Self::Child { of: of.to_owned(), stream }),
            _ => Err(io::Error::other(format!("{words:?} came to the puppets' socket"))),
        }
    }
}

impl Puppet {
    pub(super) fn new(name: &str, protocol: Protocol) -> Self {
        Self {
            name: name.to_owned(),
            protocol,
            pages: Vec::new(),
            newer: false,
            control: None,
            stdin: None,
            stdout: None,
            stderr: None,
            partial: (Vec::new(), Vec::new()),
            kept: 0,
            outgoing: Outgoing::default(),
            reading: true,
            obeys: true,
            arrived: Vec::new(),
            cursor: 0,
            passed: Vec::new(),
            acknowledged: 0,
            child: None,
            child_gone: false,
        }
    }

    /// Whether its process runs.
    pub(super) fn runs(&self) -> bool {
        self.control.is_some()
    }

    /// How often it was started.
    pub(super) fn starts(&self) -> usize {
        self.passed.len()
    }

    /// Its process was started, if not for the first time.
    pub(super) fn connect(&mut self, control: UnixStream, pipes: Vec<OwnedFd>) -> io::Result<()> {
        for pipe in &pipes {
            // Where that was not done on the way.
            fcntl_setfd(pipe, FdFlags::CLOEXEC)?;
            // The host's ends of these pipes have flags of their own.
            fcntl_setfl(pipe, fcntl_getfl(pipe)? | OFlags::NONBLOCK)?;
        }
        let mut pipes = pipes.into_iter();
        let (stdin, stdout, stderr) = (pipes.next(), pipes.next(), pipes.next());
        let passed = std::mem::take(&mut self.passed);
        let name = std::mem::take(&mut self.name);
        // A client of MCP may have started it to see which era it speaks, and starts it again.
        let pages = std::mem::take(&mut self.pages);
        let (newer, new) = (self.newer, Self::new(&name, self.protocol));
        *self = Self { control: Some(control), stdin, stdout, stderr, passed, pages, newer, ..new };
        self.passed.push(Vec::new());
        Ok(())
    }

    pub(super) fn adopt(&mut self, child: UnixStream) {
        self.child = Some(child);
    }

    /// What tells that its process is gone.
    pub(super) fn control(&self) -> Option<&UnixStream> {
        self.control.as_ref()
    }

    /// What tells that the process it started is gone.
    pub(super) fn child(&self) -> Option<&UnixStream> {
        self.child.as_ref()
    }

    /// Tells its process to do something.
    pub(super) fn tell(&mut self, order: &str) {
        if let Some(control) = &mut self.control {
            // One that is gone shows as the end of this stream.
            let _ = control.write_all(format!("{order}\n").as_bytes());
        }
    }

    /// Writes to the host, behind what still waits.
    pub(super) fn write(&mut self, bytes: Vec<u8>, chunk: usize, pause: Duration, log: &mut Log) {
        if let Some(passed) = self.passed.last_mut() {
            passed.push(Passed::ToHost(bytes.clone()));
        }
        self.outgoing.add(bytes, chunk, pause);
        self.write_some(log);
    }

    pub(super) fn write_some(&mut self, log: &mut Log) {
        let Some(stdout) = &self.stdout else { return self.outgoing.clear() };
        let (written, outcome) = self.outgoing.write_some(stdout);
        for (bytes, pieces) in written {
            log.bytes(Lane::Received, &self.name, &bytes, pieces);
        }
        if let Err(error) = outcome {
            log.say(format!("{}'s stdout is closed at the host's end: {error}", self.name));
            self.outgoing.clear();
            self.stdout = None;
        }
    }

    pub(super) fn close_stdin(&mut self) {
        self.stdin = None;
    }

    pub(super) fn close_stdout(&mut self) {
        self.outgoing.clear();
        self.stdout = None;
    }

    /// Reads once from the host.
    pub(super) fn read_stdin(&mut self, log: &mut Log) {
        let Some(stdin) = &self.stdin else { return };
        let mut space = vec![0; READ_BYTES];
        match rustix::io::read(stdin, &mut space) {
            Err(Errno::AGAIN | Errno::INTR) => {}
            Ok(0) | Err(_) => {
                self.stdin = None;
                log.say(format!("{}'s stdin has come to its end", self.name));
                if !self.partial.0.is_empty() {
                    let (bytes, pieces) = std::mem::take(&mut self.partial);
                    self.take(bytes, pieces, false, log);
                }
                self.obey();
            }
            Ok(count) => self.take_input(&space[..count], log),
        }
    }

    fn take_input(&mut self, mut bytes: &[u8], log: &mut Log) {
        while let Some(end) = memchr(b'\n', bytes) {
            let (mut line, mut pieces) = std::mem::take(&mut self.partial);
            line.extend_from_slice(&bytes[..end]);
            pieces.push(end + 1);
            bytes = &bytes[end + 1..];
            self.kept += weight(&line);
            self.take(line, pieces, true, log);
        }
        if self.kept + self.partial.0.len() > KEPT {
            let lines = self.arrived.len();
            log.say(format!(
                "the host floods {}'s stdin, {lines} lines so far: it is closed",
                self.name
            ));
            (self.stdin, self.partial) = (None, (Vec::new(), Vec::new()));
            return self.obey();
        }
        if !bytes.is_empty() {
            self.partial.0.extend_from_slice(bytes);
            self.partial.1.push(bytes.len());
        }
    }

    fn take(&mut self, bytes: Vec<u8>, pieces: Vec<usize>, terminated: bool, log: &mut Log) {
        log.bytes(Lane::Sent, &self.name, &bytes, pieces);
        let frame = self.protocol.parse(&bytes, terminated);
        let answer = frame.as_ref().ok().and_then(|message| self.answer(message));
        let shutdown = frame.as_ref().is_ok_and(|frame| frame["type"] == "shutdown");
        let arrived = Arrived { bytes, frame };
        if let Some(passed) = self.passed.last_mut() {
            passed.push(Passed::ToExtension(arrived.clone()));
        }
        self.arrived.push(arrived);
        if let Some(answer) = answer {
            self.write(format!("{answer}\n").into_bytes(), usize::MAX, Duration::ZERO, log);
        }
        if shutdown {
            self.obey();
        }
    }

    /// What a server of MCP says by itself to what a case is not about.
    fn answer(&self, message: &Value) -> Option<Value> {
        self.protocol.era()?;
        let id = message.get("id")?;
        let mut result = match message["method"].as_str()? {
            "tools/list" if !self.pages.is_empty() => self.page(&message["params"]["cursor"]),
            "server/discover" if self.newer => json!({
                "supportedVersions": [Era::Discover.revision()], "capabilities": {"tools": {}},
            }),
            "ping" if !self.newer => json!({}),
            "server/discover" | "initialize" | "ping" if self.knows_not(message) => {
                let error = json!({"code": -32601, "message": "Method not found"});
                return Some(json!({"jsonrpc": "2.0", "id": id, "error": error}));
            }
            _ => return None,
        };
        if self.newer {
            let info = json!({"name": "puppet", "version": "1.0.0"});
            result["_meta"] = json!({"io.modelcontextprotocol/serverInfo": info});
            result["resultType"] = json!("complete");
            result["ttlMs"] = json!(0);
            result["cacheScope"] = json!("private");
        }
        Some(json!({"jsonrpc": "2.0", "id": id, "result": result}))
    }

    /// Whether a request is of the era that this server does not speak.
    fn knows_not(&self, message: &Value) -> bool {
        (message["method"] == "server/discover") != self.newer
    }

    /// The tools behind that cursor, which is the number of the page.
    fn page(&self, cursor: &Value) -> Value {
        let number =
            cursor.as_str().and_then(|cursor| cursor.parse::<usize>().ok()).unwrap_or_default();
        let mut page = json!({"tools": self.pages.get(number).cloned().unwrap_or_default()});
        if number + 1 < self.pages.len() {
            page["nextCursor"] = json!((number + 1).to_string());
        }
        page
    }

    fn obey(&mut self) {
        if self.obeys {
            self.tell("exit 0");
        }
    }

    /// Reads what its process says: it has done what it was told, or it is gone.
    pub(super) fn read_control(&mut self, log: &mut Log) {
        let Some(control) = &mut self.control else { return };
        let mut space = [0; 64];
        match control.read(&mut space) {
            Ok(count) if count > 0 => {
                self.acknowledged += space[..count].split(|byte| *byte == b'\n').count() - 1;
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Ok(_) | Err(_) => {
                // What the host wrote before is in the pipe still.
                while self.stdin.as_ref().is_some_and(has_input) {
                    self.read_stdin(log);
                }
                log.say(format!("{}'s process has ended", self.name));
                (self.control, self.stdin, self.stdout, self.stderr) = (None, None, None, None);
                self.outgoing.clear();
            }
        }
    }

    /// The process that it started has ended.
    pub(super) fn read_child(&mut self, log: &mut Log) {
        if let Some(child) = &mut self.child
            && matches!(child.read(&mut [0; 8]), Ok(0))
        {
            log.say(format!("the process that {} started has ended", self.name));
            self.child = None;
            self.child_gone = true;
        }
    }

    /// Writes to its stderr what the pipe takes, and gives how much that was.
    pub(super) fn complain(&self, text: &[u8]) -> usize {
        let written = self.stderr.as_ref().map(|stderr| rustix::io::write(stderr, text));
        written.and_then(Result::ok).unwrap_or_default()
    }
}

/// Whether a read would give something, if only the end.
fn has_input(descriptor: &OwnedFd) -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let descriptor = descriptor.as_fd();
    let mut fds = [PollFd::from_borrowed_fd(descriptor, PollFlags::IN)];
    let now = Timespec { tv_sec: 0, tv_nsec: 0 };
    matches!(poll(&mut fds, Some(&now)), Ok(count) if count > 0)
}
