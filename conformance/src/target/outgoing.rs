//! Bytes on their way to an extension, and when the next of them go out.

use std::time::{Duration, Instant};

use super::Cutting;
use super::system::ToStdin;

/// How often a write that is cut looks whether what came before it was read, and how long it waits
/// for that at most.
pub(super) const GLANCE: Duration = Duration::from_micros(50);
const UNREAD: Duration = Duration::from_millis(5);
/// The same where the case itself says where it is cut.
const UNREAD_CUT: Duration = Duration::from_millis(500);

/// Bytes on their way to stdin.
#[derive(Debug)]
pub(super) struct Outgoing {
    pub(super) bytes: Vec<u8>,
    pub(super) chunk: usize,
    pub(super) cutting: Cutting,
    pub(super) pause: Duration,
    pub(super) written: usize,
    pub(super) writes: Vec<usize>,
    pub(super) not_before: Instant,
    pub(super) last_write: Instant,
}

impl Outgoing {
    /// Whether a cut has to wait: what was written before it is not read yet.
    pub(super) fn waits_for_reader(&self, stdin: &ToStdin) -> bool {
        let longest = if self.cutting.is_cut() { UNREAD } else { UNREAD_CUT };
        (self.cutting.is_cut() || !self.pause.is_zero())
            && self.written > 0
            && self.last_write.elapsed() < longest
            && stdin.unread().is_some_and(|unread| unread > 0)
    }
}
