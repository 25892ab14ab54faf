//! The event loop watches both ends itself: no hop between threads.

use std::task::{Context, Poll};

use extline_driver::{Channel, Read};
use tokio::io::{Interest, unix::AsyncFd};

use super::descriptor::{Descriptor, watch};
use crate::Error;
use crate::serve::wire::{SharedWire, Wire, lock};

pub(in crate::serve) struct Readiness {
    /// `None` for input that a thread reads.
    input: Option<InputReadiness>,
    /// `None` for a file, which takes everything at once.
    output: Option<AsyncFd<Descriptor>>,
}

struct InputReadiness {
    input: AsyncFd<Descriptor>,
    /// Bytes came that were not read, and will not be told again.
    has_unread: bool,
    /// Rings for SIGTERM.
    doorbell: AsyncFd<Descriptor>,
}

impl Readiness {
    /// Has the running tokio runtime watch what it can.
    pub(in crate::serve) fn of(wire: &SharedWire) -> Result<Self, Error> {
        use std::os::fd::{AsFd, AsRawFd};

        let fd = lock(wire).channel.output().map(|output| output.as_fd().as_raw_fd());
        let output = fd.and_then(|fd| watch(Descriptor::of_wire(fd, wire), Interest::WRITABLE));
        let input = InputReadiness::of(wire)?;
        if input.is_none() {
            lock(wire).source.read_by_thread()?;
        }
        Ok(Self { input, output })
    }

    /// Feeds the session with what has arrived; ready when that was anything. Bytes are looked at
    /// only if `reading`.
    pub(in crate::serve) fn poll_read(
        &mut self,
        context: &mut Context<'_>,
        wire: &mut Wire,
        reading: bool,
    ) -> Poll<Result<(), Error>> {
        if let Some(input) = &mut self.input {
            return input.poll(context, wire, reading);
        }
        if !reading {
            return Poll::Pending;
        }
        let Wire { channel, source, .. } = wire;
        source.poll_thread(context, channel)
    }

    /// Goes on writing what waits; ready when nothing does.
    pub(in crate::serve) fn poll_write(
        &mut self,
        context: &mut Context<'_>,
        wire: &mut Wire,
    ) -> Poll<Result<(), Error>> {
        if let Some(output) = &mut self.output {
            while wire.channel.is_stalled() {
                let Poll::Ready(ready) = output.poll_write_ready(context) else {
                    return Poll::Pending;
                };
                let mut ready = ready.map_err(Error::system("wait for the host"))?;
                wire.channel.write_batch()?;
                if wire.channel.is_stalled() {
                    ready.clear_ready();
                }
            }
        }
        wire.channel.write_all()?;
        Poll::Ready(Ok(()))
    }
}

impl InputReadiness {
    /// `None` when the input is nothing that can be watched.
    fn of(wire: &SharedWire) -> Result<Option<Self>, Error> {
        use std::os::fd::{AsFd, AsRawFd};

        let locked = lock(wire);
        let Some(input) = locked.source.input() else { return Ok(None) };
        let doorbell = input.doorbell().try_clone_to_owned();
        let doorbell = doorbell.map_err(Error::system("copy the descriptor for signals"))?;
        let fd = input.as_fd().as_raw_fd();
        drop(locked);
        let Some(input) = watch(Descriptor::of_wire(fd, wire), Interest::READABLE) else {
            return Ok(None);
        };
        let doorbell = watch(Descriptor::owned(doorbell), Interest::READABLE);
        Ok(doorbell.map(|doorbell| Self { input, has_unread: false, doorbell }))
    }

    fn poll(
        &mut self,
        context: &mut Context<'_>,
        wire: &mut Wire,
        reading: bool,
    ) -> Poll<Result<(), Error>> {
        let Wire { channel, source, .. } = wire;
        let mut progress = false;
        while let Poll::Ready(ready) = self.doorbell.poll_read_ready(context) {
            let mut ready = ready.map_err(Error::system("wait for signals"))?;
            progress |= source.take_sigterm(channel)?;
            ready.clear_ready();
        }
        if !reading {
            progress |= self.poll_hang_up(context, channel)?;
            return if progress { Poll::Ready(Ok(())) } else { Poll::Pending };
        }
        let mut has_read = false;
        if std::mem::take(&mut self.has_unread) && !channel.has_ended() {
            let read = source.read(channel)?;
            self.has_unread = read == Read::Some;
            has_read = matches!(read, Read::Some | Read::All);
        }
        while !channel.has_ended() && !has_read {
            let Poll::Ready(ready) = self.input.poll_read_ready(context) else { break };
            let mut ready = ready.map_err(Error::system("wait for the host"))?;
            let read = source.read(channel)?;
            has_read = matches!(read, Read::Some | Read::All);
            if matches!(read, Read::All | Read::Nothing) {
                ready.clear_ready();
            }
        }
        if progress || has_read { Poll::Ready(Ok(())) } else { Poll::Pending }
    }

    /// Whether the host has closed its end behind what is not read. The event loop tells that bytes are
    /// there until they are read, so it is told that none are, and tells what changes.
    fn poll_hang_up(
        &mut self,
        context: &mut Context<'_>,
        channel: &mut Channel,
    ) -> Result<bool, Error> {
        while !channel.has_ended() && !channel.has_hung_up() {
            let Poll::Ready(ready) = self.input.poll_read_ready(context) else { return Ok(false) };
            let mut ready = ready.map_err(Error::system("wait for the host"))?;
            self.has_unread = true;
            if ready.ready().is_read_closed() {
                channel.hang_up();
                return Ok(true);
            }
            ready.clear_ready();
        }
        Ok(false)
    }
}
