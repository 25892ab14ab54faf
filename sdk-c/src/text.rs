//! Answers that are text.

use std::ffi::c_char;

use extline_protocol::frame::{Action, CommandResponse, Content};
use extline_protocol::{CallKind, RawJson};

use crate::call::{Call, called};
use crate::code::ResultCode;
use crate::failure::{Failure, enter};
use crate::ffi::{text, text_n};

/// Answers a tool with a text; after a command it is shown to the user; a method returns it as a string.
///
/// `EXTLINE_ANSWERED` when the call has its answer, `EXTLINE_CANCELLED` when the library has answered a
/// cancelled call in the handler's place, `EXTLINE_STATE` for an interceptor or guard,
/// `EXTLINE_TOO_LARGE` when the host takes no frame that long and was told so, `EXTLINE_CLOSED` when the
/// session is over. The text is copied. From any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_call_text(call: *mut Call, text: *const c_char) -> ResultCode {
    enter(|| {
        // SAFETY: a handle and a text of the caller's.
        let (call, text) = unsafe { (called(call)?, self::text(text, "text")?) };
        answer(call, text)
    })
}

/// `extline_call_text` for `len` bytes, which need no NUL behind them and may hold some.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_call_text_n(
    call: *mut Call,
    text: *const c_char,
    len: usize,
) -> ResultCode {
    enter(|| {
        // SAFETY: a handle and a text of the caller's.
        let (call, text) = unsafe { (called(call)?, text_n(text, len, "text")?) };
        answer(call, text)
    })
}

fn answer(call: &Call, text: &str) -> Result<(), Failure> {
    match call.kind() {
        CallKind::Command => {
            let response = CommandResponse::new("".into(), Action::Display);
            call.answer_command(CommandResponse { display: Some(text.to_owned()), ..response })
        }
        CallKind::Request => call.answer(|session, key| {
            // Every string can be written as JSON.
            session.reply_request(key, Ok(RawJson::of(text).unwrap_or_default()))
        }),
        _ => {
            let block = Content::text(text);
            call.answer_tool(|result| result.content.push(block))
        }
    }
}
