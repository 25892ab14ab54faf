//! Taking stdin and stdout over, in the moment in which the package is loaded.

use std::ffi::OsStr;
use std::sync::{Mutex, PoisonError};

use extline_stdio::{Error, Stdio, claims_at_load};
use napi_derive::napi;

/// What was claimed at the load, until a session takes it. The process has one stdin and one stdout,
/// whatever its threads do.
static CLAIMED: Mutex<Option<Stdio>> = Mutex::new(None);

/// Claims stdin and stdout where a host started this process: both are pipes or sockets and no test
/// runner is loaded, or `EXTLINE_STDIO` says so. Whether it did.
#[napi(catch_unwind)]
pub fn claim_at_load(under_test: bool) -> napi::Result<bool> {
    if !claims_at_load(under_test).map_err(to_js)? {
        return Ok(false);
    }
    let stdio = take_over().map_err(to_js)?;
    *CLAIMED.lock().unwrap_or_else(PoisonError::into_inner) = Some(stdio);
    Ok(true)
}

/// Gives stdin and stdout back unless a session has taken them: a test prints where it always did.
#[napi(catch_unwind)]
pub fn give_back() -> napi::Result<()> {
    let claimed = CLAIMED.lock().unwrap_or_else(PoisonError::into_inner).take();
    claimed.map_or(Ok(()), Stdio::release).map_err(to_js)
}

/// Whether the program is to be an MCP server, by its first argument or by the environment.
#[napi(catch_unwind)]
pub fn asks_for_mcp(first_argument: Option<String>) -> bool {
    extline_driver::mcp::is_asked_for(first_argument.as_deref().map(OsStr::new))
}

/// Whether this is the thread that the process began with. A worker's is another.
#[napi(catch_unwind)]
pub fn is_main_thread() -> bool {
    main_thread()
}

#[cfg(target_os = "linux")]
fn main_thread() -> bool {
    rustix::thread::gettid() == rustix::process::getpid()
}

#[cfg(target_os = "macos")]
fn main_thread() -> bool {
    #[expect(unsafe_code, reason = "rustix does not have it")]
    // SAFETY: it may be called by any thread.
    unsafe {
        libc::pthread_main_np() != 0
    }
}

/// Elsewhere claiming fails anyway.
#[cfg(not(any(target_os = "linux", target_os = "macos")))]
fn main_thread() -> bool {
    true
}

/// Writes one line to stderr.
#[napi(catch_unwind)]
pub fn report(message: String) {
    extline_stdio::report(&message);
}

/// The process's stdin and stdout, claimed at the load or now.
pub(crate) fn stdio() -> Result<Stdio, Error> {
    let claimed = CLAIMED.lock().unwrap_or_else(PoisonError::into_inner).take();
    claimed.map_or_else(take_over, Ok)
}

/// On Windows only stdio itself is ported, and not yet how this SDK moves bytes. Node has a C runtime of its
/// own, too, whose descriptors nothing redirects yet.
fn take_over() -> Result<Stdio, Error> {
    if cfg!(windows) { Err(Error::Unsupported) } else { Stdio::claim() }
}

/// What arrives on the first of two descriptors, and the way out through the second.
#[cfg(unix)]
pub(crate) fn over_descriptors(input: i32, output: i32) -> Result<Stdio, Error> {
    use std::os::fd::{FromRawFd, OwnedFd};

    #[expect(unsafe_code, reason = "Node knows descriptors by number")]
    // SAFETY: the JavaScript half hands over two that are nobody else's, and closes neither.
    let (input, output) = unsafe { (OwnedFd::from_raw_fd(input), OwnedFd::from_raw_fd(output)) };
    Stdio::from_fds(input, output)
}

/// Descriptors are of Unix.
#[cfg(not(unix))]
pub(crate) fn over_descriptors(_input: i32, _output: i32) -> Result<Stdio, Error> {
    Err(Error::Unsupported)
}

#[expect(clippy::needless_pass_by_value, reason = "for `map_err`")]
pub(crate) fn to_js(error: Error) -> napi::Error {
    napi::Error::from_reason(error.to_string())
}
