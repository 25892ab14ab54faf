//! What the processes of one host share: their marks, their watchdog, and the search for those that
//! got away.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use super::mark::Mark;
use super::{Strays, Watchdog};

/// What the processes of one host share.
#[derive(Debug)]
pub(crate) struct HostProcesses {
    pub(crate) strays: Strays,
    mark: Mark,
    /// Processes that were started so far.
    started: AtomicU64,
    /// Started with the first extension; `Err` says why there is none.
    watchdog: OnceLock<Result<Arc<Watchdog>, String>>,
}

impl HostProcesses {
    pub(crate) fn new() -> Self {
        Self {
            strays: Strays::default(),
            mark: Mark::of_host(),
            started: AtomicU64::new(0),
            watchdog: OnceLock::new(),
        }
    }

    /// The mark of the next process.
    pub(crate) fn next_mark(&self) -> Mark {
        self.mark.of_process(self.started.fetch_add(1, Ordering::Relaxed))
    }

    /// Who ends the extensions if this process is killed (`end.host-killed`); `Err` says why nobody
    /// does.
    pub(crate) fn watchdog(&self) -> Result<&Arc<Watchdog>, &str> {
        let start = || match Watchdog::start(&self.mark) {
            Ok(watchdog) => Ok(Arc::new(watchdog)),
            Err(error) => Err(format!(
                "nobody ends this extension if the host is killed: /bin/sh could not be started: \
                 {error}"
            )),
        };
        self.watchdog.get_or_init(start).as_ref().map_err(String::as_str)
    }

    /// Nothing is left to watch.
    pub(crate) async fn end_watchdog(&self) {
        if let Some(Ok(watchdog)) = self.watchdog.get() {
            watchdog.end().await;
        }
    }
}
