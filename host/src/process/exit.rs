//! How a process ended.

use std::fmt;
use std::process::ExitStatus;

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
    /// Its program runs somewhere else, and the connection to it was closed.
    Disconnected,
    /// The system did not say.
    Unknown {
        /// What it said instead.
        reason: String,
    },
}

impl Exit {
    /// What the system reported.
    pub fn of(status: ExitStatus) -> Self {
        #[cfg(unix)]
        if let Some(number) = std::os::unix::process::ExitStatusExt::signal(&status) {
            return Self::Signal { number, name: signal_name(number) };
        }
        Self::Code { code: status.code().unwrap_or_default() }
    }

    /// The exit status, where the process ended by itself.
    pub fn code(&self) -> Option<i32> {
        match self {
            Self::Code { code } => Some(*code),
            _ => None,
        }
    }

    /// The signal that ended it, in a word; what else is known where it was none.
    pub(crate) fn signal_name(&self) -> String {
        match self {
            Self::Signal { name: Some(name), .. } => (*name).to_owned(),
            other => other.to_string(),
        }
    }

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
            Self::Disconnected => formatter.write_str("disconnected"),
            Self::Unknown { reason } => write!(formatter, "unknown exit status ({reason})"),
        }
    }
}

/// A signal as the manuals call it.
#[cfg(unix)]
fn signal_name(number: i32) -> Option<&'static str> {
    use rustix::process::Signal;

    const NAMES: [(Signal, &str); 17] = [
        (Signal::HUP, "SIGHUP"),
        (Signal::INT, "SIGINT"),
        (Signal::QUIT, "SIGQUIT"),
        (Signal::ILL, "SIGILL"),
        (Signal::TRAP, "SIGTRAP"),
        (Signal::ABORT, "SIGABRT"),
        (Signal::BUS, "SIGBUS"),
        (Signal::FPE, "SIGFPE"),
        (Signal::KILL, "SIGKILL"),
        (Signal::SEGV, "SIGSEGV"),
        (Signal::PIPE, "SIGPIPE"),
        (Signal::ALARM, "SIGALRM"),
        (Signal::TERM, "SIGTERM"),
        (Signal::XCPU, "SIGXCPU"),
        (Signal::XFSZ, "SIGXFSZ"),
        (Signal::SYS, "SIGSYS"),
        (Signal::USR1, "SIGUSR1"),
    ];
    NAMES.iter().find(|(signal, _)| signal.as_raw() == number).map(|(_, name)| *name)
}
