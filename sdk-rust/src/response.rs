//! What a command answers.

use std::fmt::Display;

use extline_protocol::RawJson;
use extline_protocol::frame::{Action, CommandResponse};

use crate::Panel;

/// What the host does once a command has run.
///
/// ```
/// use extline::Response;
///
/// async fn weather(city: &str, _: extline::Context) -> Response {
///     if city.is_empty() {
///         return Response::error("which city?");
///     }
///     Response::prompt(format!("Show today's weather for {city}."))
/// }
/// ```
#[derive(Clone, Debug, PartialEq)]
#[must_use = "a command returns its response"]
pub struct Response {
    /// Its id is set where it is sent.
    frame: CommandResponse,
}

impl Response {
    /// Submits a prompt to the model.
    ///
    /// ```
    /// use extline::prelude::*;
    ///
    /// let response = Response::prompt("Show today's weather.");
    /// ```
    pub fn prompt(prompt: impl Into<String>) -> Self {
        Self::with(Action::Prompt, |frame| frame.prompt = Some(prompt.into()))
    }

    /// Puts text into the user's editor.
    ///
    /// ```
    /// use extline::prelude::*;
    ///
    /// let response = Response::insert("git commit -m ");
    /// ```
    pub fn insert(text: impl Into<String>) -> Self {
        Self::with(Action::Insert, |frame| frame.insert = Some(text.into()))
    }

    /// Shows text to the user.
    ///
    /// ```
    /// use extline::prelude::*;
    ///
    /// let response = Response::display("16°C, fog");
    /// ```
    pub fn display(text: impl Into<String>) -> Self {
        Self::with(Action::Display, |frame| frame.display = Some(text.into()))
    }

    /// Nothing.
    ///
    /// ```
    /// use extline::prelude::*;
    ///
    /// let response = Response::noop();
    /// ```
    pub fn noop() -> Self {
        Self::with(Action::Noop, |_| {})
    }

    /// Opens a panel; its handler is given to [`Extension::panel`](crate::Extension::panel).
    ///
    /// ```
    /// use extline::prelude::*;
    ///
    /// let response = Response::open_panel(Panel::new("todos").line("ship"));
    /// ```
    pub fn open_panel(panel: Panel) -> Self {
        Self::with(Action::OpenPanel, |frame| frame.open_panel = Some(panel.into_frame()))
    }

    /// Submits a prompt as if the model had called a tool with these arguments. A host that may not
    /// know this gets the prompt alone.
    ///
    /// ```
    /// use extline::prelude::*;
    ///
    /// let response = Response::tool_prompt("weather", json!({ "city": "Berlin" }), "Berlin?");
    /// ```
    pub fn tool_prompt(
        tool: impl Into<String>,
        args: impl Into<RawJson>,
        prompt: impl Into<String>,
    ) -> Self {
        Self::with(Action::ToolPrompt, |frame| {
            frame.prompt = Some(prompt.into());
            frame.tool_name = Some(tool.into());
            frame.tool_args = Some(args.into());
        })
    }

    /// The command failed; the user sees the message.
    ///
    /// ```
    /// use extline::prelude::*;
    ///
    /// let response = Response::error("which city?");
    /// ```
    pub fn error(message: impl Into<String>) -> Self {
        Self { frame: CommandResponse::error("".into(), message) }
    }

    pub(crate) fn frame(&self) -> &CommandResponse {
        &self.frame
    }

    pub(crate) fn into_frame(self) -> CommandResponse {
        self.frame
    }

    fn with(action: Action, fill: impl FnOnce(&mut CommandResponse)) -> Self {
        let mut frame = CommandResponse::new("".into(), action);
        fill(&mut frame);
        Self { frame }
    }
}

/// What a command's handler may return: a [`Response`], text to display, `()` or `None` for nothing,
/// or a `Result` of these, whose error the user sees.
///
/// ```
/// use extline::prelude::*;
///
/// let extension = Extension::new("notes", "1.0.0")
///     .command("note", "shows text", async |text: &str, _| text.to_owned())
///     .command("forget", "shows nothing", async |_: &str, _| {})
///     .command("read", "shows a file", async |path: &str, _| std::fs::read_to_string(path));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the answer to a command",
    note = "return a `Response`, text to display, `()`, or an `Option` or `Result` of these"
)]
pub trait IntoResponse {
    /// The response.
    fn into_response(self) -> Response;
}

impl IntoResponse for Response {
    fn into_response(self) -> Response {
        self
    }
}

impl IntoResponse for String {
    fn into_response(self) -> Response {
        Response::display(self)
    }
}

impl IntoResponse for &str {
    fn into_response(self) -> Response {
        Response::display(self)
    }
}

impl IntoResponse for () {
    fn into_response(self) -> Response {
        Response::noop()
    }
}

impl<T: IntoResponse> IntoResponse for Option<T> {
    fn into_response(self) -> Response {
        self.map_or_else(Response::noop, T::into_response)
    }
}

impl<T: IntoResponse, E: Display> IntoResponse for Result<T, E> {
    fn into_response(self) -> Response {
        self.map_or_else(|error| Response::error(error.to_string()), T::into_response)
    }
}

#[cfg(test)]
mod tests {
    use extline_protocol::frame::Frame;
    use serde_json::json;

    use super::*;
    use crate::ToolError;

    /// What stands behind the id on the wire.
    fn wire(response: impl IntoResponse) -> String {
        let mut frame = response.into_response().into_frame();
        frame.id = "1".into();
        let mut line = Vec::new();
        frame.write_line(&mut line);
        let line = String::from_utf8(line).unwrap();
        line.trim_end().strip_prefix(r#"{"type":"command_response","id":"1","#).unwrap().to_owned()
    }

    #[test]
    fn each_response_says_its_action() {
        assert_eq!(wire(Response::prompt("a")), r#""action":"prompt","prompt":"a"}"#);
        assert_eq!(wire(Response::insert("a")), r#""action":"insert","insert":"a"}"#);
        assert_eq!(wire(Response::display("a")), r#""action":"display","display":"a"}"#);
        assert_eq!(wire(Response::noop()), r#""action":"noop"}"#);
        assert_eq!(
            wire(Response::open_panel(Panel::new("p"))),
            r#""action":"open_panel","open_panel":{"id":"p"}}"#
        );
        assert_eq!(
            wire(Response::tool_prompt("t", json!({"a": 1}), "p")),
            r#""action":"tool_prompt","prompt":"p","tool_name":"t","tool_args":{"a":1}}"#
        );
    }

    #[test]
    fn plain_values_are_displayed_and_errors_are_errors() {
        assert_eq!(wire("a"), r#""action":"display","display":"a"}"#);
        assert_eq!(wire(()), r#""action":"noop"}"#);
        assert_eq!(wire(None::<&str>), r#""action":"noop"}"#);
        let failed: Result<String, ToolError> = Err(ToolError::not_found("no such city"));
        assert_eq!(wire(failed), r#""action":"noop","error":"no such city"}"#);
    }
}
