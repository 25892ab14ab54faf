//! Processes that left the group of their extension: `setsid`, `setpgid`, a daemon of its own.
//!
//! Linux shows the environment that a process began with, and there the mark stands. One that was
//! started with an empty environment is not found, nor is one of another user. Other platforms show
//! nothing of the kind.

use crate::mark::Mark;

/// A process that carries the mark of an extension.
#[derive(Debug)]
pub(crate) struct Stray {
    id: u32,
    #[cfg(target_os = "linux")]
    process: std::os::fd::OwnedFd,
}

impl Stray {
    pub(crate) fn id(&self) -> u32 {
        self.id
    }

    pub(crate) fn kill(&self) {
        // It may have ended just now.
        #[cfg(target_os = "linux")]
        let _ = rustix::process::pidfd_send_signal(&self.process, rustix::process::Signal::KILL);
    }
}

/// Every process that carries the mark.
#[cfg(target_os = "linux")]
pub(super) fn find(mark: &Mark) -> Vec<Stray> {
    use rustix::process::{Pid, PidfdFlags, pidfd_open};

    use crate::mark::MARK;

    let sign = format!("{MARK}={}", mark.as_str());
    let marked = |id: i32| {
        // The descriptor comes first: were the number given to another process after the look, the
        // signal would not go there.
        let process = pidfd_open(Pid::from_raw(id)?, PidfdFlags::empty()).ok()?;
        let environment = std::fs::read(format!("/proc/{id}/environ")).ok()?;
        let is_marked = environment.split(|byte| *byte == 0).any(|it| it == sign.as_bytes());
        is_marked.then_some(Stray { id: id.unsigned_abs(), process })
    };
    let Ok(processes) = std::fs::read_dir("/proc") else { return Vec::new() };
    let ids = processes.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    ids.filter_map(marked).collect()
}

#[cfg(not(target_os = "linux"))]
pub(super) fn find(_mark: &Mark) -> Vec<Stray> {
    Vec::new()
}
