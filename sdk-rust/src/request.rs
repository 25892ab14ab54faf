//! Requests to the host that are no tool calls.

use extline_driver::questions::{self, Answer, Asked, News, Reply};
use extline_protocol::RawJson;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::{Context, ToolError};

/// Requests.
impl Context {
    /// Asks the host for something by method. `params` is anything that serde can write, `&()` for a
    /// method that takes nothing; the result is any type that serde can read. A [`RawJson`] passes
    /// through as it is, both ways.
    ///
    /// The request belongs to the handler's call, if it has one, and is cancelled with it. Dropping
    /// the future cancels it too; for a deadline put it into `tokio::time::timeout`. Parts that come
    /// before the result are for [`request_parts`](Context::request_parts).
    ///
    /// ```
    /// use extline::prelude::*;
    ///
    /// let deploy = Tool::new("deploy", "Deploys.", async |_: NoArgs, ctx: Context| {
    ///     let sure: bool = ctx.request("board.ask", &json!({ "message": "Deploy?" })).await?;
    ///     Ok(if sure { "deployed" } else { "not deployed" })
    /// });
    /// ```
    ///
    /// # Errors
    ///
    /// Kind `unsupported` where the host does not serve the method (`rpc.unsupported-send`); `stale`
    /// when the handler's own call is answered already; `too_large`; `cancelled`; what the host
    /// answered; and `internal` for a result that is not a `T`.
    pub async fn request<T, P>(&self, method: &str, params: &P) -> Result<T, ToolError>
    where
        T: DeserializeOwned,
        P: Serialize + ?Sized,
    {
        self.request_parts(method, params, |_: RawJson| Ok(())).await
    }

    /// As [`request`](Context::request), for a method that answers in parts: `on_part` gets each as
    /// it comes. An error of its own ends the request.
    ///
    /// ```
    /// # use extline::{Context, ToolError};
    /// # async fn handler(ctx: Context) -> Result<(), ToolError> {
    /// let mut lines: Vec<String> = Vec::new();
    /// let status: i32 = ctx
    ///     .request_parts("build.run", &["make"], |line| {
    ///         lines.push(line);
    ///         Ok(())
    ///     })
    ///     .await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// As [`request`](Context::request), and those of `on_part`.
    pub async fn request_parts<T, P, Part>(
        &self,
        method: &str,
        params: &P,
        mut on_part: impl FnMut(Part) -> Result<(), ToolError>,
    ) -> Result<T, ToolError>
    where
        T: DeserializeOwned,
        P: Serialize + ?Sized,
        Part: DeserializeOwned,
    {
        self.check_cancelled()?;
        let params = Some(RawJson::of(params)?);
        let asked = Asked::Request { method, params, timeout_ms: None, wants_parts: true };
        let awaited = self.connection().ask(self.call(), asked)?;
        loop {
            match self.run_until_cancelled(awaited.next()).await? {
                News::Part(part) => on_part(part.to()?)?,
                News::Answer(Answer { error: Some(error), .. }) => {
                    return Err(ToolError::of(error));
                }
                News::Answer(Answer { reply: Reply::Method(result), .. }) => {
                    return Ok(result.unwrap_or_default().to()?);
                }
                _ => return Err(ToolError::of(Box::new(questions::cancelled()))),
            }
        }
    }
}
