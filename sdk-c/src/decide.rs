//! What interceptors and guards decide.

use std::ffi::c_char;

use extline_protocol::Change;
use extline_protocol::frame::ReplaceResult;

use crate::call::{Call, called};
use crate::code::{EXTLINE_ARGUMENT, EXTLINE_JSON, EXTLINE_STATE, ResultCode};
use crate::failure::{Failure, enter};
use crate::ffi::text;
use crate::intercept_chain::Turn;
use crate::tool::json_of;

pub(crate) const TOOL_CALL: &str = "tool_call";
/// Every zot knows the first three.
const POINTS: [&str; 6] = [
    TOOL_CALL,
    "turn_start",
    ASSISTANT_MESSAGE,
    BEFORE_AGENT_START,
    TOOL_RESULT,
    USER_PROMPT_SUBMIT,
];
const TOOL_RESULT: &str = "tool_result";
const USER_PROMPT_SUBMIT: &str = "user_prompt_submit";
const ASSISTANT_MESSAGE: &str = "assistant_message";
const BEFORE_AGENT_START: &str = "before_agent_start";

/// Lets what is about to happen go on, as far as this handler is concerned. `EXTLINE_STATE` for a call
/// that is no intercept, `EXTLINE_ANSWERED` when it is decided. From any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_call_allow(call: *mut Call) -> ResultCode {
    enter(|| {
        // SAFETY: a handle of the caller's.
        let call = unsafe { called(call) }?;
        turn(call)?.decide(call, Ok(Change::None))
    })
}

/// Has it not happen; the model, or the user for a call of the model and a prompt, reads why. A
/// `tool_result` is withheld: the tool has run, and nobody gets what it answered. `before_agent_start`
/// cannot be blocked: `EXTLINE_STATE`. Else as `extline_call_allow`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_call_block(call: *mut Call, reason: *const c_char) -> ResultCode {
    enter(|| {
        // SAFETY: a handle and a text of the caller's.
        let (call, reason) = unsafe { (called(call)?, text(reason, "reason")?) };
        let turn = turn(call)?;
        if turn.point == BEFORE_AGENT_START {
            return Err(Failure::new(EXTLINE_STATE, "the start of an agent cannot be blocked"));
        }
        turn.decide(call, Ok(Change::Block(reason.to_owned())))
    })
}

/// Has a person asked before a tool call happens, who reads why: of a guard, else `EXTLINE_STATE`. Where the
/// host cannot ask, the call does not happen (`guard.ask`). Else as `extline_call_allow`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_call_ask(call: *mut Call, reason: *const c_char) -> ResultCode {
    enter(|| {
        // SAFETY: a handle and a text of the caller's.
        let (call, reason) = unsafe { (called(call)?, text(reason, "reason")?) };
        let turn = turn(call)?;
        if turn.guard.is_none() {
            return Err(Failure::new(EXTLINE_STATE, "only a guard may have a person asked"));
        }
        turn.decide(call, Ok(Change::Ask(reason.to_owned())))
    })
}

/// Lets a tool call go on with other arguments, a JSON object: at the point `tool_call`, not for a guard,
/// else `EXTLINE_STATE`. `EXTLINE_JSON` for anything but an object. Else as `extline_call_allow`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_call_rewrite(call: *mut Call, args: *const c_char) -> ResultCode {
    enter(|| {
        // SAFETY: a handle and a text of the caller's.
        let (call, args) = unsafe { (called(call)?, text(args, "args")?) };
        let turn = turn_at(call, TOOL_CALL)?;
        let args = json_of(args, "args")?;
        if !args.is_object() {
            return Err(Failure::new(EXTLINE_JSON, "the rewritten arguments are no JSON object"));
        }
        turn.decide(call, Ok(Change::Args(args)))
    })
}

/// Lets a message of the model count with another text, a zot takes an empty one for no change; has the
/// agent take another prompt; has the caller of a tool get this text in place of its result's content and
/// value: at the points `assistant_message`, `user_prompt_submit`, `tool_result`, else `EXTLINE_STATE`.
/// Else as `extline_call_allow`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_call_replace_text(
    call: *mut Call,
    text: *const c_char,
) -> ResultCode {
    enter(|| {
        // SAFETY: a handle and a text of the caller's.
        let (call, text) = unsafe { (called(call)?, self::text(text, "text")?) };
        let change = match turn(call)?.point.as_str() {
            USER_PROMPT_SUBMIT => Change::Text(text.to_owned()),
            TOOL_RESULT => Change::Result(ReplaceResult::text(text)),
            _ => {
                turn_at(call, ASSISTANT_MESSAGE)?;
                Change::Text(text.to_owned())
            }
        };
        turn(call)?.decide(call, Ok(change))
    })
}

/// Has the caller of a tool get another result: a JSON object with those of `content` (a list of blocks),
/// `structured_content`, `details` and `is_error` that are to be replaced. What is not there stays; but
/// where there is `content` and no `structured_content`, the old value goes, which says the same
/// (`result.replaced`). At the point `tool_result`, else `EXTLINE_STATE`. `EXTLINE_JSON` for anything but
/// such an object. Else as `extline_call_allow`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_call_replace_result(
    call: *mut Call,
    result: *const c_char,
) -> ResultCode {
    enter(|| {
        // SAFETY: a handle and a text of the caller's.
        let (call, result) = unsafe { (called(call)?, text(result, "result")?) };
        let turn = turn_at(call, TOOL_RESULT)?;
        let unfit = |why| Failure::new(EXTLINE_JSON, format!("the replaced result: {why}"));
        let result = ReplaceResult::parse(json_of(result, "result")?.get()).map_err(unfit)?;
        turn.decide(call, Ok(Change::Result(result)))
    })
}

/// Says that the extension has dealt with a prompt of the user: the agent sends nothing to the model
/// (`prompt.handled`). At the point `user_prompt_submit`, else `EXTLINE_STATE`. Else as
/// `extline_call_allow`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_call_handled(call: *mut Call) -> ResultCode {
    enter(|| {
        // SAFETY: a handle of the caller's.
        let call = unsafe { called(call) }?;
        turn_at(call, USER_PROMPT_SUBMIT)?.decide(call, Ok(Change::Handled))
    })
}

/// Lets an agent start with another system prompt; an empty one removes it: at the point
/// `before_agent_start`, else `EXTLINE_STATE`. Else as `extline_call_allow`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_call_system_prompt(
    call: *mut Call,
    prompt: *const c_char,
) -> ResultCode {
    enter(|| {
        // SAFETY: a handle and a text of the caller's.
        let (call, prompt) = unsafe { (called(call)?, text(prompt, "prompt")?) };
        turn_at(call, BEFORE_AGENT_START)?.decide(call, Ok(Change::SystemPrompt(prompt.to_owned())))
    })
}

/// Nobody is ever asked at another point.
pub(crate) fn must_be_point(point: &str) -> Result<(), Failure> {
    if POINTS.contains(&point) {
        return Ok(());
    }
    let text = format!("there is no point {point:?}; there are {}", POINTS.join(", "));
    Err(Failure::new(EXTLINE_ARGUMENT, text))
}

fn turn(call: &Call) -> Result<&Turn, Failure> {
    let text = || format!("this is the {}: only an interceptor or guard decides", call.label);
    call.turn.as_ref().ok_or_else(|| Failure::new(EXTLINE_STATE, text()))
}

fn turn_at<'c>(call: &'c Call, point: &str) -> Result<&'c Turn, Failure> {
    let turn = turn(call)?;
    if turn.guard.is_some() {
        return Err(Failure::new(EXTLINE_STATE, "a guard may only allow, block or ask"));
    }
    if turn.point != point {
        let text = format!("this belongs to the point {point}, and not to {}", turn.point);
        return Err(Failure::new(EXTLINE_STATE, text));
    }
    Ok(turn)
}
