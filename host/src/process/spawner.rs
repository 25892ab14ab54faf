//! Starts programs beside the runtime: a start waits until the new process has its program, and
//! meanwhile those that run already are served.

use std::io;
use std::iter;
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::task::spawn_blocking;

use super::host_processes::HostProcesses;
use super::launch::Launch;
use super::{Spawned, inherit_nothing, spawn};
use crate::lock::lock;

/// Threads that start programs, in the order in which they are told, or two of them at once. They end
/// with their work once this is dropped.
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

/// While one thread waits until its new process has its program, the other prepares the next start.
/// Elsewhere one process could inherit the pipe of another, which is open for a moment before it is
/// marked.
const THREADS: usize = if cfg!(target_os = "linux") { 2 } else { 1 };

impl Order {
    /// Starts it once; the order again where the program is busy.
    fn carry_out(self, processes: &HostProcesses) -> Option<Self> {
        if self.spawned.is_closed() {
            return None;
        }
        match spawn_marked(&self.launch, processes) {
            Err(error) if is_busy(&error) => return Some(self),
            // Nobody may want it any more; then it is killed right here.
            outcome => drop(self.spawned.send(outcome)),
        }
        None
    }

    /// One that a compiler has just written may be busy for a moment: another thread of this process may
    /// be starting something else meanwhile, with the compiler's descriptor in hand.
    fn carry_out_again(self, processes: &HostProcesses) {
        const TRIES: usize = 9;
        const AFTER: Duration = Duration::from_millis(20);
        let mut outcome = Err(io::ErrorKind::ExecutableFileBusy.into());
        for _ in 0..TRIES {
            thread::sleep(AFTER);
            outcome = spawn_marked(&self.launch, processes);
            if !outcome.as_ref().is_err_and(is_busy) {
                break;
            }
        }
        drop(self.spawned.send(outcome));
    }
}

fn is_busy(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::ExecutableFileBusy
}

/// Starts a program under its mark.
fn spawn_marked(launch: &Launch, processes: &HostProcesses) -> io::Result<Spawned> {
    spawn(launch, &processes.next_mark(), processes.watchdog().ok())
}

/// Waits for an order; with it come what waits already, up to so many. `None`: there will be no more.
fn next(waiting: &Mutex<mpsc::Receiver<Order>>) -> Option<Vec<Order>> {
    let waiting = lock(waiting);
    let order = waiting.recv().ok()?;
    Some(iter::once(order).chain(waiting.try_iter().take(AT_ONCE)).collect())
}

/// Starts them with one look through the descriptors.
fn carry_out(orders: Vec<Order>, processes: &HostProcesses) {
    let start = |order: Order| order.carry_out(processes);
    let busy: Vec<_> = inherit_nothing(|| orders.into_iter().filter_map(start).collect());
    for order in busy {
        order.carry_out_again(processes);
    }
}

impl Spawner {
    /// For so many programs.
    ///
    /// # Panics
    /// Outside a tokio runtime.
    pub(crate) fn new(programs: usize, processes: &Arc<HostProcesses>) -> Self {
        let (orders, waiting) = mpsc::channel::<Order>();
        let waiting = Arc::new(Mutex::new(waiting));
        for _ in 0..THREADS.min(programs) {
            let (processes, waiting) = (Arc::clone(processes), Arc::clone(&waiting));
            spawn_blocking(move || {
                while let Some(orders) = next(&waiting) {
                    carry_out(orders, &processes);
                }
            });
        }
        Self(orders)
    }

    pub(crate) fn order(&self, launch: &Arc<Launch>) -> Ordered {
        let (spawned, ordered) = oneshot::channel();
        let launch = Arc::clone(launch);
        // Without a thread, as when the runtime ends, the receiver hears that there is no sender.
        drop(self.0.send(Order { launch, spawned }));
        ordered
    }
}

/// Starts one program now.
pub(crate) async fn start(
    launch: &Arc<Launch>,
    processes: &Arc<HostProcesses>,
) -> io::Result<Spawned> {
    begun(Spawner::new(1, processes).order(launch)).await
}

/// What became of an order.
pub(crate) async fn begun(ordered: Ordered) -> io::Result<Spawned> {
    ordered.await.unwrap_or_else(|_| Err(io::Error::other("nobody started it")))
}
