//! What happened in one case, for the evidence.

use std::time::Instant;

use crate::report::{Entry, Evidence, Lane};

/// How many entries are kept.
const MOST: usize = 4096;

/// What happened in one case, in the order in which the tester saw it.
#[derive(Debug)]
pub(super) struct Log {
    began: Instant,
    entries: Vec<Entry>,
    left_out: usize,
    /// Whether lines say whose they are.
    named: bool,
}

impl Log {
    pub(super) fn new(named: bool) -> Self {
        Self { began: Instant::now(), entries: Vec::new(), left_out: 0, named }
    }

    /// Something that is no frame.
    pub(super) fn say(&mut self, text: impl Into<String>) {
        let at = self.began.elapsed();
        self.push(Entry::system(at, text.into()));
    }

    /// Bytes between the host and an extension.
    pub(super) fn bytes(&mut self, lane: Lane, who: &str, bytes: &[u8], pieces: Vec<usize>) {
        let at = self.began.elapsed();
        let who = if self.named { who } else { "" };
        self.push(Entry::of_bytes(at, lane, who, bytes, pieces));
    }

    /// The first ones and the last ones are shown: what lies between need not be kept.
    fn push(&mut self, entry: Entry) {
        if self.entries.len() >= MOST {
            self.entries.drain(MOST / 4..MOST / 2);
            self.left_out += MOST / 4;
        }
        self.entries.push(entry);
    }

    /// What shows how a case went; `stderr` is the driver's.
    pub(super) fn evidence(&self, stderr: &str) -> Evidence {
        let mut evidence = Evidence::of_entries(self.entries.clone(), stderr);
        evidence.left_out += self.left_out;
        evidence
    }
}
