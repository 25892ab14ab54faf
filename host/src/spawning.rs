//! Starts programs, one after the other, beside the runtime: a start waits until the new process has
//! its program, and meanwhile those that run already are served.

use std::io;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::task::spawn_blocking;

use crate::launch::Launch;
use crate::mark::Mark;
use crate::process::{self, Spawned, Watchdog};

/// A program to start.
pub(crate) struct Order {
    pub(crate) launch: Arc<Launch>,
    pub(crate) mark: Mark,
    pub(crate) watchdog: Option<Arc<Watchdog>>,
    pub(crate) spawned: oneshot::Sender<io::Result<Spawned>>,
}

/// A program that was ordered. When it is dropped, the process is killed, or not even started.
pub(crate) type Ordered = oneshot::Receiver<io::Result<Spawned>>;

/// Starts the programs in this order.
pub(crate) fn spawn_all(orders: Vec<Order>) {
    spawn_blocking(|| {
        for order in orders {
            if !order.spawned.is_closed() {
                let outcome = spawn(&order);
                // Nobody may want it any more; then it is killed right here.
                drop(order.spawned.send(outcome));
            }
        }
    });
}

/// Starts a program. One that a compiler has just written may be busy for a moment: another thread
/// of this process may be starting something else meanwhile, with the compiler's descriptor in hand.
fn spawn(order: &Order) -> io::Result<Spawned> {
    const TRIES: usize = 10;
    const AFTER: Duration = Duration::from_millis(20);
    let Order { launch, mark, watchdog, .. } = order;
    for _ in 1..TRIES {
        match process::spawn(launch, mark, watchdog.as_ref()) {
            Err(error) if error.kind() == io::ErrorKind::ExecutableFileBusy => thread::sleep(AFTER),
            outcome => return outcome,
        }
    }
    process::spawn(launch, mark, watchdog.as_ref())
}
