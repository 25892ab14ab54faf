//! What an extension says unasked: notes, log lines, prompts, how a call stands.

use std::ffi::c_char;

use extline_protocol::frame::{Content, ErrorInfo, Level, Progress};
use extline_protocol::{CallKind, RequestError, Update};

use crate::call::{Call, called};
use crate::code::{EXTLINE_JSON, ResultCode};
use crate::extension::{Extension, extension};
use crate::failure::{Failure, enter};
use crate::ffi::{Options, maybe_text, options, text};
use crate::tool::{json_of, word};

/// Shows the user a note. The level is `debug`, `info`, `success`, `warn` or `error`, else
/// `EXTLINE_ARGUMENT`. `EXTLINE_STATE` before the start, `EXTLINE_CLOSED` when the session is over. From
/// any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_notify(
    ext: *mut Extension,
    level: *const c_char,
    text: *const c_char,
) -> ResultCode {
    enter(|| {
        // SAFETY: a handle and texts of the caller's.
        let (ext, level, note) =
            unsafe { (extension(ext)?, self::text(level, "level")?, self::text(text, "text")?) };
        let level = level_of(level)?;
        ext.say(|session| session.notify(level, note))
    })
}

/// Takes the extension's notes back (an addition of mid-2026). Else as `extline_notify`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_clear_notes(ext: *mut Extension) -> ResultCode {
    enter(|| {
        // SAFETY: a handle of the caller's.
        let ext = unsafe { extension(ext) }?;
        ext.say(extline_protocol::ExtensionSession::clear_notes)
    })
}

/// Writes a line to the host's log, or to stderr where the host keeps none. `fields` are values that
/// belong to it, a JSON object, or NULL. Else as `extline_notify`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_log(
    ext: *mut Extension,
    level: *const c_char,
    text: *const c_char,
    fields: *const c_char,
) -> ResultCode {
    enter(|| {
        // SAFETY: a handle and texts of the caller's.
        let (ext, level, line, fields) = unsafe {
            (
                extension(ext)?,
                self::text(level, "level")?,
                self::text(text, "text")?,
                maybe_text(fields, "fields")?,
            )
        };
        let level = level_of(level)?;
        let fields = fields.map(|fields| json_of(fields, "fields")).transpose()?;
        if fields.as_ref().is_some_and(|fields| !fields.is_object()) {
            return Err(Failure::new(EXTLINE_JSON, "fields is no JSON object"));
        }
        ext.say(|session| session.log(level, line, fields))
    })
}

/// Queues a prompt for the model (an addition of mid-2026). Else as `extline_notify`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_submit(ext: *mut Extension, text: *const c_char) -> ResultCode {
    enter(|| {
        // SAFETY: a handle and a text of the caller's.
        let (ext, prompt) = unsafe { (extension(ext)?, self::text(text, "text")?) };
        ext.say(|session| session.submit(prompt))
    })
}

/// Runs a slash command as if the user had typed it, its slash in front (an addition of mid-2026). Else
/// as `extline_notify`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_submit_slash(
    ext: *mut Extension,
    text: *const c_char,
) -> ResultCode {
    enter(|| {
        // SAFETY: a handle and a text of the caller's.
        let (ext, line) = unsafe { (extension(ext)?, self::text(text, "text")?) };
        ext.say(|session| session.submit_slash(line))
    })
}

/// How a call stands. Begin it with `EXTLINE_UPDATE_OPTIONS_INIT`; what is not set is left out. The texts
/// are copied.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct UpdateOptions {
    /// `sizeof(extline_update_options)`, which the INIT macro sets.
    pub struct_size: usize,
    /// What is being done.
    pub message: *const c_char,
    /// The text of the result so far.
    pub text: *const c_char,
    /// What is counted, as `files`.
    pub unit: *const c_char,
    /// More for the user's eyes: any JSON value.
    pub details: *const c_char,
    /// Units done; unsaid where `total` is 0 too.
    pub done: f64,
    /// Units in all; 0 where nobody knows.
    pub total: f64,
    /// How a person is shown it, in place of the text, by a host that shows views: a view as JSON
    /// (docs/views.md).
    pub view: *const c_char,
}

// SAFETY: NULL pointers and numbers are all zero bytes.
unsafe impl Options for UpdateOptions {}

/// Shows how a tool call stands, in a word for the user. It never waits: of several within 50 ms the last
/// is sent (`update.rate`), and nothing is where the host does not know updates. `EXTLINE_ANSWERED` when
/// it has its answer, `EXTLINE_STATE` for another kind of call. The text is copied. From any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_call_update(
    call: *mut Call,
    message: *const c_char,
) -> ResultCode {
    enter(|| {
        // SAFETY: a handle and a text of the caller's.
        let (call, message) = unsafe { (called(call)?, text(message, "message")?) };
        let progress = Progress { message: Some(message.to_owned()), ..Progress::default() };
        show(call, Update { progress: Some(progress), ..Update::default() })
    })
}

/// Shows more of how a tool call stands. `EXTLINE_JSON` for details or a view that are no JSON. Else as
/// `extline_call_update`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_call_update_with(
    call: *mut Call,
    update: *const UpdateOptions,
) -> ResultCode {
    enter(|| {
        // SAFETY: a handle and options of the caller's.
        let (call, given) = unsafe { (called(call)?, options(update, "update")?) };
        // SAFETY: the texts of the options.
        show(call, unsafe { update_of(&given) }?)
    })
}

unsafe fn update_of(given: &UpdateOptions) -> Result<Update, Failure> {
    // SAFETY: texts of the caller's.
    let (message, text, unit, details, view) = unsafe {
        (
            maybe_text(given.message, "update->message")?.map(str::to_owned),
            maybe_text(given.text, "update->text")?,
            maybe_text(given.unit, "update->unit")?.map(str::to_owned),
            maybe_text(given.details, "update->details")?,
            maybe_text(given.view, "update->view")?,
        )
    };
    let details = details.map(|details| json_of(details, "update->details")).transpose()?;
    let view = view.map(|view| json_of(view, "update->view")).transpose()?;
    let is_said = given.done != 0.0 || given.total != 0.0;
    let done = is_said.then_some(given.done);
    let total = (given.total != 0.0).then_some(given.total);
    let progress = Progress { done, total, unit, message };
    Ok(Update {
        content: text.map(|text| vec![Content::text(text)]),
        details,
        view,
        progress: (progress != Progress::default()).then_some(progress),
    })
}

fn show(call: &Call, update: Update) -> Result<(), Failure> {
    call.must_be(CallKind::Tool, "only the call of a tool shows how it stands")?;
    let open = call.must_be_open();
    // The end of the session is told first.
    call.ext.say(|session| {
        if open.is_ok() {
            session.update(&call.key, update);
        }
    })?;
    open
}

/// Sends a part of a method's answer before the answer, any JSON value. In `extline_run` it waits while the
/// host does not take what was said, `EXTLINE_CANCELLED` when the call is cancelled meanwhile. Where the
/// program drives, or every thread waits, it is `EXTLINE_AGAIN` while 16 parts are not written
/// (`rpc.parts-ahead`). `EXTLINE_STATE` for another kind of call, `EXTLINE_ANSWERED` when it has its answer,
/// `EXTLINE_TOO_LARGE`. From any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_call_part(call: *mut Call, json: *const c_char) -> ResultCode {
    enter(|| {
        // SAFETY: a handle and a text of the caller's.
        let (call, json) = unsafe { (called(call)?, text(json, "json")?) };
        call.must_be(CallKind::Request, "only the answer of a method has parts")?;
        let part = json_of(json, "json")?;
        call.ext.wait_for_room(call)?;
        let sent = call.ext.say(|session| session.send_part(Some(&call.key), part))?;
        sent.map_err(|error: RequestError| Failure::refused(&ErrorInfo::from(&error)))
    })
}

fn level_of(level: &str) -> Result<Level, Failure> {
    word(Some(level.to_owned()), Level::KNOWN)?;
    Ok(Level::from(level))
}
