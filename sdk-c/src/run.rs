//! `extline_run`: a program that is nothing but an extension.

use std::env;
use std::sync::Arc;

use extline_driver::by_hand;
use extline_protocol::ExtensionConfig;
use extline_stdio::report;

use crate::blocking::Blocking;
use crate::claim;
use crate::code::{
    EXTLINE_ARGUMENT, EXTLINE_NULL_POINTER, EXTLINE_OK, EXTLINE_REQUIRED, EXTLINE_STATE,
    EXTLINE_TERMINATED, ResultCode, name_of,
};
use crate::extension::{Extension, extension};
use crate::failure::{self, Failure, enter};
use crate::fork;

/// So many handlers at a time, unless the author wants fewer.
pub(crate) const MOST_THREADS: usize = 32;

/// Serves the extension over stdin and stdout until its end, in this thread and in others that are
/// started when a handler takes its time. `EXTLINE_OK` when it ended as its host wished; else a code
/// that is a good exit status, and `extline_last_error` says why: `EXTLINE_TERMINATED` after SIGTERM,
/// `EXTLINE_REQUIRED`, 1 when setup failed. What kept it from running is said on stderr too; with NULL
/// that is what `extline_new` said. Started by hand in a terminal it says on stderr how the
/// program is tried, and returns `EXTLINE_OK`; with `EXTLINE_STDIO=claim` frames can be typed.
///
/// While a handler is quick it runs in this thread, which waits for the host again when it returns.
/// One that takes longer than some milliseconds keeps its thread, and another goes on: calls run
/// beside each other, at most 32 at a time (`extline_set_max_threads`); events, and what happens in
/// one panel, come one at a time. So handlers must be ready to run in several threads. Standard
/// mutexes do; a handler may hold one while it waits for the host.
///
/// Stdout belongs to the protocol: what handlers and their child processes print lands on stderr, and
/// stdin is empty. SIGTERM ends the extension in order, SIGPIPE is left as it is and does not come for
/// a host that is gone; other signals are the program's. (On Linux one thread of the library ends the
/// read of another by SIGURG, with a handler that does nothing, unless the program handles that signal:
/// it comes to no thread that is outside of the library.) At the end handlers see a cancel; 1.5 s after
/// it began the process is ended, whatever still runs (`end.hard`), be it a handler, which is named
/// on stderr, or what the program does after this has returned. Every thread that ran handlers has ended
/// when this returns. In the child of a fork it does nothing (`EXTLINE_FORKED`), and a handler that
/// returns there ends the child.
///
/// Once for each process, from any thread; not from inside a handler.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_run(ext: *mut Extension) -> ResultCode {
    enter(|| {
        fork::check()?;
        if ext.is_null() {
            let why = failure::last().unwrap_or_else(|| "ext is NULL".to_owned());
            return Err(told(Failure::new(EXTLINE_NULL_POINTER, why)));
        }
        // SAFETY: a handle of the caller's.
        let ext = unsafe { extension(ext) }?;
        if is_tried_by_hand(&ext) {
            return Ok(());
        }
        end(Blocking::serve(&ext).map_err(told)?)
    })
}

fn is_tried_by_hand(ext: &Arc<Extension>) -> bool {
    let state = ext.lock();
    let ExtensionConfig { name, version, registrations, .. } = &state.config;
    let program = env::args().next();
    let program = program.as_ref().unwrap_or(name);
    by_hand::is_tried((name, version), registrations, program, claim::is_mcp)
}

/// A program that only returns the code ends in silence otherwise.
fn told(failure: Failure) -> Failure {
    let name = name_of(failure.code).to_string_lossy();
    report(&format!("{name}: {}", failure.text));
    failure
}

/// At most so many handlers run at a time in `extline_run`, from 1 to 32, which it is unless it is
/// set. The others wait; cancels and the end are seen all the same.
///
/// Before the start, from any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn extline_set_max_threads(ext: *mut Extension, count: u32) -> ResultCode {
    enter(|| {
        // SAFETY: a handle of the caller's.
        let ext = unsafe { extension(ext) }?;
        let most = usize::try_from(count).unwrap_or(usize::MAX);
        if !(1..=MOST_THREADS).contains(&most) {
            let text = format!("count is {count}: from 1 to {MOST_THREADS} handlers run at a time");
            return Err(Failure::new(EXTLINE_ARGUMENT, text));
        }
        let mut state = ext.lock();
        if state.live().is_some() {
            let text = "the extension has been started: set this before extline_run";
            return Err(Failure::new(EXTLINE_STATE, text));
        }
        state.max_threads = most;
        Ok(())
    })
}

/// What the exit code of a session means.
fn end(exit_code: u8) -> Result<(), Failure> {
    let code = ResultCode::from(exit_code);
    let text = match code {
        EXTLINE_OK => return Ok(()),
        EXTLINE_TERMINATED => "SIGTERM ended the extension".to_owned(),
        EXTLINE_REQUIRED => "the host lacks something that the extension requires".to_owned(),
        code => format!("the extension ended with exit status {code}; stderr says why"),
    };
    Err(Failure::new(code, text))
}
