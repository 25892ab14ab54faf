//! What a case does, one thing at a time.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use toml::Spanned;

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
    Close(Close),
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

/// Which pipe is closed.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Close {
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
        Written::deserialize(deserializer)?.step().map_err(D::Error::custom)
    }
}

/// A step as it stands in the file: one verb is given, the rest are its options.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    line: Option<String>,
    raw: Option<String>,
    hex: Option<String>,
    answer: Option<bool>,
    expect: Option<String>,
    refuse: Option<String>,
    frame: Option<String>,
    each: Option<String>,
    every: Option<String>,
    settled: Option<String>,
    close_panels: Option<u64>,
    aside_ms: Option<u64>,
    stderr: Option<String>,
    canary: Option<u64>,
    handshake: Option<Handshake>,
    hello: Option<bool>,
    close: Option<Close>,
    signal: Option<Signal>,
    read: Option<bool>,
    wait_ms: Option<u64>,
    exit: Option<Exits>,
    alive: Option<bool>,
    burst: Option<u64>,

    id: Option<String>,
    bytes: Option<WrittenAmount>,
    depth: Option<WrittenAmount>,
    digits: Option<WrittenAmount>,
    image: Option<WrittenAmount>,
    times: Option<u64>,
    chunk: Option<usize>,
    pause_ms: Option<u64>,
    #[serde(rename = "for")]
    each_of: Option<Each>,
    same_ids: Option<bool>,
    within_ms: Option<u64>,
}

#[derive(Clone, Deserialize)]
#[serde(untagged)]
enum WrittenAmount {
    Number(u64),
    Placeholder(String),
}

impl WrittenAmount {
    fn amount(&self) -> Result<Amount, String> {
        match self {
            Self::Number(number) => Ok(Amount::Is(*number)),
            Self::Placeholder(text) if text == "$value" => Ok(Amount::Value),
            Self::Placeholder(text) => Err(format!("{text:?} is neither a number nor \"$value\"")),
        }
    }
}

impl Written {
    fn step(self) -> Result<Step, String> {
        let within_ms = self.within_ms;
        let mut verbs: Vec<Verb> = Vec::new();
        for (text, verb) in [
            (&self.line, Verb::Line as fn(Text) -> Verb),
            (&self.raw, Verb::Raw),
            (&self.hex, Verb::Hex),
            (&self.frame, Verb::Frame),
            (&self.each, Verb::Each),
        ] {
            if let Some(text) = text {
                verbs.push(verb(self.text(text)?));
            }
        }
        verbs.extend(self.answer.map(|_| Verb::Answer));
        verbs.extend(self.expect.map(Verb::Expect));
        verbs.extend(self.refuse.map(Verb::Refuse));
        verbs.extend(self.every.map(Verb::Every));
        verbs.extend(self.settled.map(Verb::Settled));
        verbs.extend(self.close_panels.map(Verb::ClosePanels));
        verbs.extend(self.aside_ms.map(Verb::Aside));
        verbs.extend(self.stderr.map(Verb::Stderr));
        verbs.extend(self.canary.map(Verb::Canary));
        verbs.extend(self.handshake.map(Verb::Handshake));
        verbs.extend(self.hello.map(|_| Verb::Hello));
        verbs.extend(self.close.map(Verb::Close));
        verbs.extend(self.signal.map(Verb::Signal));
        verbs.extend(self.read.map(Verb::Read));
        verbs.extend(self.wait_ms.map(Verb::Wait));
        verbs.extend(self.exit.map(Verb::Exit));
        verbs.extend(self.alive.map(|_| Verb::Alive));
        verbs.extend(self.burst.map(Verb::Burst));
        match verbs.len() {
            1 => Ok(Step { verb: verbs.swap_remove(0), within_ms, line: 0 }),
            0 => Err(format!("a step without a verb; one of {VERBS} must be given")),
            _ => Err(format!("a step with more than one verb; give one of {VERBS}")),
        }
    }

    fn text(&self, text: &str) -> Result<Text, String> {
        let amount = |written: &Option<WrittenAmount>| {
            written.as_ref().map(WrittenAmount::amount).transpose()
        };
        Ok(Text {
            template: text.to_owned(),
            id: self.id.clone(),
            bytes: amount(&self.bytes)?,
            depth: amount(&self.depth)?,
            digits: amount(&self.digits)?,
            image: amount(&self.image)?,
            times: self.times.unwrap_or(1),
            chunk: self.chunk,
            pause_ms: self.pause_ms.unwrap_or_default(),
            each: self.each_of,
            same_ids: self.same_ids.unwrap_or_default(),
        })
    }
}

const VERBS: &str = "line, raw, hex, answer, expect, refuse, frame, each, every, settled, close_panels, stderr, \
                     canary, handshake, hello, close, signal, read, wait_ms, aside_ms, exit, alive, \
                     burst";
