//! What a case for hosts does, one thing at a time.

use extline_scenario::{Members, Pipe, Signal, Text, Word, flag, read};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use toml::Value;

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
        Self::of(&Members::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

impl Step {
    fn of(members: &Members) -> Result<Self, String> {
        let step = Self {
            verb: members.verb(WORDS, OPTIONS)?,
            who: members.option("who")?,
            within_ms: members.option("within_ms")?,
            from_ms: members.option_or_default("from_ms")?,
            since_line: members.option_or_default("since_line")?,
            or_na: members.option("or_na")?,
        };
        members.refuse_idle()?;
        Ok(step)
    }

    /// Whether the value of a run stands in what it writes: cases for hosts have none.
    pub(super) fn uses_value(&self) -> bool {
        match &self.verb {
            Verb::Line(text) | Verb::Raw(text) | Verb::Hex(text) => text.uses_value(),
            _ => false,
        }
    }
}

const WORDS: &[Word<Verb>] = &[
    ("do", |it, options| Request::of(it, options).map(Verb::Do)),
    ("ask", |it, options| Request::of(it, options).map(Verb::Ask)),
    ("answer", |name, options| Ok(Verb::Answer { name: read(name)?, wants: Wants::of(options)? })),
    ("unanswered", |name, _| read(name).map(Verb::Unanswered)),
    ("handshake", |it, _| flag(it, Verb::Handshake)),
    ("line", |text, options| Text::of(text, options).map(Verb::Line)),
    ("raw", |text, options| Text::of(text, options).map(Verb::Raw)),
    ("hex", |text, options| Text::of(text, options).map(Verb::Hex)),
    ("frame", |it, options| Ok(Verb::Frame { like: pattern(it)?, name: name_of_id(options)? })),
    ("next", |it, options| Ok(Verb::Next { like: pattern(it)?, name: name_of_id(options)? })),
    ("each", |it, options| {
        let count = options.option("count")?.unwrap_or(1);
        let distinct = options.option_or_default("distinct")?;
        Ok(Verb::Each { like: read(it)?, count, distinct })
    }),
    ("never", |it, _| pattern(it).map(Verb::Never)),
    ("stderr", |it, options| Ok(Verb::Stderr { words: read(it)?, times: options.times()? })),
    ("exit", |status, _| read(status).map(Action::Exit).map(Verb::Puppet)),
    ("kill", |it, _| flag(it, Verb::Puppet(Action::Kill))),
    ("stubborn", |it, _| flag(it, Verb::Puppet(Action::Stubborn))),
    ("deaf", |it, _| flag(it, Verb::Puppet(Action::Deaf))),
    ("child", |it, _| flag(it, Verb::Puppet(Action::Child))),
    ("read", |reads, _| read(reads).map(Action::Read).map(Verb::Puppet)),
    ("close", |pipe, _| read(pipe).map(Action::Close).map(Verb::Puppet)),
    ("eof", |it, _| flag(it, Verb::Eof)),
    ("gone", |it, _| flag(it, Verb::Gone)),
    ("child_gone", |it, _| flag(it, Verb::ChildGone)),
    ("starts", |count, _| read(count).map(Verb::Starts)),
    ("runs", |it, _| flag(it, Verb::Runs)),
    ("host", |signal, _| read(signal).map(Verb::Host)),
    ("wait_ms", |millis, _| read(millis).map(Verb::Wait)),
];

/// What a step has beside its verb.
const OPTIONS: &[&str] = &[
    "who",
    "as",
    "gives",
    "has",
    "lacks",
    "without",
    "count",
    "distinct",
    "times",
    "bytes",
    "depth",
    "digits",
    "chunk",
    "pause_ms",
    "within_ms",
    "from_ms",
    "since_line",
    "or_na",
];

impl Request {
    fn of(text: Value, options: &Members) -> Result<Self, String> {
        let (text, name) = (read(text)?, options.option("as")?);
        Ok(Self { text, name, wants: Wants::of(options)?, times: options.times()? })
    }
}

impl Wants {
    fn of(options: &Members) -> Result<Self, String> {
        let like = |name| options.option(name)?.map(pattern).transpose();
        let (gives, has, lacks) = (like("gives")?, like("has")?, like("lacks")?);
        Ok(Self { gives, has, lacks, without: options.option("without")? })
    }
}

/// Text that is JSON, as it stands and with its `$name`s.
fn pattern(text: Value) -> Result<String, String> {
    let text: String = read(text)?;
    serde_json::from_str::<serde_json::Value>(&text)
        .map_err(|error| format!("{text} is no JSON: {error}"))?;
    Ok(text)
}

/// The name that the id of a frame is given.
fn name_of_id(options: &Members) -> Result<String, String> {
    Ok(options.option("as")?.unwrap_or_else(|| "id".to_owned()))
}
