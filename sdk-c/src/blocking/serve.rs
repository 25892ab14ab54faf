//! The loop of a thread that works for an extension: it owns the session, or stands by.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, MutexGuard};
use std::thread;

use extline_driver::owner::{self, Owned, Owning, Settled};
use extline_driver::{Came, Inlet};
use extline_stdio::Room;
use extline_stdio::handover::{Duty, Handover, Seat};

use super::{Blocking, lock};
use crate::code::EXTLINE_PANIC;
use crate::extension::Extension;
use crate::failure::Failure;
use crate::job::Job;
use crate::state::State;
use crate::{fork, running};

/// What C programs are used to; it costs memory only where it is used.
const STACK: usize = 8 * 1024 * 1024;

/// What needs an author's code.
struct Work {
    job: Job,
    /// It is known not to take long.
    is_quick: bool,
    /// It is a handler, which may take its time, so that somebody has to watch it.
    is_handler: bool,
}

impl Blocking {
    /// Works until there is nothing left to do.
    pub(super) fn work(self: &Arc<Self>, ext: &Arc<Extension>, seat: &Arc<Seat>, mut duty: Duty) {
        loop {
            match owner::work(&Threads { blocking: self, ext }, seat, &mut duty) {
                Ok(Owning::Job(work)) => {
                    if !self.handle(ext, work) {
                        duty = Duty::StandBy;
                    }
                }
                Ok(Owning::Done) => return,
                Ok(_) => {}
                Err(failure) => return self.fail(failure),
            }
        }
    }

    /// Whether everything is answered and written, and every handler has ended or had its time.
    fn is_done(&self, state: &State, is_stalled: bool) -> bool {
        let is_over = || !self.handover.is_any_away() || state.lifecycle.is_overdue;
        state.lifecycle.has_finished && !is_stalled && is_over()
    }

    /// Does a job; whether the session is still this thread's.
    fn handle(self: &Arc<Self>, ext: &Arc<Extension>, work: Work) -> bool {
        let Work { job, is_quick, is_handler } = work;
        if is_handler {
            owner::start_watcher(&self.handover, || self.start_thread(ext));
        }
        running::enter(&job);
        let run = || {
            let tool = ext.run(job);
            fork::end_if_in_child();
            extline_driver::running::leave();
            tool
        };
        owner::run_handler(&self.handover, is_quick, run, |tool| {
            if let Some(tool) = tool {
                tool.pace.was_slow();
            }
            // What it said as the owner, and what the session still has to do, is written here or there.
            ext.flush();
        })
    }

    fn start_thread(self: &Arc<Self>, ext: &Arc<Extension>) -> io::Result<()> {
        let (blocking, of) = (Arc::clone(self), Arc::clone(ext));
        let mut threads = lock(&self.threads);
        let name = format!("extline-{}", threads.len() + 1);
        let started = thread::Builder::new().name(name).stack_size(STACK).spawn(move || {
            let seat = Seat::new(false);
            let work = AssertUnwindSafe(|| blocking.work(&of, &seat, Duty::Watch));
            if catch_unwind(work).is_err() {
                blocking
                    .fail(Failure::new(EXTLINE_PANIC, "a defect of libextline; stderr says it"));
            }
        });
        threads.push(started?);
        Ok(())
    }
}

/// The extension as its threads own it.
struct Threads<'a> {
    blocking: &'a Blocking,
    ext: &'a Extension,
}

impl Owned for Threads<'_> {
    type Job = Work;
    type Failure = Failure;

    fn handover(&self) -> &Handover {
        &self.blocking.handover
    }

    fn inlet(&self) -> MutexGuard<'_, Inlet> {
        lock(&self.blocking.inlet)
    }

    fn room(&self) -> &Room {
        &self.blocking.room
    }

    fn next_job(&self, may_begin: bool) -> Result<Option<Work>, Failure> {
        let mut state = self.ext.lock();
        let Some(job) = state.next_job(may_begin) else { return Ok(None) };
        let is_quick = state.is_quick(&job);
        state.channel()?.write_or_hold(is_quick)?;
        let is_handler = state.runs_handler(&job);
        Ok(Some(Work { job, is_quick, is_handler }))
    }

    fn settle(&self) -> Result<Settled, Failure> {
        let mut state = self.ext.lock();
        let channel = state.channel()?;
        let was_stalled = channel.is_stalled();
        let wants = channel.settle()?;
        if was_stalled && !channel.is_stalled() {
            self.ext.tell_of_room();
        }
        Ok(match wants {
            None => Settled::Again,
            Some(wants) if self.blocking.is_done(&state, wants.room) => Settled::Done,
            Some(wants) => Settled::Wait(wants),
        })
    }

    fn take_in(&self, inlet: &mut Inlet, came: Came) -> Result<(), Failure> {
        Ok(self.ext.lock().channel()?.take_came(inlet, came)?)
    }
}
