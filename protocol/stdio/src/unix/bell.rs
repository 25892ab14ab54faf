//! A bell of a thread's own, which ends its wait for what comes to an input.

use std::io::{self, PipeReader, PipeWriter, Read, Write, pipe};

use super::arrivals::Arrivals;

/// What [`Arrivals::wait`] waits for beside the host, until it is [silenced](Bell::silence).
#[derive(Debug)]
pub struct Bell(pub(super) PipeReader);

/// Who rings a [`Bell`], from any thread.
#[derive(Debug)]
pub struct Ringer(PipeWriter);

impl Arrivals {
    /// A bell that ends the waits for these, and who rings it.
    ///
    /// # Errors
    ///
    /// The system has no pipe left.
    pub fn bell(&self) -> io::Result<(Bell, Ringer)> {
        let (rings, ring) = pipe()?;
        Ok((Bell(rings), Ringer(ring)))
    }
}

impl Bell {
    /// Takes the rings. False where nobody is there to ring any more. Only once a wait has reported it, as
    /// it waits for a ring.
    pub fn silence(&mut self) -> bool {
        self.0.read(&mut [0; 64]).is_ok_and(|count| count > 0)
    }
}

impl Ringer {
    /// Ends the current wait, or the next one.
    pub fn ring(&self) {
        // A full pipe rings already; where the thread has ended, nobody reads.
        let _ = (&self.0).write(&[0]);
    }
}
