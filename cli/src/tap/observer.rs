//! What the tap makes of the lines that pass: the trace, and what is wrong with them.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::mpsc::RecvTimeoutError;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use extline_conformance::{
    Binds, CaseReport, QueueReceiver, QueueSender, Recorded, Verdict, queue,
};
use extline_host::{Redactor, Trace};
use extline_protocol::trace::{FORMAT, Record, What};

use crate::printer::say_as_extension;

/// How many bytes of records may wait before whoever passes lines on has to, and what a record takes
/// besides its line.
const WAITING: usize = 16 << 20;
const RECORD: usize = 256;
/// What passes is looked at when so long nothing more has, or has for so long.
const PAUSE: Duration = Duration::from_millis(100);
const AT_LEAST_EVERY: Duration = Duration::from_secs(1);
/// The most lines of an extension that are looked at: each look is at all of them.
const MOST_LINES: usize = 5_000;

/// Writes the trace and looks at it, in a thread of its own.
pub(super) struct Observer {
    teller: Teller,
    thread: JoinHandle<()>,
}

/// Tells the observer what passes. A clone tells the same one.
#[derive(Clone)]
pub(super) struct Teller {
    began: Instant,
    records: QueueSender<Record>,
}

impl Teller {
    pub(super) fn tell(&self, what: What) {
        let line = if let What::Line { line, .. } = &what { line.bytes.len() } else { 0 };
        let record = Record { at: self.began.elapsed(), extension: None, what };
        // It is there until the end, unless it panicked, which stands on stderr.
        self.records.send(RECORD + line, record);
    }
}

impl Observer {
    /// `Err` says why there can be none.
    pub(super) fn start(
        trace: Option<&Path>,
        is_redacted: bool,
        binds: Binds,
    ) -> Result<Self, String> {
        let name = trace.map(|file| file.display().to_string());
        let file = trace.map(Trace::create_file).transpose();
        let file = file.map_err(|error| {
            format!("the trace {} cannot be written: {error}", name.clone().unwrap_or_default())
        })?;
        let (records, waiting) = queue(WAITING);
        let mut view = View {
            trace: file.map(BufWriter::new),
            name,
            redactor: is_redacted.then(Redactor::default),
            binds,
            recorded: Recorded::default(),
            told: BTreeSet::new(),
            looked: Instant::now(),
            is_new: false,
        };
        let observe = move || view.observe(&waiting);
        let thread = thread::Builder::new().name("observer".to_owned()).spawn(observe);
        let thread = thread.map_err(|error| format!("no thread can be started: {error}"))?;
        let teller = Teller { began: Instant::now(), records };
        let (host, profile) = (concat!("extline-tap ", env!("CARGO_PKG_VERSION")), String::new());
        teller.tell(What::Begin { format: FORMAT, host: host.to_owned(), profile });
        Ok(Self { teller, thread })
    }

    pub(super) fn teller(&self) -> Teller {
        self.teller.clone()
    }

    /// Says what there is to say of the whole. The record of the end must have been told.
    pub(super) fn end(self) {
        let _ = self.thread.join();
    }
}

struct View {
    trace: Option<BufWriter<File>>,
    name: Option<String>,
    /// Takes secrets out of the trace, where that is wanted.
    redactor: Option<Redactor>,
    binds: Binds,
    recorded: Recorded,
    /// Cases that were told.
    told: BTreeSet<String>,
    looked: Instant,
    is_new: bool,
}

impl View {
    /// Until the extension's end.
    fn observe(&mut self, records: &QueueReceiver<Record>) {
        loop {
            match records.recv_timeout(PAUSE) {
                Ok(record) => {
                    self.take(&record);
                    if matches!(record.what, What::Exit { .. }) {
                        break;
                    }
                    if self.looked.elapsed() >= AT_LEAST_EVERY {
                        self.look();
                    }
                }
                Err(RecvTimeoutError::Timeout) => self.look(),
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        self.flush();
        self.sum_up();
    }

    fn take(&mut self, record: &Record) {
        let mut line = Vec::new();
        match &self.redactor {
            Some(redactor) => {
                let mut redacted = record.clone();
                redactor.record(&mut redacted.what);
                redacted.write_line(&mut line);
            }
            None => record.write_line(&mut line),
        }
        self.write(&line);
        if self.has_room() {
            self.recorded.add(record);
            self.is_new = true;
        }
    }

    fn has_room(&self) -> bool {
        self.recorded.lines() < MOST_LINES && self.recorded.has_room()
    }

    fn write(&mut self, bytes: &[u8]) {
        let failed = self.trace.as_mut().and_then(|trace| trace.write_all(bytes).err());
        self.give_up(failed);
    }

    fn flush(&mut self) {
        let failed = self.trace.as_mut().and_then(|trace| trace.flush().err());
        self.give_up(failed);
    }

    fn give_up(&mut self, failed: Option<io::Error>) {
        if let Some(error) = failed {
            self.trace = None;
            let name = self.name.as_deref().unwrap_or_default();
            say(&format!("the trace {name} ends here: {error}"));
        }
    }

    /// Tells what is broken and was not told.
    fn look(&mut self) {
        self.flush();
        if std::mem::take(&mut self.is_new) {
            for case in self.recorded.broken_by_now(self.binds) {
                self.tell(&case);
            }
        }
        self.looked = Instant::now();
    }

    fn tell(&mut self, case: &CaseReport) {
        if !self.told.insert(case.id.clone()) {
            return;
        }
        let clause = case.clauses.first().map(String::as_str).unwrap_or_default();
        let (word, level) = (case.verdict.word(), case.level.word());
        say(&format!("{word} {}  {}  [{level} {clause}]", case.id, case.title));
        if let Some(failure) = &case.failure {
            say(&format!("     got    {}", failure.got));
        }
        if let Some(cause) = &case.cause {
            say(&format!("     cause  {}", cause.told()));
        }
    }

    fn sum_up(&mut self) {
        let lines = self.recorded.lines();
        let is_whole = self.has_room();
        let broken = if is_whole {
            self.recorded.broken(self.binds)
        } else {
            self.recorded.broken_by_now(self.binds)
        };
        for case in &broken {
            self.tell(case);
        }
        let more = if is_whole { "" } else { " (the first ones, later ones not)" };
        let count = |verdict| broken.iter().filter(|case| case.verdict == verdict).count();
        let (failed, warned) = (count(Verdict::Fail), count(Verdict::Warn));
        let trace = self.name.as_ref().filter(|_| self.trace.is_some());
        let trace = trace.map(|name| format!("; the trace is in {name}")).unwrap_or_default();
        say(&format!("{lines} lines looked at{more}: {failed} FAIL, {warned} warn{trace}"));
    }
}

/// A line on stderr, which hosts keep as the extension's.
fn say(text: &str) {
    say_as_extension("tap", text);
}
