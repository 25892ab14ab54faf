//! Where bytes come from: descriptors that the event loop watches, or a thread that reads.

#[cfg(not(windows))]
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use extline_driver::{Channel, Read};
use extline_stdio::Input;

#[cfg(not(windows))]
use super::threaded::Threaded;
use crate::Error;

pub(super) enum Source {
    /// A pipe, a socket, a terminal, as far as the event loop can watch it.
    ///
    /// On Windows everything, as extline-stdio has a thread for it. `None` only while a thread takes it
    /// over.
    Direct(Option<Input>),
    /// Anything else, as a file: a thread reads it.
    #[cfg(not(windows))]
    Threaded(Threaded),
}

impl Source {
    /// Has a thread read it, for input that nothing can watch.
    #[cfg(not(windows))]
    pub(super) fn read_by_thread(&mut self) -> Result<(), Error> {
        if let Self::Direct(input) = self
            && let Some(input) = input.take()
        {
            *self = Self::Threaded(Threaded::new(input)?);
        }
        Ok(())
    }

    #[cfg(unix)]
    pub(super) fn input(&self) -> Option<&Input> {
        match self {
            Self::Direct(input) => input.as_ref(),
            Self::Threaded(_) => None,
        }
    }

    #[cfg(windows)]
    pub(super) fn input_mut(&mut self) -> Option<&mut Input> {
        match self {
            Self::Direct(input) => input.as_mut(),
        }
    }

    /// Whether no thread reads it.
    pub(super) fn is_direct(&self) -> bool {
        matches!(self, Self::Direct(_))
    }

    /// Takes in what a thread has read; ready when that was anything.
    #[cfg(not(windows))]
    pub(super) fn poll_thread(
        &mut self,
        context: &mut Context<'_>,
        channel: &mut Channel,
    ) -> Poll<Result<(), Error>> {
        let Self::Threaded(threaded) = self else { return Poll::Pending };
        threaded.poll(context, channel)
    }

    /// Passes SIGTERM on; whether it came.
    pub(super) fn take_sigterm(&mut self, channel: &mut Channel) -> Result<bool, Error> {
        let Self::Direct(Some(input)) = self else { return Ok(false) };
        let came = input.wait(Some(Duration::ZERO))?.sigterm;
        if came {
            channel.session.handle_sigterm(Instant::now());
        }
        Ok(came)
    }

    /// For who does not read, and so does not find it: whether the host has closed its end.
    pub(super) fn look_for_hang_up(&self, channel: &mut Channel) -> Result<bool, Error> {
        let Self::Direct(Some(input)) = self else { return Ok(false) };
        Ok(channel.look_for_hang_up(input)?)
    }

    /// One read of what is there.
    pub(super) fn read(&mut self, channel: &mut Channel) -> Result<Read, Error> {
        match self {
            Self::Direct(Some(input)) => Ok(channel.read_once(input)?),
            Self::Direct(None) => Ok(Read::Nothing),
            #[cfg(not(windows))]
            Self::Threaded(threaded) => threaded.take(channel),
        }
    }

    /// One read, which waits until something comes, a signal at the least. Only for input that no
    /// thread reads.
    pub(super) fn read_waiting(&mut self, channel: &mut Channel) -> Result<Read, Error> {
        let Self::Direct(Some(input)) = self else { return Ok(Read::Nothing) };
        Ok(channel.read_waiting(input)?)
    }
}
