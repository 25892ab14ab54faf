//! Every frame, both ways.

use std::fmt;

use extline_protocol::{Decoder, Line as DecodedLine};
use serde_json::Value;

/// Who sent a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// The testing host.
    Host,
    /// The extension.
    Extension,
}

impl fmt::Display for Side {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(match self {
            Self::Host => "host",
            Self::Extension => "extension",
        })
    }
}

/// One frame of a [`Transcript`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Line {
    /// Who sent it.
    pub from: Side,
    /// The frame as it stood on the wire, without its line end.
    pub json: String,
}

impl Line {
    /// The frame as a JSON value; `null` for a line that is no JSON.
    ///
    /// ```
    /// use extline::prelude::*;
    /// use extline::testing::Host;
    ///
    /// let host = Host::new(|| Extension::new("clock", "1.0.0"));
    /// let hello = host.transcript().iter().next().unwrap().value();
    /// assert_eq!(hello["name"], "clock");
    /// ```
    pub fn value(&self) -> Value {
        serde_json::from_str(&self.json).unwrap_or_default()
    }

    /// The frame's `type`; empty for a line that is no frame.
    ///
    /// ```
    /// use extline::prelude::*;
    /// use extline::testing::Host;
    ///
    /// let host = Host::new(|| Extension::new("clock", "1.0.0"));
    /// let types: Vec<_> = host.transcript().iter().map(|line| line.frame_type()).collect();
    /// assert_eq!(types, ["hello", "hello_ack", "ready", "registered"]);
    /// ```
    pub fn frame_type(&self) -> String {
        self.value()["type"].as_str().unwrap_or_default().to_owned()
    }
}

/// `host > {"type":"tool_call",...}`
impl fmt::Display for Line {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:9} > {}", self.from, self.json)
    }
}

/// Every frame that went either way, in the order in which the host wrote and read them.
///
/// `Display` prints one line for each, with its sender:
///
/// ```
/// use extline::prelude::*;
/// use extline::testing::Host;
///
/// let mut host = Host::new(|| {
///     Extension::new("clock", "1.0.0").tool("now", "The time.", async |_: NoArgs, _| Ok("noon"))
/// });
/// host.call("now", json!({}))?;
/// let shown = host.transcript().to_string();
/// assert!(shown.ends_with(
///     r#"host      > {"type":"tool_call","id":"1","name":"now","args":{}}
/// extension > {"type":"tool_result","id":"1","content":[{"type":"text","text":"noon"}]}
/// "#
/// ));
/// # Ok::<(), extline::testing::Failure>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Transcript {
    lines: Vec<Line>,
}

impl Transcript {
    /// The frames.
    ///
    /// ```
    /// use extline::prelude::*;
    /// use extline::testing::{Host, Side};
    ///
    /// let host = Host::new(|| Extension::new("clock", "1.0.0"));
    /// let said = host.transcript().iter().filter(|line| line.from == Side::Extension).count();
    /// assert_eq!(said, 2); // hello and ready
    /// ```
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Line> + ExactSizeIterator {
        self.lines.iter()
    }

    pub(super) fn add(&mut self, from: Side, json: impl Into<String>) {
        self.lines.push(Line { from, json: json.into() });
    }
}

impl fmt::Display for Transcript {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.lines.iter().try_for_each(|line| writeln!(formatter, "{line}"))
    }
}

/// Cuts what the extension writes into the lines of a transcript.
pub(super) struct Cutter(Decoder);

impl Cutter {
    pub(super) fn new() -> Self {
        Self(Decoder::new(usize::MAX))
    }

    pub(super) fn cut(&mut self, bytes: &[u8], transcript: &mut Transcript) {
        self.0.feed(bytes);
        while let Some(line) = self.0.next_line() {
            // Without a limit no line is too long.
            if let DecodedLine::Text(text) = line {
                transcript.add(Side::Extension, text);
            }
        }
    }
}
