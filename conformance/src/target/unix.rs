//! The ends of the pipes of a process under test, and its signals, on Unix.

use std::io;
use std::os::fd::OwnedFd;
use std::process::Child;
use std::time::Duration;

use extline_host::Supervised;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::process::{Pid, Signal as SystemSignal, kill_process, kill_process_group};

use super::{LACKING, Signal};

/// The way to its stdin.
#[derive(Debug)]
pub(super) struct ToStdin(OwnedFd);

/// What comes from its stdout or its stderr.
#[derive(Debug)]
pub(super) struct Outflow(OwnedFd);

impl ToStdin {
    pub(super) fn new(stdin: impl Into<OwnedFd>) -> io::Result<Self> {
        unblocked(stdin.into()).map(Self)
    }

    /// Makes the pipe hold so many bytes.
    pub(super) fn set_size(&self, bytes: usize) -> io::Result<()> {
        set_pipe_bytes(&self.0, bytes)
    }

    /// Writes what the pipe takes now.
    pub(super) fn write(&self, bytes: &[u8]) -> io::Result<usize> {
        Ok(rustix::io::write(&self.0, bytes)?)
    }

    /// Never: a write is over when it returns.
    #[expect(clippy::unused_self, reason = "on Windows the system goes on writing by itself")]
    pub(super) fn has_written(&self) -> bool {
        false
    }

    /// How many bytes it has not read; `None` where the system does not tell.
    pub(super) fn unread(&self) -> Option<u64> {
        rustix::io::ioctl_fionread(&self.0).ok()
    }
}

impl Outflow {
    pub(super) fn new(pipe: impl Into<OwnedFd>) -> io::Result<Self> {
        unblocked(pipe.into()).map(Self)
    }

    /// Makes the pipe hold so many bytes.
    pub(super) fn set_size(&self, bytes: usize) -> io::Result<()> {
        set_pipe_bytes(&self.0, bytes)
    }

    /// Reads what the pipe holds now.
    pub(super) fn read(&self, space: &mut [u8]) -> io::Result<usize> {
        Ok(rustix::io::read(&self.0, space)?)
    }

    /// How many bytes lie in the pipe.
    pub(super) fn waiting(&self) -> usize {
        let count = rustix::io::ioctl_fionread(&self.0).ok();
        count.and_then(|count| usize::try_from(count).ok()).unwrap_or_default()
    }

    /// Whether nothing but its end would be read.
    pub(super) fn has_ended(&self) -> bool {
        self.has_input() && self.waiting() == 0
    }

    /// Whether a read would give something, if only the end.
    fn has_input(&self) -> bool {
        let mut fds = [PollFd::new(&self.0, PollFlags::IN)];
        let now = Timespec { tv_sec: 0, tv_nsec: 0 };
        matches!(poll(&mut fds, Some(&now)), Ok(count) if count > 0)
    }
}

/// Waits until one of them has something to read, or takes something; which.
pub(super) fn wait(
    (errors, output): (Option<&Outflow>, Option<&Outflow>),
    input: Option<&ToStdin>,
    longest: Duration,
) -> [bool; 3] {
    let wanted = [
        (errors.map(|pipe| &pipe.0), PollFlags::IN),
        (output.map(|pipe| &pipe.0), PollFlags::IN),
        (input.map(|pipe| &pipe.0), PollFlags::OUT),
    ];
    let mut fds: Vec<_> = wanted
        .iter()
        .filter_map(|(descriptor, flags)| Some(PollFd::new(*descriptor.as_ref()?, *flags)))
        .collect();
    let timeout = Timespec::try_from(longest).ok();
    let _ = poll(&mut fds, timeout.as_ref());
    let mut happened = fds.iter().map(|fd| !fd.revents().is_empty());
    wanted.map(|(descriptor, _)| descriptor.is_some() && happened.next().unwrap_or_default())
}

/// Sends a signal to the process, or to its whole group.
pub(super) fn send(signal: Signal, whole_group: bool, of: &Supervised, _child: &mut Child) {
    let number = match signal {
        Signal::Term => SystemSignal::TERM,
        Signal::Int => SystemSignal::INT,
        Signal::Kill => SystemSignal::KILL,
        Signal::Stop => SystemSignal::STOP,
        Signal::Cont => SystemSignal::CONT,
    };
    let Some(leader) = i32::try_from(of.id()).ok().and_then(Pid::from_raw) else { return };
    // It may have ended this very moment; then there is nothing to do.
    let _ =
        if whole_group { kill_process_group(leader, number) } else { kill_process(leader, number) };
}

/// Why a signal cannot be sent here, if it cannot.
pub(crate) fn no_signal(_: Signal) -> Option<String> {
    None
}

/// Why a pipe cannot hold so many bytes here, if it cannot.
pub(crate) fn no_pipe_of(bytes: usize) -> Option<String> {
    let tried = rustix::pipe::pipe().map_err(io::Error::from);
    let tried = tried.and_then(|(reader, _writer)| set_pipe_bytes(&reader, bytes));
    tried.err().map(|error| format!("{LACKING} pipe of {bytes} bytes: {error}"))
}

fn unblocked(descriptor: OwnedFd) -> io::Result<OwnedFd> {
    // Ours alone: the child has the other end of each pipe, with flags of its own.
    fcntl_setfl(&descriptor, fcntl_getfl(&descriptor)? | OFlags::NONBLOCK)?;
    Ok(descriptor)
}

fn set_pipe_bytes(descriptor: &OwnedFd, bytes: usize) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    {
        rustix::pipe::fcntl_setpipe_size(descriptor, bytes)?;
        Ok(())
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = (descriptor, bytes);
        Err(io::ErrorKind::Unsupported.into())
    }
}
