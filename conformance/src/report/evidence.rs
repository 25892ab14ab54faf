//! The part of a timeline that shows a failure.

use std::time::Duration;

use extline_protocol::shown_line;
use serde::Serialize;

use crate::target::{Record, Timeline, What};

/// The longest part of a line that is kept, in characters.
const TEXT: usize = 400;
/// How many entries are kept at the beginning and at the end.
const HEAD: usize = 12;
const TAIL: usize = 24;
/// How many lines of stderr are kept at the beginning, where Node says what is wrong, and at the
/// end, where Python does.
const STDERR: (usize, usize) = (6, 8);
/// The longest part of such a line that is kept, in characters.
const STDERR_TEXT: usize = 4000;

/// The part of a timeline that shows a failure.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Evidence {
    /// What happened, in order.
    pub entries: Vec<Entry>,
    /// How many entries in the middle are left out.
    pub left_out: usize,
    /// What stands on stderr, without the middle of it where that is long.
    pub stderr: Vec<String>,
}

/// One thing that happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Entry {
    /// Microseconds since the process was started.
    pub at_us: u128,
    /// Which way it went.
    pub lane: Lane,
    /// What it was; a long line is cut.
    pub text: String,
    /// How many bytes it had, the LF included.
    pub bytes: usize,
    /// In how many writes or reads it went.
    pub pieces: Vec<usize>,
}

/// Which way something went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Lane {
    /// From the host to the extension.
    #[serde(rename = "h>e")]
    Sent,
    /// From the extension to the host.
    #[serde(rename = "e>h")]
    Received,
    /// Neither: starts, signals, ends.
    #[serde(rename = "os")]
    System,
}

impl Evidence {
    /// All from a mark on.
    pub(crate) fn of(timeline: &Timeline, mark: usize) -> Self {
        Self::between(timeline, mark, timeline.mark())
    }

    /// All between two marks.
    pub(crate) fn between(timeline: &Timeline, from: usize, to: usize) -> Self {
        let records = timeline.records();
        let records = &records[from.min(records.len())..to.min(records.len())];
        let entries = records.iter().map(Entry::of).collect();
        Self::of_entries(entries, &timeline.stderr())
    }

    /// All of these, without the middle where they are many.
    pub(crate) fn of_entries(mut entries: Vec<Entry>, stderr: &str) -> Self {
        let left_out = entries.len().saturating_sub(HEAD + TAIL);
        if left_out > 0 {
            entries.drain(HEAD..HEAD + left_out);
        }
        Self { entries, left_out, stderr: ends_of(stderr) }
    }
}

fn ends_of(text: &str) -> Vec<String> {
    let mut lines: Vec<_> = text.lines().map(|line| cut(line, STDERR_TEXT)).collect();
    let (head, tail) = STDERR;
    let left_out = lines.len().saturating_sub(head + tail);
    if left_out > 1 {
        lines.splice(head..head + left_out, [format!("({left_out} lines are left out)")]);
    }
    lines
}

impl Entry {
    fn of(record: &Record) -> Self {
        let (lane, bytes, pieces) = match &record.what {
            What::Sent { bytes, writes } => (Lane::Sent, bytes.as_slice(), writes.clone()),
            What::Line { bytes, reads, .. } => (Lane::Received, bytes.as_slice(), vec![*reads]),
            What::Action(text) => return Self::system(record.at, text.clone()),
            What::StdoutEnded => {
                return Self::system(record.at, "its stdout ended".to_owned());
            }
            What::Exited(exit) => return Self::system(record.at, exit.to_string()),
        };
        Self {
            at_us: record.at.as_micros(),
            lane,
            text: shown(bytes),
            bytes: bytes.len() + usize::from(lane == Lane::Received),
            pieces,
        }
    }

    /// Bytes between a host and an extension, named where there are several.
    #[cfg(unix)]
    pub(crate) fn of_bytes(
        at: Duration,
        lane: Lane,
        who: &str,
        bytes: &[u8],
        pieces: Vec<usize>,
    ) -> Self {
        let who = if who.is_empty() { String::new() } else { format!("{who}: ") };
        Self { at_us: at.as_micros(), lane, text: who + &shown(bytes), bytes: bytes.len(), pieces }
    }

    pub(crate) fn system(at: Duration, text: String) -> Self {
        Self { at_us: at.as_micros(), lane: Lane::System, text, bytes: 0, pieces: Vec::new() }
    }
}

/// Bytes as they can be read: what is no text is escaped.
fn shown(bytes: &[u8]) -> String {
    let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    let mut text = String::new();
    for chunk in bytes.utf8_chunks() {
        for letter in chunk.valid().chars().take(TEXT + 1) {
            match letter {
                '\n' => text.push('⏎'),
                letter => text.push_str(&shown_line(letter.encode_utf8(&mut [0; 4]))),
            }
        }
        text.extend(chunk.invalid().iter().map(|byte| format!("\\x{byte:02x}")));
        if text.len() > TEXT {
            break;
        }
    }
    cut(&text, TEXT)
}

/// At most so many characters of a text.
pub(crate) fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}
