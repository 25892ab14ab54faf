//! From the bytes on a pipe to the lines of a trace.

use memchr::memchr;

use super::{LINE_BYTES, Line};

/// Puts the lines of one pipe together, in whatever chunks they come. Of one line it keeps
/// [`LINE_BYTES`].
#[derive(Debug, Default)]
pub struct Lines {
    /// What came of a line whose end has not come.
    partial: Line,
}

impl Lines {
    /// Takes what came; tells each line that is whole.
    pub fn push(&mut self, mut bytes: &[u8], mut tell: impl FnMut(Line)) {
        while let Some(end) = memchr(b'\n', bytes) {
            self.keep(&bytes[..end]);
            tell(std::mem::take(&mut self.partial));
            bytes = &bytes[end + 1..];
        }
        self.keep(bytes);
    }

    /// The pipe was closed: what there is of a line without an end.
    pub fn end(&mut self) -> Option<Line> {
        let line = Line { no_lf: true, ..std::mem::take(&mut self.partial) };
        (!line.bytes.is_empty()).then_some(line)
    }

    fn keep(&mut self, bytes: &[u8]) {
        let room = LINE_BYTES - self.partial.bytes.len();
        let kept = &bytes[..bytes.len().min(room)];
        self.partial.bytes.extend_from_slice(kept);
        self.partial.more_bytes += (bytes.len() - kept.len()) as u64;
    }
}
