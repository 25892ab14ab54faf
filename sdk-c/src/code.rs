//! Result codes: stable numbers, and their names.

use std::ffi::{CStr, c_char};

/// What became of a call: `EXTLINE_OK`, or one of the other `EXTLINE_...` codes. A number is never
/// used for another meaning later; new ones may be added, so treat an unknown one as a failure.
pub type ResultCode = i32;

/// It worked.
pub const EXTLINE_OK: ResultCode = 0;
/// A pointer that must not be NULL is.
pub const EXTLINE_NULL_POINTER: ResultCode = 1;
/// A text is not UTF-8.
pub const EXTLINE_UTF8: ResultCode = 2;
/// A value is not allowed: a name, a level, a `struct_size`, a pointer into JSON.
pub const EXTLINE_ARGUMENT: ResultCode = 3;
/// A text is not JSON, or no object where one is needed.
pub const EXTLINE_JSON: ResultCode = 4;
/// There is one of that name already.
pub const EXTLINE_DUPLICATE: ResultCode = 5;
/// Not now, or not for this: started twice, a block of a result for a command.
pub const EXTLINE_STATE: ResultCode = 6;
/// The call has its answer already.
pub const EXTLINE_ANSWERED: ResultCode = 7;
/// The arguments are wrong, and the call has been answered with that.
pub const EXTLINE_VALIDATION: ResultCode = 8;
/// A text or frame is over a limit.
pub const EXTLINE_TOO_LARGE: ResultCode = 9;
/// Nothing is there.
pub const EXTLINE_NOT_FOUND: ResultCode = 10;
/// What is there is of another type.
pub const EXTLINE_TYPE: ResultCode = 11;
/// The call was cancelled, and nobody waits for its answer any more.
pub const EXTLINE_CANCELLED: ResultCode = 20;
/// The host does not do that.
pub const EXTLINE_UNSUPPORTED: ResultCode = 21;
/// It did not come in time.
pub const EXTLINE_TIMEOUT: ResultCode = 22;
/// The session is over, or the host is gone.
pub const EXTLINE_CLOSED: ResultCode = 23;
/// The operating system refused.
pub const EXTLINE_IO: ResultCode = 24;
/// Nothing to do now.
pub const EXTLINE_AGAIN: ResultCode = 25;
/// The host or a tool answered with an error; the answer says it.
pub const EXTLINE_REMOTE: ResultCode = 26;
/// In the child of a fork nobody may talk to the host.
pub const EXTLINE_FORKED: ResultCode = 27;
/// The host does not offer what the extension requires; a good exit status too.
pub const EXTLINE_REQUIRED: ResultCode = 78;
/// A defect of this library; the handle is of no use any more.
pub const EXTLINE_PANIC: ResultCode = 99;
/// SIGTERM ended the session; a good exit status too.
pub const EXTLINE_TERMINATED: ResultCode = 143;

/// The name of a code, as `NULL_POINTER` for 1; `UNKNOWN` for a number that is none. It is never NULL
/// and lives as long as the program. From any thread.
#[unsafe(no_mangle)]
pub extern "C" fn extline_result_name(code: ResultCode) -> *const c_char {
    name_of(code).as_ptr()
}

pub(crate) fn name_of(code: ResultCode) -> &'static CStr {
    match code {
        EXTLINE_OK => c"OK",
        EXTLINE_NULL_POINTER => c"NULL_POINTER",
        EXTLINE_UTF8 => c"UTF8",
        EXTLINE_ARGUMENT => c"ARGUMENT",
        EXTLINE_JSON => c"JSON",
        EXTLINE_DUPLICATE => c"DUPLICATE",
        EXTLINE_STATE => c"STATE",
        EXTLINE_ANSWERED => c"ANSWERED",
        EXTLINE_VALIDATION => c"VALIDATION",
        EXTLINE_TOO_LARGE => c"TOO_LARGE",
        EXTLINE_NOT_FOUND => c"NOT_FOUND",
        EXTLINE_TYPE => c"TYPE",
        EXTLINE_CANCELLED => c"CANCELLED",
        EXTLINE_UNSUPPORTED => c"UNSUPPORTED",
        EXTLINE_TIMEOUT => c"TIMEOUT",
        EXTLINE_CLOSED => c"CLOSED",
        EXTLINE_IO => c"IO",
        EXTLINE_AGAIN => c"AGAIN",
        EXTLINE_REMOTE => c"REMOTE",
        EXTLINE_FORKED => c"FORKED",
        EXTLINE_REQUIRED => c"REQUIRED",
        EXTLINE_PANIC => c"PANIC",
        EXTLINE_TERMINATED => c"TERMINATED",
        _ => c"UNKNOWN",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_its_name() {
        assert_eq!(name_of(0), c"OK");
        assert_eq!(name_of(EXTLINE_TERMINATED), c"TERMINATED");
        assert_eq!(name_of(-1), c"UNKNOWN");
    }
}
