//! The processes of an extension: all that are in its job.

use tokio::sync::Notify;
use windows_sys::Win32::System::Console::{CTRL_BREAK_EVENT, GenerateConsoleCtrlEvent};

use super::job::Job;
use crate::process::mark::Mark;

/// An extension and everything that it started.
#[derive(Debug)]
pub(crate) struct Group {
    /// The number of its first process, and its job. Absent where nothing was started.
    job: Option<(u32, Job)>,
    /// What was not started is told so to end.
    told: Notify,
    /// What its processes carry in their environment.
    mark: Mark,
}

impl Group {
    pub(super) fn new(job: Option<(u32, Job)>, mark: Mark) -> Self {
        Self { job, told: Notify::new(), mark }
    }

    pub(crate) fn id(&self) -> u32 {
        self.job.as_ref().map_or(0, |(leader, _)| *leader)
    }

    /// Asks its processes to end, by Ctrl-Break. That reaches those that share the console of this one.
    pub(crate) fn terminate(&self) {
        let Some((leader, _)) = &self.job else { return self.told.notify_one() };
        // Without a process the number may be another's.
        if !self.is_gone() {
            #[expect(unsafe_code, reason = "std sends no such event")]
            // SAFETY: the call takes any number. What it does not reach is killed a little later.
            unsafe {
                GenerateConsoleCtrlEvent(CTRL_BREAK_EVENT, *leader);
            }
        }
    }

    pub(crate) fn kill(&self) {
        match &self.job {
            Some((_, job)) => job.end(),
            None => self.told.notify_one(),
        }
    }

    /// Whether no process of the group is left.
    pub(crate) fn is_gone(&self) -> bool {
        self.job.as_ref().is_none_or(|(_, job)| job.count() == Some(0))
    }

    /// Waits until what was not started is told to end.
    pub(super) async fn told_to_end(&self) {
        self.told.notified().await;
    }

    /// What its processes carry.
    pub(crate) fn mark(&self) -> &Mark {
        &self.mark
    }

    /// How many processes are left; `None` where the system does not tell.
    pub(crate) fn living_members(&self) -> Option<usize> {
        self.job.as_ref()?.1.count()
    }

    /// What its processes are doing: the system does not tell.
    #[expect(clippy::unused_self, reason = "on Unix it is told")]
    pub(crate) fn activity(&self) -> Option<String> {
        None
    }

    /// The numbers of its processes.
    pub(super) fn members(&self) -> Vec<u32> {
        self.job.as_ref().map(|(_, job)| job.processes()).unwrap_or_default()
    }
}
