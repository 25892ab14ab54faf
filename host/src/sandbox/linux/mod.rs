//! The sandbox of Linux: one thread is restricted, starts the program and ends.

mod files;
mod filter;
mod rights;
mod watch;

use std::io;
use std::path::Path;
use std::sync::{Arc, mpsc};
use std::thread;

use tokio::runtime::Handle;

pub(super) use self::files::landlock_version;
pub(super) use self::filter::has_seccomp;
use super::Sandbox;

/// Starts a program from a thread that may do no more than the program shall. What the system cannot hold to is an
/// error, and nothing is started.
pub(crate) fn spawn<T: Send>(
    sandbox: &Arc<Sandbox>,
    program: &Path,
    start: impl FnOnce() -> io::Result<T> + Send,
) -> io::Result<T> {
    sandbox.refusals.clear();
    sandbox.make_folders()?;
    let files = files::Rules::of(sandbox, program)?;
    let filter = filter::Filter::of(&sandbox.limits)?;
    let runtime = Handle::try_current().ok();
    let (listeners, listener) = mpsc::channel();
    thread::scope(|scope| {
        let restricted = move || {
            let _runtime = runtime.as_ref().map(Handle::enter);
            rights::give_up_on_thread()?;
            files.restrict_thread()?;
            if let Some(listener) = filter.restrict_thread()? {
                // Without the other end nobody answers, and the start fails.
                drop(listeners.send(listener));
            }
            // Whoever waits for a listener goes on.
            drop(listeners);
            start()
        };
        let started = thread::Builder::new().spawn_scoped(scope, restricted)?;
        let watched = match listener.recv() {
            // Threads of the restricted one would be restricted too: this one starts it.
            Ok(listener) => watch::start(listener, Arc::clone(sandbox)),
            Err(_) => Ok(()),
        };
        let started =
            started.join().unwrap_or_else(|_| Err(io::Error::other("the start panicked")));
        watched.and(started)
    })
}
