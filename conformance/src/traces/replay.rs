//! Plays the host's side of a trace again, and compares what the extension says with what it said.

use std::io;
use std::time::{Duration, Instant};

use extline_host::{Exit, Program};
use extline_protocol::trace::{self, Side, Stream, What};
use extline_scenario::differences;
use serde_json::Value;

use super::spoken::protocol_of;
use crate::case::Binds;
use crate::conversation::{ACK, Arrived, Conversation, Drawn, HELLO, Protocol, Survey};
use crate::report::{CaseReport, Evidence, Head, Report, Verdict};
use crate::target::{Setting, Signal, What as Seen};
use extline_scenario::{Failure, Outcome};

/// How long a frame that came in the trace may take to come again, beyond what it took there.
const PATIENCE: Duration = Duration::from_secs(5);
/// A pause of the host in which nothing came is kept, up to this.
const PAUSE: Duration = Duration::from_secs(1);
/// How long what nobody expects is waited for at the end.
const AFTERWARDS: Duration = Duration::from_millis(100);
/// Frames that an extension may write more or fewer of from one time to the next.
const FREE: [&str; 4] = ["tool_update", "log", "notifications/progress", "notifications/message"];

/// A place in frames of one type that may differ from time to time: `tool_result/content`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ignored {
    frame: String,
    /// A JSON pointer: all below it may differ.
    pointer: String,
}

impl Ignored {
    /// From `TYPE/POINTER`; `Err` says what is wrong with it.
    pub fn parse(text: &str) -> Result<Self, String> {
        match text.split_once('/') {
            Some((frame, pointer)) if !frame.is_empty() && !pointer.is_empty() => {
                Ok(Self { frame: frame.to_owned(), pointer: format!("/{pointer}") })
            }
            _ => Err(format!("{text:?}: expected TYPE/POINTER, as tool_result/content")),
        }
    }

    fn covers(&self, frame: &Value, difference: &str) -> bool {
        // What a response of MCP is about stands below its result or error.
        let outcome = ["result", "error"].into_iter().find(|it| frame.get(*it).is_some());
        let outcome = outcome.filter(|_| frame["jsonrpc"] == "2.0");
        let below = outcome.map_or(Some(difference), |outcome| {
            difference.strip_prefix('/').and_then(|rest| rest.strip_prefix(outcome))
        });
        let kind = outcome.unwrap_or_else(|| frame["type"].as_str().unwrap_or_default());
        let rest = below.and_then(|below| below.strip_prefix(&self.pointer));
        kind == self.frame && rest.is_some_and(|rest| rest.starts_with(['/', ':']))
    }
}

/// What the host did at one time, and what the extension wrote until it did something again.
#[derive(Debug, Default)]
struct Exchange {
    moves: Vec<Move>,
    frames: Vec<Value>,
    /// How long the last frame took to come.
    took: Duration,
}

/// One thing that the host did.
#[derive(Debug)]
enum Move {
    Line(String),
    CloseStdin,
    Signal(Signal),
    /// It did nothing for so long, and nothing came.
    Wait(Duration),
}

/// Starts the program, plays what the host did to the first process of the trace, and reports each
/// exchange as a case. `name` is what the trace is called.
pub fn replay(
    name: &str,
    trace: &[trace::Record],
    program: &Program,
    ignored: &[Ignored],
) -> io::Result<Report> {
    let began = Instant::now();
    let protocol = protocol_of(trace);
    let (exchanges, exit) = exchanges(trace, protocol);
    let junk = junk(trace, protocol);
    let drawn = Drawn::of(0);
    let mut conversation = Conversation::start(program, protocol, Setting::default(), ACK, &drawn)?;
    let mut replay = Replay { conversation: &mut conversation, ignored, matched: Vec::new() };
    let mut cases = Vec::new();
    for (number, exchange) in exchanges.iter().enumerate() {
        let id = format!("replay-{:03}", number + 1);
        let is_lost = replay.conversation.seen().exit().is_some() && !cases.is_empty();
        cases.push(if is_lost && exchange.moves.iter().any(|it| matches!(it, Move::Line(_))) {
            let reason = "the process has ended".to_owned();
            CaseReport::replayed(id, exchange.title(), Verdict::CouldNotRun, Some(reason))
        } else {
            replay.play(id, exchange)
        });
    }
    cases.push(replay.end(exit, &junk));
    let head = Head {
        tester: env!("CARGO_PKG_VERSION"),
        seed: 0,
        program: format!("{name}, played to {}", program.line()),
        binds: if protocol.era().is_some() { Binds::Server } else { Binds::Extension },
        calls: true,
        cases: cases.len(),
    };
    let survey = match protocol {
        Protocol::Extension => Survey::of(conversation.frames()),
        Protocol::Mcp(_) => Survey { protocol, ..Survey::default() },
    };
    conversation.target().signal(Signal::Kill, true);
    Ok(Report { head, cases, survey, stale: Vec::new(), took: began.elapsed() })
}

/// What there is of the first process, and its exit code where it ended by itself.
fn exchanges(trace: &[trace::Record], protocol: Protocol) -> (Vec<Exchange>, Option<i32>) {
    let mut exchanges = vec![Exchange::default()];
    let (mut exit, mut last) = (None, Duration::ZERO);
    let mut spawned = false;
    for record in trace {
        let pause = record.at.saturating_sub(last).min(PAUSE);
        let next = match &record.what {
            What::Spawn { .. } if std::mem::replace(&mut spawned, true) => break,
            What::Line { from: Side::Host, line } => Move::Line(line.text().into_owned()),
            What::Eof(Stream::Stdin) => Move::CloseStdin,
            What::Signal(name) => match name.as_str() {
                "SIGTERM" => Move::Signal(Signal::Term),
                "SIGINT" => Move::Signal(Signal::Int),
                _ => Move::Signal(Signal::Kill),
            },
            What::Exit { code, .. } => {
                exit = *code;
                continue;
            }
            What::Line { from: Side::Extension, line } => {
                if let (Some(exchange), Ok(frame)) =
                    (exchanges.last_mut(), protocol.parse(&line.bytes, !line.no_lf))
                {
                    exchange.frames.push(frame);
                    exchange.took += record.at.saturating_sub(last);
                }
                last = record.at;
                continue;
            }
            _ => continue,
        };
        match exchanges.last_mut() {
            // A host that waited for something that is not on the wire.
            Some(exchange) if exchange.frames.is_empty() && !exchange.moves.is_empty() => {
                exchange.moves.extend((pause > PAUSE / 20).then_some(Move::Wait(pause)));
                exchange.moves.push(next);
            }
            _ => exchanges.push(Exchange { moves: vec![next], ..Exchange::default() }),
        }
        last = record.at;
    }
    (exchanges, exit)
}

/// What the extension wrote that is no frame; it may write it again.
fn junk(trace: &[trace::Record], protocol: Protocol) -> Vec<&[u8]> {
    let lines = trace.iter().filter_map(|record| match &record.what {
        What::Line { from: Side::Extension, line } => Some(line),
        _ => None,
    });
    let is_junk = |line: &&trace::Line| protocol.parse(&line.bytes, !line.no_lf).is_err();
    lines.filter(is_junk).map(|line| line.bytes.as_slice()).collect()
}

impl Exchange {
    fn title(&self) -> String {
        let moves: Vec<_> = self.moves.iter().filter_map(Move::title).collect();
        let what = if moves.is_empty() { "its start".to_owned() } else { moves.join(", ") };
        format!("{what}: what came of it comes again ({} frames)", self.frames.len())
    }
}

impl Move {
    fn title(&self) -> Option<String> {
        match self {
            Self::Line(line) => {
                let frame: Value = serde_json::from_str(line).unwrap_or_default();
                let word = |name: &str| frame[name].as_str().map(str::to_owned);
                let answer = || frame.get("id").map(|id| format!("the answer to {id}"));
                let kind = word("type").or_else(|| word("method")).or_else(answer);
                let kind = kind.unwrap_or_else(|| "a line that is no frame".to_owned());
                let called = frame["params"]["name"].as_str().map(str::to_owned);
                let name = word("name").or_else(|| word("event")).or(called);
                Some(name.map_or_else(|| kind.clone(), |name| format!("{kind} {name}")))
            }
            Self::CloseStdin => Some("the end of stdin".to_owned()),
            Self::Signal(signal) => Some(signal.name().to_owned()),
            Self::Wait(_) => None,
        }
    }
}

struct Replay<'a> {
    conversation: &'a mut Conversation,
    ignored: &'a [Ignored],
    /// Frames that came, by their numbers, that stand for one of the trace.
    matched: Vec<usize>,
}

impl Replay<'_> {
    fn play(&mut self, id: String, exchange: &Exchange) -> CaseReport {
        let mark = self.conversation.seen().timeline().mark();
        exchange.moves.iter().for_each(|one| self.make(one));
        // The start of a program takes as long as it takes.
        let patience = if exchange.moves.is_empty() { HELLO } else { PATIENCE };
        let until = Instant::now() + exchange.took + patience;
        let mut failed = None;
        // All of them, so that none of those behind a missing one is taken for too many.
        for frame in exchange.frames.iter().filter(|frame| !is_free(frame)) {
            if let Err(failure) = self.demand(frame, until) {
                failed.get_or_insert(failure);
            }
        }
        self.report(id, exchange.title(), mark, failed)
    }

    fn make(&mut self, one: &Move) {
        match one {
            Move::Line(line) => self.conversation.send(line),
            Move::CloseStdin => self.conversation.target().close_stdin(),
            Move::Signal(signal) => self.conversation.target().signal(*signal, true),
            Move::Wait(time) => self.conversation.listen(*time),
        }
    }

    /// Waits for a frame that stands for this one.
    fn demand(&mut self, wanted: &Value, until: Instant) -> Result<(), Failure> {
        let mut from = 0;
        loop {
            let found = self.conversation.await_frame(from, until, |frame| is_same(wanted, frame));
            let expected = format!("again {wanted}");
            let number = found.map_err(|missing| self.conversation.failure(missing, expected))?;
            if self.matched.contains(&number) {
                from = number + 1;
                continue;
            }
            self.matched.push(number);
            let Some(Ok(got)) = self.conversation.frames().get(number).map(|it| &it.frame) else {
                return Ok(());
            };
            let ignored = |told: &String| self.ignored.iter().any(|it| it.covers(wanted, told));
            let mut told = differences(wanted, got);
            told.retain(|told| !ignored(told));
            if told.is_empty() {
                return Ok(());
            }
            let kind = wanted["type"].as_str().or_else(|| wanted["method"].as_str());
            let kind = kind.unwrap_or("response");
            return Err(Failure::wrong(format!("the {kind} of the trace"), told.join("; ")));
        }
    }

    /// Nothing else came, and it ends as it did, if the trace says how.
    fn end(&mut self, exit: Option<i32>, junk: &[&[u8]]) -> CaseReport {
        let title = "nothing else comes, and it ends as it did".to_owned();
        let mark = self.conversation.seen().timeline().mark();
        let mut failed = None;
        if let Some(code) = exit {
            self.conversation.await_exit(Instant::now() + PATIENCE);
            let ended = self.conversation.seen().exit();
            let same = matches!(ended, Some(Exit::Code { code: got }) if *got == code);
            failed = (!same).then(|| Failure {
                expected: format!("exit status {code}"),
                got: ended.map_or("the process lives".to_owned(), ToString::to_string),
                outcome: Outcome::Survived,
            });
        }
        self.conversation.listen(AFTERWARDS);
        let more = self.conversation.frames().iter().enumerate().find(|(number, arrived)| {
            let is_free = match &arrived.frame {
                Ok(frame) => is_free(frame),
                Err(_) => self.line(arrived).is_some_and(|line| junk.contains(&line)),
            };
            !self.matched.contains(number) && !is_free
        });
        let more = more.map(|(_, arrived)| {
            let got = match &arrived.frame {
                Ok(frame) => frame.to_string(),
                Err(problem) => format!("a line that is no frame: {problem}"),
            };
            Failure::wrong("no more than in the trace".to_owned(), got)
        });
        self.report("replay-end".to_owned(), title, mark, failed.or(more))
    }

    /// The bytes of a line that came.
    fn line(&self, arrived: &Arrived) -> Option<&[u8]> {
        match &self.conversation.seen().timeline().records().get(arrived.record)?.what {
            Seen::Line { bytes, .. } => Some(bytes),
            _ => None,
        }
    }

    fn report(
        &self,
        id: String,
        title: String,
        mark: usize,
        failed: Option<Failure>,
    ) -> CaseReport {
        let verdict = if failed.is_some() { Verdict::Fail } else { Verdict::Pass };
        let evidence = Evidence::of(self.conversation.seen().timeline(), mark);
        CaseReport {
            failure: failed,
            evidence: Some(evidence),
            ..CaseReport::replayed(id, title, verdict, None)
        }
    }
}

/// Whether a frame can stand for another: both answer the same, or name the same.
fn is_same(wanted: &Value, got: &Value) -> bool {
    ["type", "id", "name", "panel_id", "method"]
        .iter()
        .all(|member| wanted[*member] == got[*member])
}

/// Frames that may come more or less often: updates, log lines, and what an SDK writes while a
/// setup takes long.
fn is_free(frame: &Value) -> bool {
    let is_empty_subscribe =
        frame["type"] == "subscribe" && frame.as_object().is_some_and(|members| members.len() == 1);
    is_empty_subscribe
        || FREE.iter().any(|kind| frame["type"] == **kind || frame["method"] == **kind)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_ignored_lies_below_a_pointer() {
        let ignored = Ignored::parse("tool_result/content").unwrap();
        let result = json!({"type": "tool_result"});
        assert!(ignored.covers(&result, "/content/0/text: expected 1, got 2"));
        assert!(ignored.covers(&result, "/content: missing, expected []"));
        assert!(!ignored.covers(&result, "/contents: not expected, got 1"));
        assert!(!ignored.covers(&json!({"type": "notify"}), "/content: missing, expected []"));
        for wrong in ["", "tool_result", "/content", "tool_result/"] {
            assert!(Ignored::parse(wrong).unwrap_err().contains("TYPE/POINTER"), "{wrong}");
        }
    }
}
