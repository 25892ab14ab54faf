//! An end of stdio as tokio watches it.

use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::sync::Arc;

use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

use crate::serve::wire::SharedWire;

/// The descriptor itself and not a copy, with what keeps it open. A copy would reach the child of a
/// fork, where extline-stdio replaces only the one it knows, and the host would never see the end of
/// the stream.
///
/// (tokio's own pipe and socket types would set `O_NONBLOCK`, which other holders of the same pipe
/// would feel.)
pub(super) struct Descriptor {
    fd: RawFd,
    _open: Owner,
}

enum Owner {
    Itself { _fd: OwnedFd },
    Wire { _wire: SharedWire },
}

impl Descriptor {
    pub(super) fn owned(fd: OwnedFd) -> Self {
        Self { fd: fd.as_raw_fd(), _open: Owner::Itself { _fd: fd } }
    }

    /// One of the two ends that the wire holds as long as it lives.
    pub(super) fn of_wire(fd: RawFd, wire: &SharedWire) -> Self {
        Self { fd, _open: Owner::Wire { _wire: Arc::clone(wire) } }
    }
}

impl AsRawFd for Descriptor {
    fn as_raw_fd(&self) -> RawFd {
        self.fd
    }
}

/// Has the running tokio runtime watch it. `None` when the system cannot: pipes, sockets and
/// terminals can be watched, files cannot.
pub(super) fn watch(end: Descriptor, interest: Interest) -> Option<AsyncFd<Descriptor>> {
    #[expect(
        deprecated,
        reason = "its successor is `unsafe` and asks that the descriptor stays open and the same: \
                  each comes with its owner, which never replaces it"
    )]
    let watched = AsyncFd::try_with_interest(end, interest);
    watched.ok()
}
