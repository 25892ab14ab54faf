//! The session and the way out, for whichever thread has something to say.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use extline_protocol::limits::{READ_AHEAD_BYTES, READ_AHEAD_FRAMES};
use extline_protocol::{ExtensionEvent, ExtensionSession};
use extline_stdio::{Error, Input, Output, Received};

/// A buffer that grew beyond this for one batch is given back.
const KEPT: usize = 4 * 1024 * 1024;

/// Answers are gathered for one write, but none waits longer than this for the next handler.
pub(crate) const BATCH: Duration = Duration::from_millis(1);

pub(crate) struct Wire {
    pub(crate) session: ExtensionSession,
    /// `None` where the program moves the bytes itself.
    output: Option<Output>,
    bytes: Vec<u8>,
    written: usize,
    is_gone: bool,
    has_ended: bool,
    /// Bytes read since the host last took everything.
    read_ahead: usize,
    /// What was taken from the session before its turn.
    left: VecDeque<ExtensionEvent>,
    /// Since when answers are held back.
    held: Option<Instant>,
}

impl Wire {
    pub(crate) fn new(session: ExtensionSession, output: Option<Output>) -> Self {
        Self {
            session,
            output,
            bytes: Vec::new(),
            written: 0,
            is_gone: false,
            has_ended: false,
            read_ahead: 0,
            left: VecDeque::new(),
            held: None,
        }
    }

    /// The way out, where the library writes.
    pub(crate) fn output(&self) -> Option<&Output> {
        self.output.as_ref()
    }

    /// Whether there is something that the host has not taken.
    pub(crate) fn is_stalled(&self) -> bool {
        self.output.is_some() && self.written < self.bytes.len()
    }

    /// Whether everything that there was to say is written, or taken by the program.
    pub(crate) fn is_said(&self) -> bool {
        !self.is_stalled() && !self.session.has_output()
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

    /// Whether something waits to be done.
    pub(crate) fn has_events(&self) -> bool {
        !self.left.is_empty() || self.session.waiting() > 0
    }

    /// Who waits to write, reads, up to a bound; calls that were read ahead wait in the session.
    pub(crate) fn may_read(&self) -> bool {
        let is_ahead =
            self.read_ahead >= READ_AHEAD_BYTES || self.session.waiting() >= READ_AHEAD_FRAMES;
        !(self.has_ended || self.is_stalled() && is_ahead)
    }

    /// Feeds the session with what is there now.
    pub(crate) fn read(&mut self, input: &mut Input) -> Result<(), Error> {
        while self.may_read() {
            let space = self.session.read_space();
            let room = space.len();
            match input.try_read(space)? {
                Received::Data(count) => {
                    self.session.handle_read(count, Instant::now());
                    self.read_ahead += count;
                    // Less than there was room for: that was all.
                    if count < room {
                        return Ok(());
                    }
                }
                Received::Eof => self.end_input(),
                Received::WouldBlock | Received::Interrupted => return Ok(()),
            }
        }
        Ok(())
    }

    /// Takes in what was read elsewhere.
    pub(crate) fn feed(&mut self, bytes: &[u8]) {
        self.session.handle_input(bytes, Instant::now());
        self.read_ahead += bytes.len();
    }

    pub(crate) fn end_input(&mut self) {
        if !std::mem::replace(&mut self.has_ended, true) {
            self.session.handle_eof(Instant::now());
        }
    }

    /// Without a host that reads nobody waits for answers.
    pub(crate) fn lose_host(&mut self) {
        self.written = self.bytes.len();
        if !std::mem::replace(&mut self.is_gone, true) {
            self.session.handle_write_failed(Instant::now());
        }
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

    /// Writes what there is, or holds it back for what comes next, when that is known to be quick. It
    /// does not wait for longer than a batch may take.
    pub(crate) fn write_or_hold(&mut self, holds: bool) -> Result<(), Error> {
        if !holds {
            self.write()?;
        } else if self.output.is_some() && self.session.has_output() {
            let since = *self.held.get_or_insert_with(Instant::now);
            if since.elapsed() >= BATCH {
                self.write()?;
            }
        }
        Ok(())
    }

    /// Writes what there is, as much as the host takes now. Whether nothing is left. Where the program
    /// moves the bytes itself, nothing happens.
    pub(crate) fn write(&mut self) -> Result<bool, Error> {
        self.held = None;
        let Some(mut output) = self.output.take() else { return Ok(true) };
        let written = self.write_to(&mut output);
        self.output = Some(output);
        written
    }

    fn write_to(&mut self, output: &mut Output) -> Result<bool, Error> {
        loop {
            if self.written < self.bytes.len() {
                match output.try_write(&self.bytes[self.written..]) {
                    Ok(count) => self.written += count,
                    Err(Error::HostGone) => self.lose_host(),
                    Err(error) => return Err(error),
                }
            }
            if self.written < self.bytes.len() {
                return Ok(false);
            }
            if !self.fill() {
                return Ok(true);
            }
        }
    }

    /// What the program is to write, with a NUL behind it; valid until the next time.
    pub(crate) fn take_output(&mut self) -> Option<&[u8]> {
        if self.output.is_some() || !self.fill() || self.is_gone {
            return None;
        }
        self.bytes.push(0);
        Some(&self.bytes)
    }

    /// Takes what the session has to say; whether there is anything.
    fn fill(&mut self) -> bool {
        if self.bytes.capacity() > KEPT {
            self.bytes = Vec::new();
        }
        self.bytes.clear();
        self.written = 0;
        if !self.session.poll_output(Instant::now(), &mut self.bytes) {
            self.read_ahead = 0;
            return false;
        }
        // A host that is gone takes nothing.
        if self.is_gone {
            self.written = self.bytes.len();
        }
        true
    }
}
