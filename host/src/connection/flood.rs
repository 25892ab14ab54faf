//! How much an extension may say that nobody asked for.

use std::time::Instant;

use crate::bucket::Bucket;

/// Lines that nobody asked for: notes, log lines, registrations, lines that are no frames. That
/// many at once, and that many in each second (`host.flood`).
const LINES: f64 = 10_000.0;
const LINES_A_SECOND: f64 = 1_000.0;

/// Updates of calls that run weigh as little as a thousand calls may send 20 a second each
/// (`update.rate`).
const UPDATE: f64 = 0.05;

/// Bytes on stdout without any answer among them.
const BYTES: f64 = 64.0 * 1024.0 * 1024.0;
const BYTES_A_SECOND: f64 = 4.0 * 1024.0 * 1024.0;

/// Keeps account of one extension's stdout.
#[derive(Debug)]
pub(super) struct Flood {
    lines: Bucket,
    bytes: Bucket,
    /// The newest line that nobody asked for, in words.
    newest: Option<String>,
}

impl Flood {
    pub(super) fn new(now: Instant) -> Self {
        let lines = Bucket::new(LINES, LINES_A_SECOND, now);
        let bytes = Bucket::new(BYTES, BYTES_A_SECOND, now);
        Self { lines, bytes, newest: None }
    }

    /// A line came that nobody asked for.
    pub(super) fn note_line(&mut self, line: String, now: Instant) {
        self.lines.take(1.0, now);
        self.newest = Some(line);
    }

    /// An update of a call that runs.
    pub(super) fn note_update(&mut self, now: Instant) {
        self.lines.take(UPDATE, now);
    }

    /// Bytes came; whoever answers may be long about it.
    pub(super) fn note_bytes(&mut self, count: usize, now: Instant) {
        #[expect(clippy::cast_precision_loss, reason = "a read brings far less than 2^52 bytes")]
        self.bytes.take(count as f64, now);
    }

    /// Somebody waited for what came.
    pub(super) fn note_answer(&mut self) {
        self.bytes.fill();
    }

    /// Whether it is too much by now.
    pub(super) fn is_too_much(&self) -> bool {
        self.lines.is_overdrawn() || self.bytes.is_overdrawn()
    }

    /// The newest line that nobody asked for.
    pub(super) fn newest(&self) -> Option<String> {
        self.newest.clone()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_thousand_lines_a_second_go_on_for_ever_and_ten_times_as_many_for_a_second() {
        let mut now = Instant::now();
        let mut flood = Flood::new(now);
        for _ in 0..100_000 {
            now += Duration::from_millis(1);
            flood.note_line(String::new(), now);
        }
        assert!(!flood.is_too_much());
        for _ in 0..9_990 {
            flood.note_line(String::new(), now);
        }
        assert!(!flood.is_too_much());
        for _ in 0..20 {
            flood.note_line("the last".to_owned(), now);
        }
        assert!(flood.is_too_much());
        assert_eq!(flood.newest().as_deref(), Some("the last"));
    }

    #[test]
    fn a_thousand_calls_may_send_all_their_updates() {
        let mut now = Instant::now();
        let mut flood = Flood::new(now);
        for _ in 0..20 * 60 {
            now += Duration::from_millis(50);
            (0..1000).for_each(|_| flood.note_update(now));
        }
        assert!(!flood.is_too_much());
    }

    #[test]
    fn long_answers_are_no_flood_and_long_lines_for_nobody_are() {
        let now = Instant::now();
        let mut flood = Flood::new(now);
        for _ in 0..1000 {
            flood.note_bytes(4 << 20, now);
            flood.note_answer();
        }
        assert!(!flood.is_too_much());
        for _ in 0..17 {
            flood.note_bytes(4 << 20, now);
        }
        assert!(flood.is_too_much());
    }
}
