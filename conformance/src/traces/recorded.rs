//! Conversations that somebody else had: the checks look at a trace as they look at the processes
//! of a run.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use extline_host::Exit;
use extline_protocol::trace::{self, Side, Stream};

use super::spoken::eras_of;
use crate::case::{Binds, Case, Cited, Need, builtin, era_of, is_played_once, mcp_cases};
use crate::check::Observed;
use crate::conversation::{Arrived, Era, Protocol, Survey};
use crate::report::{CaseReport, Head, Report, Verdict, cause_of};
use crate::run::Watch;
use crate::target::{Record, Timeline, What, weight};

/// Checks that can say something only of a conversation that is over.
const OF_WHOLE: [&str; 7] = [
    "ready-once",
    "held-back",
    "stays",
    "silent-at-last",
    "ack-last",
    "broken-off",
    "mcp-tells-changes",
];

/// How much is kept of what was recorded, in bytes of memory.
const KEPT: usize = 64 << 20;

/// What was recorded of one extension: a process, or one after the other.
#[derive(Debug, Default)]
pub struct Recorded {
    processes: Vec<RecordedProcess>,
    kept: usize,
    /// The eras of MCP that were spoken, where it was that.
    eras: BTreeSet<Era>,
}

/// What was recorded of one process.
#[derive(Debug)]
struct RecordedProcess {
    protocol: Protocol,
    argv: Vec<String>,
    /// When it was started, on the clock of the trace.
    started: Duration,
    timeline: Timeline,
    frames: Vec<Arrived>,
    acknowledged: Option<Duration>,
    exit: Option<Exit>,
    killed: bool,
}

impl Recorded {
    /// What a trace says of each extension, by its name; `""` where the trace names none.
    pub fn of(trace: &[trace::Record]) -> BTreeMap<String, Self> {
        let mut extensions: BTreeMap<String, Self> = BTreeMap::new();
        for record in trace {
            if !matches!(record.what, trace::What::Begin { .. } | trace::What::Other(_)) {
                let name = record.extension.clone().unwrap_or_default();
                extensions.entry(name).or_default().add(record);
            }
        }
        extensions
    }

    /// Whether one that is not over may still be added to: more than so much is not looked at.
    pub fn has_room(&self) -> bool {
        self.kept < KEPT
    }

    /// The cases that say what must hold in every conversation, whatever a host or a client does: those that
    /// it can be held to. What was spoken is seen from what was asked.
    pub fn cases(&self, binds: Binds) -> Vec<&'static Case> {
        if self.eras.is_empty() {
            let in_every = |case: &&Case| {
                let for_kits = case.needs.contains(&Need::Kit);
                case.check.is_some() && !for_kits && case.binds() <= binds
            };
            return builtin().values().filter(in_every).collect();
        }
        let in_every = |case: &&Case| {
            let era = era_of(case);
            let again = is_played_once(case) && Some(&era) != self.eras.first();
            case.check.is_some() && self.eras.contains(&era) && !again
        };
        mcp_cases().values().filter(in_every).collect()
    }

    /// Takes the next record of this extension.
    pub fn add(&mut self, record: &trace::Record) {
        let eras = eras_of(record);
        if !eras.is_empty() && self.eras.is_empty() {
            // What it wrote before it was asked anything is of that protocol too.
            self.processes.iter_mut().for_each(RecordedProcess::read_as_mcp);
        }
        self.eras.extend(eras);
        if let trace::What::Line { line, .. } = &record.what {
            self.kept += weight(&line.bytes);
        }
        let begins = matches!(record.what, trace::What::Spawn { .. });
        if begins || self.processes.is_empty() {
            let protocol = self.eras.first().map_or(Protocol::Extension, |era| Protocol::Mcp(*era));
            self.processes.push(RecordedProcess::started(record, protocol));
        }
        if let Some(process) = self.processes.last_mut() {
            process.add(record);
        }
    }

    /// How many lines the extension wrote.
    pub fn lines(&self) -> usize {
        self.processes.iter().map(|process| process.frames.len()).sum()
    }

    /// What the checks of those cases say. `trace` is what the trace is called.
    pub fn report(&self, trace: &str, binds: Binds, cases: &[&Case]) -> Report {
        let mut watch = Watch::of(cases);
        self.processes.iter().for_each(|process| watch.look(&process.observed()));
        let verdict = |case: &&Case| {
            let check = case.check.as_deref().unwrap_or_default();
            let mut report = watch.verdict(case, check);
            report.cause = cause_of(&report, None, watch.torn());
            report
        };
        let frames = self.processes.first().map(|process| process.frames.as_slice());
        let argv = self.processes.iter().map(|process| process.argv.join(" "));
        let argv = argv.collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>().join(", ");
        let program = if argv.is_empty() { trace.to_owned() } else { format!("{trace}: {argv}") };
        let is_mcp = !self.eras.is_empty();
        let survey = match self.eras.first() {
            None => Survey::of(frames.unwrap_or_default()),
            Some(era) => Survey { protocol: Protocol::Mcp(*era), ..Survey::default() },
        };
        Report {
            head: Head {
                tester: env!("CARGO_PKG_VERSION"),
                seed: 0,
                program,
                binds: if is_mcp { Binds::Server } else { binds },
                calls: false,
                cases: cases.len(),
            },
            cases: cases.iter().map(verdict).collect(),
            survey,
            stale: Vec::new(),
            took: self.processes.iter().map(RecordedProcess::lasted).sum(),
        }
    }

    /// What is broken in a conversation that is over.
    pub fn broken(&self, binds: Binds) -> Vec<CaseReport> {
        self.broken_of(binds, &self.cases(binds))
    }

    /// What is broken by now, while the conversation goes on: what only a whole one can tell is not
    /// asked.
    pub fn broken_by_now(&self, binds: Binds) -> Vec<CaseReport> {
        let mut cases = self.cases(binds);
        let of_whole = |check: &str| OF_WHOLE.contains(&check);
        cases.retain(|case| !case.check.as_deref().is_some_and(of_whole));
        self.broken_of(binds, &cases)
    }

    fn broken_of(&self, binds: Binds, cases: &[&Case]) -> Vec<CaseReport> {
        let broken = |case: &CaseReport| matches!(case.verdict, Verdict::Fail | Verdict::Warn);
        self.report("", binds, cases).cases.into_iter().filter(broken).collect()
    }
}

impl RecordedProcess {
    fn started(record: &trace::Record, protocol: Protocol) -> Self {
        Self {
            protocol,
            argv: Vec::new(),
            started: record.at,
            timeline: Timeline::recorded(),
            frames: Vec::new(),
            acknowledged: None,
            exit: None,
            killed: false,
        }
    }

    fn read_as_mcp(&mut self) {
        self.protocol = Protocol::Mcp(Era::Initialize);
        let records = self.timeline.records().iter().enumerate();
        let read = |(number, record)| Arrived::spoken(self.protocol, number, record);
        self.frames = records.filter_map(read).collect();
    }

    fn add(&mut self, record: &trace::Record) {
        let at = record.at.saturating_sub(self.started);
        let what = match &record.what {
            trace::What::Line { from: Side::Host, line } => {
                if self.acknowledged.is_none() && line.text().contains("\"hello_ack\"") {
                    self.acknowledged = Some(at);
                }
                let mut bytes = line.bytes.clone();
                bytes.push(b'\n');
                What::Sent { writes: vec![bytes.len()], bytes }
            }
            trace::What::Line { from: Side::Extension, line } => {
                // Of a line that was too long to record it is not known what it was.
                if line.more_bytes > 0 {
                    return;
                }
                What::Line { bytes: line.bytes.clone(), reads: 1, terminated: !line.no_lf }
            }
            trace::What::Spawn { argv, .. } => {
                self.argv.clone_from(argv);
                What::Action(format!("started: {}", argv.join(" ")))
            }
            trace::What::Eof(Stream::Stdin) => What::Action("stdin closed".to_owned()),
            trace::What::Eof(Stream::Stdout) => What::StdoutEnded,
            trace::What::Signal(name) => {
                self.killed |= name == "SIGKILL";
                What::Action(name.clone())
            }
            trace::What::Exit { code, signal } => {
                let exit = exit(*code, signal.as_deref());
                self.exit = Some(exit.clone());
                What::Exited(exit)
            }
            _ => return,
        };
        // Nobody knows when they looked who recorded it.
        let record = Record { at, silent: at, what };
        let number = self.timeline.mark();
        self.frames.extend(Arrived::spoken(self.protocol, number, &record));
        self.timeline.push(record);
    }

    /// One that was not seen to end was cut off: the end of its last line may be missing.
    fn observed(&self) -> Observed<'_> {
        Observed {
            timeline: &self.timeline,
            frames: &self.frames,
            manifest: None,
            first: None,
            acknowledging: None,
            acknowledged: self.acknowledged,
            delayed: Duration::ZERO,
            exit: self.exit.as_ref(),
            flood: None,
            rest: None,
            growth: None,
            left_behind: None,
            killed: self.killed || self.exit.is_none(),
            blamed: false,
            sent: OnceCell::new(),
        }
    }

    fn lasted(&self) -> Duration {
        self.timeline.records().last().map(|record| record.at).unwrap_or_default()
    }
}

fn exit(code: Option<i32>, signal: Option<&str>) -> Exit {
    match (code, signal) {
        (Some(code), _) => Exit::Code { code },
        (None, Some(signal)) => Exit::Unknown { reason: format!("killed by {signal}") },
        (None, None) => Exit::Unknown { reason: "the trace does not say how".to_owned() },
    }
}
