//! The way in: bytes, their end, and SIGTERM, into the session.

mod threaded;

use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use extline_protocol::ExtensionSession;
use extline_stdio::{Error as StdioError, Input, Received};

use self::threaded::Threaded;
use crate::Error;

pub(super) struct Inlet {
    source: Source,
    ended: bool,
    /// Bytes read since [`Inlet::forget_read_ahead`].
    read_ahead: usize,
    /// Bytes read in all.
    total: u64,
    read_at: Instant,
}

enum Source {
    /// A pipe, a socket, a terminal, as far as the event loop can watch it.
    ///
    /// `None` only while a thread takes it over.
    Direct(Option<Input>),
    /// Anything else, as a file: a thread reads it.
    Threaded(Threaded),
}

impl Inlet {
    pub(super) fn new(input: Input) -> Self {
        let source = Source::Direct(Some(input));
        Self { source, ended: false, read_ahead: 0, total: 0, read_at: Instant::now() }
    }

    /// Has a thread read it, for input that nothing can watch.
    pub(super) fn read_by_thread(&mut self) -> Result<(), Error> {
        if let Source::Direct(input) = &mut self.source
            && let Some(input) = input.take()
        {
            self.source = Source::Threaded(Threaded::new(input)?);
        }
        Ok(())
    }

    #[cfg(unix)]
    pub(super) fn input(&self) -> Option<&Input> {
        match &self.source {
            Source::Direct(input) => input.as_ref(),
            Source::Threaded(_) => None,
        }
    }

    /// Feeds the session with what a thread has read; ready when that was anything.
    pub(super) fn poll_thread(
        &mut self,
        context: &mut Context<'_>,
        session: &mut ExtensionSession,
    ) -> Poll<Result<(), Error>> {
        let Source::Threaded(threaded) = &mut self.source else { return Poll::Pending };
        threaded.poll(context, session).map_ok(|count| self.count(count, Instant::now()))
    }

    /// Passes SIGTERM on; whether it came.
    pub(super) fn take_sigterm(&mut self, session: &mut ExtensionSession) -> Result<bool, Error> {
        let Source::Direct(Some(input)) = &mut self.source else { return Ok(false) };
        let came = input.wait(Some(Duration::ZERO))?.sigterm;
        if came {
            session.handle_sigterm(Instant::now());
        }
        Ok(came)
    }

    /// Feeds the session with one read of what is there, and does not wait.
    pub(super) fn read(&mut self, session: &mut ExtensionSession) -> Result<Read, Error> {
        if let Source::Threaded(threaded) = &mut self.source {
            let count = threaded.take(session)?;
            self.count(count.unwrap_or_default(), Instant::now());
            return Ok(if count.is_some() { Read::All } else { Read::Nothing });
        }
        self.read_by(Input::try_read, session)
    }

    /// Feeds the session with one read, which waits until something comes, a signal at the least.
    /// Only for input that no thread reads.
    pub(super) fn read_waiting(&mut self, session: &mut ExtensionSession) -> Result<Read, Error> {
        self.read_by(Input::read, session)
    }

    fn read_by(
        &mut self,
        read: fn(&mut Input, &mut [u8]) -> Result<Received, StdioError>,
        session: &mut ExtensionSession,
    ) -> Result<Read, Error> {
        let Source::Direct(Some(input)) = &mut self.source else { return Ok(Read::Nothing) };
        if self.ended {
            return Ok(Read::Nothing);
        }
        let space = session.read_space();
        let room = space.len();
        Ok(match read(input, space)? {
            Received::Data(count) => {
                let now = Instant::now();
                session.handle_read(count, now);
                self.count(count, now);
                // Less than there was room for: that was all.
                if count < room { Read::All } else { Read::Some }
            }
            Received::Eof => {
                self.ended = true;
                session.handle_eof(Instant::now());
                Read::Some
            }
            Received::WouldBlock => Read::Nothing,
            Received::Interrupted => Read::Interrupted,
        })
    }

    /// Whether no thread reads it.
    pub(super) fn is_direct(&self) -> bool {
        matches!(self.source, Source::Direct(_))
    }

    pub(super) fn has_ended(&self) -> bool {
        self.ended
    }

    /// Bytes that came since the start.
    pub(super) fn total(&self) -> u64 {
        self.total
    }

    /// When the last of them came.
    pub(super) fn read_at(&self) -> Instant {
        self.read_at
    }

    /// Bytes that came while the host did not take what was said.
    pub(super) fn read_ahead(&self) -> usize {
        self.read_ahead
    }

    pub(super) fn forget_read_ahead(&mut self) {
        self.read_ahead = 0;
    }

    fn count(&mut self, count: usize, now: Instant) {
        self.read_ahead += count;
        self.total += count as u64;
        self.read_at = now;
    }
}

/// What one read brought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Read {
    /// Bytes or the end; there may be more.
    Some,
    /// Bytes, and there were no more.
    All,
    Nothing,
    /// A signal came in between.
    Interrupted,
}
