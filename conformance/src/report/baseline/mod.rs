//! Baselines: what is known to fail, why, and until when; docs/tester/guide.md documents the file.
//!
//! A baseline is strict both ways. What it lists must fail, and in the way that it says: a case
//! that passes, or fails in another way, fails the run.

mod judge;
mod parse;
mod write;

use extline_scenario::Outcome;
use serde::{Deserialize, Serialize};
use toml::value::Date;

pub use self::parse::BaselineError;

/// What is known to fail.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Baseline {
    /// The file, as it was named.
    file: String,
    entries: Vec<Entry>,
}

/// One case that is known to fail.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
struct Entry {
    case: String,
    kind: Kind,
    /// How it fails; a flaky one may do without.
    outcome: Option<Outcome>,
    #[serde(default)]
    reason: String,
    link: Option<String>,
    /// The last day on which it holds, in UTC.
    expires: Option<Date>,
    /// Where it stands in the file, from 1.
    #[serde(skip)]
    line: usize,
}

/// Why something fails for the time being.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// It is broken, and will be mended.
    KnownFailing,
    /// It fails now and then.
    KnownFlaky,
    /// It stays as it is.
    WontSupport,
}

/// What a baseline says of one case, as reports show it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Expectation {
    /// Why it fails for the time being.
    pub kind: Kind,
    /// The author's words.
    pub reason: String,
    /// Where more is written about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
    /// The last day on which the entry holds: `2026-12-31`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires: Option<String>,
    /// Where the entry stands: `conformance.baseline.toml:12`.
    pub place: String,
    /// Why the entry does not excuse what came of the case, and what to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// An entry that says nothing any more.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Stale {
    /// The case it names.
    pub case: String,
    /// Where the entry stands.
    pub place: String,
    /// Why it says nothing.
    pub reason: String,
}

impl Baseline {
    fn entry(&self, case: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.case == case)
    }

    fn place(&self, entry: &Entry) -> String {
        format!("{}:{}", self.file, entry.line)
    }
}

impl Entry {
    /// A reason that somebody wrote.
    fn has_reason(&self) -> bool {
        let reason = self.reason.trim();
        !reason.is_empty() && !reason.eq_ignore_ascii_case(TODO)
    }
}

/// The reason in a new entry, which its author must replace.
const TODO: &str = "TODO";

impl Kind {
    /// The word in reports and baselines.
    pub fn word(self) -> &'static str {
        match self {
            Self::KnownFailing => "known-failing",
            Self::KnownFlaky => "known-flaky",
            Self::WontSupport => "wont-support",
        }
    }
}
