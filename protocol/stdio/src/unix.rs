//! Linux and macOS: one file per subject.

mod arrivals;
mod bell;
mod doorbell;
#[expect(unsafe_code, reason = "pthread_atfork and what its handler may call are plain C")]
mod fork;
#[expect(unsafe_code, reason = "a signal handler of our own, in front of another")]
mod in_front;
mod input;
#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "neither std nor rustix offers a signal to one thread")]
mod interrupter;
mod output;
#[expect(unsafe_code, reason = "neither std nor rustix offers signal dispositions and masks")]
mod signals;
#[expect(unsafe_code, reason = "a signal handler of our own; signal-hook asks for a promise")]
mod sigterm;
mod takeover;
#[cfg(target_os = "linux")]
mod unshared;

pub use arrivals::Arrivals;
pub use bell::{Bell, Ringer};
pub use doorbell::Waker;
pub use input::Input;
#[cfg(target_os = "linux")]
pub use interrupter::Interrupter;
pub use output::{Output, Room};
pub use takeover::{Stdio, is_by_hand, is_forked};

pub(crate) use takeover::both_are_pipes;

use std::io;

use crate::Error;

/// Says what was tried when the system refuses.
fn cannot<E: Into<io::Error>>(doing: &'static str) -> impl FnOnce(E) -> Error {
    move |source| Error::Io { doing, source: source.into() }
}
