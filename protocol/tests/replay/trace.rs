//! A trace as the sessions see it.

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
    /// Reads the text of a trace.
    pub(crate) fn read(name: &str, text: &str) -> Self {
        let records = trace::read(name, text).unwrap_or_else(|error| panic!("{error}"));
        Self { name: name.to_owned(), records: records.into_iter().map(record).collect() }
    }

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
