//! Runs of commands.

use std::panic::Location;
use std::time::Instant;

use extline_protocol::frame::{Action, CommandResponse, Panel, RegisterCommand};
use extline_testing::Named;
use serde_json::Value;

use super::failure::Failure;
use super::host::Host;
use super::seen::Outcome;
use crate::Response;

/// Commands.
impl Host {
    /// Runs a slash command with what the user typed behind it, and waits for its answer.
    ///
    /// ```
    /// # use extline::prelude::*;
    /// # use extline::testing::Host;
    /// let mut host = Host::new(|| {
    ///     Extension::new("a", "1").command("go", "goes", async |_: &str, _| "gone")
    /// });
    /// assert_eq!(host.command("go", "")?.display(), Some("gone"));
    /// # Ok::<(), extline::testing::Failure>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`call`](Host::call).
    #[track_caller]
    pub fn command(&mut self, name: &str, args: &str) -> Result<CommandAnswer, Failure> {
        self.conversation.place = Location::caller();
        self.when_offered(Named::Command, name)?;
        let sent = self.conversation.session.invoke_command(name, args, Instant::now());
        let what = || format!("the command {name} did not answer");
        let key = self.sent(sent, || format!("the command {name} was not run"))?;
        match self.outcome(&key, what)? {
            Outcome::Command(response) => {
                if let Some(panel) = &response.open_panel {
                    self.conversation.seen.open_panel(panel.clone());
                }
                Ok(CommandAnswer::new(response))
            }
            Outcome::Failed(error) => Err(self.unusable(what(), error)),
            // As above.
            _ => unreachable!("a command has another kind of answer"),
        }
    }

    /// The commands as they are registered now.
    ///
    /// ```
    /// # use extline::prelude::*;
    /// # use extline::testing::Host;
    /// let mut host = Host::new(|| {
    ///     Extension::new("a", "1").command("go", "goes", async |_: &str, _| {})
    /// });
    /// assert_eq!(host.commands()[0].description.as_deref(), Some("goes"));
    /// # host.settle()?;
    /// # Ok::<(), extline::testing::Failure>(())
    /// ```
    pub fn commands(&self) -> &[RegisterCommand] {
        &self.conversation.seen.offered.commands
    }
}

/// What a command answered: the result of [`Host::command`](super::Host::command).
///
/// It compares with the [`Response`] that the handler returned:
///
/// ```
/// use extline::prelude::*;
/// use extline::testing::Host;
///
/// let mut host = Host::new(|| {
///     Extension::new("weather", "1.0.0").command("weather", "", async |city: &str, _| {
///         Response::prompt(format!("Weather for {city}?"))
///     })
/// });
/// let answer = host.command("weather", "Berlin")?;
/// assert_eq!(answer, Response::prompt("Weather for Berlin?"));
/// assert!(answer.prompt().unwrap().contains("Berlin"));
/// # Ok::<(), extline::testing::Failure>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct CommandAnswer(CommandResponse);

impl CommandAnswer {
    pub(super) fn new(mut frame: CommandResponse) -> Self {
        // What the handler returned knows no id.
        frame.id = "".into();
        Self(frame)
    }

    /// What the host is to do; [`Action::Noop`] beside an error.
    ///
    /// ```
    /// # use extline::prelude::*;
    /// # use extline::testing::Host;
    /// # use extline::testing::Action;
    /// let mut host = Host::new(|| {
    ///     Extension::new("a", "1").command("go", "goes", async |_: &str, _| Response::insert("text"))
    /// });
    /// assert_eq!(host.command("go", "")?.action(), &Action::Insert);
    /// # Ok::<(), extline::testing::Failure>(())
    /// ```
    pub fn action(&self) -> &Action {
        &self.0.action
    }

    /// What is submitted to the model.
    ///
    /// ```
    /// # use extline::prelude::*;
    /// # use extline::testing::Host;
    /// let mut host = Host::new(|| {
    ///     Extension::new("a", "1").command("go", "goes", async |_: &str, _| Response::prompt("tell me"))
    /// });
    /// assert_eq!(host.command("go", "")?.prompt(), Some("tell me"));
    /// # Ok::<(), extline::testing::Failure>(())
    /// ```
    pub fn prompt(&self) -> Option<&str> {
        self.0.prompt.as_deref()
    }

    /// What is put into the user's editor.
    ///
    /// ```
    /// # use extline::prelude::*;
    /// # use extline::testing::Host;
    /// let mut host = Host::new(|| {
    ///     Extension::new("a", "1").command("go", "goes", async |_: &str, _| Response::insert("text"))
    /// });
    /// assert_eq!(host.command("go", "")?.insert(), Some("text"));
    /// # Ok::<(), extline::testing::Failure>(())
    /// ```
    pub fn insert(&self) -> Option<&str> {
        self.0.insert.as_deref()
    }

    /// What is shown to the user.
    ///
    /// ```
    /// # use extline::prelude::*;
    /// # use extline::testing::Host;
    /// let mut host = Host::new(|| {
    ///     Extension::new("a", "1").command("go", "goes", async |_: &str, _| "shown")
    /// });
    /// assert_eq!(host.command("go", "")?.display(), Some("shown"));
    /// # Ok::<(), extline::testing::Failure>(())
    /// ```
    pub fn display(&self) -> Option<&str> {
        self.0.display.as_deref()
    }

    /// The panel that is opened. [`Host::panel`](super::Host::panel) has it too.
    ///
    /// ```
    /// # use extline::prelude::*;
    /// # use extline::testing::Host;
    /// # use extline::Panel;
    /// let mut host = Host::new(|| {
    ///     Extension::new("a", "1").command("go", "goes", async |_: &str, _| Response::open_panel(Panel::new("p")))
    /// });
    /// assert_eq!(host.command("go", "")?.panel().unwrap().id, "p");
    /// # Ok::<(), extline::testing::Failure>(())
    /// ```
    pub fn panel(&self) -> Option<&Panel> {
        self.0.open_panel.as_ref()
    }

    /// The tool that is to be called, and its arguments.
    ///
    /// ```
    /// # use extline::prelude::*;
    /// # use extline::testing::Host;
    /// let mut host = Host::new(|| {
    ///     Extension::new("a", "1").command("go", "goes", async |_: &str, _| {
    ///         Response::tool_prompt("read", json!({"path": "a"}), "reads a")
    ///     })
    /// });
    /// let answer = host.command("go", "")?;
    /// assert_eq!(answer.tool_call(), Some(("read", json!({"path": "a"}))));
    /// # Ok::<(), extline::testing::Failure>(())
    /// ```
    pub fn tool_call(&self) -> Option<(&str, Value)> {
        let args = self.0.tool_args.as_ref().and_then(|args| args.to().ok());
        Some((self.0.tool_name.as_deref()?, args.unwrap_or_default()))
    }

    /// Why the command failed; it wins over the action. A panic in the handler is such a failure.
    ///
    /// ```
    /// # use extline::prelude::*;
    /// # use extline::testing::Host;
    /// let mut host = Host::new(|| {
    ///     Extension::new("a", "1").command("go", "goes", async |_: &str, _| Response::error("no fuel"))
    /// });
    /// assert_eq!(host.command("go", "")?.error(), Some("no fuel"));
    /// # Ok::<(), extline::testing::Failure>(())
    /// ```
    pub fn error(&self) -> Option<&str> {
        self.0.error.as_deref().filter(|error| !error.is_empty())
    }
}

impl PartialEq<Response> for CommandAnswer {
    fn eq(&self, response: &Response) -> bool {
        self.0 == *response.frame()
    }
}
