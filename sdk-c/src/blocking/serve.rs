//! The loop of a thread that works for an extension: it owns the session, or stands by.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread;
use std::time::Instant;

use extline_stdio::crew::{Duty, Heir, Seat};
use extline_stdio::{Received, report};

use super::{Blocking, Inlet, STAY, lock};
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
                Duty::Watch => duty = self.crew.inherit(seat),
                Duty::StandBy => duty = self.crew.stand_by(seat),
                Duty::GoHome => return,
                Duty::Own => match self.own(ext, seat) {
                    Ok(Next::Handle(work)) => {
                        if !self.handle(ext, work) {
                            duty = Duty::StandBy;
                        }
                    }
                    Ok(Next::HandedBack) => duty = Duty::StandBy,
                    Ok(Next::GoHome) => {
                        self.crew.go_home();
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
            let may_begin = self.crew.heir() != Heir::None || self.crew.is_alone();
            let mut state = ext.lock();
            if let Some(job) = state.next_job(may_begin) {
                let is_quick = state.is_quick(&job);
                state.wire()?.write_or_hold(is_quick).map_err(failure)?;
                let is_handler = state.runs_handler(&job);
                return Ok(Next::Handle(Work { job, is_quick, is_handler }));
            }
            let wire = state.wire()?;
            let was_stalled = wire.is_stalled();
            let is_said = wire.write().map_err(failure)?;
            if is_said && was_stalled {
                ext.tell_of_room();
            }
            if (is_said && was_stalled) || wire.has_news() {
                // What was not begun while the host took nothing can be now; or it is gone.
                continue;
            }
            let ways = (wire.may_read(), wire.is_stalled());
            let due = wire.due();
            if self.is_done(&state, ways.1) {
                return Ok(Next::GoHome);
            }
            drop(state);
            if self.crew.hand_back(seat) {
                return Ok(Next::HandedBack);
            }
            self.wait(ext, seat, ways, due)?;
        }
    }

    /// Whether everything is answered and written, and every handler has ended or had its time.
    fn is_done(&self, state: &State, is_stalled: bool) -> bool {
        let is_over = || !self.crew.is_any_away() || state.lifecycle.is_overdue;
        state.lifecycle.finished().is_some() && !is_stalled && is_over()
    }

    /// Waits for the host and takes in what happened.
    fn wait(
        &self,
        ext: &Extension,
        seat: &Seat,
        (reading, writing): (bool, bool),
        due: Option<Instant>,
    ) -> Result<(), Failure> {
        let inlet = &mut *lock(&self.inlet);
        let is_host_alone = reading && !writing && due.is_none();
        if is_host_alone && self.wait_in_read(ext, seat, inlet)? {
            return Ok(());
        }
        let input = &mut inlet.input;
        let timeout = due.map(|due| due.saturating_duration_since(Instant::now()));
        let room = writing.then_some(&self.room);
        let ready = self.crew.poll(seat, || {
            let waited = input.wait_for_room(room, reading, timeout).map(|(ready, _)| ready);
            let for_bytes = waited.as_ref().is_ok_and(|ready| ready.is_input_alone());
            (waited, for_bytes)
        });
        let ready = ready.map_err(failure)?;
        let mut state = ext.lock();
        let wire = state.wire()?;
        if ready.sigterm {
            wire.session.handle_sigterm(Instant::now());
        }
        if ready.input {
            wire.read(input).map_err(failure)?;
        }
        wire.handle_timeout();
        Ok(())
    }

    /// Waits in the read itself, which saves looking at the descriptors. Whether that was possible, and
    /// nothing else ended it.
    fn wait_in_read(
        &self,
        ext: &Extension,
        seat: &Seat,
        Inlet { input, chunk }: &mut Inlet,
    ) -> Result<bool, Failure> {
        let Some(read) = self.crew.read(seat, || input.read(chunk)) else { return Ok(false) };
        let count = match read.map_err(failure)? {
            Received::Data(count) => count,
            Received::Eof => {
                ext.lock().wire()?.end_input();
                return Ok(true);
            }
            Received::Interrupted => return Ok(false),
            Received::WouldBlock => {
                self.crew.cannot_read(seat);
                return Ok(false);
            }
        };
        let mut state = ext.lock();
        let wire = state.wire()?;
        wire.feed(&chunk[..count]);
        // Less than there was room for: that was all.
        if count == chunk.len() {
            wire.read(input).map_err(failure)?;
        }
        Ok(true)
    }

    /// Does a job; whether the session is still this thread's.
    fn handle(self: &Arc<Self>, ext: &Arc<Extension>, work: Work) -> bool {
        let Work { job, is_quick, is_handler } = work;
        if is_handler && self.crew.heir() == Heir::ToBeStarted {
            self.start_heir(ext);
        }
        running::enter(&job);
        let stay = self.crew.enter(is_quick);
        STAY.set(Some((stay, Arc::as_ptr(ext))));
        let tool = ext.run(job);
        STAY.set(None);
        fork::end_if_in_child();
        running::leave();
        if self.crew.leave(stay) {
            return true;
        }
        if let Some(tool) = tool {
            tool.pace.was_slow();
        }
        // What it said as the owner, and what the session still has to do, is written here or there.
        ext.flush();
        self.crew.wake();
        self.crew.come_back();
        false
    }

    fn start_heir(self: &Arc<Self>, ext: &Arc<Extension>) {
        self.crew.expect_heir();
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
                self.crew.expect_no_heir();
                report(&format!(
                    "a thread cannot be started, so that handlers run one by one: {error}"
                ));
            }
        }
    }
}
