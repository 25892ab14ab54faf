//! The file of `--trace`: what could not be written is told at once, and in the exit code.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use extline_host::Trace;
use tokio::sync::Notify;

/// A trace in a file. Clones write to the same one.
///
/// A write never fails for whoever writes: the trace ends, and the session does not.
#[derive(Clone, Debug)]
pub(crate) struct TraceFile {
    path: PathBuf,
    state: Arc<Mutex<State>>,
    failed: Arc<Notify>,
}

#[derive(Debug)]
struct State {
    /// `None` from the first failure on.
    file: Option<BufWriter<File>>,
    /// Why there is no file any more, until it is told.
    failure: Option<io::Error>,
}

impl TraceFile {
    /// Makes the file anew; `Err` says why there is none.
    pub(crate) fn create(path: &Path) -> Result<Self, String> {
        let file = Trace::create_file(path)
            .map_err(|error| format!("the trace {} cannot be written: {error}", path.display()))?;
        let state = State { file: Some(BufWriter::new(file)), failure: None };
        let state = Arc::new(Mutex::new(state));
        Ok(Self { path: path.to_owned(), state, failed: Arc::default() })
    }

    /// Why the trace ends, as soon as it does. May be dropped and called again.
    pub(crate) async fn failure(&self) -> String {
        loop {
            if let Some(failure) = self.take_failure() {
                return failure;
            }
            self.failed.notified().await;
        }
    }

    /// Writes what waits; why the trace ends, where it does and that was not told.
    pub(crate) fn write_out(&mut self) -> Option<String> {
        self.act(BufWriter::flush);
        self.take_failure()
    }

    /// Why it ended, where that was not told.
    fn take_failure(&self) -> Option<String> {
        let failure = self.lock().failure.take()?;
        Some(format!("the trace {} ends here: {failure}", self.path.display()))
    }

    /// Writes all that waits, down to the disk; whether the trace is whole, and why it is not, where
    /// that was not told.
    pub(crate) fn close(&self) -> (bool, Option<String>) {
        self.act(|file| {
            file.flush()?;
            // Some file systems tell only here that there was no room. A pipe or a device cannot be
            // synchronized, and need not be.
            let needless = [io::ErrorKind::InvalidInput, io::ErrorKind::Unsupported];
            let written = file.get_ref().sync_data();
            written.or_else(
                |error| {
                    if needless.contains(&error.kind()) { Ok(()) } else { Err(error) }
                },
            )
        });
        let is_whole = self.lock().file.is_some();
        (is_whole, self.take_failure())
    }

    fn act(&self, act: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>) {
        let mut state = self.lock();
        let Some(file) = &mut state.file else { return };
        if let Err(error) = act(file) {
            // What waits in the buffer could not be written either.
            if let Some(file) = state.file.take() {
                let _ = file.into_parts();
            }
            state.failure = Some(error);
            self.failed.notify_one();
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Write for TraceFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.act(|file| file.write_all(bytes));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.act(BufWriter::flush);
        Ok(())
    }
}
