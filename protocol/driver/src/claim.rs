//! Stdin and stdout: claimed when a program begins, and taken by its session.

use std::sync::{Mutex, MutexGuard, PoisonError};

use extline_stdio::{Error, Stdio, claims_at_load};

/// What was claimed, until a session takes it. The process has one stdin and one stdout, whatever its threads
/// do.
static CLAIMED: Mutex<Option<Stdio>> = Mutex::new(None);

/// Claims them where a host started this process: both are pipes or sockets and no test runner runs it, or
/// `EXTLINE_STDIO` says so. Whether they are claimed.
///
/// # Errors
///
/// They cannot be claimed, or `EXTLINE_STDIO` says neither.
pub fn at_load(
    is_under_test: bool,
    claim: impl FnOnce() -> Result<Stdio, Error>,
) -> Result<bool, Error> {
    let mut claimed = claimed();
    if claimed.is_none() && claims_at_load(is_under_test)? {
        *claimed = Some(claim()?);
    }
    Ok(claimed.is_some())
}

/// What was claimed, or claims them now.
///
/// # Errors
///
/// They cannot be claimed.
pub fn take(claim: impl FnOnce() -> Result<Stdio, Error>) -> Result<Stdio, Error> {
    let before = claimed().take();
    before.map_or_else(claim, Ok)
}

/// Gives them back unless a session has taken them: the program prints where it always did.
///
/// # Errors
///
/// They cannot be put back.
pub fn give_back() -> Result<(), Error> {
    let before = claimed().take();
    before.map_or(Ok(()), Stdio::release)
}

fn claimed() -> MutexGuard<'static, Option<Stdio>> {
    CLAIMED.lock().unwrap_or_else(PoisonError::into_inner)
}
