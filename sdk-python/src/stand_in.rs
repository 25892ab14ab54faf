//! Stands in for an event loop that a handler keeps: one that blocks, or computes without awaiting.
//!
//! Then nobody would read a cancel or the end of the session, and no guard would be answered for in
//! time. A thread without Python looks whether the loop takes what is there; if it does not, that
//! thread reads and writes in its place, answers what falls due, and marks calls as cancelled. It
//! runs no handler: what needs Python waits for the loop.

use std::io::{PipeReader, PipeWriter, pipe};
use std::sync::atomic::Ordering::SeqCst;
use std::sync::{Arc, Weak};
use std::thread;
use std::time::{Duration, Instant};

use crate::core::Core;

/// What a loop leaves undone for so long it does not do for now.
const PATIENCE: Duration = Duration::from_millis(20);
/// How often there is a look once it stands in.
const STEP: Duration = Duration::from_millis(10);
/// How long it may miss the end of a session.
const LONGEST_WAIT: Duration = Duration::from_secs(5);

/// Starts the thread; dropping what it gives ends it. Without it the extension is served all the
/// same, as long as the loop goes on.
pub(crate) fn start(core: &Arc<Core>) -> Option<PipeWriter> {
    let core = Arc::downgrade(core);
    let (end, ends_by_drop) = pipe().ok()?;
    let watch = move || while watch(&core, &end) {};
    thread::Builder::new().name("extline stand-in".to_owned()).spawn(watch).ok()?;
    Some(ends_by_drop)
}

/// Waits for something to do, and does it if the loop does not. Whether to go on.
fn watch(core: &Weak<Core>, end: &PipeReader) -> bool {
    let Some(core) = core.upgrade().filter(|core| core.finished().is_none()) else { return false };
    let (may_read, due) = {
        let wire = core.wire();
        (wire.may_read(), wire.due())
    };
    let until_due = due.map(|due| due.saturating_duration_since(Instant::now()));
    let longest = until_due.unwrap_or(LONGEST_WAIT).min(LONGEST_WAIT);
    if !matches!(core.room.wait_to_read(may_read, Some(end), longest), Ok(ready) if !ready.ended) {
        return false;
    }
    let before = core.pumps.load(SeqCst);
    // The end of the session ends these waits too.
    let wait = |time| core.room.wait_to_read(false, Some(end), time);
    if !matches!(wait(PATIENCE), Ok(ready) if !ready.ended) {
        return false;
    }
    while core.pumps.load(SeqCst) == before && has_work(&core) {
        // What fails here fails again for the loop, which can say so.
        if core.stand_in().is_err() {
            return false;
        }
        if !matches!(wait(STEP), Ok(ready) if !ready.ended) {
            return false;
        }
    }
    true
}

fn has_work(core: &Core) -> bool {
    let wire = core.wire();
    let is_due = wire.due().is_some_and(|due| due <= Instant::now());
    let may_read = wire.may_read();
    drop(wire);
    let is_readable = || {
        let ready = core.room.wait_to_read(may_read, None, Duration::ZERO);
        ready.is_ok_and(|ready| ready.input)
    };
    core.finished().is_none() && (is_due || (may_read && is_readable()))
}
