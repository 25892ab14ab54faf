//! Work that takes long, on a thread of its own.
//!
//! Not on the runtime's threads for such work: a runtime that ends waits for those, and nobody waits
//! for this.

use std::thread;

use tokio::sync::oneshot;

/// Begins it at once and returns what comes of it; `None` when the system has no thread for it, or
/// it panicked. It goes on when the future is dropped.
pub(crate) fn run<T, W>(name: &str, work: W) -> impl Future<Output = Option<T>> + use<T, W>
where
    T: Send + 'static,
    W: FnOnce() -> T + Send + 'static,
{
    let (sender, outcome) = oneshot::channel();
    let work = move || drop(sender.send(work()));
    // Where there is no thread the sender is gone with the work.
    drop(thread::Builder::new().name(name.to_owned()).spawn(work));
    async move { outcome.await.ok() }
}
