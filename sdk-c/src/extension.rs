//! An extension: how it begins, says something, answers, and is freed.

use std::ffi::c_char;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use extline_protocol::frame::SdkInfo;
use extline_protocol::{ExtensionConfig, ExtensionSession, ReplyError};
use extline_stdio::{Output, report};

use crate::call::Call;
use crate::code::{
    EXTLINE_ARGUMENT, EXTLINE_CANCELLED, EXTLINE_CLOSED, EXTLINE_PANIC, EXTLINE_STATE,
};
use crate::dispatch::is_inside_handler;
use crate::drive_mode::DriveMode;
use crate::failure::{Failure, enter_or};
use crate::ffi::{shared, text};
use crate::host::{Configs, Host};
use crate::state::State;
use crate::{claim, ffi, fork};
use extline_driver::Channel;

/// How often somebody who waits for room looks whether its call was cancelled.
const LOOK: Duration = Duration::from_millis(20);

/// An extension. `extline_new` makes it, `extline_free` frees it; everything else may be called from
/// any thread, also from inside handlers.
pub struct Extension {
    state: Mutex<State>,
    drive_mode: OnceLock<Box<dyn DriveMode>>,
    /// Rings when the host has taken what was said.
    room: Condvar,
    host: OnceLock<Host>,
    pub(crate) configs: Configs,
}

impl Extension {
    pub(crate) fn new(name: &str, version: &str) -> Self {
        let config = ExtensionConfig {
            sdk: Some(SdkInfo::extline("c")),
            ..ExtensionConfig::new(name, version)
        };
        let (state, host) = (Mutex::new(State::new(config)), OnceLock::new());
        let (drive_mode, room) = (OnceLock::new(), Condvar::new());
        Self { state, drive_mode, room, host, configs: Configs::default() }
    }

    #[inline]
    pub(crate) fn lock(&self) -> MutexGuard<'_, State> {
        // What a panic left half done is refused where C comes in.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn drive_mode(&self) -> Option<&dyn DriveMode> {
        self.drive_mode.get().map(Box::as_ref)
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
            self.note(failure);
        }
        registered
    }

    #[cold]
    #[inline(never)]
    fn note(&self, failure: &Failure) {
        let mut state = self.lock();
        if state.live().is_none() {
            state.mistake.get_or_insert_with(|| failure.clone());
        }
    }

    /// Whether it can be started.
    pub(crate) fn may_begin(&self) -> Result<(), Failure> {
        if self.drive_mode.get().is_some() {
            let text = "the extension has been started before; make another with extline_new";
            return Err(Failure::new(EXTLINE_STATE, text));
        }
        self.lock().mistake.clone().map_or(Ok(()), Err)
    }

    /// Begins the session: `hello` waits to be written. Once for each extension.
    pub(crate) fn begin(
        &self,
        drive_mode: Box<dyn DriveMode>,
        output: Option<Output>,
    ) -> Result<(), Failure> {
        self.may_begin()?;
        let mut state = self.lock();
        if self.drive_mode.set(drive_mode).is_err() {
            return Err(Failure::new(EXTLINE_STATE, "the extension is being started elsewhere"));
        }
        let mut config = state.config.clone();
        config.teardown = state.lifecycle.has_teardown();
        let is_mcp = output.is_some() && claim::is_mcp();
        let channel = Channel::new(ExtensionSession::new(config), output).over_mcp(is_mcp)?;
        state.channel = Some(channel);
        Ok(())
    }

    /// Says something to the host, from any thread, and writes it at once.
    pub(crate) fn say<R>(
        &self,
        say: impl FnOnce(&mut ExtensionSession) -> R,
    ) -> Result<R, Failure> {
        let mut state = self.lock();
        if state.lifecycle.has_finished {
            return Err(Failure::new(EXTLINE_CLOSED, "the session is over"));
        }
        let channel = state.channel()?;
        let due = channel.due();
        let said = say(&mut channel.session);
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
        let Ok(channel) = state.channel() else { return Err(ReplyFailed::Closed) };
        let due = channel.due();
        let replied = reply(&mut channel.session).map_err(ReplyFailed::Refused);
        // Asked once the answer is there: who takes the session over from now on finds it.
        if !self.drive_mode().is_some_and(|mode| mode.is_driven_here(self)) {
            self.send(state, due);
        }
        replied
    }

    /// Writes what there is to say, where the session has begun.
    pub(crate) fn flush(&self) {
        let mut state = self.lock();
        // Without a session there is nothing to say.
        let Ok(channel) = state.channel() else { return };
        let due = channel.due();
        self.send(state, due);
    }

    /// The host has taken what was said.
    pub(crate) fn tell_of_room(&self) {
        self.room.notify_all();
    }

    /// Waits while the host does not take what was said, where threads of the library's write meanwhile.
    pub(crate) fn wait_for_room(&self, call: &Call) -> Result<(), Failure> {
        let is_stalled = |state: &State| {
            !state.lifecycle.has_finished && state.channel.as_ref().is_some_and(Channel::is_stalled)
        };
        let Some(mode) = self.drive_mode().filter(|mode| !mode.is_the_program_s()) else {
            return Ok(());
        };
        // Where no other thread is free to write, nobody waits.
        if !is_stalled(&self.lock()) || mode.step_aside(self).is_err() {
            return Ok(());
        }
        let mut state = self.lock();
        while is_stalled(&state) {
            if call.is_cancelled() {
                let text = format!("the {} was cancelled meanwhile", call.label);
                return Err(Failure::new(EXTLINE_CANCELLED, text));
            }
            let waited = self.room.wait_timeout(state, LOOK);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        Ok(())
    }

    // Once for all that is said.
    #[inline(never)]
    fn send(&self, mut state: MutexGuard<'_, State>, due: Option<std::time::Instant>) {
        let Ok(channel) = state.channel() else { return };
        // An error comes again where the session is driven, which can end it.
        if channel.write().is_ok_and(|is_all| is_all) {
            self.room.notify_all();
        }
        let is_needed = !channel.is_said() || channel.has_events() || channel.due() != due;
        drop(state);
        if let Some(mode) = self.drive_mode()
            && is_needed
            && !mode.is_driven_here(self)
        {
            mode.wake();
        }
    }
}

/// Why an answer was not taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ReplyFailed {
    Refused(ReplyError),
    Closed,
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
