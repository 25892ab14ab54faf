//! Ends the extensions of a host that was killed and could not do it itself (`end.host-killed`).
//!
//! A small shell process that waits for the end of a pipe that only the host holds. When it ends
//! without a goodbye, the host is gone, however it went, and a list that the host kept says which
//! process groups there are.

use std::io::{self, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Mutex;
use std::thread;
use std::time::Duration;

use super::descriptors::inherit_nothing;
use super::group_list::GroupList;
use crate::lock::lock;
use crate::process::mark::Mark;

/// What the shell runs.
const SCRIPT: &str = include_str!("watchdog.sh");

/// The watchdog of one host.
#[derive(Debug)]
pub(crate) struct Watchdog {
    /// What it reads in the end.
    groups: Mutex<GroupList>,
    /// `None` once it was told to end.
    input: Mutex<Option<ChildStdin>>,
    /// `None` once its exit status was taken.
    child: Mutex<Option<Child>>,
}

impl Watchdog {
    /// Starts it, in a process group of its own: neither a terminal's Ctrl-C nor a kill of the
    /// host's group ends it. Of the host's descriptors and environment it gets none.
    pub(crate) fn start(mark: &Mark) -> io::Result<Self> {
        let groups = GroupList::new()?;
        let mut command = Command::new("/bin/sh");
        command
            .args(["-c", SCRIPT, "extline-watchdog", mark.as_str()])
            .env_clear()
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .current_dir("/")
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(groups.file()?)
            .stderr(Stdio::null());
        let mut child = inherit_nothing(|| command.spawn())?;
        let input = Mutex::new(child.stdin.take());
        Ok(Self { groups: Mutex::new(groups), input, child: Mutex::new(Some(child)) })
    }

    pub(super) fn add(&self, group: u32) {
        // It fails where there is no memory; then the mark still finds the group's processes.
        let _ = lock(&self.groups).add(group);
    }

    pub(super) fn remove(&self, group: u32) {
        // As above; the watchdog then looks for a group that is gone.
        let _ = lock(&self.groups).remove(group);
    }

    /// Ends it, once nothing is left to watch.
    pub(crate) async fn end(&self) {
        const TRIES: u32 = 200;
        if let Some(mut input) = lock(&self.input).take() {
            // When somebody killed it there is nobody to tell, and nothing to do about it.
            let _ = input.write_all(b"end\n");
        }
        for _ in 0..TRIES {
            if self.has_ended() {
                break;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    fn has_ended(&self) -> bool {
        let mut child = lock(&self.child);
        let runs = child.as_mut().is_some_and(|child| matches!(child.try_wait(), Ok(None)));
        if !runs {
            *child = None;
        }
        !runs
    }
}

impl Drop for Watchdog {
    /// Where the host was not shut down it has up to two seconds' work. A thread waits for it, so
    /// that no zombie stays behind.
    fn drop(&mut self) {
        drop(lock(&self.input).take());
        if let Some(mut child) = lock(&self.child).take()
            && matches!(child.try_wait(), Ok(None))
        {
            // Without the thread the zombie lasts as long as this process, and no longer.
            let _ = thread::Builder::new().spawn(move || child.wait());
        }
    }
}
