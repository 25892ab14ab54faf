//! The process groups of what is tested, which end together, and what left them.

use std::collections::BTreeMap;
use std::io;
use std::process::{Child, Command};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

use extline_host::{Stray, Supervised, Supervisor};

/// The groups of all processes that run now; none once [`stop_all`] was called.
static LIVE: Mutex<Option<Live>> = Mutex::new(Some(BTreeMap::new()));

/// Groups by their numbers.
type Live = BTreeMap<u32, Arc<Supervised>>;

/// Looks after the groups when the tester itself is killed, or ends in the middle of a run.
static SUPERVISOR: LazyLock<Supervisor> = LazyLock::new(Supervisor::new);

/// Kills every process that is being tested, in this whole program, and lets none start again:
/// runs that go on come to their end at once.
pub fn stop_all() {
    for group in live().take().unwrap_or_default().into_values() {
        group.kill();
    }
}

/// Whether [`stop_all`] was called.
pub(crate) fn is_stopped() -> bool {
    live().is_none()
}

/// Closes a pipe while no process is being started. One that is started holds a copy of each for
/// the moment before it is executed, and what was closed here would be open in it.
pub(crate) fn close_for_all<T>(pipe: T) {
    let _nothing_starts = live();
    drop(pipe);
}

fn live() -> MutexGuard<'static, Option<Live>> {
    LIVE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A process group, whose leader is the process that is tested. Dropping it kills all of it.
#[derive(Debug)]
pub(crate) struct Group {
    pub(super) supervised: Arc<Supervised>,
}

impl Group {
    /// Starts a process as the leader of its own process group, which [`stop_all`] ends too.
    pub(crate) fn start(command: &mut Command) -> io::Result<(Child, Self)> {
        // Held until the group is known: nothing may start while all is being stopped.
        let mut live = live();
        let groups = live.as_mut().ok_or_else(|| io::Error::other("the run was stopped"))?;
        let (child, supervised) = SUPERVISOR.spawn(command)?;
        let supervised = Arc::new(supervised);
        groups.insert(supervised.id(), Arc::clone(&supervised));
        Ok((child, Self { supervised }))
    }

    /// Its processes but for the leader, wherever they went.
    pub(crate) fn others(&self) -> Vec<Stray> {
        let mut others = self.supervised.processes();
        others.retain(|process| process.id() != self.supervised.id());
        others
    }

    /// Kills all that is left of it; `others` are known to be left, where somebody has looked.
    pub(crate) fn end(&self, child: &mut Child, others: Option<Vec<Stray>>) {
        let others = others.unwrap_or_else(|| self.others());
        // Also when the leader has ended: its children keep the group alive. The number cannot
        // belong to others before the leader was waited for and all members are gone.
        self.supervised.end();
        others.iter().for_each(Stray::kill);
        let _ = child.wait();
        if let Some(groups) = live().as_mut() {
            groups.remove(&self.supervised.id());
        }
    }
}
