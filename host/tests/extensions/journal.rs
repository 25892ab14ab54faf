//! Extensions of `caller.py`, and the journal of what happened in them.

use std::path::{Path, PathBuf};

use extline_host::ExtensionSource;
use serde_json::Value;

use crate::support::{LONG, python};

/// A file that several extensions write to.
pub(crate) struct Journal(PathBuf);

impl Journal {
    pub(crate) fn new(dir: &Path) -> Self {
        Self(dir.join("journal"))
    }

    /// An extension of `caller.py` with these tools.
    pub(crate) fn caller(&self, name: &str, tools: &[&str]) -> ExtensionSource {
        let args = [name.into(), self.0.clone().into_os_string()];
        let tools = tools.iter().map(std::ffi::OsString::from);
        python("caller.py", args.into_iter().chain(tools)).named(name)
    }

    /// What happened so far: who, what, and more about it.
    pub(crate) fn entries(&self) -> Vec<(String, String, Value)> {
        let journal = std::fs::read_to_string(&self.0).unwrap_or_default();
        // The last line may be half written.
        let whole = journal.rfind('\n').map_or("", |end| &journal[..end]);
        whole.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// What happened, as `who: what`.
    pub(crate) fn lines(&self) -> Vec<String> {
        self.entries().into_iter().map(|(who, what, _)| format!("{who}: {what}")).collect()
    }

    /// Waits until something has happened so often.
    pub(crate) async fn until(&self, line: &str, times: usize) {
        let happened = async {
            while self.lines().iter().filter(|it| *it == line).count() < times {
                tokio::time::sleep(std::time::Duration::from_millis(5)).await;
            }
        };
        let message = || format!("{line} did not happen {times} times: {:?}", self.lines());
        tokio::time::timeout(LONG, happened).await.unwrap_or_else(|_| panic!("{}", message()));
    }
}
