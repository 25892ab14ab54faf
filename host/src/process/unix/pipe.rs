//! The ends of the pipes to and from an extension.

use std::io;
use std::os::fd::OwnedFd;

use tokio::net::unix::pipe;

/// The way to the process's stdin.
#[derive(Debug)]
pub(crate) struct Input(pipe::Sender);

impl Input {
    pub(super) fn new(descriptor: OwnedFd) -> io::Result<Self> {
        pipe::Sender::from_owned_fd(descriptor).map(Self)
    }

    /// Waits until [`Input::try_write`] may work.
    pub(crate) async fn writable(&self) {
        // An error here shows again at the write.
        let _ = self.0.writable().await;
    }

    /// Writes what the pipe takes now.
    pub(crate) fn try_write(&self, bytes: &[u8]) -> io::Result<usize> {
        self.0.try_write(bytes)
    }
}

/// What comes from the process's stdout.
#[derive(Debug)]
pub(crate) struct Output(pipe::Receiver);

impl Output {
    pub(super) fn new(descriptor: OwnedFd) -> io::Result<Self> {
        pipe::Receiver::from_owned_fd(descriptor).map(Self)
    }

    /// Waits until [`Output::try_read`] may work.
    pub(crate) async fn readable(&self) {
        // An error here shows again at the read.
        let _ = self.0.readable().await;
    }

    /// Reads what the pipe holds now.
    pub(crate) fn try_read(&self, space: &mut [u8]) -> io::Result<usize> {
        self.0.try_read(space)
    }
}
