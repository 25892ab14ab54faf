//! Waiting for the host: to read, to write, or for a bell.

use std::time::Duration;

use extline_stdio::{Error, Input, Output};

use crate::signals::Signals;

/// What a wait ended with. All false means that time was up.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Ready {
    pub(crate) input: bool,
    /// SIGTERM or another thread: `Input::wait` says which.
    pub(crate) rung: bool,
    /// A signal came, whose handler is to be run.
    pub(crate) interrupted: bool,
}

impl Ready {
    /// Bytes ended it, and nothing else.
    pub(crate) fn is_input_alone(self) -> bool {
        self.input && !self.rung && !self.interrupted
    }
}

/// The descriptors to read, and of the bell.
#[cfg(unix)]
pub(crate) fn descriptors(input: &Input) -> (i32, i32) {
    use std::os::fd::{AsFd, AsRawFd};

    (input.as_fd().as_raw_fd(), input.doorbell().as_raw_fd())
}

/// Cannot be reached: claiming fails on such a platform.
#[cfg(not(unix))]
pub(crate) fn descriptors(_input: &Input) -> (i32, i32) {
    (-1, -1)
}

/// What there is for an event loop that may not take it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Unread {
    pub(crate) input: bool,
    /// The loop wants to be watched.
    pub(crate) rung: bool,
    /// The loop has ended.
    pub(crate) ended: bool,
}

/// The way out, for a thread that waits until there is room.
#[derive(Debug)]
pub(crate) struct Room {
    #[cfg(unix)]
    fd: std::os::fd::RawFd,
    #[cfg(unix)]
    input: std::os::fd::RawFd,
    /// Rings for SIGTERM and for other threads.
    #[cfg(unix)]
    bell: std::os::fd::RawFd,
}

#[cfg(unix)]
impl Room {
    /// Both are open as long as the session lives, and so longer than this.
    pub(crate) fn of(input: &Input, output: &Output) -> Self {
        use std::os::fd::{AsFd, AsRawFd};

        let (input, bell) = descriptors(input);
        Self { fd: output.as_fd().as_raw_fd(), input, bell }
    }

    /// Waits for what somebody else is to take: bytes, only if `reading`, the session's bell, only if
    /// `hearing`, and for the loop, which rings at `end`.
    pub(crate) fn wait_to_read(
        &self,
        (reading, hearing): (bool, bool),
        end: Option<&std::io::PipeReader>,
        timeout: Duration,
    ) -> Result<Unread, Error> {
        use std::os::fd::{AsFd, BorrowedFd};

        use rustix::event::{PollFd, PollFlags, Timespec, poll};
        use rustix::io::Errno;

        #[expect(unsafe_code, reason = "the input belongs to the session that is watched here")]
        // SAFETY: the session holds the input with its bell, which are open until it is dropped.
        let [input, bell] = unsafe { [self.input, self.bell].map(|fd| BorrowedFd::borrow_raw(fd)) };
        let timeout = Timespec::try_from(timeout).unwrap_or_default();
        let watched = [end.map(AsFd::as_fd), reading.then_some(input), hearing.then_some(bell)];
        // What is not waited for must not be in the list: poll reports a hang-up even when no event
        // was asked for.
        let mut fds: Vec<_> = watched
            .into_iter()
            .flatten()
            .map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN))
            .collect();
        match poll(&mut fds, Some(&timeout)) {
            Ok(_) | Err(Errno::INTR) => {
                let mut seen = fds.iter().map(PollFd::revents);
                let mut of = |is_watched: bool| is_watched.then(|| seen.next()).flatten();
                let [end, input] =
                    [of(end.is_some()), of(reading)].map(|seen| seen.unwrap_or(PollFlags::empty()));
                Ok(Unread {
                    ended: end.intersects(PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL),
                    rung: end.contains(PollFlags::IN),
                    input: !input.is_empty(),
                })
            }
            Err(error) => Err(Error::Io { doing: "wait for the host", source: error.into() }),
        }
    }

    /// For an event loop that watches it.
    pub(crate) fn descriptor(&self) -> i32 {
        self.fd
    }

    /// Waits; bytes are waited for only if `reading`, room only if `writing`.
    pub(crate) fn wait(
        &self,
        input: &Input,
        signals: Option<&Signals>,
        (reading, writing): (bool, bool),
        timeout: Option<Duration>,
    ) -> Result<Ready, Error> {
        use std::os::fd::{AsFd, BorrowedFd};

        use rustix::event::{PollFd, PollFlags, Timespec, poll};
        use rustix::io::Errno;

        #[expect(unsafe_code, reason = "the output belongs to the session that waits here")]
        // SAFETY: the session holds the output, which is open until it is dropped.
        let output = unsafe { BorrowedFd::borrow_raw(self.fd) };
        let bell = input.doorbell();
        let bytes = input.as_fd();
        // What is not waited for must not be in the list: poll reports a hang-up even when no event
        // was asked for.
        let mut fds = [
            PollFd::from_borrowed_fd(bell, PollFlags::IN),
            PollFd::from_borrowed_fd(bell, PollFlags::IN),
            PollFd::from_borrowed_fd(bell, PollFlags::IN),
            PollFd::from_borrowed_fd(bell, PollFlags::IN),
        ];
        let mut count = 1;
        if let Some(signals) = signals {
            fds[count] = PollFd::from_borrowed_fd(signals.fd(), PollFlags::IN);
            count += 1;
        }
        let input_at = count;
        if reading {
            fds[count] = PollFd::from_borrowed_fd(bytes, PollFlags::IN);
            count += 1;
        }
        if writing {
            fds[count] = PollFd::from_borrowed_fd(output, PollFlags::OUT);
            count += 1;
        }
        // A time too far away to be counted is no limit.
        let timeout = timeout.and_then(|timeout| Timespec::try_from(timeout).ok());
        match poll(&mut fds[..count], timeout.as_ref()) {
            Ok(_) => Ok(Ready {
                rung: !fds[0].revents().is_empty(),
                input: reading && !fds[input_at].revents().is_empty(),
                interrupted: signals.is_some() && !fds[1].revents().is_empty(),
            }),
            Err(Errno::INTR) => Ok(Ready { interrupted: true, ..Ready::default() }),
            Err(error) => Err(Error::Io { doing: "wait for the host", source: error.into() }),
        }
    }
}

#[cfg(not(unix))]
impl Room {
    /// Claiming fails on such a platform, so there is never an output.
    pub(crate) fn of(_input: &Input, _output: &Output) -> Self {
        Self {}
    }

    /// Cannot be reached, see [`Room::of`].
    pub(crate) fn wait_to_read(
        &self,
        _reading_and_hearing: (bool, bool),
        _end: Option<&std::io::PipeReader>,
        _timeout: Duration,
    ) -> Result<Unread, Error> {
        Err(Error::Unsupported)
    }

    /// Cannot be reached, see [`Room::of`].
    pub(crate) fn descriptor(&self) -> i32 {
        -1
    }

    /// Cannot be reached, see [`Room::of`].
    pub(crate) fn wait(
        &self,
        _input: &Input,
        _signals: Option<&Signals>,
        _reading_and_writing: (bool, bool),
        _timeout: Option<Duration>,
    ) -> Result<Ready, Error> {
        Err(Error::Unsupported)
    }
}
