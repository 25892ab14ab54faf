//! The calls that an agent makes itself, and those that nobody makes: interceptors, guards and an
//! approval, but no tool of the host's (`call.gate`).

use std::sync::Arc;

use extline_protocol::frame::{EventPayload, Phase, ToolResult};
use extline_protocol::{Id, RawJson};

use super::proposal::Proposal;
use super::review::Review;
use super::telling::Telling;
use crate::connection::Shared;
use crate::intercepts::{AgentCall, AgentCallDecision};
use crate::registry::Point;
use crate::report::{Blocked, CallError};

impl<'a> Proposal<'a> {
    fn of_agent(id: &'a str, tool: &'a str, place: Option<&'a EventPayload>) -> Self {
        Self { id, tool, caller: None, time: None, origin: None, place, unasked: None }
    }
}

impl Shared {
    /// Asks interceptors, guards and the approver about a call that is not made, and returns the
    /// arguments that would run.
    pub(crate) async fn propose_call(&self, tool: &str, args: &str) -> Result<RawJson, CallError> {
        let id = self.name_call();
        let call = Proposal::of_agent(&id, tool, None);
        let telling = &mut Telling::silent();
        // What asks is large, and moved wherever this future goes.
        let (args, asked) = Box::pin(self.ask_all(call, args, telling)).await?;
        let offered = self.registry().tool(tool);
        Box::pin(self.approve(call, offered.as_ref(), &args, &asked)).await?;
        Ok(args)
    }

    /// The same about a call that the agent makes itself, which is told of.
    pub(crate) async fn propose_agent_call(
        self: &Arc<Self>,
        call: AgentCall,
    ) -> Result<AgentCallDecision, CallError> {
        let AgentCall { id, tool, args, session_id, cwd } = call;
        let id = id.unwrap_or_else(|| self.name_call());
        let place = EventPayload { session_id, cwd, ..EventPayload::default() };
        let mut telling = Telling::begin(self, &id, None, &tool, &args, Some(&place));
        let place = Some(&place);
        let call = Proposal::of_agent(&id, &tool, place);
        let decided = Box::pin(self.decide(call, &args, &mut telling)).await;
        match &decided {
            Ok(_) => telling.passed(),
            Err(error) => telling.failed(error),
        }
        decided
    }

    /// Asks about the result of a call that the agent made itself.
    pub(crate) async fn review_agent_result(
        self: &Arc<Self>,
        call: AgentCall,
        result: ToolResult,
    ) -> ToolResult {
        let offered = self.registry().tool(&call.tool);
        if !offered.is_some_and(|tool| tool.definition.only_looks()) {
            self.model_side.memo.changed();
        }
        if !self.reviews_result_of(&call.tool) {
            return result;
        }
        let AgentCall { id, tool, args, session_id, cwd } = call;
        let id = id.unwrap_or_else(|| self.name_call());
        let place = EventPayload { session_id, cwd, ..EventPayload::default() };
        let place = Some(&place);
        let call = Proposal::of_agent(&id, &tool, place);
        let review = Review::of(self, call, RawJson::parse(&args).ok().as_ref());
        // What was an answer is one still: one is replaced by another.
        match review.run(Ok(Box::new(result))).await {
            Ok(result) => *result,
            Err(error) => ToolResult::error(Id::from(&*id), error.to_error_info()),
        }
    }

    async fn decide(
        &self,
        call: Proposal<'_>,
        args: &str,
        telling: &mut Telling,
    ) -> Result<AgentCallDecision, CallError> {
        let (args, asked) = self.ask_all(call, args, telling).await?;
        let offered = self.registry().tool(call.tool);
        let ask = self.approve_by_agent(call, offered.as_ref(), &args, &asked).await?;
        Ok(AgentCallDecision { args, ask })
    }

    /// The arguments after all interceptors, and what guards have a person decide.
    async fn ask_all(
        &self,
        call: Proposal<'_>,
        args: &str,
        telling: &mut Telling,
    ) -> Result<(RawJson, Vec<Blocked>), CallError> {
        let offered = self.registry().tool(call.tool);
        let args = self.read_told(offered.as_deref(), call, args, telling)?;
        let interceptors = self.asked(Point::ToolCall, &Phase::Intercept);
        let args = self.intercept_tool_call(&interceptors, call, args, telling).await?;
        let guards = self.asked(Point::ToolCall, &Phase::Guard);
        let asked = self.guard_tool_call(&guards, call, &args).await?;
        self.run_hooks(call, &args).await?;
        Ok((args, asked))
    }
}
