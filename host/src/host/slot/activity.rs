//! How an extension is put out of use, and into use again, while its process runs.

use std::sync::Arc;
use std::time::Duration;

use extline_protocol::RawJson;
use extline_services::Method;
use extline_services::lifecycle::{Activate, ActivateMethod, Deactivate, DeactivateMethod};

use super::{Slot, Stage};
use crate::calls::Request;
use crate::connection::Connection;
use crate::lock::lock;
use crate::report::CallError;

impl Slot {
    /// Calls nothing of it from here on, waits for the calls that run, `drain` at most, and tells it. Where it says no,
    /// it stays in use.
    pub(in crate::host) async fn deactivate(&self, drain: Duration) -> Result<(), CallError> {
        let _alone = self.reloading.lock().await;
        let connection = self.to_tell(DeactivateMethod::NAME)?;
        if self.shared.registry().is_inactive(self.index) {
            return Ok(());
        }
        self.set_in_use(false);
        let Some(connection) = connection else { return Ok(()) };
        {
            // Whoever disables it lets it take nothing again.
            let _switching = self.switching.lock().await;
            self.drained(&connection, drain).await;
            connection.end_drain();
        }
        let drain_ms = u64::try_from(drain.as_millis()).unwrap_or(u64::MAX);
        let told = tell::<DeactivateMethod>(&connection, &Deactivate { drain_ms }, drain).await;
        if told.is_err() {
            self.set_in_use(true);
        }
        told
    }

    /// Tells it, and calls it again. Where it says no, it stays out of use.
    pub(in crate::host) async fn activate(&self) -> Result<(), CallError> {
        let _alone = self.reloading.lock().await;
        let connection = self.to_tell(ActivateMethod::NAME)?;
        if !self.shared.registry().is_inactive(self.index) {
            return Ok(());
        }
        if let Some(connection) = connection {
            let timeout = self.shared.deadlines.tool;
            tell::<ActivateMethod>(&connection, &Activate {}, timeout).await?;
        }
        self.set_in_use(true);
        Ok(())
    }

    /// Its process; `None` where it is not started yet.
    fn to_tell(&self, method: &str) -> Result<Option<Arc<Connection>>, CallError> {
        if matches!(&*lock(&self.stage), Stage::NotStarted) {
            return Ok(None);
        }
        self.connection(method).map(Some)
    }

    fn set_in_use(&self, is_in_use: bool) {
        self.shared.registry().set_in_use(self.index, is_in_use);
        self.shared.standings.send_replace(());
        self.shared.publish();
    }
}

/// Asks it, where it serves that, and waits until it has done so.
async fn tell<M: Method>(
    connection: &Arc<Connection>,
    params: &M::Params,
    timeout: Duration,
) -> Result<(), CallError> {
    let hello = connection.status().hello;
    if !hello.is_some_and(|hello| hello.methods.iter().flatten().any(|method| method == M::NAME)) {
        return Ok(());
    }
    let params = serde_json::to_string(params).ok().and_then(|text| RawJson::parse(&text).ok());
    Request::send(connection, M::NAME, params, timeout)?.outcome().await.map(drop)
}
