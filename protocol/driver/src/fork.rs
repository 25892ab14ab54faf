//! The child of a fork is no extension: its session, and the threads that may have held its locks, are the
//! parent's.

use extline_stdio::{report, watchdog};

/// Ends the child where a handler comes back in it: it must neither answer nor read. `cure` says by what its
/// author ends it, and what to start in its place.
pub fn end_child(cure: &str) -> ! {
    report(&format!(
        "the child of a fork is no extension, and ends where its handler returned: end it with {cure}"
    ));
    watchdog::end_now(1)
}
