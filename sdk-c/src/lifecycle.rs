//! The beginning and the end: what the host must offer, setup, teardown, the exit status.

use std::ffi::c_void;
use std::sync::Arc;
use std::time::Instant;

use extline_protocol::ExtensionSession;
use extline_protocol::frame::HelloAck;

use crate::callback::Callback;
use crate::code::{EXTLINE_CANCELLED, EXTLINE_OK, ResultCode, name_of};
use crate::dispatch::inside;
use crate::extension::Extension;
use crate::host::Host;
use extline_stdio::report;

/// A `StageCallback` that is there.
pub(crate) type StageFunction = unsafe extern "C" fn(*mut c_void, *mut Extension) -> ResultCode;

#[derive(Default)]
pub(crate) struct Lifecycle {
    setups: Vec<Callback<StageFunction>>,
    teardowns: Vec<Callback<StageFunction>>,
    is_set_up: bool,
    /// Everything is answered.
    pub(crate) has_finished: bool,
    /// Handlers did not stop in time.
    pub(crate) is_overdue: bool,
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
}

impl Extension {
    /// The host has answered.
    pub(crate) fn accepted(self: &Arc<Self>, ack: &HelloAck) {
        self.set_host(Host::new(ack));
        let setups = std::mem::take(&mut self.lock().lifecycle.setups);
        self.set_up(setups);
    }

    fn set_up(self: &Arc<Self>, setups: Vec<Callback<StageFunction>>) {
        for setup in setups {
            let code = self.run_stage(&setup);
            if code != EXTLINE_OK {
                let is_cancelled = code == EXTLINE_CANCELLED;
                let exit_code = self.tell(|session| session.setup_exit_code(is_cancelled));
                if exit_code != Some(0) {
                    report(&failed("setup", code));
                }
                self.tell(|session| session.end(exit_code.unwrap_or(0), Instant::now()));
                return;
            }
        }
        let mut state = self.lock();
        state.lifecycle.is_set_up = true;
        if let Ok(channel) = state.channel() {
            channel.session.ready();
        }
    }

    fn run_stage(self: &Arc<Self>, stage: &Callback<StageFunction>) -> ResultCode {
        let ext = Arc::as_ptr(self).cast_mut();
        // SAFETY: the author's function, with what it was registered with.
        inside(|| unsafe { (stage.run)(stage.user, ext) })
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
        self.lock().channel().ok().map(|channel| tell(&mut channel.session))
    }
}

/// A stage returned something else than `EXTLINE_OK`, which may be a number of the author's own.
fn failed(stage: &str, code: ResultCode) -> String {
    format!("{stage} failed with the result {code}, {}", name_of(code).to_string_lossy())
}
