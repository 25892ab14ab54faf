//! Ends the process when its end takes too long, whatever JavaScript does meanwhile.

use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::thread;

use extline_protocol::limits::SHUTDOWN_END;

use crate::stderr::report;

static STARTED: AtomicBool = AtomicBool::new(false);

/// Counts from the beginning of the shutdown; `running` names the handlers that have not ended
/// (`end.overdue`). A thread that never touches JavaScript.
pub(crate) fn start(exit_code: u8, running: impl Fn() -> Vec<String> + Send + 'static) {
    if STARTED.swap(true, SeqCst) {
        return;
    }
    let watch = move || {
        thread::sleep(SHUTDOWN_END);
        let names = running().join(", ");
        let why = if names.is_empty() {
            "what the program does after its extension has ended takes too long".to_owned()
        } else {
            format!("{names} would not stop")
        };
        report(&format!("ended {SHUTDOWN_END:?} after shutdown; {why}"));
        end_now(exit_code);
    };
    // Without a thread the host ends the process, half a second later.
    let _ = thread::Builder::new().name("extline watchdog".to_owned()).spawn(watch);
}

/// No destructor and no `exit` listener runs: the handlers that would not stop are in the middle of
/// something.
#[cfg(unix)]
fn end_now(exit_code: u8) -> ! {
    #[expect(unsafe_code, reason = "neither std nor rustix ends a process without destructors")]
    // SAFETY: `_exit` may be called at any time, by any thread.
    unsafe {
        libc::_exit(exit_code.into())
    }
}

#[cfg(not(unix))]
#[expect(clippy::disallowed_methods, reason = "the time for an ordinary end is over")]
fn end_now(exit_code: u8) -> ! {
    std::process::exit(exit_code.into())
}
