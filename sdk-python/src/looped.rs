//! The session under an event loop of Python's: asked to do what there is, and never to wait.

use std::sync::atomic::Ordering::{Relaxed, SeqCst};
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use pyo3::prelude::*;

use crate::claim::to_python;
use crate::core::Core;
use crate::stand_in;

/// Whether the host takes nothing, in how many seconds something is due, the exit code at the end.
pub(crate) type State = (bool, Option<f64>, Option<u8>);

impl Core {
    /// The descriptors to read, of the bell, and to write.
    pub(crate) fn begin_loop(self: &Arc<Self>) -> (i32, i32, i32) {
        self.is_looped.store(true, Relaxed);
        *self.stand_in.lock().unwrap_or_else(PoisonError::into_inner) = stand_in::start(self);
        let input = self.input();
        let (read, bell) = crate::wait::descriptors(&input);
        (read, bell, self.room.descriptor())
    }

    pub(crate) fn pump(self: &Arc<Self>, py: Python<'_>) -> PyResult<State> {
        self.pumps.fetch_add(1, SeqCst);
        self.take_in().map_err(to_python)?;
        loop {
            while let Some(event) = { self.wire().next_event(true) } {
                if let Some(event) = self.settle(event) {
                    self.run(py, event);
                }
            }
            let mut wire = self.wire();
            let was_stalled = wire.is_stalled();
            wire.write().map_err(to_python)?;
            let has_news = wire.has_news();
            if !has_news && (wire.is_stalled() || !was_stalled) {
                let left = |due: Instant| due.saturating_duration_since(Instant::now());
                let due = wire.due().map(|due| left(due).as_secs_f64());
                let code = self.finished().filter(|_| self.is_done(&wire));
                if code.is_some() {
                    drop(self.stand_in.lock().unwrap_or_else(PoisonError::into_inner).take());
                }
                return Ok((wire.is_stalled(), due, code));
            }
        }
    }

    /// One step in the place of a loop that does nothing.
    pub(crate) fn stand_in(self: &Arc<Self>) -> Result<(), extline_stdio::Error> {
        self.take_in()?;
        self.settle_all();
        self.wire().write()?;
        // The loop is told by the bell alone: what it would have seen has been read.
        self.waker.wake();
        Ok(())
    }

    /// Reads what is there, and does what is due.
    fn take_in(&self) -> Result<(), extline_stdio::Error> {
        let mut input = self.input();
        let sigterm = input.wait(Some(Duration::ZERO))?.sigterm;
        let mut wire = self.wire();
        if sigterm {
            wire.session.handle_sigterm(Instant::now());
        }
        if wire.may_read() {
            wire.read(&mut input)?;
        }
        wire.handle_timeout();
        Ok(())
    }
}
