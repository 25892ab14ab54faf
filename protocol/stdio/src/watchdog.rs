//! Ends the process when its end takes too long, whatever its handlers do meanwhile.

use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::thread;
use std::time::Duration;

use crate::stderr::report;

static STARTED: AtomicBool = AtomicBool::new(false);

/// Ends the process after that long from now, the beginning of the shutdown, and says so on stderr;
/// `running` names the handlers that have not ended. Its thread runs no author's code, so it may
/// outlive an interpreter. Only the first call of a process counts.
pub fn start(after: Duration, exit_code: u8, running: impl Fn() -> Vec<String> + Send + 'static) {
    if STARTED.swap(true, SeqCst) {
        return;
    }
    let watch = move || {
        thread::sleep(after);
        let names = running().join(", ");
        let why = if names.is_empty() {
            "what the program does after its extension has ended takes too long".to_owned()
        } else {
            format!("{names} would not stop")
        };
        report(&format!("ended {after:?} after shutdown; {why}"));
        end_now(exit_code);
    };
    // Without a thread the host ends the process, half a second later.
    let _ = thread::Builder::new().name("extline watchdog".to_owned()).spawn(watch);
}

/// Ends the process. No destructor and nothing of `atexit` runs: the handlers that would not stop are
/// in the middle of something.
#[cfg(unix)]
pub fn end_now(exit_code: u8) -> ! {
    signal_hook::low_level::exit(exit_code.into())
}

/// Ends the process: the time for an ordinary end is over.
#[cfg(not(unix))]
#[expect(clippy::disallowed_methods, reason = "the time for an ordinary end is over")]
pub fn end_now(exit_code: u8) -> ! {
    std::process::exit(exit_code.into())
}
