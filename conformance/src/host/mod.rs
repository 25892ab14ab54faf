//! The host level: a host is driven through its driver, and the extensions that it starts are
//! puppets whose every byte the tester reads and writes itself.
//!
//! [`run_host`] plays cases whose steps say what the driver is asked, what puppets write, and what
//! must come of it. docs/tester/hosts.md documents the driver's protocol and the steps.

#[cfg(unix)]
mod act;
mod builtin;
#[cfg(unix)]
mod check;
#[cfg(unix)]
mod driver;
#[cfg(unix)]
mod log;
mod options;
#[cfg(unix)]
mod outgoing;
mod pattern;
#[cfg(unix)]
mod play;
#[cfg(unix)]
mod puppet;
#[cfg(unix)]
mod run;
mod script;
#[cfg(unix)]
mod selftest;
#[cfg(unix)]
mod stage;
#[cfg(unix)]
mod stderr;
mod step;
#[cfg(not(unix))]
mod unsupported;

pub use self::builtin::host_cases;
use self::builtin::script_of;
pub use self::options::HostOptions;
#[cfg(unix)]
pub use self::run::run_host;
use self::script::Script;
pub use self::script::parse_host;
#[cfg(unix)]
pub use self::selftest::host_selftest;
#[cfg(not(unix))]
pub use self::unsupported::{host_selftest, run_host};
