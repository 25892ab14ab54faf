//! Setup, teardown, and what the host must offer.

use std::ffi::{c_char, c_void};

use extline_protocol::Requirement;

use crate::callback::{Callback, DropCallback, StageCallback};
use crate::code::{EXTLINE_ARGUMENT, EXTLINE_NULL_POINTER, EXTLINE_STATE, ResultCode};
use crate::extension::{Extension, extension};
use crate::failure::{Failure, enter};
use crate::ffi::text;
use crate::lifecycle::StageFunction;
use crate::state::State;

/// Has `run` called once the host has answered and before it is told what the extension offers
/// (`start.setup`). What is registered in it is offered beside the rest. It should not take long: a host
/// waits for about 3 seconds. When it fails the extension ends, with exit status 1. Several run in the
/// order in which they were given.
///
/// Before the start; later it is `EXTLINE_STATE`. `user` is the library's when this succeeds. From any
/// thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_setup(
    ext: *mut Extension,
    run: StageCallback,
    user: *mut c_void,
    drop: DropCallback,
) -> ResultCode {
    enter(|| {
        // SAFETY: a handle of the caller's.
        let ext = unsafe { extension(ext) }?;
        ext.noting(|| {
            let mut state = ext.lock();
            let run = may_stage(&mut state, run)?;
            state.lifecycle.add_setup(Callback::new(run, user, drop));
            Ok(())
        })
    })
}

/// Has `run` called at the end, once every call is answered: at `shutdown`, at the end of the input, at
/// SIGTERM. What it does must be done 1.25 s after the end began, a second of which a call that is never
/// answered may take (`end.answers`). It does not run when no setup has returned. Several run in the
/// order in which they were given.
///
/// Before the start; later it is `EXTLINE_STATE`. `user` is the library's when this succeeds. From any
/// thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_teardown(
    ext: *mut Extension,
    run: StageCallback,
    user: *mut c_void,
    drop: DropCallback,
) -> ResultCode {
    enter(|| {
        // SAFETY: a handle of the caller's.
        let ext = unsafe { extension(ext) }?;
        ext.noting(|| {
            let mut state = ext.lock();
            let run = may_stage(&mut state, run)?;
            state.lifecycle.add_teardown(Callback::new(run, user, drop));
            Ok(())
        })
    })
}

fn may_stage(state: &mut State, run: StageCallback) -> Result<StageFunction, Failure> {
    if state.live().is_some() {
        let text = "setup and teardown are given before the extension is started";
        return Err(Failure::new(EXTLINE_STATE, text));
    }
    run.ok_or_else(|| Failure::new(EXTLINE_NULL_POINTER, "run is NULL"))
}

/// Declares something that the extension cannot do without. `kind` is `capability` or `method`, with
/// what the host must offer, or `tool`, `command`, `event`, `intercept` or `guard`, with a registration
/// that it must take. Where it does not, the user is notified, a line on stderr says what is missing,
/// and the extension ends with `EXTLINE_REQUIRED` (`report.required`), before setup where that is known
/// by then.
///
/// `EXTLINE_ARGUMENT` for another kind, or a capability that does not exist. What `hello_ack` tells counts
/// where it is declared before the start, a registration also later. From any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_require(
    ext: *mut Extension,
    kind: *const c_char,
    name: *const c_char,
) -> ResultCode {
    enter(|| {
        // SAFETY: a handle of the caller's.
        let ext = unsafe { extension(ext) }?;
        ext.noting(|| {
            // SAFETY: texts of the caller's.
            let (kind, name) = unsafe { (text(kind, "kind")?, text(name, "name")?) };
            let wrong = |text| Failure::new(EXTLINE_ARGUMENT, text);
            ext.lock().registry().require(Requirement::of(kind, name).map_err(wrong)?);
            Ok(())
        })
    })
}
