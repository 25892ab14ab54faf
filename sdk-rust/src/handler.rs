//! The author's handlers, whatever their types, as the serving loop calls them.

use std::any::Any;
use std::collections::HashMap;
use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context as TaskContext, Poll};

use extline_protocol::RawJson;
use extline_protocol::frame::Event;

use crate::guard::Guard;
use crate::intercept::DecisionHandler;
use crate::{Context, Response, ToolResult};

/// What a handler does, polled on the thread that called it.
pub(crate) type Work<T> = Pin<Box<dyn Future<Output = T>>>;

pub(crate) type ToolHandler = Rc<dyn Fn(RawJson, Context) -> Work<ToolResult>>;
pub(crate) type CommandHandler = Rc<dyn Fn(String, Context) -> Work<Response>>;
pub(crate) type EventHandler = Rc<dyn Fn(Event, Context) -> Work<Result<(), String>>>;

/// Every handler of an extension, by the name under which it is registered.
#[derive(Default)]
pub(crate) struct Handlers {
    pub(crate) tools: HashMap<String, ToolHandler>,
    pub(crate) commands: HashMap<String, CommandHandler>,
    /// In the order in which they were given.
    pub(crate) events: HashMap<String, Vec<EventHandler>>,
    /// By point, in the order in which they were given.
    pub(crate) interceptors: HashMap<String, Vec<DecisionHandler>>,
    /// In the order in which they were given.
    pub(crate) guards: Vec<Guard>,
}

/// What the handler of an event may return: nothing, or a `Result`, whose error goes to stderr.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the outcome of an event's handler",
    note = "return `()` or `Result<(), E>`"
)]
pub trait EventOutcome {
    #[doc(hidden)]
    fn failure(self) -> Option<String>;
}

impl EventOutcome for () {
    fn failure(self) -> Option<String> {
        None
    }
}

impl<E: Display> EventOutcome for Result<(), E> {
    fn failure(self) -> Option<String> {
        self.err().map(|error| error.to_string())
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

fn message_of(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    let owned = || panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(owned).unwrap_or("(no message)")
}
