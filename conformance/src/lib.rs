//! The conformance tester: checks any extension that speaks the protocol, and explains what it
//! finds.
//!
//! [`run`] plays cases against a program. A [`Case`] is data: what is sent, what must come of it,
//! and which clauses of docs/protocol/specification.md say so. [`Report`] tells what came of each, with the
//! frames as they went, the likely cause and its cure.
//!
//! Everything here is synchronous: one thread drives one process at a time, so that what is seen
//! is seen in order.

mod arrived;
mod baseline;
mod case;
mod cause;
mod check;
mod clause;
mod conversation;
mod deep;
mod evidence;
mod failure;
mod fuzz;
mod harness;
mod host;
mod language;
mod matrix;
mod mock;
mod numbers;
mod patience;
mod queue;
mod recorded;
mod replay;
mod report;
mod run;
mod seed;
mod selftest;
mod surface;
mod survey;
mod target;

pub use baseline::{Baseline, BaselineError, Expectation, Kind, Stale};
pub use case::{
    Amount, Case, CaseError, Cases, Cited, Close, Exits, Handshake, Need, Process, Step, Text,
    Verb, builtin, copied_id, copy_of, parse, parse_own,
};
pub use cause::Cause;
pub use clause::{Binds, Clause, Level};
pub use deep::{POINTS, Point, deepened};
pub use evidence::{Entry, Evidence, Lane};
pub use failure::{Failure, Outcome};
pub use fuzz::{Finding, Fuzz, FuzzProgress, Fuzzed, fuzz};
pub use host::{HostOptions, host_cases, host_selftest, parse_host, run_host};
pub use matrix::{Cell, MatrixColumn, MatrixPair, MatrixProgress, matrix};
pub use mock::{Ended, Mock};
pub use queue::{QueueReceiver, QueueSender, queue};
pub use recorded::{Recorded, trace_cases};
pub use replay::{Ignored, replay};
pub use report::{
    Boundary, CaseReport, Grade, Head, REPORT_VERSION, Report, Style, Verdict, badge_json,
    badge_svg, case_line, case_text, case_text_as, head_line, head_text, html, junit, markdown,
    matrix_html, matrix_markdown, ndjson, summary_line, summary_text, tap,
};
pub use run::{Options, Progress, run};
pub use seed::draw_seed;
pub use selftest::{Kill, Selftest, SelftestError, selftest};
pub use survey::{Canary, Survey};
pub use target::{Signal, stop_all, weight};
