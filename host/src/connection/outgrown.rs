//! Whether a pipe is too small for what goes through it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use memchr::memchr_iter;

/// A frame that is longer fills half of an ordinary pipe, and then both sides wait for each other
/// at every turn.
const LONG_FRAME: usize = 32 * 1024;

/// Watches one direction until its first long frame.
#[derive(Debug, Default)]
pub(super) struct Outgrown {
    /// Bytes of the line whose end has not come.
    line: usize,
    reported: bool,
}

impl Outgrown {
    /// Takes what passed; `true` once, when the first long frame was seen.
    pub(super) fn note(&mut self, bytes: &[u8]) -> bool {
        if self.reported {
            return false;
        }
        let mut begin = 0;
        if self.line + bytes.len() > LONG_FRAME {
            for end in memchr_iter(b'\n', bytes) {
                self.reported |= self.line + (end - begin) > LONG_FRAME;
                self.line = 0;
                begin = end + 1;
            }
        } else if let Some(end) = memchr::memrchr(b'\n', bytes) {
            self.line = 0;
            begin = end + 1;
        }
        self.line += bytes.len() - begin;
        self.reported |= self.line > LONG_FRAME;
        self.reported
    }
}

/// How many pipes of one host are enlarged. An ordinary user's share of large pipes is small, and
/// all new pipes of one who is beyond it hold 8 KiB.
#[derive(Clone, Debug, Default)]
pub(crate) struct LargePipes(Arc<AtomicUsize>);

impl LargePipes {
    const AT_MOST: usize = 64;

    /// Whether one more may be enlarged.
    pub(super) fn take(&self) -> bool {
        let more = |taken| (taken < Self::AT_MOST).then_some(taken + 1);
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).is_ok()
    }

    /// So many of them are closed.
    pub(super) fn give_back(&self, count: usize) {
        self.0.fetch_sub(count, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_short_frames_outgrow_nothing() {
        let mut outgrown = Outgrown::default();
        for _ in 0..100 {
            assert!(!outgrown.note(&b"{\"type\":\"ready\"}\n".repeat(10_000)));
            assert!(!outgrown.note(b"{\"type\":\"no"));
            assert!(!outgrown.note(b"tify\"}\n"));
        }
    }

    #[test]
    fn a_host_enlarges_so_many_and_no_more() {
        let pipes = LargePipes::default();
        assert_eq!((0..100).filter(|_| pipes.take()).count(), LargePipes::AT_MOST);
        pipes.give_back(2);
        assert_eq!((0..100).filter(|_| pipes.take()).count(), 2);
    }

    #[test]
    fn one_long_frame_does_once() {
        let mut outgrown = Outgrown::default();
        let half = vec![b'x'; LONG_FRAME / 2];
        assert!(!outgrown.note(&half));
        assert!(!outgrown.note(b"\n"));
        assert!(!outgrown.note(&half));
        assert!(!outgrown.note(&half));
        assert!(outgrown.note(b"x"));
        assert!(!outgrown.note(&half));

        let mut outgrown = Outgrown::default();
        let whole = [b"short\n".as_slice(), &half, &half, b"x\n", b"short\n"].concat();
        assert!(outgrown.note(&whole));
    }
}
