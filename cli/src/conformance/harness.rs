//! What is said when the tester itself failed.

use std::panic::{self, AssertUnwindSafe};

use crate::printer::Printer;

const ISSUES: &str = concat!(env!("CARGO_PKG_REPOSITORY"), "/issues");

/// Does something of the tester's own; `Err` says that it panicked. The panic itself stands on
/// stderr, with its place.
pub(super) fn caught<T>(act: impl FnOnce() -> T) -> Result<T, String> {
    // Nothing of what it had is used after that.
    panic::catch_unwind(AssertUnwindSafe(act))
        .map_err(|_| "it panicked, with the message above".to_owned())
}

/// Tells what failed, that it is not the extension, and what a report of it needs.
pub(super) fn blame_the_tester(printer: &mut Printer, fault: &str) {
    let version = env!("CARGO_PKG_VERSION");
    let (system, processor) = (std::env::consts::OS, std::env::consts::ARCH);
    printer.error(format_args!(
        "the tester itself failed: {fault}\n\
         This says nothing about the extension. If this machine is not the reason (a full disk, no \
         more processes or descriptors), please report it: {ISSUES}\n\
         Attach the command, this message with all above it, the version (extline {version}, \
         {system} {processor}), and the report of --report ndjson=FILE"
    ));
}
