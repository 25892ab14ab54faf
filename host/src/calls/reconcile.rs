//! What became of a call whose result was lost (`tool.reconcile`).

use std::sync::Arc;

use extline_protocol::frame::{Replay, ToolResult};
use extline_protocol::{ErrorKind, Members, ToolCallOptions, read_string};

use super::aftermath::Aftermath;
use super::attempt::Attempt;
use super::call::{Call, Runner, Running};
use super::proposal::Proposal;
use super::review::Review;
use super::telling::Telling;
use super::tool_call_path::find_tool;
use crate::connection::{Sending, SentCall, Shared};
use crate::registry::Registry;
use crate::report::CallError;
use crate::tool::{Owner, Tool};

/// What became of a call.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
#[expect(clippy::large_enum_variant, reason = "there is one at a time, and only after a crash")]
pub enum Reconciled {
    /// It is done; the result that was lost.
    Completed(ToolResult),
    /// It has not begun: it may be made again.
    NotStarted,
    /// The tool does not know, or its answer cannot be used.
    Unknown,
}

impl Reconciled {
    /// What a tool's answer says.
    fn of(result: ToolResult) -> Self {
        let value = result.structured_content.as_ref().filter(|_| !result.is_error);
        let members = value.and_then(|value| Members::of(value.get()));
        let state = members.as_ref().and_then(|members| members.last("state"));
        match state.and_then(|state| read_string(state.value)).as_deref() {
            Some("completed") => Self::Completed(result),
            Some("not_started") => Self::NotStarted,
            _ => Self::Unknown,
        }
    }
}

impl Shared {
    /// Asks a tool, see [`Host::reconcile`](crate::Host::reconcile).
    pub(crate) async fn reconcile(
        self: &Arc<Self>,
        name: &str,
        args: &str,
        operation_key: &str,
    ) -> Result<Reconciled, CallError> {
        let is_reloading = |registry: &mut Registry| registry.is_tool_reloading(name);
        let tool = self.when_loaded(is_reloading, |registry| find_tool(registry, name)).await?;
        let args = self.read_model_args(Some(&tool), name, args)?.args;
        let options = ToolCallOptions {
            timeout: self.users_timeout(&tool).or_else(|| tool.timeout()),
            operation_key: Some(operation_key.to_owned()),
            reconcile: true,
            ..ToolCallOptions::default()
        };
        let timeout = options.timeout.unwrap_or(self.deadlines.tool);
        let unknown = || CallError::Unknown { what: "tool", name: name.to_owned() };
        let owner = owner_of(&tool)?;
        let id = self.name_call();
        let (caller, time, origin, place) = (None, None, None, None);
        let call = Proposal { id: &id, tool: name, caller, time, origin, place, unasked: None };
        let review = Review::of(self, call, Some(&args));
        let connection = self.connection(owner).ok_or_else(unknown)?;
        let sending = Sending {
            tool: Arc::clone(&tool),
            args,
            options,
            called_by: Vec::new(),
            above: None,
            origin: None,
            turn: None,
        };
        let SentCall { guard, result, updates } = connection.call_tool(sending)?;
        let running = Running { runner: Runner::Extension(guard), result, updates };
        // Nothing is done, so nobody is told that something is.
        let telling = Telling::silent();
        let name = name.to_owned();
        let call = Call {
            name,
            running,
            timeout,
            review: None,
            reviewing: None,
            is_of_model: true,
            aftermath: Aftermath::nothing(),
            attempt: Attempt::uncounted(),
            telling,
        };
        let reconciled = call.outcome().await.map(Reconciled::of)?;
        match reconciled {
            // It is the result of the call, which nobody has seen.
            Reconciled::Completed(result) => {
                review.run(Ok(Box::new(result))).await.map(|result| Reconciled::Completed(*result))
            }
            other => Ok(other),
        }
    }
}

/// The extension that has a tool which tells what became of a call. To another one the call would be
/// one to do.
fn owner_of(tool: &Tool) -> Result<usize, CallError> {
    match tool.owner {
        Owner::Extension(owner) if tool.definition.replay == Some(Replay::Reconcile) => Ok(owner),
        _ => Err(CallError::Unusable {
            name: tool.name().to_owned(),
            kind: ErrorKind::Unsupported,
            message: "it does not declare `replay: \"reconcile\"`, so it cannot be asked what \
                      became of a call"
                .to_owned(),
        }),
    }
}
