//! Dialogs: the person in front of the agent is asked.

use std::ffi::c_char;

use extline_driver::questions::Asked;
use extline_protocol::{RawJson, write_string};

use crate::ask::Answer;
use crate::call::{Call, called};
use crate::code::{EXTLINE_NOT_FOUND, EXTLINE_REMOTE, ResultCode};
use crate::failure::{Failure, enter};
use crate::ffi::{Room, Str, maybe_text, text, texts};

/// Asks the person for a yes or no, and waits for the answer. A dialog that is closed without one, and one
/// that nobody can be shown, is a no. `message` says more, in several lines perhaps; NULL for none.
///
/// The dialog belongs to `call`, the handler's, and closes with it. `EXTLINE_UNSUPPORTED` where the host has
/// no such dialog: `extline_host_serves(ext, "ui.confirm")` tells before. `EXTLINE_REMOTE` when the host
/// refused it; `extline_last_error` says why. For more than this asks, as a time that the person has, see
/// `extline_request`, and for the threads in which it may be called.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_ui_confirm(
    call: *mut Call,
    title: *const c_char,
    message: *const c_char,
    out: *mut bool,
) -> ResultCode {
    enter(|| {
        // SAFETY: a call, texts and room of the caller's.
        let (call, room, title, message) = unsafe {
            let room = Room::new(out, "out")?;
            (called(call)?, room, text(title, "title")?, maybe_text(message, "message")?)
        };
        let mut more = Vec::new();
        if let Some(message) = message {
            more.extend_from_slice(b",\"message\":");
            write_string(message, &mut more);
        }
        let answer = ask(call, "ui.confirm", title, &more)?;
        let is_yes = answer.json.as_ref().and_then(|it| it.bool("/confirmed").ok());
        room.fill(is_yes.unwrap_or(false));
        Ok(())
    })
}

/// Has the person choose one of `count` texts, and gives its position, from 0. `EXTLINE_NOT_FOUND` where the
/// dialog was closed. Else as `extline_ui_confirm`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_ui_select(
    call: *mut Call,
    title: *const c_char,
    options: *const *const c_char,
    count: usize,
    out: *mut usize,
) -> ResultCode {
    enter(|| {
        // SAFETY: a call, texts and room of the caller's.
        let (call, room, title, options) = unsafe {
            let room = Room::new(out, "out")?;
            (called(call)?, room, text(title, "title")?, texts(options, count, "options")?)
        };
        let options = options.unwrap_or_default();
        let mut more = b",\"options\":[".to_vec();
        for (position, option) in options.iter().enumerate() {
            if position > 0 {
                more.push(b',');
            }
            write_string(option, &mut more);
        }
        more.push(b']');
        let answer = ask(call, "ui.select", title, &more)?;
        let chosen = value_of(&answer)?;
        let position = options.iter().position(|option| *option == chosen).ok_or_else(|| {
            Failure::new(EXTLINE_REMOTE, format!("the host chose {chosen:?}, which is no option"))
        })?;
        room.fill(position);
        Ok(())
    })
}

/// Asks the person for a line of text, which may be empty; one that is `secret` is not shown while it is
/// typed. The line lives as long as `call`. `EXTLINE_NOT_FOUND` where the dialog was closed. Else as
/// `extline_ui_confirm`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_ui_input(
    call: *mut Call,
    title: *const c_char,
    secret: bool,
    out: *mut Str,
) -> ResultCode {
    enter(|| {
        // SAFETY: a call, a text and room of the caller's.
        let (call, room, title) = unsafe {
            let room = Room::new(out, "out")?;
            (called(call)?, room, text(title, "title")?)
        };
        let more: &[u8] = if secret { b",\"secret\":true" } else { b"" };
        let answer = ask(call, "ui.input", title, more)?;
        room.fill(call.text.keep(&value_of(&answer)?, false));
        Ok(())
    })
}

/// Asks with a title, and with further members of the parameters.
fn ask(call: &Call, method: &str, title: &str, more: &[u8]) -> Result<Box<Answer>, Failure> {
    let mut params = b"{\"title\":".to_vec();
    write_string(title, &mut params);
    params.extend_from_slice(more);
    params.push(b'}');
    // What it is made of is JSON.
    let params = String::from_utf8(params).ok().map(|params| RawJson::of_part(&params));
    let what = Asked::Request { method, params, timeout_ms: None, wants_parts: false };
    let answer = call.ext.ask_and_wait(Some(call), what, None)?;
    answer.outcome()?;
    Ok(answer)
}

/// What was chosen or typed.
fn value_of(answer: &Answer) -> Result<String, Failure> {
    let value = answer.json.as_ref().and_then(|it| it.at("/value"));
    let value = value.and_then(extline_protocol::read_string);
    let closed = || Failure::new(EXTLINE_NOT_FOUND, "the dialog was closed without an answer");
    value.map(std::borrow::Cow::into_owned).ok_or_else(closed)
}
