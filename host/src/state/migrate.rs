//! Values of another version than the extension knows: it is asked to migrate them, once for each slot in use.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use extline_protocol::frame::{Parent, ParentKind};
use extline_protocol::{ErrorKind, Id, RawJson};
use extline_services::Method as _;
use extline_services::kept::{self, Refusal};
use extline_services::state::{Migrate, MigrateMethod, Migrated, Scope};

use super::rows::Work;
use super::{OwnedAsker, State};
use crate::calls::Request;
use crate::connection::{Connection, MethodCall};
use crate::lock::lock;
use crate::report::CallError;

/// How long an extension may take for a portion.
const PATIENCE: Duration = Duration::from_secs(30);

/// The extension that migrates, and the id of what it is asked.
#[derive(Debug, Default)]
pub(super) struct Migrating(Mutex<Option<(String, Id)>>);

impl State {
    /// What is asked from within `state.migrate` would wait for itself.
    pub(super) fn refuse_while_migrating(&self, call: &MethodCall) -> Result<(), Refusal> {
        let Some(Parent { kind: ParentKind::Request, id }) = &call.parent else { return Ok(()) };
        match &*lock(&self.migrated_now.0) {
            Some((extension, migrating)) if *extension == call.extension && migrating == id => {
                let text = format!(
                    "{} cannot be asked for while {} is answered: give the values as its answer",
                    call.method,
                    MigrateMethod::NAME
                );
                Err(Refusal::new("conflict", text))
            }
            _ => Ok(()),
        }
    }

    /// Brings the values of a slot to a version, all of them or none.
    pub(super) async fn migrate(
        &self,
        connection: &Arc<Connection>,
        asker: &OwnedAsker,
        scope: Scope,
        to: u64,
    ) -> Result<(), Refusal> {
        let _alone = self.migrating.lock().await;
        let is_of_session = scope == Scope::Session;
        let read = move |rows: &mut dyn kept::Rows, asker: &kept::Asker<'_>| {
            kept::migration(rows, asker, scope, to)
        };
        let Some(migration) = self.with(asker, is_of_session, Work::Reads, read).await? else {
            // Another request of the extension's had it done.
            return Ok(());
        };
        let mut values = BTreeMap::new();
        for portion in &migration.portions {
            values.extend(self.ask(connection, portion).await?);
        }
        let put = move |rows: &mut dyn kept::Rows, asker: &kept::Asker<'_>| {
            kept::put_migrated(rows, asker, scope, &migration, &values)
        };
        // Where somebody changed them meanwhile they are read again.
        self.with(asker, is_of_session, Work::Writes, put).await.map(drop)
    }

    async fn ask(
        &self,
        connection: &Arc<Connection>,
        portion: &Migrate,
    ) -> Result<BTreeMap<String, Box<serde_json::value::RawValue>>, Refusal> {
        let unusable = |error: &dyn std::fmt::Display| {
            Refusal::new("conflict", format!("{}: {error}; nothing was changed", said(portion)))
        };
        let params = RawJson::of(portion).map_err(|error| unusable(&error))?;
        let sent = Request::send(connection, MigrateMethod::NAME, Some(params), PATIENCE);
        let request = sent.map_err(|error| match error {
            CallError::Unusable { kind: ErrorKind::Unsupported, .. } => {
                let text = format!(
                    "{}, and {} does not say how to migrate them: give it a function that does, or let it ask for \
                     version {}; nothing was changed",
                    said(portion),
                    connection.name(),
                    portion.from
                );
                Refusal::new("conflict", text)
            }
            error => unusable(&error),
        })?;
        *lock(&self.migrated_now.0) = Some((connection.name().to_owned(), request.id().clone()));
        let answer = request.outcome().await;
        *lock(&self.migrated_now.0) = None;
        let answer = answer.map_err(|error| unusable(&error))?;
        let migrated: Migrated =
            serde_json::from_str(answer.get()).map_err(|error| unusable(&error))?;
        Ok(migrated.data)
    }
}

fn said(portion: &Migrate) -> String {
    format!(
        "the values in scope {} have version {} and are asked for in version {}",
        portion.scope.as_str(),
        portion.from,
        portion.to
    )
}
