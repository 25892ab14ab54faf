//! How the extension in a place is replaced by what is there now.

use std::sync::Arc;
use std::time::{Duration, Instant};

use extline_protocol::frame::ShutdownReason;
use thiserror::Error;

use super::switching::in_the_end;
use super::{EnableError, Slot};
use crate::connection::{News, Reload};
use crate::host::{Host, HostBuilder, RestartPolicy};
use crate::registry::Difference;
use crate::report::Diagnosis;
use crate::source::ExtensionSource;
use crate::status::ExtensionState;

/// Why an extension is not what is there now after [`Host::reload`].
#[derive(Clone, Debug, Error)]
#[non_exhaustive]
pub enum ReloadError {
    /// What is there now does not start on trial. Nothing has changed: the version before goes on.
    #[error(
        "{name} goes on as it was, since what is there now does not start: {}; {}",
        .diagnosis.summary(), .diagnosis.suggestion
    )]
    GoesOn {
        /// The extension.
        name: String,
        /// Why it does not start.
        diagnosis: Arc<Diagnosis>,
    },
    /// It started on trial and not in its place, or there was none before that could go on.
    #[error(transparent)]
    NotStarted(#[from] EnableError),
}

impl ReloadError {
    /// Why what is there now does not start, where that was tried.
    pub fn diagnosis(&self) -> Option<&Arc<Diagnosis>> {
        match self {
            Self::GoesOn { diagnosis, .. }
            | Self::NotStarted(EnableError::Failed { diagnosis, .. }) => Some(diagnosis),
            Self::NotStarted(_) => None,
        }
    }
}

impl Slot {
    /// Starts what is there now on trial, and where that is well, puts it in the place of what runs.
    pub(crate) async fn reload(
        self: &Arc<Self>,
        drain: Duration,
    ) -> Result<Difference, ReloadError> {
        let renewed = in_the_end(Arc::clone(self).renew(drain)).await;
        renewed.unwrap_or_else(|| Err(self.stopped().into()))
    }

    async fn renew(self: Arc<Self>, drain: Duration) -> Result<Difference, ReloadError> {
        let began = Instant::now();
        let _reloading = self.reloading.lock().await;
        let before = self.shared.registry().registered_by(self.index);
        if self.is_in_use() {
            self.try_out().await?;
            // Held until it is over: the next turn begins after that.
            let reload = self.shared.emission.turns.reload();
            self.until_the_turn_has_ended(&reload).await;
            let mut replaced = Arc::clone(&self).replace(drain).await;
            if let Err(EnableError::Failed { .. }) = replaced {
                // It has started on trial, and the one before is gone: what it had may be free only now.
                replaced = self.enable().await;
            }
            self.reloaded(replaced.is_ok());
            replaced?;
        } else {
            self.enable().await?;
        }
        let difference = before.difference(&self.shared.registry().registered_by(self.index));
        self.shared.news.tell(News::Reloaded {
            extension: self.name.clone(),
            difference: difference.clone(),
            took: began.elapsed(),
        });
        Ok(difference)
    }

    /// Starts it beside the one that runs, in a host of its own, and ends it when it is ready.
    async fn try_out(&self) -> Result<(), ReloadError> {
        let builder = HostBuilder {
            sources: vec![self.source.wanted().clone()],
            // Another one may be served by now than at the start.
            session: self.shared.emission.session(),
            trace: None,
            restart: RestartPolicy::Off,
            ..(*self.given).clone()
        };
        let host = Host::start(builder.cwd(self.cwd.clone())).await;
        let status = host.extensions().pop();
        host.shutdown().await;
        match status.map(|status| status.state) {
            Some(ExtensionState::Failed(diagnosis)) => {
                Err(ReloadError::GoesOn { name: self.name.clone(), diagnosis })
            }
            _ => Ok(()),
        }
    }

    /// Waits where the agent is within a turn. Ends too when the host does.
    async fn until_the_turn_has_ended(&self, reload: &Reload<'_>) {
        if !reload.waits() {
            return;
        }
        self.shared.news.tell(News::ReloadWaits { extension: self.name.clone() });
        let mut closed = self.closed.subscribe();
        tokio::select! {
            () = reload.until_its_turn_has_ended() => {}
            _ = closed.wait_for(|is_closed| *is_closed) => {}
        }
    }

    /// Ends what runs once it has answered, and starts what is there now. Its guards stay where they are, and
    /// calls of its tools and commands wait until it is there again.
    async fn replace(self: Arc<Self>, drain: Duration) -> Result<(), EnableError> {
        {
            let _switching = self.switching.lock().await;
            let run = self.run().filter(|run| run.is_in_use() && !*self.closed.borrow());
            let run = run.ok_or_else(|| self.stopped())?;
            self.shared.begin_to_reload(self.index);
            self.end_run(&run, drain, ShutdownReason::Reload).await;
            if *self.closed.borrow() {
                return Err(self.stopped());
            }
            self.expect();
            let outcome = self.start().await;
            self.settle(outcome).map_err(|diagnosis| self.failed(diagnosis))?;
        }
        self.enable().await
    }

    /// Calls go on.
    pub(super) fn reloaded(&self, is_there: bool) {
        {
            let mut registry = self.shared.registry();
            registry.set_reloading(self.index, false);
            if !is_there {
                registry.let_go_of_names(self.index);
            }
        }
        self.shared.standings.send_replace(());
        self.shared.publish();
    }
}

impl ExtensionSource {
    /// The same, to be started with the host.
    fn wanted(&self) -> &Self {
        match self {
            Self::OnDemand(source) => source.wanted(),
            source => source,
        }
    }
}
