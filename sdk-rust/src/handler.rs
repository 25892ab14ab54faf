//! The author's handlers, whatever their types, as the serving loop calls them.

use std::any::Any;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context as TaskContext, Poll};

use extline_protocol::frame::{Event, EventFilter, RpcError, Subscribe};
use extline_protocol::{ErrorKind, RawJson};

use crate::guard::Guard;
use crate::intercept::DecisionHandler;
use crate::{Context, PanelInput, Response, ToolError, ToolResult};

/// What a handler does, polled on the thread that called it.
pub(crate) type Work<T> = Pin<Box<dyn Future<Output = T>>>;

pub(crate) type ToolHandler = Rc<dyn Fn(RawJson, Context) -> Work<ToolResult>>;
pub(crate) type CommandHandler = Rc<dyn Fn(String, Context) -> Work<Response>>;
/// `None` for an event that its filter keeps away.
pub(crate) type EventHandler = Rc<dyn Fn(&Event, &Context) -> Option<Work<Result<(), String>>>>;
pub(crate) type MethodHandler = Rc<dyn Fn(RawJson, Context) -> Work<Result<RawJson, RpcError>>>;
pub(crate) type PanelHandler = Rc<dyn Fn(PanelInput, Context) -> Work<Result<(), String>>>;

/// Every handler of an extension, by the name under which it is registered.
#[derive(Default)]
pub(crate) struct Handlers {
    pub(crate) tools: BTreeMap<String, ToolHandler>,
    pub(crate) commands: BTreeMap<String, CommandHandler>,
    /// In the order in which they were given.
    pub(crate) events: BTreeMap<String, Vec<EventHandler>>,
    /// By point, in the order in which they were given.
    pub(crate) interceptors: BTreeMap<String, Vec<DecisionHandler>>,
    /// In the order in which they were given.
    pub(crate) guards: Vec<Guard>,
    /// By the panel's id.
    pub(crate) panels: BTreeMap<String, PanelHandler>,
    pub(crate) methods: BTreeMap<String, MethodHandler>,
    /// By the tool, what says whether one of its calls is to be approved.
    pub(crate) advisers: BTreeMap<String, MethodHandler>,
}

impl Handlers {
    pub(crate) fn on<R, F>(
        &mut self,
        subscribe: &mut Subscribe,
        event: String,
        filter: Option<EventFilter>,
        handler: F,
    ) where
        R: HandlerOutcome + 'static,
        F: AsyncFn(Event, Context) -> R + 'static,
    {
        subscribe.listen(&event, filter.as_ref());
        // The future borrows the handler, so it brings it along.
        let shared = Rc::new(handler);
        let handler: EventHandler = Rc::new(move |event, context| {
            if filter.as_ref().is_some_and(|filter| !filter.fits(event)) {
                return None;
            }
            let (handler, event, context) = (Rc::clone(&shared), event.clone(), context.clone());
            Some(Box::pin(async move { handler(event, context).await.outcome() }))
        });
        self.events.entry(event).or_default().push(handler);
    }
}

/// What a handler may return that nobody waits for, as one of an event or a panel: nothing, or a
/// `Result` with a [`ToolError`], into which `?` turns every error. An error goes to stderr.
///
/// ```
/// use extline::prelude::*;
///
/// let extension = Extension::new("counter", "1.0.0")
///     .on("turn_start", async |_, ctx| ctx.notify_info("a turn begins"))
///     .on("turn_end", async |event, _| {
///         std::fs::write("last-turn", event.payload.step.unwrap_or_default().to_string())?;
///         Ok(())
///     });
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the outcome of this handler",
    note = "return `()` or `Result<(), ToolError>`"
)]
pub trait HandlerOutcome {
    #[doc(hidden)]
    fn outcome(self) -> Result<(), String>;

    /// Whether it failed because it was cancelled.
    #[doc(hidden)]
    fn is_cancelled(&self) -> bool {
        false
    }
}

impl HandlerOutcome for () {
    fn outcome(self) -> Result<(), String> {
        Ok(())
    }
}

impl HandlerOutcome for Result<(), ToolError> {
    fn outcome(self) -> Result<(), String> {
        self.map_err(|error| error.to_string())
    }

    fn is_cancelled(&self) -> bool {
        self.as_ref().is_err_and(|error| *error.kind() == ErrorKind::Cancelled)
    }
}

/// Work whose panic is an outcome like any other: `panic: MESSAGE`.
pub(crate) struct Guarded<T>(Work<T>);

impl<T> Guarded<T> {
    /// Calling a handler runs no code of the author's yet; polling does.
    pub(crate) fn new(work: Work<T>) -> Self {
        Self(work)
    }
}

impl<T> Future for Guarded<T> {
    type Output = Result<T, String>;

    fn poll(mut self: Pin<&mut Self>, context: &mut TaskContext<'_>) -> Poll<Self::Output> {
        // Whatever the panic left half done is the author's own; the work is not polled again.
        let polled = catch_unwind(AssertUnwindSafe(|| self.0.as_mut().poll(context)));
        match polled {
            Ok(polled) => polled.map(Ok),
            Err(panic) => Poll::Ready(Err(format!("panic: {}", message_of(&*panic)))),
        }
    }
}

/// What a panic said.
pub(crate) fn message_of(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    let owned = || panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(owned).unwrap_or("(no message)")
}
