//! Requests to the extension.

use std::panic::Location;
use std::time::Instant;

use extline_protocol::frame::RpcError;
use extline_protocol::{ErrorKind, RawJson, RequestError};
use serde_json::Value;

use super::failure::Failure;
use super::host::Host;
use super::seen::Outcome;

/// Methods.
impl Host {
    /// Asks the extension for something by method, and waits for its answer.
    ///
    /// ```
    /// # use extline::prelude::*;
    /// # use extline::testing::Host;
    /// let mut host = Host::new(|| {
    ///     Extension::new("a", "1").method("add", async |(a, b): (i64, i64), ctx| {
    ///         ctx.send_part("adding").await?;
    ///         a.checked_add(b).ok_or_else(|| ToolError::validation("too large"))
    ///     })
    /// });
    /// assert_eq!(host.request("add", json!([1, 2]))?.value(), 3);
    /// # Ok::<(), extline::testing::Failure>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`call`](Host::call), and [`Failure::Misuse`] when the extension does not serve the method.
    #[track_caller]
    pub fn request(
        &mut self,
        method: &str,
        params: impl Into<RawJson>,
    ) -> Result<MethodAnswer, Failure> {
        self.conversation.place = Location::caller();
        let now = Instant::now();
        let sent = self.conversation.session.request(method, Some(params.into()), None, now);
        let key = sent.map_err(|error| match error {
            RequestError::ShuttingDown => self.conversation.has_ended("the request was not sent"),
            error => self.misuse(format!("the request was not sent: {error}")),
        })?;
        match self.outcome(&key, || format!("the method {method} did not answer"))? {
            Outcome::Method(result) => {
                let parts = self.conversation.seen.parts.remove(&key).unwrap_or_default();
                Ok(MethodAnswer { parts, result })
            }
            // A key names a call of one kind.
            _ => unreachable!("a request has another kind of answer"),
        }
    }
}

/// What a method of the extension answered: the result of [`Host::request`].
///
/// ```
/// use extline::prelude::*;
/// use extline::testing::Host;
///
/// let mut host = Host::new(|| {
///     Extension::new("index", "1.0.0").method("index.search", async |query: String, ctx| {
///         ctx.send_part("a.rs").await?;
///         if query.is_empty() {
///             return Err(ToolError::validation("search for what?"));
///         }
///         Ok(1)
///     })
/// });
/// let found = host.request("index.search", json!("main"))?;
/// assert_eq!(found.value(), 1);
/// assert_eq!(found.parts(), ["a.rs"]);
/// let refused = host.request("index.search", json!(""))?;
/// assert_eq!(refused.error().unwrap().message, "search for what?");
/// # Ok::<(), extline::testing::Failure>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct MethodAnswer {
    parts: Vec<RawJson>,
    result: Result<RawJson, RpcError>,
}

impl MethodAnswer {
    /// The result; `null` beside an error.
    ///
    /// ```
    /// # use extline::prelude::*;
    /// # use extline::testing::Host;
    /// let mut host = Host::new(|| {
    ///     Extension::new("a", "1").method("add", async |(a, b): (i64, i64), ctx| {
    ///         ctx.send_part("adding").await?;
    ///         a.checked_add(b).ok_or_else(|| ToolError::validation("too large"))
    ///     })
    /// });
    /// assert_eq!(host.request("add", json!([1, 2]))?.value(), 3);
    /// assert_eq!(host.request("add", json!([i64::MAX, 2]))?.value(), Value::Null);
    /// # Ok::<(), extline::testing::Failure>(())
    /// ```
    pub fn value(&self) -> Value {
        self.result.as_ref().ok().and_then(|result| result.to().ok()).unwrap_or_default()
    }

    /// The parts that came before.
    ///
    /// ```
    /// # use extline::prelude::*;
    /// # use extline::testing::Host;
    /// let mut host = Host::new(|| {
    ///     Extension::new("a", "1").method("add", async |(a, b): (i64, i64), ctx| {
    ///         ctx.send_part("adding").await?;
    ///         a.checked_add(b).ok_or_else(|| ToolError::validation("too large"))
    ///     })
    /// });
    /// assert_eq!(host.request("add", json!([1, 2]))?.parts(), ["adding"]);
    /// # Ok::<(), extline::testing::Failure>(())
    /// ```
    pub fn parts(&self) -> Vec<Value> {
        self.parts.iter().map(|part| part.to().unwrap_or_default()).collect()
    }

    /// Why there is no result.
    ///
    /// ```
    /// # use extline::prelude::*;
    /// # use extline::testing::Host;
    /// let mut host = Host::new(|| {
    ///     Extension::new("a", "1").method("add", async |(a, b): (i64, i64), ctx| {
    ///         ctx.send_part("adding").await?;
    ///         a.checked_add(b).ok_or_else(|| ToolError::validation("too large"))
    ///     })
    /// });
    /// let refused = host.request("add", json!([i64::MAX, 2]))?;
    /// assert_eq!(refused.error().unwrap().message, "too large");
    /// # Ok::<(), extline::testing::Failure>(())
    /// ```
    pub fn error(&self) -> Option<&RpcError> {
        self.result.as_ref().err()
    }

    /// The kind of the error.
    ///
    /// ```
    /// # use extline::prelude::*;
    /// # use extline::testing::Host;
    /// # use extline::ErrorKind;
    /// let mut host = Host::new(|| {
    ///     Extension::new("a", "1").method("add", async |(a, b): (i64, i64), ctx| {
    ///         ctx.send_part("adding").await?;
    ///         a.checked_add(b).ok_or_else(|| ToolError::validation("too large"))
    ///     })
    /// });
    /// let refused = host.request("add", json!("1 2"))?;
    /// assert_eq!(refused.kind(), Some(&ErrorKind::Validation));
    /// # Ok::<(), extline::testing::Failure>(())
    /// ```
    pub fn kind(&self) -> Option<&ErrorKind> {
        self.error().map(|error| &error.code)
    }
}
