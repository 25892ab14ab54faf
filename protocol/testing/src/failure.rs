//! Why a step of a test could not be done.

/// A step of a test could not be done.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct Failure {
    /// What kind of failure it is; each language has a class for it.
    pub kind: FailureKind,
    /// What was wrong; mostly with the last frames below.
    pub text: String,
}

/// What kind of failure it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureKind {
    /// The extension did not do it in time.
    TimedOut,
    /// The extension ended while something was waited for, or before.
    Ended,
    /// The answer breaks the protocol, a limit, or what the tool declared.
    Unusable,
    /// The test asks for what a host would not do.
    Misuse,
    /// A handler that answers nobody has failed.
    HandlerFailed,
}

impl FailureKind {
    /// The name of its class, in every language.
    pub fn name(self) -> &'static str {
        match self {
            Self::TimedOut => "TimedOut",
            Self::Ended => "Ended",
            Self::Unusable => "Unusable",
            Self::Misuse => "Misuse",
            Self::HandlerFailed => "HandlerFailed",
        }
    }
}

impl Failure {
    pub(crate) fn misuse(text: impl Into<String>) -> Self {
        Self { kind: FailureKind::Misuse, text: text.into() }
    }
}
