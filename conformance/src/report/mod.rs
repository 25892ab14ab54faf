//! What came of a run.

mod badge;
mod baseline;
mod called;
mod cause;
mod evidence;
mod grade;
mod groups;
mod html;
mod json;
mod junit;
mod markdown;
mod matrix;
mod stderr;
mod tap;
mod text;

use std::time::Duration;

use extline_scenario::Failure;
use serde::{Serialize, Serializer};

pub use self::badge::{badge_json, badge_svg};
pub use self::baseline::{Baseline, BaselineError, Expectation, Kind, Stale};
use self::called::{called_lines, not_called};
pub use self::cause::Cause;
pub(crate) use self::cause::cause_of;
use self::evidence::cut;
pub use self::evidence::{Entry, Evidence, Lane};
pub use self::grade::Grade;
use self::groups::{Group, groups};
pub use self::html::html;
pub use self::json::{REPORT_VERSION, case_line, head_line, ndjson, summary_line};
pub use self::junit::junit;
pub use self::markdown::markdown;
pub use self::matrix::{Cell, MatrixColumn, matrix_html, matrix_markdown};
pub use self::tap::tap;
pub use self::text::{Style, case_text, case_text_as, head_text, summary_text};
use self::text::{counts, meaning, obstacles};
use crate::case::{Binds, Case, Cited, Level, client_cases, mcp_cases};
use crate::conversation::Survey;

/// The longest text of a failure, in characters.
const LONGEST: usize = 10_000;

/// What came of a run.
#[derive(Debug)]
pub struct Report {
    /// What was run.
    pub head: Head,
    /// Each case, in the order in which they were asked for.
    pub cases: Vec<CaseReport>,
    /// What the extension said about itself.
    pub survey: Survey,
    /// Entries of the baseline that say nothing any more.
    pub stale: Vec<Stale>,
    /// How long it took.
    pub took: Duration,
}

/// What is run, as it is known before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Head {
    /// The version of the tester.
    pub tester: &'static str,
    /// What the tester drew by chance came from this number.
    pub seed: u32,
    /// The command line of the extension's program.
    pub program: String,
    /// Whom the cases may bind.
    pub binds: Binds,
    /// Registered tools and commands may be called.
    pub calls: bool,
    /// How many cases.
    pub cases: usize,
}

/// What came of a case.
#[derive(Clone, Debug)]
pub struct CaseReport {
    /// The case.
    pub id: String,
    /// What holds when it passes.
    pub title: String,
    /// The clauses it checks.
    pub clauses: Vec<String>,
    /// How strict the first of them is.
    pub level: Level,
    /// What came of it.
    pub verdict: Verdict,
    /// Why it was not run, or how it is flaky.
    pub reason: Option<String>,
    /// What happened instead of what was expected.
    pub failure: Option<Failure>,
    /// The step of an author's own case that went wrong, as `tests/weather.toml:12`.
    pub place: Option<String>,
    /// What went both ways.
    pub evidence: Option<Evidence>,
    /// The size at which it begins to fail.
    pub boundary: Option<Boundary>,
    /// What probably causes it.
    pub cause: Option<Cause>,
    /// The command that repeats it.
    pub again: Option<String>,
    /// What the baseline says of it.
    pub baseline: Option<Expectation>,
    /// How long it took.
    pub took: Duration,
}

/// What came of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// It holds.
    Pass,
    /// A MUST is broken.
    Fail,
    /// A SHOULD is broken.
    Warn,
    /// A liberty was taken.
    Info,
    /// It says nothing about this extension.
    NotApplicable,
    /// It should have been run, and could not.
    CouldNotRun,
    /// It failed and passed.
    Flaky,
    /// It failed as the baseline says.
    ExpectedFailure,
    /// The baseline says that it fails, and it passed.
    UnexpectedPass,
    /// The tester itself failed, which says nothing about the extension.
    HarnessError,
}

/// Between which two values a case begins to fail.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Boundary {
    /// The largest value that was good.
    pub good: u64,
    /// The smallest that was bad.
    pub bad: u64,
    /// What the values count: `bytes`.
    pub unit: String,
    /// How many values the search tried.
    pub runs: u32,
}

impl Report {
    /// How many cases have that verdict.
    pub fn count(&self, verdict: Verdict) -> usize {
        self.cases.iter().filter(|case| case.verdict == verdict).count()
    }

    /// 0 when nothing is broken, 1 when something is, 2 when the run is incomplete or tested
    /// nothing, 4 when the tester itself failed.
    pub fn exit_code(&self) -> u8 {
        if self.count(Verdict::HarnessError) > 0 {
            return 4;
        }
        if self.cases.iter().any(CaseReport::is_broken) {
            return 1;
        }
        let tested = self.count(Verdict::Pass)
            + self.count(Verdict::Warn)
            + self.count(Verdict::Info)
            + self.count(Verdict::ExpectedFailure);
        if tested == 0 || self.count(Verdict::CouldNotRun) > 0 { 2 } else { 0 }
    }
}

impl CaseReport {
    /// Whether it fails the run.
    pub fn is_broken(&self) -> bool {
        matches!(self.verdict, Verdict::Fail | Verdict::Flaky | Verdict::UnexpectedPass)
    }

    /// What stands above what was sent and what came back.
    fn ways(&self) -> [&'static str; 2] {
        if [mcp_cases(), client_cases()].iter().any(|cases| cases.contains_key(&self.id)) {
            ["client to server", "server to client"]
        } else {
            ["host to extension", "extension to host"]
        }
    }

    pub(crate) fn passed(case: &Case) -> Self {
        Self::new(case, Verdict::Pass)
    }

    pub(crate) fn failed(case: &Case, failure: Failure, evidence: Evidence) -> Self {
        // What an extension wrote stands in it, and may be long.
        let [expected, got] = [failure.expected, failure.got].map(|text| cut(&text, LONGEST));
        let failure = Failure { expected, got, ..failure };
        let verdict = match case.level() {
            Level::Must => Verdict::Fail,
            Level::Should => Verdict::Warn,
            Level::May => Verdict::Info,
        };
        Self { failure: Some(failure), evidence: Some(evidence), ..Self::new(case, verdict) }
    }

    /// It failed so, and passed as the reason says.
    pub(crate) fn flaky(case: &Case, reason: String, failure: Failure, evidence: Evidence) -> Self {
        let (reason, failure, evidence) = (Some(reason), Some(failure), Some(evidence));
        Self { reason, failure, evidence, ..Self::new(case, Verdict::Flaky) }
    }

    pub(crate) fn without_run(case: &Case, verdict: Verdict, reason: String) -> Self {
        Self { reason: Some(reason), ..Self::new(case, verdict) }
    }

    fn new(case: &Case, verdict: Verdict) -> Self {
        Self {
            clauses: case.clauses.clone(),
            level: case.level(),
            ..Self::replayed(case.id.clone(), case.title.clone(), verdict, None)
        }
    }

    /// Of what is compared with a trace, not with a clause.
    pub(crate) fn replayed(
        id: String,
        title: String,
        verdict: Verdict,
        reason: Option<String>,
    ) -> Self {
        Self {
            id,
            title,
            clauses: Vec::new(),
            level: Level::Must,
            verdict,
            reason,
            failure: None,
            place: None,
            evidence: None,
            boundary: None,
            cause: None,
            again: None,
            baseline: None,
            took: Duration::ZERO,
        }
    }
}

impl Serialize for Verdict {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.key())
    }
}

impl Verdict {
    /// All of them, in the order in which they are counted.
    pub(crate) const IN_ORDER: [Self; 10] = [
        Self::Pass,
        Self::Fail,
        Self::Warn,
        Self::Info,
        Self::Flaky,
        Self::ExpectedFailure,
        Self::UnexpectedPass,
        Self::HarnessError,
        Self::CouldNotRun,
        Self::NotApplicable,
    ];

    /// The word in reports that programs read.
    pub(crate) fn key(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail => "fail",
            Self::Warn => "warn",
            Self::Info => "info",
            Self::NotApplicable => "not-applicable",
            Self::CouldNotRun => "could-not-run",
            Self::Flaky => "flaky",
            Self::ExpectedFailure => "expected-failure",
            Self::UnexpectedPass => "unexpected-pass",
            Self::HarnessError => "harness-error",
        }
    }

    /// The word in reports.
    pub fn word(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail => "FAIL",
            Self::Warn => "warn",
            Self::Info => "info",
            Self::NotApplicable => "n/a",
            Self::CouldNotRun => "could not run",
            Self::Flaky => "FLAKY",
            Self::ExpectedFailure => "expected failure",
            Self::UnexpectedPass => "UNEXPECTED PASS",
            Self::HarnessError => "HARNESS ERROR",
        }
    }
}
