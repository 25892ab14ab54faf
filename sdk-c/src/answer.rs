//! Looking at what the host, or a tool, answered.

use crate::ask::Answer;
use crate::failure::enter_or;
use crate::ffi::{Str, given};
use crate::json::Json;

/// Whether it is an error: the tool failed or was refused, the host refused the request. True for NULL.
/// From one thread at a time, as all that looks at an answer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_answer_is_error(answer: *const Answer) -> bool {
    // SAFETY: a handle of the caller's.
    enter_or(true, || unsafe { given(answer, "answer") }.map(|answer| answer.is_error))
}

/// Whether the host left a part of the content out (`call.truncated`). False for NULL. From one thread
/// at a time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_answer_truncated(answer: *const Answer) -> bool {
    // SAFETY: a handle of the caller's.
    enter_or(false, || unsafe { given(answer, "answer") }.map(|answer| answer.is_truncated))
}

/// The text: of a tool every block of text, a line break between two; of a request its result as JSON
/// text; of an error its message. It lives as long as the answer. Empty for NULL. From one
/// thread at a time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_answer_text(answer: *const Answer) -> Str {
    enter_or(Str::EMPTY, || {
        // SAFETY: a handle of the caller's.
        Ok(Str::lend(unsafe { given(answer, "answer") }?.text.as_bytes()))
    })
}

/// What kind of error it is (`err.codes`), `internal` for a tool that failed; empty for none, and for
/// NULL. It lives as long as the answer. From one thread at a time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_answer_error_kind(answer: *const Answer) -> Str {
    enter_or(Str::EMPTY, || {
        // SAFETY: a handle of the caller's.
        Ok(Str::lend(unsafe { given(answer, "answer") }?.kind.as_bytes()))
    })
}

/// As JSON: of a tool its blocks, an array; of a request its result, or what an error says for programs,
/// and NULL when that is nothing. It belongs to the answer. From one thread at a time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_answer_json(answer: *const Answer) -> *const Json {
    enter_or(std::ptr::null(), || {
        // SAFETY: a handle of the caller's.
        let json = unsafe { given(answer, "answer") }?.json.as_ref();
        Ok(json.map_or(std::ptr::null(), std::ptr::from_ref))
    })
}

/// Frees an answer that `extline_call_tool` or `extline_request` gave. NULL is ignored. Once, from any
/// thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_answer_free(answer: *mut Answer) {
    enter_or((), || {
        if !answer.is_null() {
            // SAFETY: from `Box::into_raw`, and not used any more.
            drop(unsafe { Box::from_raw(answer) });
        }
        Ok(())
    });
}
