//! The arguments of a call, for handlers without a JSON library: what does not fit is answered.

use std::ffi::c_char;

use extline_protocol::frame::ErrorInfo;
use extline_protocol::{ArgsFailure, CallKind};

use crate::call::{Call, called};
use crate::code::{EXTLINE_STATE, EXTLINE_VALIDATION, ResultCode};
use crate::failure::{Failure, enter, enter_or};
use crate::ffi::{Room, Str, text};
use crate::json::{Json, Unfit, pointer_of};

/// Reads one value for an entry, and answers when it is not there.
unsafe fn read<T>(
    call: *mut Call,
    pointer: *const c_char,
    out: *mut T,
    read: impl for<'j> FnOnce(&'j Json, &str) -> Result<T, Unfit<'j>>,
) -> ResultCode {
    enter(|| {
        // SAFETY: a handle and a text of the caller's.
        let (call, pointer) = unsafe { (called(call)?, text(pointer, "pointer")?) };
        // SAFETY: room of the caller's.
        let room = unsafe { Room::new(out, "out") }?;
        let pointer = pointer_of(pointer)?;
        if call.kind() == CallKind::Command {
            let text = "a command has text, which its handler gets, and no arguments in JSON";
            return Err(Failure::new(EXTLINE_STATE, text));
        }
        match read(&call.text, pointer) {
            Ok(value) => {
                room.fill(value);
                Ok(())
            }
            Err(unfit) => {
                let failure = match unfit {
                    Unfit::Missing => ArgsFailure::missing(),
                    Unfit::Type(wanted, found) => ArgsFailure::types([wanted], found),
                };
                let error = ErrorInfo::invalid_args(pointer, &failure.to_string());
                let told = error.message.clone();
                call.fail(error)?;
                Err(Failure::new(EXTLINE_VALIDATION, told))
            }
        }
    })
}

/// The string at a JSON pointer (RFC 6901) in the arguments, `/city` for the member `city`, its escapes
/// resolved. When nothing or no string is there the call is answered with a `validation` error that
/// names the member, and this is `EXTLINE_VALIDATION`: the handler returns. (In an interceptor or guard
/// the handler has failed, and `on_failure` decides.) A text that is no pointer is `EXTLINE_ARGUMENT`.
///
/// The string lives as long as the call. From any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_args_string(
    call: *mut Call,
    pointer: *const c_char,
    out: *mut Str,
) -> ResultCode {
    // SAFETY: as the header says.
    unsafe { read(call, pointer, out, Json::string) }
}

/// The whole number at a pointer in the arguments, `3.0` among them. Else as `extline_args_string`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_args_int(
    call: *mut Call,
    pointer: *const c_char,
    out: *mut i64,
) -> ResultCode {
    // SAFETY: as the header says.
    unsafe { read(call, pointer, out, Json::int) }
}

/// The number at a pointer in the arguments. Else as `extline_args_string`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_args_double(
    call: *mut Call,
    pointer: *const c_char,
    out: *mut f64,
) -> ResultCode {
    // SAFETY: as the header says.
    unsafe { read(call, pointer, out, Json::double) }
}

/// The boolean at a pointer in the arguments. Else as `extline_args_string`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_args_bool(
    call: *mut Call,
    pointer: *const c_char,
    out: *mut bool,
) -> ResultCode {
    // SAFETY: as the header says.
    unsafe { read(call, pointer, out, Json::bool) }
}

/// How many elements the array at a pointer in the arguments has: the first is at `/list/0`. Else as
/// `extline_args_string`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_args_length(
    call: *mut Call,
    pointer: *const c_char,
    out: *mut usize,
) -> ResultCode {
    // SAFETY: as the header says.
    unsafe { read(call, pointer, out, Json::length) }
}

/// The value at a pointer in the arguments as JSON text, whatever its type and as the model wrote it.
/// Else as `extline_args_string`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_args_json(
    call: *mut Call,
    pointer: *const c_char,
    out: *mut Str,
) -> ResultCode {
    // SAFETY: as the header says.
    unsafe { read(call, pointer, out, Json::text) }
}

/// Whether something is at a pointer in the arguments, `null` included; it answers nothing, so it is
/// asked before what may be left out is read. False for NULL and a text that is no pointer. From any
/// thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_args_has(call: *const Call, pointer: *const c_char) -> bool {
    enter_or(false, || {
        // SAFETY: a handle and a text of the caller's.
        let (call, pointer) = unsafe { (called(call)?, text(pointer, "pointer")?) };
        Ok(call.kind() != CallKind::Command && call.text.at(pointer_of(pointer)?).is_some())
    })
}
