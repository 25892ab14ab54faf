//! The same interface on a platform without an implementation: no process ever starts, so no value
//! of these types exists and their methods cannot be reached.

use std::convert::Infallible;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::task::{Context, Poll};

use crate::exit::Exit;
use crate::launch::Launch;
use crate::mark::Mark;

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

#[derive(Debug)]
pub(crate) struct Stray(Infallible);

impl Stray {
    pub(crate) fn id(&self) -> u32 {
        match self.0 {}
    }

    pub(crate) fn has_ended(&self) -> bool {
        match self.0 {}
    }

    pub(crate) fn kill(&self) {
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
