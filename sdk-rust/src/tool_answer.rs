//! What a tool came to, as an interceptor sees it before its caller does.

use extline_protocol::frame::{EventPayload, EventResult, ReplaceResult};
use extline_protocol::{Change, RawJson};
use serde::de::DeserializeOwned;

use crate::asked::Asked;
use crate::result::IntoContent;
use crate::{Content, Decision, ErrorInfo, ToolError, ToolUse};

/// What a tool came to, at [`point::ToolResult`](crate::point::ToolResult): of every tool, also of a
/// call that failed. The tool has run; nothing here undoes that.
///
/// ```
/// use extline::prelude::*;
/// use extline::testing::{Host, Moment};
///
/// let mut host = Host::new(|| {
///     Extension::new("redact", "1.0.0").intercept(point::ToolResult, async |answer, _| {
///         if !answer.text().contains("sk-") {
///             return answer.allow();
///         }
///         answer.replace(answer.text().replace("sk-", "***"))
///     })
/// });
/// let ruling = host.intercept(Moment::tool_result("read", json!({}), ["the key sk-1"]))?;
/// assert_eq!(ruling.result().unwrap()["content"][0]["text"], "the key ***1");
/// # Ok::<(), extline::testing::Failure>(())
/// ```
#[derive(Clone, Debug)]
pub struct ToolAnswer {
    call: ToolUse,
    result: EventResult,
}

impl ToolAnswer {
    pub(crate) fn new(asked: Asked) -> Self {
        let result = asked.payload().result.clone().unwrap_or_default();
        Self { call: ToolUse::new(asked), result }
    }

    /// The tool's name.
    pub fn tool(&self) -> &str {
        self.call.tool()
    }

    /// The id of the call, empty where the host does not say it.
    pub fn tool_id(&self) -> &str {
        self.call.tool_id()
    }

    /// The arguments with which it ran; an empty object where the host does not say them.
    pub fn args(&self) -> &RawJson {
        self.call.args()
    }

    /// The arguments as a type; a [`Value`](serde_json::Value) takes all that there are.
    ///
    /// # Errors
    ///
    /// Kind `validation`, with the member that does not fit.
    pub fn args_as<T: DeserializeOwned>(&self) -> Result<T, ToolError> {
        self.call.args_as()
    }

    /// What the model is to read.
    pub fn content(&self) -> &[Content] {
        &self.result.content
    }

    /// Its text: every block of text, a line break between two.
    pub fn text(&self) -> String {
        Content::joined(&self.result.content)
    }

    /// The result as a value.
    pub fn structured_content(&self) -> Option<&RawJson> {
        self.result.structured_content.as_ref()
    }

    /// What is for the user's eyes.
    pub fn details(&self) -> Option<&RawJson> {
        self.result.details.as_ref()
    }

    /// Whether the call failed.
    pub fn is_error(&self) -> bool {
        self.result.is_error
    }

    /// Why it failed, where that is said.
    pub fn error(&self) -> Option<&ErrorInfo> {
        self.result.error.as_ref()
    }

    /// All that the host says about it.
    pub fn payload(&self) -> &EventPayload {
        self.call.payload()
    }

    /// The caller gets it as it is.
    pub fn allow(&self) -> Decision {
        Decision(Change::None)
    }

    /// The caller gets this in its place: content, or a [`Replacement`] for more. What is not said stays,
    /// but for the value of a result whose content is replaced (`result.replaced`).
    pub fn replace(&self, replacement: impl Into<Replacement>) -> Decision {
        self.call.made("replace", Change::Result(replacement.into().0))
    }

    /// The call counts as failed, and the model reads this.
    pub fn fail(&self, text: impl Into<String>) -> Decision {
        self.call.made("fail", Change::Result(ReplaceResult::failure(text)))
    }

    /// Nobody gets the result; the model reads by whom it was withheld and why (`result.withheld`).
    pub fn withhold(&self, reason: impl Into<String>) -> Decision {
        self.call.block(reason)
    }
}

/// What stands in the place of a tool's result, for [`ToolAnswer::replace`].
///
/// ```
/// use extline::Replacement;
/// use extline::prelude::*;
///
/// let extension = Extension::new("redact", "1.0.0").intercept(point::ToolResult, async |answer, _| {
///     answer.replace(Replacement::new().content(["a key"]).structured_content(json!({"key": null})))
/// });
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Replacement(ReplaceResult);

impl Replacement {
    /// Replaces nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Other blocks for the model.
    #[must_use]
    pub fn content(mut self, blocks: impl IntoIterator<Item = impl IntoContent>) -> Self {
        self.0.content = Some(blocks.into_iter().map(IntoContent::into_content).collect());
        self
    }

    /// Another value.
    #[must_use]
    pub fn structured_content(mut self, value: impl Into<RawJson>) -> Self {
        self.0.structured_content = Some(value.into());
        self
    }

    /// Other details for the user's eyes.
    #[must_use]
    pub fn details(mut self, details: impl Into<RawJson>) -> Self {
        self.0.details = Some(details.into());
        self
    }

    /// Whether the call counts as failed.
    #[must_use]
    pub fn is_error(mut self, is_error: bool) -> Self {
        self.0.is_error = Some(is_error);
        self
    }
}

impl From<&str> for Replacement {
    fn from(text: &str) -> Self {
        Self(ReplaceResult::text(text))
    }
}

impl From<String> for Replacement {
    fn from(text: String) -> Self {
        Self(ReplaceResult::text(text))
    }
}

impl From<Vec<Content>> for Replacement {
    fn from(content: Vec<Content>) -> Self {
        Self(ReplaceResult { content: Some(content), ..ReplaceResult::default() })
    }
}
