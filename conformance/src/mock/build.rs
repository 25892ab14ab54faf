//! From a conversation to scripts: what an extension said belongs to what a host asked.

use std::collections::BTreeMap;
use std::time::Duration;

use extline_protocol::trace::{self, Side, Stream, What};
use serde_json::Value;

use super::Ended;
use super::script::{Ending, Opening, Script, Step, answers_to, asked_by, cancelled_by};

/// The scripts of every conversation begin with these.
const START: usize = 0;
const ACKNOWLEDGED: usize = 1;

/// Takes a conversation as it went.
pub(super) struct Builder {
    file: String,
    scripts: Vec<Script>,
    /// The script of what the host did last.
    current: usize,
    /// The scripts of the host's questions, by their types and ids.
    open: BTreeMap<(String, String), usize>,
    /// The scripts in which the extension asked, by type and id.
    asked: BTreeMap<(String, String), usize>,
    is_acknowledged: bool,
    is_ready: bool,
    /// It closed its stdout after what this script says.
    closed: Option<usize>,
    /// The host told it to end.
    may_end: bool,
    ending: Option<Ending>,
}

impl Builder {
    pub(super) fn new(file: &str) -> Self {
        let scripts =
            vec![Script::new(Opening::Start, file), Script::new(Opening::Acknowledged, file)];
        Self {
            file: file.to_owned(),
            scripts,
            current: START,
            open: BTreeMap::new(),
            asked: BTreeMap::new(),
            is_acknowledged: false,
            is_ready: false,
            closed: None,
            may_end: false,
            ending: None,
        }
    }

    /// The scripts, and how the process ends when it is told to, where that is known.
    pub(super) fn done(self) -> (Vec<Script>, Option<Ending>) {
        (self.scripts, self.ending)
    }

    /// The first process of a trace.
    pub(super) fn record(&mut self, trace: &[trace::Record]) -> Result<(), String> {
        let mut spawned = false;
        for record in trace {
            match &record.what {
                What::Spawn { .. } if std::mem::replace(&mut spawned, true) => break,
                What::Line { from: Side::Host, line } => {
                    self.lives_on();
                    if let Ok(frame) = serde_json::from_slice(&line.bytes) {
                        self.host(&frame);
                    }
                }
                What::Line { line, .. } if line.more_bytes > 0 => {
                    let bytes = line.bytes.len() as u64 + line.more_bytes;
                    let file = &self.file;
                    return Err(format!("{file}: a line of {bytes} bytes was not recorded whole"));
                }
                What::Line { line, .. } => {
                    let end: &[u8] = if line.no_lf { b"" } else { b"\n" };
                    self.extension([&line.bytes, end].concat());
                }
                What::Eof(Stream::Stdout) => self.closed = Some(self.current),
                What::Eof(Stream::Stdin) | What::Signal(_) => {
                    self.lives_on();
                    self.may_end = true;
                }
                What::Exit { code, signal } => self.ended(*code, signal.as_deref()),
                _ => {}
            }
        }
        Ok(())
    }

    /// The host sent a frame.
    pub(super) fn host(&mut self, frame: &Value) {
        let word = |name: &str| frame[name].as_str().unwrap_or_default().to_owned();
        let (kind, id) = (word("type"), word("id"));
        if kind == "hello_ack" {
            (self.current, self.is_acknowledged) = (ACKNOWLEDGED, true);
            return;
        }
        // It tells, and asks nothing.
        if kind == "registered" {
            return;
        }
        let cancelled =
            cancelled_by(&kind).and_then(|it| self.open.get(&(it.to_owned(), id.clone())));
        if let (Some(script), "tool_cancel" | "cancel") = (cancelled, kind.as_str()) {
            let kinds: &[&str] = if kind == "cancel" { &["cancel"] } else { &["tool_cancel"] };
            self.current = *script;
            self.scripts[self.current].steps.push(Step::Await(kinds, id));
            return;
        }
        let questions = ["call_tool", "request"];
        let answered = questions.iter().find_map(|question| {
            let answers = answers_to(question).filter(|it| it.contains(&kind.as_str()))?;
            let script = self.asked.get(&((*question).to_owned(), id.clone()))?;
            Some((answers, *script))
        });
        if let Some((answers, script)) = answered {
            self.current = script;
            self.scripts[script].steps.push(Step::Await(answers, id));
            return;
        }
        self.may_end |= kind == "shutdown";
        self.scripts.push(Script::new(Opening::Frame(frame.clone()), &self.file));
        self.current = self.scripts.len() - 1;
        if !id.is_empty() {
            self.open.insert((kind, id), self.current);
        }
    }

    /// The extension wrote this.
    pub(super) fn extension(&mut self, line: Vec<u8>) {
        let frame: Value = serde_json::from_slice(&line).unwrap_or_default();
        let word = |name: &str| frame[name].as_str().unwrap_or_default().to_owned();
        let (kind, id) = (word("type"), word("id"));
        let parent = &frame["parent"];
        let parent = (parent["kind"].as_str(), parent["id"].as_str());
        let question = match (asked_by(&kind), parent) {
            (Some(question), _) => Some((question.to_owned(), id.clone())),
            (None, (Some(kind), Some(id))) => {
                let kind = if kind == "command" { "command_invoked" } else { kind };
                let kind = if kind == "intercept" { "event_intercept" } else { kind };
                Some((kind.to_owned(), id.to_owned()))
            }
            _ => None,
        };
        let begins =
            matches!(kind.as_str(), "register_tool" | "register_command" | "subscribe" | "ready");
        let script = match question.and_then(|question| self.open.get(&question)) {
            Some(script) => *script,
            None if begins && !self.is_ready && self.is_acknowledged => ACKNOWLEDGED,
            None if begins && !self.is_ready => START,
            None => self.current,
        };
        if answers_to(&kind).is_some() {
            self.asked.insert((kind.clone(), id), script);
        }
        self.is_ready |= kind == "ready";
        self.scripts[script].steps.push(Step::Say(line));
    }

    /// Something happens after it closed its stdout: that was not its end.
    fn lives_on(&mut self) {
        if let Some(script) = self.closed.take() {
            self.scripts[script].steps.push(Step::Close);
        }
    }

    /// Something else that it does for what the host did last.
    pub(super) fn step(&mut self, step: Step) {
        self.scripts[self.current].steps.push(step);
    }

    /// It ended: told to, or by itself.
    pub(super) fn ended(&mut self, code: Option<i32>, signal: Option<&str>) {
        match (code, signal) {
            (Some(code), _) if self.may_end => self.ending = Some(Ending::Status(code)),
            (None, Some(_)) if self.may_end => self.ending = Some(Ending::Killed),
            (Some(code), _) => self.step(Step::Exit(Ended::Status(code))),
            (None, Some(signal)) => self.step(Step::Exit(Ended::Signal(signal.to_owned()))),
            (None, None) => {}
        }
    }

    /// The host closed stdin, or sent a signal.
    pub(super) fn may_end(&mut self) {
        self.may_end = true;
    }

    pub(super) fn wait(&mut self, time: Duration) {
        self.step(Step::Wait(time));
    }
}
