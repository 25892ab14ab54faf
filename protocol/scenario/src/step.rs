//! What a case does, one thing at a time.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use toml::{Spanned, Value};

use crate::members::{Members, Word, flag, read};

/// One step: one verb, and what belongs to it.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// What is done.
    pub verb: Verb,
    /// How long it may take, in milliseconds; without it the verb's own time, which grows on a
    /// slow machine.
    pub within_ms: Option<u64>,
    /// The line in its file, from 1.
    pub line: usize,
}

/// What a step does.
#[derive(Clone, Debug, PartialEq)]
pub enum Verb {
    /// Writes a line.
    Line(Text),
    /// Writes bytes as they stand.
    Raw(Text),
    /// Writes bytes given in hexadecimal.
    Hex(Text),
    /// Waits for the answer to the newest `$ask`, with the same id.
    Answer,
    /// Waits for a frame that has these members and values.
    Expect(String),
    /// No frame that has these members and values came since the step before; asks the canary, so
    /// that what was under way has arrived.
    Refuse(String),
    /// Waits for the next frame of that type and id, which has these members and no others; an
    /// SDK's has these bytes.
    Frame(Text),
    /// The same for every id of the newest line, in any order.
    Each(Text),
    /// Waits, for every id of the newest line, for a frame that has these members and values.
    Every(String),
    /// Asks the canary; then nothing has come for an id of the newest line behind its frame of this type,
    /// where one has.
    Settled(String),
    /// Closes the panels that it opened, asks the canary, and for so many milliseconds none of them
    /// is drawn behind that answer.
    ClosePanels(u64),
    /// At least so many milliseconds go by. A tester plays other cases meanwhile.
    Aside(u64),
    /// Waits until stderr has this text.
    Stderr(String),
    /// Asks whether the extension still answers, so many times at once.
    Canary(u64),
    /// Says `hello_ack` and waits until the extension is ready.
    Handshake(Handshake),
    /// Waits for `hello` alone.
    Hello,
    /// Closes a pipe.
    Close(Pipe),
    /// Sends a signal to the process.
    Signal(Signal),
    /// Stops or goes on reading stdout.
    Read(bool),
    /// Does nothing for so many milliseconds but read.
    Wait(u64),
    /// Waits until the process has ended.
    Exit(Exits),
    /// Nothing of the extension is left: no process it started, no CPU time used in vain.
    Alive,
    /// Writes so many bytes of frames without reading, then reads, and expects every answer.
    Burst(u64),
}

impl Verb {
    /// The word that stands for it in a file.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Line(_) => "line",
            Self::Raw(_) => "raw",
            Self::Hex(_) => "hex",
            Self::Answer => "answer",
            Self::Expect(_) => "expect",
            Self::Refuse(_) => "refuse",
            Self::Frame(_) => "frame",
            Self::Each(_) => "each",
            Self::Every(_) => "every",
            Self::Settled(_) => "settled",
            Self::ClosePanels(_) => "close_panels",
            Self::Aside(_) => "aside_ms",
            Self::Stderr(_) => "stderr",
            Self::Canary(_) => "canary",
            Self::Handshake(_) => "handshake",
            Self::Hello => "hello",
            Self::Close(_) => "close",
            Self::Signal(_) => "signal",
            Self::Read(_) => "read",
            Self::Wait(_) => "wait_ms",
            Self::Exit(_) => "exit",
            Self::Alive => "alive",
            Self::Burst(_) => "burst",
        }
    }
}

/// Text with placeholders, and how it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    /// The text itself.
    pub template: String,
    /// What `$id` is, as it stands between the quotes; without it a new one each time.
    pub id: Option<String>,
    /// How many bytes the line has, which `$pad` makes up for.
    pub bytes: Option<Amount>,
    /// How deep `$nested` is.
    pub depth: Option<Amount>,
    /// How many digits `$digits` has.
    pub digits: Option<Amount>,
    /// Of how many bytes, 0 to 255 again and again, `$image` is the base64.
    pub image: Option<Amount>,
    /// How many times it is written, each with a new `$id`.
    pub times: u64,
    /// At most so many bytes a write.
    pub chunk: Option<usize>,
    /// A pause between two writes, in milliseconds.
    pub pause_ms: u64,
    /// It is written once for each of these that the extension registered.
    pub each: Option<Each>,
    /// It is written once for each id of the newest line, with that id.
    pub same_ids: bool,
}

impl Text {
    /// Reads it, and the options that say how it is written.
    pub fn of(template: Value, options: &Members) -> Result<Self, String> {
        let amount = |name| {
            let amount = options.option(name)?.map(Amount::of).transpose();
            amount.map_err(|problem| format!("{name}: {problem}"))
        };
        Ok(Self {
            template: read(template)?,
            id: options.option("id")?,
            bytes: amount("bytes")?,
            depth: amount("depth")?,
            digits: amount("digits")?,
            image: amount("image")?,
            times: options.times()?,
            chunk: options.option("chunk")?,
            pause_ms: options.option_or_default("pause_ms")?,
            each: options.option("for")?,
            same_ids: options.option_or_default("same_ids")?,
        })
    }

    /// Whether the case's `$value` stands in it.
    pub fn uses_value(&self) -> bool {
        let sized = [self.bytes, self.depth, self.digits, self.image];
        sized.contains(&Some(Amount::Value)) || self.template.contains("$value")
    }
}

/// What a line is written for, one by one.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Each {
    /// Each tool that can be called: `$tool` and `$args` are its name and its arguments.
    Tool,
    /// Each command: `$command` is its name.
    Command,
}

/// A number, or the case's `$value`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Amount {
    /// This one.
    Is(u64),
    /// The value of this run.
    Value,
}

impl Amount {
    fn of(written: Value) -> Result<Self, String> {
        match written {
            Value::String(text) if text == "$value" => Ok(Self::Value),
            Value::String(text) => Err(format!("{text:?} is neither a number nor \"$value\"")),
            number => read(number).map(Self::Is),
        }
    }
}

/// What is different about a handshake.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields, default)]
pub struct Handshake {
    /// The line of the `hello_ack`.
    pub ack: Option<String>,
    /// At most so many bytes of it a write.
    pub chunk: Option<usize>,
    /// What follows it in the same write.
    pub glued: Option<String>,
}

/// A pipe of an extension.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Pipe {
    /// The one the extension reads.
    Stdin,
    /// The one it writes.
    Stdout,
}

/// How a process must end.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields, default)]
pub struct Exits {
    /// With this status.
    pub status: Option<i32>,
    /// And no process lives on that it started.
    pub nothing_left: bool,
}

/// A signal that a case sends.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[serde(rename_all = "UPPERCASE")]
pub enum Signal {
    /// Asks the process to end.
    Term,
    /// What a terminal sends on Ctrl-C.
    Int,
    /// Ends it without asking.
    Kill,
    /// Stops it.
    Stop,
    /// Lets it go on.
    Cont,
}

impl Signal {
    /// The name with which manuals call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Term => "SIGTERM",
            Self::Int => "SIGINT",
            Self::Kill => "SIGKILL",
            Self::Stop => "SIGSTOP",
            Self::Cont => "SIGCONT",
        }
    }
}

/// The steps, each with the byte at which it begins for its line: `parse` has the text to count.
pub(crate) fn with_places<'de, D: Deserializer<'de>>(input: D) -> Result<Vec<Step>, D::Error> {
    let placed = |step: Spanned<Step>| {
        let line = step.span().start;
        Step { line, ..step.into_inner() }
    };
    Ok(Vec::deserialize(input)?.into_iter().map(placed).collect())
}

impl<'de> Deserialize<'de> for Step {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::of(&Members::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

impl Step {
    fn of(members: &Members) -> Result<Self, String> {
        let verb = members.verb(WORDS, OPTIONS)?;
        let within_ms = members.option("within_ms")?;
        members.refuse_idle()?;
        Ok(Self { verb, within_ms, line: 0 })
    }
}

const WORDS: &[Word<Verb>] = &[
    ("line", |text, options| Text::of(text, options).map(Verb::Line)),
    ("raw", |text, options| Text::of(text, options).map(Verb::Raw)),
    ("hex", |text, options| Text::of(text, options).map(Verb::Hex)),
    ("answer", |it, _| flag(it, Verb::Answer)),
    ("expect", |frame, _| read(frame).map(Verb::Expect)),
    ("refuse", |frame, _| read(frame).map(Verb::Refuse)),
    ("frame", |text, options| Text::of(text, options).map(Verb::Frame)),
    ("each", |text, options| Text::of(text, options).map(Verb::Each)),
    ("every", |frame, _| read(frame).map(Verb::Every)),
    ("settled", |kind, _| read(kind).map(Verb::Settled)),
    ("close_panels", |millis, _| read(millis).map(Verb::ClosePanels)),
    ("stderr", |text, _| read(text).map(Verb::Stderr)),
    ("canary", |times, _| read(times).map(Verb::Canary)),
    ("handshake", |it, _| read(it).map(Verb::Handshake)),
    ("hello", |it, _| flag(it, Verb::Hello)),
    ("close", |pipe, _| read(pipe).map(Verb::Close)),
    ("signal", |signal, _| read(signal).map(Verb::Signal)),
    ("read", |reads, _| read(reads).map(Verb::Read)),
    ("wait_ms", |millis, _| read(millis).map(Verb::Wait)),
    ("aside_ms", |millis, _| read(millis).map(Verb::Aside)),
    ("exit", |it, _| read(it).map(Verb::Exit)),
    ("alive", |it, _| flag(it, Verb::Alive)),
    ("burst", |bytes, _| read(bytes).map(Verb::Burst)),
];

/// What a step has beside its verb.
const OPTIONS: &[&str] = &[
    "id",
    "bytes",
    "depth",
    "digits",
    "image",
    "times",
    "chunk",
    "pause_ms",
    "for",
    "same_ids",
    "within_ms",
];
