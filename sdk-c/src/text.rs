//! Answers that are text.

use std::ffi::c_char;

use extline_protocol::frame::{Action, CommandResponse, Content};
use extline_protocol::{CallKind, RawJson};

use crate::call::{Call, called};
use crate::code::{EXTLINE_JSON, ResultCode};
use crate::failure::{Failure, enter};
use crate::ffi::{text, text_n};
use crate::tool::json_of;

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

/// `extline_call_text` for a text that is a JSON string already, with its quotes and escapes, as
/// `extline_args_json` hands one out: it goes to the host as it stands, so a long one is neither unescaped
/// nor escaped, and one that this call has handed out is not even looked at. (After a command it is shown
/// as the text that it stands for.) `EXTLINE_JSON` for a text that is none, and for any other value; the
/// last error says at which column. Then the call is not answered. Else as `extline_call_text`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_call_text_json(
    call: *mut Call,
    json: *const c_char,
) -> ResultCode {
    enter(|| {
        // SAFETY: a handle and a text of the caller's.
        let (call, json) = unsafe { (called(call)?, text(json, "json")?) };
        answer_json(call, string_of(json)?)
    })
}

/// `extline_call_text_json` for `len` bytes, which need no NUL behind them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_call_text_json_n(
    call: *mut Call,
    json: *const c_char,
    len: usize,
) -> ResultCode {
    enter(|| {
        // SAFETY: a handle of the caller's.
        let call = unsafe { called(call)? };
        let string = match call.text.lent(json, len) {
            Some(value) => must_be_string(value)?,
            // SAFETY: a text of the caller's.
            None => string_of(unsafe { text_n(json, len, "json")? })?,
        };
        answer_json(call, string)
    })
}

fn string_of(json: &str) -> Result<RawJson, Failure> {
    must_be_string(json_of(json, "json")?)
}

fn must_be_string(json: RawJson) -> Result<RawJson, Failure> {
    if json.get().starts_with('"') {
        return Ok(json);
    }
    let text = "json: a string is expected, with its quotes; extline_call_json takes any value";
    Err(Failure::new(EXTLINE_JSON, text))
}

fn answer_json(call: &Call, string: RawJson) -> Result<(), Failure> {
    match call.kind() {
        CallKind::Command => answer(call, &string.string("").unwrap_or_default()),
        CallKind::Request => call.answer_request(string),
        _ => {
            let block = Content::TextJson(string);
            call.answer_tool(|result| result.content.push(block))
        }
    }
}

fn answer(call: &Call, text: &str) -> Result<(), Failure> {
    match call.kind() {
        CallKind::Command => {
            let response = CommandResponse::new("".into(), Action::Display);
            call.answer_command(CommandResponse { display: Some(text.to_owned()), ..response })
        }
        // Every string can be written as JSON.
        CallKind::Request => call.answer_request(RawJson::of(text).unwrap_or_default()),
        _ => {
            let block = Content::text(text);
            call.answer_tool(|result| result.content.push(block))
        }
    }
}
