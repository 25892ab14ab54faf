//! A thread that waits in reads or writes of one handle, and how it is ended.

use std::fs::File;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::{cannot, pipe};
use crate::Error;

/// A thread that has not ended by then is left behind: what it waits in cannot be ended.
const ENDS_WITHIN: Duration = Duration::from_millis(100);

#[derive(Debug)]
pub(super) struct Worker {
    thread: JoinHandle<()>,
    handle: Arc<File>,
}

impl Worker {
    pub(super) fn start(
        (name, doing): (&str, &'static str),
        handle: &Arc<File>,
        work: impl FnOnce(&File) + Send + 'static,
    ) -> Result<Self, Error> {
        let handle = Arc::clone(handle);
        let own = Arc::clone(&handle);
        let thread = thread::Builder::new().name(name.to_owned()).spawn(move || work(&own));
        Ok(Self { thread: thread.map_err(cannot(doing))?, handle })
    }

    /// Calls the thread out of what it waits in, again and again: it may just be on its way into it. It
    /// was told to end before.
    pub(super) fn end(self) {
        let until = Instant::now() + ENDS_WITHIN;
        while !self.thread.is_finished() && Instant::now() < until {
            pipe::cancel(&self.handle, &self.thread);
            thread::sleep(Duration::from_millis(1));
        }
    }
}
