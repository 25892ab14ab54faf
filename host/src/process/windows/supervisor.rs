//! Processes that somebody else than a host starts, and that must leave nothing behind either.

use std::io;
use std::os::windows::io::AsRawHandle;
use std::os::windows::process::CommandExt;
use std::process::{Child, Command};
use std::sync::atomic::{AtomicU64, Ordering};

use super::group::Group;
use super::job::Job;
use super::start;
use super::strays::Stray;
use crate::process::mark::{MARK, Mark};

/// Starts processes for a program that is no host, as a tester of extensions, with the means of a
/// host: each is in a job of its own, which the system ends when this process is gone, also when it was
/// killed.
#[derive(Debug)]
pub struct Supervisor {
    mark: Mark,
    started: AtomicU64,
}

impl Default for Supervisor {
    fn default() -> Self {
        Self::new()
    }
}

impl Supervisor {
    /// One that has started nothing.
    pub fn new() -> Self {
        Self { mark: Mark::of_host(), started: AtomicU64::new(0) }
    }

    /// Whether a process can be asked to end: it shares the console of this one.
    pub fn can_ask() -> bool {
        start::has_console()
    }

    /// Starts a process in a job of its own.
    pub fn spawn(&self, command: &mut Command) -> io::Result<(Child, Supervised)> {
        let mark = self.mark.of_process(self.started.fetch_add(1, Ordering::Relaxed));
        command.env(MARK, mark.as_str()).creation_flags(start::flags());
        let mut child = start::within_own_job(|| command.spawn())?;
        match Job::new().and_then(|job| start::run_in(job, child.as_raw_handle())) {
            Ok(job) => {
                let group = Group::new(Some((child.id(), job)), mark);
                Ok((child, Supervised { group }))
            }
            Err(error) => {
                // It has not run yet.
                let _ = child.kill();
                Err(error)
            }
        }
    }
}

/// What belongs to a process that a [`Supervisor`] started. Dropping it kills the job.
#[derive(Debug)]
pub struct Supervised {
    group: Group,
}

impl Supervised {
    /// The number of its process.
    pub fn id(&self) -> u32 {
        self.group.id()
    }

    /// Every process of its job now: itself, and what it started.
    pub fn processes(&self) -> Vec<Stray> {
        self.group.members().into_iter().filter_map(|id| Stray::of(id).ok()).collect()
    }

    /// Asks it to end, by Ctrl-Break, where [`Supervisor::can_ask`].
    pub fn terminate(&self) {
        self.group.terminate();
    }

    /// Kills all of its group, which may be asked and ended after that.
    pub fn kill(&self) {
        self.group.kill();
    }

    /// Kills what is left of its job.
    pub fn end(&self) {
        self.group.kill();
    }
}

impl Drop for Supervised {
    fn drop(&mut self) {
        self.end();
    }
}
