//! One JSON object a line: the head, each case as it is decided, the summary at the end.
//! docs/tester/report.schema.json is the schema of a line, docs/tester/guide.md its documentation.

use std::collections::BTreeMap;

use extline_scenario::Failure;
use serde::Serialize;
use serde_json::Value;

use super::baseline::{Expectation, Stale};
use super::cause::Cause;
use super::evidence::Evidence;
use super::{Boundary, CaseReport, Grade, Head, Report, Verdict, not_called};
use crate::case::Level;
use crate::conversation::Called;

/// The version of the format: members may come, and none changes its meaning, until it is another.
pub const REPORT_VERSION: u32 = 1;

/// The first line of the output.
#[derive(Debug, Serialize)]
struct HeadLine<'a> {
    kind: &'static str,
    version: u32,
    #[serde(flatten)]
    head: &'a Head,
}

/// A case as it stands in the output.
#[derive(Debug, Serialize)]
pub(crate) struct CaseLine<'a> {
    kind: &'static str,
    id: &'a str,
    title: &'a str,
    level: Level,
    clauses: &'a [String],
    verdict: Verdict,
    took_us: u128,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    failure: Option<&'a Failure>,
    #[serde(skip_serializing_if = "Option::is_none")]
    place: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    boundary: Option<&'a Boundary>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cause: Option<&'a Cause>,
    #[serde(skip_serializing_if = "Option::is_none")]
    again: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    baseline: Option<&'a Expectation>,
    #[serde(skip_serializing_if = "Option::is_none")]
    evidence: Option<&'a Evidence>,
}

/// The last line of the output.
#[derive(Debug, Serialize)]
pub(crate) struct SummaryLine<'a> {
    kind: &'static str,
    exit_code: u8,
    took_us: u128,
    verdicts: BTreeMap<Verdict, usize>,
    /// How long the extension takes to answer a canary, half of the time.
    pace_us: u128,
    extension: Option<&'a Value>,
    /// What was called of what it registered, at first contact.
    called: &'a [Called],
    /// The tools that were not called though that is allowed, as there are no arguments for them.
    not_called: Vec<String>,
    /// What is wrong with the samples in the manifest.
    wrong_samples: &'a [String],
    grade: Option<Grade>,
    /// Why there is no grade.
    #[serde(skip_serializing_if = "Option::is_none")]
    no_grade: Option<String>,
    stale: &'a [Stale],
}

impl<'a> CaseLine<'a> {
    /// The line of a case.
    pub(crate) fn of(case: &'a CaseReport) -> Self {
        Self {
            kind: "case",
            id: &case.id,
            title: &case.title,
            level: case.level,
            clauses: &case.clauses,
            verdict: case.verdict,
            took_us: case.took.as_micros(),
            reason: case.reason.as_deref(),
            failure: case.failure.as_ref(),
            place: case.place.as_deref(),
            boundary: case.boundary.as_ref(),
            cause: case.cause.as_ref(),
            again: case.again.as_deref(),
            baseline: case.baseline.as_ref(),
            evidence: case.evidence.as_ref(),
        }
    }
}

impl<'a> SummaryLine<'a> {
    /// The line of a whole run.
    pub(crate) fn of(report: &'a Report) -> Self {
        let mut verdicts = BTreeMap::new();
        for case in &report.cases {
            *verdicts.entry(case.verdict).or_default() += 1;
        }
        let grade = report.grade();
        Self {
            kind: "summary",
            exit_code: report.exit_code(),
            took_us: report.took.as_micros(),
            verdicts,
            pace_us: report.survey.pace.as_micros(),
            extension: Some(&report.survey.hello).filter(|hello| !hello.is_null()),
            called: &report.survey.called,
            not_called: if report.head.calls { not_called(report) } else { Vec::new() },
            wrong_samples: &report.survey.wrong_samples,
            grade: grade.as_ref().ok().copied(),
            no_grade: grade.err(),
            stale: &report.stale,
        }
    }
}

/// The first line.
pub fn head_line(head: &Head) -> Value {
    value(&HeadLine { kind: "run", version: REPORT_VERSION, head })
}

/// The line of a case.
pub fn case_line(case: &CaseReport) -> Value {
    value(&CaseLine::of(case))
}

/// The last line.
pub fn summary_line(report: &Report) -> Value {
    value(&SummaryLine::of(report))
}

/// The whole report, a line each.
pub fn ndjson(report: &Report) -> String {
    let mut text = String::new();
    let cases = report.cases.iter().map(case_line);
    for line in [head_line(&report.head)].into_iter().chain(cases).chain([summary_line(report)]) {
        text += &line.to_string();
        text.push('\n');
    }
    text
}

/// These types have no keys but strings and no numbers but finite ones, so this cannot fail.
fn value(line: &impl Serialize) -> Value {
    serde_json::to_value(line).unwrap_or_default()
}
