//! Both ways of the connection and the session between them, for whoever serves it: the serving
//! thread, or its stand-in while a handler keeps that thread.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Instant;

use extline_protocol::limits::{READ_AHEAD_BYTES, READ_AHEAD_FRAMES};
use extline_protocol::{ExtensionEvent, ExtensionSession};

use super::inlet::Inlet;
use super::outlet::Outlet;
use super::watchdog::Watchdog;
use crate::Error;

/// Nobody keeps it locked while a handler runs; the serving thread does while it waits away from the
/// event loop.
pub(crate) struct Wire {
    pub(crate) session: ExtensionSession,
    pub(super) inlet: Inlet,
    pub(super) outlet: Outlet,
    /// What a stand-in took from the session for the serving thread to do.
    pub(super) left: VecDeque<ExtensionEvent>,
    /// Once the end has to be watched.
    pub(super) watchdog: Option<Watchdog>,
    /// Something was taken from the session to be written.
    wrote: bool,
    /// The host was found gone.
    lost_host: bool,
}

pub(crate) type SharedWire = Arc<Mutex<Wire>>;

pub(crate) fn lock(wire: &SharedWire) -> MutexGuard<'_, Wire> {
    // What a panic could leave half done is behind no author's code.
    wire.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Unless somebody has it locked.
pub(super) fn try_lock(wire: &SharedWire) -> Option<MutexGuard<'_, Wire>> {
    match wire.try_lock() {
        Ok(locked) => Some(locked),
        Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
        Err(TryLockError::WouldBlock) => None,
    }
}

impl Wire {
    pub(super) fn new(session: ExtensionSession, inlet: Inlet, outlet: Outlet) -> Self {
        let left = VecDeque::new();
        Self { session, inlet, outlet, left, watchdog: None, wrote: false, lost_host: false }
    }

    /// While the host does not take what was said, nothing new is begun.
    pub(super) fn next_event(&mut self) -> Option<ExtensionEvent> {
        if let Some(event) = self.left.pop_front() {
            return Some(event);
        }
        if self.outlet.is_waiting() {
            self.session.poll_control()
        } else {
            self.session.poll_event()
        }
    }

    /// Who waits to write, reads, up to a bound; calls that were read ahead wait in the session.
    pub(super) fn may_read(&self) -> bool {
        !self.outlet.is_waiting() || self.may_read_ahead()
    }

    pub(super) fn may_read_ahead(&self) -> bool {
        self.inlet.read_ahead() < READ_AHEAD_BYTES && self.session.waiting() < READ_AHEAD_FRAMES
    }

    /// Whether nothing can happen before the host sends something, SIGTERM apart.
    pub(super) fn waits_for_input_alone(&self) -> bool {
        let can_read = self.inlet.is_direct() && !self.inlet.has_ended();
        can_read && !self.outlet.is_waiting() && self.due().is_none()
    }

    /// When [`ExtensionSession::handle_timeout`] is due, if ever.
    pub(super) fn due(&self) -> Option<Instant> {
        if self.outlet.is_waiting() {
            self.session.poll_timeout_stalled()
        } else {
            self.session.poll_timeout()
        }
    }

    /// Writes what there is, as much as the host takes now. Whether nothing is left.
    pub(super) fn write(&mut self) -> Result<bool, Error> {
        if self.outlet.is_waiting() {
            return Ok(false);
        }
        // A look at the clock is not free, and only updates depend on the time.
        let has_updates = self.session.has_updates();
        let now = if has_updates { Instant::now() } else { self.inlet.read_at() };
        if self.session.poll_output(now, self.outlet.space()) {
            self.wrote = true;
            self.outlet.write()?;
            self.pass_gone();
        }
        Ok(!self.outlet.is_waiting())
    }

    /// Without a host that reads nobody waits for answers.
    pub(super) fn pass_gone(&mut self) {
        if self.outlet.take_gone() {
            self.lost_host = true;
            self.session.handle_write_failed(Instant::now());
        }
    }

    /// Whether the host was found gone since the last time; the session has events then.
    pub(super) fn take_lost_host(&mut self) -> bool {
        std::mem::take(&mut self.lost_host)
    }

    /// Whether anything was taken to be written since the last time.
    pub(super) fn take_wrote(&mut self) -> bool {
        std::mem::take(&mut self.wrote)
    }
}
