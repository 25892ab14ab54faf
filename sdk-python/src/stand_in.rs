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

use extline_stdio::HANG_UP_LOOK;

use crate::core::Core;
use crate::stuck::KEPT;

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
        let mut channel = core.channel();
        let left = |due: Instant| due.saturating_duration_since(Instant::now());
        let longest = if channel.is_full() { HANG_UP_LOOK } else { LONGEST_WAIT };
        let until_due = channel.due().map_or(longest, left).min(longest);
        // A turn that begins later rings.
        channel.is_unwatched = !channel.is_in_turn();
        (channel.may_read(), if channel.is_in_turn() { PATIENCE } else { until_due })
    };
    wait(&core, bell, (may_read, true), longest)?;
    core.channel().is_unwatched = false;
    let before = core.pumps.load(SeqCst);
    wait(&core, bell, (false, false), PATIENCE)?;
    let since = Instant::now();
    let (mut stood_in, mut is_told) = (false, false);
    while core.pumps.load(SeqCst) == before {
        let has_work = has_work(&core);
        if has_work {
            // What fails here fails again for the loop, which can say so.
            core.stand_in().ok()?;
            stood_in = true;
        }
        if stood_in && !is_told && since.elapsed() >= KEPT {
            is_told = true;
            core.loop_is_kept();
        }
        // What it took in needs the loop, which is watched until its author was told.
        if !has_work && (is_told || !stood_in) {
            break;
        }
        wait(&core, bell, (false, false), STEP)?;
    }
    Some(())
}

/// Waits for bytes of the host, only if that is the first of `ways`, for what the session's bell tells,
/// only if that is the second, for this thread's own, or for the time. None at the end of the session.
fn wait(core: &Core, mut bell: &PipeReader, ways: (bool, bool), longest: Duration) -> Option<()> {
    let ready = core.room.wait_to_read(ways, Some(bell), longest).ok()?;
    if ready.rung {
        bell.read_exact(&mut [0]).ok()?;
    }
    (!ready.ended).then_some(())
}

fn has_work(core: &Core) -> bool {
    let channel = core.channel();
    let is_due = channel.due().is_some_and(|due| due <= Instant::now());
    let (may_read, is_holding) = (channel.may_read(), channel.is_holding());
    drop(channel);
    let is_readable = || {
        let ready = core.room.wait_to_read((may_read, false), None, Duration::ZERO);
        ready.is_ok_and(|ready| ready.input)
    };
    let is_there = || (may_read && is_readable()) || core.has_missed();
    core.finished().is_none() && (is_due || is_holding || is_there())
}
