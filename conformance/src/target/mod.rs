//! The process under test, seen from the host's ends of its pipes.
//!
//! One thread drives it: [`Target::pump`] waits once for whatever happens first, and moves bytes
//! both ways. Nothing here knows frames; [`Timeline`] keeps all that was seen.

mod timeline;
#[cfg(unix)]
mod unix;
#[cfg(not(unix))]
mod unsupported;

pub(crate) use self::timeline::{Record, Timeline, What};
#[cfg(unix)]
pub(crate) use self::unix::Target;
#[cfg(unix)]
pub use self::unix::stop_all;
#[cfg(not(unix))]
pub(crate) use self::unsupported::Target;
#[cfg(not(unix))]
pub use self::unsupported::stop_all;

/// A signal that a case sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Signal {
    /// Asks the process to end.
    Term,
    /// What a terminal sends on Ctrl-C.
    Int,
    /// Ends it without asking.
    Kill,
    /// Stops it.
    Stop,
    /// Lets it go on.
    Cont,
}

impl Signal {
    /// The name with which manuals call it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Term => "SIGTERM",
            Self::Int => "SIGINT",
            Self::Kill => "SIGKILL",
            Self::Stop => "SIGSTOP",
            Self::Cont => "SIGCONT",
        }
    }
}

/// How one process is started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Setting {
    /// Its stdin is at its end from the start.
    pub(crate) stdin_at_end: bool,
}
