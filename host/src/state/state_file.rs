//! What is kept in a file, for people: looked at and taken away.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use extline_protocol::frame::RpcError;
use extline_services::kept;
use extline_services::state::Scope;

use super::rows::Work;
use super::{OwnedAsker, Place, State, error_of};

/// A file of [`HostBuilder::state`](crate::HostBuilder::state), without a host. Hosts may have it open meanwhile.
#[derive(Debug)]
pub struct StateFile {
    file: PathBuf,
    state: State,
}

impl StateFile {
    /// The file, and the project whose values are meant by the scope `project`. Nothing is opened or made.
    pub fn new(file: impl Into<PathBuf>, project: &Path) -> Self {
        let file = file.into();
        let state = State::new(&Place::File(file.clone()), super::project_of(project));
        Self { file, state }
    }

    /// What an extension keeps in a scope, JSON texts by their keys; of the scope `session` that of one
    /// conversation. Nothing where there is no file.
    ///
    /// `internal` where it cannot be read.
    pub async fn values(
        &self,
        extension: &str,
        scope: Scope,
        session: &str,
    ) -> Result<BTreeMap<String, String>, RpcError> {
        if !self.file.exists() {
            return Ok(BTreeMap::new());
        }
        let work = move |rows: &mut dyn kept::Rows, asker: &kept::Asker<'_>| {
            kept::values(rows, asker, scope)
        };
        let asker = asker(extension, session);
        self.state.with(&asker, false, Work::Reads, work).await.map_err(error_of)
    }

    /// Takes all of that away; how many values there were.
    ///
    /// `internal` where it cannot be read or written.
    pub async fn clear(
        &self,
        extension: &str,
        scope: Scope,
        session: &str,
    ) -> Result<usize, RpcError> {
        if !self.file.exists() {
            return Ok(0);
        }
        let work = move |rows: &mut dyn kept::Rows, asker: &kept::Asker<'_>| {
            kept::clear(rows, asker, scope)
        };
        let asker = asker(extension, session);
        self.state.with(&asker, false, Work::Writes, work).await.map_err(error_of)
    }
}

fn asker(extension: &str, session: &str) -> OwnedAsker {
    OwnedAsker { extension: extension.to_owned(), session: Some(session.to_owned()) }
}
