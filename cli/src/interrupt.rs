//! Ctrl-C, SIGTERM, and the end of the terminal.

use std::io;

use crate::exit::Exit;

/// Listens from its making on: a signal that comes earlier than it is asked for is not lost.
#[cfg(unix)]
pub(crate) struct Interrupts {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
    hangup: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Interrupts {
    pub(crate) fn listen() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hangup: signal(SignalKind::hangup())?,
        })
    }

    /// The next one, as the exit it asks for. May be dropped and called again.
    pub(crate) async fn next(&mut self) -> Exit {
        tokio::select! {
            _ = self.interrupt.recv() => Exit::Interrupted,
            _ = self.terminate.recv() => Exit::Terminated,
            _ = self.hangup.recv() => Exit::Terminated,
        }
    }
}

#[cfg(windows)]
pub(crate) struct Interrupts {
    interrupt: tokio::signal::windows::CtrlC,
    terminate: tokio::signal::windows::CtrlBreak,
    hangup: tokio::signal::windows::CtrlClose,
}

#[cfg(windows)]
impl Interrupts {
    pub(crate) fn listen() -> io::Result<Self> {
        use tokio::signal::windows::{ctrl_break, ctrl_c, ctrl_close};
        Ok(Self { interrupt: ctrl_c()?, terminate: ctrl_break()?, hangup: ctrl_close()? })
    }

    /// The next one, as the exit it asks for. May be dropped and called again.
    pub(crate) async fn next(&mut self) -> Exit {
        tokio::select! {
            _ = self.interrupt.recv() => Exit::Interrupted,
            _ = self.terminate.recv() => Exit::Terminated,
            _ = self.hangup.recv() => Exit::Terminated,
        }
    }
}

impl Interrupts {
    /// One that has come already, while something was done that does not wait.
    pub(crate) async fn pending(&mut self) -> Option<Exit> {
        tokio::select! {
            biased;
            exit = self.next() => Some(exit),
            // The runtime looks for signals before it goes on.
            () = tokio::task::yield_now() => None,
        }
    }
}
