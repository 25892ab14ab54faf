//! The child of a fork is dead to the host.
//!
//! A handler that libc runs in the child, before `fork` returns there, replaces the claimed
//! descriptors by the null device. Replaces and not closes: their numbers stay taken, so neither a
//! later close of ours nor an event loop that still holds one can hit somebody else's file.

use std::fs::OpenOptions;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd, RawFd};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, Ordering};

use rustix::io::fcntl_dupfd_cloexec;

use super::cannot;
use super::input::Input;
use super::output::Output;
use crate::Error;

/// How many forks lie between the first process that used this crate and this one.
static GENERATION: AtomicU32 = AtomicU32::new(0);
/// The claimed descriptors' numbers, -1 where there is none.
static CLAIMED_INPUT: AtomicI32 = AtomicI32::new(NONE);
static CLAIMED_OUTPUT: AtomicI32 = AtomicI32::new(NONE);
/// A second one of the output's.
static CLAIMED_OUTPUT_TOO: AtomicI32 = AtomicI32::new(NONE);
const NONE: RawFd = -1;
static NULL_DEVICE: OnceLock<OwnedFd> = OnceLock::new();
static INSTALLED: AtomicBool = AtomicBool::new(false);

/// The process in which a session was opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Birth(u32);

impl Birth {
    pub(super) fn now() -> Self {
        Self(GENERATION.load(Ordering::Acquire))
    }

    pub(super) fn generation(self) -> u32 {
        self.0
    }

    /// Whether this is still the process that opened the session.
    pub(super) fn check(self) -> Result<(), Error> {
        if self == Self::now() { Ok(()) } else { Err(Error::Forked) }
    }
}

/// Has the handler run in every forked child from now on. Calling it again changes nothing.
pub(super) fn install() -> Result<(), Error> {
    if INSTALLED.swap(true, Ordering::AcqRel) {
        return Ok(());
    }
    // SAFETY: `in_child` does only what a handler may do there: atomic stores, dup2 and fcntl.
    let code = unsafe { libc::pthread_atfork(None, None, Some(in_child)) };
    if code == 0 {
        return Ok(());
    }
    INSTALLED.store(false, Ordering::Release);
    Err(cannot("watch for forks")(io::Error::from_raw_os_error(code)))
}

/// The null device, opened once per process, numbered 3 or higher.
pub(super) fn null_device() -> io::Result<BorrowedFd<'static>> {
    if NULL_DEVICE.get().is_none() {
        let opened = OpenOptions::new().read(true).write(true).open("/dev/null")?;
        // Opened while stderr is closed it has stderr's number, and would be taken for it.
        let null = fcntl_dupfd_cloexec(&opened, 3)?;
        // When another thread was faster, its copy serves as well.
        let _ = NULL_DEVICE.set(null);
    }
    NULL_DEVICE.get().map(AsFd::as_fd).ok_or_else(|| io::ErrorKind::NotFound.into())
}

/// Names the descriptors that the handler replaces; `null_device` must have been opened.
pub(super) fn replace_in_children(input: &Input, output: &Output) {
    CLAIMED_INPUT.store(input.as_fd().as_raw_fd(), Ordering::Release);
    CLAIMED_OUTPUT.store(output.as_fd().as_raw_fd(), Ordering::Release);
}

/// Names a second descriptor of the claimed output's.
#[cfg(target_os = "linux")]
pub(super) fn replace_in_children_too(output: &OwnedFd) {
    CLAIMED_OUTPUT_TOO.store(output.as_raw_fd(), Ordering::Release);
}

/// The claimed input is about to be closed; its number may soon be another file's.
pub(super) fn forget_input() {
    CLAIMED_INPUT.store(NONE, Ordering::Release);
}

/// The claimed output is about to be closed; its numbers may soon be another file's.
pub(super) fn forget_output() {
    CLAIMED_OUTPUT.store(NONE, Ordering::Release);
    CLAIMED_OUTPUT_TOO.store(NONE, Ordering::Release);
}

unsafe extern "C" fn in_child() {
    GENERATION.fetch_add(1, Ordering::AcqRel);
    let Some(null) = NULL_DEVICE.get() else { return };
    for claimed in [&CLAIMED_INPUT, &CLAIMED_OUTPUT, &CLAIMED_OUTPUT_TOO] {
        let number = claimed.load(Ordering::Acquire);
        if number != NONE {
            // SAFETY: both calls are async-signal-safe; `number` is a descriptor that this crate
            // owns, and its owner keeps a valid descriptor, now of the null device. dup2 drops
            // close-on-exec, so it is set again.
            unsafe {
                libc::dup2(null.as_raw_fd(), number);
                libc::fcntl(number, libc::F_SETFD, libc::FD_CLOEXEC);
            }
        }
    }
}
