//! Bytes in any chunking in, lines out.

use std::borrow::Cow;
use std::hint::black_box;

use crate::bytes::find;
use crate::head::{Head, HeadScanner};

/// Room offered for one read, once a read has filled the first room: as much as a pipe holds.
const READ: usize = 64 * 1024;

/// Room offered until then. A handshake and most calls fit, and a host with a hundred extensions
/// does not pay for the pages of a hundred large buffers.
const FIRST_READ: usize = 4 * 1024;

/// A buffer that grew beyond this for one long line is given back after it.
const KEPT: usize = 4 * 1024 * 1024;

/// Splits a stream into lines at LF, and at nothing else (`frm.split`).
///
/// CR before LF, blank lines and a BOM at the start of the stream are taken off; invalid UTF-8
/// becomes U+FFFD, line by line. A line over the limit is not kept: it comes out as
/// [`Line::TooLong`] once its LF has arrived, and the next one is whole again.
///
/// ```
/// use extline_protocol::{Decoder, Line};
///
/// let mut decoder = Decoder::new(1024);
/// decoder.feed(b"{\"type\":\"rea");
/// assert_eq!(decoder.next_line(), None);
/// decoder.feed(b"dy\"}\r\n\n");
/// assert_eq!(decoder.next_line(), Some(Line::Text("{\"type\":\"ready\"}".into())));
/// assert_eq!(decoder.next_line(), None);
/// ```
#[derive(Debug)]
pub struct Decoder {
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    /// No LF stands before this.
    searched: usize,
    limit: usize,
    /// What the next buffer has room for at least.
    room: usize,
    skipping: Option<Skipping>,
    started: bool,
}

/// One line without its line end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line<'a> {
    /// A line that is not blank.
    Text(Cow<'a, str>),
    /// A line over the limit.
    TooLong(TooLong),
}

/// What is known of a line that was too long to keep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TooLong {
    /// Its `type` and `id`.
    pub head: Head,
    /// Its length in bytes, without the LF.
    pub bytes: usize,
    /// The limit it broke, in bytes.
    pub limit: usize,
}

#[derive(Debug, Default)]
struct Skipping {
    scanner: HeadScanner,
    bytes: usize,
}

impl Decoder {
    /// A decoder for lines of at most `limit` bytes, LF not counted.
    pub fn new(limit: usize) -> Self {
        Self {
            buffer: Vec::new(),
            start: 0,
            end: 0,
            searched: 0,
            limit,
            room: FIRST_READ,
            skipping: None,
            started: false,
        }
    }

    /// Room for the next read, never empty. Say with [`Decoder::advance`] how much of it was used.
    pub fn space(&mut self) -> &mut [u8] {
        self.make_room(self.room / 2);
        &mut self.buffer[self.end..]
    }

    /// The first `count` bytes of [`Decoder::space`] hold what came in.
    ///
    /// # Panics
    /// When `count` is more than the space offered.
    pub fn advance(&mut self, count: usize) {
        assert!(count <= self.buffer.len() - self.end, "advance beyond the space offered");
        self.end += count;
        if self.end == self.buffer.len() {
            self.room = READ;
        }
    }

    /// Takes bytes that were read elsewhere.
    pub fn feed(&mut self, bytes: &[u8]) {
        self.make_room(bytes.len());
        self.buffer[self.end..self.end + bytes.len()].copy_from_slice(bytes);
        self.end += bytes.len();
    }

    /// The next whole line, if it is there.
    pub fn next_line(&mut self) -> Option<Line<'_>> {
        loop {
            let Some(offset) = find(b'\n', &self.buffer[self.searched..self.end]) else {
                self.searched = self.end;
                if self.skipping.is_some() || self.end - self.start > self.limit {
                    self.skip_to(self.end);
                }
                return None;
            };
            let line_end = self.searched + offset;
            if let Some(span) = self.take_line(line_end) {
                self.start = line_end + 1;
                self.searched = self.start;
                return Some(self.line_at(span));
            }
            self.start = line_end + 1;
            self.searched = self.start;
        }
    }

    /// The last line, when the stream ended without an LF (`frm.last-line`). Call it once, after
    /// `next_line` has returned `None`.
    pub fn finish(&mut self) -> Option<Line<'_>> {
        let line_end = self.end;
        let span = self.take_line(line_end);
        self.start = line_end;
        self.searched = line_end;
        span.map(|span| self.line_at(span))
    }

    /// Bytes that belong to a line whose end has not come.
    pub fn partial_bytes(&self) -> usize {
        self.skipping.as_ref().map_or(0, |skipping| skipping.bytes) + self.end - self.start
    }

    /// What of the bytes from `start` to `line_end` is a line; `None` when it is blank.
    fn take_line(&mut self, line_end: usize) -> Option<Span> {
        if self.skipping.is_some() || line_end - self.start > self.limit {
            self.skip_to(line_end);
            let Skipping { scanner, bytes } = self.skipping.take().unwrap_or_default();
            self.started = true;
            return Some(Span::TooLong(TooLong {
                head: scanner.finish(),
                bytes,
                limit: self.limit,
            }));
        }
        let mut from = self.start;
        let mut to = line_end;
        if self.buffer[from..to].last() == Some(&b'\r') {
            to -= 1;
        }
        if !self.started && self.buffer[from..to].starts_with(b"\xEF\xBB\xBF") {
            from += 3;
        }
        self.started = true;
        let blank = self.buffer[from..to].iter().all(u8::is_ascii_whitespace);
        (!blank).then_some(Span::Text(from, to))
    }

    fn line_at(&self, span: Span) -> Line<'_> {
        match span {
            Span::Text(from, to) => Line::Text(repaired(&self.buffer[from..to])),
            Span::TooLong(line) => Line::TooLong(line),
        }
    }

    /// Drops the bytes up to `end` of a line that is too long, after a look at them.
    fn skip_to(&mut self, end: usize) {
        let skipping = self.skipping.get_or_insert_default();
        skipping.scanner.scan(&self.buffer[self.start..end]);
        skipping.bytes += end - self.start;
        self.start = end;
        self.searched = end;
    }

    /// Makes room for so many bytes behind what is kept of the line that has begun.
    fn make_room(&mut self, wanted: usize) {
        let kept = self.end - self.start;
        if kept == 0 {
            (self.start, self.end, self.searched) = (0, 0, 0);
            if self.buffer.len() > KEPT {
                self.buffer = Vec::new();
            }
        }
        if self.buffer.len() - self.end >= wanted {
            return;
        }
        if self.buffer.len() - kept >= wanted {
            self.buffer.copy_within(self.start..self.end, 0);
        } else {
            if self.buffer.len() >= READ {
                keep_freed_memory();
            }
            // The allocator has zeroed memory for less than it costs to zero what `resize` adds.
            let mut larger = vec![0; (kept * 2).max(kept + wanted.max(self.room))];
            larger[..kept].copy_from_slice(&self.buffer[self.start..self.end]);
            self.buffer = larger;
        }
        self.searched -= self.start;
        (self.start, self.end) = (0, kept);
    }
}

/// Has the GNU allocator keep what the frames after a long one free. At first it gives memory back
/// from 128 KiB on, and each further long frame pays for its pages again: a third of its time. The
/// bound doubles with the largest block that was ever freed. The block is not touched, so it costs
/// no memory; elsewhere this does nothing.
fn keep_freed_memory() {
    drop(black_box(Vec::<u8>::with_capacity(KEPT)));
}

enum Span {
    Text(usize, usize),
    TooLong(TooLong),
}

/// Most lines need no repair, and the check alone is ten times as fast.
fn repaired(line: &[u8]) -> Cow<'_, str> {
    std::str::from_utf8(line).map_or_else(|_| String::from_utf8_lossy(line), Cow::Borrowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(limit: usize, chunks: &[&[u8]]) -> Vec<String> {
        let mut decoder = Decoder::new(limit);
        let mut found = Vec::new();
        let show = |line: Line<'_>| match line {
            Line::Text(text) => text.into_owned(),
            Line::TooLong(line) => format!("too long: {} {:?}", line.bytes, line.head.id),
        };
        for chunk in chunks {
            decoder.feed(chunk);
            while let Some(line) = decoder.next_line() {
                found.push(show(line));
            }
        }
        found.extend(decoder.finish().map(show));
        assert_eq!(decoder.finish(), None);
        found
    }

    #[test]
    fn lines_end_at_lf_and_nowhere_else() {
        let found = lines(100, &["a\u{2028}b\rc\u{2029}\nd\r\n\r\n  \ne".as_bytes()]);
        assert_eq!(found, ["a\u{2028}b\rc\u{2029}", "d", "e"]);
    }

    #[test]
    fn a_bom_goes_only_at_the_start_of_the_stream() {
        assert_eq!(lines(100, &["\u{feff}a\n\u{feff}b\n".as_bytes()]), ["a", "\u{feff}b"]);
        assert_eq!(lines(100, &["\u{feff}\na\n".as_bytes()]), ["a"]);
    }

    #[test]
    fn invalid_utf8_is_repaired_line_by_line() {
        assert_eq!(lines(100, &[b"a\xffb\n\xe2\x82\nc\n"]), ["a\u{fffd}b", "\u{fffd}", "c"]);
    }

    #[test]
    fn a_line_of_the_limit_passes_and_one_byte_more_does_not() {
        assert_eq!(lines(5, &[b"12345\n123456\n1234"]), ["12345", "too long: 6 None", "1234"]);
        assert_eq!(lines(5, &[b"123", b"4", b"5", b"6", b"\nab\n"]), ["too long: 6 None", "ab"]);
        assert_eq!(lines(5, &[b"123456"]), ["too long: 6 None"]);
    }

    #[test]
    fn a_line_that_is_too_long_still_tells_its_id() {
        let long =
            format!("{{\"args\":\"{}\",\"id\":\"7\",\"type\":\"tool_call\"}}\n", "x".repeat(500));
        let chunks: Vec<_> = long.as_bytes().chunks(7).collect();
        assert_eq!(lines(100, &chunks), [format!("too long: {} Some(\"7\")", long.len() - 1)]);
    }

    #[test]
    fn a_long_line_s_buffer_is_given_back() {
        let mut decoder = Decoder::new(64 * 1024 * 1024);
        decoder.feed(&vec![b'x'; 8 * 1024 * 1024]);
        decoder.feed(b"\n");
        assert!(decoder.next_line().is_some());
        decoder.feed(b"y\n");
        assert!(decoder.next_line().is_some());
        assert!(decoder.buffer.capacity() <= KEPT);
    }
}
