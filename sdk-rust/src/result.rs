//! What a tool answers.

use extline_protocol::frame::{self, Content, Effect};
use extline_protocol::{Id, RawJson};
use extline_services::view::View;
use serde::Serialize;
use serde_json::Value;

use crate::{Image, ToolError};

/// The result of a tool call, for what a plain value cannot say: details for the user, effects,
/// tools to offer next, a failure that still has something to show.
///
/// ```
/// use extline::{Effect, FileOp, ToolResult};
///
/// let result = ToolResult::new()
///     .text("wrote notes.md")
///     .effect(Effect::file(FileOp::Create, "notes.md"))
///     .details(&serde_json::json!({ "lines": 12 }))?;
/// # Ok::<(), extline::ToolError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[must_use = "a tool returns its result"]
pub struct ToolResult {
    /// Its id is set where it is sent. Boxed, as it is handed from one to the other a dozen times.
    frame: Box<frame::ToolResult>,
}

impl Default for ToolResult {
    fn default() -> Self {
        Self { frame: Box::new(frame::ToolResult::new(Id::default(), Vec::new())) }
    }
}

impl ToolResult {
    /// A result without content.
    ///
    /// ```
    /// use extline::prelude::*;
    ///
    /// let result = ToolResult::new();
    /// ```
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a block of text for the model.
    ///
    /// ```
    /// use extline::prelude::*;
    ///
    /// let result = ToolResult::new().text("16°C").text("fog");
    /// ```
    pub fn text(self, text: impl Into<String>) -> Self {
        self.content(Content::text(text))
    }

    /// Adds an image for the model.
    ///
    /// ```
    /// use extline::prelude::*;
    ///
    /// let result = ToolResult::new().text("a map").image(Image::new(b"GIF89a...", "image/gif"));
    /// ```
    pub fn image(self, image: Image) -> Self {
        self.content(image.into())
    }

    /// Adds a value: whole as structured content, and its compact text as a block for models and
    /// hosts that know only text. A result holds one such value; a second one takes its place.
    ///
    /// ```
    /// use extline::prelude::*;
    ///
    /// let result = ToolResult::new().json(&json!({ "degrees": 16 }))?;
    /// # Ok::<(), ToolError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Kind `internal`, when serde cannot write it as JSON.
    pub fn json<T: Serialize + ?Sized>(self, value: &T) -> Result<Self, ToolError> {
        Ok(self.raw_json(RawJson::of(value)?))
    }

    /// Adds a block.
    ///
    /// ```
    /// use extline::prelude::*;
    ///
    /// let result = ToolResult::new().content(Content::text("16°C, fog"));
    /// ```
    pub fn content(mut self, block: Content) -> Self {
        self.frame.content.push(block);
        self
    }

    /// Sets what only the user sees, not the model.
    ///
    /// ```
    /// use extline::prelude::*;
    ///
    /// let result = ToolResult::new().details(&json!({ "degrees": 16 }))?;
    /// # Ok::<(), ToolError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Kind `internal`, when serde cannot write it as JSON.
    pub fn details<T: Serialize + ?Sized>(mut self, details: &T) -> Result<Self, ToolError> {
        self.frame.details = Some(RawJson::of(details)?);
        Ok(self)
    }

    /// Sets how a person is shown the result, in place of its text, by a host that shows views.
    ///
    /// ```
    /// use extline::prelude::*;
    /// use extline::view;
    ///
    /// let tests = view::table(["test", "passed"], [[view::Cell::from("start"), true.into()]]);
    /// let result = ToolResult::new().text("all passed").view(&tests);
    /// ```
    pub fn view(mut self, view: &View) -> Self {
        // There is nothing in it that is not JSON.
        self.frame.view = RawJson::of(view).ok();
        self
    }

    /// Says what the call did to the world. Failures have effects too.
    ///
    /// ```
    /// use extline::{Effect, FileOp, ToolResult};
    ///
    /// let result = ToolResult::new().effect(Effect::file(FileOp::Delete, "old.md"));
    /// ```
    pub fn effect(mut self, effect: Effect) -> Self {
        self.frame.effects.get_or_insert_default().push(effect);
        self
    }

    /// Has the host offer a deferred tool to the model from now on.
    ///
    /// ```
    /// use extline::prelude::*;
    ///
    /// let result = ToolResult::new().text("logged in").activate("whoami");
    /// ```
    pub fn activate(mut self, tool: impl Into<String>) -> Self {
        self.frame.activate_tools.get_or_insert_default().push(tool.into());
        self
    }

    /// Says how far the content may be trusted, in a word that the host knows.
    ///
    /// ```
    /// use extline::prelude::*;
    ///
    /// let result = ToolResult::new().text("from the web").trust("untrusted");
    /// ```
    pub fn trust(mut self, trust: impl Into<String>) -> Self {
        self.frame.trust = Some(trust.into());
        self
    }

    pub(crate) fn into_frame(self) -> frame::ToolResult {
        *self.frame
    }

    fn raw_json(mut self, value: RawJson) -> Self {
        self.frame.push_value(value);
        self
    }

    /// Puts what `other` has behind what this one has.
    fn and(mut self, other: Self) -> Self {
        let (frame, other) = (&mut self.frame, *other.frame);
        frame.content.extend(other.content);
        frame.is_error |= other.is_error;
        join(&mut frame.activate_tools, other.activate_tools);
        join(&mut frame.effects, other.effects);
        replace(&mut frame.structured_content, other.structured_content);
        replace(&mut frame.details, other.details);
        replace(&mut frame.view, other.view);
        replace(&mut frame.error, other.error);
        replace(&mut frame.trust, other.trust);
        self
    }
}

/// A failure, to which more can be added: text, details, effects.
impl From<ToolError> for ToolResult {
    fn from(error: ToolError) -> Self {
        let mut result = Self::new().text(error.to_string());
        result.frame.is_error = true;
        result.frame.error = Some(error.into_info());
        result
    }
}

/// A value that serde writes as JSON, as the result of a tool: structured content, and the same
/// compact text as a block.
///
/// ```
/// use extline::Json;
/// use serde::Serialize;
///
/// #[derive(Serialize)]
/// struct Report {
///     degrees: i32,
/// }
///
/// async fn weather() -> Result<Json<Report>, extline::ToolError> {
///     Ok(Json(Report { degrees: 16 }))
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Json<T>(
    /// The value.
    pub T,
);

/// What a tool's handler may return.
///
/// | value | result |
/// |---|---|
/// | `String`, `&str` | one block of text, also when empty |
/// | `()`, `None` | no content |
/// | [`Json`], [`serde_json::Value`], [`RawJson`] | structured content, and its text as a block |
/// | [`Image`] | one image |
/// | [`Content`], or a `Vec` or array of texts, images, blocks | those blocks |
/// | a tuple of up to four of these | all of them, in order |
/// | [`ToolResult`] | itself |
///
/// ```
/// use extline::prelude::*;
///
/// let pixel = || Image::new(b"GIF89a...", "image/gif");
/// let extension = Extension::new("results", "1.0.0")
///     .tool("text", "", async |_: NoArgs, _| Ok("16°C, fog"))
///     .tool("nothing", "", async |_: NoArgs, _| Ok(()))
///     .tool("value", "", async |_: NoArgs, _| Ok(Json(vec![1, 2, 3])))
///     .tool("mixture", "", async move |_: NoArgs, _| Ok(("a pixel", pixel())));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the result of a tool",
    note = "return text (`String`, `&str`), `()`, an `Image`, a `ToolResult`, a tuple of these, or wrap a value in `Json(..)`"
)]
pub trait IntoToolResult {
    /// The result.
    ///
    /// # Errors
    ///
    /// Kind `internal`, for a value that serde cannot write as JSON.
    fn into_tool_result(self) -> Result<ToolResult, ToolError>;
}

/// One block of a result.
///
/// ```
/// use extline::prelude::*;
///
/// let list = Tool::new("list", "", async |_: NoArgs, _| Ok(vec!["one", "two"]));
/// let mixture = Tool::new("mixture", "", async |_: NoArgs, _| Ok([Content::text("one")]));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no block of a result",
    note = "a list may hold text (`String`, `&str`), `Image`s or `Content`"
)]
pub trait IntoContent {
    /// The block.
    fn into_content(self) -> Content;
}

impl IntoToolResult for ToolResult {
    fn into_tool_result(self) -> Result<ToolResult, ToolError> {
        Ok(self)
    }
}

impl IntoToolResult for () {
    fn into_tool_result(self) -> Result<ToolResult, ToolError> {
        Ok(ToolResult::new())
    }
}

impl<T: IntoToolResult> IntoToolResult for Option<T> {
    fn into_tool_result(self) -> Result<ToolResult, ToolError> {
        self.map_or_else(|| Ok(ToolResult::new()), T::into_tool_result)
    }
}

impl<T: Serialize> IntoToolResult for Json<T> {
    fn into_tool_result(self) -> Result<ToolResult, ToolError> {
        ToolResult::new().json(&self.0)
    }
}

impl IntoToolResult for Value {
    fn into_tool_result(self) -> Result<ToolResult, ToolError> {
        Ok(ToolResult::new().raw_json(self.into()))
    }
}

impl IntoToolResult for RawJson {
    fn into_tool_result(self) -> Result<ToolResult, ToolError> {
        Ok(ToolResult::new().raw_json(self))
    }
}

impl IntoContent for String {
    fn into_content(self) -> Content {
        Content::Text(self)
    }
}

impl IntoContent for &str {
    fn into_content(self) -> Content {
        Content::text(self)
    }
}

impl IntoContent for Image {
    fn into_content(self) -> Content {
        self.into()
    }
}

impl IntoContent for Content {
    fn into_content(self) -> Content {
        self
    }
}

impl From<Image> for Content {
    fn from(image: Image) -> Self {
        let (mime_type, data) = image.into_parts();
        Self::Image { mime_type, data }
    }
}

macro_rules! single_blocks {
    ($($block:ty),*) => {
        $(impl IntoToolResult for $block {
            fn into_tool_result(self) -> Result<ToolResult, ToolError> {
                let content = vec![self.into_content()];
                Ok(ToolResult { frame: Box::new(frame::ToolResult::new(Id::default(), content)) })
            }
        })*
    };
}

single_blocks!(String, &str, Image, Content);

impl<T: IntoContent> IntoToolResult for Vec<T> {
    fn into_tool_result(self) -> Result<ToolResult, ToolError> {
        Ok(self.into_iter().map(T::into_content).fold(ToolResult::new(), ToolResult::content))
    }
}

impl<T: IntoContent, const N: usize> IntoToolResult for [T; N] {
    fn into_tool_result(self) -> Result<ToolResult, ToolError> {
        Ok(self.into_iter().map(T::into_content).fold(ToolResult::new(), ToolResult::content))
    }
}

macro_rules! tuples {
    ($(($($part:ident),+)),*) => {
        $(impl<$($part: IntoToolResult),+> IntoToolResult for ($($part,)+) {
            #[allow(non_snake_case, reason = "each part is named after its type")]
            fn into_tool_result(self) -> Result<ToolResult, ToolError> {
                let ($($part,)+) = self;
                Ok(ToolResult::new()$(.and($part.into_tool_result()?))+)
            }
        })*
    };
}

tuples!((A), (A, B), (A, B, C), (A, B, C, D));

fn join<T>(list: &mut Option<Vec<T>>, more: Option<Vec<T>>) {
    if let Some(more) = more {
        list.get_or_insert_default().extend(more);
    }
}

fn replace<T>(value: &mut Option<T>, newer: Option<T>) {
    if newer.is_some() {
        *value = newer;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use extline_protocol::frame::{FileOp, Frame};
    use serde_json::json;

    use super::*;

    /// What stands behind the id on the wire.
    fn wire(result: impl IntoToolResult) -> String {
        let mut frame = result.into_tool_result().unwrap().into_frame();
        frame.id = "1".into();
        let mut line = Vec::new();
        frame.write_line(&mut line);
        let line = String::from_utf8(line).unwrap();
        line.trim_end().strip_prefix(r#"{"type":"tool_result","id":"1","#).unwrap().to_owned()
    }

    #[test]
    fn a_string_is_one_block_also_when_empty() {
        assert_eq!(wire("a"), r#""content":[{"type":"text","text":"a"}]}"#);
        assert_eq!(wire(String::new()), r#""content":[{"type":"text","text":""}]}"#);
    }

    #[test]
    fn nothing_has_no_content() {
        assert_eq!(wire(()), r#""content":[]}"#);
        assert_eq!(wire(None::<String>), r#""content":[]}"#);
    }

    #[test]
    fn a_value_stands_twice_with_the_same_text() {
        let expected = concat!(
            r#""content":[{"type":"text","text":"{\"a\":[1,2.5]}"}],"#,
            r#""structured_content":{"a":[1,2.5]}}"#
        );
        assert_eq!(wire(json!({"a": [1, 2.5]})), expected);
        assert_eq!(wire(Json(BTreeMap::from([("a", (1, 2.5))]))), expected);
    }

    #[test]
    fn a_value_that_is_no_json_is_an_error_of_the_tool() {
        let map = BTreeMap::from([((1, 2), 3)]);
        let error = Json(map).into_tool_result().unwrap_err();
        assert_eq!(error.kind().as_str(), "internal");
    }

    #[test]
    fn mixtures_keep_their_order() {
        let image = || Image::new(b"foo", "image/png");
        let picture = r#"{"type":"image","mime_type":"image/png","data":"Zm9v"}"#;
        let text = r#"{"type":"text","text":"a"}"#;
        assert_eq!(wire((image(), "a")), format!(r#""content":[{picture},{text}]}}"#));
        assert_eq!(wire(vec!["a", "a"]), format!(r#""content":[{text},{text}]}}"#));
        let blocks = ["a".into_content(), image().into_content()];
        assert_eq!(wire(blocks), format!(r#""content":[{text},{picture}]}}"#));
    }

    #[test]
    fn a_failure_can_have_effects_and_its_hint_is_in_the_text() {
        let failure = ToolResult::from(ToolError::conflict("half done").hint("undo it"))
            .effect(Effect::file(FileOp::Delete, "a"));
        assert_eq!(
            wire(failure),
            concat!(
                r#""content":[{"type":"text","text":"half done\nhint: undo it"}],"#,
                r#""is_error":true,"#,
                r#""error":{"kind":"conflict","message":"half done","hint":"undo it"},"#,
                r#""effects":[{"kind":"file","op":"delete","path":"a"}]}"#
            )
        );
    }
}
