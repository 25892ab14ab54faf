//! The loop of a thread that works for an extension: it owns the session, or stands by.

use std::io;
use std::sync::{Arc, MutexGuard, PoisonError};
use std::thread;
use std::time::Instant;

use extline_driver::owner::{self, Owned, Owning, Settled};
use extline_driver::{Came, Inlet};
use extline_protocol::ExtensionEvent;
use extline_stdio::handover::{Duty, Handover, Seat};
use extline_stdio::{Error, Room};
use pyo3::prelude::*;

use crate::claim::to_python;
use crate::core::Core;

/// What the loop needs Python for: an event, and whether its handler is known to be quick, a signal whose
/// handler in Python is to be run, or the end.
pub(crate) type Next = Result<Owning<(ExtensionEvent, bool)>, Error>;

impl Core {
    /// Works until there is nothing left to do.
    pub(crate) fn work(self: &Arc<Self>, py: Python<'_>, seat: &Arc<Seat>, mut duty: Duty) {
        loop {
            let next = match duty {
                Duty::Own => Threads(self).next_job(owner::may_begin(&self.handover)).transpose(),
                _ => None,
            };
            let next = match next {
                Some(job) => job.map(Owning::Job),
                None => py.detach(|| owner::work(&Threads(self), seat, &mut duty)),
            };
            if !self.obey(py, next, &mut duty) {
                return;
            }
        }
    }

    /// Does what needs Python. Whether this thread has more to do.
    fn obey(self: &Arc<Self>, py: Python<'_>, next: Next, duty: &mut Duty) -> bool {
        match next {
            Ok(Owning::Job((event, is_quick))) => {
                if !self.handle(py, event, is_quick) {
                    *duty = Duty::StandBy;
                }
            }
            Ok(Owning::Interrupted) => {
                if let Err(error) = py.check_signals() {
                    self.interrupt(error);
                }
            }
            Ok(Owning::HandedBack | Owning::Done) => return false,
            Err(error) => {
                self.fail(to_python(error));
                self.handover.go_home();
                return false;
            }
        }
        true
    }

    /// Starts a thread that watches the owner. It has nothing of Python's until it owns the session and
    /// needs Python: most never do, and to import `threading` costs a first call some milliseconds.
    pub(crate) fn start_watcher(self: &Arc<Self>) -> io::Result<()> {
        let core = Arc::clone(self);
        let watch = move || {
            let mut duty = Duty::Watch;
            match owner::work(&Threads(&core), &Seat::new(false), &mut duty) {
                Ok(Owning::Done) => {}
                next => core.visits.visit(|py| core.go_on_in_python(py, next)),
            }
        };
        thread::Builder::new().name("extline watcher".to_owned()).spawn(watch).map(drop)
    }

    /// Has a thread of Python's go on as the owner, or this one where none can be started.
    fn go_on_in_python(self: &Arc<Self>, py: Python<'_>, next: Next) {
        self.taken_over().push(next);
        if self.serving(py).call_method0("start_thread").is_err() {
            self.go_on(py);
        }
    }

    /// What a thread of Python's does: it begins as the owner.
    pub(crate) fn go_on(self: &Arc<Self>, py: Python<'_>) {
        let Some(next) = ({ self.taken_over().pop() }) else { return };
        let mut duty = Duty::Own;
        if self.obey(py, next, &mut duty) {
            self.work(py, &Seat::new(false), duty);
        }
    }

    fn taken_over(&self) -> MutexGuard<'_, Vec<Next>> {
        self.taken_over.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ctrl-C, or an exception from another signal's handler: everything is ended in order, then it
    /// goes on.
    pub(crate) fn interrupt(&self, error: PyErr) {
        self.fail(error);
        self.channel().session.end(130, Instant::now());
    }

    /// A call whose handler was not seen to be slow of late.
    fn is_quick(&self, event: &ExtensionEvent) -> bool {
        let ExtensionEvent::ToolCall { call, .. } = event else { return false };
        let tool = self.tool(&call.name);
        tool.is_some_and(|tool| tool.pace.begin())
    }
}

/// The extension as its threads own it.
struct Threads<'a>(&'a Arc<Core>);

impl Owned for Threads<'_> {
    /// And whether that is known to be quick.
    type Job = (ExtensionEvent, bool);
    type Failure = Error;

    fn handover(&self) -> &Handover {
        &self.0.handover
    }

    fn inlet(&self) -> MutexGuard<'_, Inlet> {
        self.0.inlet()
    }

    fn room(&self) -> &Room {
        &self.0.room
    }

    fn next_job(&self, may_begin: bool) -> Result<Option<Self::Job>, Error> {
        loop {
            let Some(event) = ({ self.0.channel().next_event(may_begin) }) else { return Ok(None) };
            if let Some(event) = self.0.settle(event) {
                let is_quick = self.0.is_quick(&event);
                self.0.channel().write_or_hold(is_quick)?;
                return Ok(Some((event, is_quick)));
            }
        }
    }

    fn settle(&self) -> Result<Settled, Error> {
        let mut channel = self.0.channel();
        Ok(match channel.settle()? {
            None => Settled::Again,
            Some(_) if self.0.is_done(&channel) => Settled::Done,
            Some(wants) => Settled::Wait(wants),
        })
    }

    fn take_in(&self, inlet: &mut Inlet, came: Came) -> Result<(), Error> {
        self.0.channel().take_came(inlet, came)
    }
}
