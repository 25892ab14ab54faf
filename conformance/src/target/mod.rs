//! The process under test, seen from the host's ends of its pipes.
//!
//! One thread drives it: [`Target::pump`] waits once for whatever happens first, and moves bytes
//! both ways. Nothing here knows frames; [`Timeline`] keeps all that was seen.

#[cfg(unix)]
mod process;
mod timeline;
#[cfg(unix)]
mod unix;
#[cfg(not(unix))]
mod unsupported;

pub use extline_scenario::Signal;

pub(crate) use self::timeline::{Record, Timeline, What};
#[cfg(unix)]
pub(crate) use self::unix::Target;
#[cfg(unix)]
pub(crate) use self::unix::is_stopped;
#[cfg(unix)]
pub use self::unix::stop_all;
#[cfg(not(unix))]
pub(crate) use self::unsupported::Target;
#[cfg(not(unix))]
pub(crate) use self::unsupported::is_stopped;
#[cfg(not(unix))]
pub use self::unsupported::stop_all;

/// How one process is started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Setting {
    /// Its stdin is at its end from the start.
    pub(crate) stdin_at_end: bool,
}
