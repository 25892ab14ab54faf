//! What a case for hosts does, one thing at a time.

use extline_scenario::{Amount, Signal, Text};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// One step: one verb, and what belongs to it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Step {
    /// The extension it is about; the first of the case when absent.
    pub(crate) who: Option<String>,
    /// What is done.
    pub(crate) verb: Verb,
    /// How long it may take, in milliseconds; without it a healthy host's time.
    pub(crate) within_ms: Option<u64>,
    /// It must not come earlier, in milliseconds.
    pub(crate) from_ms: u64,
    /// That is counted from the newest line of an extension, not from the request.
    pub(crate) since_line: bool,
    /// Where it does not come, the case says nothing, for this reason.
    pub(crate) or_na: Option<String>,
}

/// What a step does.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Verb {
    /// Asks the driver to do something, and waits for the answer unless it has a name.
    Do(Request),
    /// Asks the driver again and again until the answer is as wanted.
    Ask(Request),
    /// Waits for the answer to a named request.
    Answer {
        name: String,
        wants: Wants,
    },
    /// No answer to a named request has come.
    Unanswered(String),
    /// The extension says hello, registers, says ready, and waits for the answer to its hello.
    Handshake,
    /// The extension writes a line, bytes, or bytes in hexadecimal.
    Line(Text),
    Raw(Text),
    Hex(Text),
    /// The extension gets a frame like this one, if not as the next; its id gets a name.
    Frame {
        like: String,
        name: String,
    },
    /// The same, and it is the next of all.
    Next {
        like: String,
        name: String,
    },
    /// So many frames like this one come; `$n` in it is the number, from 0, and they come in order.
    /// Their ids may have to be distinct.
    Each {
        like: String,
        count: u64,
        distinct: bool,
    },
    /// No frame like this one came since the last one that was waited for.
    Never(String),
    /// The extension writes words to its stderr, so many times.
    Stderr {
        words: String,
        times: u64,
    },
    /// What the extension does to itself.
    Puppet(Action),
    /// The extension's stdin comes to its end.
    Eof,
    /// The extension's process is gone.
    Gone,
    /// The process that the extension started is gone.
    ChildGone,
    /// The extension is started so many times in all.
    Starts(usize),
    /// The extension's process runs, after the end of one before.
    Runs,
    /// The host's process gets a signal.
    Host(Signal),
    /// Does nothing for so many milliseconds but read.
    Wait(u64),
}

/// What an extension does to itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Action {
    /// Ends with this status.
    Exit(i32),
    /// Kills itself.
    Kill,
    /// Ignores `shutdown`, the end of its stdin and SIGTERM from now on.
    Stubborn,
    /// Ignores `shutdown` and the end of its stdin, and ends on SIGTERM.
    Deaf,
    /// Starts a process that lives on by itself.
    Child,
    /// Stops or goes on reading its stdin.
    Read(bool),
    /// Closes its stdin or stdout.
    Close(Pipe),
}

/// A pipe of the extension.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Pipe {
    /// The one it reads.
    Stdin,
    /// The one it writes.
    Stdout,
}

/// A request to the driver.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Request {
    /// The request, a JSON object with `op`, in which `$name`s may stand.
    pub(crate) text: String,
    /// Its name, when its answer is waited for later.
    pub(crate) name: Option<String>,
    /// What is wanted of the answer.
    pub(crate) wants: Wants,
    /// How often it is asked at the same time; `$n` is the number, from 0.
    pub(crate) times: u64,
}

/// What is wanted of an answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Wants {
    /// It is like this.
    pub(crate) gives: Option<String>,
    /// It is an array with such an element.
    pub(crate) has: Option<String>,
    /// It is an array without such an element.
    pub(crate) lacks: Option<String>,
    /// It holds no such text.
    pub(crate) without: Option<String>,
}

impl<'de> Deserialize<'de> for Step {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Written::deserialize(deserializer)?.step().map_err(D::Error::custom)
    }
}

/// A step as it stands in the file: one verb is given, the rest are its options.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    r#do: Option<String>,
    ask: Option<String>,
    answer: Option<String>,
    unanswered: Option<String>,
    handshake: Option<bool>,
    line: Option<String>,
    raw: Option<String>,
    hex: Option<String>,
    frame: Option<String>,
    next: Option<String>,
    each: Option<String>,
    never: Option<String>,
    stderr: Option<String>,
    exit: Option<i32>,
    kill: Option<bool>,
    stubborn: Option<bool>,
    deaf: Option<bool>,
    child: Option<bool>,
    read: Option<bool>,
    close: Option<Pipe>,
    eof: Option<bool>,
    gone: Option<bool>,
    child_gone: Option<bool>,
    starts: Option<usize>,
    runs: Option<bool>,
    host: Option<Signal>,
    wait_ms: Option<u64>,

    who: Option<String>,
    r#as: Option<String>,
    gives: Option<String>,
    has: Option<String>,
    lacks: Option<String>,
    without: Option<String>,
    count: Option<u64>,
    distinct: Option<bool>,
    times: Option<u64>,
    bytes: Option<u64>,
    depth: Option<u64>,
    digits: Option<u64>,
    chunk: Option<usize>,
    pause_ms: Option<u64>,
    within_ms: Option<u64>,
    from_ms: Option<u64>,
    since_line: Option<bool>,
    or_na: Option<String>,
}

impl Written {
    fn step(self) -> Result<Step, String> {
        let mut verbs: Vec<Verb> = Vec::new();
        verbs.extend(self.r#do.as_ref().map(|text| Verb::Do(self.request(text))));
        verbs.extend(self.ask.as_ref().map(|text| Verb::Ask(self.request(text))));
        let answer = |name: &String| Verb::Answer { name: name.clone(), wants: self.wants() };
        verbs.extend(self.answer.as_ref().map(answer));
        verbs.extend(self.unanswered.clone().map(Verb::Unanswered));
        verbs.extend(self.handshake.map(|_| Verb::Handshake));
        verbs.extend(self.line.as_ref().map(|text| Verb::Line(self.text(text))));
        verbs.extend(self.raw.as_ref().map(|text| Verb::Raw(self.text(text))));
        verbs.extend(self.hex.as_ref().map(|text| Verb::Hex(self.text(text))));
        let name = || self.r#as.clone().unwrap_or_else(|| "id".to_owned());
        let frame = |like: &String| Verb::Frame { like: like.clone(), name: name() };
        verbs.extend(self.frame.as_ref().map(frame));
        let next = |like: &String| Verb::Next { like: like.clone(), name: name() };
        verbs.extend(self.next.as_ref().map(next));
        let (count, distinct) = (self.count.unwrap_or(1), self.distinct.unwrap_or_default());
        verbs.extend(self.each.clone().map(|like| Verb::Each { like, count, distinct }));
        verbs.extend(self.never.clone().map(Verb::Never));
        let times = self.times.unwrap_or(1);
        let stderr = |words: &String| Verb::Stderr { words: words.clone(), times };
        verbs.extend(self.stderr.as_ref().map(stderr));
        verbs.extend(self.action().map(Verb::Puppet));
        verbs.extend(self.eof.map(|_| Verb::Eof));
        verbs.extend(self.gone.map(|_| Verb::Gone));
        verbs.extend(self.child_gone.map(|_| Verb::ChildGone));
        verbs.extend(self.starts.map(Verb::Starts));
        verbs.extend(self.runs.map(|_| Verb::Runs));
        verbs.extend(self.host.map(Verb::Host));
        verbs.extend(self.wait_ms.map(Verb::Wait));
        for pattern in [&self.gives, &self.has, &self.lacks, &self.frame, &self.next, &self.never] {
            let Some(pattern) = pattern else { continue };
            serde_json::from_str::<Value>(pattern)
                .map_err(|error| format!("{pattern} is no JSON: {error}"))?;
        }
        match verbs.len() {
            1 => Ok(Step {
                who: self.who.clone(),
                verb: verbs.swap_remove(0),
                within_ms: self.within_ms,
                from_ms: self.from_ms.unwrap_or_default(),
                since_line: self.since_line.unwrap_or_default(),
                or_na: self.or_na.clone(),
            }),
            count => Err(format!("a step has one verb, this one has {count}; {VERBS}")),
        }
    }

    fn action(&self) -> Option<Action> {
        let closes = self.close.map(Action::Close);
        closes
            .or(self.exit.map(Action::Exit))
            .or(self.kill.map(|_| Action::Kill))
            .or(self.stubborn.map(|_| Action::Stubborn))
            .or(self.deaf.map(|_| Action::Deaf))
            .or(self.child.map(|_| Action::Child))
            .or(self.read.map(Action::Read))
    }

    fn request(&self, text: &str) -> Request {
        let times = self.times.unwrap_or(1);
        Request { text: text.to_owned(), name: self.r#as.clone(), wants: self.wants(), times }
    }

    fn wants(&self) -> Wants {
        let (gives, has, lacks) = (self.gives.clone(), self.has.clone(), self.lacks.clone());
        Wants { gives, has, lacks, without: self.without.clone() }
    }

    fn text(&self, text: &str) -> Text {
        Text {
            template: text.to_owned(),
            id: None,
            bytes: self.bytes.map(Amount::Is),
            depth: self.depth.map(Amount::Is),
            digits: self.digits.map(Amount::Is),
            image: None,
            times: self.times.unwrap_or(1),
            chunk: self.chunk,
            pause_ms: self.pause_ms.unwrap_or_default(),
            each: None,
            same_ids: false,
        }
    }
}

const VERBS: &str = "its verbs are do, ask, answer, unanswered, handshake, line, raw, hex, frame, next, \
                     each, never, stderr, exit, kill, stubborn, deaf, child, read, close, eof, \
                     gone, child_gone, starts, runs, host, wait_ms";
