//! What a person should know, on stderr, where a host keeps it in a log.

use std::cell::RefCell;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

/// What one extension has to say, where its host is a testing host in the same process.
pub(crate) type Lines = Arc<Mutex<Said>>;

#[derive(Debug, Default)]
pub(crate) struct Said {
    pub(crate) lines: Vec<String>,
    /// How handlers failed that answer nobody, until the test is told.
    pub(crate) failures: Vec<String>,
}

thread_local! {
    static KEPT: RefCell<Option<Lines>> = const { RefCell::new(None) };
}

/// Writes one line. What would break it into several is escaped.
pub(crate) fn report(message: &str) {
    let message = message.replace('\r', "\\r").replace('\n', "\\n");
    if let Some(lines) = kept() {
        lines.lock().unwrap_or_else(PoisonError::into_inner).lines.push(message);
        return;
    }
    // One write, so that lines of several threads do not mix; a closed stderr is no reason to fail.
    let _ = io::stderr().write_all(format!("extline: {message}\n").as_bytes());
}

/// The same, where a handler has failed that answers nobody: a test fails with it.
pub(crate) fn report_failure(message: &str) {
    report(message);
    if let Some(lines) = kept() {
        let mut said = lines.lock().unwrap_or_else(PoisonError::into_inner);
        said.failures.push(message.to_owned());
    }
}

/// Where the lines of this thread are kept, if they are.
pub(crate) fn kept() -> Option<Lines> {
    KEPT.with_borrow(Clone::clone)
}

/// From now on the lines of this thread are kept there instead.
pub(crate) fn keep_in(lines: Lines) {
    KEPT.set(Some(lines));
}
