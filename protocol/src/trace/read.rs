//! Reads a trace.

use std::time::Duration;

use serde::Deserialize;
use thiserror::Error;

use super::line::LineMembers;
use super::{Record, Side, Stream, What};

/// A line of a trace that is no record. `Display` gives `FILE:LINE: why`.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{file}:{line}: {problem}")]
pub struct TraceError {
    /// The file, as it was named to [`read`].
    pub file: String,
    /// The line in it, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub problem: String,
}

/// Reads a trace; `file` is what it is called in errors. Blank lines are skipped, and so are
/// members that are not known. A last line that was cut off, as in the trace of a host that was
/// killed, is an error like any other.
pub fn read(file: &str, text: &str) -> Result<Vec<Record>, TraceError> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let record = |(at, line): (usize, &str)| {
        Record::parse(line).map_err(|problem| TraceError {
            file: file.to_owned(),
            line: at + 1,
            problem,
        })
    };
    lines.map(record).collect()
}

/// The members of every record.
#[derive(Deserialize)]
struct Members {
    t_us: u64,
    dir: String,
    extension: Option<String>,
    event: Option<String>,
    #[serde(flatten)]
    line: LineMembers,
    argv: Option<Vec<String>>,
    pid: Option<u32>,
    stream: Option<String>,
    name: Option<String>,
    code: Option<i32>,
    signal: Option<String>,
    format: Option<u64>,
    host: Option<String>,
    profile: Option<String>,
}

impl Record {
    /// Reads one line of a trace; the error says what is wrong with it.
    pub fn parse(line: &str) -> Result<Self, String> {
        let members: Members = serde_json::from_str(line).map_err(|error| error.to_string())?;
        let at = Duration::from_micros(members.t_us);
        let extension = members.extension.clone();
        Ok(Self { at, extension, what: members.what()? })
    }
}

impl Members {
    fn what(self) -> Result<What, String> {
        let from = match self.dir.as_str() {
            "h>e" => Side::Host,
            "e>h" => Side::Extension,
            "os" => return self.event(),
            other => return Err(format!("/dir: expected h>e, e>h or os, found {other:?}")),
        };
        Ok(What::Line { from, line: self.line.into_line()? })
    }

    fn event(self) -> Result<What, String> {
        let event = self.event.ok_or("/event: required beside \"dir\":\"os\", and missing")?;
        let missing = |member: &str| format!("/{member}: required for {event:?}, and missing");
        Ok(match event.as_str() {
            "trace" => What::Begin {
                format: self.format.ok_or_else(|| missing("format"))?,
                host: self.host.unwrap_or_default(),
                profile: self.profile.unwrap_or_default(),
            },
            "spawn" => What::Spawn { argv: self.argv.unwrap_or_default(), pid: self.pid },
            "eof" => What::Eof(match self.stream.as_deref() {
                Some("stdin") => Stream::Stdin,
                Some("stdout") => Stream::Stdout,
                Some(other) => {
                    return Err(format!("/stream: expected stdin or stdout, found {other:?}"));
                }
                None => return Err(missing("stream")),
            }),
            // `killed` is what an older recorder wrote of a SIGKILL.
            "signal" | "killed" => What::Signal(self.name.ok_or_else(|| missing("name"))?),
            "exit" => What::Exit { code: self.code, signal: self.signal },
            _ => What::Other(event),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_says_which_line_of_which_file_is_wrong_and_how() {
        let good = r#"{"t_us":1,"dir":"os","event":"eof","stream":"stdin","future":1}"#;
        let error = |line: &str| read("a.ndjson", &format!("{good}\n\n{line}\n")).unwrap_err();
        for (line, problem) in [
            ("x", "expected value at line 1 column 1"),
            (r#"{"dir":"os"}"#, "missing field `t_us` at line 1 column 12"),
            (r#"{"t_us":1,"dir":"?"}"#, "/dir: expected h>e, e>h or os, found \"?\""),
            (r#"{"t_us":1,"dir":"h>e"}"#, "one of line, line_parts and line_b64 must be there"),
            (
                r#"{"t_us":1,"dir":"h>e","line":"a","line_b64":"YQ=="}"#,
                "one of line, line_parts and line_b64 must be there",
            ),
            (r#"{"t_us":1,"dir":"h>e","line_b64":"Y"}"#, "/line_b64: no padded base64"),
            (
                r#"{"t_us":1,"dir":"h>e","line_parts":["a",["x",99999999999]]}"#,
                "/line_parts: 100000000000 bytes; at most 8388608 are recorded",
            ),
            (r#"{"t_us":1,"dir":"os"}"#, "/event: required beside \"dir\":\"os\", and missing"),
            (
                r#"{"t_us":1,"dir":"os","event":"eof"}"#,
                "/stream: required for \"eof\", and missing",
            ),
        ] {
            assert_eq!(error(line).to_string(), format!("a.ndjson:3: {problem}"));
        }
    }
}
