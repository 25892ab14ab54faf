//! Bytes on their way to an extension's stdin: written at once when nothing waits, else queued
//! within bounds.

use std::collections::VecDeque;
use std::io;
use std::mem;
use std::sync::Arc;
use std::time::{Duration, Instant};

use memchr::memchr_iter;

use crate::process::Input;

/// Frames and bytes that may wait behind the frame that is being written (`host.queue`).
const WAITING_FRAMES: usize = 256;
const WAITING_BYTES: usize = 16 * 1024 * 1024;

/// How long more than that may wait while nothing at all is read: a host may make a thousand calls at
/// once, faster than the best extension can read them. How long one frame may take bounds
/// `host.write-deadline`.
const BURST: Duration = Duration::from_secs(1);

/// Bytes that may wait in a burst, however much is read.
const BURST_BYTES: usize = 4 * WAITING_BYTES;

/// A buffer that grew beyond this is given back after the write.
const KEPT: usize = 256 * 1024;

/// Why nothing more can be written.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum WriteError {
    /// Nobody can read it any more.
    Broken,
    /// Too much waits, or has waited for too long.
    Full { frames: usize, bytes: usize },
    /// One write has taken too long.
    Stalled { bytes: usize, waited: Duration },
}

#[derive(Debug)]
pub(super) struct WriteQueue {
    /// How long one write may take.
    deadline: Duration,
    /// `None` once stdin is closed.
    input: Option<Arc<Input>>,
    chunks: VecDeque<Chunk>,
    /// Of the chunks behind the first.
    frames: usize,
    bytes: usize,
    /// When the first chunk's turn came.
    since: Instant,
    /// Since when more waits than may, but in a burst, or when something was read of it last.
    crowded_since: Option<Instant>,
    /// Close stdin once nothing waits.
    closing: bool,
}

#[derive(Debug)]
struct Chunk {
    bytes: Vec<u8>,
    written: usize,
    frames: usize,
}

impl Chunk {
    fn rest(&self) -> &[u8] {
        &self.bytes[self.written..]
    }
}

impl WriteQueue {
    pub(super) fn new(input: Input, deadline: Duration, now: Instant) -> Self {
        Self {
            deadline,
            input: Some(Arc::new(input)),
            chunks: VecDeque::new(),
            frames: 0,
            bytes: 0,
            since: now,
            crowded_since: None,
            closing: false,
        }
    }

    /// Takes whole frames out of `frames`, which keeps its room for the next ones.
    pub(super) fn send(&mut self, frames: &mut Vec<u8>, now: Instant) -> Result<(), WriteError> {
        let Some(input) = &self.input else {
            frames.clear();
            return Ok(());
        };
        if self.chunks.is_empty() {
            let written = write(input, frames)?;
            if written < frames.len() {
                self.since = its_turn(now);
                let frames_in_it = memchr_iter(b'\n', &frames[written..]).count();
                let bytes = mem::take(frames);
                self.chunks.push_back(Chunk { bytes, written, frames: frames_in_it });
            }
        } else {
            self.queue(mem::take(frames), its_turn(now))?;
        }
        frames.clear();
        if frames.capacity() > KEPT {
            *frames = Vec::new();
        }
        Ok(())
    }

    /// Writes on, after [`WriteQueue::blocked`] was awaited.
    pub(super) fn flush(&mut self, now: Instant) -> Result<(), WriteError> {
        let Some(input) = self.input.clone() else { return Ok(()) };
        while let Some(chunk) = self.chunks.front_mut() {
            let count = write(&input, chunk.rest())?;
            chunk.written += count;
            if count > 0 {
                // Whoever reads on may take its time: a burst is over when nothing moves.
                self.crowded_since = self.crowded_since.map(|_| now);
            }
            if !chunk.rest().is_empty() {
                return Ok(());
            }
            self.chunks.pop_front();
            self.since = now;
            if let Some(next) = self.chunks.front() {
                self.frames -= next.frames;
                self.bytes -= next.bytes.len();
            }
            if !self.is_crowded() {
                self.crowded_since = None;
            }
        }
        if self.closing {
            self.close_now();
        }
        Ok(())
    }

    /// Whether stdin is open.
    pub(super) fn is_open(&self) -> bool {
        self.input.is_some()
    }

    /// Lets the pipe hold more.
    pub(super) fn enlarge(&self) {
        if let Some(input) = &self.input {
            input.enlarge();
        }
    }

    /// The pipe to wait for, when something waits to be written.
    pub(super) fn blocked(&self) -> Option<Arc<Input>> {
        if self.chunks.is_empty() { None } else { self.input.clone() }
    }

    /// When [`WriteQueue::check`] fails, unless something is read before.
    pub(super) fn deadline(&self) -> Option<Instant> {
        if self.chunks.is_empty() {
            return None;
        }
        let stalled = self.since + self.deadline;
        Some(self.crowded_since.map_or(stalled, |since| stalled.min(since + BURST)))
    }

    /// Whether what waits has waited for too long.
    pub(super) fn check(&mut self, now: Instant) -> Result<(), WriteError> {
        if self.deadline().is_none_or(|at| at > now) {
            return Ok(());
        }
        // What can be written by now was read in time: who asks may be late itself.
        self.flush(now)?;
        if self.crowded_since.is_some_and(|since| since + BURST <= now) {
            return Err(self.full());
        }
        if self.deadline().is_some_and(|at| at <= now) {
            let rest = self.chunks.front().map_or(0, |chunk| chunk.rest().len());
            return Err(WriteError::Stalled { bytes: self.bytes + rest, waited: self.deadline });
        }
        Ok(())
    }

    /// Closes stdin once what waits is written.
    pub(super) fn close(&mut self) {
        self.closing = true;
        if self.chunks.is_empty() {
            self.close_now();
        }
    }

    /// Closes stdin at once; what waits is lost.
    pub(super) fn close_now(&mut self) {
        self.input = None;
        self.chunks.clear();
        self.frames = 0;
        self.bytes = 0;
        self.crowded_since = None;
    }

    fn queue(&mut self, bytes: Vec<u8>, now: Instant) -> Result<(), WriteError> {
        let frames = memchr_iter(b'\n', &bytes).count();
        self.frames += frames;
        self.bytes += bytes.len();
        self.chunks.push_back(Chunk { bytes, written: 0, frames });
        if self.bytes > BURST_BYTES {
            return Err(self.full());
        }
        if self.is_crowded() {
            self.crowded_since.get_or_insert(now);
        }
        Ok(())
    }

    fn is_crowded(&self) -> bool {
        self.frames > WAITING_FRAMES || self.bytes > WAITING_BYTES
    }

    fn full(&self) -> WriteError {
        WriteError::Full { frames: self.frames, bytes: self.bytes }
    }
}

/// When frames that were made since `now` wait: those of a large call take a busy host long.
fn its_turn(now: Instant) -> Instant {
    now.max(Instant::now())
}

/// Writes what the pipe takes without waiting.
fn write(input: &Input, bytes: &[u8]) -> Result<usize, WriteError> {
    let mut written = 0;
    while written < bytes.len() {
        match input.try_write(&bytes[written..]) {
            Ok(count) => written += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
            Err(_) => return Err(WriteError::Broken),
        }
    }
    Ok(written)
}

#[cfg(all(test, unix))]
mod tests {
    use std::io::{PipeReader, Read, pipe};

    use super::*;

    const MIB: usize = 1024 * 1024;
    const DEADLINE: Duration = Duration::from_secs(5);

    /// The time at which a test begins: one that is over would be taken for the host's own.
    fn soon() -> Instant {
        Instant::now() + Duration::from_secs(3600)
    }

    /// A queue whose pipe is full, and the end of the pipe that nobody reads by itself.
    fn full(now: Instant) -> (WriteQueue, PipeReader) {
        let (reader, writer) = pipe().unwrap();
        let mut queue = WriteQueue::new(Input::new(writer).unwrap(), DEADLINE, now);
        send(&mut queue, 2 * MIB, now).unwrap();
        assert!(queue.blocked().is_some());
        (queue, reader)
    }

    fn send(queue: &mut WriteQueue, length: usize, now: Instant) -> Result<(), WriteError> {
        let mut frame = vec![b'x'; length - 1];
        frame.push(b'\n');
        queue.send(&mut frame, now)
    }

    /// The extension reads a little, and the queue writes on.
    async fn read_some(queue: &mut WriteQueue, mut reader: &PipeReader, now: Instant) {
        assert!(reader.read(&mut vec![0; 65536]).unwrap() > 0);
        queue.blocked().unwrap().writable().await;
        queue.flush(now).unwrap();
    }

    fn is_full(checked: &Result<(), WriteError>) -> bool {
        matches!(checked, Err(WriteError::Full { .. }))
    }

    #[test]
    fn the_clause_says_what_the_queue_does() {
        let document = include_str!("../../../docs/protocol/specification.md");
        let clause = document.split("#### `host.queue` MUST (host)\n").nth(1).unwrap();
        let says = format!(
            "A host MUST end an extension for which more than {WAITING_FRAMES} frames or {} MiB \
             wait to be written while it reads nothing for {} ms, or for which more than {} MiB \
             wait, and report why.",
            WAITING_BYTES / MIB,
            BURST.as_millis(),
            BURST_BYTES / MIB,
        )
        .replace("1000 ms", "1,000 ms");
        assert_eq!(clause.lines().next(), Some(&*says));
    }

    #[test]
    fn so_many_frames_may_wait_and_one_more_for_a_second_in_which_nothing_is_read() {
        let began = soon();
        let (mut queue, _reader) = full(began);
        for _ in 0..256 {
            send(&mut queue, 10, began).unwrap();
        }
        queue.check(began + Duration::from_millis(4999)).unwrap();
        send(&mut queue, 10, began).unwrap();
        queue.check(began + Duration::from_millis(999)).unwrap();
        let found = queue.check(began + Duration::from_secs(1)).unwrap_err();
        assert_eq!(found, WriteError::Full { frames: 257, bytes: 2570 });
    }

    #[test]
    fn the_time_that_the_host_took_itself_is_not_the_extension_s() {
        // The call began long before its frame was made.
        let began = Instant::now().checked_sub(DEADLINE).unwrap();
        let (mut queue, _reader) = full(began);
        queue.check(began + DEADLINE).unwrap();
        for _ in 0..257 {
            send(&mut queue, 10, began).unwrap();
        }
        queue.check(began + DEADLINE).unwrap();
    }

    #[test]
    fn what_can_be_written_when_the_time_is_over_was_read_in_time() {
        let (reader, writer) = pipe().unwrap();
        let began = soon();
        let mut queue = WriteQueue::new(Input::new(writer).unwrap(), DEADLINE, began);
        while queue.blocked().is_none() {
            send(&mut queue, 100, began).unwrap();
        }
        let over = queue.check(began + DEADLINE).unwrap_err();
        assert!(matches!(over, WriteError::Stalled { .. }), "{over:?}");
        assert!((&reader).read(&mut vec![0; 65536]).unwrap() > 0);
        queue.check(began + DEADLINE).unwrap();
        assert!(queue.blocked().is_none());
    }

    #[test]
    fn so_many_bytes_may_wait_and_one_more_for_a_second_in_which_nothing_is_read() {
        let began = soon();
        let (mut queue, _reader) = full(began);
        send(&mut queue, 16 * MIB, began).unwrap();
        assert_eq!(queue.deadline(), Some(began + DEADLINE));
        send(&mut queue, 1, began).unwrap();
        assert!(is_full(&queue.check(began + Duration::from_secs(1))));
    }

    #[tokio::test]
    async fn a_burst_may_wait_longer_while_anything_of_it_is_read() {
        let began = soon();
        let (mut queue, reader) = full(began);
        for _ in 0..1000 {
            send(&mut queue, 10, began).unwrap();
        }
        let later = began + Duration::from_millis(900);
        // Not even one whole frame.
        read_some(&mut queue, &reader, later).await;
        queue.check(later + Duration::from_millis(999)).unwrap();
        assert!(is_full(&queue.check(later + Duration::from_secs(1))));
    }

    #[tokio::test]
    async fn more_than_the_bytes_of_a_burst_never_wait() {
        let began = soon();
        let (mut queue, reader) = full(began);
        for _ in 0..4 {
            send(&mut queue, 16 * MIB, began).unwrap();
            read_some(&mut queue, &reader, began).await;
        }
        assert!(is_full(&send(&mut queue, 1, began)));
    }
}
