//! The process group of an extension, and what it started that left the group.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};

use tokio::sync::Notify;

use super::activity::activity_of;
use super::watchdog::Watchdog;
use crate::process::mark::Mark;

/// A process group: the extension and everything it started that did not leave the group.
#[derive(Debug)]
pub(crate) struct Group {
    /// Absent where nothing was started.
    leader: Option<Pid>,
    /// What was not started is told so to end.
    told: Notify,
    /// What its processes carry in their environment, also those that left the group.
    mark: Mark,
    /// Ends the group when this process is killed.
    watchdog: Option<Arc<Watchdog>>,
    /// No member was left once; the number may belong to others by now.
    gone: AtomicBool,
}

impl Group {
    pub(super) fn new(leader: Option<Pid>, mark: Mark, watchdog: Option<Arc<Watchdog>>) -> Self {
        let told = Notify::new();
        let group = Self { leader, told, mark, watchdog, gone: AtomicBool::new(false) };
        if let Some(watchdog) = &group.watchdog {
            watchdog.add(group.id());
        }
        group
    }

    pub(crate) fn id(&self) -> u32 {
        self.leader.map_or(0, |leader| leader.as_raw_nonzero().get().unsigned_abs())
    }

    pub(crate) fn terminate(&self) {
        self.signal(Signal::TERM);
    }

    pub(crate) fn kill(&self) {
        self.signal(Signal::KILL);
    }

    /// Whether no process of the group is left. Call it only after the leader was waited for.
    pub(crate) fn is_gone(&self) -> bool {
        if self.gone.load(Ordering::Acquire) {
            return true;
        }
        let Some(leader) = self.leader else { return true };
        let gone = match test_kill_process_group(leader) {
            Err(Errno::SRCH) => true,
            // A zombie counts as a member until its new parent waits for it, which some first
            // processes of containers never do.
            Ok(()) | Err(_) => self.living_members() == Some(0),
        };
        if gone {
            self.forget();
        }
        gone
    }

    /// From here on the number is not touched any more: others may get it.
    pub(super) fn forget(&self) {
        if !self.gone.swap(true, Ordering::AcqRel)
            && let Some(watchdog) = &self.watchdog
        {
            watchdog.remove(self.id());
        }
    }

    /// Waits until what was not started is told to end.
    pub(super) async fn told_to_end(&self) {
        self.told.notified().await;
    }

    /// What finds those that left the group.
    pub(crate) fn mark(&self) -> &Mark {
        &self.mark
    }

    /// How many members are no zombies; `None` where the platform does not tell.
    pub(crate) fn living_members(&self) -> Option<usize> {
        self.members().map(|members| members.len())
    }

    /// What its processes are doing, in words; `None` where the platform does not tell.
    pub(crate) fn activity(&self) -> Option<String> {
        activity_of(&self.members()?)
    }

    /// The members that are no zombies.
    fn members(&self) -> Option<Vec<u32>> {
        let group = self.leader?.as_raw_nonzero().to_string();
        let entries = fs::read_dir("/proc").ok()?.flatten();
        let ids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
        let mut shows_processes = false;
        let members = ids.filter(|id| {
            let Ok(stat) = fs::read_to_string(format!("/proc/{id}/stat")) else { return false };
            shows_processes = true;
            // `pid (name) state parent group ...`; the name may hold anything, also `)`.
            let mut fields = stat.rsplit(')').next().unwrap_or_default().split_ascii_whitespace();
            let state = fields.next();
            fields.nth(1) == Some(&group) && !matches!(state, Some("Z" | "X"))
        });
        let members = members.collect();
        shows_processes.then_some(members)
    }

    fn signal(&self, signal: Signal) {
        let Some(leader) = self.leader else { return self.told.notify_one() };
        if !self.gone.load(Ordering::Acquire) {
            // The only failures are "no such group" and "not ours"; neither leaves anything to do.
            let _ = kill_process_group(leader, signal);
        }
    }
}
