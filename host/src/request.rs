//! Requests to extensions, for the methods that they serve.

use std::time::Duration;

use extline_protocol::RawJson;
use extline_protocol::frame::RpcError;
use tokio::sync::{mpsc, oneshot};

use crate::call::{CallGuard, CallOptions};
use crate::call_error::CallError;
use crate::connection::Unanswered;
use crate::host::Host;

/// A request that was sent. Await its [`Request::outcome`]; dropping it cancels it.
#[derive(Debug)]
pub struct Request {
    pub(crate) method: String,
    pub(crate) guard: CallGuard,
    pub(crate) response: oneshot::Receiver<Result<Result<RawJson, RpcError>, Unanswered>>,
    pub(crate) parts: mpsc::Receiver<RawJson>,
    /// What is said of a timeout.
    pub(crate) timeout: Duration,
}

impl Request {
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
                let asked = Some(&*self.guard.connection);
                Err(unanswered.into_error(&self.method, self.timeout, asked))
            }
        }
    }
}

/// Requests for what extensions serve.
impl Host {
    /// Asks an extension for one of its methods and waits for the answer, as
    /// [`Host::start_request`] does; parts of the answer are dropped.
    pub async fn request(
        &self,
        extension: &str,
        method: &str,
        params: Option<RawJson>,
    ) -> Result<RawJson, CallError> {
        let options = CallOptions::default();
        self.start_request(extension, method, params, options)?.outcome().await
    }

    /// Asks an extension for one of its methods, at once, and returns a handle that can be
    /// cancelled and has the parts of the answer. `timeout` is how long it may take, the host's
    /// default for tools when absent.
    ///
    /// A method that the extension does not list in its `hello` is `unsupported`, and nothing is
    /// sent (`rpc.unsupported-send`). When the extension dies the request fails at once.
    pub fn start_request(
        &self,
        extension: &str,
        method: &str,
        params: Option<RawJson>,
        options: CallOptions,
    ) -> Result<Request, CallError> {
        let timeout = options.timeout.unwrap_or(self.shared.deadlines.tool);
        self.running(extension, method)?.request(method, params, timeout)
    }
}
