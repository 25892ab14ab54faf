//! Both ways of the connection and the session between them, for whoever serves it: the serving
//! thread, or its stand-in while a handler keeps that thread.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};

use extline_driver::Channel;
use extline_protocol::ExtensionSession;
use extline_stdio::Stdio;

use super::source::Source;
use super::watchdog::Watchdog;
use crate::Error;

/// Nobody keeps it locked while a handler runs; the serving thread does while it waits away from the
/// event loop.
pub(crate) struct Wire {
    pub(crate) channel: Channel,
    pub(super) source: Source,
    /// Once the end has to be watched.
    pub(super) watchdog: Option<Watchdog>,
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
    /// `is_mcp` where the other end is an MCP client.
    pub(super) fn new(
        session: ExtensionSession,
        Stdio { input, output }: Stdio,
        is_mcp: bool,
    ) -> Result<Self, Error> {
        let channel = Channel::new(session, Some(output)).over_mcp(is_mcp)?;
        Ok(Self { channel, source: Source::Direct(Some(input)), watchdog: None })
    }

    /// Who waits to write, reads, up to a bound. A thread that reads goes on after the end of the input:
    /// SIGTERM may come.
    pub(super) fn may_read(&self) -> bool {
        !self.channel.is_stalled() || self.channel.may_read_ahead()
    }

    /// Whether nothing can happen before the host sends something, SIGTERM apart.
    pub(super) fn waits_for_input_alone(&self) -> bool {
        let can_read = self.source.is_direct() && !self.channel.has_ended();
        can_read && !self.channel.is_stalled() && self.channel.due().is_none()
    }

    /// Writes what there is, as much as the host takes now. Whether nothing is left. What waits goes on
    /// when the event loop says so.
    pub(super) fn write(&mut self) -> Result<bool, Error> {
        if self.channel.is_stalled() {
            return Ok(false);
        }
        Ok(self.channel.write()?)
    }
}
