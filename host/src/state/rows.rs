//! Where rows are: in memory, or in a database that one thread of the host's writes.

#[cfg(feature = "state")]
use std::path::PathBuf;
use std::sync::Mutex;

use extline_services::kept::{MemoryRows, Refusal, Rows};

#[cfg(feature = "state")]
use super::database::Writer;
use crate::lock::lock;

/// What is done with rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Work {
    /// It changes nothing, and waits for nobody who does.
    Reads,
    /// It may change something: all of it, or nothing.
    Writes,
}

/// Where rows are.
#[derive(Debug)]
pub(crate) enum Store {
    Memory(Mutex<MemoryRows>),
    #[cfg(feature = "state")]
    File(Writer),
}

impl Store {
    pub(crate) fn memory() -> Self {
        Self::Memory(Mutex::default())
    }

    /// Nothing is opened or made before it is used.
    #[cfg(feature = "state")]
    pub(crate) fn file(file: PathBuf) -> Self {
        Self::File(Writer::new(file))
    }

    /// Whether anything may be kept there.
    pub(crate) fn exists(&self) -> bool {
        match self {
            Self::Memory(_) => true,
            #[cfg(feature = "state")]
            Self::File(writer) => writer.exists(),
        }
    }

    /// Does work on the rows, as one transaction.
    #[cfg_attr(not(feature = "state"), expect(clippy::unused_async, reason = "a database waits"))]
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        #[cfg_attr(not(feature = "state"), expect(unused_variables, reason = "for a database"))]
        kind: Work,
        work: impl FnOnce(&mut dyn Rows) -> Result<T, Refusal> + Send + 'static,
    ) -> Result<T, Refusal> {
        match self {
            // The rules check before they write, and memory does not fail between.
            Self::Memory(rows) => work(&mut *lock(rows)),
            #[cfg(feature = "state")]
            Self::File(writer) => writer.run(kind, work).await,
        }
    }
}
