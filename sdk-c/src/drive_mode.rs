//! Who drives the session: a loop of the program's, or threads of the library's.

use std::cell::Cell;

use crate::extension::Extension;
use crate::failure::Failure;

/// What saying something from a handler or from another thread needs of whoever drives the session.
pub(crate) trait DriveMode: Send + Sync {
    /// Whether this thread runs a handler for the one who writes when that returns.
    fn is_driven_here(&self, ext: &Extension) -> bool;

    /// Has the one who drives the session look again.
    fn wake(&self);

    /// This thread is about to wait for the host, so somebody else must drive meanwhile.
    fn step_aside(&self, ext: &Extension) -> Result<(), Failure>;

    /// Whether the program itself drives, by `extline_next`.
    fn is_the_program_s(&self) -> bool {
        true
    }
}

thread_local! {
    /// The extension whose handlers this thread runs, called by the program's own loop.
    static DRIVEN: Cell<*const Extension> = const { Cell::new(std::ptr::null()) };
}

/// A number that no other thread has while this one lives. Rust's own would cost memory that a thread
/// which is C's never gives back.
pub(crate) fn this_thread() -> usize {
    DRIVEN.with(|driven| std::ptr::from_ref(driven).addr())
}

/// This thread drives the extension while this lives.
pub(crate) struct Driving(*const Extension);

impl Driving {
    pub(crate) fn begin(ext: &Extension) -> Self {
        Self(DRIVEN.replace(ext))
    }

    /// Whether it does.
    pub(crate) fn is_here(ext: &Extension) -> bool {
        std::ptr::eq(DRIVEN.get(), ext)
    }
}

impl Drop for Driving {
    fn drop(&mut self) {
        DRIVEN.set(self.0);
    }
}
