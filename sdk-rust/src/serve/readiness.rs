//! When the two ends of stdio can go on, as the event loop sees it: read and written on the serving
//! thread, with no hop between threads.

use std::task::{Context, Poll};

#[cfg(unix)]
use tokio::io::{Interest, unix::AsyncFd};

#[cfg(unix)]
use super::descriptor::{Descriptor, watch};
#[cfg(unix)]
use super::inlet::Read;
use super::wire::{SharedWire, Wire, lock};
use crate::Error;

pub(super) struct Readiness {
    /// `None` for input that a thread reads.
    #[cfg(unix)]
    input: Option<InputReadiness>,
    /// `None` for a file, which takes everything at once.
    #[cfg(unix)]
    output: Option<AsyncFd<Descriptor>>,
}

#[cfg(unix)]
struct InputReadiness {
    input: AsyncFd<Descriptor>,
    /// Rings for SIGTERM.
    doorbell: AsyncFd<Descriptor>,
}

impl Readiness {
    /// Has the running tokio runtime watch what it can.
    #[cfg(unix)]
    pub(super) fn of(wire: &SharedWire) -> Result<Self, Error> {
        use std::os::fd::{AsFd, AsRawFd};

        let fd = lock(wire).outlet.output().as_fd().as_raw_fd();
        let output = watch(Descriptor::of_wire(fd, wire), Interest::WRITABLE);
        let input = InputReadiness::of(wire)?;
        if input.is_none() {
            lock(wire).inlet.read_by_thread()?;
        }
        Ok(Self { input, output })
    }

    #[cfg(not(unix))]
    pub(super) fn of(wire: &SharedWire) -> Result<Self, Error> {
        lock(wire).inlet.read_by_thread()?;
        Ok(Self {})
    }

    /// Feeds the session with what has arrived; ready when that was anything. Bytes are looked at
    /// only if `reading`.
    pub(super) fn poll_read(
        &mut self,
        context: &mut Context<'_>,
        wire: &mut Wire,
        reading: bool,
    ) -> Poll<Result<(), Error>> {
        #[cfg(unix)]
        if let Some(input) = &mut self.input {
            return input.poll(context, wire, reading);
        }
        if reading { wire.inlet.poll_thread(context, &mut wire.session) } else { Poll::Pending }
    }

    /// Goes on writing what waits; ready when nothing does.
    #[cfg_attr(not(unix), expect(unused_variables, reason = "nothing is watched there"))]
    pub(super) fn poll_write(
        &mut self,
        context: &mut Context<'_>,
        wire: &mut Wire,
    ) -> Poll<Result<(), Error>> {
        #[cfg(unix)]
        if let Some(output) = &mut self.output {
            while wire.outlet.is_waiting() {
                let Poll::Ready(ready) = output.poll_write_ready(context) else {
                    return Poll::Pending;
                };
                let mut ready = ready.map_err(Error::system("wait for the host"))?;
                wire.outlet.write()?;
                if wire.outlet.is_waiting() {
                    ready.clear_ready();
                }
            }
        }
        wire.outlet.write_all()?;
        Poll::Ready(Ok(()))
    }
}

#[cfg(unix)]
impl InputReadiness {
    /// `None` when the input is nothing that can be watched.
    fn of(wire: &SharedWire) -> Result<Option<Self>, Error> {
        use std::os::fd::{AsFd, AsRawFd};

        let locked = lock(wire);
        let Some(input) = locked.inlet.input() else { return Ok(None) };
        let doorbell = input.doorbell().try_clone_to_owned();
        let doorbell = doorbell.map_err(Error::system("copy the descriptor for signals"))?;
        let fd = input.as_fd().as_raw_fd();
        drop(locked);
        let Some(input) = watch(Descriptor::of_wire(fd, wire), Interest::READABLE) else {
            return Ok(None);
        };
        let doorbell = watch(Descriptor::owned(doorbell), Interest::READABLE);
        Ok(doorbell.map(|doorbell| Self { input, doorbell }))
    }

    fn poll(
        &mut self,
        context: &mut Context<'_>,
        wire: &mut Wire,
        reading: bool,
    ) -> Poll<Result<(), Error>> {
        let Wire { session, inlet, .. } = wire;
        let mut progress = false;
        while let Poll::Ready(ready) = self.doorbell.poll_read_ready(context) {
            let mut ready = ready.map_err(Error::system("wait for signals"))?;
            progress |= inlet.take_sigterm(session)?;
            ready.clear_ready();
        }
        let mut has_read = false;
        while reading && !inlet.has_ended() && !has_read {
            let Poll::Ready(ready) = self.input.poll_read_ready(context) else { break };
            let mut ready = ready.map_err(Error::system("wait for the host"))?;
            let read = inlet.read(session)?;
            has_read = matches!(read, Read::Some | Read::All);
            if matches!(read, Read::All | Read::Nothing) {
                ready.clear_ready();
            }
        }
        if progress || has_read { Poll::Ready(Ok(())) } else { Poll::Pending }
    }
}
