//! Answers that are one value: JSON, an image, nothing.

use std::ffi::{c_char, c_void};

use extline_protocol::frame::{Action, CommandResponse, Content};
use extline_protocol::{CallKind, RawJson};

use crate::call::{Call, called};
use crate::code::{EXTLINE_STATE, ResultCode};
use crate::failure::{Failure, enter};
use crate::ffi::{bytes, maybe_text, text, text_n};
use crate::tool::json_of;

/// Answers a tool with a JSON value, whole as structured content and as text for models and hosts that
/// know only text; a method returns it. `EXTLINE_JSON` for a text that is none, `EXTLINE_ARGUMENT` for what
/// `gated_by` of a tool cannot answer, and then the call is not answered. Else as `extline_call_text`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_call_json(call: *mut Call, json: *const c_char) -> ResultCode {
    enter(|| {
        // SAFETY: a handle and a text of the caller's.
        let (call, json) = unsafe { (called(call)?, text(json, "json")?) };
        answer(call, json)
    })
}

/// `extline_call_json` for `len` bytes, which need no NUL behind them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_call_json_n(
    call: *mut Call,
    json: *const c_char,
    len: usize,
) -> ResultCode {
    enter(|| {
        // SAFETY: a handle and a text of the caller's.
        let (call, json) = unsafe { (called(call)?, text_n(json, len, "json")?) };
        answer(call, json)
    })
}

/// Answers a tool with an image: the `len` bytes of a file of that media type, as `image/png`. The bytes
/// are copied. Else as `extline_call_text`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_call_image(
    call: *mut Call,
    data: *const c_void,
    len: usize,
    mime_type: *const c_char,
) -> ResultCode {
    enter(|| {
        // SAFETY: a handle, bytes and a text of the caller's.
        let (call, data, mime_type) =
            unsafe { (called(call)?, bytes(data, len, "data")?, text(mime_type, "mime_type")?) };
        call.answer_tool(|result| result.content.push(Content::image(data, mime_type)))
    })
}

/// Answers without a value: no content of a tool (but what was added before), nothing to do after a
/// command, `null` of a method. Else as `extline_call_text`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_call_none(call: *mut Call) -> ResultCode {
    enter(|| {
        // SAFETY: a handle of the caller's.
        let call = unsafe { called(call) }?;
        match call.kind() {
            CallKind::Command => call.answer_command(CommandResponse::new("".into(), Action::Noop)),
            CallKind::Request => call.answer_request(RawJson::null()),
            _ => call.answer_tool(|_| ()),
        }
    })
}

/// Answers `gated_by` of a tool: `policy` is `prompt`, the user is to be asked, `allow`, nobody is, or
/// `deny`, the call must not run. `reason` says why, for the user; NULL leaves it to `approval_reason`.
/// `EXTLINE_ARGUMENT` for another policy, and then the call is not answered; `EXTLINE_STATE` for a call of
/// another kind. Else as `extline_call_text`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_call_advise(
    call: *mut Call,
    policy: *const c_char,
    reason: *const c_char,
) -> ResultCode {
    enter(|| {
        // SAFETY: a handle and texts of the caller's.
        let (call, policy) = unsafe { (called(call)?, text(policy, "policy")?) };
        // SAFETY: as above.
        let reason = unsafe { maybe_text(reason, "reason") }?;
        if !call.is_about_approval {
            let text = format!("this is the {}: only a tool's gated_by is answered so", call.label);
            return Err(Failure::new(EXTLINE_STATE, text));
        }
        let json = |text| RawJson::of(text).unwrap_or_default();
        let (policy, reason) = (json(policy), reason.map(json).unwrap_or_default());
        answer(call, &format!("{{\"policy\":{policy},\"reason\":{reason}}}"))
    })
}

fn answer(call: &Call, json: &str) -> Result<(), Failure> {
    let json = json_of(json, "json")?;
    if call.kind() == CallKind::Request {
        return call.answer_request(json);
    }
    call.answer_tool(|result| result.push_value(json))
}
