//! What a signal would do, and keeping SIGPIPE away from one write.

use std::io;
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::ptr;

use libc::{SIGPIPE, c_int, sigset_t};

/// What the process does on a signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Disposition {
    Default,
    Ignored,
    Handled,
}

/// What the process does on `signal` now.
pub(super) fn disposition(signal: c_int) -> io::Result<Disposition> {
    Ok(match action(signal)?.sa_sigaction {
        libc::SIG_DFL => Disposition::Default,
        libc::SIG_IGN => Disposition::Ignored,
        _ => Disposition::Handled,
    })
}

/// Has the handler of `signal` run on the thread's stack for signals, where it has one. Go wants that
/// of every handler: the stack of a goroutine has no room for one. signal-hook does not ask for it.
pub(super) fn handle_on_signal_stack(signal: c_int) -> io::Result<()> {
    let mut action = action(signal)?;
    action.sa_flags |= libc::SA_ONSTACK;
    // SAFETY: the handler is the one that was there, and where it runs is nothing to it.
    match unsafe { libc::sigaction(signal, &raw const action, ptr::null_mut()) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

pub(super) fn action(signal: c_int) -> io::Result<libc::sigaction> {
    let mut action = MaybeUninit::<libc::sigaction>::uninit();
    // SAFETY: without a new action the call only fills in the current one.
    if unsafe { libc::sigaction(signal, ptr::null(), action.as_mut_ptr()) } != 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the call succeeded, so it has filled the action in.
    Ok(unsafe { action.assume_init() })
}

/// SIGPIPE is blocked in this thread while this value lives.
pub(super) struct SigpipeBlocked {
    /// The mask to put back; `None` when the program blocks SIGPIPE itself.
    before: Option<sigset_t>,
    /// The mask is the thread's, so the value must stay in it.
    not_send: PhantomData<*const ()>,
}

impl SigpipeBlocked {
    pub(super) fn new() -> io::Result<Self> {
        let mut before = MaybeUninit::<sigset_t>::uninit();
        // SAFETY: both sets are valid for the call, which fills `before` in when it succeeds.
        let code = unsafe {
            libc::pthread_sigmask(libc::SIG_BLOCK, &sigpipe_alone(), before.as_mut_ptr())
        };
        if code != 0 {
            return Err(io::Error::from_raw_os_error(code));
        }
        // SAFETY: the call succeeded.
        let before = unsafe { before.assume_init() };
        let before = (!contains_sigpipe(&before)).then_some(before);
        Ok(Self { before, not_send: PhantomData })
    }

    /// Takes away the SIGPIPE that a write has just caused in this thread.
    pub(super) fn discard_pending(&self) {
        if self.before.is_none() {
            return;
        }
        let mut pending = MaybeUninit::<sigset_t>::uninit();
        // SAFETY: the call fills the set in when it succeeds, and only then is it read.
        let is_pending = unsafe {
            libc::sigpending(pending.as_mut_ptr()) == 0
                && contains_sigpipe(pending.assume_init_ref())
        };
        if is_pending {
            let mut taken = 0;
            // SAFETY: SIGPIPE is blocked and pending, so the call takes it and returns at once.
            unsafe { libc::sigwait(&sigpipe_alone(), &raw mut taken) };
        }
    }
}

impl Drop for SigpipeBlocked {
    fn drop(&mut self) {
        if let Some(before) = &self.before {
            // SAFETY: `before` is the mask that this thread had.
            unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, before, ptr::null_mut()) };
        }
    }
}

fn sigpipe_alone() -> sigset_t {
    let mut set = MaybeUninit::<sigset_t>::uninit();
    // SAFETY: sigemptyset initialises the set, and SIGPIPE is a valid signal.
    unsafe {
        libc::sigemptyset(set.as_mut_ptr());
        libc::sigaddset(set.as_mut_ptr(), SIGPIPE);
        set.assume_init()
    }
}

fn contains_sigpipe(set: &sigset_t) -> bool {
    // SAFETY: the set is initialised, and SIGPIPE is a valid signal.
    unsafe { libc::sigismember(set, SIGPIPE) == 1 }
}

#[cfg(test)]
mod tests {
    use libc::SIGUSR2;

    use super::*;

    #[test]
    fn a_handler_is_moved_to_the_stack_for_signals_and_stays_the_same() {
        // SAFETY: the handler does nothing.
        unsafe { signal_hook::low_level::register(SIGUSR2, || ()).unwrap() };
        let before = action(SIGUSR2).unwrap();
        handle_on_signal_stack(SIGUSR2).unwrap();
        let after = action(SIGUSR2).unwrap();
        assert_eq!(after.sa_flags, before.sa_flags | libc::SA_ONSTACK);
        assert_eq!(after.sa_sigaction, before.sa_sigaction);
    }
}
