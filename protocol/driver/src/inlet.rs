//! The way in of a thread that owns the session while handlers run in other threads.

use std::time::Instant;

use extline_stdio::handover::{Handover, Seat};
use extline_stdio::{Error, Input, Ready, Received, Room};

use crate::{Channel, Wants};

/// A read that waits has room for so much; what is more is read where it is decoded.
const CHUNK: usize = 16 * 1024;

/// What arrives, with room for a read that waits while nobody keeps the channel locked.
#[derive(Debug)]
pub struct Inlet {
    /// Bytes, their end, signals.
    pub input: Input,
    chunk: Box<[u8]>,
}

/// What ended a wait. [`Channel::take_came`] takes it in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Came {
    /// So many bytes, in the room of a read that waited.
    Bytes(usize),
    /// The end of the input.
    End,
    /// Anything, nothing of which was read.
    Ready(Ready),
}

impl Came {
    /// Whether a signal came.
    pub fn is_interrupted(self) -> bool {
        matches!(self, Self::Ready(ready) if ready.interrupted)
    }
}

impl Inlet {
    /// Over an input.
    pub fn new(input: Input) -> Self {
        Self { input, chunk: vec![0; CHUNK].into() }
    }

    /// Waits, as the owner, for what the session wants, and for signals and wake-ups.
    ///
    /// # Errors
    ///
    /// The descriptors cannot be used any more.
    pub fn wait(
        &mut self,
        (handover, seat): (&Handover, &Seat),
        wants: Wants,
        room: &Room,
    ) -> Result<Came, Error> {
        if wants.is_input_alone()
            && let Some(came) = self.wait_in_read(handover, seat)?
        {
            return Ok(came);
        }
        let timeout = wants.due.map(|due| due.saturating_duration_since(Instant::now()));
        let room = wants.room.then_some(room);
        let ready = handover.poll(seat, || {
            let waited =
                self.input.wait_for_room(room, wants.input, timeout).map(|(ready, _)| ready);
            let for_bytes = waited.as_ref().is_ok_and(|ready| ready.is_input_alone());
            (waited, for_bytes)
        });
        ready.map(Came::Ready)
    }

    /// Waits in the read itself, which saves looking at the descriptors. `None` where that is not
    /// possible, or something else ended it, a signal or a wake-up: the look that follows finds it.
    fn wait_in_read(&mut self, handover: &Handover, seat: &Seat) -> Result<Option<Came>, Error> {
        let Self { input, chunk } = self;
        let Some(read) = handover.read(seat, || input.read(chunk)) else { return Ok(None) };
        Ok(match read? {
            Received::Data(count) => Some(Came::Bytes(count)),
            Received::Eof => Some(Came::End),
            Received::Interrupted => None,
            Received::WouldBlock => {
                handover.cannot_read(seat);
                None
            }
        })
    }
}

impl Channel {
    /// Takes in what a wait ended with: feeds the session with what a read has brought and what is there
    /// behind it.
    ///
    /// # Errors
    ///
    /// The descriptors cannot be used any more.
    pub fn take_came(&mut self, inlet: &mut Inlet, came: Came) -> Result<(), Error> {
        match came {
            Came::End => self.end_input(),
            Came::Bytes(count) => {
                self.feed(&inlet.chunk[..count]);
                // Less than there was room for: that was all.
                if count == inlet.chunk.len() {
                    self.read(&mut inlet.input)?;
                }
            }
            Came::Ready(ready) => self.take_in(&mut inlet.input, (ready.sigterm, ready.input))?,
        }
        Ok(())
    }
}
