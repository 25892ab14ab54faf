//! A call that was sent, as long as somebody wants its answer.

use std::sync::Arc;
use std::time::Instant;

use extline_protocol::CallKey;

use super::Connection;

/// Cancels a call when nobody waits for its answer any more; one that is answered ignores that.
#[derive(Debug)]
pub(crate) struct CallGuard {
    connection: Arc<Connection>,
    key: CallKey,
    began: Instant,
}

impl CallGuard {
    pub(super) fn new(connection: &Arc<Connection>, key: CallKey, began: Instant) -> Self {
        Self { connection: Arc::clone(connection), key, began }
    }

    /// Who was asked.
    pub(crate) fn connection(&self) -> &Connection {
        &self.connection
    }

    /// When it was about to be sent.
    pub(crate) fn began(&self) -> Instant {
        self.began
    }

    pub(crate) fn key(&self) -> &CallKey {
        &self.key
    }

    pub(crate) fn cancel(&self, reason: &str) {
        self.connection.cancel(&self.key, reason);
    }
}

impl Drop for CallGuard {
    fn drop(&mut self) {
        self.cancel("the caller gave up");
    }
}
