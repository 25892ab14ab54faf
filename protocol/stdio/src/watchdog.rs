//! Ends the process when its end takes too long, whatever its handlers do meanwhile.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant};

use crate::stderr::report;

static STARTED: AtomicBool = AtomicBool::new(false);

/// So long the last words may take: somebody may hold a lock, or not read stderr. A thread has to begin
/// on a machine that may be busy, and the host ends the process 500 ms after this began.
const LAST_WORDS: Duration = Duration::from_millis(400);

/// What an end waited for when its time was over. Its text says so to a person.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unfinished {
    /// The handlers that have not ended, as `tool weather`.
    pub handlers: Vec<String>,
    /// The host has not taken all that was said.
    pub unread: bool,
}

impl fmt::Display for Unfinished {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.handlers.join(", ");
        match (self.handlers.is_empty(), self.unread) {
            (true, true) => formatter.write_str("the host did not take the last answers"),
            (true, false) => formatter
                .write_str("what the program does after its extension has ended takes too long"),
            (false, true) => {
                write!(
                    formatter,
                    "{names} would not stop, and the host did not take the last answers"
                )
            }
            (false, false) => write!(formatter, "{names} would not stop"),
        }
    }
}

/// Calls [`end`] that long after `since`, when the shutdown began. None of this runs an author's
/// code, so it may outlive an interpreter. Only the first call of a process counts.
pub fn start(
    since: Instant,
    after: Duration,
    exit_code: u8,
    finish: impl FnOnce() -> Unfinished + Send + 'static,
) {
    if STARTED.swap(true, SeqCst) {
        return;
    }
    let watch = move || {
        thread::sleep((since + after).saturating_duration_since(Instant::now()));
        end(after, exit_code, finish);
    };
    // Without a thread the host ends the process, half a second later.
    let _ = thread::Builder::new().name("extline watchdog".to_owned()).spawn(watch);
}

/// Ends the process that long after its shutdown began, and says why on stderr.
///
/// `finish` says what is not finished, and may do without waiting what was due until then, where nobody
/// had the time for it: the machine may have given the process none. It runs in a thread of its own, and
/// is not waited for where somebody holds what it locks, or nobody reads stderr.
pub fn end(
    after: Duration,
    exit_code: u8,
    finish: impl FnOnce() -> Unfinished + Send + 'static,
) -> ! {
    let (said, is_said) = channel();
    let say = move || {
        report(&last_words(after, &finish()));
        // Who waited for it may have ended the process.
        let _ = said.send(());
    };
    let name = "extline last words".to_owned();
    if thread::Builder::new().name(name).spawn(say).is_ok() {
        let _ = is_said.recv_timeout(LAST_WORDS);
    }
    end_now(exit_code)
}

/// The line that is written then.
fn last_words(after: Duration, unfinished: &Unfinished) -> String {
    format!("ended {after:?} after shutdown; {unfinished}")
}

/// Ends the process. No destructor and nothing of `atexit` runs: the handlers that would not stop are
/// in the middle of something.
#[cfg(unix)]
pub fn end_now(exit_code: u8) -> ! {
    signal_hook::low_level::exit(exit_code.into())
}

/// Ends the process. No destructor and nothing of `atexit` runs, and no library is told: the handlers that
/// would not stop are in the middle of something.
#[cfg(windows)]
pub fn end_now(exit_code: u8) -> ! {
    use windows_sys::Win32::System::Threading::{GetCurrentProcess, TerminateProcess};

    #[expect(unsafe_code, reason = "std ends a process only in the ordinary way")]
    // SAFETY: the handle stands for this process, which may end itself.
    unsafe {
        TerminateProcess(GetCurrentProcess(), exit_code.into());
    }
    // The call does not return for this process.
    std::process::abort()
}

/// Ends the process: the time for an ordinary end is over.
#[cfg(not(any(unix, windows)))]
#[expect(clippy::disallowed_methods, reason = "the time for an ordinary end is over")]
pub fn end_now(exit_code: u8) -> ! {
    std::process::exit(exit_code.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_words_name_all_that_is_not_finished() {
        let after = Duration::from_millis(1500);
        let said = |handlers: &[&str], unread| {
            let handlers = handlers.iter().map(ToString::to_string).collect();
            last_words(after, &Unfinished { handlers, unread })
        };
        let stuck = "ended 1.5s after shutdown; tool a, event b would not stop";
        assert_eq!(said(&["tool a", "event b"], false), stuck);
        let unread = "the host did not take the last answers";
        assert_eq!(said(&["tool a", "event b"], true), format!("{stuck}, and {unread}"));
        assert_eq!(said(&[], true), format!("ended 1.5s after shutdown; {unread}"));
        assert!(said(&[], false).ends_with("after its extension has ended takes too long"));
    }
}
