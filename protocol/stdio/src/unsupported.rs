//! The same interface on a platform without an implementation: claiming fails, so no value of these
//! types ever exists and their methods cannot be reached.

use std::convert::Infallible;
use std::io::{self, IsTerminal, PipeReader};
use std::time::Duration;

use crate::{Arrived, Error, Next, Ready, Received};

/// What arrives from the host.
#[derive(Debug)]
pub struct Input(Infallible);

/// The way to the host.
#[derive(Debug)]
pub struct Output(Infallible);

/// The host's end of an [`Output`].
#[derive(Clone, Copy, Debug)]
pub struct Room(Infallible);

/// What comes to an [`Input`], for a thread that takes nothing.
#[derive(Clone, Copy, Debug)]
pub struct Arrivals(Infallible);

/// What [`Arrivals::wait`] waits for beside the host.
#[derive(Debug)]
pub struct Bell(Infallible);

/// Who rings a [`Bell`].
#[derive(Debug)]
pub struct Ringer(Infallible);

/// Wakes the thread that waits on an [`Input`].
#[derive(Clone, Debug)]
pub struct Waker(Infallible);

/// An extension's two descriptors.
#[derive(Debug)]
pub struct Stdio {
    /// What arrives from the host.
    pub input: Input,
    /// The way to the host.
    pub output: Output,
}

/// Whether a person started this program in a terminal, rather than a host.
pub fn is_by_hand() -> bool {
    #[expect(clippy::disallowed_methods, reason = "only asked what it is")]
    let stdout = io::stdout();
    io::stdin().is_terminal() || stdout.is_terminal()
}

/// Nobody forks here.
pub fn is_forked() -> bool {
    false
}

pub(crate) fn both_are_pipes() -> bool {
    false
}

impl Stdio {
    /// Always [`Error::Unsupported`] here.
    pub fn claim() -> Result<Self, Error> {
        Err(Error::Unsupported)
    }

    /// Cannot be reached here.
    pub fn release(self) -> Result<(), Error> {
        match self.input.0 {}
    }
}

impl Input {
    /// Cannot be reached here.
    pub fn read(&mut self, _buffer: &mut [u8]) -> Result<Received, Error> {
        match self.0 {}
    }

    /// Cannot be reached here.
    pub fn try_read(&mut self, _buffer: &mut [u8]) -> Result<Received, Error> {
        match self.0 {}
    }

    /// Cannot be reached here.
    pub fn wait(&mut self, _timeout: Option<Duration>) -> Result<Ready, Error> {
        match self.0 {}
    }

    /// Cannot be reached here.
    pub fn wait_for_room(
        &mut self,
        _room: Option<&Room>,
        _reading: bool,
        _timeout: Option<Duration>,
    ) -> Result<(Ready, bool), Error> {
        match self.0 {}
    }

    /// Cannot be reached here.
    pub fn has_hung_up(&self) -> Result<bool, Error> {
        match self.0 {}
    }

    /// Cannot be reached here.
    pub fn signal_waits(&self) -> bool {
        match self.0 {}
    }

    /// Cannot be reached here.
    pub fn waker(&self) -> Waker {
        match self.0 {}
    }

    /// Cannot be reached here.
    pub fn arrivals(&self) -> Arrivals {
        match self.0 {}
    }

    /// Cannot be reached here.
    pub fn hear_signals(&mut self, _bytes: PipeReader) -> Result<(), Error> {
        match self.0 {}
    }

    /// Cannot be reached here.
    pub fn listen_in_front(&mut self) -> Result<(), Error> {
        match self.0 {}
    }

    /// Cannot be reached here.
    pub fn listen_for_sigterm(&mut self) -> Result<(), Error> {
        match self.0 {}
    }
}

impl Arrivals {
    /// Cannot be reached here.
    pub fn bell(&self) -> io::Result<(Bell, Ringer)> {
        match self.0 {}
    }

    /// Cannot be reached here.
    pub fn wait(
        &self,
        _bytes_and_rings: (bool, bool),
        _own: Option<&Bell>,
        _timeout: Option<Duration>,
    ) -> Result<Arrived, Error> {
        match self.0 {}
    }
}

impl Bell {
    /// Cannot be reached here.
    pub fn silence(&mut self) -> bool {
        match self.0 {}
    }
}

impl Ringer {
    /// Cannot be reached here.
    pub fn ring(&self) {
        match self.0 {}
    }
}

impl Output {
    /// Cannot be reached here.
    pub fn room(&self) -> Room {
        match self.0 {}
    }

    /// Cannot be reached here.
    pub fn try_write(&mut self, _bytes: &[u8]) -> Result<usize, Error> {
        match self.0 {}
    }

    /// Cannot be reached here.
    pub fn write_all(&mut self, _bytes: &[u8]) -> Result<(), Error> {
        match self.0 {}
    }

    /// Cannot be reached here.
    pub fn write_all_reading(
        &mut self,
        _bytes: &[u8],
        _input: &mut Input,
        _on_ready: impl FnMut(&mut Input, Ready) -> Next,
    ) -> Result<(), Error> {
        match self.0 {}
    }
}

impl Waker {
    /// Cannot be reached here.
    pub fn wake(&self) {
        match self.0 {}
    }

    /// Cannot be reached here.
    pub(crate) fn is_pressed(&self) -> bool {
        match self.0 {}
    }
}
