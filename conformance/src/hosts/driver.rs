//! The driver: a program that operates the host under test. docs/tester/hosts.md documents what
//! it is asked and how it answers.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::os::fd::OwnedFd;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use extline_host::Exit;
use memchr::memchr;
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::io::Errno;
use rustix::process::{Pid, Signal as SystemSignal, kill_process};
use serde_json::{Value, json};

use super::log::Log;
use super::outgoing::Outgoing;
use super::stderr::Stderr;
use crate::target::{Group, is_busy, processor_time};

/// The longest line that is waited for.
const LONGEST_LINE: usize = 64 << 20;
/// How long a driver may take to end when its stdin has.
const GRACE: Duration = Duration::from_secs(1);

/// The driver's process. Dropping it kills its whole group.
#[derive(Debug)]
pub(super) struct Driver {
    child: Child,
    group: Group,
    pub(super) stdin: Option<OwnedFd>,
    pub(super) outgoing: Outgoing,
    pub(super) stdout: Option<OwnedFd>,
    partial: Vec<u8>,
    stderr: Option<Stderr>,
    asked: u64,
    /// What came, and when.
    answers: BTreeMap<u64, (Instant, Value)>,
    /// What it said first that it has nothing of, and why.
    refusal: Option<String>,
    exit: Option<Exit>,
}

/// What a driver says to a request.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum DriverAnswer {
    /// What came of it.
    Value(Value),
    /// The driver, or its host, has nothing of the kind.
    Unsupported(String),
    /// It went wrong.
    Error(String),
}

impl Driver {
    pub(super) fn start(words: &[OsString]) -> io::Result<Self> {
        let (program, args) = words.split_first().ok_or_else(|| io::Error::other("no driver"))?;
        let mut command = Command::new(program);
        command.args(args);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let (mut child, group) = Group::start(&mut command)?;
        let stdout = child.stdout.take().map(OwnedFd::from);
        let stdin = child.stdin.take().map(OwnedFd::from);
        let stderr = child.stderr.take().map(OwnedFd::from).map(Stderr::of).transpose()?;
        for pipe in [&stdin, &stdout].into_iter().flatten() {
            // A driver that does not read must not keep the tester.
            fcntl_setfl(pipe, fcntl_getfl(pipe)? | OFlags::NONBLOCK)?;
        }
        let outgoing = Outgoing::default();
        let (partial, answers) = (Vec::new(), BTreeMap::new());
        let (asked, refusal, exit) = (0, None, None);
        Ok(Self {
            child,
            group,
            stdin,
            outgoing,
            stdout,
            partial,
            stderr,
            asked,
            answers,
            refusal,
            exit,
        })
    }

    /// Sends a request, and gives its number.
    pub(super) fn ask(&mut self, mut request: Value, log: &mut Log, shown: bool) -> u64 {
        self.asked += 1;
        request["id"] = json!(self.asked);
        if shown {
            log.say(format!("driver, {request}"));
        }
        self.outgoing.add(format!("{request}\n").into_bytes(), usize::MAX, Duration::ZERO);
        self.write_some();
        self.asked
    }

    /// Writes what its stdin takes.
    pub(super) fn write_some(&mut self) {
        let Some(stdin) = &self.stdin else { return self.outgoing.clear() };
        if self.outgoing.write_some(stdin).1.is_err() {
            // One that has ended is noticed where its answer is waited for.
            self.outgoing.clear();
            self.stdin = None;
        }
    }

    /// What came of a request, and when, if something did.
    pub(super) fn answer(&self, number: u64) -> Option<(Instant, DriverAnswer)> {
        let (at, answer) = self.answers.get(&number)?;
        let text = |value: &Value| value.as_str().unwrap_or("it does not say why").to_owned();
        let answer = match (answer.get("ok"), answer.get("unsupported"), answer.get("error")) {
            (Some(value), _, _) => DriverAnswer::Value(value.clone()),
            (_, Some(why), _) => DriverAnswer::Unsupported(text(why)),
            (_, _, Some(why)) => DriverAnswer::Error(text(why)),
            _ => DriverAnswer::Error(format!("it has neither ok, unsupported nor error: {answer}")),
        };
        Some((*at, answer))
    }

    /// Why it cannot do what a request wants, if that was so of any.
    pub(super) fn refusal(&self) -> Option<&str> {
        self.refusal.as_deref()
    }

    /// Reads once what it writes.
    pub(super) fn read(&mut self, log: &mut Log) {
        let Some(stdout) = &self.stdout else { return };
        let mut space = vec![0; 64 * 1024];
        let mut seen = self.partial.len();
        match rustix::io::read(stdout, &mut space) {
            Err(Errno::AGAIN | Errno::INTR) => {}
            Ok(0) | Err(_) => self.stdout = None,
            Ok(count) => self.partial.extend_from_slice(&space[..count]),
        }
        if self.partial.len() > LONGEST_LINE {
            log.say("driver: a line without an end, of which no more is read");
            (self.stdout, self.partial, seen) = (None, Vec::new(), 0);
        }
        // What came before this read has no LF.
        while let Some(end) = memchr(b'\n', &self.partial[seen..]) {
            let line: Vec<u8> = self.partial.drain(..=seen + end).collect();
            seen = 0;
            let answer = serde_json::from_slice::<Value>(&line).unwrap_or_default();
            if let Some(why) = answer["unsupported"].as_str() {
                self.refusal.get_or_insert_with(|| why.to_owned());
            }
            if let Some(number) = answer["id"].as_u64() {
                self.answers.insert(number, (Instant::now(), answer));
            } else {
                let line = String::from_utf8_lossy(&line).into_owned();
                log.say(format!("driver, no answer: {}", line.trim_end()));
            }
        }
    }

    /// How it ended, if it did.
    pub(super) fn exit(&mut self) -> Option<&Exit> {
        if self.exit.is_none() {
            self.exit = match self.child.try_wait() {
                Ok(None) => None,
                Ok(Some(status)) => Some(Exit::of(status)),
                Err(error) => Some(Exit::Unknown { reason: error.to_string() }),
            };
        }
        self.exit.as_ref()
    }

    /// The processor time that it and what it started used so far, with the host, which it started or is
    /// itself; `None` where the system does not tell.
    pub(super) fn processor_time(&self) -> Option<Duration> {
        processor_time(self.child.id())
    }

    /// Whether one of them could run, or waits for a disk.
    pub(super) fn is_busy(&self) -> bool {
        is_busy(self.child.id())
    }

    pub(super) fn signal(&mut self, signal: SystemSignal) {
        if let Some(id) = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw) {
            // It may have ended this very moment.
            let _ = kill_process(id, signal);
        }
    }

    /// Closes its stdin and waits a little for its end.
    pub(super) fn end(&mut self) {
        self.stdin = None;
        let until = Instant::now() + GRACE;
        while self.exit().is_none() && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// What it wrote to stderr; where it is long, its first and its last part.
    pub(super) fn stderr(&self) -> String {
        self.stderr.as_ref().map(Stderr::text).unwrap_or_default()
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        self.group.end(&mut self.child, None);
    }
}
