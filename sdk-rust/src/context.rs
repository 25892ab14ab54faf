//! What a handler knows of its call, and what it can do besides answering.

use std::fmt;
use std::future::poll_fn;
use std::panic::{self, AssertUnwindSafe};
use std::path::Path;
use std::pin::pin;
use std::rc::Rc;
use std::task::Poll;
use std::thread;
use std::time::Instant;

use extline_protocol::frame::{Level, SessionInfo};
use extline_protocol::{CallKey, ExtensionSession, RawJson, Repetition, Update};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::sync::oneshot;

use crate::args::Unfit;
use crate::connection::Connection;
use crate::{Cancellation, Host, ToolError};

/// The second argument of every handler: its call, its host, and what it can do besides answering.
///
/// A clone is cheap. It belongs to the thread that serves the extension; give
/// [`Context::cancellation`] to other threads.
///
/// ```
/// use extline::prelude::*;
/// use extline::testing::Host;
///
/// let mut host = Host::new(|| {
///     Extension::new("about", "1.0.0").tool("about", "", async |_: NoArgs, ctx: Context| {
///         ctx.notify_info("asked");
///         Ok(format!("call {} in {}", ctx.call_id(), ctx.host().cwd().display()))
///     })
/// });
/// assert!(host.call("about", json!({}))?.text().starts_with("call "));
/// assert_eq!(host.notes().len(), 1);
/// # Ok::<(), extline::testing::Failure>(())
/// ```
#[derive(Clone)]
pub struct Context {
    connection: Rc<Connection>,
    host: Rc<Host>,
    call: Option<CallKey>,
    deadline: Option<Instant>,
    session: Option<Rc<SessionInfo>>,
    cancellation: Cancellation,
}

/// The call.
impl Context {
    /// The id of the tool call, command or intercept, as the host chose it; empty in the handler of
    /// an event.
    pub fn call_id(&self) -> &str {
        self.call.as_ref().map_or("", |call| call.id().as_str())
    }

    /// When the host stops waiting, where it says so. It moves while a person is asked on behalf of the
    /// call, so read it again afterwards.
    ///
    /// ```
    /// # fn handler(ctx: &extline::Context) {
    /// use std::time::Instant;
    ///
    /// let left = ctx.deadline().map(|deadline| deadline.saturating_duration_since(Instant::now()));
    /// # }
    /// ```
    pub fn deadline(&self) -> Option<Instant> {
        let given = self.deadline?;
        let of_call = |call| self.connection.session().deadline(call, Instant::now());
        // One that is answered has none any more.
        Some(self.call.as_ref().and_then(of_call).unwrap_or(given))
    }

    /// Names what a tool call does, where the agent would make it again after a crash: then with the same
    /// key. A tool that tells a service passes it on, so that nothing is done twice.
    ///
    /// ```
    /// # fn handler(ctx: &extline::Context) {
    /// let idempotency_key = ctx.operation_key();
    /// # }
    /// ```
    pub fn operation_key(&self) -> Option<String> {
        self.repetition().and_then(|repetition| repetition.operation_key)
    }

    /// Whether the agent only asks what became of the call of that key, for a tool with
    /// [`Tool::replay`](crate::Tool::replay) of `Replay::Reconcile`: do nothing, and answer with
    /// `{"state": "completed"}` and what the call gave, `{"state": "not_started"}` or
    /// `{"state": "unknown"}`.
    ///
    /// ```
    /// # fn handler(ctx: &extline::Context) {
    /// let is_asked = ctx.reconcile();
    /// # }
    /// ```
    pub fn reconcile(&self) -> bool {
        self.repetition().is_some_and(|repetition| repetition.reconcile)
    }

    fn repetition(&self) -> Option<Repetition> {
        self.connection.session().repetition(self.call.as_ref()?).cloned()
    }

    /// The conversation that the call belongs to, where the host says so.
    ///
    /// ```
    /// # fn handler(ctx: &extline::Context) {
    /// let conversation = ctx.session().map_or("none", |session| session.id.as_str());
    /// # }
    /// ```
    pub fn session(&self) -> Option<&SessionInfo> {
        self.session.as_deref().or_else(|| self.host.session())
    }

    /// The host.
    pub fn host(&self) -> &Host {
        &self.host
    }

    /// The configuration as it is now, as the author's own type; one that the host does not give is an
    /// empty object, so that defaults of the type hold (`#[serde(default)]`).
    ///
    /// A host with configurations sends another one while the extension runs (`config_changed`): each call
    /// of this has the newest. A secret is a reference, `{"$secret": "api_key"}`.
    ///
    /// # Errors
    ///
    /// It does not fit the type; the text has the JSON pointer and what to do. As a [`ToolError`] it is of
    /// kind `fatal`.
    ///
    /// ```
    /// use extline::prelude::*;
    /// use extline::testing::Host;
    ///
    /// #[derive(Deserialize)]
    /// #[serde(default)]
    /// struct Settings { timeout_ms: u64 }
    ///
    /// impl Default for Settings {
    ///     fn default() -> Self { Self { timeout_ms: 5000 } }
    /// }
    ///
    /// let mut host = Host::builder().config(json!({"timeout_ms": 1})).start(|| {
    ///     Extension::new("w", "1.0.0").tool("ask", "", async |_: NoArgs, ctx: Context| {
    ///         Ok(ctx.config::<Settings>()?.timeout_ms.to_string())
    ///     })
    /// })?;
    /// assert_eq!(host.call("ask", json!({}))?.text(), "1");
    /// host.change_config(json!({}))?;
    /// assert_eq!(host.call("ask", json!({}))?.text(), "5000");
    /// # Ok::<(), extline::testing::Failure>(())
    /// ```
    pub fn config<T: DeserializeOwned>(&self) -> Result<T, ToolError> {
        let config = self.connection.session().config().cloned();
        let config = config.unwrap_or_else(RawJson::empty_object);
        crate::args::read(&config).map_err(|Unfit { pointer, reason }| {
            let place = if pointer.is_empty() { String::new() } else { format!("{pointer}: ") };
            ToolError::fatal(format!("the configuration does not fit: {place}{reason}")).hint(
                "set it with extline config DIR KEY VALUE, or give it with --config FILE; a host \
                 without configurations gives none, so give the member a default",
            )
        })
    }

    /// Where the extension is, where the host says so.
    pub fn extension_dir(&self) -> Option<&Path> {
        self.host.extension_dir()
    }

    /// Where the extension may keep data, where the host says so.
    ///
    /// ```
    /// # fn handler(ctx: &extline::Context) -> Result<(), extline::ToolError> {
    /// let Some(folder) = ctx.data_dir().or(ctx.extension_dir()) else { return Ok(()) };
    /// std::fs::write(folder.join("cache.json"), "{}")?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn data_dir(&self) -> Option<&Path> {
        self.host.data_dir()
    }
}

/// Cancels.
impl Context {
    /// Whether the answer is no longer wanted. It is given all the same.
    ///
    /// A handler that computes without awaiting sees its cancel too, within about 50 milliseconds,
    /// but every other handler waits meanwhile: long computations belong in
    /// [`Context::blocking`].
    ///
    /// ```
    /// # fn handler(ctx: &extline::Context) {
    /// for number in 0..1_000_000_u64 {
    ///     if ctx.cancelled() {
    ///         break;
    ///     }
    ///     // One step of the work.
    /// }
    /// # }
    /// ```
    pub fn cancelled(&self) -> bool {
        self.cancellation.is_cancelled()
    }

    /// An error of kind `cancelled` when the answer is no longer wanted, for `?`.
    ///
    /// ```
    /// # fn handler(ctx: &extline::Context, files: &[String]) -> Result<(), extline::ToolError> {
    /// for file in files {
    ///     ctx.check_cancelled()?;
    ///     std::fs::remove_file(file)?;
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn check_cancelled(&self) -> Result<(), ToolError> {
        if self.cancelled() { Err(cancelled()) } else { Ok(()) }
    }

    /// A future that is ready when the answer is no longer wanted, also for other threads.
    ///
    /// ```
    /// # async fn handler(ctx: extline::Context) {
    /// ctx.cancellation().await;
    /// # }
    /// ```
    pub fn cancellation(&self) -> Cancellation {
        self.cancellation.clone()
    }

    /// Awaits `work`, but only as long as the answer is wanted; then `work` is dropped.
    ///
    /// ```
    /// # use extline::{Context, ToolError};
    /// # use std::time::Duration;
    /// # async fn handler(ctx: Context) -> Result<(), ToolError> {
    /// ctx.run_until_cancelled(extline::tokio::time::sleep(Duration::from_secs(5))).await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// Kind `cancelled`.
    pub async fn run_until_cancelled<F: Future>(&self, work: F) -> Result<F::Output, ToolError> {
        let mut work = pin!(work);
        let mut cancellation = pin!(self.cancellation());
        poll_fn(|context| {
            if cancellation.as_mut().poll(context).is_ready() {
                return Poll::Ready(Err(cancelled()));
            }
            work.as_mut().poll(context).map(Ok)
        })
        .await
    }

    /// Runs `work` on a thread of its own and awaits its value, so that other calls go on.
    ///
    /// The thread cannot be stopped from outside: a long one asks a [`Cancellation`] now and then.
    /// When the extension ends it is not waited for.
    ///
    /// ```
    /// # use extline::{Context, ToolError};
    /// # async fn handler(ctx: Context) -> Result<String, ToolError> {
    /// let cancellation = ctx.cancellation();
    /// let sum = ctx
    ///     .blocking(move || (0..1_000_000_u64).take_while(|_| !cancellation.is_cancelled()).sum::<u64>())
    ///     .await;
    /// Ok(format!("{sum}"))
    /// # }
    /// ```
    ///
    /// # Panics
    ///
    /// When `work` panics, with the same message, or when the system has no thread left; the call is
    /// then answered with an error.
    pub async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> T {
        let (sender, receiver) = oneshot::channel();
        thread::spawn(move || {
            let outcome = panic::catch_unwind(AssertUnwindSafe(work));
            // Nobody waits when the handler was dropped.
            let _ = sender.send(outcome);
        });
        match receiver.await {
            Ok(Ok(value)) => value,
            Ok(Err(panic)) => panic::resume_unwind(panic),
            // The thread sends whatever happens.
            Err(_) => unreachable!("a thread ended without its outcome"),
        }
    }
}

/// What a handler can do besides answering.
impl Context {
    /// Shows the user a note.
    ///
    /// ```
    /// # fn handler(ctx: &extline::Context) {
    /// use extline::Level;
    ///
    /// ctx.notify(Level::Success, "cache refreshed (12 entries)");
    /// ctx.notify_warn("the cache is old");
    /// # }
    /// ```
    pub fn notify(&self, level: Level, message: impl Into<String>) {
        let message = message.into();
        self.connection.tell(|session| session.notify(level, message));
    }

    /// Shows the user a note of level `info`.
    pub fn notify_info(&self, message: impl Into<String>) {
        self.notify(Level::Info, message);
    }

    /// Shows the user a note of level `success`.
    pub fn notify_success(&self, message: impl Into<String>) {
        self.notify(Level::Success, message);
    }

    /// Shows the user a note of level `warn`.
    pub fn notify_warn(&self, message: impl Into<String>) {
        self.notify(Level::Warn, message);
    }

    /// Shows the user a note of level `error`.
    pub fn notify_error(&self, message: impl Into<String>) {
        self.notify(Level::Error, message);
    }

    /// Writes a line to the host's log, or to stderr where the host keeps none.
    ///
    /// ```
    /// # fn handler(ctx: &extline::Context) {
    /// ctx.log(extline::Level::Debug, "cache is cold");
    /// # }
    /// ```
    pub fn log(&self, level: Level, message: impl Into<String>) {
        let message = message.into();
        self.connection.tell(|session| session.log(level, message, None));
    }

    /// Writes a line with values that belong to it, an object. What serde cannot write as a JSON
    /// object is left out: a log line never fails.
    ///
    /// ```
    /// # fn handler(ctx: &extline::Context) {
    /// ctx.log_with(extline::Level::Info, "cache loaded", &serde_json::json!({ "entries": 12 }));
    /// # }
    /// ```
    pub fn log_with<T: Serialize + ?Sized>(
        &self,
        level: Level,
        message: impl Into<String>,
        fields: &T,
    ) {
        let message = message.into();
        let fields = RawJson::of(fields).ok().filter(RawJson::is_object);
        self.connection.tell(|session| session.log(level, message, fields));
    }

    /// Queues a prompt for the model, as if the user had typed it. Hosts before mid-2026 may not
    /// know this; one line on stderr says so then.
    ///
    /// ```
    /// # fn handler(ctx: &extline::Context) {
    /// ctx.submit("Summarize the selection.");
    /// # }
    /// ```
    pub fn submit(&self, prompt: impl Into<String>) {
        let prompt = prompt.into();
        self.connection.tell(|session| session.submit(prompt));
    }

    /// Runs a slash command as if the user had typed it; the slash at its beginning may be left out.
    /// Hosts before mid-2026 may not know this either.
    ///
    /// ```
    /// # fn handler(ctx: &extline::Context) {
    /// ctx.submit_slash("/compact");
    /// # }
    /// ```
    pub fn submit_slash(&self, command: impl Into<String>) {
        let mut command = command.into();
        if !command.starts_with('/') {
            command.insert(0, '/');
        }
        self.connection.tell(|session| session.submit_slash(command));
    }

    /// Takes the notes of this extension back. Hosts before mid-2026 may not know this either.
    ///
    /// ```
    /// # fn handler(ctx: &extline::Context) {
    /// ctx.clear_notes();
    /// # }
    /// ```
    pub fn clear_notes(&self) {
        self.connection.tell(ExtensionSession::clear_notes);
    }
}

impl Context {
    pub(crate) fn of_call(
        connection: &Rc<Connection>,
        call: CallKey,
        deadline: Option<Instant>,
        session: Option<SessionInfo>,
    ) -> Self {
        Self {
            call: Some(call),
            deadline,
            session: session.map(Rc::new),
            ..Self::of_event(connection)
        }
    }

    pub(crate) fn of_teardown(connection: &Rc<Connection>, deadline: Option<Instant>) -> Self {
        Self { deadline, ..Self::of_event(connection) }
    }

    pub(crate) fn of_event(connection: &Rc<Connection>) -> Self {
        Self {
            connection: Rc::clone(connection),
            host: connection.host(),
            call: None,
            deadline: None,
            session: None,
            cancellation: connection.new_cancellation(),
        }
    }

    pub(crate) fn connection(&self) -> &Rc<Connection> {
        &self.connection
    }

    pub(crate) fn call(&self) -> Option<&CallKey> {
        self.call.as_ref()
    }

    pub(crate) fn send_update(&self, update: Update) {
        if let Some(call) = &self.call {
            self.connection.update(call, update);
        }
    }
}

impl fmt::Debug for Context {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut context = formatter.debug_struct("Context");
        context.field("call", &self.call).field("deadline", &self.deadline);
        context.field("cancelled", &self.cancelled()).finish_non_exhaustive()
    }
}

/// The text is the same in every SDK.
fn cancelled() -> ToolError {
    ToolError::cancelled("cancelled")
}
