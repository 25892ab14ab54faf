//! Bytes on their way to the host.

use std::collections::VecDeque;
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

use rustix::io::Errno;

/// Bytes on their way to the host.
#[derive(Debug, Default)]
pub(super) struct Outgoing(VecDeque<Piece>);

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
            self.0.push_back(Piece { bytes, chunk, pause, written, writes, not_before });
        }
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// When the next bytes may be written; `None` when there are none.
    pub(super) fn next_at(&self) -> Option<Instant> {
        self.0.front().map(|piece| piece.not_before)
    }

    /// Writes what the pipe takes; `Err` when nobody reads it any more. What was written to its end
    /// is handed back.
    pub(super) fn write_some(&mut self, to: &OwnedFd) -> (Vec<Written>, Result<(), Errno>) {
        let mut done = Vec::new();
        while let Some(piece) = self.0.front_mut() {
            if piece.not_before > Instant::now() {
                break;
            }
            let rest = &piece.bytes[piece.written..];
            match rustix::io::write(to, &rest[..rest.len().min(piece.chunk)]) {
                Ok(count) => {
                    piece.written += count;
                    piece.writes.push(count);
                    piece.not_before = Instant::now() + piece.pause;
                }
                Err(Errno::AGAIN | Errno::INTR) => break,
                Err(error) => return (done, Err(error)),
            }
            if piece.written == piece.bytes.len() {
                done.extend(self.0.pop_front().map(|piece| (piece.bytes, piece.writes)));
            }
        }
        (done, Ok(()))
    }
}
