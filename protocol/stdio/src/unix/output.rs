//! The way to the host: whole writes that do not deadlock.

use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd, RawFd};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{FileType, fstat};
#[cfg(target_os = "linux")]
use rustix::io::ReadWriteFlags;
use rustix::io::{Errno, write};
use rustix::net::{SendFlags, send};
use rustix::pipe::PIPE_BUF;

use super::cannot;
use super::fork::{self, Birth};
use super::input::Input;
use super::signals::{Disposition, SigpipeBlocked, disposition};
#[cfg(target_os = "linux")]
use super::unshared::unshared;
use crate::{Error, Next, Ready};

/// The way to the host.
///
/// One thread writes at a time (`&mut self`), so what one call writes stays together. Nothing is
/// buffered. `AsFd` gives the private copy of stdout for an event loop.
#[derive(Debug)]
pub struct Output {
    fd: OwnedFd,
    /// The same pipe, described by itself.
    #[cfg(target_os = "linux")]
    unshared: Option<OwnedFd>,
    way: Way,
    /// Found out at the first write, when the program has set its signals up.
    sigpipe: Option<Sigpipe>,
    claimed: bool,
    birth: Birth,
}

/// `RWF_NOSIGNAL`, since Linux 6.18: a broken pipe is an error and no signal. rustix has no name for it.
#[cfg(target_os = "linux")]
const NO_SIGNAL: ReadWriteFlags = ReadWriteFlags::from_bits_retain(0x100);

/// The host's end of an [`Output`], to wait for ([`Input::wait_for_room`]): whether it takes bytes. The
/// output must live on meanwhile; a wait for one that is gone may end at any time.
#[derive(Clone, Copy, Debug)]
pub struct Room(RawFd);

impl Room {
    pub(super) fn fd(&self) -> BorrowedFd<'_> {
        #[expect(unsafe_code, reason = "another thread may hold the output meanwhile")]
        // SAFETY: only polled, by a thread whose session has the output; at worst the wait ends early.
        unsafe {
            BorrowedFd::borrow_raw(self.0)
        }
    }
}

/// What keeps SIGPIPE away when the host is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sigpipe {
    /// The program ignores it.
    Ignored,
    /// Each write says itself that it wants none: a pipe's since Linux 6.18, a socket's.
    #[cfg(target_os = "linux")]
    Unasked,
    /// It is blocked in the thread for the length of each write, which costs two system calls more.
    Blocked,
}

/// How to write without blocking, and without `O_NONBLOCK` on a description that others share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// A pipe, one system call that says itself that it will not wait.
    #[cfg(target_os = "linux")]
    PipeNoWait,
    /// A pipe, opened once more with `O_NONBLOCK`, which nobody shares: a plain `write` costs the
    /// system less than one that says how it is meant.
    #[cfg(target_os = "linux")]
    PipeUnshared,
    /// A pipe, one piece of at most `PIPE_BUF` bytes at a time, when `poll` says there is room.
    PipePieces,
    /// A socket, one system call that says itself that it will not wait.
    Socket,
    /// A file or a terminal: the plain blocking way.
    Plain,
}

impl Output {
    pub(super) fn new(fd: OwnedFd, claimed: bool) -> Result<Self, Error> {
        let stat = fstat(&fd).map_err(cannot("ask what stdout is"))?;
        let way = match FileType::from_raw_mode(stat.st_mode) {
            #[cfg(target_os = "linux")]
            FileType::Fifo => Way::PipeNoWait,
            #[cfg(not(target_os = "linux"))]
            FileType::Fifo => Way::PipePieces,
            FileType::Socket => Way::Socket,
            _ => Way::Plain,
        };
        Ok(Self {
            fd,
            #[cfg(target_os = "linux")]
            unshared: None,
            way,
            sigpipe: None,
            claimed,
            birth: Birth::now(),
        })
    }

    /// For a thread that waits for room in it while others may write.
    pub fn room(&self) -> Room {
        Room(self.fd.as_raw_fd())
    }

    /// Writes all of `bytes`. When the host does not take them, waits for room and for input
    /// together and calls `on_ready` for whatever came; see the crate's example.
    ///
    /// `on_ready` should read what is there (`ready.input`) and keep it, and look at
    /// `ready.sigterm`, `ready.woken` and `ready.interrupted` as after [`Input::wait`]. It is called
    /// again at once for input it left unread, so when it has read enough it answers
    /// [`Next::OnlyWrite`], which holds for the rest of this call. It is not called at all when the
    /// host's pipe has room.
    ///
    /// # Errors
    ///
    /// [`Error::HostGone`], [`Error::GivenUp`] when `on_ready` said so, [`Error::Forked`],
    /// [`Error::Io`].
    pub fn write_all_reading(
        &mut self,
        bytes: &[u8],
        input: &mut Input,
        mut on_ready: impl FnMut(&mut Input, Ready) -> Next,
    ) -> Result<(), Error> {
        let mut written = self.try_write(bytes)?;
        let mut reading = true;
        while written < bytes.len() {
            let (ready, writable) = input.wait_also(Some(self.as_fd()), reading, None)?;
            if !ready.timed_out() {
                match on_ready(input, ready) {
                    Next::Read => {}
                    Next::OnlyWrite => reading = false,
                    Next::GiveUp => return Err(Error::GivenUp { written }),
                }
            }
            if writable {
                written += self.try_write(&bytes[written..])?;
            }
        }
        Ok(())
    }

    /// Writes all of `bytes`, blocking while the host does not take them. Only for a thread that
    /// writes while another one reads: where nobody reads, two full pipes stop both sides for ever.
    ///
    /// # Errors
    ///
    /// [`Error::HostGone`], [`Error::Forked`], [`Error::Io`].
    pub fn write_all(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let mut written = self.try_write(bytes)?;
        while written < bytes.len() {
            self.poll_writable(None).map_err(cannot("wait for the host"))?;
            written += self.try_write(&bytes[written..])?;
        }
        Ok(())
    }

    /// Writes as much of `bytes` as the host's pipe takes now and says how much that was; does not
    /// wait. Fewer than all, or 0, means: keep the rest, wait until the descriptor is writable, and
    /// go on with it before anything else.
    ///
    /// # Errors
    ///
    /// [`Error::HostGone`], [`Error::Forked`], [`Error::Io`].
    pub fn try_write(&mut self, bytes: &[u8]) -> Result<usize, Error> {
        self.birth.check()?;
        self.look_at_sigpipe()?;
        self.write_now(bytes).map_err(|error| match error {
            Errno::PIPE | Errno::CONNRESET => Error::HostGone,
            error => cannot("write to the host")(error),
        })
    }

    fn write_now(&mut self, bytes: &[u8]) -> Result<usize, Errno> {
        let mut written = 0;
        while written < bytes.len() {
            match self.write_quietly(&bytes[written..]) {
                Ok(count) => written += count,
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => break,
                Err(error) => return Err(error),
            }
        }
        Ok(written)
    }

    /// The same without a SIGPIPE.
    fn write_quietly(&mut self, bytes: &[u8]) -> Result<usize, Errno> {
        if self.sigpipe != Some(Sigpipe::Blocked) {
            match self.write_once(bytes) {
                // An older kernel, a sandbox, an emulator: nothing is written.
                #[cfg(target_os = "linux")]
                Err(Errno::OPNOTSUPP | Errno::NOSYS | Errno::INVAL | Errno::PERM)
                    if self.sigpipe == Some(Sigpipe::Unasked) =>
                {
                    self.sigpipe = Some(Sigpipe::Blocked);
                }
                outcome => return outcome,
            }
        }
        let blocked = SigpipeBlocked::new().map_err(|error| errno_of(&error))?;
        self.write_once(bytes).inspect_err(|error| {
            if *error == Errno::PIPE {
                blocked.discard_pending();
            }
        })
    }

    /// One system call that takes a part of `bytes`, or says `AGAIN`.
    fn write_once(&mut self, bytes: &[u8]) -> Result<usize, Errno> {
        match self.way {
            #[cfg(target_os = "linux")]
            Way::PipeNoWait if self.sigpipe == Some(Sigpipe::Unasked) => {
                write_nowait(&self.fd, bytes, NO_SIGNAL)
            }
            #[cfg(target_os = "linux")]
            Way::PipeNoWait => match write_nowait(&self.fd, bytes, ReadWriteFlags::empty()) {
                // A kernel before 6.4, a named pipe, a sandbox.
                Err(Errno::OPNOTSUPP | Errno::NOSYS | Errno::INVAL | Errno::PERM) => {
                    self.way = Way::PipePieces;
                    self.write_once(bytes)
                }
                outcome => outcome,
            },
            #[cfg(target_os = "linux")]
            Way::PipeUnshared => write(self.unshared.as_ref().unwrap_or(&self.fd), bytes),
            Way::PipePieces => {
                if self.poll_writable(Some(Timespec::default()))? {
                    write(&self.fd, &bytes[..bytes.len().min(PIPE_BUF)])
                } else {
                    Err(Errno::AGAIN)
                }
            }
            Way::Socket => send(&self.fd, bytes, SendFlags::DONTWAIT | quiet()),
            Way::Plain => write(&self.fd, bytes),
        }
    }

    /// Whether the host's pipe has room, or is gone, which the next write will say.
    fn poll_writable(&self, timeout: Option<Timespec>) -> Result<bool, Errno> {
        loop {
            match poll(&mut [PollFd::new(&self.fd, PollFlags::OUT)], timeout.as_ref()) {
                Ok(count) => return Ok(count > 0),
                Err(Errno::INTR) => {}
                Err(error) => return Err(error),
            }
        }
    }

    fn look_at_sigpipe(&mut self) -> Result<(), Error> {
        if self.sigpipe.is_none() {
            let does = disposition(libc::SIGPIPE).map_err(cannot("ask what SIGPIPE does"))?;
            self.sigpipe = Some(match (does, self.way) {
                (Disposition::Ignored, _) => Sigpipe::Ignored,
                #[cfg(target_os = "linux")]
                (_, Way::PipeNoWait | Way::Socket) => Sigpipe::Unasked,
                _ => Sigpipe::Blocked,
            });
            #[cfg(target_os = "linux")]
            if self.sigpipe == Some(Sigpipe::Ignored) && self.way == Way::PipeNoWait {
                // Not later, as the program may shut itself in.
                self.unshared = unshared(&self.fd);
                if let Some(unshared) = &self.unshared {
                    self.way = Way::PipeUnshared;
                    if self.claimed {
                        fork::replace_in_children_too(unshared);
                    }
                }
            }
        }
        Ok(())
    }

    pub(super) fn is_claimed(&self) -> bool {
        self.claimed
    }
}

#[cfg(target_os = "linux")]
fn write_nowait(fd: &OwnedFd, bytes: &[u8], flags: ReadWriteFlags) -> Result<usize, Errno> {
    use std::io::IoSlice;

    /// A pipe has no position to write at.
    const HERE: u64 = u64::MAX;
    rustix::io::pwritev2(fd, &[IoSlice::new(bytes)], HERE, ReadWriteFlags::NOWAIT | flags)
}

/// That a broken socket is an error and no signal, where a write can say so.
fn quiet() -> SendFlags {
    #[cfg(target_os = "linux")]
    return SendFlags::NOSIGNAL;
    #[cfg(not(target_os = "linux"))]
    SendFlags::empty()
}

/// What the system said; it says a number, whatever else `error` may hold.
fn errno_of(error: &std::io::Error) -> Errno {
    Errno::from_io_error(error).unwrap_or(Errno::IO)
}

impl AsFd for Output {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        if self.claimed {
            fork::forget_output();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{PipeReader, Read, Write, pipe};
    use std::os::unix::net::UnixStream;
    use std::thread;

    use super::*;
    use crate::{Received, Stdio};

    const MANY: usize = 1 << 20;

    /// A session whose host is this test: the end that drains it, and the session's output.
    fn session() -> (PipeReader, Output) {
        let (input, _) = pipe().unwrap();
        let (host, output) = pipe().unwrap();
        (host, Stdio::from_fds(input.into(), output.into()).unwrap().output)
    }

    /// The same where the pipe cannot be opened once more.
    #[cfg(target_os = "linux")]
    fn shared_session() -> (PipeReader, Output) {
        let (host, mut output) = session();
        // Nothing is asked at a first write then.
        output.sigpipe = Some(Sigpipe::Ignored);
        (host, output)
    }

    #[cfg(target_os = "linux")]
    fn sessions() -> [(PipeReader, Output); 3] {
        [session(), shared_session(), session_in_pieces()]
    }

    #[cfg(not(target_os = "linux"))]
    fn sessions() -> [(PipeReader, Output); 2] {
        [session(), session_in_pieces()]
    }

    /// The same with the way of a system that cannot write to a pipe without waiting.
    fn session_in_pieces() -> (PipeReader, Output) {
        let (host, mut output) = session();
        output.way = Way::PipePieces;
        (host, output)
    }

    #[test]
    fn a_full_pipe_takes_a_part_and_then_nothing_without_blocking() {
        for (_host, mut output) in sessions() {
            let taken = output.try_write(&vec![7; MANY]).unwrap();
            assert!(taken > 0 && taken < MANY, "{:?} took {taken}", output.way);
            assert_eq!(output.try_write(b"more").unwrap(), 0);
        }
    }

    #[test]
    fn the_rest_goes_out_when_there_is_room_again() {
        for (mut host, mut output) in sessions() {
            let sent: Vec<u8> = (0..=250).cycle().take(MANY).collect();
            let mut arrived = vec![0; MANY];
            let draining = thread::spawn(move || {
                host.read_exact(&mut arrived).unwrap();
                arrived
            });
            output.write_all(&sent).unwrap();
            assert!(draining.join().unwrap() == sent, "bytes differ after {:?}", output.way);
        }
    }

    #[test]
    fn writing_leaves_the_flags_of_the_description_alone() {
        for (_host, mut output) in sessions() {
            let before = rustix::fs::fcntl_getfl(&output).unwrap();
            output.try_write(&vec![7; MANY]).unwrap();
            assert_eq!(rustix::fs::fcntl_getfl(&output).unwrap(), before);
        }
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_pipe_is_described_by_itself_from_the_first_write_on() {
        let (mut host, mut output) = session();
        output.write_all(b"first").unwrap();
        assert_eq!(output.way, Way::PipeUnshared);
        host.read_exact(&mut [0; 5]).unwrap();
        drop(output);
        assert_eq!(host.read(&mut [0]).unwrap(), 0, "the pipe is closed with the session");
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_pipe_that_cannot_be_asked_not_to_wait_is_written_in_pieces() {
        use rustix::fs::{Mode, OFlags, open};
        use std::os::fd::AsRawFd;

        // Opened by name, a pipe lacks the kernel's mark for RWF_NOWAIT.
        let (input, _) = pipe().unwrap();
        let (_host, output) = pipe().unwrap();
        let name = format!("/proc/self/fd/{}", output.as_raw_fd());
        let by_name = open(name, OFlags::WRONLY, Mode::empty()).unwrap();
        let mut output = Stdio::from_fds(input.into(), by_name).unwrap().output;
        output.sigpipe = Some(Sigpipe::Ignored);
        let taken = output.try_write(&vec![7; MANY]).unwrap();
        assert_eq!(output.way, Way::PipePieces);
        assert!(taken > 0 && taken < MANY);
    }

    #[test]
    fn a_host_that_is_gone_is_an_error_of_its_own() {
        for (host, mut output) in sessions() {
            drop(host);
            assert!(matches!(output.try_write(b"x"), Err(Error::HostGone)));
            assert!(matches!(output.write_all(b"x"), Err(Error::HostGone)));
        }
    }

    #[test]
    fn a_blocked_write_hands_input_over_and_can_be_given_up() {
        let (mut host, extension) = UnixStream::pair().unwrap();
        let output = extension.try_clone().unwrap();
        let mut stdio = Stdio::from_fds(extension.into(), output.into()).unwrap();
        host.write_all(b"ping").unwrap();

        let mut seen = Vec::new();
        let Stdio { input, output } = &mut stdio;
        let outcome = output.write_all_reading(&vec![7; 4 * MANY], input, |input, ready| {
            let mut buffer = [0; 16];
            if ready.input
                && let Received::Data(count) = input.read(&mut buffer).unwrap()
            {
                seen.extend_from_slice(&buffer[..count]);
            }
            if seen == b"ping" { Next::GiveUp } else { Next::Read }
        });
        assert!(matches!(outcome, Err(Error::GivenUp { written }) if written > 0));
        assert_eq!(seen, b"ping");
    }

    #[test]
    fn a_blocked_write_that_only_writes_still_reports_wake_ups() {
        let (mut host_in, extension_in) = pipe().map(|(read, write)| (write, read)).unwrap();
        let (_host, output) = pipe().unwrap();
        let mut stdio = Stdio::from_fds(extension_in.into(), output.into()).unwrap();
        host_in.write_all(b"never read").unwrap();
        let waker = stdio.input.waker();

        let mut reports = Vec::new();
        let Stdio { input, output } = &mut stdio;
        let outcome = output.write_all_reading(&vec![7; MANY], input, |_, ready| {
            reports.push(ready);
            waker.wake();
            if ready.woken { Next::GiveUp } else { Next::OnlyWrite }
        });
        assert!(matches!(outcome, Err(Error::GivenUp { .. })));
        assert_eq!(
            reports,
            [Ready { input: true, ..Ready::default() }, Ready { woken: true, ..Ready::default() },]
        );
    }

    #[test]
    fn only_a_claimed_session_can_be_released() {
        let (input, _) = pipe().unwrap();
        let (_host, output) = pipe().unwrap();
        let session = Stdio::from_fds(input.into(), output.into()).unwrap();
        assert!(matches!(session.release(), Err(Error::NotClaimed)));
    }
}
