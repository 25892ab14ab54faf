//! What happened instead of what was expected.

use std::time::Duration;

use serde::Serialize;
use serde_json::Value;

/// What happened instead of what was expected.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Failure {
    /// What should have happened.
    pub expected: String,
    /// What did.
    pub got: String,
    /// The kind of it, by which causes are looked up.
    pub outcome: Outcome,
}

/// Kinds of failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The process ended.
    Died,
    /// It lives and does not answer.
    Silent,
    /// It answered otherwise.
    Wrong,
    /// It should have ended, and did not.
    Survived,
}

impl Failure {
    /// Something came that is not as it should be.
    pub fn wrong(expected: String, got: String) -> Self {
        Self { expected, got, outcome: Outcome::Wrong }
    }
}

impl Outcome {
    /// The word in reports and baselines.
    pub fn word(self) -> &'static str {
        match self {
            Self::Died => "died",
            Self::Silent => "silent",
            Self::Wrong => "wrong",
            Self::Survived => "survived",
        }
    }
}

/// A value in at most so many characters.
pub fn excerpt(value: &Value, most: usize) -> String {
    let text = value.to_string();
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text,
    }
}

/// A time as people write it: `2.0 s`.
pub fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}
