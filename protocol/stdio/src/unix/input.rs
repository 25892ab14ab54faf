//! What arrives: bytes, their end, SIGTERM, wake-ups.

mod wait;

use std::io::PipeReader;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{FileType, fstat};
use rustix::io::{Errno, ioctl_fionbio, read};
use rustix::net::{RecvFlags, recv};

use super::arrivals::Arrivals;
use super::cannot;
use super::doorbell::{Doorbell, Waker};
use super::fork::{self, Birth};
use super::in_front;
use super::sigterm::{self, Listener};
use crate::{Error, Received};

/// What arrives from the host, and everything else that can end a wait.
///
/// One thread owns it at a time (it can move between threads). `AsFd` gives the private copy of
/// stdin for an event loop.
#[derive(Debug)]
pub struct Input {
    fd: OwnedFd,
    way: Way,
    doorbell: Doorbell,
    sigterm: Option<Listener>,
    /// A byte comes here for each signal whose handler the program runs itself.
    signals: Option<PipeReader>,
    /// End-of-file was seen. `poll` would report it for ever, so the descriptor is left out then.
    ended: bool,
    /// It was said that the host has closed its end.
    hung_up: bool,
    claimed: bool,
    birth: Birth,
}

/// How to read without blocking, and without `O_NONBLOCK` on a description that others share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// A pipe, one system call that says itself that it will not wait.
    #[cfg(target_os = "linux")]
    PipeNoWait,
    /// A socket, one system call that says itself that it will not wait.
    Socket,
    /// Anything else: read when `poll` says that something is there.
    Polled,
}

impl Input {
    pub(super) fn new(fd: OwnedFd, claimed: bool) -> Result<Self, Error> {
        let stat = fstat(&fd).map_err(cannot("ask what stdin is"))?;
        let way = match FileType::from_raw_mode(stat.st_mode) {
            #[cfg(target_os = "linux")]
            FileType::Fifo => Way::PipeNoWait,
            FileType::Socket => Way::Socket,
            _ => Way::Polled,
        };
        let doorbell = Doorbell::new()?;
        Ok(Self {
            fd,
            way,
            doorbell,
            sigterm: None,
            signals: None,
            ended: false,
            hung_up: false,
            claimed,
            birth: Birth::now(),
        })
    }

    /// Reads what is there into `buffer`, one `read(2)`; blocks while nothing is (unless somebody
    /// set `O_NONBLOCK`). 64 KiB is a good size; an empty buffer is [`Received::WouldBlock`].
    ///
    /// A blocked read ends for a signal whose handler asked for that (as Python's do) and for an
    /// [`Interrupter`](crate::Interrupter), not for SIGTERM and not for a [`Waker`]: a driver that
    /// cares calls [`Input::wait`] first.
    ///
    /// # Errors
    ///
    /// [`Error::Forked`], [`Error::Io`]. A peer that closed its socket without reading everything
    /// (`ECONNRESET`) is an end-of-file like any other.
    pub fn read(&mut self, buffer: &mut [u8]) -> Result<Received, Error> {
        self.birth.check()?;
        if buffer.is_empty() {
            return Ok(Received::WouldBlock);
        }
        let outcome = read(&self.fd, buffer);
        self.received(outcome)
    }

    /// Reads what is there into `buffer` and never waits: [`Received::WouldBlock`] when nothing is.
    /// The usual read is one system call. For event loops.
    ///
    /// # Errors
    ///
    /// As [`Input::read`].
    pub fn try_read(&mut self, buffer: &mut [u8]) -> Result<Received, Error> {
        self.birth.check()?;
        if buffer.is_empty() {
            return Ok(Received::WouldBlock);
        }
        let outcome = self.read_now(buffer);
        self.received(outcome)
    }

    fn read_now(&mut self, buffer: &mut [u8]) -> Result<usize, Errno> {
        match self.way {
            #[cfg(target_os = "linux")]
            Way::PipeNoWait => match read_nowait(&self.fd, buffer) {
                // A kernel before 6.4, a named pipe, a sandbox.
                Err(Errno::OPNOTSUPP | Errno::NOSYS | Errno::INVAL | Errno::PERM) => {
                    self.way = Way::Polled;
                    self.read_now(buffer)
                }
                outcome => outcome,
            },
            Way::Socket => recv(&self.fd, buffer, RecvFlags::DONTWAIT).map(|(count, _)| count),
            Way::Polled => {
                let mut fds = [PollFd::new(&self.fd, PollFlags::IN)];
                match poll(&mut fds, Some(&Timespec::default()))? {
                    0 => Err(Errno::AGAIN),
                    _ => read(&self.fd, buffer),
                }
            }
        }
    }

    fn received(&mut self, outcome: Result<usize, Errno>) -> Result<Received, Error> {
        match outcome {
            Ok(0) | Err(Errno::CONNRESET) => {
                self.ended = true;
                Ok(Received::Eof)
            }
            Ok(count) => Ok(Received::Data(count)),
            Err(Errno::INTR) => Ok(Received::Interrupted),
            Err(Errno::AGAIN) => Ok(Received::WouldBlock),
            Err(error) => Err(cannot("read from the host")(error)),
        }
    }

    /// Whether a signal has come that no wait has reported yet: for a thread that stands in for the one
    /// that would.
    pub fn signal_waits(&self) -> bool {
        self.sigterm.is_some() && (sigterm::waits() || in_front::sigint_waits())
    }

    /// What another thread can wait for that takes nothing.
    pub fn arrivals(&self) -> Arrivals {
        Arrivals::of(self)
    }

    /// Ends each wait as [`Ready::interrupted`](crate::Ready) when a byte comes at `bytes`, from now on, and takes it.
    /// For a program whose signal handlers run in one thread, as Python's do, while another may wait.
    /// Calling it again replaces the pipe.
    ///
    /// # Errors
    ///
    /// [`Error::Io`].
    pub fn hear_signals(&mut self, bytes: PipeReader) -> Result<(), Error> {
        ioctl_fionbio(&bytes, true).map_err(cannot("listen for signals"))?;
        self.signals = Some(bytes);
        Ok(())
    }

    /// A handle with which any thread can end the wait.
    pub fn waker(&self) -> Waker {
        self.doorbell.waker()
    }

    /// Readable when SIGTERM or a wake-up may have come, for event loops. [`Input::wait`] with a
    /// zero timeout says which, and makes it unreadable again.
    pub fn doorbell(&self) -> BorrowedFd<'_> {
        self.doorbell.as_fd()
    }

    /// Reports SIGTERM as [`Ready::sigterm`](crate::Ready) from now on, until this value is dropped; then SIGTERM
    /// does again what it did before. Handlers that the program installed earlier still run; one
    /// that it installs later takes this one's place. Calling it again changes nothing.
    ///
    /// # Errors
    ///
    /// [`Error::AlreadyListening`] when another session of this process listens,
    /// [`Error::Forked`], [`Error::Io`].
    pub fn listen_for_sigterm(&mut self) -> Result<(), Error> {
        self.birth.check()?;
        if self.sigterm.is_none() {
            self.sigterm = Some(Listener::new(self.doorbell.another_ring()?)?);
        }
        Ok(())
    }

    /// Hears SIGTERM, and SIGINT as [`Ready::sigint`](crate::Ready), in front of handlers that the program has
    /// installed since the session listens: theirs are called behind it. For a program whose handlers
    /// run only when its event loop does, as Node's, so that somebody hears the signal while the loop is
    /// kept. A SIGINT that no handler of the program's waits for is left alone. Call it whenever the
    /// program has installed a handler; again it changes nothing.
    ///
    /// # Errors
    ///
    /// [`Error::Forked`], [`Error::Io`].
    pub fn listen_in_front(&mut self) -> Result<(), Error> {
        self.birth.check()?;
        match &self.sigterm {
            Some(_) => sigterm::listen_in_front(self.doorbell.another_ring()?),
            None => Ok(()),
        }
    }

    pub(super) fn birth(&self) -> Birth {
        self.birth
    }

    pub(super) fn is_claimed(&self) -> bool {
        self.claimed
    }
}

#[cfg(target_os = "linux")]
fn read_nowait(fd: &OwnedFd, buffer: &mut [u8]) -> Result<usize, Errno> {
    use rustix::io::{ReadWriteFlags, preadv2};
    use std::io::IoSliceMut;

    /// A pipe has no position to read at.
    const HERE: u64 = u64::MAX;
    preadv2(fd, &mut [IoSliceMut::new(buffer)], HERE, ReadWriteFlags::NOWAIT)
}

impl AsFd for Input {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

impl Drop for Input {
    fn drop(&mut self) {
        if self.claimed {
            fork::forget_input();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write, pipe};
    use std::os::unix::net::UnixStream;
    use std::thread;
    use std::time::Duration;

    use super::*;
    use crate::{Ready, Stdio};

    /// A session whose host is this test: the end that feeds it, and the session's input.
    fn session() -> (std::io::PipeWriter, Input) {
        let (input, host) = pipe().unwrap();
        let (_, output) = pipe().unwrap();
        (host, Stdio::from_fds(input.into(), output.into()).unwrap().input)
    }

    #[test]
    fn a_wait_reports_input_until_it_is_read() {
        let (mut host, mut input) = session();
        assert!(input.wait(Some(Duration::ZERO)).unwrap().timed_out());
        host.write_all(b"frame").unwrap();
        assert!(input.wait(None).unwrap().input);
        assert!(input.wait(None).unwrap().input);

        let mut buffer = [0; 16];
        assert_eq!(input.read(&mut buffer).unwrap(), Received::Data(5));
        assert_eq!(&buffer[..5], b"frame");
        assert!(input.wait(Some(Duration::ZERO)).unwrap().timed_out());
    }

    #[test]
    fn end_of_file_is_reported_until_it_is_read_and_then_waits_do_not_spin() {
        let (host, mut input) = session();
        drop(host);
        assert!(input.wait(None).unwrap().input);
        assert_eq!(input.read(&mut [0; 16]).unwrap(), Received::Eof);
        assert!(input.wait(Some(Duration::from_millis(20))).unwrap().timed_out());
    }

    #[test]
    fn a_byte_for_a_signal_ends_a_wait_once() {
        let (_host, mut input) = session();
        let (bytes, mut signals) = pipe().unwrap();
        input.hear_signals(bytes).unwrap();
        assert!(input.wait(Some(Duration::ZERO)).unwrap().timed_out());
        signals.write_all(&[15; 200]).unwrap();
        let ready = input.wait(None).unwrap();
        assert_eq!(ready, Ready { interrupted: true, ..Ready::default() });
        assert!(input.wait(Some(Duration::ZERO)).unwrap().timed_out(), "all are taken");
    }

    #[test]
    fn a_wait_for_room_ends_when_the_host_reads_and_waits_for_bytes_only_if_asked() {
        let ((input, mut host), (mut reading_end, output)) = (pipe().unwrap(), pipe().unwrap());
        let Stdio { mut input, mut output } = Stdio::from_fds(input.into(), output.into()).unwrap();
        let room = output.room();
        let soon = Some(Duration::from_millis(20));
        assert!(input.wait_for_room(Some(&room), true, None).unwrap().1);
        while output.try_write(&[0; 4096]).unwrap() > 0 {}
        assert!(!input.wait_for_room(Some(&room), true, soon).unwrap().1);
        host.write_all(b"frame").unwrap();
        assert!(input.wait_for_room(Some(&room), true, None).unwrap().0.input);
        let (ready, writable) = input.wait_for_room(Some(&room), false, soon).unwrap();
        assert!(ready.timed_out() && !writable);
        reading_end.read_exact(&mut [0; 8192]).unwrap();
        assert!(input.wait_for_room(Some(&room), false, None).unwrap().1);
    }

    #[test]
    fn the_end_is_seen_before_the_bytes_that_are_not_read_once_and_without_waiting() {
        let (socket_host, socket) = UnixStream::pair().unwrap();
        let output = socket.try_clone().unwrap();
        let socket = Stdio::from_fds(socket.into(), output.into()).unwrap().input;
        let (pipe_host, pipe) = session();
        let hosts: [Box<dyn Write>; 2] = [Box::new(pipe_host), Box::new(socket_host)];
        let soon = Some(Duration::from_millis(20));
        for (mut input, mut host) in [pipe, socket].into_iter().zip(hosts) {
            host.write_all(b"frame").unwrap();
            assert!(!input.has_hung_up().unwrap());
            assert!(input.wait_for_room(None, false, soon).unwrap().0.timed_out());
            drop(host);
            assert!(input.has_hung_up().unwrap());
            let (ready, _) = input.wait_for_room(None, false, None).unwrap();
            assert_eq!(ready, Ready { hung_up: true, ..Ready::default() });
            assert!(input.wait_for_room(None, false, soon).unwrap().0.timed_out());

            let mut buffer = [0; 16];
            assert!(input.wait(None).unwrap().input, "the bytes are still there");
            assert_eq!(input.read(&mut buffer).unwrap(), Received::Data(5));
            assert_eq!(input.read(&mut buffer).unwrap(), Received::Eof);
        }
    }

    #[test]
    fn a_non_blocking_descriptor_says_that_nothing_is_there() {
        let (_host, mut input) = session();
        rustix::io::ioctl_fionbio(&input, true).unwrap();
        assert_eq!(input.read(&mut [0; 16]).unwrap(), Received::WouldBlock);
    }

    #[test]
    fn a_read_that_must_not_wait_does_not_whatever_the_descriptor_is() {
        let (host, pipe) = session();
        let (other_host, mut polled) = session();
        polled.way = Way::Polled;
        let (socket_host, socket) = UnixStream::pair().unwrap();
        let output = socket.try_clone().unwrap();
        let socket = Stdio::from_fds(socket.into(), output.into()).unwrap().input;
        let hosts: [Box<dyn Write>; 3] =
            [Box::new(host), Box::new(other_host), Box::new(socket_host)];

        let mut buffer = [0; 16];
        for (mut input, mut host) in [pipe, polled, socket].into_iter().zip(hosts) {
            assert_eq!(input.try_read(&mut buffer).unwrap(), Received::WouldBlock);
            host.write_all(b"frame").unwrap();
            assert_eq!(input.try_read(&mut buffer).unwrap(), Received::Data(5));
            assert_eq!(input.try_read(&mut buffer).unwrap(), Received::WouldBlock);
            drop(host);
            assert_eq!(input.try_read(&mut buffer).unwrap(), Received::Eof);
        }
    }

    #[test]
    fn a_waker_ends_the_wait_of_another_thread() {
        let (_host, mut input) = session();
        let waker = input.waker();
        let waiting = thread::spawn(move || input.wait(None).unwrap());
        waker.wake();
        assert_eq!(waiting.join().unwrap(), Ready { woken: true, ..Ready::default() });
    }

    #[test]
    fn many_wake_ups_are_one_and_leave_no_trace() {
        let (_host, mut input) = session();
        for _ in 0..3 {
            for _ in 0..100_000 {
                input.waker().wake();
            }
            assert!(input.wait(None).unwrap().woken);
            assert!(input.wait(Some(Duration::ZERO)).unwrap().timed_out());
        }
    }

    #[test]
    fn the_doorbell_is_readable_for_an_event_loop_until_the_wake_up_was_reported() {
        let (_host, mut input) = session();
        let rings = |input: &Input| {
            let doorbell = input.doorbell();
            poll(&mut [PollFd::new(&doorbell, PollFlags::IN)], Some(&Timespec::default())).unwrap()
        };
        assert_eq!(rings(&input), 0);
        input.waker().wake();
        assert_eq!(rings(&input), 1);
        assert!(input.wait(Some(Duration::ZERO)).unwrap().woken);
        assert_eq!(rings(&input), 0);
    }

    #[test]
    fn input_and_a_wake_up_are_reported_together() {
        let (mut host, mut input) = session();
        host.write_all(b"x").unwrap();
        input.waker().wake();
        let both = Ready { input: true, woken: true, ..Ready::default() };
        assert_eq!(input.wait(None).unwrap(), both);
    }

    #[test]
    fn one_session_of_a_process_listens_for_sigterm_until_it_is_dropped() {
        let ((_host, mut first), (_other, mut second)) = (session(), session());
        first.listen_for_sigterm().unwrap();
        first.listen_for_sigterm().unwrap();
        assert!(matches!(second.listen_for_sigterm(), Err(Error::AlreadyListening)));
        drop(first);
        second.listen_for_sigterm().unwrap();
    }
}
