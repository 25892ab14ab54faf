//! What happened instead of what was expected.

use serde::Serialize;

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
