//! Processes that left the group of their extension: `setsid`, `setpgid`, a daemon of its own.
//!
//! Linux shows the environment that a process began with, and there the mark stands. One that was
//! started with an empty environment is not found, nor is one of another user. Other platforms show
//! nothing of the kind.

#[cfg(target_os = "linux")]
use std::time::Duration;
use std::time::Instant;

use tokio::sync::Mutex;
use tokio::task::spawn_blocking;

use crate::process::mark::Mark;

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

/// Every process that carries the mark now, for those who ask alone and without a runtime.
pub(super) fn now(mark: &Mark) -> Vec<Stray> {
    let found = marked().into_iter().filter(|(_, found)| found == mark);
    found.filter_map(|(id, mark)| Stray::of(id, &mark)).collect()
}

/// A process that carries the mark of what started it.
#[derive(Debug)]
pub struct Stray {
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
        let found = look.marked.iter().filter(|(_, found)| found == mark);
        let ids: Vec<i32> = found.map(|(id, _)| *id).collect();
        drop(newest);
        if ids.is_empty() {
            return Vec::new();
        }
        let mark = mark.clone();
        let open = move || ids.into_iter().filter_map(|id| Stray::of(id, &mark)).collect();
        spawn_blocking(open).await.unwrap_or_default()
    }
}

impl Stray {
    /// Its number.
    pub fn id(&self) -> u32 {
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
    pub fn has_ended(&self) -> bool {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};

        let now = Timespec { tv_sec: 0, tv_nsec: 0 };
        poll(&mut [PollFd::new(&self.process, PollFlags::IN)], Some(&now))
            .is_ok_and(|count| count > 0)
    }

    /// Kills it, and nobody else where its number was given to another process.
    pub fn kill(&self) {
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
    environment_of(id)?.split(|byte| *byte == 0).find_map(Mark::of_variable)
}

/// The environment that a process began with. While it is in the middle of an `exec` nothing of it
/// is to be seen, and whoever started it has been told already that it runs: on a busy machine a
/// look meets that as often as not, so it waits until the new program stands, 0.2 s at most.
#[cfg(target_os = "linux")]
fn environment_of(id: i32) -> Option<Vec<u8>> {
    let read = || std::fs::read(format!("/proc/{id}/environ")).ok();
    let mut environment = read()?;
    for _ in 0..200 {
        if !environment.is_empty() {
            break;
        }
        let was_in_exec = is_in_exec(id);
        environment = read()?;
        if !was_in_exec {
            break;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    Some(environment)
}

/// It has a program, which kernel threads and zombies have not, and no arguments, which every
/// program has, if only an empty one.
#[cfg(target_os = "linux")]
fn is_in_exec(id: i32) -> bool {
    let arguments = std::fs::read(format!("/proc/{id}/cmdline"));
    arguments.is_ok_and(|arguments| arguments.is_empty())
        && std::fs::read_link(format!("/proc/{id}/exe")).is_ok()
}

#[cfg(not(target_os = "linux"))]
impl Stray {
    fn of(_id: i32, _mark: &Mark) -> Option<Self> {
        None
    }

    /// Whether it is a zombie at most.
    pub fn has_ended(&self) -> bool {
        true
    }

    /// Kills it.
    pub fn kill(&self) {}
}

#[cfg(not(target_os = "linux"))]
fn marked() -> Vec<(i32, Mark)> {
    Vec::new()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::process::{Child, Command};

    use super::*;
    use crate::process::mark::MARK;

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

    #[tokio::test]
    async fn one_that_was_started_a_moment_ago_is_found() {
        let strays = Strays::default();
        let host = Mark::of_host();
        for number in 0..50 {
            let mark = host.of_process(number);
            let mut child = start(&mark);
            let found = strays.of(&mark).await;
            child.kill().unwrap();
            child.wait().unwrap();
            assert_eq!(found.iter().map(Stray::id).collect::<Vec<_>>(), [child.id()]);
        }
    }
}
