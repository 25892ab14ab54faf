//! Rows in `SQLite`: a file that several hosts may have open, and that outlives each of them at any moment.
//!
//! One thread of a host's has the connection. Each piece of work is one transaction, so that a process that is
//! killed leaves all of it or nothing. Where another process writes, this one waits for its turn.

mod tables;

use std::path::{Path, PathBuf};
use std::sync::{Mutex, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use extline_services::kept::{Refusal, Rows};
use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};
use tokio::sync::oneshot;

use self::tables::Tables;
use super::rows::Work;
use crate::file::{append, make_folder};
use crate::lock::lock;

/// How long to wait for another process to finish what it writes.
const BUSY: Duration = Duration::from_secs(10);
/// The layout of the tables.
const LAYOUT: u32 = 1;

type Job = Box<dyn FnOnce(&mut Database) + Send>;

/// The thread that has the database. It ends when this is dropped.
#[derive(Debug)]
pub(crate) struct Writer {
    file: PathBuf,
    jobs: Mutex<Option<mpsc::Sender<Job>>>,
}

impl Writer {
    pub(super) fn new(file: PathBuf) -> Self {
        Self { file, jobs: Mutex::default() }
    }

    pub(super) fn exists(&self) -> bool {
        self.file.exists()
    }

    pub(super) async fn run<T: Send + 'static>(
        &self,
        kind: Work,
        work: impl FnOnce(&mut dyn Rows) -> Result<T, Refusal> + Send + 'static,
    ) -> Result<T, Refusal> {
        let (sender, outcome) = oneshot::channel();
        self.order(Box::new(move |database| {
            // Nobody may want it any more.
            let _ = sender.send(database.transact(kind, work));
        }))?;
        let gone = |_| Refusal::new("internal", "the thread that keeps values has ended");
        outcome.await.unwrap_or_else(|error| Err(gone(error)))
    }

    /// Gives a job to the thread, which is started with the first one.
    fn order(&self, job: Job) -> Result<(), Refusal> {
        let mut jobs = lock(&self.jobs);
        let job = match jobs.as_ref() {
            None => job,
            Some(sender) => match sender.send(job) {
                Ok(()) => return Ok(()),
                // It has panicked, and a new one begins where it was.
                Err(mpsc::SendError(job)) => job,
            },
        };
        self.start(&mut jobs, job)
    }

    fn start(&self, jobs: &mut Option<mpsc::Sender<Job>>, job: Job) -> Result<(), Refusal> {
        let (sender, receiver) = mpsc::channel::<Job>();
        let mut database = Database { file: self.file.clone(), connection: None };
        let serve = move || {
            for job in receiver {
                job(&mut database);
            }
        };
        let started = thread::Builder::new().name("extline-state".to_owned()).spawn(serve);
        started.map_err(|error| Refusal::new("internal", error.to_string()))?;
        let _ = sender.send(job);
        *jobs = Some(sender);
        Ok(())
    }
}

/// The database, opened when it is first needed.
struct Database {
    file: PathBuf,
    connection: Option<Connection>,
}

impl Database {
    fn transact<T>(
        &mut self,
        kind: Work,
        work: impl FnOnce(&mut dyn Rows) -> Result<T, Refusal>,
    ) -> Result<T, Refusal> {
        let Self { file, connection } = self;
        let failed = |error: &dyn std::fmt::Display| failed(file, error);
        let connection = match connection {
            Some(connection) => connection,
            None => connection.insert(open(file).map_err(|error| failed(&error))?),
        };
        let behavior = match kind {
            Work::Reads => TransactionBehavior::Deferred,
            // From the beginning: what was read is still so when it is written.
            Work::Writes => TransactionBehavior::Immediate,
        };
        let begun = connection.transaction_with_behavior(behavior);
        let transaction = begun.map_err(|error| failed(&error))?;
        let done = work(&mut Tables { connection: &transaction, file })?;
        // One that is dropped is rolled back.
        transaction.commit().map_err(|error| failed(&error))?;
        Ok(done)
    }
}

fn failed(file: &Path, error: &dyn std::fmt::Display) -> Refusal {
    let text = format!("what is kept in {} cannot be read or written: {error}", file.display());
    Refusal::new("internal", text)
}

/// Opens the file, or makes it, in a folder and with rights for this user alone.
fn open(file: &Path) -> Result<Connection, Box<dyn std::error::Error>> {
    if let Some(folder) = file.parent() {
        make_folder(folder)?;
    }
    // It is made here, since SQLite would let others read it. What it makes beside it has the same rights.
    drop(append(file)?);
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(file, flags)?;
    connection.busy_timeout(BUSY)?;
    patiently(|| connection.pragma_update(None, "journal_mode", "WAL"))?;
    // After a crash of the system the last transactions may be missing; nothing is ever half there.
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    connection.pragma_update(None, "trusted_schema", false)?;
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let layout: u32 = transaction.pragma_query_value(None, "user_version", |row| row.get(0))?;
    match layout {
        0 => {
            transaction.execute_batch(tables::TABLES)?;
            transaction.pragma_update(None, "user_version", LAYOUT)?;
        }
        LAYOUT => {}
        later => {
            let text =
                format!("it has the layout {later}, of a later extline; this one knows {LAYOUT}");
            return Err(text.into());
        }
    }
    transaction.commit()?;
    Ok(connection)
}

/// Two processes that switch to WAL at once are told at once that it is busy, whatever patience is set.
fn patiently<T>(mut act: impl FnMut() -> rusqlite::Result<T>) -> rusqlite::Result<T> {
    let until = Instant::now() + BUSY;
    loop {
        match act() {
            Err(rusqlite::Error::SqliteFailure(error, _))
                if matches!(error.code, ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked)
                    && Instant::now() < until =>
            {
                thread::sleep(Duration::from_millis(5));
            }
            outcome => return outcome,
        }
    }
}
