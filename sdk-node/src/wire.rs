//! The session, and what is read and written for it: natively, or by JavaScript.

use std::collections::VecDeque;
use std::thread;
use std::time::{Duration, Instant};

use extline_protocol::limits::{READ_AHEAD_BYTES, READ_AHEAD_FRAMES};
use extline_protocol::{ExtensionEvent, ExtensionSession};
use extline_stdio::{Error, Input, Output, Received, Stdio};

/// A buffer that grew beyond this for one batch is given back.
const KEPT: usize = 4 * 1024 * 1024;

/// How long a process that is about to end waits for its host to take the last answers.
const LAST_WRITE: Duration = Duration::from_secs(1);

pub(crate) struct Wire {
    pub(crate) session: ExtensionSession,
    pub(crate) input: Option<Input>,
    /// `None` where JavaScript writes.
    output: Option<Output>,
    bytes: Vec<u8>,
    written: usize,
    /// JavaScript has taken bytes and not said yet that they are written.
    is_taken: bool,
    is_gone: bool,
    has_ended: bool,
    /// Bytes read since the host last took everything.
    read_ahead: usize,
    /// What was taken from the session before its turn.
    left: VecDeque<ExtensionEvent>,
}

impl Wire {
    /// Over two descriptors, or over none where JavaScript reads and writes.
    pub(crate) fn new(session: ExtensionSession, stdio: Option<Stdio>) -> Self {
        let (input, output) = stdio.map(|Stdio { input, output }| (input, output)).unzip();
        Self {
            session,
            input,
            output,
            bytes: Vec::new(),
            written: 0,
            is_taken: false,
            is_gone: false,
            has_ended: false,
            read_ahead: 0,
            left: VecDeque::new(),
        }
    }

    /// Whether there is something that the host has not taken.
    pub(crate) fn is_stalled(&self) -> bool {
        self.is_taken || self.written < self.bytes.len()
    }

    /// Whether the host has everything.
    pub(crate) fn is_said(&self) -> bool {
        !self.is_stalled() && !self.session.has_output()
    }

    /// Whether an event waits that can be handled now.
    pub(crate) fn has_events(&self) -> bool {
        !self.left.is_empty() || (!self.is_stalled() && self.session.waiting() > 0)
    }

    /// The next thing to do. While the host does not take what was said, nothing new is begun.
    pub(crate) fn next_event(&mut self) -> Option<ExtensionEvent> {
        if let Some(event) = self.left.pop_front() {
            return Some(event);
        }
        if self.is_stalled() { self.session.poll_control() } else { self.session.poll_event() }
    }

    /// Puts aside what cannot be done now.
    pub(crate) fn leave(&mut self, event: ExtensionEvent) {
        self.left.push_back(event);
    }

    /// Who waits to write, reads, up to a bound; calls that were read ahead wait in the session.
    pub(crate) fn may_read(&self) -> bool {
        let is_ahead =
            self.read_ahead >= READ_AHEAD_BYTES || self.session.waiting() >= READ_AHEAD_FRAMES;
        !(self.has_ended || self.is_stalled() && is_ahead)
    }

    /// Feeds the session with what is there now.
    pub(crate) fn read(&mut self) -> Result<(), Error> {
        while self.may_read() {
            let Some(input) = &mut self.input else { return Ok(()) };
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

    /// Takes what JavaScript has read.
    pub(crate) fn feed(&mut self, bytes: &[u8]) {
        self.session.handle_input(bytes, Instant::now());
        self.read_ahead += bytes.len();
    }

    pub(crate) fn end_input(&mut self) {
        if !std::mem::replace(&mut self.has_ended, true) {
            self.session.handle_eof(Instant::now());
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

    /// Writes what there is, as much as the host takes now.
    pub(crate) fn write(&mut self) -> Result<(), Error> {
        while self.output.is_some() && !self.is_stalled_after_writing()? && self.fill() {}
        Ok(())
    }

    /// What JavaScript is to write; `None` while it is still at the last.
    pub(crate) fn take_output(&mut self) -> Option<Vec<u8>> {
        if self.output.is_some() || self.is_stalled() || !self.fill() {
            return None;
        }
        self.is_taken = true;
        Some(std::mem::take(&mut self.bytes))
    }

    /// JavaScript has written what it took.
    pub(crate) fn taken_is_written(&mut self) {
        self.is_taken = false;
    }

    /// Without a host that reads nobody waits for answers.
    pub(crate) fn lose_host(&mut self) {
        self.written = self.bytes.len();
        self.is_taken = false;
        if !std::mem::replace(&mut self.is_gone, true) {
            self.session.handle_write_failed(Instant::now());
        }
    }

    /// Writes what there is for a process that is about to end, and waits for the host to take it, but
    /// not for ever.
    pub(crate) fn flush(&mut self) {
        let until = Instant::now() + LAST_WRITE;
        while self.write().is_ok() && self.is_stalled() && Instant::now() < until {
            thread::sleep(Duration::from_millis(1));
        }
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
        !self.is_gone
    }

    fn is_stalled_after_writing(&mut self) -> Result<bool, Error> {
        if self.is_stalled()
            && let Some(output) = &mut self.output
        {
            match output.try_write(&self.bytes[self.written..]) {
                Ok(count) => self.written += count,
                Err(Error::HostGone) => self.lose_host(),
                Err(error) => return Err(error),
            }
        }
        Ok(self.is_stalled())
    }
}

#[cfg(unix)]
impl Wire {
    /// The descriptors to read, of the bell, and to write.
    pub(crate) fn descriptors(&self) -> Option<[i32; 3]> {
        use std::os::fd::{AsFd, AsRawFd};

        let (input, output) = (self.input.as_ref()?, self.output.as_ref()?);
        Some([input.as_fd(), input.doorbell(), output.as_fd()].map(|fd| fd.as_raw_fd()))
    }
}
