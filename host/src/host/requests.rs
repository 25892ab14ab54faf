//! What an agent asks extensions for, by method.

use extline_protocol::RawJson;

use super::Host;
use crate::calls::{CallOptions, Request};
use crate::report::CallError;

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
    #[expect(clippy::needless_pass_by_value, reason = "as every call takes its options")]
    pub fn start_request(
        &self,
        extension: &str,
        method: &str,
        params: Option<RawJson>,
        options: CallOptions,
    ) -> Result<Request, CallError> {
        let timeout = options.timeout.unwrap_or(self.shared.deadlines.tool);
        Request::send(&self.running(extension, method)?, method, params, timeout)
    }
}
