//! Taking stdin and stdout over, in the moment in which the package is loaded.

use std::ffi::OsStr;

use extline_driver::claim;
use extline_stdio::{Error, Stdio};
use napi_derive::napi;

/// Claims stdin and stdout where a host started this process: both are pipes or sockets and no test
/// runner is loaded, or `EXTLINE_STDIO` says so. Whether it did.
#[napi(catch_unwind)]
pub fn claim_at_load(under_test: bool) -> napi::Result<bool> {
    claim::at_load(under_test, Stdio::claim).map_err(to_js)
}

/// Gives stdin and stdout back unless a session has taken them: a test prints where it always did.
#[napi(catch_unwind)]
pub fn give_back() -> napi::Result<()> {
    claim::give_back().map_err(to_js)
}

/// Whether the program is to be an MCP server, by its first argument or by the environment.
#[napi(catch_unwind)]
pub fn asks_for_mcp(first_argument: Option<String>) -> bool {
    extline_driver::mcp::is_asked_for(first_argument.as_deref().map(OsStr::new))
}

/// Whether this is the thread that the process began with. A worker's is another. Windows does not say, so
/// it is true there.
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

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
fn main_thread() -> bool {
    true
}

/// Writes one line to stderr.
#[napi(catch_unwind)]
pub fn report(message: String) {
    extline_stdio::report(&message);
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
