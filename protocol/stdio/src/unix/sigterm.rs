//! SIGTERM as something to wait for.
//!
//! The signal belongs to the process, so at most one session listens at a time. While none does, it
//! does what it did before: the handler, once installed, cannot be taken out again (signal-hook
//! keeps it), so it then repeats the default action itself.
//!
//! The statics hold process ids and not flags, because a forked child inherits them: it is not the
//! one who listens, from its first instruction on, before any handler of `fork` has run.

use std::io;
use std::os::fd::OwnedFd;
use std::process;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};

use signal_hook::consts::SIGTERM;
use signal_hook::{SigId, low_level};

use super::cannot;
use super::in_front;
use super::signals::{Disposition, action, disposition, handle_on_signal_stack};
use crate::Error;

/// The process in which a session listens, or is about to.
static TAKEN_BY: AtomicU32 = AtomicU32::new(NOBODY);
/// The process in which SIGTERM is reported and not acted upon.
static HEARD_BY: AtomicU32 = AtomicU32::new(NOBODY);
/// The process in which SIGTERM has come and is not yet reported.
static ARRIVED_IN: AtomicU32 = AtomicU32::new(NOBODY);
const NOBODY: u32 = 0;
/// The handler, as the system knows it, once it is installed.
static OURS: AtomicUsize = AtomicUsize::new(0);
/// Whether the handler is installed. Changed only by the process that `TAKEN_BY` names.
static HANDLED: AtomicBool = AtomicBool::new(false);

/// A session that listens; dropping it ends that.
#[derive(Debug)]
pub(super) struct Listener {
    ringing: SigId,
    process: u32,
}

impl Listener {
    /// Has SIGTERM write to `ring` from now on.
    pub(super) fn new(ring: OwnedFd) -> Result<Self, Error> {
        let process = process::id();
        let before = TAKEN_BY.load(Ordering::SeqCst);
        if before == process
            || TAKEN_BY
                .compare_exchange(before, process, Ordering::SeqCst, Ordering::SeqCst)
                .is_err()
        {
            return Err(Error::AlreadyListening);
        }
        let ringing = handle().and_then(|()| low_level::pipe::register(SIGTERM, ring));
        let ringing = ringing.map_err(|error| {
            TAKEN_BY.store(NOBODY, Ordering::SeqCst);
            cannot("listen for SIGTERM")(error)
        })?;
        HEARD_BY.store(process, Ordering::SeqCst);
        Ok(Self { ringing, process })
    }
}

/// Hears the signal also where the program has installed a handler since, in front of that. For the
/// session that listens.
pub(super) fn listen_in_front(ring: OwnedFd) -> Result<(), Error> {
    in_front::listen(ring, OURS.load(Ordering::SeqCst)).map_err(cannot("listen for signals"))
}

/// SIGTERM came to the handler in front of the program's own.
pub(super) fn arrive(process: u32) {
    ARRIVED_IN.store(process, Ordering::SeqCst);
}

/// Whether signals are reported in that process.
pub(super) fn is_heard_in(process: u32) -> bool {
    HEARD_BY.load(Ordering::SeqCst) == process
}

impl Drop for Listener {
    fn drop(&mut self) {
        // In a forked child nothing of this is its own, and another thread of the parent may have
        // held signal-hook's lock.
        if self.process == process::id() {
            HEARD_BY.store(NOBODY, Ordering::SeqCst);
            in_front::listen_no_more();
            low_level::unregister(self.ringing);
            ARRIVED_IN.store(NOBODY, Ordering::SeqCst);
            TAKEN_BY.store(NOBODY, Ordering::SeqCst);
        }
    }
}

/// Whether SIGTERM came since the last call. For the session that listens.
pub(super) fn has_arrived() -> bool {
    ARRIVED_IN.swap(NOBODY, Ordering::SeqCst) == process::id()
}

/// Whether it came and was not asked for since.
pub(super) fn waits() -> bool {
    ARRIVED_IN.load(Ordering::SeqCst) == process::id()
}

fn handle() -> io::Result<()> {
    if HANDLED.load(Ordering::SeqCst) {
        return Ok(());
    }
    // A handler of the program's own, or "ignore", goes on alone while nobody listens.
    let was_default = disposition(SIGTERM)? == Disposition::Default;
    let on_sigterm = move || {
        let process = process::id();
        if HEARD_BY.load(Ordering::SeqCst) == process {
            ARRIVED_IN.store(process, Ordering::SeqCst);
        } else if was_default {
            // It fails only for a signal without a default action.
            let _ = low_level::emulate_default_handler(SIGTERM);
        }
    };
    // SAFETY: getpid, atomics and `emulate_default_handler` are async-signal-safe. It is registered
    // before the ring, and actions run in that order: the reason stands when the bell rings.
    unsafe { low_level::register(SIGTERM, on_sigterm)? };
    handle_on_signal_stack(SIGTERM)?;
    OURS.store(action(SIGTERM)?.sa_sigaction, Ordering::SeqCst);
    HANDLED.store(true, Ordering::SeqCst);
    Ok(())
}
