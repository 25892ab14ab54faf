//! The blocking form: threads of the library's own drive the session.
//!
//! One owns it: it reads, runs handlers, writes. Which one that is, who watches it, and who stands by
//! is the handover's to decide (`extline_stdio::handover`).

mod serve;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Instant;

use extline_driver::{Inlet, owner};
use extline_protocol::limits::SHUTDOWN_END;
use extline_stdio::handover::{Duty, Handover, Seat};
use extline_stdio::watchdog::{self, Unfinished};
use extline_stdio::{Room, Stdio};

use crate::claim;
use crate::code::EXTLINE_STATE;
use crate::drive_mode::DriveMode;
use crate::extension::Extension;
use crate::failure::Failure;

/// The exit status of a process that has to be ended when it cannot go on.
const FAILED: u8 = 1;

/// What the threads share beside the extension.
pub(crate) struct Blocking {
    handover: Handover,
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
            handover: Handover::new(input.waker(), ext.lock().max_threads),
            room: output.room(),
            inlet: Mutex::new(Inlet::new(input)),
            threads: Mutex::default(),
            failure: Mutex::default(),
        });
        ext.begin(Box::new(Driver(Arc::clone(&blocking))), Some(output))?;
        ext.lock().process = Arc::downgrade(ext);
        blocking.work(ext, &Seat::new(true), Duty::Own);
        // So that the author may free what the handlers use. One that would not stop ends with the
        // process, by the watchdog.
        for thread in std::mem::take(&mut *lock(&blocking.threads)) {
            let _ = thread.join();
        }
        let failure = lock(&blocking.failure).take();
        match failure {
            Some(failure) => Err(failure),
            None => Ok(ext.lock().exit_code().unwrap_or(0)),
        }
    }

    /// The extension cannot go on; the first reason counts.
    fn fail(&self, failure: Failure) {
        let unfinished =
            || Unfinished { handlers: extline_driver::running::names(), unread: false };
        watchdog::start(Instant::now(), SHUTDOWN_END, FAILED, unfinished);
        lock(&self.failure).get_or_insert(failure);
        self.handover.go_home();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Each operation is whole before it can panic.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How the extension reaches its threads.
struct Driver(Arc<Blocking>);

impl DriveMode for Driver {
    fn is_driven_here(&self, _ext: &Extension) -> bool {
        owner::is_owned_here(&self.0.handover)
    }

    fn wake(&self) {
        self.0.handover.wake();
    }

    fn is_the_program_s(&self) -> bool {
        false
    }

    fn step_aside(&self, _ext: &Extension) -> Result<(), Failure> {
        if owner::step_aside(&self.0.handover) {
            return Ok(());
        }
        let text = "no other thread is free, so nobody would read the answer: every handler waits, or \
                    a thread could not be started; use the function that ends with _then";
        Err(Failure::new(EXTLINE_STATE, text))
    }
}
