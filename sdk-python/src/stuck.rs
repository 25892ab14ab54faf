//! Who goes on after its call was cancelled, and who keeps an event loop: the author is told on which
//! line.
//!
//! It is Python that knows the line, and a thread that holds Python may be what is stuck. So each look
//! is by a thread of its own, which nobody waits for.

use std::sync::{Arc, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use extline_driver::running::{self, Inside};
use pyo3::prelude::*;

use crate::core::Core;

/// How long a handler may go on after its cancel before that is told. The process of an extension ends
/// 1.25 s after a shutdown.
const GRACE: Duration = Duration::from_millis(500);
/// How long a handler may keep the event loop before that is told.
pub(crate) const KEPT: Duration = Duration::from_secs(1);

/// This thread is inside the handler from now on, until `running::leave`. `serial` is that of its call.
pub(crate) fn enter(py: Python<'_>, name: [&str; 2], serial: Option<u64>) {
    running::enter(name, serial, || ident(py).unwrap_or_default());
}

/// The thread as Python knows it.
fn ident(py: Python<'_>) -> PyResult<u64> {
    py.import("_thread")?.call_method0("get_ident")?.extract()
}

impl Core {
    /// A call was cancelled, or all were: looks a little later who goes on.
    pub(crate) fn watch_cancelled(self: &Arc<Self>, serials: impl IntoIterator<Item = u64>) {
        let now = Instant::now();
        let mut watched = self.watched();
        let is_watching = !watched.is_empty();
        watched.extend(serials.into_iter().map(|serial| (serial, now)));
        if is_watching || watched.is_empty() {
            return;
        }
        drop(watched);
        let core = Arc::downgrade(self);
        let watch = move || {
            while let Some(core) = core.upgrade() {
                let Some(&(_, first)) = core.watched().first() else { return };
                thread::sleep((first + GRACE).saturating_duration_since(Instant::now()));
                core.look();
            }
        };
        // Without a thread nobody looks.
        let _ = thread::Builder::new().name("extline stuck".to_owned()).spawn(watch);
    }

    /// Tells of those that had their time.
    fn look(&self) {
        let mut watched = self.watched();
        let have_had = watched.iter().take_while(|(_, at)| at.elapsed() >= GRACE).count();
        let serials: Vec<u64> = watched.drain(..have_had).map(|(serial, _)| serial).collect();
        drop(watched);
        let of_handler = |inside: Inside| (inside.thread, inside.name);
        let stuck: Vec<_> = running::threads(&serials).into_iter().map(of_handler).collect();
        if !stuck.is_empty() {
            self.tell_python("stuck", stuck);
        }
    }

    fn watched(&self) -> MutexGuard<'_, Vec<(u64, Instant)>> {
        self.watched.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The event loop has been kept for [`KEPT`].
    pub(crate) fn loop_is_kept(self: &Arc<Self>) {
        let core = Arc::clone(self);
        let _ = thread::Builder::new()
            .name("extline kept".to_owned())
            .spawn(move || core.tell_python("kept", Vec::new()));
    }

    fn tell_python(&self, method: &str, threads: Vec<(u64, String)>) {
        if self.has_finished() {
            return;
        }
        self.visits.visit(|py| {
            if let Err(error) = self.serving(py).call_method1(method, (threads,)) {
                error.write_unraisable(py, None);
            }
        });
    }
}
