//! A slash command: what the user sees of it, and its handler.

use std::rc::Rc;

use extline_protocol::frame::RegisterCommand;

use crate::handler::CommandHandler;
use crate::{Context, IntoResponse};

/// A slash command with more than a name, a description and a handler; given to
/// [`Extension::add_command`](crate::Extension::add_command).
///
/// ```
/// use extline::prelude::*;
///
/// let weather = Command::new("weather", "current weather for a city", async |city: &str, _| {
///     Response::prompt(format!("Show today's weather for {city}."))
/// })
/// .usage("CITY");
/// let extension = Extension::new("weather", "1.0.0").add_command(weather);
/// ```
#[must_use = "give it to `Extension::add_command`"]
pub struct Command {
    pub(crate) frame: RegisterCommand,
    pub(crate) handler: CommandHandler,
}

impl Command {
    /// A command. Its name, without the slash, is 1 to 64 letters, digits, `_` and `-`, in any case;
    /// the description is for the user. The handler gets what the user typed behind the name, empty
    /// when that was nothing.
    ///
    /// ```
    /// use extline::prelude::*;
    ///
    /// let greet =
    ///     Command::new("greet", "greets somebody", async |name: &str, _| format!("Hello {name}"));
    /// ```
    pub fn new<R, F>(name: impl Into<String>, description: impl Into<String>, handler: F) -> Self
    where
        R: IntoResponse + 'static,
        F: AsyncFn(&str, Context) -> R + 'static,
    {
        let frame = RegisterCommand {
            name: name.into(),
            description: Some(description.into()),
            ..RegisterCommand::default()
        };
        // The future borrows the handler, so it brings it along.
        let shared = Rc::new(handler);
        let handler: CommandHandler = Rc::new(move |args, context| {
            let handler = Rc::clone(&shared);
            Box::pin(async move { handler(&args, context).await.into_response() })
        });
        Self { frame, handler }
    }

    /// What it takes, as `CITY [UNITS]`.
    ///
    /// ```
    /// use extline::prelude::*;
    ///
    /// let greet = Command::new("greet", "greets", async |_: &str, _| "Hello").usage("[NAME]");
    /// ```
    pub fn usage(mut self, usage: impl Into<String>) -> Self {
        self.frame.usage = Some(usage.into());
        self
    }
}
