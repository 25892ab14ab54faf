//! Interceptors: handlers that are asked before something happens, and may change or prevent it.

use std::rc::Rc;
use std::sync::Arc;

use extline_protocol::Change;
use extline_protocol::frame::{EventIntercept, OnFailure, Subscribe};

use crate::asked::Asked;
use crate::handler::{Handlers, Work};
use crate::point::Point;
use crate::{Context, Extension, ToolError};

/// A handler that decides, as the serving loop calls it. An error is its text.
pub(crate) type DecisionHandler =
    Rc<dyn Fn(Arc<EventIntercept>, Context) -> Work<Result<Change, String>>>;

/// Interceptors.
impl Extension {
    /// Has the host ask before something happens: a tool call, a model call, a message, an agent's
    /// start. The host stands still until the answer, so it should come soon.
    ///
    /// The handler gets what is about to happen and returns nothing, `allow()`, `block(reason)` or
    /// the change that the point knows: [`rewrite`](crate::ToolUse::rewrite),
    /// [`replace`](crate::Message::replace), also of a [result](crate::ToolAnswer::replace) and a
    /// [prompt](crate::UserPrompt::replace), [`system_prompt`](crate::AgentStart::system_prompt). `?` works in a handler that returns a
    /// `Result`.
    ///
    /// Several handlers of one point are asked in the order in which they were given. Each sees what
    /// the one before made; a block ends it. Then the guards are asked (`intercept.phase-absent`).
    ///
    /// A handler that fails or panics is one line on stderr and is answered as
    /// [`on_failure`](Extension::on_failure) says, without any rewrite (`intercept.failure`); where
    /// that lets it pass, the guards are asked all the same. So is one that takes longer than the
    /// host waits, less 500 ms: 4.5 s unless the host says otherwise (`guard.margin`), also one that
    /// keeps the thread. Other calls wait meanwhile: long computations belong in
    /// [`Context::blocking`].
    ///
    /// ```
    /// use extline::prelude::*;
    ///
    /// let extension = Extension::new("polite", "1.0.0")
    ///     .intercept(point::ToolCall, async |call, _| {
    ///         if call.tool() != "bash" {
    ///             return Ok(call.allow());
    ///         }
    ///         let mut args: Value = call.args_as()?;
    ///         args["timeout"] = json!(60);
    ///         Ok(call.rewrite(args))
    ///     })
    ///     .intercept(point::AssistantMessage, async |message, _| {
    ///         message.replace(message.text().replace("damn", "d***"))
    ///     });
    /// ```
    pub fn intercept<P, R, F>(mut self, point: P, handler: F) -> Self
    where
        P: Point,
        R: DecisionOutcome<Decision> + 'static,
        F: AsyncFn(P::Moment, Context) -> R + 'static,
    {
        self.handlers.intercept(&mut self.registrations.subscribe, point, handler);
        self
    }

    /// What a handler that fails or takes too long means at a point, for its interceptors and its
    /// guards. Unsaid it is a block at the three points that every zot knows, and at the others it goes on
    /// (`intercept.failure`).
    ///
    /// ```
    /// use extline::prelude::*;
    ///
    /// let extension = Extension::new("watch", "1.0.0")
    ///     .intercept(point::TurnStart, async |turn, ctx| {
    ///         ctx.notify_info(format!("model call {}", turn.step()));
    ///     })
    ///     .on_failure(point::TurnStart, OnFailure::Allow);
    /// ```
    pub fn on_failure<P: Point>(mut self, _point: P, on_failure: OnFailure) -> Self {
        let modes = self.registrations.subscribe.on_failure.get_or_insert_default();
        modes.insert(P::NAME.to_owned(), on_failure);
        self
    }
}

impl Handlers {
    pub(crate) fn intercept<P, R, F>(&mut self, subscribe: &mut Subscribe, _point: P, handler: F)
    where
        P: Point,
        R: DecisionOutcome<Decision> + 'static,
        F: AsyncFn(P::Moment, Context) -> R + 'static,
    {
        add_name(&mut subscribe.intercept, P::NAME);
        // The future borrows the handler, so it brings it along.
        let shared = Rc::new(handler);
        let handler: DecisionHandler = Rc::new(move |intercept, context| {
            let handler = Rc::clone(&shared);
            Box::pin(async move {
                let asked = Asked::new(intercept);
                let outcome = handler(P::moment(asked.clone()), context).await;
                if outcome.is_unsaid() {
                    return asked.unsaid();
                }
                let decision = outcome.decision().map_err(|error| error.to_string())?;
                Ok(decision.map_or(Change::None, |decision| decision.0))
            })
        });
        self.interceptors.entry(P::NAME.to_owned()).or_default().push(handler);
    }
}

/// What an interceptor decides; made by what it is asked about.
///
/// ```
/// use extline::{Context, Decision, ToolUse, point};
///
/// async fn no_force(call: ToolUse, _: Context) -> Decision {
///     let args = call.args().get().replace("--force", "--force-with-lease");
///     extline::RawJson::parse(&args).map_or(call.allow(), |args| call.rewrite(args))
/// }
///
/// let extension = extline::Extension::new("gentle", "1.0.0").intercept(point::ToolCall, no_force);
/// ```
#[derive(Clone, Debug, PartialEq)]
#[must_use = "a handler returns its decision"]
pub struct Decision(pub(crate) Change);

/// What a handler that decides may return: nothing or `None` to let it go on, its decision (`D` is
/// [`Decision`] for an interceptor, [`Verdict`](crate::Verdict) for a guard), or a `Result` of these
/// with a [`ToolError`], into which `?` turns every error.
///
/// A handler that calls `block` and returns `()` blocks all the same. One that makes another decision
/// and returns `()` fails, since it has decided nothing.
///
/// ```
/// use extline::prelude::*;
///
/// let extension = Extension::new("watch", "1.0.0")
///     .intercept(point::TurnStart, async |turn, ctx| ctx.notify_info(turn.step().to_string()))
///     .intercept(point::TurnStart, async |turn, _| (turn.step() > 50).then(|| turn.block("enough")))
///     .guard("no_empty", async |call, _| {
///         let args: Value = call.args_as()?;
///         Ok(if args == json!({}) { call.block("say something") } else { call.allow() })
///     });
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no decision of this handler",
    note = "return what `allow()`, `block(reason)` and the like give, `()`, or an `Option` or \
            `Result<_, ToolError>` of these"
)]
pub trait DecisionOutcome<D> {
    #[doc(hidden)]
    fn decision(self) -> Result<Option<D>, ToolError>;

    /// Whether the handler returned nothing at all, and not even a `None`.
    #[doc(hidden)]
    fn is_unsaid(&self) -> bool {
        false
    }
}

impl<D> DecisionOutcome<D> for () {
    fn decision(self) -> Result<Option<D>, ToolError> {
        Ok(None)
    }

    fn is_unsaid(&self) -> bool {
        true
    }
}

impl DecisionOutcome<Self> for Decision {
    fn decision(self) -> Result<Option<Self>, ToolError> {
        Ok(Some(self))
    }
}

impl<D> DecisionOutcome<D> for Option<D> {
    fn decision(self) -> Result<Self, ToolError> {
        Ok(self)
    }
}

impl<D, T: DecisionOutcome<D>> DecisionOutcome<D> for Result<T, ToolError> {
    fn decision(self) -> Result<Option<D>, ToolError> {
        self.and_then(T::decision)
    }

    fn is_unsaid(&self) -> bool {
        self.as_ref().is_ok_and(T::is_unsaid)
    }
}

/// Adds a name to a list of the subscription, once.
pub(crate) fn add_name(names: &mut Option<Vec<String>>, name: &str) {
    let names = names.get_or_insert_default();
    if !names.iter().any(|known| known == name) {
        names.push(name.to_owned());
    }
}
