//! Answers that are errors.

use std::ffi::c_char;

use extline_protocol::ErrorKind;
use extline_protocol::frame::ErrorInfo;

use crate::call::{Call, called};
use crate::code::ResultCode;
use crate::failure::{Failure, enter};
use crate::ffi::{Options, maybe_text, options, text, texts};
use crate::tool::word;

/// Why a call failed. Begin it with `EXTLINE_ERROR_OPTIONS_INIT`; what is not set is left out. The texts
/// are copied.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ErrorOptions {
    /// `sizeof(extline_error_options)`, which the INIT macro sets.
    pub struct_size: usize,
    /// What kind of failure it is (`err.codes`): `validation`, `not_found`, `permission`, `stale` are the
    /// model's fault, and the message should tell it how to correct the call; `transient`, `timeout`,
    /// `budget` are the world's; further `cancelled`, `conflict`, `unsupported`, `too_large`, `protocol`,
    /// `internal`, `fatal`.
    pub kind: *const c_char,
    /// What happened, for a person.
    pub message: *const c_char,
    /// JSON pointer of the offending member of the arguments, as `/city`.
    pub field: *const c_char,
    /// What to do about it.
    pub hint: *const c_char,
    /// What led to it, outermost first: `cause_count` texts.
    pub causes: *const *const c_char,
    /// How many there are.
    pub cause_count: usize,
    /// How long to wait before trying again, in milliseconds; 0 says nothing.
    pub retry_after_ms: u64,
}

// SAFETY: NULL pointers and numbers are all zero bytes.
unsafe impl Options for ErrorOptions {}

/// Answers a call of any kind with an error: its kind, one of the words of `extline_error_options`, and a
/// message. After a command the user sees the message; an interceptor or guard has failed, and
/// `on_failure` decides. `EXTLINE_ARGUMENT` for another kind; then the call is not answered. Else as
/// `extline_call_text`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_call_error(
    call: *mut Call,
    kind: *const c_char,
    message: *const c_char,
) -> ResultCode {
    enter(|| {
        // SAFETY: a handle and texts of the caller's.
        let (call, kind, message) =
            unsafe { (called(call)?, text(kind, "kind")?, text(message, "message")?) };
        call.fail(ErrorInfo::new(kind_of(kind)?, message))
    })
}

/// Answers with an error that says more than a message. Else as `extline_call_error`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_call_fail(
    call: *mut Call,
    error: *const ErrorOptions,
) -> ResultCode {
    enter(|| {
        // SAFETY: a handle and options of the caller's.
        let (call, given) = unsafe { (called(call)?, options(error, "error")?) };
        // SAFETY: the texts of the options.
        call.fail(unsafe { info(&given) }?)
    })
}

unsafe fn info(given: &ErrorOptions) -> Result<ErrorInfo, Failure> {
    // SAFETY: texts of the caller's.
    unsafe {
        let kind = kind_of(text(given.kind, "error->kind")?)?;
        let causes = texts(given.causes, given.cause_count, "error->causes")?;
        Ok(ErrorInfo {
            kind,
            message: text(given.message, "error->message")?.to_owned(),
            field: maybe_text(given.field, "error->field")?.map(str::to_owned),
            hint: maybe_text(given.hint, "error->hint")?.map(str::to_owned),
            causes: causes.filter(|causes| !causes.is_empty()),
            retry_after_ms: (given.retry_after_ms > 0).then_some(given.retry_after_ms),
        })
    }
}

fn kind_of(kind: &str) -> Result<ErrorKind, Failure> {
    word(Some(kind.to_owned()), ErrorKind::KNOWN)?;
    Ok(ErrorKind::from(kind))
}
