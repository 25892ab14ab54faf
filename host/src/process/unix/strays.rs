//! Processes that left the group of their extension: `setsid`, `setpgid`, a daemon of its own.
//!
//! Linux shows the environment that a process began with, and there the mark stands. One that was
//! started with an empty environment is not found, nor is one of another user. Other platforms show
//! nothing of the kind.

use std::time::Instant;

use tokio::sync::Mutex;
use tokio::task::spawn_blocking;

use crate::mark::Mark;

/// Finds strays. To look at all processes of a machine takes milliseconds, and extensions end
/// together as a rule: those who ask at the same time share one look.
#[derive(Debug, Default)]
pub(crate) struct Strays {
    newest: Mutex<Option<Look>>,
}

#[derive(Debug)]
struct Look {
    began: Instant,
    /// Every process that carries a mark.
    marked: Vec<(i32, Mark)>,
}

/// A process that carries the mark of an extension.
#[derive(Debug)]
pub(crate) struct Stray {
    id: u32,
    #[cfg(target_os = "linux")]
    process: std::os::fd::OwnedFd,
}

impl Strays {
    /// Every process that carries the mark now.
    pub(crate) async fn of(&self, mark: &Mark) -> Vec<Stray> {
        let asked = Instant::now();
        let mut newest = self.newest.lock().await;
        let look = match newest.take() {
            Some(look) if look.began >= asked => look,
            _ => Look {
                began: Instant::now(),
                // Nothing is found where the runtime ends meanwhile, and with it whoever asks.
                marked: spawn_blocking(marked).await.unwrap_or_default(),
            },
        };
        let look = newest.insert(look);
        let ids = look.marked.iter().filter(|(_, found)| found == mark);
        ids.filter_map(|(id, _)| Stray::of(*id, mark)).collect()
    }
}

impl Stray {
    pub(crate) fn id(&self) -> u32 {
        self.id
    }
}

#[cfg(target_os = "linux")]
impl Stray {
    /// The process of that number, if it still carries the mark.
    fn of(id: i32, mark: &Mark) -> Option<Self> {
        use rustix::process::{Pid, PidfdFlags, pidfd_open};

        // The descriptor comes first: were the number given to another process after the look, the
        // signal would not go there.
        let process = pidfd_open(Pid::from_raw(id)?, PidfdFlags::empty()).ok()?;
        (mark_of(id)? == *mark).then_some(Self { id: id.unsigned_abs(), process })
    }

    /// Whether it is a zombie at most. While it ends its mark is gone already.
    pub(crate) fn has_ended(&self) -> bool {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};

        let now = Timespec { tv_sec: 0, tv_nsec: 0 };
        poll(&mut [PollFd::new(&self.process, PollFlags::IN)], Some(&now))
            .is_ok_and(|count| count > 0)
    }

    pub(crate) fn kill(&self) {
        // It may have ended just now.
        let _ = rustix::process::pidfd_send_signal(&self.process, rustix::process::Signal::KILL);
    }
}

#[cfg(target_os = "linux")]
fn marked() -> Vec<(i32, Mark)> {
    let Ok(processes) = std::fs::read_dir("/proc") else { return Vec::new() };
    let ids = processes.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    ids.filter_map(|id| Some((id, mark_of(id)?))).collect()
}

#[cfg(target_os = "linux")]
fn mark_of(id: i32) -> Option<Mark> {
    let environment = std::fs::read(format!("/proc/{id}/environ")).ok()?;
    environment.split(|byte| *byte == 0).find_map(Mark::of_variable)
}

#[cfg(not(target_os = "linux"))]
impl Stray {
    fn of(_id: i32, _mark: &Mark) -> Option<Self> {
        None
    }

    pub(crate) fn has_ended(&self) -> bool {
        true
    }

    pub(crate) fn kill(&self) {}
}

#[cfg(not(target_os = "linux"))]
fn marked() -> Vec<(i32, Mark)> {
    Vec::new()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::process::{Child, Command};

    use super::*;
    use crate::mark::MARK;

    fn start(mark: &Mark) -> Child {
        Command::new("sleep").arg("60").env(MARK, mark.as_str()).spawn().unwrap()
    }

    #[tokio::test]
    async fn who_asks_after_a_look_finds_what_was_started_since() {
        let strays = Strays::default();
        let host = Mark::of_host();
        let (one, other) = (host.of_process(1), host.of_process(11));
        assert_eq!(strays.of(&one).await.len(), 0);
        let mut children = [start(&one), start(&other)];
        let (found, others) = tokio::join!(strays.of(&one), strays.of(&other));
        for (found, child) in [found, others].into_iter().zip(&mut children) {
            assert_eq!(found.iter().map(Stray::id).collect::<Vec<_>>(), [child.id()]);
            assert!(!found[0].has_ended());
            found[0].kill();
            child.wait().unwrap();
            assert!(found[0].has_ended());
        }
        assert_eq!(strays.of(&one).await.len(), 0);
    }
}
