//! An extension: what it offers, its session, the calls that are open.

use std::collections::HashMap;
use std::ffi::c_char;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use extline_protocol::frame::SdkInfo;
use extline_protocol::limits::SHUTDOWN_END;
use extline_protocol::{ExtensionConfig, ExtensionEvent, ExtensionSession, ReplyError};
use extline_stdio::{Output, report, watchdog};

use crate::call::Call;
use crate::code::{EXTLINE_CLOSED, EXTLINE_PANIC, EXTLINE_STATE};
use crate::failure::{Failure, enter_or};
use crate::ffi::{shared, text};
use crate::form::Form;
use crate::lifecycle::{Lifecycle, Requirement};
use crate::run::MOST_THREADS;
use crate::tool::Tools;
use crate::wire::Wire;
use crate::{claim, command::Commands, ffi, fork, running};

/// An extension. `extline_new` makes it, `extline_free` frees it; everything else may be called from
/// any thread, also from inside handlers.
pub struct Extension {
    state: Mutex<State>,
    form: OnceLock<Box<dyn Form>>,
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
    /// Freed by its author; calls that are kept live on.
    is_freed: bool,
}

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
        let state = State {
            config,
            wire: None,
            calls: HashMap::new(),
            tools: Tools::default(),
            commands: Commands::default(),
            lifecycle: Lifecycle::default(),
            requirements: Vec::new(),
            max_threads: MOST_THREADS,
            ends_process: false,
            is_freed: false,
        };
        Self { state: Mutex::new(state), form: OnceLock::new() }
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, State> {
        // What a panic left half done is refused where C comes in.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn form(&self) -> Option<&dyn Form> {
        self.form.get().map(Box::as_ref)
    }

    /// Begins the session: `hello` waits to be written. Once for each extension.
    pub(crate) fn begin(&self, form: Box<dyn Form>, output: Option<Output>) -> Result<(), Failure> {
        let mut state = self.lock();
        if self.form.set(form).is_err() {
            return Err(Failure::new(
                EXTLINE_STATE,
                "the extension has been started before; make another with extline_new",
            ));
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
        let replied = reply(&mut wire.session).map_err(|_| ReplyFailed::AnsweredByTheSession);
        // Asked once the answer is there: who takes the session over from now on finds it.
        if !self.form().is_some_and(|form| form.is_driven_here(self)) {
            self.send(state, due);
        }
        replied
    }

    /// Writes what there is to say, where the session has begun.
    pub(crate) fn flush(&self) {
        // Without a session there is nothing to say.
        let _ = self.say(|_| ());
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

    /// The next event that a handler, or at least code of the author's, is needed for.
    pub(crate) fn next_event(&self, may_begin: bool) -> Option<ExtensionEvent> {
        self.lock().next_event(may_begin)
    }
}

/// Why an answer was not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReplyFailed {
    /// At a deadline or at the end.
    AnsweredByTheSession,
    Closed,
}

impl State {
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

    /// The next event that a handler, or at least code of the author's, is needed for.
    pub(crate) fn next_event(&mut self, may_begin: bool) -> Option<ExtensionEvent> {
        loop {
            let event = self.wire().ok()?.next_event(may_begin)?;
            if let Some(event) = self.settle(event) {
                return Some(event);
            }
        }
    }

    /// Whether an author's code runs for it, which may take its time.
    pub(crate) fn runs_handler(&self, event: &ExtensionEvent) -> bool {
        match event {
            ExtensionEvent::Accepted(_) => self.lifecycle.has_setup(),
            event => matches!(
                event,
                ExtensionEvent::ToolCall { .. }
                    | ExtensionEvent::Command { .. }
                    | ExtensionEvent::Intercept { .. }
                    | ExtensionEvent::Request { .. }
                    | ExtensionEvent::Event(_)
                    | ExtensionEvent::Panel(_)
                    | ExtensionEvent::Teardown
            ),
        }
    }

    /// A call whose handler was not seen to be slow of late.
    pub(crate) fn is_quick(&self, event: &ExtensionEvent) -> bool {
        let ExtensionEvent::ToolCall { call, .. } = event else { return false };
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
/// UTF-8; `extline_last_error` says which.
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
        // SAFETY: the caller's, from `extline_new`, which gives it back.
        let ext = unsafe { ffi::taken(ext) };
        let mut state = ext.lock();
        state.is_freed = true;
        let registered = (
            std::mem::take(&mut state.tools),
            std::mem::take(&mut state.commands),
            std::mem::take(&mut state.lifecycle),
            std::mem::take(&mut state.calls),
        );
        drop(state);
        drop(registered);
        Ok(())
    });
}
