//! The child of a fork is no extension: its session, and the threads that may have held its locks, are
//! the parent's.

use extline_driver::end_child;
use extline_stdio::{Error, is_forked};

use crate::code::EXTLINE_FORKED;
use crate::failure::Failure;

/// Before any lock is taken.
pub(crate) fn check() -> Result<(), Failure> {
    if is_forked() {
        return Err(Failure::new(EXTLINE_FORKED, Error::Forked.to_string()));
    }
    Ok(())
}

/// Where a handler comes back to: in the child it must neither answer nor read.
pub(crate) fn end_if_in_child() {
    if is_forked() {
        end_child("_exit(), or start a program with posix_spawn()");
    }
}
