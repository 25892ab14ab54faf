//! Results of several parts: blocks, details, effects. What was added goes with whatever answers.

use std::ffi::{c_char, c_void};

use extline_protocol::frame::{Content, Effect, ToolResult};
use extline_protocol::{CallKind, Field};

use crate::call::{Call, called};
use crate::code::{EXTLINE_JSON, ResultCode};
use crate::failure::{Failure, enter};
use crate::ffi::{bytes, text, text_n};
use crate::tool::{json_of, word};

/// Adds a block of text to the result of a tool. `EXTLINE_STATE` for another kind of call,
/// `EXTLINE_ANSWERED` when it has its answer. The text is copied. What is added is sent by
/// `extline_call_finish`, or in front of what another function answers with. From any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_call_add_text(call: *mut Call, text: *const c_char) -> ResultCode {
    enter(|| {
        // SAFETY: a handle and a text of the caller's.
        let (call, text) = unsafe { (called(call)?, self::text(text, "text")?) };
        add(call, |result| result.content.push(Content::text(text)))
    })
}

/// `extline_call_add_text` for `len` bytes, which need no NUL behind them and may hold some.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_call_add_text_n(
    call: *mut Call,
    text: *const c_char,
    len: usize,
) -> ResultCode {
    enter(|| {
        // SAFETY: a handle and a text of the caller's.
        let (call, text) = unsafe { (called(call)?, text_n(text, len, "text")?) };
        add(call, |result| result.content.push(Content::text(text)))
    })
}

/// Adds an image: the `len` bytes of a file of that media type. Else as `extline_call_add_text`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_call_add_image(
    call: *mut Call,
    data: *const c_void,
    len: usize,
    mime_type: *const c_char,
) -> ResultCode {
    enter(|| {
        // SAFETY: a handle, bytes and a text of the caller's.
        let (call, data, mime_type) =
            unsafe { (called(call)?, bytes(data, len, "data")?, text(mime_type, "mime_type")?) };
        add(call, |result| result.content.push(Content::image(data, mime_type)))
    })
}

/// Adds a JSON value: as structured content, and as a block of text. A result holds one such value; a
/// second one takes its place. `EXTLINE_JSON` for a text that is none. Else as `extline_call_add_text`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_call_add_json(call: *mut Call, json: *const c_char) -> ResultCode {
    enter(|| {
        // SAFETY: a handle and a text of the caller's.
        let (call, json) = unsafe { (called(call)?, text(json, "json")?) };
        let json = json_of(json, "json")?;
        add(call, |result| result.push_value(json))
    })
}

/// Sets what only the user sees of a result, not the model: any JSON value. Else as
/// `extline_call_add_json`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_call_details(call: *mut Call, json: *const c_char) -> ResultCode {
    enter(|| {
        // SAFETY: a handle and a text of the caller's.
        let (call, json) = unsafe { (called(call)?, text(json, "json")?) };
        let json = json_of(json, "json")?;
        add(call, |result| result.details = Some(json))
    })
}

/// Sets how a person is shown a result, in place of its text, by a host that shows views (docs/views.md):
/// `{"kind":"table","columns":["file","lines"],"rows":[["a.c",12]]}`. Else as `extline_call_add_json`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_call_view(call: *mut Call, json: *const c_char) -> ResultCode {
    enter(|| {
        // SAFETY: a handle and a text of the caller's.
        let (call, json) = unsafe { (called(call)?, text(json, "json")?) };
        let json = json_of(json, "json")?;
        add(call, |result| result.view = Some(json))
    })
}

/// Says what the call did to the world (`tool.effects`): a JSON array of effects, as
/// `[{"kind":"file","op":"create","path":"notes.md"}]`; those of several calls of this function add up.
/// Failures have effects too. Else as `extline_call_add_json`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_call_effects(call: *mut Call, json: *const c_char) -> ResultCode {
    enter(|| {
        // SAFETY: a handle and a text of the caller's.
        let (call, json) = unsafe { (called(call)?, text(json, "json")?) };
        let effects = Vec::<Effect>::read(json_of(json, "json")?.get())
            .map_err(|error| Failure::new(EXTLINE_JSON, format!("the effects: {error}")))?;
        add(call, |result| result.effects.get_or_insert_default().extend(effects))
    })
}

/// Has the host offer a deferred tool to the model from now on. Else as `extline_call_add_text`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_call_activate(call: *mut Call, tool: *const c_char) -> ResultCode {
    enter(|| {
        // SAFETY: a handle and a text of the caller's.
        let (call, tool) = unsafe { (called(call)?, text(tool, "tool")?) };
        add(call, |result| result.activate_tools.get_or_insert_default().push(tool.to_owned()))
    })
}

/// Says how far the content may be trusted: `untrusted` for what others wrote, such as a web page, or
/// `trusted`. `EXTLINE_ARGUMENT` for another word. Else as `extline_call_add_text`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_call_trust(call: *mut Call, word: *const c_char) -> ResultCode {
    enter(|| {
        // SAFETY: a handle and a text of the caller's.
        let (call, said) = unsafe { (called(call)?, text(word, "word")?) };
        let trust = self::word(Some(said.to_owned()), &["trusted", "untrusted"])?;
        add(call, |result| result.trust = trust)
    })
}

/// Answers a tool with what was added. Else as `extline_call_text`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_call_finish(call: *mut Call) -> ResultCode {
    // SAFETY: a handle of the caller's.
    enter(|| unsafe { called(call) }?.answer_tool(|_| ()))
}

fn add(call: &Call, add: impl FnOnce(&mut ToolResult)) -> Result<(), Failure> {
    call.must_be(CallKind::Tool, "only the result of a tool has parts")?;
    call.must_be_open()?;
    let mut draft = call.draft();
    add(draft.get_or_insert_with(|| Box::new(ToolResult::new("".into(), Vec::new()))));
    Ok(())
}
