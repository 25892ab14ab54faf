//! Programs that run: what is needed to start one, its environment, its end.
//!
//! Starting, moving bytes and signals are one module per platform behind one interface: start a
//! process in a group of its own, move bytes without blocking, signal the group, wait for the end.

mod confinement;
mod environment;
mod exit;
mod first_line;
mod host_processes;
mod launch;
mod mark;
mod run_to_end;
mod spawner;
#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

pub(crate) use self::confinement::{Confinement, Start, Unavailable};
pub(crate) use self::environment::{Environment, EnvironmentSettings, Environments};
pub use self::exit::Exit;
pub(crate) use self::first_line::interpreter_line;
pub(crate) use self::host_processes::HostProcesses;
pub(crate) use self::launch::Launch;
pub(crate) use self::run_to_end::{Ran, Run, run_to_end};
pub(crate) use self::spawner::{Ordered, Spawner, begun, start};
#[cfg(unix)]
use self::unix as system;
#[cfg(windows)]
use self::windows as system;

pub(crate) use self::system::{
    ErrorOutput, Group, Input, Output, Process, Spawned, Strays, Watchdog, command, interpreter_of,
    is_executable, spawn, with_ending,
};
pub use self::system::{
    Stray, Supervised, Supervisor, activity_of, inherit_nothing, outlive_size_limit,
    withhold_descriptors,
};
#[cfg(all(windows, feature = "mcp-client"))]
pub(crate) use self::system::{input_within, output_within};
