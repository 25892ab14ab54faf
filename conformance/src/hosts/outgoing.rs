//! Bytes on their way to the host.

use std::collections::VecDeque;
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

use rustix::io::Errno;

/// How long a cut waits at most for what came before it to be read: so much longer than its pause
/// a busy host may take.
const UNREAD: Duration = Duration::from_secs(5);

/// Bytes on their way to the host.
#[derive(Debug, Default)]
pub(super) struct Outgoing {
    pieces: VecDeque<Piece>,
    last_write: Option<Instant>,
}

#[derive(Debug)]
struct Piece {
    bytes: Vec<u8>,
    chunk: usize,
    pause: Duration,
    written: usize,
    writes: Vec<usize>,
    not_before: Instant,
}

/// Bytes that were written, and in how many at a time.
pub(super) type Written = (Vec<u8>, Vec<usize>);

impl Outgoing {
    /// Adds bytes that are written at most `chunk` at a time, with a pause between two writes.
    pub(super) fn add(&mut self, bytes: Vec<u8>, chunk: usize, pause: Duration) {
        if !bytes.is_empty() {
            let (chunk, not_before) = (chunk.max(1), Instant::now());
            let (written, writes) = (0, Vec::new());
            self.pieces.push_back(Piece { bytes, chunk, pause, written, writes, not_before });
        }
    }

    pub(super) fn clear(&mut self) {
        self.pieces.clear();
    }

    pub(super) fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// How many bytes are still to be written.
    pub(super) fn left(&self) -> usize {
        self.pieces.iter().map(|piece| piece.bytes.len() - piece.written).sum()
    }

    /// When the next bytes may be written; `None` when there are none.
    pub(super) fn next_at(&self) -> Option<Instant> {
        self.pieces.front().map(|piece| piece.not_before)
    }

    /// Writes what the pipe takes; `Err` when nobody reads it any more. What was written to its end
    /// is handed back.
    pub(super) fn write_some(&mut self, to: &OwnedFd) -> (Vec<Written>, Result<(), Errno>) {
        let mut done = Vec::new();
        while let Some(piece) = self.pieces.front_mut() {
            let now = Instant::now();
            if piece.not_before > now {
                break;
            }
            let is_fresh = self.last_write.is_some_and(|at| now < at + UNREAD);
            if !piece.pause.is_zero() && is_fresh && has_unread(to) {
                piece.not_before = now + piece.pause;
                break;
            }
            let rest = &piece.bytes[piece.written..];
            match rustix::io::write(to, &rest[..rest.len().min(piece.chunk)]) {
                Ok(count) => {
                    piece.written += count;
                    piece.writes.push(count);
                    let now = Instant::now();
                    piece.not_before = now + piece.pause;
                    self.last_write = Some(now);
                }
                Err(Errno::AGAIN | Errno::INTR) => break,
                Err(error) => return (done, Err(error)),
            }
            if piece.written == piece.bytes.len() {
                done.extend(self.pieces.pop_front().map(|piece| (piece.bytes, piece.writes)));
            }
        }
        (done, Ok(()))
    }
}

/// Whether something that was written was not read yet.
fn has_unread(pipe: &OwnedFd) -> bool {
    rustix::io::ioctl_fionread(pipe).is_ok_and(|unread| unread > 0)
}
