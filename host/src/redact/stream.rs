//! Secrets, taken out of a stream of bytes that comes in pieces.

use memchr::memrchr;

use super::{Redactor, patterns};

/// Of a line that does not end so much is kept back.
pub(super) const LINE_BYTES: usize = 64 * 1024;
/// Of such a line, what is kept back when the rest goes: no shorter than what looks like a secret as a rule.
const TAIL: usize = 8 * 1024;

/// What was written and is not passed on yet: the beginning of a line, or of a private key of several lines.
#[derive(Default)]
pub(crate) struct Stream {
    redactor: Redactor,
    waiting: Vec<u8>,
}

impl Stream {
    pub(crate) fn new(redactor: Redactor) -> Self {
        Self { redactor, waiting: Vec::new() }
    }

    /// Takes bytes in, and gives what may be passed on, without secrets: whole lines as a rule.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Vec<u8> {
        let from = self.waiting.len();
        self.waiting.extend_from_slice(bytes);
        let line = memrchr(b'\n', &self.waiting[from..]).map(|end| from + end + 1);
        let whole = match line {
            Some(end) => patterns::open_private_key(&self.waiting[..end]).unwrap_or(end),
            None => 0,
        };
        if self.waiting.len() - whole <= LINE_BYTES {
            return self.pass(whole);
        }
        // It is not waited for, but no secret is cut in two.
        let end = self.waiting.len() - TAIL.max(self.redactor.longest()).min(self.waiting.len());
        let found = self.redactor.find(&self.waiting);
        let cut = found.iter().find(|secret| secret.start < end && end < secret.end);
        let end = match cut {
            Some(secret) if secret.start > whole => secret.start,
            Some(secret) => secret.end,
            None => end,
        };
        self.pass(end.max(whole))
    }

    /// The rest, when nothing more comes.
    pub(crate) fn end(&mut self) -> Vec<u8> {
        self.pass(self.waiting.len())
    }

    /// What waits, without secrets.
    pub(crate) fn waiting(&self) -> Vec<u8> {
        self.redactor.bytes(&self.waiting).into_owned()
    }

    fn pass(&mut self, end: usize) -> Vec<u8> {
        if end == 0 {
            return Vec::new();
        }
        let passed = self.redactor.bytes(&self.waiting[..end]).into_owned();
        self.waiting.drain(..end);
        if self.waiting.is_empty() && self.waiting.capacity() > LINE_BYTES {
            self.waiting = Vec::new();
        }
        passed
    }
}
