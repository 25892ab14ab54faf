//! Why a step of a test could not be done.

use std::fmt;
use std::panic::Location;
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
/// let expected = "the extension does not listen to turn_end: it listens to nothing\nat ";
/// assert!(failure.to_string().starts_with(expected));
/// ```
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum Failure {
    /// The extension did not do it in time.
    #[error("{what} within {waited:?}, {why}{hint}{story}")]
    #[non_exhaustive]
    TimedOut {
        /// What did not happen, as "the tool weather did not answer".
        what: String,
        /// How long it was waited for.
        waited: Duration,
        /// Whose deadline that is, or what a host does then.
        why: String,
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
    /// The answer cannot be used: it breaks the protocol, a limit, or what the tool declared.
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
    /// A handler that answers nobody has failed: of an event, of a panel, or a teardown. A test that
    /// expects it takes it from the step that brought it about; one that no step told of is a panic at
    /// the end of the [`Host`](super::Host).
    ///
    /// ```
    /// use extline::prelude::*;
    /// use extline::testing::{Failure, Host};
    ///
    /// let mut host = Host::new(|| {
    ///     Extension::new("a", "1").on("turn_end", async |_, _| -> Result<(), ToolError> {
    ///         Err(ToolError::internal("the disk is full"))
    ///     })
    /// });
    /// let failure = host.event("turn_end", json!({})).unwrap_err();
    /// assert!(matches!(failure, Failure::HandlerFailed { .. }));
    /// let expected = "the handler of the event turn_end failed: the disk is full";
    /// assert!(failure.to_string().starts_with(expected));
    /// ```
    #[error("{what}{story}")]
    #[non_exhaustive]
    HandlerFailed {
        /// Which handler, and how it failed, as in the text above.
        what: String,
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
    /// The test asks for what a host would not do, as calling a tool that the extension does not offer,
    /// or telling of an event that it does not listen to. Its line stands below.
    #[error("{0}")]
    Misuse(String),
}

impl Failure {
    /// A mistake of the test, at that line.
    pub(super) fn misuse(text: impl fmt::Display, place: &Location<'_>) -> Self {
        Self::Misuse(format!("{text}\nat {place}"))
    }
}

impl fmt::Debug for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

/// What led to a failure: the line of the test, the extension's lines on stderr, and the last frames.
#[derive(Clone, Debug)]
pub struct Story(Box<Told>);

#[derive(Clone, Debug)]
struct Told {
    place: &'static Location<'static>,
    stderr: Vec<String>,
    left_out: usize,
    frames: Vec<Line>,
}

impl Story {
    pub(super) fn new(
        place: &'static Location<'static>,
        stderr: Vec<String>,
        transcript: &Transcript,
    ) -> Self {
        let left_out = transcript.iter().len().saturating_sub(TAIL_LINES);
        let frames = transcript.iter().skip(left_out).cloned().collect();
        Self(Box::new(Told { place, stderr, left_out, frames }))
    }
}

impl fmt::Display for Story {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Told { place, stderr, left_out, frames } = &*self.0;
        write!(formatter, "\nat {place}")?;
        if !stderr.is_empty() {
            write!(formatter, "\non stderr:")?;
        }
        for line in stderr {
            write!(formatter, "\n  {line}")?;
        }
        match left_out {
            0 => write!(formatter, "\nthe frames:")?,
            count => write!(formatter, "\nthe last frames, after {count} others:")?,
        }
        for line in frames {
            let line = line.to_string();
            match line.char_indices().nth(TAIL_LINE) {
                None => write!(formatter, "\n  {line}")?,
                Some((end, _)) => write!(formatter, "\n  {}...", &line[..end])?,
            }
        }
        Ok(())
    }
}
