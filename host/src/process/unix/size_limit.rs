//! A limit of file sizes (`ulimit -f`) is an error of the write, and not the end of the process.

use rustix::process::Signal;
use tokio::signal::unix::{SignalKind, signal};

/// Lets a write over the limit of file sizes fail with an error (`EFBIG`), where the system would end
/// this process (SIGXFSZ). Must be called inside a tokio runtime.
///
/// The signal is caught rather than ignored: what this process starts would ignore it too.
pub fn outlive_size_limit() {
    // Where it is refused the limit is as deadly as it always was; the handler stays when the stream
    // of signals is dropped.
    let _ = signal(SignalKind::from_raw(Signal::XFSZ.as_raw()));
}
