//! Processes on Unix.

mod activity;
mod descriptors;
mod group;
mod group_list;
mod pipe;
mod program;
mod size_limit;
mod strays;
mod supervisor;
mod watchdog;

use std::borrow::Cow;
use std::io;
use std::sync::Arc;

use rustix::process::Pid;
use tokio::process::{Child, Command};

pub use self::activity::activity_of;
pub use self::descriptors::{inherit_nothing, withhold_descriptors};
pub(crate) use self::group::Group;
use self::pipe::receiver;
pub(crate) use self::pipe::{Input, Output};
pub(crate) use self::program::{command, interpreter_of, is_executable, with_ending};
pub use self::size_limit::outlive_size_limit;
pub use self::strays::Stray;
pub(crate) use self::strays::Strays;
pub use self::supervisor::{Supervised, Supervisor};
pub(crate) use self::watchdog::Watchdog;
use super::exit::Exit;
use super::launch::Launch;
use super::mark::{MARK, Mark};

/// A process that was just started, and its three descriptors.
pub(crate) struct Spawned {
    pub(crate) process: Process,
    pub(crate) group: Arc<Group>,
    pub(crate) input: Input,
    pub(crate) output: Output,
    pub(crate) errors: ErrorOutput,
}

/// What the process writes to stderr.
pub(crate) type ErrorOutput = tokio::net::unix::pipe::Receiver;

/// Starts a program as the leader of its own process group, which the watchdog ends if this process
/// does not come to it.
///
/// The pipes are made here: tokio would register its own with the runtime at once, and again where
/// they are wanted as [`Input`] and [`Output`].
pub(crate) fn spawn(
    launch: &Launch,
    mark: &Mark,
    watchdog: Option<&Arc<Watchdog>>,
) -> io::Result<Spawned> {
    if launch.is_remote {
        return remote(mark);
    }
    let launch = match &launch.confinement {
        Some(confinement) => confinement.program(launch),
        None => Cow::Borrowed(launch),
    };
    let (stdin, input) = io::pipe()?;
    let (output, stdout) = io::pipe()?;
    let (errors, stderr) = io::pipe()?;
    let mut command = Command::new(&launch.program);
    command
        .args(&launch.args)
        .current_dir(&launch.dir)
        .env_clear()
        .envs(&launch.environment.variables)
        .env(MARK, mark.as_str())
        .process_group(0)
        .stdin(stdin)
        .stdout(stdout)
        .stderr(stderr)
        .kill_on_drop(true);
    let child = inherit_nothing(|| match &launch.confinement {
        Some(confinement) => {
            Arc::clone(confinement).spawn(&launch.program, Box::new(|| command.spawn()))
        }
        None => command.spawn(),
    })?;
    let missing = || io::Error::other("the process has ended already");
    let pid = child.id().and_then(|pid| Pid::from_raw(i32::try_from(pid).ok()?));
    let leader = Some(pid.ok_or_else(missing)?);
    let group = Arc::new(Group::new(leader, mark.clone(), watchdog.cloned()));
    Ok(Spawned {
        input: Input::new(input)?,
        output: Output::new(output)?,
        errors: receiver(errors)?,
        process: Process { child: Some(child), group: Arc::clone(&group) },
        group,
    })
}

/// What runs somewhere else has pipes like the others, and no process: it has ended when it is told to end.
fn remote(mark: &Mark) -> io::Result<Spawned> {
    let (_, input) = io::pipe()?;
    let (output, _) = io::pipe()?;
    let (errors, _) = io::pipe()?;
    let group = Arc::new(Group::new(None, mark.clone(), None));
    Ok(Spawned {
        input: Input::new(input)?,
        output: Output::new(output)?,
        errors: receiver(errors)?,
        process: Process { child: None, group: Arc::clone(&group) },
        group,
    })
}

/// The process itself. When it is dropped, its group is killed.
#[derive(Debug)]
pub(crate) struct Process {
    child: Option<Child>,
    group: Arc<Group>,
}

impl Process {
    /// Waits for the end of the process, its children not included. May be dropped and called
    /// again.
    pub(crate) async fn wait(&mut self) -> Exit {
        let Some(child) = &mut self.child else {
            self.group.told_to_end().await;
            return Exit::Disconnected;
        };
        match child.wait().await {
            Ok(status) => Exit::of(status),
            Err(error) => Exit::Unknown { reason: error.to_string() },
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.group.kill();
        self.group.forget();
    }
}
