//! Reads the transcripts.

use std::path::Path;
use std::time::Duration;

use extline_protocol::frame::AnyFrame;
pub(crate) use extline_protocol::trace::Side;
use extline_protocol::trace::{self, Stream};
use extline_protocol::{Incoming, decode_text};

use super::Counts;

pub(crate) struct Trace {
    pub(crate) name: String,
    pub(crate) records: Vec<Record>,
}

pub(crate) struct Record {
    /// Since the recorder started.
    pub(crate) at: Duration,
    pub(crate) what: What,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum What {
    Line(Side, String),
    /// The extension's stdin was closed.
    InputEnded,
    /// The extension's stdout was closed.
    OutputEnded,
    Sigterm,
    Exit,
    /// Start and SIGKILL, which no session sees.
    Other,
}

/// Every transcript of the folder, but for the `.rpc` ones: those are between zot and its user.
pub(crate) fn all() -> Vec<Trace> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/traces");
    let mut paths: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let traces: Vec<_> = paths.iter().filter_map(|path| read(path)).collect();
    assert!(traces.len() >= 18, "only {} traces are there", traces.len());
    traces
}

fn read(path: &Path) -> Option<Trace> {
    let name = path.file_name()?.to_str()?.strip_suffix(".ndjson")?;
    if name.contains(".rpc") {
        return None;
    }
    let text = std::fs::read_to_string(path).unwrap();
    let records = trace::read(name, &text).unwrap_or_else(|error| panic!("{error}"));
    Some(Trace { name: name.to_owned(), records: records.into_iter().map(record).collect() })
}

fn record(record: trace::Record) -> Record {
    let what = match record.what {
        trace::What::Line { from, line } => What::Line(from, line.text().into_owned()),
        trace::What::Eof(Stream::Stdin) => What::InputEnded,
        trace::What::Eof(Stream::Stdout) => What::OutputEnded,
        trace::What::Signal(name) if name == "SIGTERM" => What::Sigterm,
        trace::What::Exit { .. } => What::Exit,
        _ => What::Other,
    };
    Record { at: record.at, what }
}

impl Trace {
    pub(crate) fn lines(&self, side: Side) -> impl Iterator<Item = &str> {
        self.records.iter().filter_map(move |record| match &record.what {
            What::Line(from, line) if *from == side => Some(line.as_str()),
            _ => None,
        })
    }

    pub(crate) fn frames<F: AnyFrame>(&self, side: Side) -> impl Iterator<Item = F> {
        self.lines(side).filter_map(|line| match decode_text(line) {
            Incoming::Frame(frame) => Some(frame),
            Incoming::Unusable(_) => None,
        })
    }

    /// The frames of known types that one side wrote.
    pub(crate) fn counts<F: AnyFrame>(&self, side: Side) -> Counts {
        let mut counts = Counts::new();
        for frame in self.frames::<F>(side) {
            if F::TYPES.contains(&frame.frame_type()) {
                *counts.entry(frame.frame_type().to_owned()).or_default() += 1;
            }
        }
        counts
    }
}
