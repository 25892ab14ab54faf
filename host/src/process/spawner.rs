//! Starts programs, one after the other, beside the runtime: a start waits until the new process has
//! its program, and meanwhile those that run already are served.

use std::io;
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::task::spawn_blocking;

use super::host_processes::HostProcesses;
use super::launch::Launch;
use super::{Spawned, inherit_nothing, spawn as spawn_once};

/// A thread that starts programs in the order in which it is told. It ends with its work once this
/// is dropped.
pub(crate) struct Spawner(mpsc::Sender<Order>);

/// A program that was ordered. When it is dropped, the process is killed, or not even started.
pub(crate) type Ordered = oneshot::Receiver<io::Result<Spawned>>;

struct Order {
    launch: Arc<Launch>,
    spawned: oneshot::Sender<io::Result<Spawned>>,
}

/// Programs that are started after one look through this process's descriptors, beside the first.
/// With hundreds of them a look takes as long as a start.
const AT_ONCE: usize = 7;

impl Order {
    fn carry_out(self, processes: &HostProcesses) {
        if !self.spawned.is_closed() {
            // Nobody may want it any more; then it is killed right here.
            drop(self.spawned.send(spawn(&self.launch, processes)));
        }
    }
}

impl Spawner {
    /// # Panics
    /// Outside a tokio runtime.
    pub(crate) fn new(processes: &Arc<HostProcesses>) -> Self {
        let processes = Arc::clone(processes);
        let (orders, waiting) = mpsc::channel::<Order>();
        spawn_blocking(move || {
            for order in &waiting {
                inherit_nothing(|| {
                    order.carry_out(&processes);
                    // What waits already need not look through the descriptors again.
                    waiting.try_iter().take(AT_ONCE).for_each(|order| order.carry_out(&processes));
                });
            }
        });
        Self(orders)
    }

    pub(crate) fn order(&self, launch: &Arc<Launch>) -> Ordered {
        let (spawned, ordered) = oneshot::channel();
        let launch = Arc::clone(launch);
        // Without the thread, as when the runtime ends, the receiver hears that there is no sender.
        drop(self.0.send(Order { launch, spawned }));
        ordered
    }
}

/// Starts one program now.
pub(crate) async fn start(
    launch: &Arc<Launch>,
    processes: &Arc<HostProcesses>,
) -> io::Result<Spawned> {
    begun(Spawner::new(processes).order(launch)).await
}

/// What became of an order.
pub(crate) async fn begun(ordered: Ordered) -> io::Result<Spawned> {
    ordered.await.unwrap_or_else(|_| Err(io::Error::other("nobody started it")))
}

/// Starts a program. One that a compiler has just written may be busy for a moment: another thread
/// of this process may be starting something else meanwhile, with the compiler's descriptor in hand.
fn spawn(launch: &Launch, processes: &HostProcesses) -> io::Result<Spawned> {
    const TRIES: usize = 10;
    const AFTER: Duration = Duration::from_millis(20);
    let mark = processes.next_mark();
    let watchdog = processes.watchdog().ok();
    for _ in 1..TRIES {
        match spawn_once(launch, &mark, watchdog) {
            Err(error) if error.kind() == io::ErrorKind::ExecutableFileBusy => thread::sleep(AFTER),
            outcome => return outcome,
        }
    }
    spawn_once(launch, &mark, watchdog)
}
