//! Answers that are text.

use std::ffi::c_char;

use extline_protocol::CallKind;
use extline_protocol::frame::{Action, CommandResponse, Content, ToolResult};

use crate::call::Call;
use crate::code::{EXTLINE_STATE, ResultCode};
use crate::failure::{Failure, enter};
use crate::ffi::{given, text, text_n};

/// Answers the call of a tool with a text; a command shows it to the user.
///
/// `EXTLINE_ANSWERED` when it has its answer, `EXTLINE_CANCELLED` when the library has answered a
/// cancelled call in the handler's place, `EXTLINE_STATE` for another kind of call. The text is copied.
/// From any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_call_text(call: *mut Call, text: *const c_char) -> ResultCode {
    enter(|| {
        // SAFETY: a handle and a text of the caller's.
        let (call, text) = unsafe { (given(call, "call")?, self::text(text, "text")?) };
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
        let (call, text) = unsafe { (given(call, "call")?, text_n(text, len, "text")?) };
        answer(call, text)
    })
}

fn answer(call: &Call, text: &str) -> Result<(), Failure> {
    match call.kind() {
        CallKind::Tool => call.answer_tool(ToolResult::new("".into(), vec![Content::text(text)])),
        CallKind::Command => {
            let response = CommandResponse::new("".into(), Action::Display);
            call.answer_command(CommandResponse { display: Some(text.to_owned()), ..response })
        }
        _ => Err(Failure::new(EXTLINE_STATE, "only a tool or a command is answered with a text")),
    }
}
