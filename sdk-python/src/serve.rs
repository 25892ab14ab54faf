//! The loop of a thread that works for an extension: it owns the session, or stands by.

use std::sync::Arc;
use std::time::{Duration, Instant};

use extline_protocol::ExtensionEvent;
use extline_stdio::crew::{Duty, Heir, Seat};
use extline_stdio::{Error, Received};
use pyo3::prelude::*;

use crate::claim::to_python;
use crate::core::{Core, Inlet};

/// What the loop needs Python for.
enum Next {
    /// And whether that is known to be quick.
    Handle(ExtensionEvent, bool),
    /// A signal came; its handler in Python is to be run.
    Signals,
    GoHome,
    Fail(Error),
}

impl Core {
    /// Works until there is nothing left to do.
    pub(crate) fn work(self: &Arc<Self>, py: Python<'_>, seat: &Arc<Seat>, mut duty: Duty) {
        loop {
            let next = match duty {
                Duty::Own => self.ready_event().transpose(),
                _ => None,
            };
            let next = match next {
                Some(Ok((event, is_quick))) => Next::Handle(event, is_quick),
                Some(Err(error)) => Next::Fail(error),
                None => py.detach(|| self.next(seat, &mut duty)),
            };
            match next {
                Next::Handle(event, is_quick) => {
                    if !self.handle(py, event, is_quick) {
                        duty = Duty::StandBy;
                    }
                }
                Next::Signals => {
                    if let Err(error) = py.check_signals() {
                        self.interrupt(error);
                    }
                }
                Next::GoHome => return,
                Next::Fail(error) => {
                    self.fail(to_python(error));
                    self.crew.go_home();
                    return;
                }
            }
        }
    }

    /// Ctrl-C, or an exception from another signal's handler: everything is ended in order, then it
    /// goes on.
    pub(crate) fn interrupt(&self, error: PyErr) {
        self.fail(error);
        self.wire().session.end(130, Instant::now());
    }

    fn next(self: &Arc<Self>, seat: &Arc<Seat>, duty: &mut Duty) -> Next {
        loop {
            match duty {
                Duty::Own => {}
                Duty::GoHome => return Next::GoHome,
                Duty::Watch => *duty = self.crew.inherit(seat),
                Duty::StandBy => {
                    *duty = self.crew.stand_by(seat);
                    if *duty == Duty::Own && seat.is_first() {
                        // One that came meanwhile has waited for this thread.
                        return Next::Signals;
                    }
                    continue;
                }
            }
            if *duty != Duty::Own {
                continue;
            }
            match self.own(seat) {
                Ok(Some(next)) => return next,
                Ok(None) => *duty = Duty::StandBy,
                Err(error) => return Next::Fail(error),
            }
        }
    }

    /// Reads and writes until Python is needed; `None` when the session was handed back.
    fn own(self: &Arc<Self>, seat: &Seat) -> Result<Option<Next>, Error> {
        loop {
            if let Some((event, is_quick)) = self.ready_event()? {
                return Ok(Some(Next::Handle(event, is_quick)));
            }
            let mut wire = self.wire();
            let was_stalled = wire.is_stalled();
            if (wire.write()? && was_stalled) || wire.has_news() {
                // What was not begun while the host took nothing can be now; or it is gone.
                continue;
            }
            if self.is_done(&wire) {
                drop(wire);
                self.crew.go_home();
                return Ok(Some(Next::GoHome));
            }
            let ways = (wire.may_read(), wire.is_stalled());
            let due = wire.due();
            drop(wire);
            if self.crew.hand_back(seat) {
                return Ok(None);
            }
            if self.wait(seat, ways, due)? {
                return Ok(Some(Next::Signals));
            }
        }
    }

    /// Waits for the host and takes in what happened; whether a signal came.
    fn wait(&self, seat: &Seat, ways: (bool, bool), due: Option<Instant>) -> Result<bool, Error> {
        let inlet = &mut *self.inlet();
        let is_host_alone = ways == (true, false) && due.is_none();
        if is_host_alone && self.wait_in_read(seat, inlet)? {
            return Ok(false);
        }
        let input = &mut inlet.input;
        let timeout = due.map(|due| due.saturating_duration_since(Instant::now()));
        let ready = self.crew.poll(seat, || {
            let waited = self.room.wait(input, self.signals.get(), ways, timeout);
            let for_bytes = waited.as_ref().is_ok_and(|ready| ready.is_input_alone());
            (waited, for_bytes)
        })?;
        if ready.interrupted
            && let Some(signals) = self.signals.get()
        {
            signals.take();
        }
        // A wake-up needs no more than to have ended the wait.
        let sigterm = ready.rung && input.wait(Some(Duration::ZERO))?.sigterm;
        let mut wire = self.wire();
        if sigterm {
            wire.session.handle_sigterm(Instant::now());
        }
        if ready.input {
            wire.read(input)?;
        }
        wire.handle_timeout();
        Ok(ready.interrupted)
    }

    /// Waits in the read itself, which saves looking at the descriptors. Whether that was possible, and
    /// nothing else ended it: a signal is found by the look that follows.
    fn wait_in_read(&self, seat: &Seat, Inlet { input, chunk }: &mut Inlet) -> Result<bool, Error> {
        let Some(read) = self.crew.read(seat, || input.read(chunk)) else { return Ok(false) };
        let count = match read? {
            Received::Data(count) => count,
            Received::Eof => {
                self.wire().end_input();
                return Ok(true);
            }
            Received::Interrupted => return Ok(false),
            Received::WouldBlock => {
                self.crew.cannot_read(seat);
                return Ok(false);
            }
        };
        let mut wire = self.wire();
        wire.feed(&chunk[..count]);
        // Less than there was room for: that was all.
        if count == chunk.len() {
            wire.read(input)?;
        }
        Ok(true)
    }

    /// The next thing that is there and needs Python, and whether that is known to be quick.
    fn ready_event(self: &Arc<Self>) -> Result<Option<(ExtensionEvent, bool)>, Error> {
        loop {
            // A handler runs only where somebody watches it.
            let may_begin = self.crew.heir() != Heir::None || self.crew.is_alone();
            let Some(event) = ({ self.wire().next_event(may_begin) }) else { return Ok(None) };
            if let Some(event) = self.settle(event) {
                let is_quick = self.is_quick(&event);
                self.wire().write_or_hold(is_quick)?;
                return Ok(Some((event, is_quick)));
            }
        }
    }

    /// A call whose handler was not seen to be slow of late.
    fn is_quick(&self, event: &ExtensionEvent) -> bool {
        let ExtensionEvent::ToolCall { call, .. } = event else { return false };
        let tool = self.tool(&call.name);
        tool.is_some_and(|tool| tool.pace.begin())
    }
}
