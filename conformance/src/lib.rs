//! The conformance tester: checks any extension that speaks the protocol, and explains what it
//! finds.
//!
//! [`run`] plays cases against a program. A [`Case`] is data: what is sent, what must come of it,
//! and which clauses of docs/protocol/specification.md say so. [`Report`] tells what came of each, with the
//! frames as they went, the likely cause and its cure.
//!
//! Each folder uses only those before it: `target` and `conversation` (the process under test and
//! what is said), `check` and `case` (what must hold), `report`, `run`, then what is made of these:
//! `hosts`, `fuzz`, `traces`, `kits`, `mock`, and `mutants`, which test the tester.
//!
//! Everything here is synchronous: one thread drives one process at a time, so that what is seen
//! is seen in order.

mod case;
mod check;
mod conversation;
mod fuzz;
mod hosts;
mod kits;
mod mock;
mod mutants;
mod report;
mod run;
mod target;
mod texts;
mod traces;

pub use extline_scenario::{Failure, Outcome};

pub use case::{
    Amount, Binds, Case, CaseError, Cases, Cited, Clause, Exits, Handshake, Level, Need, POINTS,
    Pipe, Point, Process, Step, Text, Verb, all_cases, builtin, case_named, client_cases,
    copied_id, copy_of, deepened, host_cases, mcp_cases, parse, parse_host, parse_own,
};
pub use conversation::{Canary, Era, Protocol, Survey, draw_seed};
pub use fuzz::{Finding, Fuzz, FuzzProgress, Fuzzed, fuzz};
pub use hosts::{HostOptions, run_host};
pub use kits::{MatrixPair, MatrixProgress, matrix};
pub use mock::{Ended, Mock, QueueReceiver, QueueSender, queue};
pub use mutants::{
    Kill, Selftest, SelftestError, client_selftest, host_selftest, selftest, server_selftest,
};
pub use report::{
    Baseline, BaselineError, Boundary, CaseReport, Cause, Cell, Entry, Evidence, Expectation,
    Grade, Head, Kind, Lane, MatrixColumn, REPORT_VERSION, Report, Stale, Style, Verdict,
    badge_json, badge_svg, case_line, case_text, case_text_as, head_line, head_text, html, junit,
    markdown, matrix_html, matrix_markdown, ndjson, summary_line, summary_text, tap,
};
pub use run::{Options, Progress, run, run_server};
pub use target::{Signal, stop_all, weight};
pub use traces::{Ignored, Recorded, replay};
