//! Calls of other tools, through the host.

use extline_driver::questions::{self, Answer, Asked, News, Reply};
use extline_protocol::RawJson;
use extline_protocol::frame::Content;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::{Context, ToolError};

/// Other tools.
impl Context {
    /// Calls any tool of the host, built in or another extension's, as the model would: guards see
    /// it, the user may be asked. `args` is anything that serde writes as a JSON object; a
    /// [`RawJson`] goes out as it is.
    ///
    /// From a tool's handler the call belongs to that handler's: it is cancelled with it, and cannot
    /// be made once it is answered. Dropping the future cancels it too. The host answers within 60
    /// seconds, and cuts content beyond 256 KiB ([`ToolOutput::is_truncated`]).
    ///
    /// ```
    /// use extline::prelude::*;
    ///
    /// #[derive(Deserialize, JsonSchema)]
    /// struct Count {
    ///     path: String,
    /// }
    ///
    /// let count = Tool::new("count_lines", "Counts lines.", async |args: Count, ctx: Context| {
    ///     let file = ctx.call_tool("read", &json!({ "path": args.path })).await?;
    ///     Ok(format!("{} lines", file.text().lines().count()))
    /// });
    /// ```
    ///
    /// # Errors
    ///
    /// Kind `unsupported` where the host does not offer it (`call.ack`); `validation` for arguments
    /// that are no object; `stale` when the handler's own call is answered already; `too_large`;
    /// `cancelled`; and `internal` with the tool's text when the tool failed or was refused.
    pub async fn call_tool<A: Serialize + ?Sized>(
        &self,
        name: &str,
        args: &A,
    ) -> Result<ToolOutput, ToolError> {
        self.check_cancelled()?;
        let args = RawJson::of(args)?;
        let awaited = self.connection().ask(self.call(), Asked::Tool { name, args })?;
        match self.run_until_cancelled(awaited.next()).await? {
            News::Answer(Answer { error: Some(error), .. }) => Err(ToolError::of(error)),
            News::Answer(Answer { reply: Reply::Tool(result), .. }) => {
                Ok(ToolOutput { content: result.content, truncated: result.truncated })
            }
            _ => Err(ToolError::of(Box::new(questions::cancelled()))),
        }
    }
}

/// What a tool answered to [`Context::call_tool`].
///
/// ```
/// use extline::prelude::*;
/// use extline::testing::Host;
///
/// let mut host = Host::builder()
///     .tool("read", |_| Ok(r#"{"version":2}"#))
///     .start(|| {
///         Extension::new("package", "1.0.0").tool("version", "", async |_: NoArgs, ctx: Context| {
///             let file = ctx.call_tool("read", &json!({ "path": "package.json" })).await?;
///             assert!(!file.is_truncated());
///             assert_eq!(file.content().len(), 1);
///             let package: Value = file.json()?;
///             Ok(package["version"].to_string())
///         })
///     })?;
/// assert_eq!(host.call("version", json!({}))?.text(), "2");
/// # Ok::<(), extline::testing::Failure>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ToolOutput {
    content: Vec<Content>,
    truncated: bool,
}

impl ToolOutput {
    /// Its text: every block of text, a line break between two.
    pub fn text(&self) -> String {
        Content::joined(&self.content)
    }

    /// Its text read as JSON, for tools that answer with a value.
    ///
    /// # Errors
    ///
    /// Kind `internal`, for text that is no JSON or another value.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T, ToolError> {
        Ok(serde_json::from_str(&self.text())?)
    }

    /// Its blocks.
    pub fn content(&self) -> &[Content] {
        &self.content
    }

    /// Whether the host left a part of the content out.
    pub fn is_truncated(&self) -> bool {
        self.truncated
    }
}
