//! Tools that extensions call: by the way of every call, and stopped when nobody wants the answer.

use std::pin::Pin;

use extline_protocol::frame::ToolResult;

use super::call::CallOptions;
use crate::connection::AskedTool;
use crate::report::CallError;

/// Runs a tool that an extension calls. Boxed, because such a call may lead to another one.
pub(crate) fn run(
    asked: AskedTool,
) -> Pin<Box<dyn Future<Output = Result<ToolResult, CallError>> + Send>> {
    Box::pin(outcome_of(asked))
}

async fn outcome_of(asked: AskedTool) -> Result<ToolResult, CallError> {
    let AskedTool { shared, caller, name, args, mut stopped } = asked;
    let start = async {
        shared.all_started().await;
        let options = CallOptions::default();
        shared.start_call(caller, &name, args.get(), options).await
    };
    let mut started = tokio::select! {
        started = start => started?,
        _ = &mut stopped => return Err(CallError::Cancelled { name }),
    };
    let reason = tokio::select! {
        answer = started.answered() => return answer.map(|result| *result),
        reason = &mut stopped => reason.unwrap_or_default(),
    };
    started.cancel(&reason);
    started.outcome().await
}
