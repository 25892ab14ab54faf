//! Requests to extensions, for the methods that they serve.

use std::sync::Arc;
use std::time::Duration;

use extline_protocol::frame::RpcError;
use extline_protocol::{Id, RawJson};
use tokio::sync::{mpsc, oneshot};

use crate::connection::{CallGuard, Connection, SentRequest, Unanswered};
use crate::report::CallError;

/// A request that was sent. Await its [`Request::outcome`]; dropping it cancels it.
#[derive(Debug)]
pub struct Request {
    method: String,
    guard: CallGuard,
    response: oneshot::Receiver<Result<Result<RawJson, RpcError>, Unanswered>>,
    parts: mpsc::Receiver<RawJson>,
    /// What is said of a timeout.
    timeout: Duration,
}

impl Request {
    /// Sends it.
    pub(crate) fn send(
        connection: &Arc<Connection>,
        method: &str,
        params: Option<RawJson>,
        timeout: Duration,
    ) -> Result<Self, CallError> {
        let SentRequest { guard, response, parts } = connection.request(method, params, timeout)?;
        Ok(Self { method: method.to_owned(), guard, response, parts, timeout })
    }

    /// Its id on the wire.
    pub(crate) fn id(&self) -> &Id {
        self.guard.key().id()
    }

    /// No longer wants the answer. The extension is told, and has two seconds to answer.
    pub fn cancel(&self) {
        self.guard.cancel("");
    }

    /// The next part of the answer that comes before it; `None` when no more will come. Parts wait
    /// to be taken, but a request of which 256 wait fails. May be dropped and called again.
    pub async fn part(&mut self) -> Option<RawJson> {
        self.parts.recv().await
    }

    /// Waits for the answer.
    pub async fn outcome(mut self) -> Result<RawJson, CallError> {
        self.parts.close();
        match (&mut self.response).await.unwrap_or(Err(Unanswered::HostGone)) {
            Ok(Ok(result)) => Ok(result),
            Ok(Err(error)) => Err(CallError::Request { method: self.method.clone(), error }),
            Err(unanswered) => {
                let asked = Some(self.guard.connection());
                Err(unanswered.into_error(&self.method, self.timeout, asked))
            }
        }
    }
}

impl Drop for Request {
    fn drop(&mut self) {
        // What a method does nobody declares.
        self.guard.connection().shared().model_side.memo.changed();
    }
}
