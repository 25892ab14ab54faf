//! Secrets that the manifest declares.

use std::ffi::c_char;

use extline_driver::questions::Asked;
use extline_driver::secrets::elsewhere;
use extline_protocol::{RawJson, read_string, write_string};

use crate::call::{Call, called};
use crate::code::{EXTLINE_NOT_FOUND, EXTLINE_REMOTE, ResultCode};
use crate::failure::{Failure, enter};
use crate::ffi::{Room, Str, text};

/// Gives a secret that "permissions": {"secrets": [...]} in `extension.json` declares, and waits for it. The text
/// lives as long as `call`, the handler's; print and log it nowhere.
///
/// `EXTLINE_REMOTE` when the host refused it, as one that is not declared or not set: `extline_last_error` says why
/// and what sets it. Under a host that keeps no secrets it is the environment variable of that name, and
/// `EXTLINE_NOT_FOUND` where that is not set. Else as `extline_request`, also for the threads in which it may be
/// called.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_secret(
    call: *mut Call,
    name: *const c_char,
    out: *mut Str,
) -> ResultCode {
    enter(|| {
        // SAFETY: a call, a text and room of the caller's.
        let (call, room, name) =
            unsafe { (called(call)?, Room::new(out, "out")?, text(name, "name")?) };
        let value = value_of(call, name)?;
        room.fill(call.text.keep(&value, false));
        Ok(())
    })
}

fn value_of(call: &Call, name: &str) -> Result<String, Failure> {
    const METHOD: &str = "secret.get";
    let found = call.ext.lock().channel().map(|it| elsewhere(&it.session, METHOD, name))?;
    if let Some(found) = found {
        return found.map_err(|error| Failure::new(EXTLINE_NOT_FOUND, &*error.message));
    }
    let mut params = b"{\"name\":".to_vec();
    write_string(name, &mut params);
    params.push(b'}');
    // What it is made of is JSON.
    let params = String::from_utf8(params).ok().map(|params| RawJson::of_part(&params));
    let what = Asked::Request { method: METHOD, params, timeout_ms: None, wants_parts: false };
    let answer = call.ext.ask_and_wait(Some(call), what, None)?;
    answer.outcome()?;
    let value = answer.json.as_ref().and_then(|it| it.at("/value")).and_then(read_string);
    let wrong = || Failure::new(EXTLINE_REMOTE, "the host answered secret.get without a value");
    value.map(std::borrow::Cow::into_owned).ok_or_else(wrong)
}
