//! Taking stdin and stdout over.

use std::sync::{Mutex, MutexGuard, PoisonError};

use extline_stdio::{Error, Stdio, claims_at_load, is_forked};

use crate::code::{
    EXTLINE_ARGUMENT, EXTLINE_CLOSED, EXTLINE_FORKED, EXTLINE_IO, EXTLINE_STATE,
    EXTLINE_UNSUPPORTED,
};
use crate::failure::Failure;

/// What was claimed when an extension was made, until one is started.
static CLAIMED: Mutex<Option<Stdio>> = Mutex::new(None);

fn claimed() -> MutexGuard<'static, Option<Stdio>> {
    CLAIMED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Claims stdin and stdout where a host started this process: both are pipes or sockets, or
/// `EXTLINE_STDIO` says so. In C nothing runs when a library is loaded, so making the extension is that
/// moment. What goes wrong comes again at the start.
pub(crate) fn at_creation() {
    if is_forked() {
        return;
    }
    let mut claimed = claimed();
    if claimed.is_none() && claims_at_load(false).unwrap_or(false) {
        *claimed = Stdio::claim().ok();
    }
}

/// The process's stdin and stdout, claimed before or now.
pub(crate) fn take() -> Result<Stdio, Failure> {
    let before = claimed().take();
    if let Some(stdio) = before {
        return Ok(stdio);
    }
    claims_at_load(false).map_err(failure)?;
    Stdio::claim().map_err(failure)
}

/// Gives back what was claimed: the program moves the bytes itself, and its stdout is its own.
pub(crate) fn release() {
    let before = claimed().take();
    if let Some(stdio) = before {
        // At worst its output stays on stderr.
        let _ = stdio.release();
    }
}

/// Whether the program is to be an MCP server, by its first argument or by the environment.
pub(crate) fn is_mcp() -> bool {
    extline_driver::mcp::is_asked_for(std::env::args_os().nth(1).as_deref())
}

#[expect(clippy::needless_pass_by_value, reason = "for `map_err`")]
pub(crate) fn failure(error: Error) -> Failure {
    let code = match &error {
        Error::Forked => EXTLINE_FORKED,
        Error::HostGone => EXTLINE_CLOSED,
        Error::AlreadyClaimed | Error::AlreadyListening => EXTLINE_STATE,
        Error::Unsupported | Error::NoMcp => EXTLINE_UNSUPPORTED,
        Error::BadLoadChoice { .. } => EXTLINE_ARGUMENT,
        _ => EXTLINE_IO,
    };
    Failure::new(code, error.to_string())
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        failure(error)
    }
}
