//! The session and the way out, for whichever thread has something to say.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use extline_protocol::limits::{READ_AHEAD_BYTES, READ_AHEAD_FRAMES};
use extline_protocol::{ExtensionEvent, ExtensionSession};
use extline_stdio::{Error, Input, Output, Received};

/// A buffer that grew beyond this for one batch is given back.
const KEPT: usize = 4 * 1024 * 1024;

/// Answers are gathered for one write, but none waits longer than this for the next handler.
const BATCH: Duration = Duration::from_millis(1);

/// Nobody keeps it locked while Python runs or anything is waited for.
pub(crate) struct Wire {
    pub(crate) session: ExtensionSession,
    output: Output,
    bytes: Vec<u8>,
    written: usize,
    is_gone: bool,
    has_ended: bool,
    /// Bytes read in all.
    total: u64,
    /// Bytes read since the host last took everything.
    read_ahead: usize,
    /// What was taken from the session before its turn.
    left: VecDeque<ExtensionEvent>,
    /// Since when answers are held back.
    held: Option<Instant>,
    /// The turn of an event loop in which handlers may end together has not ended.
    is_in_turn: bool,
    /// The thread that stands in for the loop waits for something to happen.
    pub(crate) is_unwatched: bool,
}

impl Wire {
    pub(crate) fn new(session: ExtensionSession, output: Output) -> Self {
        Self {
            session,
            output,
            bytes: Vec::new(),
            written: 0,
            is_gone: false,
            has_ended: false,
            total: 0,
            read_ahead: 0,
            left: VecDeque::new(),
            held: None,
            is_in_turn: false,
            is_unwatched: false,
        }
    }

    /// Whether there is something that the host has not taken.
    pub(crate) fn is_stalled(&self) -> bool {
        self.written < self.bytes.len()
    }

    /// Bytes read in all, whether all that they ask for was begun, and whether all of it is done
    /// and written except the calls that still run.
    pub(crate) fn progress(&self) -> (u64, bool, bool) {
        let is_begun = self.left.is_empty() && self.session.waiting() == 0;
        let is_said = !self.is_stalled() && !self.session.has_output();
        (self.total, is_begun, is_begun && is_said && self.session.is_calm())
    }

    /// The next thing to do. While the host does not take what was said, nothing new is begun.
    pub(crate) fn next_event(&mut self, may_begin: bool) -> Option<ExtensionEvent> {
        if !self.left.is_empty() {
            self.left.pop_front()
        } else if may_begin && !self.is_stalled() {
            self.session.poll_event()
        } else {
            self.session.poll_control()
        }
    }

    /// Puts aside what cannot be done now.
    pub(crate) fn leave(&mut self, event: ExtensionEvent) {
        self.left.push_back(event);
    }

    /// Whether something came up that nothing holds back.
    pub(crate) fn has_news(&mut self) -> bool {
        self.left.extend(self.session.poll_control());
        !self.left.is_empty()
    }

    /// Writes what there is, or holds it back for what comes next, when that is known to be quick. It
    /// does not wait for longer than a batch may take.
    pub(crate) fn write_or_hold(&mut self, holds: bool) -> Result<(), Error> {
        if !holds {
            self.write()?;
        } else if self.session.has_output() {
            let since = *self.held.get_or_insert_with(Instant::now);
            if since.elapsed() >= BATCH {
                self.write()?;
            }
        }
        Ok(())
    }

    /// From now on handlers answer in the same turn of an event loop. Whether whoever stands in for
    /// the loop has to be woken to watch it.
    pub(crate) fn begin_turn(&mut self) -> bool {
        self.is_in_turn = true;
        std::mem::take(&mut self.is_unwatched)
    }

    pub(crate) fn is_in_turn(&self) -> bool {
        self.is_in_turn
    }

    /// Writes what was held back for the turn.
    pub(crate) fn end_turn(&mut self) -> Result<bool, Error> {
        self.is_in_turn = false;
        self.write()
    }

    /// Whether something is held back.
    pub(crate) fn is_holding(&self) -> bool {
        self.held.is_some()
    }

    /// Who waits to write, reads, up to a bound; calls that were read ahead wait in the session.
    pub(crate) fn may_read(&self) -> bool {
        let is_ahead =
            self.read_ahead >= READ_AHEAD_BYTES || self.session.waiting() >= READ_AHEAD_FRAMES;
        !(self.has_ended || self.is_stalled() && is_ahead)
    }

    /// Takes in what was read elsewhere.
    pub(crate) fn feed(&mut self, bytes: &[u8]) {
        self.session.handle_input(bytes, Instant::now());
        self.read_ahead += bytes.len();
        self.total += bytes.len() as u64;
    }

    pub(crate) fn end_input(&mut self) {
        self.has_ended = true;
        self.session.handle_eof(Instant::now());
    }

    /// Feeds the session with what is there now.
    pub(crate) fn read(&mut self, input: &mut Input) -> Result<(), Error> {
        while !self.has_ended {
            let space = self.session.read_space();
            let room = space.len();
            match input.try_read(space)? {
                Received::Data(count) => {
                    self.session.handle_read(count, Instant::now());
                    self.read_ahead += count;
                    self.total += count as u64;
                    // Less than there was room for: that was all.
                    if count < room {
                        return Ok(());
                    }
                }
                Received::Eof => self.end_input(),
                Received::WouldBlock | Received::Interrupted => return Ok(()),
            }
            if !self.may_read() {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Does what is due.
    pub(crate) fn handle_timeout(&mut self) {
        if self.due().is_some_and(|due| due <= Instant::now()) {
            self.session.handle_timeout(Instant::now());
        }
    }

    /// When [`Wire::handle_timeout`] is due, if ever.
    pub(crate) fn due(&self) -> Option<Instant> {
        if self.is_stalled() {
            self.session.poll_timeout_stalled()
        } else {
            self.session.poll_timeout()
        }
    }

    /// Writes what there is, as much as the host takes now. Whether nothing is left.
    pub(crate) fn write(&mut self) -> Result<bool, Error> {
        self.held = None;
        loop {
            if self.is_stalled() {
                self.write_waiting()?;
            }
            if self.is_stalled() {
                return Ok(false);
            }
            if self.bytes.capacity() > KEPT {
                self.bytes = Vec::new();
            }
            self.bytes.clear();
            self.written = 0;
            if !self.session.poll_output(Instant::now(), &mut self.bytes) {
                self.read_ahead = 0;
                return Ok(true);
            }
        }
    }

    fn write_waiting(&mut self) -> Result<(), Error> {
        match self.output.try_write(&self.bytes[self.written..]) {
            Ok(count) => self.written += count,
            Err(Error::HostGone) => {
                self.written = self.bytes.len();
                // Without a host that reads nobody waits for answers.
                if !std::mem::replace(&mut self.is_gone, true) {
                    self.session.handle_write_failed(Instant::now());
                }
            }
            Err(error) => return Err(error),
        }
        Ok(())
    }
}
