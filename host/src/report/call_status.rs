//! How a tool call ended, in one word.

use std::fmt;

use super::call_error::CallError;

/// How a tool call ended. `Display` gives the word that the event `tool_result` has too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CallStatus {
    /// The tool answered, and with no error.
    Completed,
    /// The tool answered with an error, or there is no answer: bad arguments, an unknown tool, a
    /// dead extension.
    Failed,
    /// An interceptor or a guard blocked it, or it was not approved.
    Blocked,
    /// Whoever called gave up.
    Cancelled,
    /// There was no answer in time.
    TimedOut,
}

impl CallStatus {
    /// The word on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Blocked => "blocked",
            Self::Cancelled => "cancelled",
            Self::TimedOut => "timed_out",
        }
    }

    /// That of a call which has no answer.
    pub(crate) fn of(error: &CallError) -> Self {
        match error {
            CallError::Blocked { .. } | CallError::Denied { .. } => Self::Blocked,
            CallError::Repeated { error, .. } => Self::of(error),
            CallError::Cancelled { .. } => Self::Cancelled,
            CallError::Timeout { .. } => Self::TimedOut,
            _ => Self::Failed,
        }
    }
}

impl fmt::Display for CallStatus {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}
