//! Processes on Windows.

mod group;
mod handles;
mod job;
mod pipe;
mod program;
mod start;
mod strays;
mod supervisor;

use std::io;
use std::sync::Arc;
use std::time::Instant;

use tokio::process::{Child, Command};

pub(crate) use self::group::Group;
pub use self::handles::{inherit_nothing, withhold_descriptors};
use self::job::Job;
use self::pipe::Reading;
pub(crate) use self::pipe::{ErrorOutput, Input, Output};
#[cfg(feature = "mcp-client")]
pub(crate) use self::pipe::{input_within, output_within};
pub(crate) use self::program::{command, interpreter_of, is_executable, with_ending};
pub use self::strays::Stray;
pub(crate) use self::strays::Strays;
pub use self::supervisor::{Supervised, Supervisor};
use super::exit::Exit;
use super::launch::Launch;
use super::mark::{MARK, Mark};

/// A process that was just started, and its three pipes.
pub(crate) struct Spawned {
    pub(crate) process: Process,
    pub(crate) group: Arc<Group>,
    pub(crate) input: Input,
    pub(crate) output: Output,
    pub(crate) errors: ErrorOutput,
}

/// Starts a program in a job of its own, which ends with this process at the latest.
pub(crate) fn spawn(
    launch: &Launch,
    mark: &Mark,
    _watchdog: Option<&Arc<Watchdog>>,
) -> io::Result<Spawned> {
    if launch.is_remote {
        return remote(mark);
    }
    let (stdin, input) = Input::pipe()?;
    let (stdout, output) = Output::pipe()?;
    let (stderr, errors) = pipe::from_child()?;
    let folders = launch.environment.path();
    let mut command = Command::from(command(&launch.program, &launch.args, folders));
    command
        .current_dir(&launch.dir)
        .env_clear()
        .envs(&launch.environment.variables)
        .env(MARK, mark.as_str())
        .creation_flags(start::flags())
        .stdin(stdin)
        .stdout(stdout)
        .stderr(stderr)
        .kill_on_drop(true);
    let mut child = start::within_own_job(|| command.spawn())?;
    let missing = || io::Error::other("the process has ended already");
    let handle = child.raw_handle().ok_or_else(missing)?;
    let leader = child.id().ok_or_else(missing)?;
    let job = match Job::new().and_then(|job| start::run_in(job, handle)) {
        Ok(job) => job,
        Err(error) => {
            // It has not run yet.
            let _ = child.start_kill();
            return Err(error);
        }
    };
    let group = Arc::new(Group::new(Some((leader, job)), mark.clone()));
    let reading = output.reading();
    let process = Process { child: Some(child), group: Arc::clone(&group), reading, ended: None };
    Ok(Spawned { process, group, input, output, errors })
}

/// What runs somewhere else has pipes like the others, and no process: it has ended when it is told to end.
fn remote(mark: &Mark) -> io::Result<Spawned> {
    let (_, input) = Input::pipe()?;
    let (_, output) = Output::pipe()?;
    let (_, errors) = pipe::from_child()?;
    let group = Arc::new(Group::new(None, mark.clone()));
    let reading = output.reading();
    let process = Process { child: None, group: Arc::clone(&group), reading, ended: None };
    Ok(Spawned { process, group, input, output, errors })
}

/// The process itself. When it is dropped, its group is killed.
#[derive(Debug)]
pub(crate) struct Process {
    child: Option<Child>,
    group: Arc<Group>,
    reading: Arc<Reading>,
    /// How it ended, and when that was seen.
    ended: Option<(Exit, Instant)>,
}

impl Process {
    /// Waits for the end of the process, its children not included, and until what it wrote before has
    /// arrived: of both the runtime hears by itself, in any order. May be dropped and called again.
    pub(crate) async fn wait(&mut self) -> Exit {
        let Some(child) = &mut self.child else {
            self.group.told_to_end().await;
            return Exit::Disconnected;
        };
        let (exit, at) = match &self.ended {
            Some(ended) => ended.clone(),
            None => {
                let exit = match child.wait().await {
                    Ok(status) => Exit::of(status),
                    Err(error) => Exit::Unknown { reason: error.to_string() },
                };
                self.ended.insert((exit, Instant::now())).clone()
            }
        };
        self.reading.settle(at).await;
        exit
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.group.kill();
    }
}

/// Nobody has to look after a host that was killed: the system closes its jobs, and ends what is in them.
#[derive(Debug)]
pub(crate) struct Watchdog(());

impl Watchdog {
    #[expect(clippy::unnecessary_wraps, reason = "on Unix it may fail")]
    pub(crate) fn start(_mark: &Mark) -> io::Result<Self> {
        Ok(Self(()))
    }

    #[expect(clippy::unused_async, reason = "on Unix it takes a moment")]
    pub(crate) async fn end(&self) {}
}

/// What processes are doing: the system does not tell.
pub fn activity_of(_processes: &[u32]) -> Option<String> {
    None
}

/// Nothing: there is no such limit.
pub fn outlive_size_limit() {}
