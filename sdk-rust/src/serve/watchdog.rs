//! Ends the process when the shutdown takes too long, also when a handler keeps the serving thread.

use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, Weak};
use std::thread;
use std::time::Instant;

use extline_protocol::ExtensionSession;
use extline_protocol::limits::SHUTDOWN_END;
use extline_stdio::watchdog::{Unfinished, end};

use super::wire::{SharedWire, Wire, lock};
use crate::running::Running;

/// Counts from the beginning of the shutdown. Dropping it calls it off.
#[derive(Debug)]
pub(super) struct Watchdog {
    _called_off_by_drop: Sender<()>,
}

impl Watchdog {
    /// `None` when the system has no thread left; then the session's own clock has to do, which needs
    /// the serving thread.
    pub(super) fn start(
        wire: &SharedWire,
        session: &ExtensionSession,
        running: &Running,
    ) -> Option<Self> {
        let until = session.ending_since().unwrap_or_else(Instant::now) + SHUTDOWN_END;
        let exit_code = session.exit_code();
        let (wire, running) = (Arc::downgrade(wire), running.clone());
        let (sender, receiver) = channel();
        let watch = move || {
            let left = until.saturating_duration_since(Instant::now());
            if receiver.recv_timeout(left) == Err(RecvTimeoutError::Timeout) {
                end_now(wire, running, exit_code);
            }
        };
        let watching = thread::Builder::new().name("extline watchdog".to_owned()).spawn(watch);
        watching.is_ok().then_some(Self { _called_off_by_drop: sender })
    }
}

/// Says why, and ends the process. What was due is answered and written, as far as that goes without
/// waiting.
pub(super) fn end_now(wire: Weak<Mutex<Wire>>, running: Running, exit_code: u8) -> ! {
    end(SHUTDOWN_END, exit_code, move || {
        let handlers = running.names();
        let Some(wire) = wire.upgrade() else { return Unfinished { handlers, unread: false } };
        let mut wire = lock(&wire);
        wire.channel.last_act(handlers)
    })
}
