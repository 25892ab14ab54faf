//! Taking stdin and stdout over, and giving them back.

use std::fs::{File, OpenOptions};
use std::io::{self, IsTerminal, Write};
use std::os::windows::io::OwnedHandle;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::cannot;
use super::input::Input;
use super::output::Output;
use super::pipe;
use super::shared::Shared;
use super::standard::Standard;
use crate::Error;

static CLAIMED: AtomicBool = AtomicBool::new(false);
/// What `is_by_hand` answers after a claim, when the two are no longer the real ones.
static WAS_BY_HAND: AtomicBool = AtomicBool::new(false);

/// An extension's two handles.
///
/// The halves are public so that they can be borrowed at once or moved to different threads.
/// Dropping them closes the private handles, which the host sees as end-of-file; stray output
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
    /// [`Error::AlreadyClaimed`], [`Error::Io`] when stdin or stdout is closed or the system refuses a
    /// handle; then everything is as before.
    pub fn claim() -> Result<Self, Error> {
        if CLAIMED.swap(true, Ordering::AcqRel) {
            return Err(Error::AlreadyClaimed);
        }
        take_over().inspect_err(|_| CLAIMED.store(false, Ordering::Release))
    }

    /// A session over other handles, for tests and hosts inside the process. No program that is started
    /// should inherit them.
    pub fn from_handles(input: OwnedHandle, output: OwnedHandle) -> Self {
        Self::over(input.into(), output.into(), false)
    }

    fn over(input: File, output: File, claimed: bool) -> Self {
        let shared = Arc::<Shared>::default();
        Self {
            input: Input::new(input, &shared, claimed),
            output: Output::new(output, &shared, claimed),
        }
    }

    /// Puts the original stdin and stdout back and closes the private copies; after that the
    /// process may claim again. Meant for test hosts. Bytes that were waited for and not read are lost.
    ///
    /// # Errors
    ///
    /// [`Error::NotClaimed`] when this session came from [`Stdio::from_handles`].
    pub fn release(self) -> Result<(), Error> {
        if !(self.input.is_claimed() && self.output.is_claimed()) {
            return Err(Error::NotClaimed);
        }
        flush_std_stdout();
        put_back(self.input.handle(), self.output.handle())?;
        drop(self);
        CLAIMED.store(false, Ordering::Release);
        Ok(())
    }
}

/// Whether a person started this program in a terminal, rather than a host: stdin or stdout is a
/// terminal. After a claim, the answer is about the originals.
pub fn is_by_hand() -> bool {
    if CLAIMED.load(Ordering::Acquire) {
        WAS_BY_HAND.load(Ordering::Acquire)
    } else {
        is_terminal()
    }
}

fn is_terminal() -> bool {
    #[expect(clippy::disallowed_methods, reason = "only asked what it is")]
    let stdout = io::stdout();
    io::stdin().is_terminal() || stdout.is_terminal()
}

/// Nobody forks here.
pub fn is_forked() -> bool {
    false
}

/// Both stdin and stdout are pipes or sockets, as a host gives them. The terminals of some shells are
/// pipes too.
pub(crate) fn both_are_pipes() -> bool {
    let are_pipes = [Standard::Input, Standard::Output]
        .into_iter()
        .all(|standard| standard.handle().is_some_and(pipe::is_pipe));
    are_pipes && !is_terminal()
}

fn take_over() -> Result<Stdio, Error> {
    WAS_BY_HAND.store(is_terminal(), Ordering::Release);
    let private_in = Standard::Input.copy().map_err(cannot("copy stdin"))?;
    let private_out = Standard::Output.copy().map_err(cannot("copy stdout"))?;
    let null = OpenOptions::new().read(true).write(true).open("NUL");
    let null = null.map_err(cannot("open the null device"))?;
    if Standard::Error.handle().is_none() {
        let replaced = Standard::Error.replace(&null, false);
        replaced.map_err(cannot("put the null device in place of the closed stderr"))?;
    }
    let stderr: File = Standard::Error.copy().map_err(cannot("copy stderr"))?.into();
    let handles = [Standard::Input, Standard::Output, Standard::Error].map(Standard::handle);
    // The C runtime closes what it replaces, which must not be another descriptor's as well.
    let is_shared =
        handles[1] == handles[0] || handles[1] == handles[2] || handles[0] == handles[2];
    // Where the C runtime does not close them they stay open, and no child may have them.
    for standard in [Standard::Input, Standard::Output] {
        standard.keep_from_children();
    }
    let stdio = Stdio::over(private_in.into(), private_out.into(), true);
    let replaced = Standard::Input
        .replace(&null, is_shared)
        .map_err(cannot("point stdin at the null device"))
        .and_then(|()| {
            let stray = Standard::Output.replace(&stderr, is_shared);
            stray.map_err(cannot("point stdout at stderr"))
        });
    if let Err(error) = replaced {
        // The first error is the one to report.
        let _ = put_back(stdio.input.handle(), stdio.output.handle());
        return Err(error);
    }
    flush_std_stdout();
    Ok(stdio)
}

fn put_back(input: &File, output: &File) -> Result<(), Error> {
    Standard::Input.replace(input, false).map_err(cannot("put stdin back"))?;
    Standard::Output.replace(output, false).map_err(cannot("put stdout back"))
}

/// Writes out what `print!` left in Rust's buffer. Only while stdout is stderr: before the claim or after
/// the release the text would land on the wire.
fn flush_std_stdout() {
    #[expect(clippy::disallowed_methods, reason = "stdout is stderr here, not the wire")]
    let mut stdout = io::stdout();
    // A stderr that takes nothing is no reason to fail.
    let _ = stdout.flush();
}
