//! Tools that answer with a stream: updates, then the result.

use std::future::poll_fn;
use std::pin::pin;

use futures_core::Stream;

use crate::{Context, IntoToolResult, ToolError, ToolResult, Update};

/// A stream as the answer of a tool: each [`Step::Update`] is shown as it comes, and
/// [`Step::Result`] ends it. An error ends it too, and so does the call's cancel.
///
/// Rust has no generators yet; crates as `async-stream` have macros that look like them. Where an
/// ordinary handler will do, [`Context::update`] says the same.
///
/// ```
/// use async_stream::try_stream;
/// use extline::prelude::*;
///
/// #[derive(Deserialize, JsonSchema)]
/// struct Build {
///     targets: Vec<String>,
/// }
///
/// let build = Tool::new("build", "Builds.", async |build: Build, _| {
///     Ok(Steps(try_stream! {
///         let total = build.targets.len();
///         for (done, target) in build.targets.iter().enumerate() {
///             yield Update::new(format!("building {target}")).progress(done, total).into();
///             extline::tokio::time::sleep(std::time::Duration::from_millis(1)).await;
///         }
///         yield Step::Result(format!("{total} targets built"));
///     }))
/// });
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Steps<S>(
    /// The stream.
    pub S,
);

/// What the stream of a tool yields.
///
/// ```
/// use extline::{Step, Update};
///
/// let steps: [Step<&str>; 2] = [Update::new("asking").into(), Step::Result("16°C, fog")];
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Step<R> {
    /// How the call stands.
    Update(Update),
    /// The result; the stream is not polled again.
    Result(R),
}

impl<R> From<Update> for Step<R> {
    fn from(update: Update) -> Self {
        Self::Update(update)
    }
}

/// What a tool's handler may return: anything that is a result ([`IntoToolResult`]), or a stream
/// that ends in one ([`Steps`]).
///
/// ```
/// use async_stream::stream;
/// use extline::prelude::*;
///
/// let plain = Tool::new("plain", "", async |_: NoArgs, _| Ok("at once"));
/// let stepwise = Tool::new("stepwise", "", async |_: NoArgs, _| {
///     Ok(Steps(stream! {
///         yield Ok(Update::new("nearly").into());
///         yield Ok(Step::Result("in the end"));
///     }))
/// });
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the result of a tool",
    note = "return text (`String`, `&str`), `()`, an `Image`, a `ToolResult`, a tuple of these, wrap \
            a value in `Json(..)`, or a stream of `Result<Step<_>, ToolError>` in `Steps(..)`"
)]
pub trait ToolOutcome {
    /// What is needed of the call behind its handler.
    #[doc(hidden)]
    type Kept;

    #[doc(hidden)]
    fn keep(context: &Context) -> Self::Kept;

    #[doc(hidden)]
    fn outcome(self, kept: Self::Kept) -> impl Future<Output = Result<ToolResult, ToolError>>;
}

impl<T: IntoToolResult> ToolOutcome for T {
    type Kept = ();

    fn keep(_: &Context) {}

    async fn outcome(self, (): ()) -> Result<ToolResult, ToolError> {
        self.into_tool_result()
    }
}

impl<S, R> ToolOutcome for Steps<S>
where
    S: Stream<Item = Result<Step<R>, ToolError>>,
    R: IntoToolResult,
{
    type Kept = Context;

    fn keep(context: &Context) -> Context {
        context.clone()
    }

    async fn outcome(self, context: Context) -> Result<ToolResult, ToolError> {
        let mut steps = pin!(self.0);
        loop {
            let next = poll_fn(|task| steps.as_mut().poll_next(task));
            match context.run_until_cancelled(next).await? {
                Some(Ok(Step::Update(update))) => context.send_update(update.into_snapshot()),
                Some(Ok(Step::Result(result))) => return result.into_tool_result(),
                Some(Err(error)) => return Err(error),
                None => {
                    return Err(ToolError::internal("the tool's stream ended without a result"));
                }
            }
        }
    }
}
