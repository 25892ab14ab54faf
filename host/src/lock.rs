//! Locks of this crate.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// A panic while a lock was held is the panicking thread's; what it guards is still whole enough to
/// end processes with.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
