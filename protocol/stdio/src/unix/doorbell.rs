//! A pipe that ends a wait from elsewhere: another thread, or a signal handler.
//!
//! The pipe only rings. Why it rang stands in flags, which are set before ringing and read after the
//! pipe is emptied; so no ring is lost, many rings are one, and a ring without a flag means nothing.

use std::io::{PipeReader, PipeWriter, pipe};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::io::{Errno, ioctl_fionbio, read, write};

use super::cannot;
use crate::Error;

/// Wakes the thread that waits on an [`Input`](super::Input).
///
/// Cheap to clone, usable from any thread, and it may outlive the session.
#[derive(Clone, Debug)]
pub struct Waker(Arc<Bell>);

#[derive(Debug)]
struct Bell {
    pressed: AtomicBool,
    ring: PipeWriter,
}

impl Waker {
    /// Ends the current wait, or the next one, with [`Ready::woken`](crate::Ready). In the child of
    /// a fork nobody is woken: the pipe rings in the parent, and no flag says why.
    pub fn wake(&self) {
        if !self.0.pressed.swap(true, Ordering::SeqCst) {
            // A full pipe rings already, and without a reader nobody waits.
            let _ = write(&self.0.ring, &[0]);
        }
    }

    /// Whether that has not been reported yet.
    pub(crate) fn is_pressed(&self) -> bool {
        self.0.pressed.load(Ordering::SeqCst)
    }
}

/// The side that waits.
#[derive(Debug)]
pub(super) struct Doorbell {
    rings: PipeReader,
    bell: Arc<Bell>,
}

impl Doorbell {
    pub(super) fn new() -> Result<Self, Error> {
        let (rings, ring) = pipe().map_err(cannot("open a pipe for wake-ups"))?;
        ioctl_fionbio(&rings, true).map_err(cannot("prepare the pipe for wake-ups"))?;
        ioctl_fionbio(&ring, true).map_err(cannot("prepare the pipe for wake-ups"))?;
        let bell = Arc::new(Bell { pressed: AtomicBool::new(false), ring });
        Ok(Self { rings, bell })
    }

    pub(super) fn waker(&self) -> Waker {
        Waker(Arc::clone(&self.bell))
    }

    /// A second way to ring, for a signal handler.
    pub(super) fn another_ring(&self) -> Result<OwnedFd, Error> {
        let ring = self.bell.ring.try_clone().map_err(cannot("copy the pipe for wake-ups"))?;
        Ok(ring.into())
    }

    /// Empties the pipe. Call it before looking at the flags.
    pub(super) fn silence(&self) -> Result<(), Error> {
        let mut rings = [0; 64];
        loop {
            match read(&self.rings, &mut rings) {
                Ok(count) if count == rings.len() => {}
                Ok(_) | Err(Errno::AGAIN) => return Ok(()),
                Err(Errno::INTR) => {}
                Err(error) => return Err(cannot("read the pipe for wake-ups")(error)),
            }
        }
    }

    /// Whether a waker was used since the last call.
    pub(super) fn was_pressed(&self) -> bool {
        self.bell.pressed.swap(false, Ordering::AcqRel)
    }
}

impl AsFd for Doorbell {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.rings.as_fd()
    }
}
