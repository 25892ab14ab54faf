//! Windows: one file per subject.
//!
//! The handles that a host gives are those of pipes that can only be waited for in a read or a write. So
//! one thread reads and one writes, and everybody else waits for what these two tell in [`shared`].

mod arrivals;
mod bell;
#[expect(unsafe_code, reason = "std knows no events of a console")]
mod console;
mod input;
mod output;
#[expect(unsafe_code, reason = "std neither looks at a pipe nor ends what a thread waits in")]
mod pipe;
mod reader;
mod shared;
#[expect(unsafe_code, reason = "std does not replace standard handles and descriptors")]
mod standard;
mod takeover;
mod worker;
mod writer;

pub use arrivals::Arrivals;
pub use bell::{Bell, Ringer};
pub use input::Input;
pub use output::{Output, Room};
pub use shared::Waker;
pub use takeover::{Stdio, is_by_hand, is_forked};

pub(crate) use takeover::both_are_pipes;

use std::io;

use crate::Error;

/// Says what was tried when the system refuses.
fn cannot(doing: &'static str) -> impl FnOnce(io::Error) -> Error {
    move |source| Error::Io { doing, source }
}
