//! The ends of the pipes of a process under test, and its signals, on Windows.
//!
//! What has come is looked at and then read, so that no read waits. A write waits for its reader, and so the
//! system is left to it.

mod writer;

use std::fs::File;
use std::io::{self, Read};
use std::os::windows::io::{AsRawHandle, OwnedHandle};
use std::process::Child;
use std::ptr;
use std::thread;
use std::time::{Duration, Instant};

use extline_host::{Supervised, Supervisor};
use windows_sys::Win32::System::Pipes::PeekNamedPipe;

pub(super) use self::writer::ToStdin;
use super::{LACKING, Signal};

/// How often a wait looks whether anything came.
const LOOK_EVERY: Duration = Duration::from_millis(1);

/// What comes from its stdout or its stderr.
#[derive(Debug)]
pub(super) struct Outflow(File);

impl Outflow {
    #[expect(clippy::unnecessary_wraps, reason = "on Unix it may fail")]
    pub(super) fn new(pipe: impl Into<OwnedHandle>) -> io::Result<Self> {
        Ok(Self(File::from(pipe.into())))
    }

    /// Not after it was made.
    #[expect(clippy::unused_self, reason = "on Linux it is the pipe that is set")]
    pub(super) fn set_size(&self, _bytes: usize) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Reads what the pipe holds now.
    pub(super) fn read(&self, space: &mut [u8]) -> io::Result<usize> {
        match self.look() {
            Ok(0) => Err(io::ErrorKind::WouldBlock.into()),
            Ok(waiting) => {
                let most = space.len().min(waiting);
                (&self.0).read(&mut space[..most])
            }
            // The other end is closed, which a read says as its end.
            Err(_) => Ok(0),
        }
    }

    /// How many bytes lie in the pipe.
    pub(super) fn waiting(&self) -> usize {
        self.look().unwrap_or_default()
    }

    /// Whether nothing but its end would be read.
    pub(super) fn has_ended(&self) -> bool {
        self.look().is_err()
    }

    fn look(&self) -> io::Result<usize> {
        let mut waiting = 0;
        #[expect(unsafe_code, reason = "std does not look into a pipe")]
        // SAFETY: the handle is open as long as the file lives, the number is the caller's, and the other
        // pointers may be null.
        let is_open = unsafe {
            PeekNamedPipe(
                self.0.as_raw_handle(),
                ptr::null_mut(),
                0,
                ptr::null_mut(),
                &raw mut waiting,
                ptr::null_mut(),
            )
        };
        if is_open == 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(usize::try_from(waiting).unwrap_or(usize::MAX))
    }
}

/// Waits until one of them has something to read, or takes something; which.
pub(super) fn wait(
    (errors, output): (Option<&Outflow>, Option<&Outflow>),
    input: Option<&ToStdin>,
    longest: Duration,
) -> [bool; 3] {
    let until = Instant::now() + longest;
    let comes = |pipe: Option<&Outflow>| pipe.is_some_and(|pipe| !matches!(pipe.look(), Ok(0)));
    loop {
        let happened = [comes(errors), comes(output), input.is_some_and(ToStdin::has_room)];
        let left = until.saturating_duration_since(Instant::now());
        if happened.contains(&true) || left.is_zero() {
            return happened;
        }
        thread::sleep(left.min(LOOK_EVERY));
    }
}

/// Ends the process, or all that it started too. What is SIGTERM or SIGINT elsewhere is Ctrl-Break.
pub(super) fn send(signal: Signal, whole_group: bool, of: &Supervised, child: &mut Child) {
    match signal {
        Signal::Term | Signal::Int => of.terminate(),
        Signal::Kill if whole_group => of.kill(),
        // It may have ended this very moment; then there is nothing to do.
        Signal::Kill => drop(child.kill()),
        Signal::Stop | Signal::Cont => {}
    }
}

/// Why a signal cannot be sent here, if it cannot.
pub(crate) fn no_signal(signal: Signal) -> Option<String> {
    match signal {
        Signal::Kill => None,
        Signal::Term | Signal::Int if Supervisor::can_ask() => None,
        other => Some(format!("{LACKING} {}", other.name())),
    }
}

/// Why a pipe cannot hold so many bytes here, if it cannot.
pub(crate) fn no_pipe_of(bytes: usize) -> Option<String> {
    Some(format!("{LACKING} pipe of {bytes} bytes: std makes it of a size of its own"))
}
