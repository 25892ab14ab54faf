//! Ends the extensions of a host that was killed and could not do it itself (`end.host-killed`).
//!
//! A small shell process that reads, from a pipe that only the host holds, which process groups
//! there are. When the pipe ends without a goodbye, the host is gone, however it went.

use std::io::{self, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Mutex;
use std::thread;
use std::time::Duration;

use rustix::io::ioctl_fionbio;

use crate::mark::Mark;
use crate::shared::lock;

/// What the shell runs.
const SCRIPT: &str = include_str!("watchdog.sh");

/// The watchdog of one host.
#[derive(Debug)]
pub(crate) struct Watchdog {
    /// `None` once it was told to end.
    input: Mutex<Option<ChildStdin>>,
    /// `None` once its exit status was taken.
    child: Mutex<Option<Child>>,
}

impl Watchdog {
    /// Starts it, in a process group of its own: neither a terminal's Ctrl-C nor a kill of the
    /// host's group ends it. Of the host's descriptors and environment it gets none.
    pub(crate) fn start(mark: &Mark) -> io::Result<Self> {
        let mut child = Command::new("/bin/sh")
            .args(["-c", SCRIPT, "extline-watchdog", mark.as_str()])
            .env_clear()
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .current_dir("/")
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        let input = child.stdin.take();
        if let Some(input) = &input {
            // A watchdog that somebody stopped must not stop the host.
            ioctl_fionbio(input, true)?;
        }
        Ok(Self { input: Mutex::new(input), child: Mutex::new(Some(child)) })
    }

    pub(super) fn add(&self, group: u32) {
        self.say(&format!("+ {group}\n"));
    }

    pub(super) fn remove(&self, group: u32) {
        self.say(&format!("- {group}\n"));
    }

    /// Ends it, once nothing is left to watch.
    pub(crate) async fn end(&self) {
        const TRIES: u32 = 200;
        self.say("end\n");
        drop(lock(&self.input).take());
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

    fn say(&self, line: &str) {
        if let Some(input) = lock(&self.input).as_mut() {
            // When somebody killed it there is nobody to tell, and nothing to do about it.
            let _ = input.write_all(line.as_bytes());
        }
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
