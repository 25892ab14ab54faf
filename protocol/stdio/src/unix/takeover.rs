//! Taking stdin and stdout over, and giving them back.

use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use rustix::fs::{FileType, fstat};
use rustix::io::{FdFlags, fcntl_dupfd_cloexec, fcntl_getfd, fcntl_setfd};
use rustix::stdio::{dup2_stderr, dup2_stdin, dup2_stdout, stderr, stdin, stdout};
use rustix::termios::isatty;

use super::cannot;
use super::fork::{self, Birth};
use super::input::Input;
use super::output::Output;
use crate::Error;

/// 0 while nobody has claimed, else 1 + the fork generation of the process that did.
static CLAIMED: AtomicU32 = AtomicU32::new(0);
/// What `is_by_hand` answers after a claim, when 0 and 1 are no longer the real ones.
static WAS_BY_HAND: AtomicBool = AtomicBool::new(false);

/// An extension's two descriptors.
///
/// The halves are public so that they can be borrowed at once or moved to different threads.
/// Dropping them closes the private descriptors, which the host sees as end-of-file; stray output
/// keeps going to stderr until the process ends. Only [`Stdio::release`] gives stdin and stdout
/// back.
#[derive(Debug)]
pub struct Stdio {
    /// What arrives from the host.
    pub input: Input,
    /// The way to the host.
    pub output: Output,
}

impl Stdio {
    /// Takes stdin and stdout over; see the crate's documentation for what that means.
    ///
    /// When stderr is closed the null device is put in its place first, so that stray output has
    /// somewhere to go. Call it once, early; from any thread.
    ///
    /// # Errors
    ///
    /// [`Error::AlreadyClaimed`], [`Error::Forked`] in the child of a fork of a process that
    /// claimed, [`Error::Io`] when stdin or stdout is closed or the system refuses a descriptor;
    /// then everything is as before.
    pub fn claim() -> Result<Self, Error> {
        let birth = Birth::now();
        let mine = birth.generation() + 1;
        match CLAIMED.compare_exchange(0, mine, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => take_over().inspect_err(|_| CLAIMED.store(0, Ordering::Release)),
            Err(owner) if owner == mine => Err(Error::AlreadyClaimed),
            Err(_) => Err(Error::Forked),
        }
    }

    /// A session over other descriptors, for tests and hosts inside the process. They are made
    /// close-on-exec. The same socket may be given twice, as two descriptors.
    pub fn from_fds(input: OwnedFd, output: OwnedFd) -> Result<Self, Error> {
        fork::install()?;
        for fd in [&input, &output] {
            fcntl_setfd(fd, FdFlags::CLOEXEC).map_err(cannot("make a descriptor close-on-exec"))?;
        }
        Ok(Self { input: Input::new(input, false)?, output: Output::new(output, false)? })
    }

    /// Puts the original stdin and stdout back and closes the private copies; after that the
    /// process may claim again. Meant for test hosts.
    ///
    /// # Errors
    ///
    /// [`Error::NotClaimed`] when this session came from [`Stdio::from_fds`], [`Error::Forked`].
    pub fn release(self) -> Result<(), Error> {
        self.input.birth().check()?;
        if !(self.input.is_claimed() && self.output.is_claimed()) {
            return Err(Error::NotClaimed);
        }
        flush_std_stdout();
        dup2_stdin(&self.input).map_err(cannot("put stdin back"))?;
        dup2_stdout(&self.output).map_err(cannot("put stdout back"))?;
        drop(self);
        CLAIMED.store(0, Ordering::Release);
        Ok(())
    }
}

/// Whether a person started this program in a terminal, rather than a host: stdin or stdout is a
/// terminal. After a claim, the answer is about the originals.
pub fn is_by_hand() -> bool {
    if CLAIMED.load(Ordering::Acquire) == 0 {
        isatty(stdin()) || isatty(stdout())
    } else {
        WAS_BY_HAND.load(Ordering::Acquire)
    }
}

/// Whether this process is the child of a fork of one that had claimed stdin and stdout: its session
/// is the parent's, and so are the threads that may have held its locks. Cheap, and safe anywhere.
pub fn is_forked() -> bool {
    let claimed = CLAIMED.load(Ordering::Acquire);
    claimed != 0 && claimed != Birth::now().generation() + 1
}

/// Both stdin and stdout are pipes or sockets, as a host gives them.
pub(crate) fn both_are_pipes() -> bool {
    [stdin(), stdout()].into_iter().all(|fd| {
        fstat(fd).is_ok_and(|stat| {
            matches!(FileType::from_raw_mode(stat.st_mode), FileType::Fifo | FileType::Socket)
        })
    })
}

fn take_over() -> Result<Stdio, Error> {
    WAS_BY_HAND.store(isatty(stdin()) || isatty(stdout()), Ordering::Release);
    let private_in =
        fcntl_dupfd_cloexec(stdin(), 3).map_err(cannot("copy stdin (descriptor 0)"))?;
    let private_out =
        fcntl_dupfd_cloexec(stdout(), 3).map_err(cannot("copy stdout (descriptor 1)"))?;
    let null = fork::null_device().map_err(cannot("open the null device"))?;
    if fcntl_getfd(stderr()).is_err() {
        dup2_stderr(null).map_err(cannot("put the null device in place of the closed stderr"))?;
    }
    fork::install()?;
    let input = Input::new(private_in, true)?;
    let output = Output::new(private_out, true)?;
    fork::replace_in_children(&input, &output);

    let redirected = dup2_stdin(null)
        .map_err(cannot("point stdin at the null device"))
        .and_then(|()| dup2_stdout(stderr()).map_err(cannot("point stdout at stderr")));
    if let Err(error) = redirected {
        // The first error is the one to report.
        let _ = dup2_stdin(&input);
        let _ = dup2_stdout(&output);
        return Err(error);
    }
    flush_std_stdout();
    Ok(Stdio { input, output })
}

/// Writes out what `print!` left in Rust's buffer. Only while descriptor 1 is stderr: before the
/// claim or after the release the text would land on the wire.
fn flush_std_stdout() {
    #[expect(clippy::disallowed_methods, reason = "descriptor 1 is stderr here, not the wire")]
    let mut stdout = io::stdout();
    // A stderr that takes nothing is no reason to fail.
    let _ = stdout.flush();
}
