//! Whether something has come that another thread is to take.

use std::os::fd::{AsFd, AsRawFd, BorrowedFd, RawFd};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use super::bell::Bell;
use super::cannot;
use super::input::Input;
use crate::{Arrived, Error};

/// What comes to an [`Input`], for a thread that waits for it and takes nothing. The input should live
/// on meanwhile; a wait for one that is gone may end at any time.
#[derive(Clone, Copy, Debug)]
pub struct Arrivals {
    bytes: RawFd,
    doorbell: RawFd,
}

impl Arrivals {
    pub(super) fn of(input: &Input) -> Self {
        let [bytes, doorbell] = [input.as_fd(), input.doorbell()].map(|fd| fd.as_raw_fd());
        Self { bytes, doorbell }
    }

    /// Waits until something comes, or until `timeout` has passed (`None`: for ever): bytes or their
    /// end, where `bytes` is true; a signal or a wake-up, where `rings` is; the thread's `own`
    /// bell. A signal ends it too, with nothing.
    ///
    /// # Errors
    ///
    /// [`Error::Io`].
    pub fn wait(
        &self,
        (bytes, rings): (bool, bool),
        own: Option<&Bell>,
        timeout: Option<Duration>,
    ) -> Result<Arrived, Error> {
        let own = own.map(|bell| bell.0.as_fd());
        let [came, rang] = [self.bytes, self.doorbell].map(polled);
        // What is not waited for must not be in the list: poll reports a hang-up even when no event
        // was asked for.
        let watched = [own, bytes.then_some(came), rings.then_some(rang)];
        let watched = watched.into_iter().flatten();
        let mut fds: Vec<_> =
            watched.map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN)).collect();
        // A time too far away to be counted is no limit.
        let timeout = timeout.and_then(|timeout| Timespec::try_from(timeout).ok());
        match poll(&mut fds, timeout.as_ref()) {
            Ok(_) | Err(Errno::INTR) => {
                let mut any = fds.iter().map(|fd| !fd.revents().is_empty());
                let mut of = |is_watched| is_watched && any.next().unwrap_or_default();
                let own = of(own.is_some());
                Ok(Arrived { own, host: of(bytes) | of(rings) })
            }
            Err(error) => Err(cannot("wait for the host")(error)),
        }
    }
}

fn polled<'a>(fd: RawFd) -> BorrowedFd<'a> {
    #[expect(unsafe_code, reason = "another thread has the input meanwhile")]
    // SAFETY: only polled, by a thread whose session has the input; at worst the wait ends early.
    unsafe {
        BorrowedFd::borrow_raw(fd)
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Write, pipe};

    use super::*;
    use crate::Stdio;

    #[test]
    fn a_wait_ends_for_what_is_waited_for_and_takes_nothing() {
        let ((from_host, mut host), (_reads, to_host)) = (pipe().unwrap(), pipe().unwrap());
        let input = Stdio::from_fds(from_host.into(), to_host.into()).unwrap().input;
        let arrivals = input.arrivals();
        let (mut own, ringer) = arrivals.bell().unwrap();
        let now = Some(Duration::ZERO);
        let wait = |bell: &Bell, ways| arrivals.wait(ways, Some(bell), now).unwrap();
        assert_eq!(wait(&own, (true, true)), Arrived::default());

        host.write_all(b"frame").unwrap();
        let of_host = Arrived { host: true, own: false };
        assert_eq!([wait(&own, (true, true)), wait(&own, (true, false))], [of_host; 2]);
        assert_eq!(wait(&own, (false, true)), Arrived::default(), "nobody waits for bytes");

        input.waker().wake();
        for _ in 0..2 {
            assert_eq!(wait(&own, (false, true)), of_host, "it is not silenced");
        }

        ringer.ring();
        assert_eq!(wait(&own, (false, true)), Arrived { host: true, own: true });
        let rung = Arrived { host: false, own: true };
        assert_eq!(wait(&own, (false, false)), rung, "it rings on");
        assert!(own.silence());
        assert_eq!(wait(&own, (false, false)), Arrived::default());
        drop(ringer);
        assert_eq!(wait(&own, (false, false)), rung);
        assert!(!own.silence(), "nobody is there to ring");
    }
}
