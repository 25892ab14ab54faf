//! The blocking form: threads of the library's own drive the session.
//!
//! One owns it: it reads, runs handlers, writes. Which one that is, who watches it, and who stands by
//! is the crew's to decide (`extline_stdio::crew`).

mod serve;

use std::cell::Cell;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use extline_protocol::limits::SHUTDOWN_END;
use extline_stdio::crew::{Crew, Duty, Heir, Seat, Stay};
use extline_stdio::{Input, Room, Stdio, watchdog};

use crate::claim;
use crate::code::EXTLINE_STATE;
use crate::extension::Extension;
use crate::failure::Failure;
use crate::form::Form;
use crate::running;

thread_local! {
    /// The handler that this thread is inside of as the owner of that extension's session.
    static STAY: Cell<Option<(Stay, *const Extension)>> = const { Cell::new(None) };
}

/// The exit status of a process that has to be ended when it cannot go on.
const FAILED: u8 = 1;

/// A read that waits has room for so much; what is more is read where it is decoded.
const CHUNK: usize = 16 * 1024;

/// The way in.
struct Inlet {
    input: Input,
    chunk: Box<[u8]>,
}

/// What the threads share beside the extension.
pub(crate) struct Blocking {
    crew: Crew,
    /// Locked by the owner of the session alone.
    inlet: Mutex<Inlet>,
    room: Room,
    /// Those that were started, to be waited for.
    threads: Mutex<Vec<JoinHandle<()>>>,
    /// Why it cannot go on.
    failure: Mutex<Option<Failure>>,
}

impl Blocking {
    /// Serves the extension in this thread until its end. Its exit code.
    pub(crate) fn serve(ext: &Arc<Extension>) -> Result<u8, Failure> {
        ext.may_begin()?;
        let Stdio { mut input, output } = claim::take()?;
        input.listen_for_sigterm().map_err(claim::failure)?;
        let blocking = Arc::new(Self {
            crew: Crew::new(input.waker(), ext.lock().max_threads),
            room: output.room(),
            inlet: Mutex::new(Inlet { input, chunk: vec![0; CHUNK].into() }),
            threads: Mutex::default(),
            failure: Mutex::default(),
        });
        ext.begin(Box::new(Driver(Arc::clone(&blocking))), Some(output))?;
        ext.lock().ends_process = true;
        blocking.work(ext, &Seat::new(true), Duty::Own);
        // So that the author may free what the handlers use. One that would not stop ends with the
        // process, by the watchdog.
        for thread in std::mem::take(&mut *lock(&blocking.threads)) {
            let _ = thread.join();
        }
        let failure = lock(&blocking.failure).take();
        match failure {
            Some(failure) => Err(failure),
            None => Ok(ext.lock().lifecycle.finished().unwrap_or(0)),
        }
    }

    /// The extension cannot go on; the first reason counts.
    fn fail(&self, failure: Failure) {
        watchdog::start(SHUTDOWN_END, FAILED, running::names);
        lock(&self.failure).get_or_insert(failure);
        self.crew.go_home();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Each operation is whole before it can panic.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How the extension reaches its threads.
struct Driver(Arc<Blocking>);

impl Form for Driver {
    fn is_driven_here(&self, ext: &Extension) -> bool {
        let is_here = |(stay, of): (Stay, *const Extension)| {
            std::ptr::eq(of, ext) && self.0.crew.is_inside(stay)
        };
        STAY.get().is_some_and(is_here)
    }

    fn wake(&self) {
        self.0.crew.wake();
    }

    fn is_the_program_s(&self) -> bool {
        false
    }

    fn step_aside(&self, ext: &Extension) -> Result<(), Failure> {
        let Some((stay, _)) = STAY.get().filter(|(_, of)| std::ptr::eq(*of, ext)) else {
            return Ok(());
        };
        let crew = &self.0.crew;
        // Where another thread has taken the session over, that one reads.
        let is_owner = || crew.is_inside(stay);
        if is_owner() && crew.heir() != Heir::Ready && is_owner() {
            let text = "no other thread is free, so nobody would read the answer: every handler waits, or \
                        a thread could not be started; use the function that ends with _then";
            return Err(Failure::new(EXTLINE_STATE, text));
        }
        STAY.set(None);
        crew.step_aside(stay);
        Ok(())
    }
}
