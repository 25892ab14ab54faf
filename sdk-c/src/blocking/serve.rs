//! The loop of a thread that works for an extension: it owns the session, or stands by.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread;
use std::time::Instant;

use extline_driver::Wants;
use extline_stdio::handover::{Duty, Seat, Watcher};
use extline_stdio::report;

use super::{Blocking, HANDLER_RUN, lock};
use crate::claim::failure;
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

/// Why the owner stops reading and writing.
enum Next {
    Handle(Work),
    /// The session was handed to the first thread.
    HandedBack,
    GoHome,
}

impl Blocking {
    /// Works until there is nothing left to do.
    pub(super) fn work(self: &Arc<Self>, ext: &Arc<Extension>, seat: &Arc<Seat>, mut duty: Duty) {
        loop {
            match duty {
                Duty::Watch => duty = self.handover.watch_owner(seat),
                Duty::StandBy => duty = self.handover.stand_by(seat),
                Duty::GoHome => return,
                Duty::Own => match self.own(ext, seat) {
                    Ok(Next::Handle(work)) => {
                        if !self.handle(ext, work) {
                            duty = Duty::StandBy;
                        }
                    }
                    Ok(Next::HandedBack) => duty = Duty::StandBy,
                    Ok(Next::GoHome) => {
                        self.handover.go_home();
                        return;
                    }
                    Err(failure) => return self.fail(failure),
                },
            }
        }
    }

    /// Reads and writes until an author's code is needed.
    fn own(&self, ext: &Extension, seat: &Seat) -> Result<Next, Failure> {
        loop {
            // A handler runs only where somebody watches it.
            let may_begin = self.handover.watcher() != Watcher::None || self.handover.is_alone();
            let mut state = ext.lock();
            if let Some(job) = state.next_job(may_begin) {
                let is_quick = state.is_quick(&job);
                state.channel()?.write_or_hold(is_quick).map_err(failure)?;
                let is_handler = state.runs_handler(&job);
                return Ok(Next::Handle(Work { job, is_quick, is_handler }));
            }
            let channel = state.channel()?;
            let was_stalled = channel.is_stalled();
            let wants = channel.settle().map_err(failure)?;
            if was_stalled && !channel.is_stalled() {
                ext.tell_of_room();
            }
            let Some(wants) = wants else { continue };
            if self.is_done(&state, wants.room) {
                return Ok(Next::GoHome);
            }
            drop(state);
            if self.handover.hand_back(seat) {
                return Ok(Next::HandedBack);
            }
            self.wait(ext, seat, wants)?;
        }
    }

    /// Whether everything is answered and written, and every handler has ended or had its time.
    fn is_done(&self, state: &State, is_stalled: bool) -> bool {
        let is_over = || !self.handover.is_any_away() || state.lifecycle.is_overdue;
        state.lifecycle.finished().is_some() && !is_stalled && is_over()
    }

    /// Waits for the host and takes in what happened.
    fn wait(&self, ext: &Extension, seat: &Seat, wants: Wants) -> Result<(), Failure> {
        let inlet = &mut *lock(&self.inlet);
        if wants.is_input_alone()
            && let Some(arrival) = inlet.wait_in_read(&self.handover, seat).map_err(failure)?
        {
            return ext.lock().channel()?.take_arrival(inlet, arrival).map_err(failure);
        }
        let input = &mut inlet.input;
        let timeout = wants.due.map(|due| due.saturating_duration_since(Instant::now()));
        let room = wants.room.then_some(&self.room);
        let ready = self.handover.poll(seat, || {
            let waited = input.wait_for_room(room, wants.input, timeout).map(|(ready, _)| ready);
            let for_bytes = waited.as_ref().is_ok_and(|ready| ready.is_input_alone());
            (waited, for_bytes)
        });
        let ready = ready.map_err(failure)?;
        let came = (ready.sigterm, ready.input);
        ext.lock().channel()?.take_in(input, came).map_err(failure)
    }

    /// Does a job; whether the session is still this thread's.
    fn handle(self: &Arc<Self>, ext: &Arc<Extension>, work: Work) -> bool {
        let Work { job, is_quick, is_handler } = work;
        if is_handler && self.handover.watcher() == Watcher::ToBeStarted {
            self.start_watcher(ext);
        }
        running::enter(&job);
        let run = self.handover.enter(is_quick);
        HANDLER_RUN.set(Some((run, Arc::as_ptr(ext))));
        let tool = ext.run(job);
        HANDLER_RUN.set(None);
        fork::end_if_in_child();
        extline_driver::running::leave();
        if self.handover.leave(run) {
            return true;
        }
        if let Some(tool) = tool {
            tool.pace.was_slow();
        }
        // What it said as the owner, and what the session still has to do, is written here or there.
        ext.flush();
        self.handover.wake();
        self.handover.come_back();
        false
    }

    fn start_watcher(self: &Arc<Self>, ext: &Arc<Extension>) {
        self.handover.expect_watcher();
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
        match started {
            Ok(thread) => threads.push(thread),
            Err(error) => {
                drop(threads);
                self.handover.expect_no_watcher();
                report(&format!(
                    "a thread cannot be started, so that handlers run one by one: {error}"
                ));
            }
        }
    }
}
