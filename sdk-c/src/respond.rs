//! What a command answers.

use std::ffi::c_char;

use extline_protocol::frame::{Action, CommandResponse};

use crate::call::{Call, called};
use crate::code::{EXTLINE_JSON, ResultCode};
use crate::failure::{Failure, enter};
use crate::ffi::text;
use crate::panel::{PanelContent, panel_of};
use crate::tool::json_of;

/// Answers a command by submitting a prompt to the model. `EXTLINE_STATE` for another kind of call. Else
/// as `extline_call_text`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_respond_prompt(
    call: *mut Call,
    prompt: *const c_char,
) -> ResultCode {
    // SAFETY: as the header says.
    unsafe { respond(call, prompt, Action::Prompt, |frame, text| frame.prompt = Some(text)) }
}

/// Answers a command by putting text into the user's editor. Else as `extline_respond_prompt`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_respond_insert(
    call: *mut Call,
    text: *const c_char,
) -> ResultCode {
    // SAFETY: as the header says.
    unsafe { respond(call, text, Action::Insert, |frame, text| frame.insert = Some(text)) }
}

/// Answers a command by showing text to the user. Else as `extline_respond_prompt`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_respond_display(
    call: *mut Call,
    text: *const c_char,
) -> ResultCode {
    // SAFETY: as the header says.
    unsafe { respond(call, text, Action::Display, |frame, text| frame.display = Some(text)) }
}

/// Answers a command that failed; the user sees the message. Else as `extline_respond_prompt`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_respond_error(
    call: *mut Call,
    message: *const c_char,
) -> ResultCode {
    // SAFETY: as the header says.
    unsafe { respond(call, message, Action::Noop, |frame, text| frame.error = Some(text)) }
}

/// Answers a command after which nothing is to happen. Else as `extline_respond_prompt`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_respond_noop(call: *mut Call) -> ResultCode {
    enter(|| {
        // SAFETY: a handle of the caller's.
        let call = unsafe { called(call) }?;
        call.answer_command(CommandResponse::new("".into(), Action::Noop))
    })
}

/// Answers a command by opening a panel; what happens in it goes to the handlers of `extline_panel`. Else
/// as `extline_respond_prompt`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_respond_open_panel(
    call: *mut Call,
    panel: *const PanelContent,
) -> ResultCode {
    enter(|| {
        // SAFETY: a handle and options of the caller's.
        let (call, panel) = unsafe { (called(call)?, panel_of(panel)?) };
        let response = CommandResponse::new("".into(), Action::OpenPanel);
        call.answer_command(CommandResponse { open_panel: Some(panel), ..response })
    })
}

/// Answers a command by submitting a prompt as if the model had called a tool with these arguments, a
/// JSON object. A host that may not know this gets the prompt alone (`command.tool-prompt`).
/// `EXTLINE_JSON` for arguments that are none. Else as `extline_respond_prompt`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_respond_tool_prompt(
    call: *mut Call,
    tool: *const c_char,
    args: *const c_char,
    prompt: *const c_char,
) -> ResultCode {
    enter(|| {
        // SAFETY: a handle and texts of the caller's.
        let (call, tool, args, prompt) = unsafe {
            (called(call)?, text(tool, "tool")?, text(args, "args")?, text(prompt, "prompt")?)
        };
        let args = json_of(args, "args")?;
        if !args.is_object() {
            return Err(Failure::new(EXTLINE_JSON, "args is no JSON object"));
        }
        let response = CommandResponse::new("".into(), Action::ToolPrompt);
        call.answer_command(CommandResponse {
            prompt: Some(prompt.to_owned()),
            tool_name: Some(tool.to_owned()),
            tool_args: Some(args),
            ..response
        })
    })
}

unsafe fn respond(
    call: *mut Call,
    said: *const c_char,
    action: Action,
    fill: impl FnOnce(&mut CommandResponse, String),
) -> ResultCode {
    enter(|| {
        // SAFETY: a handle and a text of the caller's.
        let (call, text) = unsafe { (called(call)?, text(said, "text")?) };
        let mut response = CommandResponse::new("".into(), action);
        fill(&mut response, text.to_owned());
        call.answer_command(response)
    })
}
