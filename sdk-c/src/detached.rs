//! The detached form: the program moves the bytes, as a host in the same process or a transport of
//! its own.

use std::ffi::c_void;

use crate::callback::Callback;
use crate::claim;
use crate::code::{EXTLINE_AGAIN, EXTLINE_STATE, ResultCode};
use crate::dispatch::inside;
use crate::drive_mode::{DriveMode, Driving, this_thread};
use crate::extension::{Extension, extension};
use crate::failure::{Failure, enter};
use crate::ffi::{Room, Str, bytes};
use crate::state::WakeFunction;

/// Driven by `extline_next`.
struct Detached(Option<Callback<WakeFunction>>);

impl DriveMode for Detached {
    fn is_driven_here(&self, ext: &Extension) -> bool {
        Driving::is_here(ext)
    }

    fn wake(&self) {
        if let Some(wake) = &self.0 {
            // SAFETY: the author's function, with what it was registered with.
            inside(|| unsafe { (wake.run)(wake.user) });
        }
    }

    fn step_aside(&self, ext: &Extension) -> Result<(), Failure> {
        refuse_to_wait(ext)
    }
}

/// Nobody would read the answer meanwhile.
pub(crate) fn refuse_to_wait(ext: &Extension) -> Result<(), Failure> {
    if !Driving::is_here(ext) && ext.lock().driver != Some(this_thread()) {
        return Ok(());
    }
    let text = "waiting here would stop the loop that reads the answer: use the function that ends \
                with _then, or wait in another thread";
    Err(Failure::new(EXTLINE_STATE, text))
}

/// Begins a session whose bytes the program moves: what comes from the host goes to `extline_feed`,
/// what `extline_take_output` gives goes to the host, and `extline_next` runs the handlers. stdin and
/// stdout are left alone, or given back where `extline_new` took them.
///
/// `EXTLINE_STATE` when the extension was started before; and the first mistake that a registration made,
/// with its code. From any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_start_detached(ext: *mut Extension) -> ResultCode {
    enter(|| {
        // SAFETY: a handle of the caller's.
        let ext = unsafe { extension(ext) }?;
        ext.may_begin()?;
        let on_wake = ext.lock().on_wake.take();
        ext.begin(Box::new(Detached(on_wake)), None)?;
        claim::release();
        Ok(())
    })
}

/// Takes bytes from the host, in pieces of any size. They are copied; no handler runs. From any thread,
/// but in the order in which they came.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_feed(
    ext: *mut Extension,
    data: *const c_void,
    len: usize,
) -> ResultCode {
    enter(|| {
        // SAFETY: a handle and bytes of the caller's.
        let (ext, data) = unsafe { (extension(ext)?, bytes(data, len, "data")?) };
        let mut state = ext.lock();
        state.driver = Some(this_thread());
        state.channel()?.feed(data);
        Ok(())
    })
}

/// The host has closed its end: open calls are cancelled, and the session ends when they are answered.
/// From any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_feed_eof(ext: *mut Extension) -> ResultCode {
    enter(|| {
        // SAFETY: a handle of the caller's.
        let ext = unsafe { extension(ext) }?;
        ext.lock().channel()?.end_input();
        Ok(())
    })
}

/// What is to be written to the host now: whole frames, each with its line end. `EXTLINE_AGAIN` when
/// there is nothing. Take it only when it can be written: until then updates can still be replaced by
/// later ones.
///
/// It is the library's, and valid until the next `extline_take_output` or `extline_free` of this
/// extension. From one thread at a time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_take_output(ext: *mut Extension, out: *mut Str) -> ResultCode {
    enter(|| {
        // SAFETY: a handle and room of the caller's.
        let (ext, room) = unsafe { (extension(ext)?, Room::new(out, "out")?) };
        let mut state = ext.lock();
        let mut taken = std::mem::take(&mut state.taken);
        let has_taken = state.channel().map(|channel| channel.take_batch(&mut taken));
        state.taken = taken;
        if !has_taken? {
            return Err(Failure::new(EXTLINE_AGAIN, "there is nothing to write"));
        }
        // Programs may print it.
        state.taken.push(0);
        room.fill(Str::lend(&state.taken));
        Ok(())
    })
}

/// What was taken cannot be written, because the host is gone: open calls are given up, and the session
/// ends. From any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_output_failed(ext: *mut Extension) -> ResultCode {
    enter(|| {
        // SAFETY: a handle of the caller's.
        let ext = unsafe { extension(ext) }?;
        ext.lock().channel()?.lose_host();
        Ok(())
    })
}
