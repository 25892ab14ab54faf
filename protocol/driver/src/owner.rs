//! The thread that owns a session whose handlers block: it reads, runs handlers and writes.
//!
//! Which thread that is, who watches it and who stands by is for [`Handover`] to decide. The SDK starts
//! the threads and runs the handlers.

use std::cell::Cell;
use std::fmt::Display;
use std::sync::{Arc, MutexGuard};

use extline_stdio::handover::{Duty, HandlerRun, Handover, Seat, Watcher};
use extline_stdio::{Error, Room, report};

use crate::{Came, Inlet, Wants};

thread_local! {
    /// The handler that this thread is inside of as the owner of the session of that handover.
    static HANDLER_RUN: Cell<Option<(HandlerRun, *const Handover)>> = const { Cell::new(None) };
}

/// An extension, as the threads see it that own its session by turns.
pub trait Owned {
    /// What an author's code is needed for.
    type Job;
    /// Why it cannot go on.
    type Failure: From<Error>;

    /// Who does what.
    fn handover(&self) -> &Handover;

    /// The way in, which the owner alone locks.
    fn inlet(&self) -> MutexGuard<'_, Inlet>;

    /// The way out, to be waited for.
    fn room(&self) -> &Room;

    /// The next thing that an author's code is needed for; nothing new while `may_begin` is false. What
    /// was said before is written, or held back.
    ///
    /// # Errors
    ///
    /// The session cannot go on.
    fn next_job(&self, may_begin: bool) -> Result<Option<Self::Job>, Self::Failure>;

    /// Writes what there is, and says how it goes on.
    ///
    /// # Errors
    ///
    /// The session cannot go on.
    fn settle(&self) -> Result<Settled, Self::Failure>;

    /// Takes in what ended a wait.
    ///
    /// # Errors
    ///
    /// The session cannot go on.
    fn take_in(&self, inlet: &mut Inlet, came: Came) -> Result<(), Self::Failure>;
}

/// What there is to do once everything was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Settled {
    /// Something came up meanwhile.
    Again,
    /// Nothing until this comes.
    Wait(Wants),
    /// Everything is answered and written, and every handler has ended or had its time.
    Done,
}

/// Why the owner stops reading and writing.
#[derive(Debug)]
pub enum Owning<J> {
    /// An author's code is needed.
    Job(J),
    /// A signal came whose handler the program runs itself.
    Interrupted,
    /// The session was handed to the first thread.
    HandedBack,
    /// Nothing is left to do; all threads were told to go home.
    Done,
}

/// Reads and writes, as the owner, until something else is to be done.
///
/// # Errors
///
/// The session cannot go on.
pub fn own<O: Owned>(owned: &O, seat: &Seat) -> Result<Owning<O::Job>, O::Failure> {
    let handover = owned.handover();
    loop {
        if let Some(job) = owned.next_job(may_begin(handover))? {
            return Ok(Owning::Job(job));
        }
        let wants = match owned.settle()? {
            Settled::Again => continue,
            Settled::Wait(wants) => wants,
            Settled::Done => {
                handover.go_home();
                return Ok(Owning::Done);
            }
        };
        if handover.hand_back(seat) {
            return Ok(Owning::HandedBack);
        }
        let inlet = &mut *owned.inlet();
        let came = inlet.wait((handover, seat), wants, owned.room())?;
        owned.take_in(inlet, came)?;
        if came.is_interrupted() {
            return Ok(Owning::Interrupted);
        }
    }
}

/// Works by turns, as the handover says, until the thread is to do something else.
///
/// # Errors
///
/// The session cannot go on.
pub fn work<O: Owned>(
    owned: &O,
    seat: &Arc<Seat>,
    duty: &mut Duty,
) -> Result<Owning<O::Job>, O::Failure> {
    let handover = owned.handover();
    loop {
        *duty = match *duty {
            Duty::GoHome => return Ok(Owning::Done),
            Duty::Watch => handover.watch_owner(seat),
            Duty::StandBy => {
                *duty = handover.stand_by(seat);
                if *duty == Duty::Own && seat.is_first() {
                    // A signal that came meanwhile has waited for this thread.
                    return Ok(Owning::Interrupted);
                }
                continue;
            }
            Duty::Own => match own(owned, seat)? {
                Owning::HandedBack => Duty::StandBy,
                owning => return Ok(owning),
            },
        }
    }
}

/// Whether a handler may begin: it runs only where somebody watches it.
pub fn may_begin(handover: &Handover) -> bool {
    handover.watcher() != Watcher::None || handover.is_alone()
}

/// Starts a thread that watches the owner, if there is none and there may be one more. What `start` starts
/// begins with [`Handover::watch_owner`]. Where the system has no thread left, handlers run one by one.
pub fn start_watcher<E: Display>(handover: &Handover, start: impl FnOnce() -> Result<(), E>) {
    if handover.watcher() != Watcher::ToBeStarted {
        return;
    }
    handover.expect_watcher();
    if let Err(error) = start() {
        handover.expect_no_watcher();
        report(&format!("a thread cannot be started, so that handlers run one by one: {error}"));
    }
}

/// Runs a handler in the thread of the owner; a quick one was never seen to take long. Whether the session is
/// still this thread's: another has taken it over otherwise, and `end` gets what the handler gave, and writes
/// what it left.
pub fn run_handler<R>(
    handover: &Handover,
    is_quick: bool,
    handler: impl FnOnce() -> R,
    end: impl FnOnce(R),
) -> bool {
    let run = handover.enter(is_quick);
    HANDLER_RUN.set(Some((run, handover)));
    let given = handler();
    HANDLER_RUN.set(None);
    if handover.leave(run) {
        return true;
    }
    end(given);
    handover.wake();
    handover.come_back();
    false
}

/// Whether this thread is inside of a handler, and owns the session all the same.
pub fn is_owned_here(handover: &Handover) -> bool {
    run_here(handover).is_some_and(|run| handover.is_inside(run))
}

/// This thread's handler is about to wait for the host, whose answer another thread has to read. Whether
/// one can; it takes the session over then.
pub fn step_aside(handover: &Handover) -> bool {
    let Some(run) = run_here(handover) else { return true };
    // Where another thread has taken the session over, that one reads.
    let is_owner = || handover.is_inside(run);
    if is_owner() && handover.watcher() != Watcher::Ready && is_owner() {
        return false;
    }
    HANDLER_RUN.set(None);
    handover.step_aside(run);
    true
}

fn run_here(handover: &Handover) -> Option<HandlerRun> {
    let (run, of) = HANDLER_RUN.get()?;
    std::ptr::eq(of, handover).then_some(run)
}
