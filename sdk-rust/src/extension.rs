//! An extension as its author writes it down.

use std::panic::Location;
use std::process::ExitCode;

use extline_protocol::frame::{Event, EventFilter};
use extline_protocol::{RawJson, RegistrationError, Registrations};
use extline_stdio::Stdio;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use crate::handler::Handlers;
use crate::raw_args::RawArgs;
use crate::setup::{SetupHandler, TeardownHandler};
use crate::{
    Command, Context, Error, HandlerOutcome, IntoResponse, Tool, ToolError, ToolOutcome, claim,
    run, serve,
};

/// An extension: its tools, commands and event handlers, then [`run`](Extension::run).
///
/// Handlers are async closures or async functions. They run concurrently on one thread, so their
/// futures need not be `Send`, and one that computes for long does it in
/// [`Context::blocking`]. A handler that panics answers its call with an error; the rest goes on.
///
/// A registration mistake (two tools of one name, a name or schema that is not allowed) does not
/// break the chain: the first one comes out of [`run`](Extension::run), with the file and line that
/// made it, before anything is sent.
///
/// ```no_run
/// use extline::prelude::*;
///
/// #[derive(Deserialize, JsonSchema)]
/// struct Weather {
///     /// City name
///     city: String,
/// }
///
/// fn main() -> Result<(), extline::Error> {
///     Extension::new("weather", "1.0.0")
///         .tool("weather", "Current weather for a city.", async |w: Weather, _| {
///             Ok(format!("{}: 16°C, fog", w.city))
///         })
///         .run()
/// }
/// ```
#[must_use = "an extension does nothing until `.run()` or `.serve().await`"]
pub struct Extension {
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) registrations: Registrations,
    pub(crate) handlers: Handlers,
    /// Those of the handlers, in the order in which they were given.
    pub(crate) methods: Vec<String>,
    pub(crate) state_version: Option<u64>,
    pub(crate) setups: Vec<SetupHandler>,
    pub(crate) teardowns: Vec<TeardownHandler>,
    /// Lines for stderr at the start.
    pub(crate) remarks: Vec<String>,
    /// The first mistake.
    pub(crate) mistake: Option<Error>,
    /// `None` as long as nothing was claimed.
    pub(crate) stdio: Option<Stdio>,
}

impl Extension {
    /// Starts an extension with the name and version it tells its host.
    ///
    /// When stdin and stdout are pipes or sockets, as a host gives them, they are taken over here:
    /// from now on `println!`, C libraries and child processes write to stderr and cannot corrupt a
    /// frame. Under `cargo test` that does not happen; `EXTLINE_STDIO=claim` or `leave` decides
    /// alone. [`run`](Extension::run) takes over what is left.
    ///
    /// ```
    /// use extline::Extension;
    ///
    /// let extension = Extension::new("weather", "1.0.0");
    /// ```
    pub fn new(name: impl Into<String>, version: impl Into<String>) -> Self {
        let (stdio, mistake) = match claim::at_creation() {
            Ok(stdio) => (stdio, None),
            Err(error) => (None, Some(error)),
        };
        Self {
            name: name.into(),
            version: version.into(),
            registrations: Registrations::default(),
            handlers: Handlers::default(),
            methods: Vec::new(),
            state_version: None,
            setups: Vec::new(),
            teardowns: Vec::new(),
            remarks: Vec::new(),
            mistake,
            stdio,
        }
    }

    /// Offers a tool to the model whose arguments are a type: see [`Tool::new`].
    ///
    /// ```
    /// use extline::prelude::*;
    /// use extline::testing::Host;
    ///
    /// #[derive(Deserialize, JsonSchema)]
    /// struct Add {
    ///     /// The first number
    ///     a: i64,
    ///     /// The second number
    ///     b: i64,
    /// }
    ///
    /// let mut host = Host::new(|| {
    ///     Extension::new("sums", "1.0.0")
    ///         .tool("add", "Adds two numbers.", async |add: Add, _| Ok((add.a + add.b).to_string()))
    /// });
    /// assert_eq!(host.call("add", json!({ "a": 2, "b": 3 }))?.text(), "5");
    /// assert_eq!(host.call("add", json!({ "a": 2 }))?.field(), Some("/b"));
    /// # Ok::<(), extline::testing::Failure>(())
    /// ```
    #[track_caller]
    pub fn tool<A, R, F>(
        self,
        name: impl Into<String>,
        description: impl Into<String>,
        handler: F,
    ) -> Self
    where
        A: DeserializeOwned + JsonSchema + 'static,
        R: ToolOutcome + 'static,
        F: AsyncFn(A, Context) -> Result<R, ToolError> + 'static,
    {
        self.add_tool(Tool::new(name, description, handler))
    }

    /// Offers a tool to the model whose arguments are described by a JSON Schema: see [`Tool::raw`].
    ///
    /// ```
    /// use extline::prelude::*;
    ///
    /// let schema = json!({
    ///     "type": "object",
    ///     "properties": { "city": { "type": "string" } },
    ///     "required": ["city"],
    /// });
    /// let extension = Extension::new("weather", "1.0.0").raw_tool(
    ///     "weather",
    ///     "Current weather for a city.",
    ///     schema,
    ///     async |args: Value, _| Ok(format!("{}: 16°C, fog", args["city"])),
    /// );
    /// ```
    #[track_caller]
    pub fn raw_tool<A, R, F>(
        self,
        name: impl Into<String>,
        description: impl Into<String>,
        schema: impl Into<RawJson>,
        handler: F,
    ) -> Self
    where
        A: RawArgs + 'static,
        R: ToolOutcome + 'static,
        F: AsyncFn(A, Context) -> Result<R, ToolError> + 'static,
    {
        self.add_tool(Tool::raw(name, description, schema, handler))
    }

    /// Offers a tool with more options: see [`Tool`].
    ///
    /// ```
    /// use extline::prelude::*;
    ///
    /// let clock = Tool::new("clock", "The time.", async |_: NoArgs, _| Ok("noon")).read_only(true);
    /// let extension = Extension::new("clock", "1.0.0").add_tool(clock);
    /// ```
    #[track_caller]
    pub fn add_tool(mut self, tool: Tool) -> Self {
        let Tool { frame, handler, problem, unchecked, adviser } = tool;
        let name = frame.name.clone();
        if let Some(problem) = problem {
            let (location, tool) = (Location::caller(), name.clone());
            self.mistake.get_or_insert(Error::Schema { location, tool, problem });
        }
        let remark = |keyword| format!("the schema of the tool {name}: {keyword}");
        self.remarks.extend(unchecked.iter().map(remark));
        match self.registrations.tool(frame) {
            Ok(()) => {
                self.handlers.advisers.extend(adviser.map(|adviser| (name.clone(), adviser)));
                self.handlers.tools.insert(name, handler);
            }
            Err(mistake) => self.note(mistake),
        }
        self
    }

    /// Offers a slash command: see [`Command::new`].
    ///
    /// ```
    /// use extline::prelude::*;
    /// use extline::testing::Host;
    ///
    /// let mut host = Host::new(|| {
    ///     Extension::new("greeter", "1.0.0")
    ///         .command("greet", "greets somebody", async |name: &str, _| format!("Hello {name}"))
    /// });
    /// assert_eq!(host.command("greet", "Ada")?, Response::display("Hello Ada"));
    /// # Ok::<(), extline::testing::Failure>(())
    /// ```
    #[track_caller]
    pub fn command<R, F>(
        self,
        name: impl Into<String>,
        description: impl Into<String>,
        handler: F,
    ) -> Self
    where
        R: IntoResponse + 'static,
        F: AsyncFn(&str, Context) -> R + 'static,
    {
        self.add_command(Command::new(name, description, handler))
    }

    /// Offers a slash command with more options: see [`Command`].
    ///
    /// ```
    /// use extline::prelude::*;
    ///
    /// let greet = Command::new("greet", "greets", async |name: &str, _| format!("Hello {name}"));
    /// let extension = Extension::new("greeter", "1.0.0").add_command(greet.usage("NAME"));
    /// ```
    #[track_caller]
    pub fn add_command(mut self, command: Command) -> Self {
        let Command { frame, handler } = command;
        let name = frame.name.clone();
        match self.registrations.command(frame) {
            Ok(()) => {
                self.handlers.commands.insert(name, handler);
            }
            Err(mistake) => self.note(mistake),
        }
        self
    }

    /// Has the host tell about an event, as `turn_start` or `tool_call`.
    ///
    /// Events are handled one at a time in the order in which they happened, while calls go on.
    /// Several handlers of one event run one after the other. Nobody waits for them: an error or a
    /// panic is one line on stderr.
    ///
    /// ```
    /// use extline::prelude::*;
    ///
    /// let extension = Extension::new("watch", "1.0.0").on("turn_end", async |event, ctx| {
    ///     if event.payload.stop.as_deref() == Some("error") {
    ///         ctx.notify_warn("the turn ended with an error");
    ///     }
    /// });
    /// ```
    pub fn on<R, F>(mut self, event: impl Into<String>, handler: F) -> Self
    where
        R: HandlerOutcome + 'static,
        F: AsyncFn(Event, Context) -> R + 'static,
    {
        self.handlers.on(&mut self.registrations.subscribe, event.into(), None, handler);
        self
    }

    /// As [`on`](Extension::on), for these tools alone: of an event about a tool, as `tool_call` or
    /// `tool_result`. `*` in a name stands for any text. A host that can sends no others.
    ///
    /// [`Error::Registration`] when the extension is served, for another event, for no tools, and for a name with a
    /// backslash before another character than `*` and `\`.
    ///
    /// ```
    /// use extline::prelude::*;
    ///
    /// let extension = Extension::new("watch", "1.0.0").on_tools(
    ///     "tool_result",
    ///     ["bash", "mcp_*"],
    ///     async |event, ctx| ctx.notify_info(format!("{:?}", event.payload.status)),
    /// );
    /// ```
    #[track_caller]
    pub fn on_tools<R, F, T>(
        mut self,
        event: impl Into<String>,
        tools: impl IntoIterator<Item = T>,
        handler: F,
    ) -> Self
    where
        R: HandlerOutcome + 'static,
        F: AsyncFn(Event, Context) -> R + 'static,
        T: Into<String>,
    {
        let event = event.into();
        match EventFilter::of_tools(&event, tools.into_iter().map(Into::into).collect()) {
            Ok(filter) => {
                let subscribe = &mut self.registrations.subscribe;
                self.handlers.on(subscribe, event, Some(filter), handler);
            }
            Err(mistake) => self.note(mistake),
        }
        self
    }

    #[track_caller]
    pub(crate) fn note(&mut self, mistake: RegistrationError) {
        let location = Location::caller();
        self.mistake.get_or_insert(Error::Registration { location, mistake });
    }
}

/// Serving.
impl Extension {
    /// Serves the extension until its host ends it, on a runtime of its own. Call it last in `main`.
    ///
    /// Started by hand in a terminal it says what the program is and how to try it, and returns.
    ///
    /// It returns `Ok` when the host sent `shutdown` or closed stdin. After SIGTERM it does not
    /// return: the process ends here with exit status 143, once everything is answered and every
    /// handler dropped; so it does with status 78 where something that is
    /// [`required`](Extension::required) is missing. A program with something left to do uses
    /// [`serve`](Extension::serve).
    ///
    /// # Errors
    ///
    /// [`Error::Registration`] before anything is sent; [`Error::Stdio`] and [`Error::System`] when
    /// the system refuses; [`Error::InsideRuntime`]; [`Error::Setup`].
    pub fn run(self) -> Result<(), Error> {
        run::run(self)
    }

    /// Serves the extension inside the program's own tokio runtime, which needs its I/O and time
    /// drivers on. The future is not `Send`: await it in `main`, not in `tokio::spawn`.
    ///
    /// The exit code is 0, 143 after SIGTERM, or 78 where something that is
    /// [`required`](Extension::required) is missing; return it from `main`.
    ///
    /// ```no_run
    /// # use extline::tokio;
    /// use std::process::ExitCode;
    /// use extline::prelude::*;
    ///
    /// async fn serve() -> Result<ExitCode, extline::Error> {
    ///     Extension::new("clock", "1.0.0").serve().await
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// As [`run`](Extension::run).
    ///
    /// # Panics
    ///
    /// Outside a tokio runtime, or in one without its I/O or time driver.
    pub async fn serve(self) -> Result<ExitCode, Error> {
        serve::serve(self, None).await.map(ExitCode::from)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn mistake(extension: Extension) -> String {
        extension.mistake.expect("there is a mistake").to_string()
    }

    #[test]
    fn the_first_mistake_is_kept_with_its_line() {
        let line = line!() + 3;
        let extension = Extension::new("a", "1")
            .command("go", "goes", async |_: &str, _| {})
            .command("GO", "goes too", async |_: &str, _| {})
            .command("no good", "is not reached", async |_: &str, _| {});
        let text = mistake(extension);
        assert!(text.contains(&format!("extension.rs:{line}:")), "{text}");
        assert!(text.contains("two commands named \"GO\""), "{text}");
    }

    #[test]
    fn a_schema_is_checked_where_it_is_given() {
        let schema = json!({"type": "object", "properties": {"a": {"type": "text"}}});
        let extension =
            Extension::new("a", "1").raw_tool("t", "", schema, async |_: Value, _| Ok(()));
        assert!(mistake(extension).contains("/properties/a/type"));
        let extension =
            Extension::new("a", "1").raw_tool("t", "", json!([]), async |_: Value, _| Ok(()));
        assert!(mistake(extension).contains("extension.rs:"));
    }

    #[test]
    fn arguments_that_are_no_object_are_a_mistake() {
        let extension = Extension::new("a", "1").tool("t", "", async |_: String, _| Ok(()));
        assert!(mistake(extension).contains("take a struct, or `NoArgs`"));
    }

    #[test]
    fn a_keyword_that_only_the_host_checks_is_remarked_on() {
        let schema = json!({"type": "object", "properties": {"a": {"pattern": "^a"}}});
        let extension =
            Extension::new("a", "1").raw_tool("t", "", schema, async |_: Value, _| Ok(()));
        assert_eq!(extension.remarks.len(), 1);
        assert!(extension.remarks[0].contains("/properties/a/pattern"), "{:?}", extension.remarks);
    }
}
