//! The process groups of what is tested, which end together.

use std::collections::BTreeSet;
use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::process::{Pid, Signal, kill_process_group};

/// The groups of all processes that run now; none once [`stop_all`] was called.
static LIVE: Mutex<Option<BTreeSet<i32>>> = Mutex::new(Some(BTreeSet::new()));

/// Kills every process that is being tested, in this whole program, and lets none start again:
/// runs that go on come to their end at once.
pub fn stop_all() {
    for group in live().take().unwrap_or_default().into_iter().filter_map(Pid::from_raw) {
        // It may have ended this very moment.
        let _ = kill_process_group(group, Signal::KILL);
    }
}

/// Whether [`stop_all`] was called.
pub(crate) fn is_stopped() -> bool {
    live().is_none()
}

fn live() -> MutexGuard<'static, Option<BTreeSet<i32>>> {
    LIVE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Starts a process as the leader of its own process group, which [`stop_all`] ends too.
pub(crate) fn start_group(command: &mut Command) -> io::Result<(Child, Pid)> {
    // Held until the group is known: nothing may start while all is being stopped.
    let mut live = live();
    let groups = live.as_mut().ok_or_else(|| io::Error::other("the run was stopped"))?;
    let child = command.process_group(0).spawn()?;
    let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let group = group.ok_or_else(|| io::Error::other("the process has no usable id"))?;
    groups.insert(group.as_raw_nonzero().get());
    Ok((child, group))
}

/// Kills all that is left of such a group.
pub(crate) fn end_group(child: &mut Child, group: Pid) {
    // Also when the leader has ended: its children keep the group alive. The number cannot
    // belong to others before the leader was waited for and all members are gone.
    let _ = kill_process_group(group, Signal::KILL);
    let _ = child.wait();
    if let Some(groups) = live().as_mut() {
        groups.remove(&group.as_raw_nonzero().get());
    }
}
