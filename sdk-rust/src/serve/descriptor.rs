//! An end of stdio as tokio watches it.

use std::os::fd::{AsFd, AsRawFd, RawFd};

use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

/// The descriptor itself and not a copy. A copy would reach the child of a fork, where extline-stdio
/// replaces only the one it knows, and the host would never see the end of the stream.
///
/// (tokio's own pipe and socket types would set `O_NONBLOCK`, which other holders of the same pipe
/// would feel.)
#[derive(Debug)]
pub(super) struct Descriptor<T>(pub(super) T);

impl<T: AsFd> AsRawFd for Descriptor<T> {
    fn as_raw_fd(&self) -> RawFd {
        self.0.as_fd().as_raw_fd()
    }
}

/// Has the running tokio runtime watch it. Gives it back when the system cannot: pipes, sockets and
/// terminals can be watched, files cannot.
pub(super) fn watch<T: AsFd>(end: T, interest: Interest) -> Result<AsyncFd<Descriptor<T>>, T> {
    #[expect(
        deprecated,
        reason = "its successor is `unsafe` and asks that the descriptor stays open and the same: \
                  each end of stdio, and the doorbell, owns one for as long as it lives"
    )]
    let watched = AsyncFd::try_with_interest(Descriptor(end), interest);
    watched.map_err(|error| error.into_parts().0.0)
}
