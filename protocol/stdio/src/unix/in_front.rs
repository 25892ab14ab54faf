//! Hears SIGTERM and SIGINT in front of the program's own handlers.
//!
//! A runtime as Node's takes a signal for itself when its program asks for it, and calls the program back
//! from its event loop: never, while a handler keeps that. So a handler here comes first, rings, and then
//! calls the one that was there.

use std::ffi::{c_int, c_void};
use std::os::fd::{IntoRawFd, OwnedFd, RawFd};
use std::sync::atomic::{AtomicI32, AtomicU32, AtomicUsize, Ordering::SeqCst};
use std::{io, process, ptr};

use libc::{SIGINT, SIGTERM, siginfo_t};

use super::signals::action;
use super::sigterm;

/// What is called behind ours, as the system had it.
struct Behind {
    handler: AtomicUsize,
    flags: AtomicI32,
}

static BEHIND_TERM: Behind = Behind::nobody();
static BEHIND_INT: Behind = Behind::nobody();
/// What the handler writes to. It stays open until the process ends, as a handler may be using it.
static RING: AtomicI32 = AtomicI32::new(NO_RING);
/// The process in which SIGINT has come and is not yet reported.
static INTERRUPTED: AtomicU32 = AtomicU32::new(NOBODY);
const NO_RING: RawFd = -1;
const NOBODY: u32 = 0;

type WithInfo = extern "C" fn(c_int, *mut siginfo_t, *mut c_void);
type Plain = extern "C" fn(c_int);

impl Behind {
    const fn nobody() -> Self {
        Self { handler: AtomicUsize::new(libc::SIG_DFL), flags: AtomicI32::new(0) }
    }

    fn of(signal: c_int) -> &'static Self {
        if signal == SIGTERM { &BEHIND_TERM } else { &BEHIND_INT }
    }
}

/// Puts the handler in front of those that the program has installed. `ours` is the one that hears
/// SIGTERM where the program has none.
pub(super) fn listen(ring: OwnedFd, ours: usize) -> io::Result<()> {
    if RING.load(SeqCst) == NO_RING {
        RING.store(ring.into_raw_fd(), SeqCst);
    }
    for signal in [SIGTERM, SIGINT] {
        let mut action = action(signal)?;
        let in_front = on_signal as WithInfo as usize;
        if [ours, in_front, libc::SIG_DFL, libc::SIG_IGN].contains(&action.sa_sigaction) {
            continue;
        }
        let behind = Behind::of(signal);
        behind.flags.store(action.sa_flags, SeqCst);
        behind.handler.store(action.sa_sigaction, SeqCst);
        action.sa_sigaction = in_front;
        action.sa_flags |= libc::SA_SIGINFO | libc::SA_ONSTACK;
        // SAFETY: the handler calls nothing but what may be called in one, and the handler that was there.
        if unsafe { libc::sigaction(signal, &raw const action, ptr::null_mut()) } != 0 {
            return Err(io::Error::last_os_error());
        }
    }
    Ok(())
}

/// Nobody is rung for any more; the handlers behind are called still.
pub(super) fn listen_no_more() {
    RING.store(NO_RING, SeqCst);
    INTERRUPTED.store(NOBODY, SeqCst);
}

/// Whether SIGINT came since the last call.
pub(super) fn sigint_has_arrived() -> bool {
    INTERRUPTED.swap(NOBODY, SeqCst) == process::id()
}

/// Whether it came and was not asked for since.
pub(super) fn sigint_waits() -> bool {
    INTERRUPTED.load(SeqCst) == process::id()
}

extern "C" fn on_signal(signal: c_int, info: *mut siginfo_t, context: *mut c_void) {
    let process = process::id();
    if sigterm::is_heard_in(process) {
        if signal == SIGTERM {
            sigterm::arrive(process);
        } else {
            INTERRUPTED.store(process, SeqCst);
        }
        ring();
    }
    let behind = Behind::of(signal);
    let handler = behind.handler.load(SeqCst);
    if handler == libc::SIG_DFL || handler == libc::SIG_IGN {
        return;
    }
    if behind.flags.load(SeqCst) & libc::SA_SIGINFO != 0 {
        // SAFETY: the system had it as a handler that takes these.
        let handler = unsafe { std::mem::transmute::<usize, WithInfo>(handler) };
        handler(signal, info, context);
    } else {
        // SAFETY: the system had it as a handler of a signal alone.
        let handler = unsafe { std::mem::transmute::<usize, Plain>(handler) };
        handler(signal);
    }
}

/// Leaves `errno` as it was, which belongs to whoever was interrupted.
fn ring() {
    let before = errno::get();
    // SAFETY: one byte of memory that stays; at worst the descriptor is none.
    unsafe { libc::write(RING.load(SeqCst), [0_u8].as_ptr().cast(), 1) };
    errno::set(before);
}

mod errno {
    use std::ffi::c_int;

    #[cfg(not(target_os = "macos"))]
    use libc::__errno_location as location;
    #[cfg(target_os = "macos")]
    use libc::__error as location;

    pub(super) fn get() -> c_int {
        // SAFETY: the thread's own, which is always there.
        unsafe { *location() }
    }

    pub(super) fn set(value: c_int) {
        // SAFETY: as above.
        unsafe { *location() = value }
    }
}
