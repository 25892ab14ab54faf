//! What interceptors and guards decide.

use std::ffi::c_char;

use extline_protocol::Change;

use crate::call::{Call, called};
use crate::code::{EXTLINE_ARGUMENT, EXTLINE_JSON, EXTLINE_STATE, ResultCode};
use crate::failure::{Failure, enter};
use crate::ffi::text;
use crate::intercept_chain::Turn;
use crate::tool::json_of;

pub(crate) const TOOL_CALL: &str = "tool_call";
/// Every zot knows the first three.
const POINTS: [&str; 4] = [TOOL_CALL, "turn_start", ASSISTANT_MESSAGE, BEFORE_AGENT_START];
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

/// Has it not happen; the model, or the user for a call of the model, reads why. `before_agent_start`
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

/// Lets a message of the model count with another text: at the point `assistant_message`, else
/// `EXTLINE_STATE`. A zot takes an empty one for no change. Else as `extline_call_allow`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_call_replace_text(
    call: *mut Call,
    text: *const c_char,
) -> ResultCode {
    enter(|| {
        // SAFETY: a handle and a text of the caller's.
        let (call, text) = unsafe { (called(call)?, self::text(text, "text")?) };
        turn_at(call, ASSISTANT_MESSAGE)?.decide(call, Ok(Change::Text(text.to_owned())))
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
