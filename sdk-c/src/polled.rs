//! The poll form: the program waits with poll, epoll, kqueue or select, in a loop of its own.

use std::ffi::c_int;
use std::sync::Arc;
use std::time::Duration;

use extline_stdio::{Error, Stdio, Waker};

use crate::claim::{self, failure};
use crate::code::{EXTLINE_CLOSED, EXTLINE_STATE, ResultCode};
use crate::detached::refuse_to_wait;
use crate::drive_mode::{DriveMode, Driving, this_thread};
use crate::extension::{Extension, extension};
use crate::failure::{Failure, enter, enter_or};
use crate::ffi::Room;
use crate::state::State;

/// The read descriptor: the host has sent something, or closed its end.
pub const EXTLINE_READ: u32 = 1;
/// The write descriptor: the host takes more.
pub const EXTLINE_WRITE: u32 = 2;
/// The wake descriptor: another thread has said something, or SIGTERM has come.
pub const EXTLINE_WAKE: u32 = 4;

struct Polled(Waker);

impl DriveMode for Polled {
    fn is_driven_here(&self, ext: &Extension) -> bool {
        Driving::is_here(ext)
    }

    fn wake(&self) {
        self.0.wake();
    }

    fn step_aside(&self, ext: &Extension) -> Result<(), Failure> {
        refuse_to_wait(ext)
    }
}

/// Begins a session over stdin and stdout that a loop of the program's drives, and says hello. The loop
/// waits for the descriptors of `extline_fds` that `extline_interest` names, but no longer than
/// `extline_timeout_ms`; then it calls `extline_step`, and `extline_next` until that is not `EXTLINE_OK`.
/// At `EXTLINE_CLOSED` it ends, with `extline_exit_status`.
///
/// Stdout belongs to the protocol: what is printed lands on stderr. SIGTERM ends the extension in order.
/// From 1.5 s after the host asked for the end the process ends, whatever still runs (`end.hard`).
///
/// `EXTLINE_STATE` when the extension was started before, or another of this process has stdin and
/// stdout, `EXTLINE_IO` when one of them is closed; and the first mistake that a registration made, with
/// its code. From any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_start(ext: *mut Extension) -> ResultCode {
    enter(|| {
        // SAFETY: a handle of the caller's.
        let ext = unsafe { extension(ext) }?;
        ext.may_begin()?;
        let Stdio { mut input, output } = claim::take()?;
        match input.listen_for_sigterm() {
            // Another session of this process listens; then the signal is that one's.
            Ok(()) | Err(Error::AlreadyListening) => {}
            Err(error) => return Err(failure(error)),
        }
        ext.begin(Box::new(Polled(input.waker())), Some(output))?;
        let mut state = ext.lock();
        state.input = Some(input);
        state.process = Arc::downgrade(&ext);
        state.channel()?.write().map_err(failure)?;
        Ok(())
    })
}

/// The descriptors to wait for: to read, to write, and one that is readable when another thread has said
/// something or SIGTERM has come. Each may be NULL. They stay the library's: nobody else reads or writes
/// them, and nobody closes them. They are the same until the end. `EXTLINE_STATE` in another form. From any
/// thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_fds(
    ext: *mut Extension,
    read_fd: *mut c_int,
    write_fd: *mut c_int,
    wake_fd: *mut c_int,
) -> ResultCode {
    enter(|| {
        // SAFETY: a handle of the caller's.
        let ext = unsafe { extension(ext) }?;
        let descriptors = descriptors(&mut ext.lock())?;
        for (out, descriptor) in [read_fd, write_fd, wake_fd].into_iter().zip(descriptors) {
            if !out.is_null() {
                // SAFETY: room of the caller's.
                unsafe { Room::new(out, "out") }?.fill(descriptor);
            }
        }
        Ok(())
    })
}

#[cfg(unix)]
fn descriptors(state: &mut State) -> Result<[c_int; 3], Failure> {
    use std::os::fd::{AsFd, AsRawFd};

    let input = state.input.as_ref().ok_or_else(not_polled)?;
    let (read, wake) = (input.as_fd().as_raw_fd(), input.doorbell().as_raw_fd());
    let write = state.channel()?.output().ok_or_else(not_polled)?.as_fd().as_raw_fd();
    Ok([read, write, wake])
}

#[cfg(not(unix))]
fn descriptors(_state: &mut State) -> Result<[c_int; 3], Failure> {
    Err(failure(Error::Unsupported))
}

/// Which of the descriptors to wait for now, as the sum of `EXTLINE_READ`, `EXTLINE_WRITE` and
/// `EXTLINE_WAKE`. It changes with every step, handler and word said. Do not wait for one that is not
/// named: a host that has closed its end would wake the loop for ever. 0 in another form, and for NULL.
/// From any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_interest(ext: *const Extension) -> u32 {
    enter_or(0, || {
        // SAFETY: a handle of the caller's.
        let ext = unsafe { extension(ext) }?;
        let mut state = ext.lock();
        if state.input.is_none() {
            return Err(not_polled());
        }
        let channel = state.channel()?;
        let read = if channel.may_read() { EXTLINE_READ } else { 0 };
        let write = if channel.is_said() { 0 } else { EXTLINE_WRITE };
        Ok(read | write | EXTLINE_WAKE)
    })
}

/// Reads and writes what goes without waiting, and does what is due; no handler runs. `ready` is what the
/// wait has reported, as the sum of `EXTLINE_READ`, `EXTLINE_WRITE` and `EXTLINE_WAKE`: 0 when the time was
/// up, and all three do no harm. `EXTLINE_CLOSED` when the session is over and everything is written. From
/// one thread at a time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_step(ext: *mut Extension, ready: u32) -> ResultCode {
    enter(|| {
        // SAFETY: a handle of the caller's.
        let ext = unsafe { extension(ext) }?;
        if Driving::is_here(&ext) {
            return Err(Failure::new(EXTLINE_STATE, "a handler cannot drive its own session"));
        }
        let mut state = ext.lock();
        state.driver = Some(this_thread());
        step(&mut state, ready)?;
        if state.is_over() {
            return Err(Failure::new(EXTLINE_CLOSED, "the session is over"));
        }
        Ok(())
    })
}

fn step(state: &mut State, ready: u32) -> Result<(), Failure> {
    let mut input = state.input.take().ok_or_else(not_polled)?;
    let stepped = (|| {
        let channel = state.channel()?;
        let is_rung = ready & EXTLINE_WAKE != 0;
        let sigterm = is_rung && input.wait(Some(Duration::ZERO)).map_err(failure)?.sigterm;
        let is_readable = ready & EXTLINE_READ != 0;
        channel.take_in(&mut input, (sigterm, is_readable)).map_err(failure)?;
        // Answers to what has been read wait for their handlers.
        if ready & EXTLINE_WRITE != 0 || !channel.has_events() {
            channel.write().map_err(failure)?;
        }
        Ok(())
    })();
    state.input = Some(input);
    stepped
}

fn not_polled() -> Failure {
    Failure::new(EXTLINE_STATE, "the extension was not started with extline_start")
}
