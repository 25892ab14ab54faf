//! Taking stdin and stdout over.

use extline_driver::claim;
use extline_stdio::{Error, Stdio, claims_at_load, is_forked};

use crate::code::{
    EXTLINE_ARGUMENT, EXTLINE_CLOSED, EXTLINE_FORKED, EXTLINE_IO, EXTLINE_STATE,
    EXTLINE_UNSUPPORTED,
};
use crate::failure::Failure;

/// Claims stdin and stdout where a host started this process: both are pipes or sockets, or
/// `EXTLINE_STDIO` says so. In C nothing runs when a library is loaded, so making the extension is that
/// moment.
pub(crate) fn at_creation() {
    if !is_forked() {
        // What goes wrong comes again at the start.
        let _ = claim::at_load(false, Stdio::claim);
    }
}

/// The process's stdin and stdout, claimed before or now.
pub(crate) fn take() -> Result<Stdio, Failure> {
    Ok(claim::take(|| claims_at_load(false).and_then(|_| Stdio::claim()))?)
}

/// Gives back what was claimed: the program moves the bytes itself, and its stdout is its own.
pub(crate) fn release() {
    // At worst its output stays on stderr.
    let _ = claim::give_back();
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
