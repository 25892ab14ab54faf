//! What happened in one case, for the evidence.

use std::time::Instant;

use crate::evidence::{Entry, Evidence, Lane};

/// What happened in one case, in the order in which the tester saw it.
#[derive(Debug)]
pub(super) struct Log {
    began: Instant,
    entries: Vec<Entry>,
    /// Whether lines say whose they are.
    named: bool,
}

impl Log {
    pub(super) fn new(named: bool) -> Self {
        Self { began: Instant::now(), entries: Vec::new(), named }
    }

    /// Something that is no frame.
    pub(super) fn say(&mut self, text: impl Into<String>) {
        let at = self.began.elapsed();
        self.entries.push(Entry::system(at, text.into()));
    }

    /// Bytes between the host and an extension.
    pub(super) fn bytes(&mut self, lane: Lane, who: &str, bytes: &[u8], pieces: Vec<usize>) {
        let at = self.began.elapsed();
        let who = if self.named { who } else { "" };
        self.entries.push(Entry::of_bytes(at, lane, who, bytes, pieces));
    }

    /// What shows how a case went; `stderr` is the driver's.
    pub(super) fn evidence(&self, stderr: &str) -> Evidence {
        Evidence::of_entries(self.entries.clone(), stderr)
    }
}
