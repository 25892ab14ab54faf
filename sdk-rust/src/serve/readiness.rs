//! When the two ends of stdio can go on, as the event loop sees it: read and written on the serving
//! thread. One module per platform behind one interface.

#[cfg(unix)]
mod descriptor;
#[cfg(not(any(unix, windows)))]
mod threaded;
#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(not(any(unix, windows)))]
pub(super) use self::threaded::Readiness;
#[cfg(unix)]
pub(super) use self::unix::Readiness;
#[cfg(windows)]
pub(super) use self::windows::Readiness;
