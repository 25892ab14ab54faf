//! Processes, one module per platform behind one interface: start one in a process group of its
//! own, move bytes without blocking, signal the group, wait for the end.

#[cfg(unix)]
mod unix;
#[cfg(not(unix))]
mod unsupported;

#[cfg(unix)]
pub(crate) use unix::{
    ErrorOutput, Group, Input, Output, Process, Spawned, Strays, Watchdog, is_executable, spawn,
};
#[cfg(unix)]
pub use unix::{
    Stray, Supervised, Supervisor, activity_of, inherit_nothing, outlive_size_limit,
    withhold_descriptors,
};
#[cfg(not(unix))]
pub(crate) use unsupported::{
    ErrorOutput, Group, Input, Output, Process, Spawned, Strays, Watchdog, is_executable, spawn,
};
#[cfg(not(unix))]
pub use unsupported::{
    Stray, Supervised, Supervisor, activity_of, inherit_nothing, outlive_size_limit,
    withhold_descriptors,
};
