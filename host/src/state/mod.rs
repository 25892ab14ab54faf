//! What extensions keep with the host: values and entries of conversations (`state.*`, `session.*`).
//!
//! The rules are those of `extline_services::kept`. Here is where the rows are, and how an extension is asked to
//! migrate its own.

#[cfg(feature = "state")]
mod database;
mod migrate;
mod rows;
mod serve;
#[cfg(feature = "state")]
mod state_file;

use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use extline_protocol::frame::RpcError;
use extline_protocol::{ErrorKind, RawJson};
use extline_services::kept::{self, Asker, Moved, Refusal, Rows};
use tokio::sync::Mutex as AsyncMutex;

use self::migrate::Migrating;
use self::rows::{Store, Work};
pub(crate) use self::serve::methods;
#[cfg(feature = "state")]
pub use self::state_file::StateFile;

/// Where a host keeps what extensions keep with it.
#[derive(Clone, Debug)]
pub(crate) enum Place {
    /// In a database.
    #[cfg_attr(not(feature = "state"), expect(dead_code, reason = "nothing makes one"))]
    File(PathBuf),
    /// In this process.
    Memory,
}

/// What extensions keep with a host.
#[derive(Debug)]
pub(crate) struct State {
    /// What outlives the host, or, where nothing does, what does not.
    lasting: Store,
    /// What belongs to no conversation that has a name, and so to this run of the host.
    passing: Store,
    is_durable: bool,
    /// The project's folder, without links in its path.
    project: String,
    /// One at a time asks extensions to migrate.
    migrating: AsyncMutex<()>,
    migrated_now: Migrating,
}

/// Who asks, for a thread that outlives the request.
#[derive(Clone, Debug)]
pub(crate) struct OwnedAsker {
    pub(crate) extension: String,
    pub(crate) session: Option<String>,
}

impl State {
    pub(crate) fn new(place: &Place, project: String) -> Self {
        let (lasting, is_durable) = match place {
            Place::Memory => (Store::memory(), false),
            #[cfg(feature = "state")]
            Place::File(file) => (Store::file(file.clone()), true),
            #[cfg(not(feature = "state"))]
            Place::File(_) => (Store::memory(), false),
        };
        let (migrating, migrated_now) = (AsyncMutex::default(), Migrating::default());
        Self { lasting, passing: Store::memory(), is_durable, project, migrating, migrated_now }
    }

    /// Does work on rows, as one transaction: those of the conversation, or those that all conversations share.
    async fn with<T: Send + 'static>(
        &self,
        asker: &OwnedAsker,
        is_of_session: bool,
        kind: Work,
        work: impl FnOnce(&mut dyn Rows, &Asker<'_>) -> Result<T, Refusal> + Send + 'static,
    ) -> Result<T, Refusal> {
        let passes = is_of_session && asker.session.is_none();
        let store = if passes { &self.passing } else { &self.lasting };
        let (asker, project) = (asker.clone(), self.project.clone());
        let durable = self.is_durable && !passes;
        let work = move |rows: &mut dyn Rows| {
            let OwnedAsker { extension, session } = &asker;
            let (project, session) = (project.as_str(), session.as_deref());
            work(rows, &Asker { extension, project, session, durable, now_ms: now_ms() })
        };
        store.run(kind, work).await
    }

    /// Whether something is kept with that conversation already. Nothing is made for it.
    pub(crate) async fn knows(&self, session: &str) -> Result<bool, Refusal> {
        if !self.lasting.exists() {
            return Ok(false);
        }
        let session = session.to_owned();
        self.lasting.run(Work::Reads, move |rows| kept::is_known(rows, &session)).await
    }

    /// Begins a conversation as a branch of another one.
    pub(crate) async fn fork(&self, old: &str, new: &str, at: Option<&str>) -> Result<(), Refusal> {
        let (old, new, at) = (old.to_owned(), new.to_owned(), at.map(str::to_owned));
        let fork = move |rows: &mut dyn Rows| kept::fork(rows, &old, &new, at.as_deref(), now_ms());
        self.lasting.run(Work::Writes, fork).await
    }

    /// The place in the history of a conversation as it stands.
    pub(crate) async fn mark(&self, session: &str) -> Result<String, Refusal> {
        let session = session.to_owned();
        let mark = move |rows: &mut dyn Rows| kept::mark(rows, &session, now_ms());
        self.lasting.run(Work::Writes, mark).await
    }

    /// Goes to another place of the history of a conversation.
    pub(crate) async fn move_to(&self, session: &str, leaf: &str) -> Result<Moved, Refusal> {
        let (session, leaf) = (session.to_owned(), leaf.to_owned());
        let go = move |rows: &mut dyn Rows| kept::move_to(rows, &session, &leaf, now_ms());
        self.lasting.run(Work::Writes, go).await
    }
}

/// As it goes over the wire.
pub(crate) fn error_of(refusal: Refusal) -> RpcError {
    let data = refusal.data.and_then(|data| RawJson::of(&data).ok());
    RpcError { data, ..RpcError::new(ErrorKind::from(refusal.code), refusal.message) }
}

fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// By what the scope `project` is kept: the folder itself, whatever links lead there.
pub(crate) fn project_of(cwd: &Path) -> String {
    let folder = crate::file::real(cwd);
    folder.as_deref().unwrap_or(cwd).to_string_lossy().into_owned()
}
