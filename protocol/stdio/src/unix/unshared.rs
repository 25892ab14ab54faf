//! A pipe opened once more, for flags that nobody shares.
//!
//! `O_NONBLOCK` belongs to the description of a pipe's end, and stdout's is often the host's or a
//! shell's as well. With a description of its own, an extension writes by a plain `write`, which the
//! system does in fewer steps than a `pwritev2` that says that it must not wait.

use std::os::fd::{AsRawFd, OwnedFd};

use rustix::fs::{Mode, OFlags, open};

/// The end of a pipe that can be written, opened once more; it never waits. `None` without `/proc`,
/// or where the pipe is another user's.
pub(super) fn unshared(pipe: &OwnedFd) -> Option<OwnedFd> {
    let name = format!("/proc/self/fd/{}", pipe.as_raw_fd());
    let flags = OFlags::WRONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let opened = open(name, flags, Mode::empty()).ok()?;
    // Where stderr is closed it has stderr's number, and would be taken for it.
    (opened.as_raw_fd() > libc::STDERR_FILENO).then_some(opened)
}
