//! Traces: what went over the wire between a host and its extensions, one JSON object per line.
//! docs/protocol/traces.md has the format. A host writes them, tests and testers read them.

mod line;
mod lines;
mod read;

use std::time::Duration;

use serde_json::{Value, json};

pub use self::lines::Lines;
pub use self::read::{TraceError, read};

/// The version of the format.
pub const FORMAT: u64 = 1;

/// Bytes of one line that are recorded; of a longer one the rest is only counted.
pub const LINE_BYTES: usize = 8 * 1024 * 1024;

/// One record of a trace.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// Since the trace began, in whole microseconds on disk, on a clock that never goes back.
    pub at: Duration,
    /// The extension; absent in a record of the host itself, and where a file holds only one.
    pub extension: Option<String>,
    /// What happened.
    pub what: What,
}

/// What a record tells.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum What {
    /// The first record: who wrote the trace.
    Begin {
        /// The version of the format.
        format: u64,
        /// The host's name and version, with a space between them.
        host: String,
        /// Which host it was like.
        profile: String,
    },
    /// A line on a pipe.
    Line {
        /// Who wrote it.
        from: Side,
        /// The line.
        line: Line,
    },
    /// A process was started.
    Spawn {
        /// The program and its arguments.
        argv: Vec<String>,
        /// Its id, where it is known.
        pid: Option<u32>,
    },
    /// One of its pipes was closed, by whoever writes to it.
    Eof(Stream),
    /// It was sent this signal, as `SIGTERM`.
    Signal(String),
    /// It ended.
    Exit {
        /// Its exit code.
        code: Option<i32>,
        /// The signal that ended it.
        signal: Option<String>,
    },
    /// An event that this version does not know.
    Other(String),
}

/// Who wrote a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The host, to an extension's stdin.
    Host,
    /// The extension, to its stdout.
    Extension,
}

/// A pipe of an extension's process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// What the host writes to.
    Stdin,
    /// What the host reads.
    Stdout,
}

/// A line as it stood on a pipe, without its LF.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line {
    /// Its bytes, UTF-8 as a rule.
    pub bytes: Vec<u8>,
    /// The pipe was closed before an LF came.
    pub no_lf: bool,
    /// So many bytes more came that are not recorded.
    pub more_bytes: u64,
}

impl Line {
    /// A whole line.
    pub fn new(bytes: impl Into<Vec<u8>>) -> Self {
        Self { bytes: bytes.into(), no_lf: false, more_bytes: 0 }
    }

    /// Its text; bytes that are no UTF-8 become U+FFFD.
    pub fn text(&self) -> std::borrow::Cow<'_, str> {
        String::from_utf8_lossy(&self.bytes)
    }
}

impl Record {
    /// Appends the record as one line of a trace, LF included.
    pub fn write_line(&self, out: &mut Vec<u8>) {
        let at = u64::try_from(self.at.as_micros()).unwrap_or(u64::MAX);
        let mut members = vec![("t_us", json!(at)), ("dir", json!(self.what.dir()))];
        members.extend(self.extension.as_ref().map(|extension| ("extension", json!(extension))));
        self.what.add_to(&mut members);
        for (index, (name, value)) in members.iter().enumerate() {
            let opening = if index == 0 { '{' } else { ',' };
            out.extend_from_slice(format!("{opening}\"{name}\":{value}").as_bytes());
        }
        out.extend_from_slice(b"}\n");
    }
}

/// The members of a record in the order in which they are written.
type Members = Vec<(&'static str, Value)>;

impl What {
    fn dir(&self) -> &'static str {
        match self {
            Self::Line { from: Side::Host, .. } => "h>e",
            Self::Line { from: Side::Extension, .. } => "e>h",
            _ => "os",
        }
    }

    fn add_to(&self, members: &mut Members) {
        match self {
            Self::Begin { format, host, profile } => members.extend([
                ("event", json!("trace")),
                ("format", json!(format)),
                ("host", json!(host)),
                ("profile", json!(profile)),
            ]),
            Self::Line { line, .. } => line.add_to(members),
            Self::Spawn { argv, pid } => {
                members.extend([("event", json!("spawn")), ("argv", json!(argv))]);
                members.extend(pid.map(|pid| ("pid", json!(pid))));
            }
            Self::Eof(stream) => {
                let stream = if *stream == Stream::Stdin { "stdin" } else { "stdout" };
                members.extend([("event", json!("eof")), ("stream", json!(stream))]);
            }
            Self::Signal(name) => {
                members.extend([("event", json!("signal")), ("name", json!(name))]);
            }
            Self::Exit { code, signal } => {
                members.push(("event", json!("exit")));
                members.extend(code.map(|code| ("code", json!(code))));
                members.extend(signal.as_ref().map(|signal| ("signal", json!(signal))));
            }
            Self::Other(event) => members.push(("event", json!(event))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(what: What) -> Record {
        Record { at: Duration::from_micros(7), extension: Some("x".to_owned()), what }
    }

    fn line(bytes: impl Into<Vec<u8>>) -> What {
        What::Line { from: Side::Host, line: Line::new(bytes) }
    }

    fn written(record: &Record) -> String {
        let mut out = Vec::new();
        record.write_line(&mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn every_record_comes_back_as_it_was_written() {
        let long = format!("{{\"a\":\"{}\u{e9}\"}}", "x".repeat(20_000));
        let begin = What::Begin { format: 1, host: "h 1".to_owned(), profile: "spec".to_owned() };
        let cut = Line { bytes: b"abc".to_vec(), no_lf: true, more_bytes: 5 };
        let all = [
            begin,
            What::Spawn { argv: vec!["a".to_owned(), "b c".to_owned()], pid: Some(4) },
            line("{\"type\":\"ready\"}\r"),
            line(""),
            line(long.clone()),
            line(b"\xff\x00".to_vec()),
            What::Line { from: Side::Extension, line: cut },
            What::Eof(Stream::Stdin),
            What::Eof(Stream::Stdout),
            What::Signal("SIGTERM".to_owned()),
            What::Exit { code: Some(3), signal: None },
            What::Exit { code: None, signal: Some("SIGKILL".to_owned()) },
            What::Other("write_failed".to_owned()),
        ];
        let records: Vec<_> = all.into_iter().map(record).collect();
        let text: String = records.iter().map(written).collect();
        assert_eq!(read("t", &text), Ok(records));
        assert!(text.len() < long.len(), "a repetition is written as its count");
    }

    #[test]
    fn a_line_is_written_as_text_in_parts_or_in_base64() {
        assert_eq!(
            written(&record(line("hi"))),
            "{\"t_us\":7,\"dir\":\"h>e\",\"extension\":\"x\",\"line\":\"hi\"}\n"
        );
        let bytes = record(line(b"\xff\xfe".to_vec()));
        assert!(written(&bytes).contains("\"line_b64\":\"//4=\""), "{}", written(&bytes));
        let long = format!("a{}b", "x".repeat(20_000));
        let parts = written(&record(line(long)));
        assert!(parts.contains("\"line_parts\":[\"a\",[\"x\",20000],\"b\"]"), "{parts}");
    }
}
