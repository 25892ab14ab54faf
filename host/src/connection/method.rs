//! Methods that the agent serves, for extensions to ask for.

use std::collections::BTreeMap;
use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, Weak};

use extline_protocol::frame::{Parent, RpcError};
use extline_protocol::{CallKey, ErrorKind, RawJson, SendError};

use super::Connection;

/// An extension's request for one of the agent's methods, see
/// [`HostBuilder::serve_method`](crate::HostBuilder::serve_method).
#[derive(Debug)]
#[non_exhaustive]
pub struct MethodCall {
    /// The extension that asks.
    pub extension: String,
    /// The method.
    pub method: String,
    /// What it is asked with.
    pub params: Option<RawJson>,
    /// What the request belongs to.
    pub parent: Option<Parent>,
    /// What the agent knows the call by that the request belongs to, or the one above that:
    /// [`CallOptions::origin`](crate::CallOptions::origin).
    pub origin: Option<u64>,
    pub(crate) key: CallKey,
    pub(crate) connection: Weak<Connection>,
    /// Parts that were sent.
    pub(crate) parts: u64,
}

/// What an extension asks of a service.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Asked<P> {
    /// The extension that asks. Whoever shows a dialog shows this name.
    pub extension: String,
    /// What the request belongs to.
    pub parent: Option<Parent>,
    /// What the agent knows that by: [`CallOptions::origin`](crate::CallOptions::origin).
    pub origin: Option<u64>,
    /// What it is asked with. It has been checked.
    pub params: P,
}

type MethodFuture = Pin<Box<dyn Future<Output = Result<RawJson, RpcError>> + Send>>;

/// What serves one of the agent's methods.
#[derive(Clone)]
pub(crate) struct Method(Arc<dyn Fn(MethodCall) -> MethodFuture + Send + Sync>);

/// By name.
pub(crate) type Methods = BTreeMap<String, Method>;

impl MethodCall {
    /// Sends a part of the answer before the answer, and waits for that as long as the extension
    /// does not read. `Err` when the part is too large for a frame, or nobody wants the answer any
    /// more.
    pub async fn send_part(&mut self, part: &RawJson) -> Result<(), SendError> {
        let connection = self.connection.upgrade().ok_or(SendError::Closed)?;
        connection.send_part(&self.key, self.parts + 1, part).await?;
        self.parts += 1;
        Ok(())
    }
}

impl Method {
    pub(crate) fn new<F, A>(handler: F) -> Self
    where
        F: Fn(MethodCall) -> A + Send + Sync + 'static,
        A: Future<Output = Result<RawJson, RpcError>> + Send + 'static,
    {
        Self(Arc::new(move |call| Box::pin(handler(call))))
    }

    pub(crate) async fn answer(self, call: MethodCall) -> Result<RawJson, RpcError> {
        (self.0)(call).await
    }
}

impl fmt::Debug for Method {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Method").finish_non_exhaustive()
    }
}

/// The parameters, checked.
pub(crate) fn params_of<M: extline_services::Method>(
    params: Option<&RawJson>,
) -> Result<M::Params, RpcError> {
    let wrong = |text| RpcError::new(ErrorKind::Validation, format!("{}: {text}", M::NAME));
    // Serde reads an array in place of an object.
    if params.is_some_and(|params| !params.is_object()) {
        return Err(wrong("the parameters are no object".to_owned()));
    }
    let params = params.map_or("{}", RawJson::get);
    let params: M::Params =
        serde_json::from_str(params).map_err(|error| wrong(error.to_string()))?;
    M::check(&params).map_err(wrong)?;
    Ok(params)
}
