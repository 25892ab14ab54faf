//! What runs between the host's answer and the registrations, and what runs at the end.

use std::panic::Location;
use std::rc::Rc;

use extline_protocol::frame::{Event, EventFilter};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use crate::connection::Connection;
use crate::handler::Work;
use crate::point::Point;
use crate::{
    Command, Context, DecisionOutcome, Extension, GuardedCall, HandlerOutcome, IntoResponse,
    OnFailure, PanelInput, Tool, ToolError, ToolOutcome, Verdict,
};

pub(crate) struct SetupFailure {
    pub(crate) reason: String,
    /// It says that it was cancelled.
    pub(crate) is_cancelled: bool,
}

/// It panicked.
impl From<String> for SetupFailure {
    fn from(reason: String) -> Self {
        Self { reason, is_cancelled: false }
    }
}

pub(crate) type SetupHandler = Box<dyn FnOnce(Setup, Context) -> Work<Result<(), SetupFailure>>>;
pub(crate) type TeardownHandler = Box<dyn FnOnce(Context) -> Work<Result<(), String>>>;

/// The beginning and the end.
impl Extension {
    /// Runs once the host has answered and before it is told what the extension offers, with what
    /// the host says about itself, the project's directory for one (`start.setup`). What is
    /// registered here is offered beside the rest, and may depend on all of that.
    ///
    /// It should not take long: a host waits for about 3 seconds. While it awaits, the host is kept
    /// from giving up (`start.keepalive`); blocking work belongs in [`Context::blocking`].
    ///
    /// An error or a panic ends the extension: [`run`](Extension::run) returns
    /// [`Error::Setup`](crate::Error::Setup). Several run in the order in which they were given.
    ///
    /// ```
    /// use extline::prelude::*;
    ///
    /// let extension = Extension::new("recipes", "1.0.0").setup(async |setup, ctx| {
    ///     for entry in std::fs::read_dir(ctx.host().cwd())? {
    ///         let file = entry?.path();
    ///         let Some(name) = file.file_stem().and_then(|name| name.to_str()) else { continue };
    ///         let name = name.to_owned();
    ///         setup.tool(&name, "Reads a recipe.", async move |_: NoArgs, _| {
    ///             Ok(std::fs::read_to_string(&file)?)
    ///         })?;
    ///     }
    ///     Ok(())
    /// });
    /// ```
    pub fn setup<R, F>(mut self, handler: F) -> Self
    where
        R: HandlerOutcome + 'static,
        F: AsyncFnOnce(&Setup, Context) -> R + 'static,
    {
        self.setups.push(Box::new(move |setup, context| {
            Box::pin(async move {
                let returned = handler(&setup, context).await;
                let is_cancelled = returned.is_cancelled();
                returned.outcome().map_err(|reason| SetupFailure { reason, is_cancelled })
            })
        }));
        self
    }

    /// Runs at the end, once every call is answered: at `shutdown`, at the end of stdin, at SIGTERM.
    /// What it does must be done 1.25 s after the end began ([`Context::deadline`]), a second of which a
    /// call that is never answered may take (`end.answers`); then it is dropped. It does not run when no
    /// setup has returned.
    ///
    /// An error or a panic is one line on stderr. Several run in the order in which they were given.
    ///
    /// ```
    /// use std::cell::RefCell;
    /// use std::rc::Rc;
    /// use extline::prelude::*;
    ///
    /// let notes = Rc::new(RefCell::new(Vec::new()));
    /// let kept = Rc::clone(&notes);
    /// let extension = Extension::new("notes", "1.0.0")
    ///     .command("note", "remembers a line", async move |line: &str, _| {
    ///         notes.borrow_mut().push(line.to_owned());
    ///     })
    ///     .teardown(async move |ctx| {
    ///         if let Some(folder) = ctx.data_dir() {
    ///             std::fs::write(folder.join("notes.txt"), kept.borrow().join("\n"))?;
    ///         }
    ///         Ok(())
    ///     });
    /// ```
    pub fn teardown<R, F>(mut self, handler: F) -> Self
    where
        R: HandlerOutcome + 'static,
        F: AsyncFnOnce(Context) -> R + 'static,
    {
        self.teardowns.push(Box::new(move |context| {
            Box::pin(async move { handler(context).await.outcome() })
        }));
        self
    }
}

/// What [`Extension::setup`] registers with. The methods are those of [`Extension`]; a mistake comes
/// back where it is made, with the line that made it, and `?` ends the setup with it.
///
/// ```
/// use extline::prelude::*;
///
/// let extension = Extension::new("docs", "1.0.0").setup(async |setup, ctx| {
///     if ctx.host().cwd().join("docs").is_dir() {
///         setup.command("docs", "lists the docs", async |_: &str, _| "README.md")?;
///         setup.on("turn_end", async |_, ctx| ctx.notify_info("the docs may have changed"));
///         setup.guard("docs_stay", async |call, _| {
///             if call.tool() == "delete_docs" { call.block("the docs stay") } else { call.allow() }
///         })?;
///     }
///     Ok(())
/// });
/// ```
#[derive(Debug)]
pub struct Setup {
    connection: Rc<Connection>,
}

impl Setup {
    pub(crate) fn new(connection: Rc<Connection>) -> Self {
        Self { connection }
    }

    /// As [`Extension::tool`].
    ///
    /// ```
    /// use extline::prelude::*;
    ///
    /// let extension = Extension::new("a", "1.0.0").setup(async |setup, _| {
    ///     setup.tool("noon", "The time.", async |_: NoArgs, _| Ok("noon"))
    /// });
    /// ```
    ///
    /// # Errors
    ///
    /// Kind `internal`: two tools of one name, a name or type that is not allowed.
    #[track_caller]
    pub fn tool<A, R, F>(
        &self,
        name: impl Into<String>,
        description: impl Into<String>,
        handler: F,
    ) -> Result<(), ToolError>
    where
        A: DeserializeOwned + JsonSchema + 'static,
        R: ToolOutcome + 'static,
        F: AsyncFn(A, Context) -> Result<R, ToolError> + 'static,
    {
        self.add_tool(Tool::new(name, description, handler))
    }

    /// As [`Extension::add_tool`], also for a tool that is given as JSON Schema ([`Tool::raw`]).
    ///
    /// ```
    /// use extline::prelude::*;
    ///
    /// let extension = Extension::new("a", "1.0.0").setup(async |setup, _| {
    ///     setup.add_tool(Tool::new("noon", "The time.", async |_: NoArgs, _| Ok("noon")).pure())
    /// });
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Setup::tool`].
    #[track_caller]
    pub fn add_tool(&self, tool: Tool) -> Result<(), ToolError> {
        self.connection.add_tool(tool, Location::caller())
    }

    /// As [`Extension::command`].
    ///
    /// ```
    /// use extline::prelude::*;
    ///
    /// let extension = Extension::new("a", "1.0.0").setup(async |setup, _| {
    ///     setup.command("noon", "shows the time", async |_: &str, _| "noon")
    /// });
    /// ```
    ///
    /// # Errors
    ///
    /// Kind `internal`: two commands of one name, a name that is not allowed.
    #[track_caller]
    pub fn command<R, F>(
        &self,
        name: impl Into<String>,
        description: impl Into<String>,
        handler: F,
    ) -> Result<(), ToolError>
    where
        R: IntoResponse + 'static,
        F: AsyncFn(&str, Context) -> R + 'static,
    {
        self.add_command(Command::new(name, description, handler))
    }

    /// As [`Extension::add_command`].
    ///
    /// ```
    /// use extline::prelude::*;
    ///
    /// let extension = Extension::new("a", "1.0.0").setup(async |setup, _| {
    ///     setup.add_command(Command::new("noon", "shows the time", async |_: &str, _| "noon"))
    /// });
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Setup::command`].
    #[track_caller]
    pub fn add_command(&self, command: Command) -> Result<(), ToolError> {
        self.connection.add_command(command, Location::caller())
    }

    /// As [`Extension::on`].
    ///
    /// ```
    /// use extline::prelude::*;
    ///
    /// let extension = Extension::new("a", "1.0.0").setup(async |setup, _| {
    ///     setup.on("turn_end", async |_, ctx| ctx.notify_info("done"));
    /// });
    /// ```
    pub fn on<R, F>(&self, event: impl Into<String>, handler: F)
    where
        R: HandlerOutcome + 'static,
        F: AsyncFn(Event, Context) -> R + 'static,
    {
        let mut session = self.connection.session();
        let mut handlers = self.connection.handlers.borrow_mut();
        handlers.on(session.subscribe_mut(), event.into(), None, handler);
    }

    /// As [`Extension::on_tools`].
    ///
    /// # Errors
    ///
    /// As there.
    pub fn on_tools<R, F, T>(
        &self,
        event: impl Into<String>,
        tools: impl IntoIterator<Item = T>,
        handler: F,
    ) -> Result<(), ToolError>
    where
        R: HandlerOutcome + 'static,
        F: AsyncFn(Event, Context) -> R + 'static,
        T: Into<String>,
    {
        let event = event.into();
        let filter = EventFilter::of_tools(&event, tools.into_iter().map(Into::into).collect())
            .map_err(|mistake| ToolError::internal(mistake.to_string()))?;
        let mut session = self.connection.session();
        let mut handlers = self.connection.handlers.borrow_mut();
        handlers.on(session.subscribe_mut(), event, Some(filter), handler);
        Ok(())
    }

    /// As [`Extension::intercept`].
    ///
    /// ```
    /// use extline::prelude::*;
    ///
    /// let extension = Extension::new("a", "1.0.0").setup(async |setup, _| {
    ///     setup.intercept(point::TurnStart, async |turn, _| turn.allow());
    /// });
    /// ```
    pub fn intercept<P, R, F>(&self, point: P, handler: F)
    where
        P: Point,
        R: DecisionOutcome<crate::Decision> + 'static,
        F: AsyncFn(P::Moment, Context) -> R + 'static,
    {
        let mut session = self.connection.session();
        let mut handlers = self.connection.handlers.borrow_mut();
        handlers.intercept(session.subscribe_mut(), point, handler);
    }

    /// As [`Extension::on_failure`].
    ///
    /// ```
    /// use extline::prelude::*;
    ///
    /// let extension = Extension::new("a", "1.0.0").setup(async |setup, _| {
    ///     setup.on_failure(point::TurnStart, OnFailure::Allow);
    /// });
    /// ```
    pub fn on_failure<P: Point>(&self, _point: P, on_failure: OnFailure) {
        let mut session = self.connection.session();
        let modes = session.subscribe_mut().on_failure.get_or_insert_default();
        modes.insert(P::NAME.to_owned(), on_failure);
    }

    /// As [`Extension::guard`].
    ///
    /// ```
    /// use extline::prelude::*;
    ///
    /// let extension = Extension::new("a", "1.0.0").setup(async |setup, _| {
    ///     setup.guard("closed", async |call, _| call.block("closed today"))
    /// });
    /// ```
    ///
    /// # Errors
    ///
    /// Kind `internal`: two guards of one name.
    #[track_caller]
    pub fn guard<R, F>(&self, name: impl Into<String>, handler: F) -> Result<(), ToolError>
    where
        R: DecisionOutcome<Verdict> + 'static,
        F: AsyncFn(GuardedCall, Context) -> R + 'static,
    {
        let mut session = self.connection.session();
        let mut handlers = self.connection.handlers.borrow_mut();
        let added = handlers.guard(session.subscribe_mut(), name.into(), handler);
        added.map_err(|mistake| ToolError::internal(format!("{}: {mistake}", Location::caller())))
    }

    /// As [`Extension::panel`].
    ///
    /// ```
    /// use extline::prelude::*;
    ///
    /// let extension = Extension::new("a", "1.0.0").setup(async |setup, _| {
    ///     setup.panel("log", async |_, ctx| ctx.panel("log").line("a key").render())
    /// });
    /// ```
    ///
    /// # Errors
    ///
    /// Kind `internal`: two handlers of one panel.
    #[track_caller]
    pub fn panel<R, F>(&self, id: impl Into<String>, handler: F) -> Result<(), ToolError>
    where
        R: HandlerOutcome + 'static,
        F: AsyncFn(PanelInput, Context) -> R + 'static,
    {
        let added = self.connection.handlers.borrow_mut().panel(id.into(), handler);
        added.map_err(|mistake| ToolError::internal(format!("{}: {mistake}", Location::caller())))
    }
}
