//! How the extension in a place is switched on and off.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use extline_protocol::frame::ShutdownReason;

use super::{EnableError, Found, Slot, Stage};
use crate::connection::Connection;
use crate::host::restart::Run;
use crate::lock::lock;
use crate::process::Environments;
use crate::report::{Diagnosis, Ending, Problem};
use crate::source::Plan;
use crate::status::ExtensionState;

/// How it is switched on and off. Each of these goes on when nobody waits for it any more: half of
/// it would leave a process that nobody knows of.
impl Slot {
    /// Starts it, where it is not in use, and waits until it is ready or has failed.
    pub(crate) async fn enable(self: &Arc<Self>) -> Result<(), EnableError> {
        let Some(listed) = self.begin_use() else { return self.enable_it().await };
        let slot = Arc::clone(self);
        let used = in_the_end(async move {
            let enabled = slot.enable_it().await;
            slot.used(&listed, enabled.as_ref().copied());
            enabled
        });
        used.await.unwrap_or_else(|| Err(self.stopped()))
    }

    async fn enable_it(self: &Arc<Self>) -> Result<(), EnableError> {
        let run =
            in_the_end(Arc::clone(self).begin()).await.unwrap_or_else(|| Err(self.stopped()))?;
        run.started(self.adapter()).await;
        let slot = Arc::clone(self);
        in_the_end(async move { slot.refuse_clashes().await }).await;
        let connection = run.current();
        match connection.status().state {
            ExtensionState::Ready => Ok(()),
            ExtensionState::Failed(diagnosis) => Err(self.failed(diagnosis)),
            _ => Err(self.stopped()),
        }
    }

    async fn begin(self: Arc<Self>) -> Result<Arc<Run>, EnableError> {
        let _switching = self.switching.lock().await;
        if *self.closed.borrow() {
            return Err(self.stopped());
        }
        if let Some(before) = self.run() {
            if before.is_in_use() {
                return Ok(before);
            }
            // It has failed, and may be waiting for its restart.
            drop(before.close().await);
            before.over().await;
        }
        self.expect();
        let outcome = self.start().await;
        let run = self.settle(outcome);
        run.map_err(|diagnosis| self.failed(diagnosis))
    }

    /// Starts what is there now: it may be mended since the last time.
    pub(super) async fn start(&self) -> Result<Arc<Run>, Problem> {
        let environments = Environments::new(&self.builder.environment);
        let Plan { dir, manifest, guards, launch, .. } =
            Plan::of(&self.source, &self.cwd, &environments);
        if self.builder.profile.guards_fail_closed {
            self.shared.registry().declare_in_manifest(self.index, &guards);
        }
        self.config.describe(manifest.clone());
        *lock(&self.found) = Found { dir, manifest };
        let launch = launch?;
        self.prepare()?;
        let launcher = self.launcher(launch);
        let ordered = launcher.order()?;
        launcher.start_run(ordered).await
    }

    /// Refuses new calls, waits for those that run, `drain` at most, and ends it. How it ended;
    /// `None` where it had no process.
    pub(crate) async fn disable(self: &Arc<Self>, drain: Duration) -> Option<Ending> {
        in_the_end(Arc::clone(self).end(drain)).await.flatten()
    }

    async fn end(self: Arc<Self>, drain: Duration) -> Option<Ending> {
        let _switching = self.switching.lock().await;
        let run = match &*lock(&self.stage) {
            Stage::Disabled(_) => return None,
            Stage::Failed(_) | Stage::NotStarted => None,
            Stage::Running(run) => Some(Arc::clone(run)),
        };
        self.shared.registry().begin_to_disable(self.index);
        let ending = match &run {
            Some(run) => self.end_run(run, drain, ShutdownReason::Disabled).await,
            None => None,
        };
        // Last, so that where its guards stood nothing passes before it has ended.
        self.shared.registry().disable(self.index);
        *lock(&self.stage) = Stage::Disabled(run);
        self.shared.standings.send_replace(());
        self.shared.publish();
        ending
    }

    /// Waits for the calls that it has, `drain` at most, and ends it. Where it is reloaded its names stay its own.
    pub(super) async fn end_run(
        &self,
        run: &Run,
        drain: Duration,
        reason: ShutdownReason,
    ) -> Option<Ending> {
        drop(run.close().await);
        let connection = run.current();
        self.drained(&connection, drain).await;
        if reason == ShutdownReason::Reload {
            self.shared.registry().keep_names(self.index);
        }
        connection.begin_shutdown(reason);
        let ending = connection.ended().await;
        run.over().await;
        ending
    }

    /// Waits for the calls that it has, `drain` at most.
    pub(super) async fn drained(&self, connection: &Connection, drain: Duration) {
        let mut closed = self.closed.subscribe();
        tokio::select! {
            () = connection.drain() => {}
            () = tokio::time::sleep(drain) => {}
            _ = closed.wait_for(|closed| *closed) => {}
        }
    }

    /// Ends it at once, and never starts it again.
    pub(crate) async fn remove(self: &Arc<Self>) -> Option<Ending> {
        self.close_for_good();
        let slot = Arc::clone(self);
        in_the_end(async move {
            let _switching = slot.switching.lock().await;
            let ending = match slot.run() {
                Some(run) => {
                    drop(run.close().await);
                    run.current().begin_shutdown(ShutdownReason::Disabled);
                    run.current().ended().await
                }
                None => None,
            };
            slot.is_removed.store(true, Ordering::Release);
            slot.shared.registry().take_away(slot.index);
            slot.shared.standings.send_replace(());
            slot.shared.publish();
            ending
        })
        .await
        .flatten()
    }

    /// Nothing is started here any more; what is just starting is killed by whoever starts it.
    pub(super) fn close_for_good(&self) {
        self.closed.send_replace(true);
        if let Some(run) = self.run() {
            run.close_now();
        }
    }

    /// The same; waits for what is just starting, and tells all that runs to end.
    pub(crate) async fn begin_shutdown(&self) {
        let _switching = self.switching.lock().await;
        if let Some(run) = self.run() {
            drop(run.close().await);
            run.current().begin_shutdown(ShutdownReason::Exit);
        }
    }

    /// The same without waiting.
    pub(crate) fn begin_shutdown_now(&self) {
        self.close_for_good();
        if let Some(run) = self.run() {
            run.current().begin_shutdown(ShutdownReason::Exit);
        }
    }

    pub(super) fn failed(&self, diagnosis: Arc<Diagnosis>) -> EnableError {
        EnableError::Failed { name: self.name.clone(), diagnosis }
    }

    pub(super) fn stopped(&self) -> EnableError {
        EnableError::Stopped { name: self.name.clone() }
    }
}

/// What comes of work that goes on when this is dropped; `None` where the runtime ends before.
pub(super) async fn in_the_end<T: Send + 'static>(
    work: impl Future<Output = T> + Send + 'static,
) -> Option<T> {
    tokio::spawn(work).await.ok()
}
