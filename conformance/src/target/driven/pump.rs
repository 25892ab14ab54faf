//! Moves the bytes of a process under test, both ways.

use std::io::{self, ErrorKind};
use std::time::{Duration, Instant};

use memchr::memchr;

use super::Target;
use crate::target::outgoing::Outgoing;
use crate::target::system::{ToStdin, wait};
use crate::target::timeline::What;
use crate::target::weight;

/// The end of a process has no descriptor to wait for, so it is asked for this often.
const EXIT_TICK: Duration = Duration::from_millis(5);
const READ_BYTES: usize = 64 * 1024;
/// How much a slow reader reads at once, and how long it rests then: 2 MB a second.
const SLOW_BYTES: usize = 4096;
const SLOW_PAUSE: Duration = Duration::from_millis(2);
/// How much is kept of what one process writes to stdout, in bytes of memory: one that writes more is
/// ended (`io.flood`). Several live at a time, and the checks need as much again.
const KEPT: usize = 64 << 20;
/// The longest line that is waited for; hosts take a quarter of that.
const LONGEST_LINE: usize = 16 << 20;

impl Target {
    /// Waits until something happened or the time is over; `false` when the time is over.
    pub(crate) fn pump(&mut self, until: Instant) -> bool {
        self.release();
        let before = self.timeline.mark();
        loop {
            self.look_for_exit();
            if self.timeline.mark() > before {
                return true;
            }
            let now = Instant::now();
            if now >= until {
                return false;
            }
            let longest = until.saturating_duration_since(now).min(self.tick());
            self.wait_once(longest);
            self.stalls.looked(longest);
        }
    }

    fn tick(&self) -> Duration {
        if self.conditions.slow_reader && self.reading {
            return SLOW_PAUSE;
        }
        match self.outgoing.front() {
            Some(outgoing) if !outgoing.pause.is_zero() => outgoing.pause.min(EXIT_TICK),
            _ => EXIT_TICK,
        }
    }

    fn wait_once(&mut self, longest: Duration) {
        let wants_write =
            self.outgoing.front().is_some_and(|outgoing| outgoing.not_before <= Instant::now());
        let reads = self.reading && self.next_read <= Instant::now();
        let [errors, output, input] = wait(
            (self.stderr.as_ref(), self.stdout.as_ref().filter(|_| reads)),
            self.stdin.as_ref().filter(|_| wants_write),
            longest,
        );
        if errors {
            self.read_stderr();
        }
        if output {
            self.note_written();
            self.read_stdout();
        } else if reads && self.stdout.is_some() {
            self.timeline.heard_nothing();
        }
        if input || self.outgoing.front().is_some_and(|one| !one.pause.is_zero()) {
            self.write_some();
        }
    }

    pub(super) fn write_some(&mut self) {
        while self.write_once() {}
    }

    /// Notes what the system has written by itself meanwhile. An answer to it is noted after that.
    pub(super) fn note_written(&mut self) {
        if self.stdin.as_ref().is_some_and(ToStdin::has_written) {
            self.write_once();
        }
    }

    /// Whether something was written, and more may be.
    fn write_once(&mut self) -> bool {
        let (Some(stdin), Some(outgoing)) = (&self.stdin, self.outgoing.front_mut()) else {
            return false;
        };
        if outgoing.not_before > Instant::now() {
            return false;
        }
        if outgoing.waits_for_reader(stdin) {
            outgoing.not_before = Instant::now() + outgoing.pause;
            return false;
        }
        let next = outgoing.cutting.next(&outgoing.bytes, outgoing.written);
        let rest = &outgoing.bytes[outgoing.written..];
        match stdin.write(&rest[..next.min(outgoing.chunk)]) {
            Ok(count) => {
                outgoing.written += count;
                outgoing.last_write = Instant::now();
                outgoing.writes.push(count);
                outgoing.not_before = Instant::now() + outgoing.pause;
            }
            Err(error) if is_for_later(&error) => return false,
            Err(error) => {
                self.forget_unwritten();
                self.stdin = None;
                self.timeline.add(What::Action(format!("stdin cannot be written: {error}")));
                return false;
            }
        }
        if outgoing.written == outgoing.bytes.len() {
            self.note_sent();
        }
        true
    }

    /// Forgets what waits to be written. The part of it that was written is noted: it may be answered.
    pub(super) fn forget_unwritten(&mut self) {
        if self.outgoing.front().is_some_and(|outgoing| outgoing.written > 0) {
            self.note_sent();
        }
        self.outgoing.clear();
    }

    /// Notes what was written of the first that waits.
    fn note_sent(&mut self) {
        let Some(outgoing) = self.outgoing.pop_front() else { return };
        let Outgoing { mut bytes, written, writes, last_write, .. } = outgoing;
        bytes.truncate(written);
        self.sent += written;
        self.timeline.add_at(last_write, What::Sent { bytes, writes });
    }

    /// Reads once, and says how many bytes came.
    pub(super) fn read_stdout(&mut self) -> usize {
        let Some(stdout) = &self.stdout else { return 0 };
        let slow = self.conditions.slow_reader && self.exit.is_none();
        self.next_read = Instant::now() + if slow { SLOW_PAUSE } else { Duration::ZERO };
        let mut space = vec![0; if slow { SLOW_BYTES } else { READ_BYTES }];
        match stdout.read(&mut space) {
            Ok(0) => self.end_stdout(),
            Ok(count) => {
                self.take_output(&space[..count]);
                return count;
            }
            Err(error) if is_for_later(&error) => {}
            Err(_) => self.end_stdout(),
        }
        0
    }

    fn take_output(&mut self, mut bytes: &[u8]) {
        let now = Instant::now();
        self.partial.1 += 1;
        while let Some(end) = memchr(b'\n', bytes) {
            self.partial.0.extend_from_slice(&bytes[..end]);
            bytes = &bytes[end + 1..];
            let (line, reads) = std::mem::replace(&mut self.partial, (Vec::new(), 1));
            self.kept += weight(&line);
            if self.kept > KEPT {
                return self.end_flood("so much", &line);
            }
            self.lines += 1;
            self.timeline.add_at(now, What::Line { bytes: line, reads, terminated: true });
        }
        self.partial.0.extend_from_slice(bytes);
        if self.partial.0.len() > LONGEST_LINE {
            let line = std::mem::take(&mut self.partial.0);
            return self.end_flood("a line of that length", &line);
        }
        if self.partial.0.is_empty() {
            self.partial.1 = 0;
        }
    }

    /// Ends one that wrote more than is kept: `line` is what it wrote last.
    fn end_flood(&mut self, what: &str, line: &[u8]) {
        let lines = self.lines;
        let time = self.timeline.lasted().as_secs_f64();
        let text = String::from_utf8_lossy(&line[..line.len().min(80)]).into_owned();
        let told = format!(
            "it floods its stdout: {lines} lines in {time:.1} s, and then {what} that the tester \
             ended it; the last one begins with {text:?}"
        );
        self.partial = (Vec::new(), 0);
        self.stdout = None;
        self.group.supervised.kill();
        self.timeline.add(What::Action(format!("SIGKILL: {told}")));
        self.flood = Some(told);
    }

    fn end_stdout(&mut self) {
        self.stdout = None;
        let (bytes, reads) = std::mem::take(&mut self.partial);
        if !bytes.is_empty() {
            self.timeline.add(What::Line { bytes, reads, terminated: false });
        }
        self.timeline.add(What::StdoutEnded);
    }

    /// Reads once, and says how many bytes came.
    pub(super) fn read_stderr(&mut self) -> usize {
        let Some(stderr) = &self.stderr else { return 0 };
        let mut space = vec![0; READ_BYTES];
        match stderr.read(&mut space) {
            Ok(count) if count > 0 => {
                self.timeline.heard_on_stderr(&space[..count]);
                return count;
            }
            Err(error) if is_for_later(&error) => {}
            Ok(_) | Err(_) => self.stderr = None,
        }
        0
    }
}

/// Whether the same may work a little later.
fn is_for_later(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted)
}
