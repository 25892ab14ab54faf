//! Why a step of a test could not be done.

use std::fmt;
use std::time::Duration;

use extline_protocol::frame::ErrorInfo;

use super::transcript::{Line, Transcript};

/// How much of the transcript stands in a failure.
const TAIL_LINES: usize = 12;
const TAIL_LINE: usize = 200;

/// Why a step of a test could not be done. A tool that answers with an error is no failure: see
/// [`Answer::error`](super::Answer::error).
///
/// `Display` says what was wrong, what the extension wrote to stderr, and the last frames. `Debug` is
/// the same, so that a test that returns `Result<(), Failure>` or unwraps shows it.
///
/// ```
/// use extline::prelude::*;
/// use extline::testing::{Failure, Host};
///
/// let mut host = Host::new(|| Extension::new("clock", "1.0.0"));
/// let failure = host.event("turn_end", json!({})).unwrap_err();
/// assert!(matches!(failure, Failure::Misuse(_)));
/// assert_eq!(
///     failure.to_string(),
///     "the extension does not listen to turn_end: it listens to nothing"
/// );
/// ```
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum Failure {
    /// The extension did not do it in time.
    #[error("{what} within {waited:?}, the deadline of this testing host{hint}{story}")]
    #[non_exhaustive]
    TimedOut {
        /// What did not happen, as "the tool weather did not answer".
        what: String,
        /// How long it was waited for.
        waited: Duration,
        /// What may be the reason.
        hint: &'static str,
        /// The end of the transcript.
        story: Story,
    },
    /// The extension ended while something was waited for, or before.
    #[error("{what}: the extension {how}{story}")]
    #[non_exhaustive]
    Ended {
        /// What did not happen.
        what: String,
        /// How it ended, as "has ended".
        how: String,
        /// The end of the transcript.
        story: Story,
    },
    /// The answer cannot be used: it breaks the protocol or a limit.
    #[error("{what}: {}{story}", error.message)]
    #[non_exhaustive]
    Unusable {
        /// What was asked.
        what: String,
        /// What is wrong with the answer.
        error: Box<ErrorInfo>,
        /// The end of the transcript.
        story: Story,
    },
    /// A step of a [`scenario`](super::scenario) did not go as it should.
    #[cfg(feature = "scenario")]
    #[error("{place}: case {case}\n  expected  {expected}\n  got       {got}{story}")]
    #[non_exhaustive]
    Scenario {
        /// The step's file and line, as `tests/weather.toml:12`.
        place: String,
        /// The case's id, and the value of this run where it has values.
        case: String,
        /// What should have happened.
        expected: String,
        /// What did.
        got: String,
        /// The end of the transcript.
        story: Box<Story>,
    },
    /// The extension cannot be served, for a registration mistake as a rule.
    #[error(transparent)]
    Extension(#[from] crate::Error),
    /// The test asks for what a host would not do, as telling of an event that the extension does not
    /// listen to.
    #[error("{0}")]
    Misuse(String),
}

impl fmt::Debug for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

/// What led to a failure: the extension's lines on stderr, and the last frames.
#[derive(Clone, Debug, Default)]
pub struct Story {
    stderr: Vec<String>,
    left_out: usize,
    frames: Vec<Line>,
}

impl Story {
    pub(super) fn new(stderr: Vec<String>, transcript: &Transcript) -> Self {
        let left_out = transcript.iter().len().saturating_sub(TAIL_LINES);
        Self { stderr, left_out, frames: transcript.iter().skip(left_out).cloned().collect() }
    }
}

impl fmt::Display for Story {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.stderr.is_empty() {
            write!(formatter, "\non stderr:")?;
        }
        for line in &self.stderr {
            write!(formatter, "\n  {line}")?;
        }
        match self.left_out {
            0 => write!(formatter, "\nthe frames:")?,
            count => write!(formatter, "\nthe last frames, after {count} others:")?,
        }
        for line in &self.frames {
            let line = line.to_string();
            match line.char_indices().nth(TAIL_LINE) {
                None => write!(formatter, "\n  {line}")?,
                Some((end, _)) => write!(formatter, "\n  {}...", &line[..end])?,
            }
        }
        Ok(())
    }
}
