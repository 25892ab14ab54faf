//! What the host tells, asks about and requests: events, interceptors, guards, methods.

use std::ffi::{c_char, c_void};
use std::sync::Arc;

use extline_protocol::RegistrationError;
use extline_protocol::frame::{Event as EventFrame, EventFilter, Frame, OnFailure};

use crate::callback::{CallCallback, Callback, DropCallback, EventCallback};
use crate::code::{EXTLINE_ARGUMENT, EXTLINE_NULL_POINTER, EXTLINE_STATE, ResultCode};
use crate::decide::{TOOL_CALL, must_be_point};
use crate::dispatch::inside;
use crate::extension::{Extension, extension};
use crate::failure::{Failure, enter, enter_or};
use crate::ffi::{Str, given, text, with_nul};
use crate::json::Json;
use crate::state::State;
use crate::tool::{mistake, word};

/// Something that happened. It is lent to its handlers.
pub struct Event {
    /// With a NUL behind it.
    name: String,
    payload: Json,
}

/// An `EventCallback` that is there.
pub(crate) type EventFunction = unsafe extern "C" fn(*mut c_void, *mut Extension, *const Event);

/// One of an event's.
#[derive(Clone)]
pub(crate) struct EventHandler {
    run: Arc<Callback<EventFunction>>,
    /// Of which tools it is told; all where it is absent.
    filter: Option<EventFilter>,
}

/// Has `run` called when the event happens. Events are handled one at a time in their order
/// (`order.events`); several handlers of one event are called in the order in which they were given.
/// Until setup has returned, later `EXTLINE_STATE`. `user` is the library's when this succeeds. From any
/// thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_on(
    ext: *mut Extension,
    event: *const c_char,
    run: EventCallback,
    user: *mut c_void,
    drop: DropCallback,
) -> ResultCode {
    // SAFETY: as the header says.
    unsafe {
        register(ext, event, "event", run, &mut |state, name, run| {
            listen(state, name, None, Callback::new(run, user, drop));
            Ok(())
        })
    }
}

/// As `extline_on`, for `count` tools alone: of an event about a tool, as `tool_call` or `tool_result`. `*`
/// in a name stands for any text. A host that can sends no others; under any other the library keeps them
/// away. `EXTLINE_ARGUMENT` for an event that is about no tool, for no tools, and for a name with a backslash
/// before another character than `*` and `\`. From any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_on_tools(
    ext: *mut Extension,
    event: *const c_char,
    tools: *const *const c_char,
    count: usize,
    run: EventCallback,
    user: *mut c_void,
    drop: DropCallback,
) -> ResultCode {
    // SAFETY: as the header says.
    unsafe {
        register(ext, event, "event", run, &mut |state, name, run| {
            let mut names = Vec::new();
            for at in 0..count {
                // SAFETY: so many texts of the caller's.
                names.push(text(*given(tools.wrapping_add(at), "tools")?, "tool")?.to_owned());
            }
            let filter = EventFilter::of_tools(&name, names).map_err(mistake)?;
            listen(state, name, Some(filter), Callback::new(run, user, drop));
            Ok(())
        })
    }
}

fn listen(
    state: &mut State,
    event: String,
    filter: Option<EventFilter>,
    run: Callback<EventFunction>,
) {
    state.registry().subscribe().listen(&event, filter.as_ref());
    let handler = EventHandler { run: Arc::new(run), filter };
    state.events.entry(event).or_default().push(handler);
}

/// Has the host ask before something happens, at one of its points: `tool_call`, `turn_start`,
/// `assistant_message`, `before_agent_start`, `tool_result`, `user_prompt_submit`. The host stands still
/// meanwhile, so the handler should decide soon, by `extline_call_allow`, `_block`, `_ask`, `_rewrite`,
/// `_replace_text`, `_replace_result`, `_handled` or `_system_prompt`; its text and `extline_call_args` are
/// the frame, with `/tool_name`, `/tool_args`, `/text`, `/result` and the like. Several
/// handlers of one point are asked in the order in which they were given, each on what the one before
/// made of it; a block ends it. Then the guards are asked.
///
/// One that fails or takes longer than the host waits, less 500 ms, is answered as `extline_on_failure`
/// says (`intercept.failure`). `EXTLINE_ARGUMENT` for another point. Until setup has returned, later `EXTLINE_STATE`. `user` is the library's
/// when this succeeds. From any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_intercept(
    ext: *mut Extension,
    point: *const c_char,
    run: CallCallback,
    user: *mut c_void,
    drop: DropCallback,
) -> ResultCode {
    // SAFETY: as the header says.
    unsafe {
        register(ext, point, "point", run, &mut |state, name, run| {
            must_be_point(&name)?;
            state.registry().subscribe().add("intercept", &name);
            let handler = Arc::new(Callback::new(run, user, drop));
            state.interceptors.entry(name).or_default().push(handler);
            Ok(())
        })
    }
}

/// Has every tool call, whoever offers the tool, pass a guard that may block it, after every interceptor
/// and on the arguments that will run (`guard.final-args`): `/tool_name`, `/tool_args/command`. It decides by
/// `extline_call_allow`, `_block` or `_ask`. A guard fails closed: a failure, or no decision in time, blocks the
/// call, unless `extline_on_failure` says otherwise (`guard.closed`). A zot, which knows no guards, asks
/// them like interceptors. Several are asked in the order in which they were given.
///
/// `EXTLINE_DUPLICATE` for a second one of that name, which is told to the user. Else as
/// `extline_intercept`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_guard(
    ext: *mut Extension,
    name: *const c_char,
    run: CallCallback,
    user: *mut c_void,
    drop: DropCallback,
) -> ResultCode {
    // SAFETY: as the header says.
    unsafe {
        register(ext, name, "name", run, &mut |state, name, run| {
            let label: Arc<str> = format!("guard {name}").into();
            if state.guards.iter().any(|(known, _)| *known == label) {
                return Err(mistake(RegistrationError::Duplicate { kind: "guard", name }));
            }
            state.registry().subscribe().add("guard", TOOL_CALL);
            state.guards.push((label, Arc::new(Callback::new(run, user, drop))));
            Ok(())
        })
    }
}

/// What a handler that fails or takes too long means at a point, for its interceptors and its guards:
/// `allow` or `block`. Unsaid it is a block at `tool_call`, `turn_start` and `assistant_message`; at the
/// others it goes on (`intercept.failure`). Until setup has returned, later `EXTLINE_STATE`; `EXTLINE_ARGUMENT` for
/// another mode or point. From any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_on_failure(
    ext: *mut Extension,
    point: *const c_char,
    mode: *const c_char,
) -> ResultCode {
    enter(|| {
        // SAFETY: a handle of the caller's.
        let ext = unsafe { extension(ext) }?;
        ext.noting(|| {
            // SAFETY: texts of the caller's.
            let (point, mode) = unsafe { (text(point, "point")?, text(mode, "mode")?) };
            must_be_point(point)?;
            word(Some(mode.to_owned()), OnFailure::KNOWN)?;
            let mut state = ext.lock();
            state.must_register()?;
            state.registry().subscribe().set_on_failure(point, mode);
            Ok(())
        })
    })
}

/// Serves requests of the host by method, which `hello` names. The handler's text and `extline_call_args`
/// are the parameters, `null` when there are none; it answers by `extline_call_json`, `_text`, `_none` or
/// `_error`. Requests run concurrently like tool calls. Before the start, later `EXTLINE_STATE`;
/// `EXTLINE_DUPLICATE` for a second handler. `user` is the library's when this succeeds. From any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_method(
    ext: *mut Extension,
    name: *const c_char,
    run: CallCallback,
    user: *mut c_void,
    drop: DropCallback,
) -> ResultCode {
    // SAFETY: as the header says.
    unsafe {
        register(ext, name, "name", run, &mut |state, name, run| {
            if state.live().is_some() {
                let text = "hello names the methods, so they are given before the start";
                return Err(Failure::new(EXTLINE_STATE, text));
            }
            if state.methods.contains_key(&name) {
                return Err(mistake(RegistrationError::Duplicate { kind: "method", name }));
            }
            state.config.methods.push(name.clone());
            state.methods.insert(name, Arc::new(Callback::new(run, user, drop)));
            Ok(())
        })
    }
}

/// What these have in common: a name, a function, and that setup has not returned.
unsafe fn register<F>(
    ext: *mut Extension,
    name: *const c_char,
    what: &str,
    run: Option<F>,
    register: &mut dyn FnMut(&mut State, String, F) -> Result<(), Failure>,
) -> ResultCode {
    enter(|| {
        // SAFETY: a handle of the caller's.
        let ext = unsafe { extension(ext) }?;
        ext.noting(|| {
            // SAFETY: a text of the caller's.
            let name = unsafe { text(name, what) }?;
            if name.is_empty() {
                return Err(Failure::new(EXTLINE_ARGUMENT, format!("{what} is empty")));
            }
            let run = run.ok_or_else(|| Failure::new(EXTLINE_NULL_POINTER, "run is NULL"))?;
            let mut state = ext.lock();
            state.must_register()?;
            register(&mut state, name.to_owned(), run)
        })
    })
}

impl Extension {
    pub(crate) fn run_event(self: &Arc<Self>, frame: &EventFrame) {
        let handlers = { self.lock().events.get(&frame.event).cloned() };
        let event =
            Event { name: with_nul(frame.event.clone()), payload: Json::new(frame.frame_text()) };
        let ext = Arc::as_ptr(self).cast_mut();
        for EventHandler { run: handler, filter } in handlers.unwrap_or_default() {
            if filter.is_none_or(|filter| filter.fits(frame)) {
                // SAFETY: the author's function, with what it was registered with.
                inside(|| unsafe { (handler.run)(handler.user, ext, &raw const event) });
            }
        }
        self.tell(extline_protocol::ExtensionSession::event_done);
    }
}

/// What happened, as `turn_start`. It lives as long as the event. Empty for NULL. From any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_event_name(event: *const Event) -> Str {
    enter_or(Str::EMPTY, || {
        // SAFETY: a handle of the caller's.
        let event = unsafe { given(event, "event") }?;
        Ok(Str::lend(event.name.as_bytes()))
    })
}

/// The whole frame of the event as JSON, with members as `/step`, `/tool_name`, `/text`. It belongs to
/// the event. NULL for NULL. From any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_event_payload(event: *const Event) -> *const Json {
    enter_or(std::ptr::null(), || {
        // SAFETY: a handle of the caller's.
        Ok(&raw const unsafe { given(event, "event") }?.payload)
    })
}
