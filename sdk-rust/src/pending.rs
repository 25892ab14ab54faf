//! Actions that a handler proposes, and that are done only when the model, or a person, says so.

use std::collections::BTreeMap;
use std::fmt;
use std::rc::Rc;

use extline_protocol::RawJson;
use extline_protocol::frame::{self, Object, ReplaceResult, RpcError};
use extline_services::Method;
use extline_services::pending::{
    Apply, ApplyMethod, Push, PushMethod, Pushed, Reject, RejectMethod,
};
use serde_json::value::RawValue;

use crate::handler::{MethodHandler, Work};
use crate::{Context, IntoToolResult, ToolError, ToolResult, args};

type Resolver = Rc<dyn Fn(String, Context) -> Work<Result<ToolResult, ToolError>>>;

/// Proposes actions, see [`Context::pending`].
#[derive(Clone, Copy, Debug)]
pub struct Pending<'c> {
    ctx: &'c Context,
}

/// An action that is proposed: what it is, and what is called when somebody decides about it.
pub struct Proposal {
    label: String,
    summary: Option<String>,
    details: Option<RawJson>,
    apply: Resolver,
    reject: Option<Resolver>,
}

/// The handlers of what an extension has proposed, by handle.
#[derive(Default)]
pub(crate) struct Proposals {
    count: u64,
    handlers: BTreeMap<String, (Resolver, Option<Resolver>)>,
}

/// Actions.
impl Context {
    /// Proposes what is done only when the model, or a person, says so.
    ///
    /// ```
    /// use extline::prelude::*;
    /// use extline::testing::Host;
    ///
    /// let mut host = Host::builder().pending().start(|| {
    ///     Extension::new("edit", "1.0.0").tool("edit", "Edits.", async |_: NoArgs, ctx: Context| {
    ///         ctx.pending().push(Proposal::new("12 edits", async |_, _| Ok("wrote 12 edits"))).await?;
    ///         Ok("would edit 12 lines")
    ///     })
    /// })?;
    /// host.call("edit", json!({}))?;
    /// assert_eq!(host.pending()[0].label, "12 edits");
    /// assert_eq!(host.apply("looks right")?.text(), "wrote 12 edits");
    /// # Ok::<(), extline::testing::Failure>(())
    /// ```
    pub fn pending(&self) -> Pending<'_> {
        Pending { ctx: self }
    }
}

impl Pending<'_> {
    /// Proposes an action, and returns its id; nothing is done yet.
    ///
    /// # Errors
    ///
    /// Kind `unsupported` where the host takes no proposals, which `ctx.host().serves("pending.push")` tells before;
    /// `budget` where 64 are pending; else as [`Context::request`].
    pub async fn push(&self, proposal: Proposal) -> Result<String, ToolError> {
        let Proposal { label, summary, details, apply, reject } = proposal;
        let proposals = &self.ctx.connection().proposals;
        let handle = {
            let mut proposals = proposals.borrow_mut();
            proposals.count += 1;
            let handle = proposals.count.to_string();
            // It may be resolved before the answer is here.
            proposals.handlers.insert(handle.clone(), (apply, reject));
            handle
        };
        let details = details.map(|details| RawValue::from_string(details.into_string()));
        let pushed = async {
            let details = details.transpose()?;
            let push = Push { handle: handle.clone(), label, summary, details };
            self.ctx.request::<Pushed, _>(PushMethod::NAME, &push).await
        };
        match pushed.await {
            Ok(pushed) => Ok(pushed.action_id),
            Err(error) => {
                proposals.borrow_mut().handlers.remove(&handle);
                Err(error)
            }
        }
    }
}

impl Proposal {
    /// What would be done, in a line, and what does it: with why whoever decided wants it, and a context. Where it fails
    /// the action stays pending, and may be applied again.
    pub fn new<R: IntoToolResult>(
        label: impl Into<String>,
        apply: impl AsyncFn(String, Context) -> Result<R, ToolError> + 'static,
    ) -> Self {
        let (label, apply) = (label.into(), resolver(apply));
        Self { label, summary: None, details: None, apply, reject: None }
    }

    /// Is called where nobody wants it, and where the conversation has become another one.
    #[must_use]
    pub fn reject<R: IntoToolResult>(
        mut self,
        reject: impl AsyncFn(String, Context) -> Result<R, ToolError> + 'static,
    ) -> Self {
        self.reject = Some(resolver(reject));
        self
    }

    /// What would be done, in more than a line.
    #[must_use]
    pub fn summary(mut self, summary: impl Into<String>) -> Self {
        self.summary = Some(summary.into());
        self
    }

    /// The same for programs.
    #[must_use]
    pub fn details(mut self, details: impl Into<RawJson>) -> Self {
        self.details = Some(details.into());
        self
    }
}

impl fmt::Debug for Proposal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Proposal").field("label", &self.label).finish_non_exhaustive()
    }
}

fn resolver<R: IntoToolResult>(
    handler: impl AsyncFn(String, Context) -> Result<R, ToolError> + 'static,
) -> Resolver {
    // The future borrows the handler, so it brings it along.
    let shared = Rc::new(handler);
    Rc::new(move |reason, context| {
        let handler = Rc::clone(&shared);
        Box::pin(async move { handler(reason, context).await?.into_tool_result() })
    })
}

/// What answers when an action is resolved.
pub(crate) fn resolving(method: &str) -> Option<MethodHandler> {
    let handler: MethodHandler = match method {
        ApplyMethod::NAME => Rc::new(|params, context| Box::pin(apply(params, context))),
        RejectMethod::NAME => Rc::new(|params, context| Box::pin(reject(params, context))),
        _ => return None,
    };
    Some(handler)
}

async fn apply(params: RawJson, context: Context) -> Result<RawJson, RpcError> {
    let run = async {
        let Apply { handle, reason } = args::decode(&params)?;
        let known = context.connection().proposals.borrow().handlers.get(&handle).cloned();
        let unknown = || ToolError::not_found("the extension has no such action");
        let (apply, _) = known.ok_or_else(unknown)?;
        let result = apply(reason, context.clone()).await?;
        let result = members(result);
        if result.is_error.is_none() {
            context.connection().proposals.borrow_mut().handlers.remove(&handle);
        }
        Ok(result)
    };
    answer(run.await)
}

async fn reject(params: RawJson, context: Context) -> Result<RawJson, RpcError> {
    let run = async {
        let Reject { handle, reason, .. } = args::decode(&params)?;
        let known = context.connection().proposals.borrow_mut().handlers.remove(&handle);
        match known.and_then(|(_, reject)| reject) {
            Some(reject) => Ok(members(reject(reason, context.clone()).await?)),
            None => Ok(ReplaceResult::default()),
        }
    };
    answer(run.await)
}

/// The members of a result that such an answer may have.
fn members(result: ToolResult) -> ReplaceResult {
    let frame::ToolResult { content, structured_content, details, is_error, .. } =
        result.into_frame();
    ReplaceResult {
        content: Some(content).filter(|content| !content.is_empty()),
        structured_content,
        details,
        is_error: is_error.then_some(true),
    }
}

fn answer(result: Result<ReplaceResult, ToolError>) -> Result<RawJson, RpcError> {
    match result {
        Ok(result) => Ok(RawJson::of_part(&result.object_text())),
        Err(error) => Err(RpcError::new(error.kind().clone(), error.to_string())),
    }
}
