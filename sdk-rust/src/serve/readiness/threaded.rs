//! Where nothing can be watched, a thread reads.

use std::task::{Context, Poll};

use crate::Error;
use crate::serve::wire::{SharedWire, Wire, lock};

pub(in crate::serve) struct Readiness(());

impl Readiness {
    pub(in crate::serve) fn of(wire: &SharedWire) -> Result<Self, Error> {
        lock(wire).source.read_by_thread()?;
        Ok(Self(()))
    }

    /// Feeds the session with what has arrived; ready when that was anything. Bytes are looked at
    /// only if `reading`.
    pub(in crate::serve) fn poll_read(
        &mut self,
        context: &mut Context<'_>,
        wire: &mut Wire,
        reading: bool,
    ) -> Poll<Result<(), Error>> {
        if !reading {
            return Poll::Pending;
        }
        let Wire { channel, source, .. } = wire;
        source.poll_thread(context, channel)
    }

    /// Writes what waits.
    pub(in crate::serve) fn poll_write(
        &mut self,
        _context: &mut Context<'_>,
        wire: &mut Wire,
    ) -> Poll<Result<(), Error>> {
        wire.channel.write_all()?;
        Poll::Ready(Ok(()))
    }
}
