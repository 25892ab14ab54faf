//! The same interface on a platform without an implementation: no process ever starts, so no value
//! of these types exists and their methods cannot be reached.

use std::convert::Infallible;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::task::{Context, Poll};

use super::exit::Exit;
use super::launch::Launch;
use super::mark::Mark;

pub(crate) struct Spawned {
    pub(crate) process: Process,
    pub(crate) group: Arc<Group>,
    pub(crate) input: Input,
    pub(crate) output: Output,
    pub(crate) errors: ErrorOutput,
}

pub(crate) type ErrorOutput = tokio::process::ChildStderr;

pub(crate) fn spawn(
    _launch: &Launch,
    _mark: &Mark,
    _watchdog: Option<&Arc<Watchdog>>,
) -> io::Result<Spawned> {
    Err(io::Error::new(
        io::ErrorKind::Unsupported,
        "extensions cannot be started on this platform yet",
    ))
}

#[derive(Debug)]
pub(crate) struct Process(Infallible);

impl Process {
    #[expect(clippy::unused_async, reason = "as on Unix")]
    pub(crate) async fn wait(&mut self) -> Exit {
        match self.0 {}
    }
}

#[derive(Debug)]
pub(crate) struct Group(Infallible);

impl Group {
    pub(crate) fn id(&self) -> u32 {
        match self.0 {}
    }

    pub(crate) fn terminate(&self) {
        match self.0 {}
    }

    pub(crate) fn kill(&self) {
        match self.0 {}
    }

    pub(crate) fn is_gone(&self) -> bool {
        match self.0 {}
    }

    pub(crate) fn living_members(&self) -> Option<usize> {
        match self.0 {}
    }

    pub(crate) fn activity(&self) -> Option<String> {
        match self.0 {}
    }

    pub(crate) fn mark(&self) -> &Mark {
        match self.0 {}
    }
}

/// What processes are doing: the platform does not tell.
pub fn activity_of(_processes: &[u32]) -> Option<String> {
    None
}

#[derive(Debug, Default)]
pub(crate) struct Strays;

impl Strays {
    #[expect(clippy::unused_async, reason = "as on Unix")]
    pub(crate) async fn of(&self, _mark: &Mark) -> Vec<Stray> {
        Vec::new()
    }
}

/// A process that carries the mark of what started it.
#[derive(Debug)]
pub struct Stray(Infallible);

impl Stray {
    /// Its number.
    pub fn id(&self) -> u32 {
        match self.0 {}
    }

    /// Whether it is a zombie at most.
    pub fn has_ended(&self) -> bool {
        match self.0 {}
    }

    /// Kills it.
    pub fn kill(&self) {
        match self.0 {}
    }
}

/// Starts processes that leave nothing behind; not on this platform.
#[derive(Debug, Default)]
pub struct Supervisor(());

impl Supervisor {
    /// One that starts nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// No process is started.
    pub fn spawn(
        &self,
        _command: &mut std::process::Command,
    ) -> io::Result<(std::process::Child, Supervised)> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// What belongs to a process that a [`Supervisor`] started.
#[derive(Debug)]
pub struct Supervised(Infallible);

impl Supervised {
    /// The number of its process group.
    pub fn id(&self) -> u32 {
        match self.0 {}
    }

    /// Every process that carries its mark now.
    pub fn processes(&self) -> Vec<Stray> {
        match self.0 {}
    }

    /// Kills what is left of its group.
    pub fn end(&self) {
        match self.0 {}
    }
}

#[derive(Debug)]
pub(crate) struct Watchdog(Infallible);

impl Watchdog {
    pub(crate) fn start(_mark: &Mark) -> io::Result<Self> {
        Err(io::ErrorKind::Unsupported.into())
    }

    #[expect(clippy::unused_async, reason = "as on Unix")]
    pub(crate) async fn end(&self) {
        match self.0 {}
    }
}

#[derive(Debug)]
pub(crate) struct Input(Infallible);

impl Input {
    #[expect(clippy::unused_async, reason = "as on Unix")]
    pub(crate) async fn writable(&self) {
        match self.0 {}
    }

    pub(crate) fn enlarge(&self) {
        match self.0 {}
    }

    pub(crate) fn try_write(&self, _bytes: &[u8]) -> io::Result<usize> {
        match self.0 {}
    }
}

#[derive(Debug)]
pub(crate) struct Output(Infallible);

impl Output {
    pub(crate) fn poll_read(
        &mut self,
        _context: &mut Context<'_>,
        _space: &mut [u8],
    ) -> Poll<io::Result<usize>> {
        match self.0 {}
    }

    pub(crate) fn enlarge(&self) {
        match self.0 {}
    }

    pub(crate) fn try_read(&self, _space: &mut [u8]) -> io::Result<usize> {
        match self.0 {}
    }
}

pub(crate) fn is_executable(path: &Path) -> bool {
    path.is_file()
}

/// Nothing: nothing is started there yet.
pub fn withhold_descriptors() {}

/// Nothing: the system passes on no handle that was not made for it.
pub fn inherit_nothing<T>(start: impl FnOnce() -> T) -> T {
    start()
}

/// Nothing: there is no such limit.
pub fn outlive_size_limit() {}
