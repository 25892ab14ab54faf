//! The ends of the pipes to and from an extension.

use std::io;
use std::os::fd::OwnedFd;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use rustix::io::{read, retry_on_intr};
use tokio::io::{AsyncRead, ReadBuf};
use tokio::net::unix::pipe;

/// The way to the process's stdin.
#[derive(Debug)]
pub(crate) struct Input(pipe::Sender);

impl Input {
    pub(crate) fn new(descriptor: OwnedFd) -> io::Result<Self> {
        pipe::Sender::from_owned_fd(descriptor).map(Self)
    }

    /// Waits until [`Input::try_write`] may work.
    pub(crate) async fn writable(&self) {
        // An error here shows again at the write.
        let _ = self.0.writable().await;
    }

    /// Lets the pipe hold more.
    pub(crate) fn enlarge(&self) {
        enlarge(&self.0);
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

    /// Reads what the pipe holds, once it holds something; never interrupted. A read that did not fill `space` has
    /// emptied the pipe, so the next one waits without asking the system in vain.
    pub(crate) fn poll_read(
        &mut self,
        context: &mut Context<'_>,
        space: &mut [u8],
    ) -> Poll<io::Result<usize>> {
        let mut space = ReadBuf::new(space);
        loop {
            match ready!(Pin::new(&mut self.0).poll_read(context, &mut space)) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => return Poll::Ready(read.map(|()| space.filled().len())),
            }
        }
    }

    /// Lets the pipe hold more.
    pub(crate) fn enlarge(&self) {
        enlarge(&self.0);
    }

    /// Reads what the pipe holds now.
    pub(crate) fn try_read(&self, space: &mut [u8]) -> io::Result<usize> {
        // Not through tokio, which may not have heard of the last bytes yet.
        Ok(retry_on_intr(|| read(&self.0, &mut *space))?)
    }
}

/// To a megabyte, from the usual 64 KiB. Where that is refused the pipe is slow, and works.
#[cfg(target_os = "linux")]
fn enlarge(pipe: impl std::os::fd::AsFd) {
    let _ = rustix::pipe::fcntl_setpipe_size(pipe, 1024 * 1024);
}

/// Elsewhere pipes grow by themselves.
#[cfg(not(target_os = "linux"))]
fn enlarge(_pipe: impl std::os::fd::AsFd) {}
