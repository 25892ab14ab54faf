//! What the extension answered to a tool call.

use extline_protocol::frame::{Content, Effect, ErrorInfo, ToolResult, ToolUpdate};
use extline_protocol::{ErrorKind, RawJson};
use serde_json::Value;

/// What a tool answered, and the updates that came before: the result of
/// [`Host::call`](super::Host::call).
///
/// A tool that failed has answered too:
///
/// ```
/// use extline::ErrorKind;
/// use extline::prelude::*;
/// use extline::testing::Host;
///
/// let mut host = Host::new(|| {
///     Extension::new("weather", "1.0.0").raw_tool(
///         "weather",
///         "Current weather for a city.",
///         json!({"type": "object"}),
///         async |args: Value, _| match args["city"].as_str() {
///             None => Err(ToolError::validation("which city?").field("/city")),
///             Some(city) => Ok(format!("{city}: 16°C, fog")),
///         },
///     )
/// });
/// assert_eq!(host.call("weather", json!({"city": "Berlin"}))?.text(), "Berlin: 16°C, fog");
///
/// let refused = host.call("weather", json!({}))?;
/// assert!(refused.is_error());
/// assert_eq!(refused.kind(), Some(&ErrorKind::Validation));
/// assert_eq!(refused.field(), Some("/city"));
/// # Ok::<(), extline::testing::Failure>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    result: ToolResult,
    updates: Vec<ToolUpdate>,
}

impl Answer {
    pub(super) fn new(result: ToolResult, updates: Vec<ToolUpdate>) -> Self {
        Self { result, updates }
    }

    /// The text blocks, joined by line ends; what the model reads.
    ///
    /// ```
    /// # use extline::prelude::*;
    /// # use extline::testing::Host;
    /// let mut host = Host::new(|| {
    ///     Extension::new("a", "1").tool("two", "", async |_: NoArgs, _| Ok(vec!["one", "two"]))
    /// });
    /// assert_eq!(host.call("two", json!({}))?.text(), "one\ntwo");
    /// # Ok::<(), extline::testing::Failure>(())
    /// ```
    pub fn text(&self) -> String {
        self.result.content.iter().filter_map(Content::plain).collect::<Vec<_>>().join("\n")
    }

    /// All blocks, images included.
    ///
    /// ```
    /// # use extline::prelude::*;
    /// # use extline::testing::Host;
    /// let mut host = Host::new(|| {
    ///     Extension::new("a", "1").tool("dot", "", async |_: NoArgs, _| Ok(Image::new("..", "image/png")))
    /// });
    /// assert!(matches!(host.call("dot", json!({}))?.content(), [Content::Image { .. }]));
    /// # Ok::<(), extline::testing::Failure>(())
    /// ```
    pub fn content(&self) -> &[Content] {
        &self.result.content
    }

    /// The result as a value; `null` when the tool gave none.
    ///
    /// ```
    /// # use extline::prelude::*;
    /// # use extline::testing::Host;
    /// let mut host = Host::new(|| {
    ///     Extension::new("a", "1").tool("now", "", async |_: NoArgs, _| Ok(json!({"hour": 12})))
    /// });
    /// assert_eq!(host.call("now", json!({}))?.value()["hour"], 12);
    /// # Ok::<(), extline::testing::Failure>(())
    /// ```
    pub fn value(&self) -> Value {
        value_of(self.result.structured_content.as_ref())
    }

    /// What is for the user's eyes and not for the model; `null` when the tool gave none.
    ///
    /// ```
    /// # use extline::prelude::*;
    /// # use extline::testing::Host;
    /// let mut host = Host::new(|| {
    ///     Extension::new("a", "1").tool("go", "", async |_: NoArgs, _| {
    ///         Ok(ToolResult::new().details(&json!({"seconds": 2}))?)
    ///     })
    /// });
    /// assert_eq!(host.call("go", json!({}))?.details()["seconds"], 2);
    /// # Ok::<(), extline::testing::Failure>(())
    /// ```
    pub fn details(&self) -> Value {
        value_of(self.result.details.as_ref())
    }

    /// How a person is shown the result; `null` when the tool does not say.
    ///
    /// ```
    /// # use extline::prelude::*;
    /// # use extline::testing::Host;
    /// # use extline::view;
    /// let mut host = Host::new(|| {
    ///     Extension::new("a", "1").tool("go", "", async |_: NoArgs, _| {
    ///         Ok(ToolResult::new().text("half").view(&view::meter(1.0, 2.0, None)))
    ///     })
    /// });
    /// assert_eq!(host.call("go", json!({}))?.view()["kind"], "meter");
    /// # Ok::<(), extline::testing::Failure>(())
    /// ```
    pub fn view(&self) -> Value {
        value_of(self.result.view.as_ref())
    }

    /// What the call did to the world, as the tool declares it.
    ///
    /// ```
    /// # use extline::prelude::*;
    /// # use extline::testing::Host;
    /// # use extline::{Effect, FileOp};
    /// let mut host = Host::new(|| {
    ///     Extension::new("a", "1").tool("go", "", async |_: NoArgs, _| {
    ///         Ok(ToolResult::new().effect(Effect::file(FileOp::Create, "notes.md")))
    ///     })
    /// });
    /// let answer = host.call("go", json!({}))?;
    /// assert_eq!(answer.effects()[0].path.as_deref(), Some("notes.md"));
    /// # Ok::<(), extline::testing::Failure>(())
    /// ```
    pub fn effects(&self) -> &[Effect] {
        self.result.effects.as_deref().unwrap_or_default()
    }

    /// Tools to offer from now on.
    ///
    /// ```
    /// # use extline::prelude::*;
    /// # use extline::testing::Host;
    /// let mut host = Host::new(|| {
    ///     Extension::new("a", "1").tool("go", "", async |_: NoArgs, _| {
    ///         Ok(ToolResult::new().activate("search"))
    ///     })
    /// });
    /// assert_eq!(host.call("go", json!({}))?.activated(), ["search"]);
    /// # Ok::<(), extline::testing::Failure>(())
    /// ```
    pub fn activated(&self) -> &[String] {
        self.result.activate_tools.as_deref().unwrap_or_default()
    }

    /// How far the content may be trusted, where the tool says so.
    ///
    /// ```
    /// # use extline::prelude::*;
    /// # use extline::testing::Host;
    /// let mut host = Host::new(|| {
    ///     Extension::new("a", "1").tool("go", "", async |_: NoArgs, _| {
    ///         Ok(ToolResult::new().text("a page").trust("untrusted"))
    ///     })
    /// });
    /// assert_eq!(host.call("go", json!({}))?.trust(), Some("untrusted"));
    /// # Ok::<(), extline::testing::Failure>(())
    /// ```
    pub fn trust(&self) -> Option<&str> {
        self.result.trust.as_deref()
    }

    /// The updates, in their order. Of several within 50 ms only the last is sent, so a test waits for
    /// one with [`Host::next_update`](super::Host::next_update) rather than counting them.
    ///
    /// ```
    /// # use extline::prelude::*;
    /// # use extline::testing::Host;
    /// let mut host = Host::new(|| {
    ///     Extension::new("a", "1").tool("slow", "", async |_: NoArgs, ctx: Context| {
    ///         ctx.update("reading").progress(1, 2).send();
    ///         extline::tokio::task::yield_now().await;
    ///         Ok(())
    ///     })
    /// });
    /// let answer = host.call("slow", json!({}))?;
    /// let progress = answer.updates()[0].progress.as_ref().unwrap();
    /// assert_eq!((progress.done, progress.total), (Some(1.0), Some(2.0)));
    /// # Ok::<(), extline::testing::Failure>(())
    /// ```
    pub fn updates(&self) -> &[ToolUpdate] {
        &self.updates
    }

    /// Whether the tool failed. A panic in its handler is such a failure, of kind `internal`.
    ///
    /// ```
    /// # use extline::prelude::*;
    /// # use extline::testing::Host;
    /// let mut host = Host::new(|| {
    ///     Extension::new("a", "1").tool("sum", "", async |_: NoArgs, _| -> Result<(), _> {
    ///         panic!("out of numbers")
    ///     })
    /// });
    /// let answer = host.call("sum", json!({}))?;
    /// assert!(answer.is_error());
    /// assert_eq!(answer.text(), "panic: out of numbers");
    /// # Ok::<(), extline::testing::Failure>(())
    /// ```
    pub fn is_error(&self) -> bool {
        self.result.is_error
    }

    /// Why it failed: kind, message, field, hint, causes.
    ///
    /// ```
    /// # use extline::prelude::*;
    /// # use extline::testing::Host;
    /// let mut host = Host::new(|| {
    ///     Extension::new("a", "1").tool("go", "", async |_: NoArgs, _| {
    ///         Err::<(), _>(ToolError::not_found("no such city").hint("try Berlin"))
    ///     })
    /// });
    /// let answer = host.call("go", json!({}))?;
    /// assert_eq!(answer.error().unwrap().hint.as_deref(), Some("try Berlin"));
    /// # Ok::<(), extline::testing::Failure>(())
    /// ```
    pub fn error(&self) -> Option<&ErrorInfo> {
        self.result.error.as_ref()
    }

    /// The kind of the failure.
    ///
    /// ```
    /// # use extline::prelude::*;
    /// # use extline::{ErrorKind, testing::Host};
    /// let mut host = Host::new(|| {
    ///     Extension::new("a", "1").tool("go", "", async |_: NoArgs, _| {
    ///         Err::<(), _>(ToolError::not_found("no such city"))
    ///     })
    /// });
    /// assert_eq!(host.call("go", json!({}))?.kind(), Some(&ErrorKind::NotFound));
    /// # Ok::<(), extline::testing::Failure>(())
    /// ```
    pub fn kind(&self) -> Option<&ErrorKind> {
        self.error().map(|error| &error.kind)
    }

    /// JSON pointer of the argument that is wrong, where the failure names one.
    ///
    /// ```
    /// # use extline::prelude::*;
    /// # use extline::testing::Host;
    /// let mut host = Host::new(|| {
    ///     Extension::new("a", "1").tool("go", "", async |_: NoArgs, _| {
    ///         Err::<(), _>(ToolError::validation("which city?").field("/city"))
    ///     })
    /// });
    /// assert_eq!(host.call("go", json!({}))?.field(), Some("/city"));
    /// # Ok::<(), extline::testing::Failure>(())
    /// ```
    pub fn field(&self) -> Option<&str> {
        self.error()?.field.as_deref()
    }

    /// The frame as it came.
    ///
    /// ```
    /// # use extline::prelude::*;
    /// # use extline::testing::Host;
    /// let mut host = Host::new(|| {
    ///     Extension::new("a", "1").tool("go", "", async |_: NoArgs, _| {
    ///         Ok("done")
    ///     })
    /// });
    /// assert_eq!(host.call("go", json!({}))?.frame().id.as_str(), "1");
    /// # Ok::<(), extline::testing::Failure>(())
    /// ```
    pub fn frame(&self) -> &ToolResult {
        &self.result
    }
}

fn value_of(json: Option<&RawJson>) -> Value {
    // The text is JSON; one that is too deep for a value is as good as none.
    json.and_then(|json| json.to().ok()).unwrap_or_default()
}
