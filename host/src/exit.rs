//! How a process ended.

use std::fmt;

use serde::Serialize;

/// How a process ended, as the system reports it. `Display` gives words: `exit status 1`,
/// `killed by SIGKILL (signal 9)`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "by")]
#[non_exhaustive]
pub enum Exit {
    /// By itself, with an exit status.
    Code {
        /// 0 where all went well.
        code: i32,
    },
    /// By a signal.
    Signal {
        /// The signal's number on this platform.
        number: i32,
        /// Its name, as `SIGKILL`, where it is known.
        name: Option<&'static str>,
    },
    /// The system did not say.
    Unknown {
        /// What it said instead.
        reason: String,
    },
}

impl Exit {
    /// Whether the exit status is 0.
    pub fn is_success(&self) -> bool {
        matches!(self, Self::Code { code: 0 })
    }
}

impl fmt::Display for Exit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Code { code } => write!(formatter, "exit status {code}"),
            Self::Signal { number, name: Some(name) } => {
                write!(formatter, "killed by {name} (signal {number})")
            }
            Self::Signal { number, name: None } => write!(formatter, "killed by signal {number}"),
            Self::Unknown { reason } => write!(formatter, "unknown exit status ({reason})"),
        }
    }
}
