//! The host level: a host is driven through its driver, and the extensions that it starts are
//! puppets whose every byte the tester reads and writes itself.
//!
//! [`run_host`] plays cases whose steps say what the driver is asked, what puppets write, and what
//! must come of it. docs/tester/hosts.md documents the driver's protocol and the steps.

#[cfg(unix)]
mod act;
#[cfg(unix)]
mod ask;
#[cfg(unix)]
mod check;
#[cfg(unix)]
mod driver;
#[cfg(unix)]
mod log;
mod options;
#[cfg(unix)]
mod outgoing;
#[cfg(unix)]
mod pattern;
#[cfg(unix)]
mod play;
#[cfg(unix)]
mod puppet;
#[cfg(unix)]
mod run;
#[cfg(unix)]
mod stage;
#[cfg(unix)]
mod stderr;
#[cfg(unix)]
mod steps;
#[cfg(not(unix))]
mod unsupported;

pub use self::options::HostOptions;
#[cfg(unix)]
pub use self::run::run_host;
#[cfg(not(unix))]
pub use self::unsupported::run_host;
