//! Pipes of a size.

use std::io;
use std::os::fd::OwnedFd;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::LACKING;

/// Makes a pipe hold so many bytes.
pub(super) fn set_pipe_bytes(descriptor: &OwnedFd, bytes: usize) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    {
        rustix::pipe::fcntl_setpipe_size(descriptor, bytes)?;
        Ok(())
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = (descriptor, bytes);
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// Why a pipe cannot hold so many bytes here, if it cannot.
pub(crate) fn no_pipe_of(bytes: usize) -> Option<String> {
    let tried = rustix::pipe::pipe().map_err(io::Error::from);
    let tried = tried.and_then(|(reader, _writer)| set_pipe_bytes(&reader, bytes));
    tried.err().map(|error| format!("{LACKING} pipe of {bytes} bytes: {error}"))
}

/// How many bytes lie in a pipe.
pub(super) fn unread(descriptor: Option<&OwnedFd>) -> usize {
    let count = descriptor.and_then(|descriptor| rustix::io::ioctl_fionread(descriptor).ok());
    count.and_then(|count| usize::try_from(count).ok()).unwrap_or_default()
}

/// Whether nothing but its end would be read from a pipe.
pub(super) fn has_ended(descriptor: Option<&OwnedFd>) -> bool {
    has_input(descriptor) && unread(descriptor) == 0
}

/// Whether a read would give something, if only the end.
fn has_input(descriptor: Option<&OwnedFd>) -> bool {
    let Some(descriptor) = descriptor else { return false };
    let mut fds = [PollFd::new(descriptor, PollFlags::IN)];
    let now = Timespec { tv_sec: 0, tv_nsec: 0 };
    matches!(poll(&mut fds, Some(&now)), Ok(count) if count > 0)
}
