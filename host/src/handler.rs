//! Code of the agent's own that runs because a model or an extension asks for it.

use std::future;
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::task::JoinHandle;

/// How a handler ended.
pub(crate) enum Ended<T> {
    Answered(T),
    Panicked,
    /// Nobody wants its answer any more.
    Stopped,
    TookTooLong,
}

/// A task that ends with whoever waits for it.
struct Task<T>(JoinHandle<T>);

impl<T> Drop for Task<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Runs a handler in a task of its own, so that one that panics harms nobody, until it answers, is
/// stopped, or takes too long; then, and when this is dropped, its future is dropped.
pub(crate) async fn run<T: Send + 'static>(
    runtime: &Handle,
    handler: impl Future<Output = T> + Send + 'static,
    stopped: impl Future,
    timeout: Option<Duration>,
) -> Ended<T> {
    let mut work = Task(runtime.spawn(handler));
    let overdue = async {
        match timeout {
            Some(timeout) => tokio::time::sleep(timeout).await,
            None => future::pending().await,
        }
    };
    tokio::select! {
        answer = &mut work.0 => answer.map_or(Ended::Panicked, Ended::Answered),
        _ = stopped => Ended::Stopped,
        () = overdue => Ended::TookTooLong,
    }
}
