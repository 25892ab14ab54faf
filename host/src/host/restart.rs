//! Extensions that are started again after they failed.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tokio::sync::{Mutex as AsyncMutex, MutexGuard as AsyncMutexGuard, Notify, watch};

use super::Launcher;
use crate::connection::{Adapter, Connection, News};
use crate::lock::lock;
use crate::report::{Diagnosis, Problem};

/// One that ran for so long begins anew with its restarts.
const STEADY_AFTER: Duration = Duration::from_secs(60);

/// The longest time between two restarts.
const LONGEST_BACKOFF: Duration = Duration::from_secs(60);

/// What becomes of an extension that failed while it was in use.
///
/// One that never was ready is not started again: what keeps it from starting will keep it again.
/// Calls are never repeated (`end.no-replay`): those that were open fail at once, and so do new ones
/// until it is ready again, with [`CallError::Restarting`](crate::CallError::Restarting). Its place
/// in load order, the names of its tools and commands, which stay listed, and what its guards watch
/// are its own meanwhile (`end.restart-names`); once it is given up, the names are free.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum RestartPolicy {
    /// It stays as it is.
    #[default]
    Off,
    /// It is started again.
    OnFailure {
        /// How long after its end; twice as long after each further failure, a minute at most.
        backoff: Duration,
        /// So many times in a row. One that ran for a minute begins anew.
        max: u32,
    },
}

impl RestartPolicy {
    /// How long to wait before the nth restart in a row, counted from 1; `None`: no more.
    fn wait(self, attempt: u32) -> Option<Duration> {
        match self {
            Self::OnFailure { backoff, max } if attempt <= max => {
                let factor = 2_u32.saturating_pow(attempt - 1);
                Some(backoff.saturating_mul(factor).min(LONGEST_BACKOFF))
            }
            _ => None,
        }
    }
}

/// One extension from its start to the moment from which nobody wants it, whichever of its processes
/// runs.
#[derive(Debug)]
pub(crate) struct Run {
    connection: Mutex<Arc<Connection>>,
    /// It is not started any more.
    closed: AtomicBool,
    closing: Notify,
    /// How often it was started again, or not.
    attempts: watch::Sender<u32>,
    /// Held while a process is started.
    starting: AsyncMutex<()>,
    /// Its last process has ended, and its names are free.
    over: watch::Sender<bool>,
}

impl Run {
    pub(crate) fn new(connection: Arc<Connection>) -> Self {
        Self {
            connection: Mutex::new(connection),
            closed: AtomicBool::new(false),
            closing: Notify::new(),
            attempts: watch::Sender::new(0),
            starting: AsyncMutex::default(),
            over: watch::Sender::new(false),
        }
    }

    /// The newest of its processes.
    pub(crate) fn current(&self) -> Arc<Connection> {
        Arc::clone(&lock(&self.connection))
    }

    /// Whether its process is used, or is on the way to that.
    pub(crate) fn is_in_use(&self) -> bool {
        !self.is_closed() && self.current().is_in_use()
    }

    /// Waits until it is ready or has failed, also where it is started again at once.
    pub(crate) async fn started(&self, adapter: Option<&dyn Adapter>) {
        let mut attempts = self.attempts.subscribe();
        loop {
            let connection = self.current();
            connection.started().await;
            let is_trying = adapter.is_some_and(Adapter::is_trying) && !connection.is_ready();
            if !is_trying || self.is_closed() || attempts.changed().await.is_err() {
                return;
            }
        }
    }

    /// From here on no process is started in it; the guard waits for one that is just starting.
    pub(crate) async fn close(&self) -> AsyncMutexGuard<'_, ()> {
        self.close_now();
        self.starting.lock().await
    }

    /// The same without waiting; what is just starting is killed by whoever starts it.
    pub(crate) fn close_now(&self) {
        self.closed.store(true, Ordering::Release);
        self.closing.notify_one();
    }

    /// Waits until its last process has ended and its names are free; it must be closed for that.
    pub(crate) async fn over(&self) {
        // The sender is ours, so this cannot fail.
        let _ = self.over.subscribe().wait_for(|over| *over).await;
    }

    fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Acquire)
    }

    /// Starts the next process, unless the run is closed; whether one was started.
    async fn start(&self, launcher: &Launcher) -> bool {
        let _starting = self.starting.lock().await;
        if self.is_closed() {
            return false;
        }
        match launcher.start().await {
            Ok(connection) => {
                // Whoever closes the run ends the process that it finds in it: only then is none
                // overlooked that was started in the same moment.
                *lock(&self.connection) = Arc::clone(&connection);
                if self.is_closed() {
                    connection.kill();
                }
                true
            }
            Err(problem) => {
                let diagnosis = Arc::new(Diagnosis::before_start(&launcher.name, problem));
                let extension = launcher.name.clone();
                launcher.shared.news.tell(News::Failed { extension, diagnosis });
                false
            }
        }
    }
}

/// Starts an extension again as often as the policy says, and frees its names after that.
pub(crate) async fn supervise(run: Arc<Run>, launcher: Launcher, policy: RestartPolicy) {
    start_again(&run, &launcher, policy).await;
    run.close_now();
    // A process that was started in this moment is ended by whoever closed the run.
    run.current().ended().await;
    run.attempts.send_modify(|it| *it += 1);
    launcher.shared.registry().free_names(launcher.index);
    launcher.shared.publish();
    run.over.send_replace(true);
}

async fn start_again(run: &Run, launcher: &Launcher, policy: RestartPolicy) {
    let mut attempt = 0;
    let mut was_ready = false;
    loop {
        let connection = run.current();
        let began = Instant::now();
        let diagnosis = connection.ended().await.and_then(|ending| ending.diagnosis);
        // One that is refused would be refused again.
        let is_refused =
            matches!(&diagnosis, Some(it) if matches!(it.problem, Problem::McpServer { .. }));
        let failed = diagnosis.is_some() && !is_refused;
        was_ready |= connection.was_ready() || launcher.tries_another_way();
        attempt = if began.elapsed() < STEADY_AFTER { attempt + 1 } else { 1 };
        let wait = policy.wait(attempt).filter(|_| failed && was_ready && !run.is_closed());
        let Some(after) = wait else { return };
        let extension = launcher.name.clone();
        launcher.shared.news.tell(News::Restarting { extension, attempt, after });
        tokio::select! {
            () = tokio::time::sleep(after) => {}
            () = run.closing.notified() => return,
        }
        if !run.start(launcher).await {
            return;
        }
        run.attempts.send_modify(|it| *it += 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wait_doubles_and_ends() {
        let policy = RestartPolicy::OnFailure { backoff: Duration::from_secs(4), max: 6 };
        let waits = (1..=7).map(|attempt| policy.wait(attempt).map(|wait| wait.as_secs()));
        let expected = [Some(4), Some(8), Some(16), Some(32), Some(60), Some(60), None];
        assert_eq!(waits.collect::<Vec<_>>(), expected);
        assert_eq!(RestartPolicy::Off.wait(1), None);
    }
}
