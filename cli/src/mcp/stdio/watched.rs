//! A pipe or a socket that the event loop watches: it is read and written without a thread, and without
//! blocking.
//!
//! `O_NONBLOCK` belongs to the open file, which the client or a shell may share. So a pipe is opened once
//! more, which only Linux can, and a socket is asked not to block at each call.

use std::ffi::OsString;
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStringExt;

use rustix::fs::{FileType, Mode, OFlags, fstat, open, readlink};
use rustix::net::{RecvFlags, SendFlags, recv, send};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

#[derive(Clone, Copy)]
enum Kind {
    Pipe,
    Socket,
}

#[expect(unsafe_code, reason = "the event loop cannot tell that a descriptor stays the same")]
fn watch(end: OwnedFd, interest: Interest) -> Option<AsyncFd<OwnedFd>> {
    // SAFETY: an owned descriptor stays open, and the same, until it is dropped, and with it the watch.
    unsafe { AsyncFd::register_with_interest(end, interest) }.ok()
}

/// One end, for one direction.
pub(super) struct Watched {
    end: AsyncFd<OwnedFd>,
    kind: Kind,
}

impl Watched {
    /// `None` for what is neither, as a file or a terminal, and where a pipe cannot be opened once more.
    pub(super) fn to_read(descriptor: impl AsFd) -> Option<Self> {
        Self::open(descriptor, OFlags::RDONLY, Interest::READABLE)
    }

    pub(super) fn to_write(descriptor: impl AsFd) -> Option<Self> {
        Self::open(descriptor, OFlags::WRONLY, Interest::WRITABLE)
    }

    fn open(descriptor: impl AsFd, mode: OFlags, interest: Interest) -> Option<Self> {
        let descriptor = descriptor.as_fd();
        let (end, kind) = match FileType::from_raw_mode(fstat(descriptor).ok()?.st_mode) {
            FileType::Socket => (descriptor.try_clone_to_owned().ok()?, Kind::Socket),
            FileType::Fifo => {
                let path = format!("/proc/self/fd/{}", descriptor.as_raw_fd());
                let target = OsString::from_vec(readlink(&path, Vec::new()).ok()?.into_bytes());
                // A named pipe that is opened after its writer has gone does not tell that it has.
                if !target.to_str()?.starts_with("pipe:") {
                    return None;
                }
                let flags = mode | OFlags::NONBLOCK | OFlags::CLOEXEC;
                (open(path, flags, Mode::empty()).ok()?, Kind::Pipe)
            }
            _ => return None,
        };
        Some(Self { end: watch(end, interest)?, kind })
    }

    /// Waits for bytes. None are the end. May be dropped and called again.
    pub(super) async fn read(&self, bytes: &mut [u8]) -> io::Result<usize> {
        loop {
            let mut guard = self.end.readable().await?;
            let read = guard.try_io(|end| match self.kind {
                Kind::Pipe => Ok(rustix::io::read(end, &mut *bytes)?),
                Kind::Socket => Ok(recv(end, &mut *bytes, RecvFlags::DONTWAIT)?.0),
            });
            match read {
                Ok(Ok(count)) => {
                    // There was no more. The event loop tells of what comes next.
                    if count > 0 && count < bytes.len() {
                        guard.clear_ready();
                    }
                    return Ok(count);
                }
                Ok(Err(error)) if error.kind() == io::ErrorKind::Interrupted => {}
                Ok(Err(error)) => return Err(error),
                Err(_would_block) => {}
            }
        }
    }

    /// Waits until bytes can be written.
    pub(super) async fn writable(&self) -> io::Result<()> {
        self.end.writable().await?.retain_ready();
        Ok(())
    }

    /// Writes as much as is taken now.
    pub(super) fn write(&self, bytes: &[u8]) -> io::Result<usize> {
        loop {
            let written = self.end.try_io(Interest::WRITABLE, |end| match self.kind {
                Kind::Pipe => Ok(rustix::io::write(end, bytes)?),
                // A peer that is gone is an error and no signal: every Rust program ignores SIGPIPE.
                Kind::Socket => Ok(send(end, bytes, SendFlags::DONTWAIT)?),
            });
            match written {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(0),
                written => return written,
            }
        }
    }
}
