//! What the poll form and the detached form have in common: running handlers, and the end.

use std::ffi::c_void;
use std::time::Instant;

use extline_stdio::HANG_UP_LOOK;

use crate::callback::{Callback, DropCallback, WakeCallback};
use crate::claim::failure;
use crate::code::{EXTLINE_AGAIN, EXTLINE_CLOSED, EXTLINE_NULL_POINTER, EXTLINE_STATE, ResultCode};
use crate::drive_mode::{DriveMode, Driving, this_thread};
use crate::extension::{Extension, extension};
use crate::failure::{Failure, enter, enter_or};
use crate::running;

/// Does what is due and runs the next handler, in this thread. `EXTLINE_OK` when one ran, so that another
/// may wait; `EXTLINE_AGAIN` when none waits; `EXTLINE_CLOSED` when the session is over: the poll form has
/// written everything then, in the detached form `extline_take_output` may have more. `EXTLINE_STATE`
/// inside a handler, and with `extline_run`. From one thread at a time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_next(ext: *mut Extension) -> ResultCode {
    enter(|| {
        // SAFETY: a handle of the caller's.
        let ext = unsafe { extension(ext) }?;
        if !ext.drive_mode().is_some_and(DriveMode::is_the_program_s) {
            let text = "the extension was not started with extline_start or extline_start_detached";
            return Err(Failure::new(EXTLINE_STATE, text));
        }
        if Driving::is_here(&ext) {
            return Err(Failure::new(EXTLINE_STATE, "a handler cannot run the next one"));
        }
        let mut state = ext.lock();
        state.driver = Some(this_thread());
        state.channel()?.handle_timeout();
        let Some(job) = state.next_job(true) else {
            state.channel()?.write().map_err(failure)?;
            return Err(if state.is_over() {
                Failure::new(EXTLINE_CLOSED, "the session is over")
            } else {
                Failure::new(EXTLINE_AGAIN, "no handler is to run")
            });
        };
        let is_quick = state.is_quick(&job);
        state.channel()?.write_or_hold(is_quick).map_err(failure)?;
        drop(state);
        running::enter(&job);
        let driving = Driving::begin(&ext);
        let began = Instant::now();
        let tool = ext.run(job);
        if let Some(tool) = tool.filter(|_| began.elapsed() >= extline_driver::BATCH) {
            tool.pace.was_slow();
        }
        drop(driving);
        extline_driver::running::leave();
        let mut state = ext.lock();
        let channel = state.channel()?;
        let more_comes = channel.has_events();
        channel.write_or_hold(more_comes).map_err(failure)?;
        Ok(())
    })
}

/// In how many milliseconds at the latest `extline_next` is to be called, though nothing comes: 0 when a
/// handler waits, -1 when nothing is due. -1 before the start and for NULL too. From any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_timeout_ms(ext: *const Extension) -> i32 {
    enter_or(-1, || {
        // SAFETY: a handle of the caller's.
        let ext = unsafe { extension(ext) }?;
        let mut state = ext.lock();
        if state.has_jobs() {
            return Ok(0);
        }
        let channel = state.channel()?;
        // Where bytes are not waited for, their end may come.
        let look = channel.is_full().then(|| Instant::now() + HANG_UP_LOOK);
        let due = [channel.due(), look].into_iter().flatten().min();
        let left = |due: Instant| due.saturating_duration_since(Instant::now()).as_micros();
        // Rounded up, so that it is due by then.
        let left = due.map(|due| left(due).div_ceil(1_000));
        Ok(left.map_or(-1, |left| i32::try_from(left).unwrap_or(i32::MAX)))
    })
}

/// What the process should end with once the session is over: 0, `EXTLINE_TERMINATED` after SIGTERM,
/// `EXTLINE_REQUIRED`, 1 when setup failed; -1 while it goes on, and for NULL. From any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_exit_status(ext: *const Extension) -> i32 {
    enter_or(-1, || {
        // SAFETY: a handle of the caller's.
        let ext = unsafe { extension(ext) }?;
        let code = ext.lock().exit_code();
        Ok(code.map_or(-1, i32::from))
    })
}

/// Has `run` called when another thread has answered a call or said something in the detached form, so
/// that the program calls `extline_next` and `extline_take_output` again: it should do no more than wake
/// the loop. It may be called in any thread and more often than needed. Before the start, later
/// `EXTLINE_STATE`. `user` is the library's when this succeeds.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_on_wake(
    ext: *mut Extension,
    run: WakeCallback,
    user: *mut c_void,
    drop: DropCallback,
) -> ResultCode {
    enter(|| {
        // SAFETY: a handle of the caller's.
        let ext = unsafe { extension(ext) }?;
        let run = run.ok_or_else(|| Failure::new(EXTLINE_NULL_POINTER, "run is NULL"))?;
        let mut state = ext.lock();
        if state.live().is_some() {
            let text = "the extension has been started: give this before extline_start_detached";
            return Err(Failure::new(EXTLINE_STATE, text));
        }
        let before = state.on_wake.replace(Callback::new(run, user, drop));
        // Given back when nothing is locked any more.
        std::mem::drop(state);
        std::mem::drop(before);
        Ok(())
    })
}
