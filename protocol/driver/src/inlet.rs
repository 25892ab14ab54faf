//! The way in of a thread that owns the session while handlers run in other threads.

use extline_stdio::handover::{Handover, Seat};
use extline_stdio::{Error, Input, Received};

use crate::Channel;

/// A read that waits has room for so much; what is more is read where it is decoded.
const CHUNK: usize = 16 * 1024;

/// What arrives, with room for a read that waits while nobody keeps the channel locked.
#[derive(Debug)]
pub struct Inlet {
    /// Bytes, their end, signals.
    pub input: Input,
    chunk: Box<[u8]>,
}

/// What a read that waited has brought. [`Channel::take_arrival`] takes it in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrival {
    /// So many bytes.
    Bytes(usize),
    /// The end of the input.
    End,
}

impl Inlet {
    /// Over an input.
    pub fn new(input: Input) -> Self {
        Self { input, chunk: vec![0; CHUNK].into() }
    }

    /// Waits in the read itself, which saves looking at the descriptors. `None` where that is not
    /// possible, or something else ended it, a signal or a wake-up: the look that follows finds it.
    pub fn wait_in_read(
        &mut self,
        handover: &Handover,
        seat: &Seat,
    ) -> Result<Option<Arrival>, Error> {
        let Self { input, chunk } = self;
        let Some(read) = handover.read(seat, || input.read(chunk)) else { return Ok(None) };
        Ok(match read? {
            Received::Data(count) => Some(Arrival::Bytes(count)),
            Received::Eof => Some(Arrival::End),
            Received::Interrupted => None,
            Received::WouldBlock => {
                handover.cannot_read(seat);
                None
            }
        })
    }
}

impl Channel {
    /// Feeds the session with what a read has brought, and what is there behind it.
    pub fn take_arrival(&mut self, inlet: &mut Inlet, arrival: Arrival) -> Result<(), Error> {
        let Arrival::Bytes(count) = arrival else {
            self.end_input();
            return Ok(());
        };
        self.feed(&inlet.chunk[..count]);
        // Less than there was room for: that was all.
        if count == inlet.chunk.len() { self.read(&mut inlet.input) } else { Ok(()) }
    }
}
