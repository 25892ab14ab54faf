//! The way in: bytes, their end, and SIGTERM, into the session.

mod threaded;
#[cfg(unix)]
mod watched;

use std::task::{Context, Poll};

use extline_stdio::Input;

use self::threaded::Threaded;
#[cfg(unix)]
use self::watched::Watched;
use crate::Error;
use crate::connection::Connection;

pub(super) struct Inlet {
    source: Source,
    /// Bytes read since [`Inlet::forget_read_ahead`].
    read_ahead: usize,
    /// Bytes read in all.
    total: u64,
}

enum Source {
    /// A pipe, a socket, a terminal.
    #[cfg(unix)]
    Watched(Watched),
    /// Anything else, as a file.
    Threaded(Threaded),
}

impl Inlet {
    pub(super) fn new(input: Input) -> Result<Self, Error> {
        Ok(Self { source: Source::new(input)?, read_ahead: 0, total: 0 })
    }

    /// Feeds the session with what has arrived; ready when that was anything. Bytes are looked at
    /// only if `reading`.
    pub(super) fn poll(
        &mut self,
        context: &mut Context<'_>,
        connection: &Connection,
        reading: bool,
    ) -> Poll<Result<(), Error>> {
        let fed = match &mut self.source {
            #[cfg(unix)]
            Source::Watched(watched) => watched.poll(context, connection, reading),
            Source::Threaded(threaded) => threaded.poll(context, connection, reading),
        };
        fed.map_ok(|count| {
            self.read_ahead += count;
            self.total += count as u64;
        })
    }

    /// Bytes that came since the start.
    pub(super) fn total(&self) -> u64 {
        self.total
    }

    /// Bytes that came while the host did not take what was said.
    pub(super) fn read_ahead(&self) -> usize {
        self.read_ahead
    }

    pub(super) fn forget_read_ahead(&mut self) {
        self.read_ahead = 0;
    }
}

impl Source {
    fn new(input: Input) -> Result<Self, Error> {
        #[cfg(unix)]
        let input = match Watched::new(input)? {
            Ok(watched) => return Ok(Self::Watched(watched)),
            Err(input) => input,
        };
        Ok(Self::Threaded(Threaded::new(input)?))
    }
}
