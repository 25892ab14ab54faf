//! Stands in for an event loop that a handler keeps: one that blocks, or computes without awaiting.
//!
//! Then nobody would read a cancel or the end of the session, no guard would be answered for in
//! time, and the answers of the tasks that ended before in the same turn would not be written. A
//! thread without Python looks whether the loop takes what is there; if it does not, that thread
//! reads and writes in its place, answers what falls due, and marks calls as cancelled. It runs no
//! handler: what needs Python waits for the loop.

use std::io::{PipeReader, PipeWriter, Read, pipe};
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

/// Starts the thread; a byte wakes it, and dropping what it gives ends it. Without it the extension
/// is served all the same, as long as the loop goes on.
pub(crate) fn start(core: &Arc<Core>) -> Option<PipeWriter> {
    let core = Arc::downgrade(core);
    let (bell, rings_and_ends) = pipe().ok()?;
    let watch = move || while watch(&core, &bell).is_some() {};
    thread::Builder::new().name("extline stand-in".to_owned()).spawn(watch).ok()?;
    Some(rings_and_ends)
}

/// Waits for something to do, and does it if the loop does not. None when there is nothing to do any
/// more.
fn watch(core: &Weak<Core>, bell: &PipeReader) -> Option<()> {
    let core = core.upgrade().filter(|core| core.finished().is_none())?;
    let (may_read, longest) = {
        let mut wire = core.wire();
        let left = |due: Instant| due.saturating_duration_since(Instant::now());
        let until_due = wire.due().map_or(LONGEST_WAIT, left).min(LONGEST_WAIT);
        // A turn that begins later rings.
        wire.is_unwatched = !wire.is_in_turn();
        (wire.may_read(), if wire.is_in_turn() { PATIENCE } else { until_due })
    };
    wait(&core, bell, may_read, longest)?;
    core.wire().is_unwatched = false;
    let before = core.pumps.load(SeqCst);
    wait(&core, bell, false, PATIENCE)?;
    while core.pumps.load(SeqCst) == before && has_work(&core) {
        // What fails here fails again for the loop, which can say so.
        core.stand_in().ok()?;
        wait(&core, bell, false, STEP)?;
    }
    Some(())
}

/// Waits for bytes of the host, only if `reading`, for the bell, or for the time. None at the end of
/// the session.
fn wait(core: &Core, mut bell: &PipeReader, reading: bool, longest: Duration) -> Option<()> {
    let ready = core.room.wait_to_read(reading, Some(bell), longest).ok()?;
    if ready.rung {
        bell.read_exact(&mut [0]).ok()?;
    }
    (!ready.ended).then_some(())
}

fn has_work(core: &Core) -> bool {
    let wire = core.wire();
    let is_due = wire.due().is_some_and(|due| due <= Instant::now());
    let (may_read, is_holding) = (wire.may_read(), wire.is_holding());
    drop(wire);
    let is_readable = || {
        let ready = core.room.wait_to_read(may_read, None, Duration::ZERO);
        ready.is_ok_and(|ready| ready.input)
    };
    core.finished().is_none() && (is_due || is_holding || (may_read && is_readable()))
}
