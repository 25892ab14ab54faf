//! Keeping a call beyond its handler, and what is known of it.

use std::sync::Arc;
use std::time::Instant;

use extline_protocol::{CallKind, ExtensionSession};

use crate::call::{Call, Names, called};
use crate::callback::{Callback, CancelCallback, DropCallback};
use crate::code::{EXTLINE_CANCELLED, EXTLINE_NULL_POINTER, EXTLINE_STATE, ResultCode};
use crate::extension::Extension;
use crate::failure::{Failure, enter, enter_or};
use crate::ffi::{Str, with_nul};
use crate::json::Json;

use std::ffi::c_void;
use std::time::Duration;

/// Keeps a call beyond its handler, to be answered later and from any thread; gives the same call back.
/// Each is given back by one `extline_call_release`. NULL for NULL.
///
/// A handler that returns without having answered or kept its call has it answered with an `internal`
/// error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_call_retain(call: *mut Call) -> *mut Call {
    enter_or(std::ptr::null_mut(), || {
        // SAFETY: a handle of the caller's.
        let kept = unsafe { called(call) }?;
        if !kept.keep() {
            return Err(Failure::new(EXTLINE_STATE, "the call has been given back already"));
        }
        // SAFETY: the handle is counted, and counted back by `extline_call_release`.
        unsafe { Arc::increment_strong_count(call) };
        Ok(call)
    })
}

/// Gives a call back that was kept; it must not be used after that. When nobody else keeps it and it has
/// no answer, it is answered with an `internal` error. NULL is ignored. From any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_call_release(call: *mut Call) {
    enter_or((), || {
        if call.is_null() {
            return Ok(());
        }
        // SAFETY: a handle of the caller's.
        let kept = unsafe { called(call) }?;
        if !kept.let_go() {
            let text =
                "the call is not kept: release what extline_call_retain gave, once each time";
            return Err(Failure::new(EXTLINE_STATE, text));
        }
        // SAFETY: counted by `extline_call_retain`.
        unsafe { Arc::decrement_strong_count(call) };
        Ok(())
    });
}

/// Whether the host no longer wants the answer, or the extension ends. The call is answered all the
/// same. False for NULL. From any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_call_cancelled(call: *const Call) -> bool {
    // SAFETY: a handle of the caller's.
    enter_or(false, || unsafe { called(call) }.map(Call::is_cancelled))
}

/// Has `run` called once when the call is cancelled; at once, in this thread, when it was already. It
/// may be called in any thread, never under a lock of the library's. `drop` gives `user` back when the
/// call has its answer or `run` has returned.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_call_on_cancel(
    call: *mut Call,
    run: CancelCallback,
    user: *mut c_void,
    drop: DropCallback,
) -> ResultCode {
    enter(|| {
        // SAFETY: a handle of the caller's.
        let call = unsafe { called(call) }?;
        let run = run.ok_or_else(|| Failure::new(EXTLINE_NULL_POINTER, "run is NULL"))?;
        call.on_cancel(Callback::new(run, user, drop));
        Ok(())
    })
}

/// Waits for so many milliseconds, or until the call is cancelled: `EXTLINE_CANCELLED`. Other calls go on
/// meanwhile, except in the poll form when the thread is the loop's own. From any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_call_sleep_ms(call: *mut Call, milliseconds: u32) -> ResultCode {
    enter(|| {
        // SAFETY: a handle of the caller's.
        let call = unsafe { called(call) }?;
        let until = Instant::now() + Duration::from_millis(milliseconds.into());
        if call.wait_until(until) {
            let text = format!("the {} was cancelled", call.label);
            return Err(Failure::new(EXTLINE_CANCELLED, text));
        }
        Ok(())
    })
}

/// The id of the call, as the host chose it. It lives as long as the call. Empty for NULL. From any
/// thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_call_id(call: *const Call) -> Str {
    // SAFETY: a handle of the caller's.
    enter_or(Str::EMPTY, || {
        let names = names(unsafe { called(call) }?);
        Ok(Str::lend(names.id.as_bytes()))
    })
}

/// What is called: the tool, the command, the point of an interceptor, the guard, the method. It lives
/// as long as the call. Empty for NULL. From any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_call_name(call: *const Call) -> Str {
    // SAFETY: a handle of the caller's.
    enter_or(Str::EMPTY, || {
        let names = names(unsafe { called(call) }?);
        Ok(Str::lend(names.name.as_bytes()))
    })
}

fn names(call: &Call) -> &Names {
    call.names.get_or_init(|| Names {
        id: with_nul(call.key.id().as_str().to_owned()),
        name: with_nul(call.name().to_owned()),
    })
}

/// The id of the conversation that a tool call belongs to; empty where the host does not say it. It
/// lives as long as the call. Empty for NULL. From any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_call_session_id(call: *const Call) -> Str {
    // SAFETY: a handle of the caller's.
    enter_or(Str::EMPTY, || {
        let call = unsafe { called(call) }?;
        Ok(call.session_id.as_ref().map_or(Str::EMPTY, |id| Str::lend(id.as_bytes())))
    })
}

/// Names what a tool's call does, where the agent would make it again after a crash: then with the same
/// key. A tool that tells a service passes it on, so that nothing is done twice. It lives as long as the
/// call. Empty where the host does not say it, and for NULL. From any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_call_operation_key(call: *const Call) -> Str {
    // SAFETY: a handle of the caller's.
    enter_or(Str::EMPTY, || {
        let call = unsafe { called(call) }?;
        Ok(call.operation_key.as_ref().map_or(Str::EMPTY, |key| Str::lend(key.as_bytes())))
    })
}

/// Whether the agent only asks what became of the call of that key, of a tool whose `replay` is
/// `reconcile`: do nothing, and answer by `extline_call_json` with `{"state":"completed"}` and what the
/// call gave, `{"state":"not_started"}` or `{"state":"unknown"}` (`tool.reconcile`). False for NULL. From
/// any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_call_reconcile(call: *const Call) -> bool {
    // SAFETY: a handle of the caller's.
    enter_or(false, || Ok(unsafe { called(call) }?.reconcile))
}

/// How many milliseconds the host still waits; 0 when the time is up, -1 where it does not say it, and
/// for NULL. They stand still while a person is asked on behalf of the call. From any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_call_deadline_ms(call: *const Call) -> i64 {
    // SAFETY: a handle of the caller's.
    enter_or(-1, || {
        let call = unsafe { called(call) }?;
        let left = |deadline: Instant| deadline.saturating_duration_since(Instant::now());
        let given = call.deadline;
        let now = |session: &mut ExtensionSession| session.deadline(&call.key, Instant::now());
        // One that is answered has none any more.
        let moved = given.and_then(|_| call.ext.tell(now).flatten());
        let left = moved.or(given).map(|deadline| left(deadline).as_millis());
        Ok(left.map_or(-1, |left| i64::try_from(left).unwrap_or(i64::MAX)))
    })
}

/// The extension that the call came to; NULL when it has been freed, and for NULL. It belongs to whoever
/// made it, as before. From any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_call_extension(call: *const Call) -> *mut Extension {
    // SAFETY: a handle of the caller's.
    enter_or(std::ptr::null_mut(), || {
        let ext = &unsafe { called(call) }?.ext;
        let is_freed = ext.lock().is_freed;
        Ok(if is_freed { std::ptr::null_mut() } else { Arc::as_ptr(ext).cast_mut() })
    })
}

/// The JSON of the call: the arguments of a tool, the parameters of a method, the frame of an intercept;
/// NULL for a command, which has text. It belongs to the call. From any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_call_args(call: *const Call) -> *const Json {
    // SAFETY: a handle of the caller's.
    enter_or(std::ptr::null(), || {
        let call = unsafe { called(call) }?;
        if call.kind() == CallKind::Command {
            let text = "a command has text, which its handler gets, and no JSON";
            return Err(Failure::new(EXTLINE_STATE, text));
        }
        Ok(std::ptr::from_ref(&call.text))
    })
}
