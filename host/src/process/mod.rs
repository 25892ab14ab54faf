//! Programs that run: what is needed to start one, its environment, its end.
//!
//! Starting, moving bytes and signals are one module per platform behind one interface: start a
//! process in a group of its own, move bytes without blocking, signal the group, wait for the end.

mod confinement;
mod environment;
mod exit;
mod host_processes;
mod launch;
mod mark;
mod run_to_end;
mod spawner;
#[cfg(unix)]
mod unix;
#[cfg(not(unix))]
mod unsupported;

pub(crate) use self::confinement::{Confinement, Start, Unavailable};
pub(crate) use self::environment::{Environment, EnvironmentSettings, Environments};
pub use self::exit::Exit;
pub(crate) use self::host_processes::HostProcesses;
pub(crate) use self::launch::Launch;
pub(crate) use self::run_to_end::{Ran, Run, run_to_end};
pub(crate) use self::spawner::{Ordered, Spawner, begun, start};
#[cfg(unix)]
pub(crate) use self::unix::{
    ErrorOutput, Group, Input, Output, Process, Spawned, Strays, Watchdog, is_executable, spawn,
};
#[cfg(unix)]
pub use self::unix::{
    Stray, Supervised, Supervisor, activity_of, inherit_nothing, outlive_size_limit,
    withhold_descriptors,
};
#[cfg(not(unix))]
pub(crate) use self::unsupported::{
    ErrorOutput, Group, Input, Output, Process, Spawned, Strays, Watchdog, is_executable, spawn,
};
#[cfg(not(unix))]
pub use self::unsupported::{
    Stray, Supervised, Supervisor, activity_of, inherit_nothing, outlive_size_limit,
    withhold_descriptors,
};
