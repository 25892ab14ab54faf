//! How an [`Input`] waits, for all that can end a wait at once.

use std::os::fd::BorrowedFd;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, read};

use super::Input;
use crate::unix::cannot;
use crate::unix::output::Room;
use crate::unix::{in_front, sigterm};
use crate::{Error, Ready};

impl Input {
    /// Waits until something happens, or until `timeout` has passed (`None`: for ever). Zero asks
    /// and does not wait; an event loop does that when [`Input::doorbell`] is readable.
    ///
    /// SIGTERM and wake-ups are reported once. Input is reported until it is read; after
    /// end-of-file was read it is not reported any more, so that the waits of a shutdown do not
    /// spin.
    pub fn wait(&mut self, timeout: Option<Duration>) -> Result<Ready, Error> {
        self.wait_also(None, true, timeout).map(|(ready, _)| ready)
    }

    /// Waits as [`Input::wait`] does, and also until the host takes bytes; the second value says
    /// whether it does. Without `room` nobody has anything to write; bytes are waited for only if
    /// `reading`, else no more than their end ([`Ready::hung_up`]). For a session whose output another
    /// thread may hold.
    ///
    /// # Errors
    ///
    /// As [`Input::wait`].
    pub fn wait_for_room(
        &mut self,
        room: Option<&Room>,
        reading: bool,
        timeout: Option<Duration>,
    ) -> Result<(Ready, bool), Error> {
        self.wait_also(room.map(Room::fd), reading, timeout)
    }

    /// Whether the host has closed its end, for a session that has read enough ahead and so reads no
    /// more: what it has not read is then the last that comes, no more than a pipe or a socket holds.
    /// Nothing is read, and nothing is waited for. Not for a file, whose end is found by reading.
    ///
    /// # Errors
    ///
    /// [`Error::Forked`], [`Error::Io`].
    pub fn has_hung_up(&self) -> Result<bool, Error> {
        self.birth.check()?;
        let mut fds = [PollFd::new(&self.fd, HANG_UP)];
        match poll(&mut fds, Some(&Timespec::default())) {
            Ok(_) => Ok(is_hang_up(fds[0].revents())),
            Err(Errno::INTR) => Ok(false),
            Err(error) => Err(cannot("wait for the host")(error)),
        }
    }

    /// Waits as `wait` does, and also until `output` takes bytes; says so beside what else
    /// happened. Bytes are waited for only if `reading`, else no more than their end.
    pub(in crate::unix) fn wait_also(
        &mut self,
        output: Option<BorrowedFd<'_>>,
        reading: bool,
        timeout: Option<Duration>,
    ) -> Result<(Ready, bool), Error> {
        self.birth.check()?;
        // A time too far away to be counted is no limit.
        let deadline = timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        loop {
            let left = deadline.map(|at| at.saturating_duration_since(Instant::now()));
            let seen = self.poll_once(output, reading, left)?;
            self.hung_up |= seen.hung_up;
            if seen.interrupted {
                self.take_signals();
            }
            let mut ready = Ready {
                input: seen.input,
                interrupted: seen.interrupted,
                hung_up: seen.hung_up,
                ..Ready::default()
            };
            if seen.rung {
                self.doorbell.silence()?;
                ready.sigterm = self.sigterm.is_some() && sigterm::has_arrived();
                ready.sigint = self.sigterm.is_some() && in_front::sigint_has_arrived();
                ready.woken = self.doorbell.was_pressed();
            }
            let late = || deadline.is_some_and(|at| Instant::now() >= at);
            // A ring may say nothing new; then the wait goes on.
            if seen.writable || !ready.timed_out() || late() {
                return Ok((ready, seen.writable));
            }
        }
    }

    fn poll_once(
        &self,
        output: Option<BorrowedFd<'_>>,
        reading: bool,
        timeout: Option<Duration>,
    ) -> Result<Seen, Error> {
        // What is not waited for must not be in the list: poll reports a hang-up even when no
        // event was asked for.
        let doorbell = PollFd::new(&self.doorbell, PollFlags::IN);
        let mut fds = [doorbell.clone(), doorbell.clone(), doorbell.clone(), doorbell];
        let mut count = 1;
        let mut add = |fd| {
            fds[count] = fd;
            count += 1;
            count - 1
        };
        let input_at = if reading {
            (!self.ended).then(|| add(PollFd::new(&self.fd, PollFlags::IN)))
        } else {
            (!self.ended && !self.hung_up).then(|| add(PollFd::new(&self.fd, HANG_UP)))
        };
        let output_at = output.map(|fd| add(PollFd::from_borrowed_fd(fd, PollFlags::OUT)));
        let signals_at = self.signals.as_ref().map(|pipe| add(PollFd::new(pipe, PollFlags::IN)));

        let timeout = timeout.and_then(|timeout| Timespec::try_from(timeout).ok());
        let interrupted = match poll(&mut fds[..count], timeout.as_ref()) {
            Ok(_) => false,
            Err(Errno::INTR) => true,
            Err(error) => return Err(cannot("wait for the host")(error)),
        };
        // An error or a hang-up counts: the read or write that follows reports it.
        let any = |at: usize| !fds[at].revents().is_empty();
        Ok(Seen {
            rung: any(0),
            input: reading && input_at.is_some_and(any),
            hung_up: !reading && input_at.is_some_and(|at| is_hang_up(fds[at].revents())),
            writable: output_at.is_some_and(any),
            interrupted: interrupted || signals_at.is_some_and(any),
        })
    }

    fn take_signals(&self) {
        let mut bytes = [0; 64];
        while self.signals.as_ref().is_some_and(|signals| read(signals, &mut bytes) == Ok(64)) {}
    }
}

/// What says that the host has closed its end, also while bytes are there. A pipe's is told unasked on
/// Linux and where it is asked for on macOS; a socket's has a name of its own on Linux.
#[cfg(target_os = "linux")]
const HANG_UP: PollFlags = PollFlags::HUP.union(PollFlags::RDHUP);
#[cfg(not(target_os = "linux"))]
const HANG_UP: PollFlags = PollFlags::HUP;

fn is_hang_up(seen: PollFlags) -> bool {
    seen.intersects(HANG_UP.union(PollFlags::ERR))
}

/// What one `poll` reported.
struct Seen {
    rung: bool,
    input: bool,
    hung_up: bool,
    writable: bool,
    interrupted: bool,
}
