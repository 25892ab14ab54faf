//! Ends the process when the shutdown takes too long, also when a handler keeps the serving thread.

use std::process;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;

use extline_protocol::limits::SHUTDOWN_END;

use crate::running::Running;
use crate::stderr::report;

/// Counts from the beginning of the shutdown. Dropping it calls it off.
#[derive(Debug)]
pub(super) struct Watchdog {
    _called_off_by_drop: Sender<()>,
}

impl Watchdog {
    /// `None` when the system has no thread left; then the session's own clock has to do, which needs
    /// the serving thread.
    pub(super) fn start(running: Running, exit_code: u8) -> Option<Self> {
        let (sender, receiver) = channel();
        let watch = move || {
            if receiver.recv_timeout(SHUTDOWN_END) == Err(RecvTimeoutError::Timeout) {
                end_now(&running, exit_code);
            }
        };
        let watching = thread::Builder::new().name("extline watchdog".to_owned()).spawn(watch);
        watching.is_ok().then_some(Self { _called_off_by_drop: sender })
    }
}

/// Says why, and ends the process.
#[expect(clippy::disallowed_methods, reason = "the time for an ordinary end is over")]
pub(super) fn end_now(running: &Running, exit_code: u8) -> ! {
    let names = running.names();
    let why = if names.is_empty() {
        "the host did not take the last answers".to_owned()
    } else {
        format!("{} would not stop", names.join(", "))
    };
    report(&format!("ended {SHUTDOWN_END:?} after shutdown; {why}"));
    process::exit(i32::from(exit_code))
}
