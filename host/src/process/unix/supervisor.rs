//! Processes that somebody else than a host starts, and that must leave nothing behind either.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::process::Pid;

use super::descriptors::inherit_nothing;
use super::group::Group;
use super::strays::{self, Stray};
use super::watchdog::Watchdog;
use crate::process::mark::{MARK, Mark};

/// Starts processes for a program that is no host, as a tester of extensions, with the means of a
/// host: each leads a process group of its own and carries a mark in its environment
/// (`EXTLINE_MARK`), by which Linux shows what left the group; and a watchdog, one small shell
/// process, ends all of them when this process is gone, also when it was killed.
///
/// The watchdog works at the end of the process that started it, whichever way it comes, and when
/// the supervisor is dropped.
#[derive(Debug)]
pub struct Supervisor {
    mark: Mark,
    /// `None` where no shell could be started: then nobody looks after a kill.
    watchdog: Option<Arc<Watchdog>>,
    started: AtomicU64,
}

impl Default for Supervisor {
    fn default() -> Self {
        Self::new()
    }
}

impl Supervisor {
    /// Starts the watchdog.
    pub fn new() -> Self {
        let mark = Mark::of_host();
        let watchdog = Watchdog::start(&mark).ok().map(Arc::new);
        Self { mark, watchdog, started: AtomicU64::new(0) }
    }

    /// Starts a process as the leader of its own process group; of the descriptors of this one it
    /// inherits none but those that the command names.
    pub fn spawn(&self, command: &mut Command) -> io::Result<(Child, Supervised)> {
        let mark = self.mark.of_process(self.started.fetch_add(1, Ordering::Relaxed));
        command.env(MARK, mark.as_str()).process_group(0);
        let child = inherit_nothing(|| command.spawn())?;
        let leader = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        let leader = leader.ok_or_else(|| io::Error::other("the process has no usable id"))?;
        Ok((child, Supervised { group: Group::new(Some(leader), mark, self.watchdog.clone()) }))
    }
}

/// What belongs to a process that a [`Supervisor`] started. Dropping it kills the group.
#[derive(Debug)]
pub struct Supervised {
    group: Group,
}

impl Supervised {
    /// The number of its process group, which is its own.
    pub fn id(&self) -> u32 {
        self.group.id()
    }

    /// Every process that carries its mark now: itself, and what it started, also what left its
    /// group. Nothing where the platform does not tell. It takes some milliseconds.
    pub fn processes(&self) -> Vec<Stray> {
        strays::now(self.group.mark())
    }

    /// Kills all of its group, which may be asked and ended after that.
    pub fn kill(&self) {
        self.group.kill();
    }

    /// Kills what is left of its group. The number is not touched any more after that: call it
    /// before the process is waited for, or when nobody else can have got the number yet.
    pub fn end(&self) {
        self.group.kill();
        self.group.forget();
    }
}

impl Drop for Supervised {
    fn drop(&mut self) {
        self.end();
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::io::Read as _;
    use std::process::Stdio;
    use std::time::{Duration, Instant};

    use super::*;

    #[test]
    fn what_left_the_group_is_found_and_can_be_killed() {
        let supervisor = Supervisor::new();
        // The line says that it has left the group: until then, the group's end is its own.
        let script = "setsid sh -c 'echo left; exec sleep 60' & sleep 60";
        let mut command = Command::new("sh");
        command.args(["-c", script]).stdout(Stdio::piped());
        let (mut child, supervised) = supervisor.spawn(&mut command).unwrap();
        let mut line = [0; 5];
        child.stdout.take().unwrap().read_exact(&mut line).unwrap();
        supervised.end();
        child.wait().unwrap();
        // What is killed takes a moment to end.
        let until = Instant::now() + Duration::from_secs(30);
        let left = loop {
            let left = supervised.processes();
            if left.len() < 2 || Instant::now() > until {
                break left;
            }
            std::thread::sleep(Duration::from_millis(5));
        };
        assert_eq!(left.len(), 1, "{left:?}");
        left[0].kill();
        while !left[0].has_ended() {
            std::thread::sleep(Duration::from_millis(5));
        }
        assert!(supervised.processes().is_empty());
    }
}
