//! The ends of the pipes to and from an extension.

use std::io::{self, PipeReader, PipeWriter};
use std::pin::Pin;
use std::sync::OnceLock;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use rustix::io::{ioctl_fionbio, read, retry_on_intr, write};
use tokio::io::{AsyncRead, ReadBuf};
use tokio::net::unix::pipe;

/// The way to the process's stdin.
#[derive(Debug)]
pub(crate) struct Input {
    pipe: PipeWriter,
    /// The same, watched by the runtime from the first time that it was full; most never are.
    /// `None`: the system refused.
    watched: OnceLock<Option<pipe::Sender>>,
}

impl Input {
    pub(crate) fn new(pipe: PipeWriter) -> io::Result<Self> {
        ioctl_fionbio(&pipe, true)?;
        Ok(Self { pipe, watched: OnceLock::new() })
    }

    /// The same for one who writes by itself.
    #[cfg(feature = "mcp-client")]
    pub(crate) fn into_sender(self) -> io::Result<pipe::Sender> {
        pipe::Sender::from_owned_fd_unchecked(self.pipe.into())
    }

    /// Waits until [`Input::try_write`], which found the pipe full, may work.
    pub(crate) async fn writable(&self) {
        const LOOK_EVERY: Duration = Duration::from_millis(5);
        match self.watched.get_or_init(|| self.watch().ok()) {
            // An error here shows again at the write.
            Some(watched) => drop(watched.writable().await),
            None => tokio::time::sleep(LOOK_EVERY).await,
        }
    }

    fn watch(&self) -> io::Result<pipe::Sender> {
        // What it leaves unchecked is that this is a pipe, can be written and does not block.
        pipe::Sender::from_owned_fd_unchecked(self.pipe.try_clone()?.into())
    }

    /// Lets the pipe hold more.
    pub(crate) fn enlarge(&self) {
        enlarge(&self.pipe);
    }

    /// Writes what the pipe takes now.
    pub(crate) fn try_write(&self, bytes: &[u8]) -> io::Result<usize> {
        match self.watched.get() {
            Some(Some(watched)) => watched.try_write(bytes),
            _ => Ok(write(&self.pipe, bytes)?),
        }
    }
}

/// What comes from the process's stdout.
#[derive(Debug)]
pub(crate) struct Output(pipe::Receiver);

impl Output {
    pub(crate) fn new(pipe: PipeReader) -> io::Result<Self> {
        receiver(pipe).map(Self)
    }

    /// The same for one who reads by itself.
    #[cfg(feature = "mcp-client")]
    pub(crate) fn into_receiver(self) -> pipe::Receiver {
        self.0
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

/// The reading end of a pipe, watched by the runtime.
pub(super) fn receiver(pipe: PipeReader) -> io::Result<pipe::Receiver> {
    ioctl_fionbio(&pipe, true)?;
    // As above.
    pipe::Receiver::from_owned_fd_unchecked(pipe.into())
}

/// To a megabyte, from the usual 64 KiB. Where that is refused the pipe is slow, and works.
#[cfg(target_os = "linux")]
fn enlarge(pipe: impl std::os::fd::AsFd) {
    let _ = rustix::pipe::fcntl_setpipe_size(pipe, 1024 * 1024);
}

/// Elsewhere pipes grow by themselves.
#[cfg(not(target_os = "linux"))]
fn enlarge(_pipe: impl std::os::fd::AsFd) {}
