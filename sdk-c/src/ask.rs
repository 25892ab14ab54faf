//! What an extension asks its host: other tools, and methods.

use std::ffi::{c_char, c_void};
use std::sync::Arc;
use std::thread::{self, Thread};

use extline_driver::Question;
use extline_driver::questions::{self, Asked, Asker, News, Reply};
use extline_protocol::frame::Content;
use extline_protocol::{ErrorKind, ExtensionEvent, Field, RawJson};

use crate::call::Call;
use crate::callback::{AnswerCallback, Callback, DropCallback, PartCallback};
use crate::code::{
    EXTLINE_ARGUMENT, EXTLINE_CANCELLED, EXTLINE_NULL_POINTER, EXTLINE_REMOTE, EXTLINE_TIMEOUT,
    ResultCode,
};
use crate::dispatch::inside;
use crate::extension::{Extension, extension};
use crate::failure::{Failure, enter};
use crate::ffi::{Room, Str, maybe_text, shared, text, with_nul};
use crate::json::Json;
use crate::tool::json_of;

/// What the host, or a tool, answered.
pub struct Answer {
    /// With NULs behind them.
    pub(crate) text: String,
    pub(crate) kind: String,
    pub(crate) json: Option<Json>,
    pub(crate) is_error: bool,
    pub(crate) is_truncated: bool,
    /// Of a function that waited for it.
    code: ResultCode,
}

/// An `AnswerCallback` that is there.
pub(crate) type AnswerFunction = unsafe extern "C" fn(*mut c_void, *mut Extension, *mut Answer);

/// Where an answer goes.
#[derive(Debug)]
pub(crate) enum Waiter {
    /// It is parked.
    Thread(Thread),
    Then(Callback<AnswerFunction>),
}

impl Waiter {
    pub(crate) fn wake(&self) {
        if let Self::Thread(thread) = self {
            thread.unpark();
        }
    }
}

impl Answer {
    fn of(questions::Answer { reply, error }: questions::Answer) -> Self {
        let (is_error, is_truncated) =
            (error.is_some(), matches!(&reply, Reply::Tool(result) if result.truncated));
        let code = error.as_ref().map_or(0, |error| match error.kind {
            ErrorKind::Timeout => EXTLINE_TIMEOUT,
            ErrorKind::Cancelled => EXTLINE_CANCELLED,
            _ => EXTLINE_REMOTE,
        });
        let kind = error.as_ref().map_or_else(String::new, |error| error.kind.as_str().to_owned());
        let failure = error.map(|mut error| {
            // It is in the JSON.
            error.causes = None;
            error.to_string()
        });
        let (text, json) = match reply {
            Reply::Tool(result) => {
                let mut blocks = Vec::new();
                result.content.write(&mut blocks);
                let json = String::from_utf8(blocks).ok().map(Json::new);
                (failure.unwrap_or_else(|| Content::joined(&result.content)), json)
            }
            Reply::Method(json) => {
                let text = || json.as_ref().map_or_else(String::new, ToString::to_string);
                (failure.unwrap_or_else(text), json.map(Json::of))
            }
        };
        Self { text: with_nul(text), kind: with_nul(kind), json, is_error, is_truncated, code }
    }

    /// What a function that waited for it gives back.
    pub(crate) fn outcome(&self) -> Result<(), Failure> {
        if !self.is_error {
            return Ok(());
        }
        Err(Failure::new(self.code, self.text.trim_end_matches('\0')))
    }
}

impl Extension {
    /// Hands an answer over; nobody may want it any more.
    pub(crate) fn deliver(self: &Arc<Self>, event: ExtensionEvent) {
        let taken = { self.lock().questions.take_in(event) };
        let Ok(Some(question)) = taken else { return };
        match &question.waiter {
            Waiter::Then(then) => {
                let Some(News::Answer(answer)) = question.take() else { return };
                let (mut answer, ext) = (Answer::of(answer), Arc::as_ptr(self).cast_mut());
                // SAFETY: the author's function, with what it was registered with.
                inside(|| unsafe { (then.run)(then.user, ext, &raw mut answer) });
            }
            waiter @ Waiter::Thread(_) => waiter.wake(),
        }
    }

    fn ask(
        &self,
        asker: Asker<'_>,
        what: Asked<'_>,
        waiter: impl FnOnce() -> Waiter,
    ) -> Result<Arc<Question<Waiter>>, Failure> {
        let mut state = self.lock();
        let (channel, questions) = state.asking()?;
        let question = questions.ask(&mut channel.session, asker, what, waiter);
        drop(state);
        let question = question.map_err(|error| Failure::refused(&error))?;
        self.flush();
        Ok(question)
    }

    /// Asks and waits; what comes before the answer goes to `on_part`, if anybody wants it.
    pub(crate) fn ask_and_wait(
        &self,
        parent: Option<&Call>,
        what: Asked<'_>,
        on_part: Option<OnPart>,
    ) -> Result<Box<Answer>, Failure> {
        let cancelled = || {
            let label = parent.map_or("call", |call| &call.label);
            Failure::new(EXTLINE_CANCELLED, format!("the {label} was cancelled meanwhile"))
        };
        if parent.is_some_and(Call::is_cancelled) {
            return Err(cancelled());
        }
        self.lock().channel()?;
        if let Some(mode) = self.drive_mode() {
            mode.step_aside(self)?;
        }
        let asker = Asker { is_handler: parent.is_some(), ..asker(parent) };
        let question = self.ask(asker, what, || Waiter::Thread(thread::current()))?;
        loop {
            match question.take() {
                Some(News::Part(part)) => on_part.iter().for_each(|one| one.take(part.get())),
                Some(News::Answer(answer)) => return Ok(Box::new(Answer::of(answer))),
                Some(News::Interrupted) => return Err(cancelled()),
                None => thread::park(),
            }
        }
    }
}

fn asker(parent: Option<&Call>) -> Asker<'_> {
    Asker { call: parent.map(|call| &call.key), is_handler: false }
}

/// A function of the author's that gets the parts of an answer, in the thread that waits.
#[derive(Clone, Copy)]
pub(crate) struct OnPart {
    run: unsafe extern "C" fn(*mut c_void, Str),
    user: *mut c_void,
}

impl OnPart {
    fn take(self, part: &str) {
        let part = with_nul(part.to_owned());
        // SAFETY: the author's function, with what it was given with.
        inside(|| unsafe { (self.run)(self.user, Str::lend(part.as_bytes())) });
    }
}

/// The call that a question belongs to; it must be the extension's.
unsafe fn parent<'c>(ext: &Arc<Extension>, call: *const Call) -> Result<Option<&'c Call>, Failure> {
    // SAFETY: NULL, or a handle of the caller's.
    let call = unsafe { call.as_ref() };
    if call.is_some_and(|call| !Arc::ptr_eq(&call.ext, ext)) {
        return Err(Failure::new(EXTLINE_ARGUMENT, "the call is one of another extension"));
    }
    Ok(call)
}

unsafe fn tool_question<'q>(
    name: *const c_char,
    args: *const c_char,
) -> Result<Asked<'q>, Failure> {
    // SAFETY: texts of the caller's.
    let (name, args) = unsafe { (text(name, "name")?, maybe_text(args, "args")?) };
    let args = args.map_or_else(|| Ok(RawJson::empty_object()), |args| json_of(args, "args"))?;
    Ok(Asked::Tool { name, args })
}

unsafe fn request_question<'q>(
    method: *const c_char,
    params: *const c_char,
    timeout_ms: u64,
    wants_parts: bool,
) -> Result<Asked<'q>, Failure> {
    // SAFETY: texts of the caller's.
    let (method, params) = unsafe { (text(method, "method")?, maybe_text(params, "params")?) };
    let params = params.map(|params| json_of(params, "params")).transpose()?;
    let timeout_ms = (timeout_ms > 0).then_some(timeout_ms);
    Ok(Asked::Request { method, params, timeout_ms, wants_parts })
}

unsafe fn wait(
    ext: *mut Extension,
    call: *mut Call,
    question: Result<Asked<'_>, Failure>,
    on_part: Option<OnPart>,
    out: *mut *mut Answer,
) -> ResultCode {
    enter(|| {
        // SAFETY: handles of the caller's.
        let (ext, parent) = unsafe {
            let ext = extension(ext)?;
            let parent = parent(&ext, call)?;
            (ext, parent)
        };
        // SAFETY: room of the caller's.
        let room = unsafe { Room::new(out, "out") }?;
        // It may be answered, and given back, by another thread meanwhile.
        // SAFETY: a handle of the caller's.
        let _kept =
            parent.map(|call| unsafe { shared(call, "call") }.map(|call| Arc::clone(&call)));
        let answer = ext.ask_and_wait(parent, question?, on_part)?;
        let outcome = answer.outcome();
        if !outcome.as_ref().is_err_and(|failure| failure.code != EXTLINE_REMOTE) {
            room.fill(Box::into_raw(answer));
        }
        outcome
    })
}

unsafe fn then(
    ext: *mut Extension,
    call: *mut Call,
    question: Result<Asked<'_>, Failure>,
    run: AnswerCallback,
    user: *mut c_void,
    drop: DropCallback,
) -> ResultCode {
    enter(|| {
        // SAFETY: handles of the caller's.
        let (ext, parent) = unsafe {
            let ext = extension(ext)?;
            let parent = parent(&ext, call)?;
            (ext, parent)
        };
        let run = run.ok_or_else(|| Failure::new(EXTLINE_NULL_POINTER, "run is NULL"))?;
        let then = || Waiter::Then(Callback::new(run, user, drop));
        ext.ask(asker(parent), question?, then).map(|_| ())
    })
}

/// Calls any tool of the host, built in or another extension's, as the model would, and waits for its
/// answer: guards see it, the user may be asked. `args` is a JSON object, NULL an empty one. In a tool's
/// handler `call` is its call: then what is called belongs to it, and is cancelled with it; else NULL.
///
/// `EXTLINE_OK` and `EXTLINE_REMOTE`, when the tool failed or was refused, give an answer, which the caller
/// frees with `extline_answer_free`. `EXTLINE_UNSUPPORTED` where the host does not offer it,
/// `EXTLINE_CANCELLED`, `EXTLINE_ANSWERED` when `call` has its answer, `EXTLINE_JSON`, `EXTLINE_TOO_LARGE`,
/// `EXTLINE_CLOSED`. From any thread but the one that drives the poll or detached form, the last that called
/// `extline_next`, `extline_step` or `extline_feed`: there it is `EXTLINE_STATE`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_call_tool(
    ext: *mut Extension,
    call: *mut Call,
    name: *const c_char,
    args: *const c_char,
    out: *mut *mut Answer,
) -> ResultCode {
    // SAFETY: as the header says.
    unsafe { wait(ext, call, tool_question(name, args), None, out) }
}

/// Asks the host for something by method, and waits for its answer. `params` is any JSON value, or NULL.
/// `timeout_ms` is how long to wait at most, 0 for ever: `EXTLINE_TIMEOUT`. `EXTLINE_UNSUPPORTED` where the
/// host does not serve the method (`rpc.unsupported-send`). A `call` of any kind may be its parent. Parts
/// that come before the answer are left out: see `extline_request_in_parts`. Else as `extline_call_tool`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_request(
    ext: *mut Extension,
    call: *mut Call,
    method: *const c_char,
    params: *const c_char,
    timeout_ms: u64,
    out: *mut *mut Answer,
) -> ResultCode {
    // SAFETY: as the header says.
    unsafe { wait(ext, call, request_question(method, params, timeout_ms, false), None, out) }
}

/// `extline_request` that gives `part` the parts that come before the answer (`rpc.parts-seq`), each as JSON
/// text, in their order and in this thread, before it returns. `user` stays the caller's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_request_in_parts(
    ext: *mut Extension,
    call: *mut Call,
    method: *const c_char,
    params: *const c_char,
    timeout_ms: u64,
    part: PartCallback,
    user: *mut c_void,
    out: *mut *mut Answer,
) -> ResultCode {
    // SAFETY: as the header says.
    unsafe {
        let question = request_question(method, params, timeout_ms, true);
        let missing = || Failure::new(EXTLINE_NULL_POINTER, "part is NULL");
        let question = question.and_then(|question| part.map(|_| question).ok_or_else(missing));
        wait(ext, call, question, part.map(|run| OnPart { run, user }), out)
    }
}

/// `extline_call_tool` that does not wait: `run` gets the answer, which is the library's and goes when it
/// returns. It is called once, like a handler; when the extension is freed before, `drop` alone is. `user`
/// is the library's when this succeeds. From any thread, in every form.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_call_tool_then(
    ext: *mut Extension,
    call: *mut Call,
    name: *const c_char,
    args: *const c_char,
    run: AnswerCallback,
    user: *mut c_void,
    drop: DropCallback,
) -> ResultCode {
    // SAFETY: as the header says.
    unsafe { then(ext, call, tool_question(name, args), run, user, drop) }
}

/// `extline_request` that does not wait: see `extline_call_tool_then`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_request_then(
    ext: *mut Extension,
    call: *mut Call,
    method: *const c_char,
    params: *const c_char,
    timeout_ms: u64,
    run: AnswerCallback,
    user: *mut c_void,
    drop: DropCallback,
) -> ResultCode {
    // SAFETY: as the header says.
    unsafe { then(ext, call, request_question(method, params, timeout_ms, false), run, user, drop) }
}
