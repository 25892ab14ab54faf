//! The loop of a thread that works for an extension: it owns the session, or stands by.

use std::sync::Arc;
use std::time::{Duration, Instant};

use extline_driver::Wants;
use extline_protocol::ExtensionEvent;
use extline_stdio::handover::{Duty, Seat, Watcher};
use extline_stdio::{Error, HANG_UP_LOOK};
use pyo3::prelude::*;

use crate::claim::to_python;
use crate::core::Core;

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
                    self.handover.go_home();
                    return;
                }
            }
        }
    }

    /// Ctrl-C, or an exception from another signal's handler: everything is ended in order, then it
    /// goes on.
    pub(crate) fn interrupt(&self, error: PyErr) {
        self.fail(error);
        self.channel().session.end(130, Instant::now());
    }

    fn next(self: &Arc<Self>, seat: &Arc<Seat>, duty: &mut Duty) -> Next {
        loop {
            match duty {
                Duty::Own => {}
                Duty::GoHome => return Next::GoHome,
                Duty::Watch => *duty = self.handover.watch_owner(seat),
                Duty::StandBy => {
                    *duty = self.handover.stand_by(seat);
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
            let mut channel = self.channel();
            let Some(wants) = channel.settle()? else { continue };
            if self.is_done(&channel) {
                drop(channel);
                self.handover.go_home();
                return Ok(Some(Next::GoHome));
            }
            drop(channel);
            if self.handover.hand_back(seat) {
                return Ok(None);
            }
            if self.wait(seat, wants)? {
                return Ok(Some(Next::Signals));
            }
        }
    }

    /// Waits for the host and takes in what happened; whether a signal came.
    fn wait(&self, seat: &Seat, wants: Wants) -> Result<bool, Error> {
        let inlet = &mut *self.inlet();
        if wants.is_input_alone()
            && let Some(arrival) = inlet.wait_in_read(&self.handover, seat)?
        {
            self.channel().take_arrival(inlet, arrival)?;
            return Ok(false);
        }
        let input = &mut inlet.input;
        let timeout = wants.due.map(|due| due.saturating_duration_since(Instant::now()));
        // Where bytes are not waited for, their end may have come.
        let longest = (!wants.input).then_some(HANG_UP_LOOK);
        let timeout = [timeout, longest].into_iter().flatten().min();
        let ways = (wants.input, wants.room);
        let ready = self.handover.poll(seat, || {
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
        self.channel().take_in(input, (sigterm, ready.input))?;
        Ok(ready.interrupted)
    }

    /// The next thing that is there and needs Python, and whether that is known to be quick.
    fn ready_event(self: &Arc<Self>) -> Result<Option<(ExtensionEvent, bool)>, Error> {
        loop {
            // A handler runs only where somebody watches it.
            let may_begin = self.handover.watcher() != Watcher::None || self.handover.is_alone();
            let Some(event) = ({ self.channel().next_event(may_begin) }) else { return Ok(None) };
            if let Some(event) = self.settle(event) {
                let is_quick = self.is_quick(&event);
                self.channel().write_or_hold(is_quick)?;
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
