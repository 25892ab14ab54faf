//! What happened on the pipes of one process, with its times and write boundaries.

use std::time::{Duration, Instant};

use extline_host::Exit;

use super::ends::Ends;

/// What happened, in the order in which the tester saw it.
#[derive(Debug)]
pub(crate) struct Timeline {
    started: Instant,
    records: Vec<Record>,
    /// When the tester last looked and nothing more had come, since the start.
    silent: Duration,
    stderr: Ends,
}

/// One thing that happened.
#[derive(Debug)]
pub(crate) struct Record {
    /// Since the process was started.
    pub(crate) at: Duration,
    /// Until when it is known that nothing more had come from stdout, since the start: the tester
    /// may not have looked for a while.
    pub(crate) silent: Duration,
    /// What it was.
    pub(crate) what: What,
}

/// What can happen.
#[derive(Debug)]
#[non_exhaustive]
pub(crate) enum What {
    /// The tester wrote these bytes to stdin; `writes` says how many went out at a time.
    Sent {
        /// All bytes, the LF included where there was one.
        bytes: Vec<u8>,
        /// The size of each write.
        writes: Vec<usize>,
    },
    /// A line came from stdout.
    Line {
        /// The line without its LF.
        bytes: Vec<u8>,
        /// In how many reads it came.
        reads: usize,
        /// It ended in an LF, not in the end of file.
        terminated: bool,
    },
    /// The tester did something to the process that is no frame: `stdin closed`, `SIGTERM`.
    Action(String),
    /// Its stdout ended.
    StdoutEnded,
    /// It ended.
    Exited(Exit),
}

impl Timeline {
    pub(super) fn new(started: Instant) -> Self {
        Self { started, records: Vec::new(), silent: Duration::ZERO, stderr: Ends::default() }
    }

    /// One that somebody else recorded, record by record.
    pub(crate) fn recorded() -> Self {
        Self::new(Instant::now())
    }

    /// What came next in a recorded one.
    pub(crate) fn push(&mut self, record: Record) {
        self.records.push(record);
    }

    /// All records so far.
    pub(crate) fn records(&self) -> &[Record] {
        &self.records
    }

    /// A place in the timeline: what comes from now on stands behind it.
    pub(crate) fn mark(&self) -> usize {
        self.records.len()
    }

    /// The line that came there, without its LF.
    pub(crate) fn line(&self, record: usize) -> Option<&[u8]> {
        match &self.records.get(record)?.what {
            What::Line { bytes, .. } => Some(bytes),
            _ => None,
        }
    }

    /// What came from stderr, decoded as well as can be; where it is long, its first and its last
    /// part.
    pub(crate) fn stderr(&self) -> String {
        self.stderr.text()
    }

    /// Something came from stderr.
    pub(super) fn heard_on_stderr(&mut self, bytes: &[u8]) {
        self.stderr.push(bytes);
    }

    /// How long ago it began.
    pub(super) fn lasted(&self) -> Duration {
        self.started.elapsed()
    }

    /// The tester has just looked, and nothing more had come from stdout.
    pub(super) fn heard_nothing(&mut self) {
        self.silent = self.started.elapsed();
    }

    pub(super) fn add(&mut self, what: What) {
        self.add_at(Instant::now(), what);
    }

    pub(super) fn add_at(&mut self, when: Instant, what: What) {
        let at = when.saturating_duration_since(self.started);
        self.records.push(Record { at, silent: self.silent, what });
    }
}
