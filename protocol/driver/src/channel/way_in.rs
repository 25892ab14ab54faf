//! The way in: who may read, how far ahead, and how the input ends.

use std::time::Instant;

use extline_protocol::limits::{READ_AHEAD_BYTES, READ_AHEAD_FRAMES};
use extline_stdio::{Error, Input, Received};

use super::Channel;
use crate::mcp::Mcp;

/// What one read brought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Read {
    /// Bytes or the end; there may be more.
    Some,
    /// Bytes, and there were no more.
    All,
    /// Nothing is there.
    Nothing,
    /// A signal came in between.
    Interrupted,
}

impl Channel {
    /// Who waits to write, reads, up to a bound; calls that were read ahead wait in the session.
    pub fn may_read(&self) -> bool {
        let is_held_up = self.mcp.as_ref().is_some_and(Mcp::is_full);
        !self.has_ended && !is_held_up && (!self.is_stalled() || self.may_read_ahead())
    }

    /// The same for who reads in the place of a thread that begins nothing meanwhile.
    pub fn may_read_ahead(&self) -> bool {
        self.has_hung_up
            || self.read_ahead < READ_AHEAD_BYTES && self.session.waiting() < READ_AHEAD_FRAMES
    }

    /// Whether so much is read ahead that the end of the input is not found by reading.
    pub fn is_full(&self) -> bool {
        !self.has_ended && !self.may_read()
    }

    /// Whether the input has ended.
    pub fn has_ended(&self) -> bool {
        self.has_ended
    }

    /// Whether the host has closed its end.
    pub fn has_hung_up(&self) -> bool {
        self.has_hung_up
    }

    /// Feeds the session with what is there now.
    pub fn read(&mut self, input: &mut Input) -> Result<(), Error> {
        while self.may_read() && self.read_once(input)? == Read::Some {}
        Ok(())
    }

    /// Feeds the session with one read of what is there.
    pub fn read_once(&mut self, input: &mut Input) -> Result<Read, Error> {
        self.read_by(input, Input::try_read)
    }

    /// Feeds the session with one read, which waits until something comes, a signal at the least.
    pub fn read_waiting(&mut self, input: &mut Input) -> Result<Read, Error> {
        self.read_by(input, Input::read)
    }

    fn read_by(
        &mut self,
        input: &mut Input,
        read: fn(&mut Input, &mut [u8]) -> Result<Received, Error>,
    ) -> Result<Read, Error> {
        if self.has_ended {
            return Ok(Read::Nothing);
        }
        let space = match &mut self.mcp {
            None => self.session.read_space(),
            Some(mcp) => mcp.space(),
        };
        let room = space.len();
        Ok(match read(input, space)? {
            Received::Data(count) => {
                let now = Instant::now();
                match &mut self.mcp {
                    None => self.session.handle_read(count, now),
                    Some(mcp) => mcp.handle_read(count, now),
                }
                self.count(count, now);
                self.pass();
                // Less than there was room for: that was all.
                if count < room { Read::All } else { Read::Some }
            }
            Received::Eof => {
                self.end_input();
                Read::Some
            }
            Received::WouldBlock => Read::Nothing,
            Received::Interrupted => Read::Interrupted,
        })
    }

    /// Takes in what was read elsewhere.
    pub fn feed(&mut self, bytes: &[u8]) {
        let now = Instant::now();
        match &mut self.mcp {
            None => self.session.handle_input(bytes, now),
            Some(mcp) => mcp.handle_input(bytes, now),
        }
        self.count(bytes.len(), now);
        self.pass();
    }

    fn count(&mut self, count: usize, now: Instant) {
        self.read_ahead += count;
        self.total += count as u64;
        self.read_at = now;
    }

    /// The input has ended (`end.eof`). What an MCP client has asked for is answered first.
    pub fn end_input(&mut self) {
        if !std::mem::replace(&mut self.has_ended, true) {
            match &mut self.mcp {
                None => self.session.handle_eof(Instant::now()),
                Some(mcp) => mcp.handle_eof(Instant::now()),
            }
            self.pass();
        }
    }

    /// For who does not read, and so does not find the end: looks whether the host has closed its end.
    /// Whether that is news.
    pub fn look_for_hang_up(&mut self, input: &Input) -> Result<bool, Error> {
        if self.has_ended || self.has_hung_up || !input.has_hung_up()? {
            return Ok(false);
        }
        self.hang_up();
        Ok(true)
    }

    /// The host has closed its end: what is there to read is no more than its pipe holds.
    pub fn hang_up(&mut self) {
        if !std::mem::replace(&mut self.has_hung_up, true) && self.mcp.is_none() {
            self.session.handle_hang_up(Instant::now());
        }
    }
}
