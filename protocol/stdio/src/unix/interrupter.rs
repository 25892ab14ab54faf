//! Ends the wait of one thread in a read, from another thread.
//!
//! Only a signal can do that. It is SIGURG: by default it does nothing, debuggers pass it on without
//! a word, and a program that misses one misses nothing (Go interrupts its threads with it for these
//! reasons). Its handler does nothing either; it only is there, and without `SA_RESTART`, so that a
//! system call that waits returns `EINTR`.

use std::mem::MaybeUninit;
use std::ptr;
use std::{io, process};

use libc::{SIGURG, c_int, pid_t};

/// Ends what one thread waits in: [`Input::read`](super::Input::read) returns
/// [`Received::Interrupted`](crate::Received::Interrupted).
///
/// A copy interrupts the same thread. Usable from any thread, also when that one has ended.
#[derive(Clone, Copy, Debug)]
pub struct Interrupter {
    thread: pid_t,
}

impl Interrupter {
    /// Interrupts the thread that calls this. `None` where the signal is not to be had: the program
    /// handles it itself, or the thread blocks it. (Linux only; `None` elsewhere.)
    pub fn of_this_thread() -> Option<Self> {
        let is_handled = !is_blocked() && handle().unwrap_or(false);
        // SAFETY: the call has no arguments and cannot fail.
        let thread = unsafe { libc::syscall(libc::SYS_gettid) };
        let thread = pid_t::try_from(thread).ok()?;
        is_handled.then_some(Self { thread })
    }

    /// The one that has this [`Interrupter::id`].
    pub(crate) fn of(thread: i32) -> Option<Self> {
        (thread != 0).then_some(Self { thread })
    }

    /// Of its thread, never 0.
    pub(crate) fn id(self) -> i32 {
        self.thread
    }

    /// Ends the system call that the thread waits in now. One that it only is about to make is not
    /// ended, so this is called again, some milliseconds later, until the thread says that it is
    /// back.
    pub fn interrupt(self) {
        // In the child of a fork, and when the thread has ended, no such thread is found.
        // SAFETY: the call has no pointers; at worst the signal reaches another thread of this
        // process, which it does nothing to.
        unsafe { libc::syscall(libc::SYS_tgkill, process::id(), self.thread, SIGURG) };
    }
}

/// Whether our handler is there; not where the program has one.
fn handle() -> io::Result<bool> {
    let mut action = MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: without a new action the call only fills in the current one.
    succeeded(unsafe { libc::sigaction(SIGURG, ptr::null(), action.as_mut_ptr()) })?;
    // SAFETY: a C struct of numbers and pointers, zeroed and filled in.
    let mut action = unsafe { action.assume_init() };
    let ours = on_signal as extern "C" fn(c_int) as libc::sighandler_t;
    if action.sa_sigaction == libc::SIG_DFL || action.sa_sigaction == libc::SIG_IGN {
        action.sa_sigaction = ours;
        // Go and others want it: their stacks have no room for a handler.
        action.sa_flags = libc::SA_ONSTACK;
        // SAFETY: the handler does nothing, which is safe in any thread at any time.
        succeeded(unsafe { libc::sigaction(SIGURG, &raw const action, ptr::null_mut()) })?;
    }
    Ok(action.sa_sigaction == ours)
}

extern "C" fn on_signal(_: c_int) {}

/// Whether this thread blocks the signal, as after a start by a program that blocks it.
fn is_blocked() -> bool {
    let mut mask = MaybeUninit::<libc::sigset_t>::zeroed();
    // SAFETY: without a new set the call only fills in the current one.
    let code = unsafe { libc::pthread_sigmask(libc::SIG_BLOCK, ptr::null(), mask.as_mut_ptr()) };
    // SAFETY: zeroed, and filled in where the call succeeded; the signal is a valid one.
    code != 0 || unsafe { libc::sigismember(mask.as_ptr(), SIGURG) == 1 }
}

fn succeeded(code: c_int) -> io::Result<()> {
    if code == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

#[cfg(test)]
mod tests {
    use std::io::{Write, pipe};
    use std::sync::mpsc::{TryRecvError, channel};
    use std::thread;
    use std::time::Duration;

    use super::*;
    use crate::{Received, Stdio};

    #[test]
    fn a_read_of_another_thread_is_ended_and_the_next_one_works() {
        let (input, mut host) = pipe().unwrap();
        let (_, output) = pipe().unwrap();
        let mut input = Stdio::from_fds(input.into(), output.into()).unwrap().input;
        let (sender, receiver) = channel();
        let reading = thread::spawn(move || {
            sender.send(Interrupter::of_this_thread()).unwrap();
            let mut buffer = [0; 16];
            assert_eq!(input.read(&mut buffer).unwrap(), Received::Interrupted);
            drop(sender);
            // The last interruptions may have come late.
            loop {
                match input.read(&mut buffer).unwrap() {
                    Received::Interrupted => {}
                    other => return other,
                }
            }
        });
        let interrupter = receiver.recv().unwrap().expect("this program leaves SIGURG alone");
        let is_back = || matches!(receiver.try_recv(), Err(TryRecvError::Disconnected));
        while !is_back() {
            interrupter.interrupt();
            thread::sleep(Duration::from_millis(1));
        }
        host.write_all(b"frame").unwrap();
        assert_eq!(reading.join().unwrap(), Received::Data(5));
        interrupter.interrupt();
    }

    #[test]
    fn a_thread_that_blocks_the_signal_cannot_be_interrupted() {
        let blocked = thread::spawn(|| {
            let mut set = MaybeUninit::<libc::sigset_t>::zeroed();
            // SAFETY: the set is initialised by the first call and valid for the others.
            unsafe {
                libc::sigemptyset(set.as_mut_ptr());
                libc::sigaddset(set.as_mut_ptr(), SIGURG);
                libc::pthread_sigmask(libc::SIG_BLOCK, set.as_ptr(), ptr::null_mut());
            }
            Interrupter::of_this_thread().is_none()
        });
        assert!(blocked.join().unwrap());
    }
}
