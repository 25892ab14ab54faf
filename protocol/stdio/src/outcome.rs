//! What reading and waiting report.

use std::time::Duration;

/// How often a driver that has read enough ahead looks by `Input::has_hung_up`, where it cannot wait for
/// [`Ready::hung_up`]: 100 ms.
pub const HANG_UP_LOOK: Duration = Duration::from_millis(100);

/// What one `Input::read` brought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Received {
    /// This many bytes, at least 1, stand at the front of the buffer.
    Data(usize),
    /// The host closed its end; nothing will arrive any more.
    Eof,
    /// A signal handler ran. Nothing was read; check what the signal was for (a Python driver lets
    /// Python run its handlers) and read again.
    Interrupted,
    /// Nothing is there now. From `Input::read` only where somebody set `O_NONBLOCK` on the
    /// descriptor.
    WouldBlock,
}

/// What a wait ended with. Several may be true at once; all false means that time was up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ready {
    /// A read will not block: bytes are there, or end-of-file, or an error.
    pub input: bool,
    /// SIGTERM came since the last wait.
    pub sigterm: bool,
    /// SIGINT came since the last wait, where it is heard in front of the program's own handler.
    pub sigint: bool,
    /// A `Waker` was used since the last wait.
    pub woken: bool,
    /// A signal handler ran during the wait.
    pub interrupted: bool,
    /// The host has closed its end, and bytes may still be there to read. Only where bytes were not
    /// waited for, and once: with them the end is found by reading.
    pub hung_up: bool,
}

impl Ready {
    /// Nothing happened until the time was up.
    pub fn timed_out(self) -> bool {
        self == Self::default()
    }

    /// Bytes ended it, and nothing else.
    pub fn is_input_alone(self) -> bool {
        self == Self { input: true, ..Self::default() }
    }
}

/// What a wait ended with that takes nothing. Both false means that time was up, or a signal came.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Arrived {
    /// Something of the host's, a signal or a wake-up.
    pub host: bool,
    /// Something at the pipe that the thread waits at for itself, or its end.
    pub own: bool,
}

/// How a write that waits for the host goes on, said by the callback of
/// `Output::write_all_reading`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Wait for room and for more input.
    Read,
    /// Wait for room alone; enough input has been read ahead. SIGTERM, wake-ups and interrupting
    /// signals are still reported.
    OnlyWrite,
    /// Stop writing. The call fails with `Error::GivenUp`.
    GiveUp,
}
