//! From frames to bytes, for both sessions.

use crate::frame::Frame;
use crate::json;
use crate::limits::DEPTH;

/// Why a frame is not sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Unsendable {
    TooLong { bytes: usize, limit: usize },
    TooDeep { depth: usize },
}

impl std::fmt::Display for Unsendable {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::TooLong { bytes, limit } => {
                write!(formatter, "the frame has {bytes} bytes, more than the limit of {limit}")
            }
            Self::TooDeep { depth } => {
                write!(
                    formatter,
                    "the frame nests {depth} levels deep, more than the limit of {DEPTH}"
                )
            }
        }
    }
}

/// Whole lines that wait to be written.
#[derive(Debug)]
pub(super) struct Outbox {
    bytes: Vec<u8>,
    limit: usize,
    escapes_html: bool,
}

impl Outbox {
    pub(super) fn new(limit: usize) -> Self {
        Self { bytes: Vec::new(), limit, escapes_html: false }
    }

    /// From now on `<`, `>`, `&`, U+2028 and U+2029 are written as escapes (`zot.escapes`).
    pub(super) fn escape_html(&mut self) {
        self.escapes_html = true;
    }

    pub(super) fn set_limit(&mut self, limit: usize) {
        self.limit = limit;
    }

    /// Adds a frame, or nothing at all (`frm.max-line`, `frm.depth`).
    pub(super) fn push<F: Frame>(&mut self, frame: &F) -> Result<(), Unsendable> {
        let start = self.bytes.len();
        frame.write_line(&mut self.bytes);
        if self.escapes_html {
            escape_html(&mut self.bytes, start);
        }
        let checked = self.check(start, frame);
        if checked.is_err() {
            self.bytes.truncate(start);
        }
        checked
    }

    /// Adds a line of the session's own, which breaks no limit.
    pub(super) fn push_line(&mut self, line: &str) {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(line.as_bytes());
        self.bytes.push(b'\n');
        if self.escapes_html {
            escape_html(&mut self.bytes, start);
        }
    }

    /// The same look at the limits for a frame that is handed over unwritten. It is written, and
    /// forgotten again, unless it has no more than `plain_bytes` before its escapes.
    pub(super) fn check_unwritten<F: Frame>(
        &mut self,
        frame: &F,
        plain_bytes: Option<usize>,
    ) -> Result<(), Unsendable> {
        // An escape has at most six bytes for one, and half of the limit is more than the rest needs.
        let is_short = plain_bytes.is_some_and(|bytes| bytes <= self.limit / 12);
        if is_short && frame.members_depth() < DEPTH {
            return Ok(());
        }
        let start = self.bytes.len();
        let checked = self.push(frame);
        self.bytes.truncate(start);
        checked
    }

    fn check<F: Frame>(&self, start: usize, frame: &F) -> Result<(), Unsendable> {
        let line = &self.bytes[start..self.bytes.len() - 1];
        if line.len() > self.limit {
            return Err(Unsendable::TooLong { bytes: line.len(), limit: self.limit });
        }
        let depth = || 1 + frame.members_depth();
        debug_assert_eq!(Ok(depth()), std::str::from_utf8(line).map(json::depth));
        // A frame that short cannot be too deep.
        if line.len() > 2 * DEPTH && depth() > DEPTH {
            return Err(Unsendable::TooDeep { depth: depth() });
        }
        Ok(())
    }

    /// Moves everything that waits behind what `out` holds; whether there was anything.
    pub(super) fn take(&mut self, out: &mut Vec<u8>) -> bool {
        let any = !self.bytes.is_empty();
        if out.is_empty() {
            std::mem::swap(out, &mut self.bytes);
        } else {
            out.append(&mut self.bytes);
        }
        any
    }

    /// Longest line that the host reads.
    pub(super) fn limit(&self) -> usize {
        self.limit
    }

    pub(super) fn len(&self) -> usize {
        self.bytes.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }
}

/// These characters stand in JSON nowhere but inside strings.
fn escape_html(bytes: &mut Vec<u8>, start: usize) {
    let line = bytes.split_off(start);
    let mut rest = line.as_slice();
    while let [first, ..] = rest {
        let (escape, length): (&[u8], _) = match first {
            b'<' => (b"\\u003c", 1),
            b'>' => (b"\\u003e", 1),
            b'&' => (b"\\u0026", 1),
            _ if rest.starts_with("\u{2028}".as_bytes()) => (b"\\u2028", 3),
            _ if rest.starts_with("\u{2029}".as_bytes()) => (b"\\u2029", 3),
            _ => (&rest[..1], 1),
        };
        bytes.extend_from_slice(escape);
        rest = &rest[length..];
    }
}
