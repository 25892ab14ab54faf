//! An extension: what it offers, its session, the calls that are open.

use std::collections::{HashMap, VecDeque};
use std::ffi::{c_char, c_void};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use extline_protocol::frame::{SdkInfo, Subscribe};
use extline_protocol::limits::SHUTDOWN_END;
use extline_protocol::{ExtensionConfig, ExtensionEvent, ExtensionSession, ReplyError};
use extline_stdio::{Input, Output, report, watchdog};

use crate::ask::Asked;
use crate::call::Call;
use crate::callback::Callback;
use crate::code::{EXTLINE_ARGUMENT, EXTLINE_CLOSED, EXTLINE_PANIC, EXTLINE_STATE};
use crate::command::Commands;
use crate::course::{Change, Course};
use crate::dispatch::is_inside_handler;
use crate::events::EventFunction;
use crate::failure::{Failure, enter_or};
use crate::ffi::{shared, text};
use crate::form::Form;
use crate::host::Host;
use crate::job::Job;
use crate::lifecycle::{Lifecycle, Requirement};
use crate::panel::Panels;
use crate::run::MOST_THREADS;
use crate::tool::{CallFunction, Tools};
use crate::wire::Wire;
use crate::{claim, ffi, fork, running};

/// An extension. `extline_new` makes it, `extline_free` frees it; everything else may be called from
/// any thread, also from inside handlers.
pub struct Extension {
    state: Mutex<State>,
    form: OnceLock<Box<dyn Form>>,
    host: OnceLock<Host>,
}

/// Nobody keeps it locked while a function of the author's runs or anything is waited for.
pub(crate) struct State {
    /// What it is before it begins.
    pub(crate) config: ExtensionConfig,
    /// Its session, once it has begun.
    wire: Option<Wire>,
    /// By serial, until they are answered.
    pub(crate) calls: HashMap<u64, Arc<Call>>,
    pub(crate) tools: Tools,
    pub(crate) commands: Commands,
    pub(crate) lifecycle: Lifecycle,
    pub(crate) requirements: Vec<Requirement>,
    /// So many handlers may run at a time.
    pub(crate) max_threads: usize,
    /// The process is the extension's, and ends with it.
    pub(crate) ends_process: bool,
    /// In the order in which they were given.
    pub(crate) events: HashMap<String, Vec<Arc<Callback<EventFunction>>>>,
    /// By point, in the order in which they were given.
    pub(crate) interceptors: HashMap<String, Vec<Arc<Callback<CallFunction>>>>,
    /// With their labels, in the order in which they were given.
    pub(crate) guards: Vec<(Arc<str>, Arc<Callback<CallFunction>>)>,
    pub(crate) methods: HashMap<String, Arc<Callback<CallFunction>>>,
    pub(crate) panels: Panels,
    /// What the extension has asked the host for, until the answer comes.
    pub(crate) asked: HashMap<u64, Arc<Asked>>,
    /// Intercepts that go on.
    pub(crate) courses: VecDeque<(Box<Course>, Change)>,
    /// In the poll form.
    pub(crate) input: Option<Input>,
    /// The thread that drives the poll form or the detached form, as `form::this_thread` has it.
    pub(crate) driver: Option<usize>,
    pub(crate) on_wake: Option<Callback<WakeFunction>>,
    /// The first of its registrations that failed before the start.
    mistake: Option<Failure>,
    /// Freed by its author; calls that are kept live on.
    pub(crate) is_freed: bool,
}

/// A `WakeCallback` that is there.
pub(crate) type WakeFunction = unsafe extern "C" fn(*mut c_void);

impl Extension {
    pub(crate) fn new(name: &str, version: &str) -> Self {
        let config = ExtensionConfig {
            sdk: Some(SdkInfo {
                name: "extline".to_owned(),
                version: env!("CARGO_PKG_VERSION").to_owned(),
                language: "c".to_owned(),
            }),
            ..ExtensionConfig::new(name, version)
        };
        let (state, host) = (Mutex::new(State::new(config)), OnceLock::new());
        Self { state, form: OnceLock::new(), host }
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, State> {
        // What a panic left half done is refused where C comes in.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn form(&self) -> Option<&dyn Form> {
        self.form.get().map(Box::as_ref)
    }

    /// What the host said about itself, once it has.
    pub(crate) fn host(&self) -> Option<&Host> {
        self.host.get()
    }

    pub(crate) fn set_host(&self, host: Host) {
        // It answers once.
        let _ = self.host.set(host);
    }

    /// Remembers the first registration that fails before the start, which refuses then.
    pub(crate) fn noting(
        &self,
        register: impl FnOnce() -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let registered = register();
        if let Err(failure) = &registered {
            let mut state = self.lock();
            if state.live().is_none() {
                state.mistake.get_or_insert_with(|| failure.clone());
            }
        }
        registered
    }

    /// Whether it can be started.
    pub(crate) fn may_begin(&self) -> Result<(), Failure> {
        if self.form.get().is_some() {
            let text = "the extension has been started before; make another with extline_new";
            return Err(Failure::new(EXTLINE_STATE, text));
        }
        self.lock().mistake.clone().map_or(Ok(()), Err)
    }

    /// Begins the session: `hello` waits to be written. Once for each extension.
    pub(crate) fn begin(&self, form: Box<dyn Form>, output: Option<Output>) -> Result<(), Failure> {
        self.may_begin()?;
        let mut state = self.lock();
        if self.form.set(form).is_err() {
            return Err(Failure::new(EXTLINE_STATE, "the extension is being started elsewhere"));
        }
        let mut config = state.config.clone();
        config.teardown = state.lifecycle.has_teardown();
        state.wire = Some(Wire::new(ExtensionSession::new(config), output));
        Ok(())
    }

    /// Says something to the host, from any thread, and writes it at once.
    pub(crate) fn say<R>(
        &self,
        say: impl FnOnce(&mut ExtensionSession) -> R,
    ) -> Result<R, Failure> {
        let mut state = self.lock();
        if state.lifecycle.finished().is_some() {
            return Err(Failure::new(EXTLINE_CLOSED, "the session is over"));
        }
        let wire = state.wire()?;
        let due = wire.due();
        let said = say(&mut wire.session);
        self.send(state, due);
        Ok(said)
    }

    /// Answers a call; from a handler in its own time the answer may wait for what others answer in
    /// the same read.
    pub(crate) fn reply(
        &self,
        serial: u64,
        reply: impl FnOnce(&mut ExtensionSession) -> Result<(), ReplyError>,
    ) -> Result<(), ReplyFailed> {
        let mut state = self.lock();
        // Its memory is given back when nothing is locked any more.
        let _call = state.calls.remove(&serial);
        let Ok(wire) = state.wire() else { return Err(ReplyFailed::Closed) };
        let due = wire.due();
        let replied = reply(&mut wire.session).map_err(ReplyFailed::Refused);
        // Asked once the answer is there: who takes the session over from now on finds it.
        if !self.form().is_some_and(|form| form.is_driven_here(self)) {
            self.send(state, due);
        }
        replied
    }

    /// Writes what there is to say, where the session has begun.
    pub(crate) fn flush(&self) {
        let mut state = self.lock();
        // Without a session there is nothing to say.
        let Ok(wire) = state.wire() else { return };
        let due = wire.due();
        self.send(state, due);
    }

    fn send(&self, mut state: MutexGuard<'_, State>, due: Option<std::time::Instant>) {
        let Ok(wire) = state.wire() else { return };
        // An error comes again where the session is driven, which can end it.
        let _ = wire.write();
        let is_needed = !wire.is_said() || wire.has_events() || wire.due() != due;
        drop(state);
        if let Some(form) = self.form()
            && is_needed
            && !form.is_driven_here(self)
        {
            form.wake();
        }
    }
}

/// Why an answer was not taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ReplyFailed {
    Refused(ReplyError),
    Closed,
}

impl State {
    fn new(config: ExtensionConfig) -> Self {
        Self {
            config,
            wire: None,
            calls: HashMap::new(),
            tools: Tools::default(),
            commands: Commands::default(),
            lifecycle: Lifecycle::default(),
            requirements: Vec::new(),
            max_threads: MOST_THREADS,
            ends_process: false,
            events: HashMap::new(),
            interceptors: HashMap::new(),
            guards: Vec::new(),
            methods: HashMap::new(),
            panels: Panels::default(),
            asked: HashMap::new(),
            courses: VecDeque::new(),
            input: None,
            driver: None,
            on_wake: None,
            mistake: None,
            is_freed: false,
        }
    }

    /// What is told to the host until setup has returned.
    pub(crate) fn must_register(&self) -> Result<(), Failure> {
        if self.lifecycle.is_set_up() {
            let text = "the host knows by now what the extension listens to: register before the start, \
                        or in setup";
            return Err(Failure::new(EXTLINE_STATE, text));
        }
        Ok(())
    }

    /// What the extension listens to.
    pub(crate) fn subscribe(&mut self) -> &mut Subscribe {
        match &mut self.wire {
            Some(wire) => wire.session.subscribe_mut(),
            None => &mut self.config.registrations.subscribe,
        }
    }

    /// Whether everything is answered and written, or had its time.
    pub(crate) fn is_over(&self) -> bool {
        let is_said = |wire: &Wire| wire.output().is_none() || wire.is_said();
        self.lifecycle.finished().is_some()
            && (self.lifecycle.is_overdue || self.wire.as_ref().is_none_or(is_said))
    }

    /// Does what nothing holds up; what of it needs code of the author's is left for its turn.
    pub(crate) fn settle_control(&mut self) {
        loop {
            let Some(wire) = &mut self.wire else { return };
            let Some(event) = wire.session.poll_control() else { return };
            if let Some(event) = self.settle(event)
                && let Some(wire) = &mut self.wire
            {
                wire.leave(event);
            }
        }
    }

    /// Whether a job can be done now.
    pub(crate) fn has_jobs(&self) -> bool {
        !self.courses.is_empty()
            || self.wire.as_ref().is_some_and(|wire| !wire.is_stalled() && wire.has_events())
    }
    /// The session and what moves its bytes.
    pub(crate) fn wire(&mut self) -> Result<&mut Wire, Failure> {
        if self.is_freed {
            return Err(Failure::new(EXTLINE_CLOSED, "the extension has been freed"));
        }
        self.wire.as_mut().ok_or_else(|| {
            Failure::new(EXTLINE_STATE, "the extension has not been started: this needs its host")
        })
    }

    /// The same, for what is different before the start.
    pub(crate) fn live(&mut self) -> Option<&mut Wire> {
        self.wire.as_mut()
    }

    /// The next job that a handler, or at least code of the author's, is needed for.
    pub(crate) fn next_job(&mut self, may_begin: bool) -> Option<Job> {
        if may_begin && let Some((course, change)) = self.courses.pop_front() {
            return Some(Job::Course(course, change));
        }
        loop {
            let event = self.wire().ok()?.next_event(may_begin)?;
            if let Some(event) = self.settle(event) {
                return Some(Job::Event(event));
            }
        }
    }

    /// Whether an author's code runs for it, which may take its time.
    pub(crate) fn runs_handler(&self, job: &Job) -> bool {
        match job {
            Job::Course(..) => true,
            Job::Event(ExtensionEvent::Accepted(_)) => self.lifecycle.has_setup(),
            Job::Event(event) => matches!(
                event,
                ExtensionEvent::ToolCall { .. }
                    | ExtensionEvent::Command { .. }
                    | ExtensionEvent::Intercept { .. }
                    | ExtensionEvent::Request { .. }
                    | ExtensionEvent::Event(_)
                    | ExtensionEvent::Panel(_)
                    | ExtensionEvent::Teardown
                    | ExtensionEvent::Cancelled { .. }
                    | ExtensionEvent::ShuttingDown(_)
                    | ExtensionEvent::CallToolDone { .. }
                    | ExtensionEvent::Response { .. }
            ),
        }
    }

    /// A call whose handler was not seen to be slow of late.
    pub(crate) fn is_quick(&self, job: &Job) -> bool {
        let Job::Event(ExtensionEvent::ToolCall { call, .. }) = job else { return false };
        self.tools.get(&call.name).is_some_and(|tool| tool.pace.begin())
    }

    /// Does what needs no code of the author's; gives back what does.
    pub(crate) fn settle(&mut self, event: ExtensionEvent) -> Option<ExtensionEvent> {
        match event {
            ExtensionEvent::Notice(notice) => report(&notice.to_string()),
            ExtensionEvent::Cancelled { ref key, .. } => {
                let call = self.calls.get(&key.serial())?;
                return call.cancel().then_some(event);
            }
            ExtensionEvent::ShuttingDown(_) => {
                if self.ends_process
                    && let Some(wire) = &self.wire
                {
                    watchdog::start(SHUTDOWN_END, wire.session.exit_code(), running::names);
                }
                // Every mark is set, also behind one whose waiters have to be told.
                let waited = self.calls.values().filter(|call| call.cancel()).count();
                return (waited > 0).then_some(event);
            }
            ExtensionEvent::Finished { exit_code } => self.lifecycle.finish(exit_code),
            ExtensionEvent::Overdue { .. } => self.lifecycle.is_overdue = true,
            event => return Some(event),
        }
        None
    }
}

/// An extension of the caller's.
pub(crate) unsafe fn extension(
    pointer: *const Extension,
) -> Result<std::mem::ManuallyDrop<Arc<Extension>>, Failure> {
    fork::check()?;
    // SAFETY: the caller's, from `extline_new` and not freed.
    let ext = unsafe { shared(pointer, "ext") }?;
    if ext.state.is_poisoned() {
        let text = "the extension is of no use since a defect of libextline: free it";
        return Err(Failure::new(EXTLINE_PANIC, text));
    }
    Ok(ext)
}

/// Makes an extension with the name and version that it tells its host. NULL when a text is NULL or no
/// UTF-8, or the name is empty; `extline_last_error` says which.
///
/// Where a host started this process, so that stdin and stdout are pipes or sockets, they are the
/// protocol's from now on: what is printed lands on stderr. `EXTLINE_STDIO=leave` or `claim` in the
/// environment decides otherwise.
///
/// It is the caller's: free it with `extline_free`. From any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_new(
    name: *const c_char,
    version: *const c_char,
) -> *mut Extension {
    enter_or(std::ptr::null_mut(), || {
        // SAFETY: texts of the caller's.
        let (name, version) = unsafe { (text(name, "name")?, text(version, "version")?) };
        if name.is_empty() {
            return Err(Failure::new(EXTLINE_ARGUMENT, "the name of the extension is empty"));
        }
        claim::at_creation();
        Ok(Arc::into_raw(Arc::new(Extension::new(name, version))).cast_mut())
    })
}

/// Frees an extension, and gives back what was registered with it. Its session is over; calls that are
/// kept stay valid until they are released, and answering one is `EXTLINE_CLOSED`. NULL is ignored.
///
/// It must not be used any more. Once, from any thread, but not from inside a handler.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_free(ext: *mut Extension) {
    enter_or((), || {
        // In the child of a fork its locks are the parent's.
        if ext.is_null() || fork::check().is_err() {
            return Ok(());
        }
        if is_inside_handler() {
            report(
                "extline_free was called inside a handler, and did nothing: call it after the end",
            );
            let text = "an extension cannot be freed inside a handler";
            return Err(Failure::new(EXTLINE_STATE, text));
        }
        // SAFETY: the caller's, from `extline_new`, which gives it back.
        let ext = unsafe { ffi::taken(ext) };
        let mut state = ext.lock();
        let empty = State { is_freed: true, ..State::new(ExtensionConfig::new("", "")) };
        let registered = std::mem::replace(&mut *state, empty);
        // What it was registered with is given back when nothing is locked any more.
        drop(state);
        drop(registered);
        Ok(())
    });
}
