//! The beginning and the end: what the host must offer, setup, teardown, the exit status.

use std::ffi::c_void;
use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use extline_protocol::frame::{HelloAck, Level, Registered};
use extline_protocol::{Capability, ExtensionSession};

use crate::callback::Callback;
use crate::code::{EXTLINE_OK, EXTLINE_REQUIRED, ResultCode, name_of};
use crate::dispatch::inside;
use crate::extension::Extension;
use crate::host::Host;
use extline_stdio::report;

/// The exit status where something required is missing, which is also a result code.
const CONFIG: u8 = 78;
const _: () = assert!(CONFIG as ResultCode == EXTLINE_REQUIRED);

/// The exit status when setup fails.
const FAILED: u8 = 1;

/// A `StageCallback` that is there.
pub(crate) type StageFunction = unsafe extern "C" fn(*mut c_void, *mut Extension) -> ResultCode;

#[derive(Default)]
pub(crate) struct Lifecycle {
    setups: Vec<Callback<StageFunction>>,
    teardowns: Vec<Callback<StageFunction>>,
    is_set_up: bool,
    /// The exit code, when everything is answered.
    finished: Option<u8>,
    /// Handlers did not stop in time.
    pub(crate) is_overdue: bool,
}

/// Something that an extension cannot do without.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Requirement {
    /// What the host must name in `hello_ack`.
    Capability(Capability),
    Method(String),
    /// What it must not reject: the kind and the name of a registration.
    Registration(&'static str, String),
}

impl Lifecycle {
    pub(crate) fn add_setup(&mut self, setup: Callback<StageFunction>) {
        self.setups.push(setup);
    }

    pub(crate) fn has_setup(&self) -> bool {
        !self.setups.is_empty()
    }

    pub(crate) fn add_teardown(&mut self, teardown: Callback<StageFunction>) {
        self.teardowns.push(teardown);
    }

    pub(crate) fn has_teardown(&self) -> bool {
        !self.teardowns.is_empty()
    }

    pub(crate) fn is_set_up(&self) -> bool {
        self.is_set_up
    }

    pub(crate) fn finish(&mut self, exit_code: u8) {
        self.finished = Some(exit_code);
    }

    /// The exit code, when everything is answered.
    pub(crate) fn finished(&self) -> Option<u8> {
        self.finished
    }
}

impl Extension {
    /// The host has answered.
    pub(crate) fn accepted(self: &Arc<Self>, ack: &HelloAck) {
        self.set_host(Host::new(ack));
        let mut state = self.lock();
        let requirements = std::mem::take(&mut state.requirements);
        let setups = std::mem::take(&mut state.lifecycle.setups);
        let Ok(wire) = state.wire() else { return };
        let missing = requirements.iter().find(|required| required.is_missing(&wire.session, ack));
        let missing = missing.map(ToString::to_string);
        state.requirements = requirements;
        drop(state);
        match missing {
            Some(missing) => self.give_up(&missing, "does not offer"),
            None => self.set_up(setups),
        }
    }

    fn set_up(self: &Arc<Self>, setups: Vec<Callback<StageFunction>>) {
        for setup in setups {
            let code = self.run_stage(&setup);
            if code != EXTLINE_OK {
                report(&failed("setup", code));
                // At a shutdown it may fail because that began.
                self.tell(|session| session.end(FAILED, Instant::now()));
                return;
            }
        }
        let mut state = self.lock();
        state.lifecycle.is_set_up = true;
        if let Ok(wire) = state.wire() {
            wire.session.ready();
        }
    }

    fn run_stage(self: &Arc<Self>, stage: &Callback<StageFunction>) -> ResultCode {
        let ext = Arc::as_ptr(self).cast_mut();
        // SAFETY: the author's function, with what it was registered with.
        inside(|| unsafe { (stage.run)(stage.user, ext) })
    }

    /// What the host took of the registrations.
    pub(crate) fn check_report(&self, registered: &Registered) {
        let state = self.lock();
        let is_rejected = |required: &&Requirement| {
            let Requirement::Registration(kind, name) = required else { return false };
            let rejected = registered.rejected.iter();
            rejected.into_iter().any(|rejection| rejection.kind == *kind && rejection.name == *name)
        };
        let missing = state.requirements.iter().find(is_rejected).map(ToString::to_string);
        drop(state);
        if let Some(missing) = missing {
            self.give_up(&missing, "did not take");
        }
    }

    /// Something required is missing (`report.required`).
    fn give_up(&self, missing: &str, what: &str) {
        let name = self.lock().config.name.clone();
        let host = self.host().map(Host::described).unwrap_or_default();
        let message = format!("the host {host} {what} {missing}, which {name} requires");
        report(&message);
        self.tell(|session| {
            session.notify(Level::Error, message);
            session.end(CONFIG, Instant::now());
        });
    }

    /// Only where there was a setup to the end is there something to take down.
    pub(crate) fn tear_down(self: &Arc<Self>) {
        let mut state = self.lock();
        let is_set_up = state.lifecycle.is_set_up;
        let teardowns = std::mem::take(&mut state.lifecycle.teardowns);
        drop(state);
        for teardown in teardowns.iter().filter(|_| is_set_up) {
            let code = self.run_stage(teardown);
            if code != EXTLINE_OK {
                report(&failed("teardown", code));
            }
        }
        self.tell(ExtensionSession::teardown_done);
    }

    /// Tells the session something that only its own events lead to.
    pub(crate) fn tell<R>(&self, tell: impl FnOnce(&mut ExtensionSession) -> R) -> Option<R> {
        self.lock().wire().ok().map(|wire| tell(&mut wire.session))
    }
}

impl Requirement {
    /// Whether the host's first answer already tells that it is not met.
    fn is_missing(&self, session: &ExtensionSession, ack: &HelloAck) -> bool {
        match self {
            Self::Capability(capability) => !session.supports(*capability),
            Self::Method(name) => {
                let methods = ack.methods.iter().flatten();
                !(session.supports(Capability::Rpc)
                    && methods.into_iter().any(|known| known == name))
            }
            Self::Registration(..) => false,
        }
    }
}

/// As it stands in a sentence.
impl fmt::Display for Requirement {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Capability(capability) => write!(formatter, "the capability {capability}"),
            Self::Method(name) => write!(formatter, "the method {name}"),
            Self::Registration(kind, name) => write!(formatter, "the {kind} {name}"),
        }
    }
}

/// A stage returned something else than `EXTLINE_OK`, which may be a number of the author's own.
fn failed(stage: &str, code: ResultCode) -> String {
    format!("{stage} failed with the result {code}, {}", name_of(code).to_string_lossy())
}
