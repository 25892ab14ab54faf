//! The way of a tool call, whoever makes it: interceptors, the tool's schema, guards, the tool
//! (`call.gate`).

use extline_protocol::frame::{EventInterceptResponse, EventPayload, Phase};
use extline_protocol::{RawJson, model_args};

use crate::ask::Question;
use crate::call::{Call, CallOptions};
use crate::call_error::CallError;
use crate::intercept::Blocked;
use crate::notice::Notice;
use crate::point::Point;
use crate::shared::Shared;

/// One tool call on its way, as those who are asked see it.
#[derive(Clone, Copy, Debug)]
struct Proposal<'a> {
    /// The host's own name for the call.
    id: &'a str,
    tool: &'a str,
}

impl Shared {
    /// Takes a call through the gate, see [`Host::start_call`](crate::Host::start_call).
    pub(crate) async fn start_call(
        &self,
        tool: &str,
        args: &str,
        options: CallOptions,
    ) -> Result<Call, CallError> {
        let unknown = || CallError::Unknown { what: "tool", name: tool.to_owned() };
        let tool = self.registry().tool(tool).ok_or_else(unknown)?;
        let args = model_args(args)
            .map_err(|error| CallError::BadArgs { tool: tool.name().to_owned(), error })?;
        let connection = self.connection(tool.owner).ok_or_else(unknown)?;
        let id = self.name_call();
        let call = Proposal { id: &id, tool: tool.name() };
        let args = self.intercept_tool_call(call, args).await?;
        if let Some(Err(violation)) = tool.schema.as_ref().map(|schema| schema.validate(&args)) {
            return Err(CallError::Invalid { tool, violation });
        }
        self.guard_tool_call(call, &args).await?;
        connection.call_tool(&tool, args, options.timeout, self.deadlines.tool)
    }

    /// Asks the interceptors, and returns the arguments as the last one left them.
    async fn intercept_tool_call(
        &self,
        call: Proposal<'_>,
        mut args: RawJson,
    ) -> Result<RawJson, Blocked> {
        for asked in self.asked(Point::ToolCall, &Phase::Intercept) {
            let question = Question::new(Point::ToolCall, call.payload(&args));
            let rewritten = self.ask(&asked, question, rewritten_args).await?;
            args = rewritten.flatten().unwrap_or(args);
        }
        Ok(args)
    }

    /// Asks the guards about the arguments that will run (`guard.final-args`).
    async fn guard_tool_call(&self, call: Proposal<'_>, args: &RawJson) -> Result<(), Blocked> {
        for asked in self.asked(Point::ToolCall, &Phase::Guard) {
            let mut question = Question::new(Point::ToolCall, call.payload(args));
            question.phase = Phase::Guard;
            let ignored = self.ask(&asked, question, |answer| Ok(changes_in(&answer))).await?;
            for field in ignored.unwrap_or_default() {
                let text = format!("ignored {field} in the answer of the guard at tool_call");
                let suggestion = "a guard can only block; rewrite in an interceptor".to_owned();
                asked.connection.notice_from_outside(Notice { text, suggestion: Some(suggestion) });
            }
        }
        Ok(())
    }
}

impl Proposal<'_> {
    fn payload(self, args: &RawJson) -> EventPayload {
        EventPayload {
            tool_id: Some(self.id.to_owned()),
            tool_name: Some(self.tool.to_owned()),
            tool_args: Some(args.clone()),
            ..EventPayload::default()
        }
    }
}

/// The arguments in an interceptor's answer, which are an object. They stand in for the model's, so
/// they are treated in the same way: not too deep, no key twice.
fn rewritten_args(answer: EventInterceptResponse) -> Result<Option<RawJson>, String> {
    match answer.modified_args {
        None => Ok(None),
        Some(args) => match model_args(args.get()) {
            Ok(args) => Ok(Some(args)),
            Err(error) => Err(format!("answered with modified_args that cannot be used: {error}")),
        },
    }
}

/// What a guard tried to change (`guard.only-blocks`).
fn changes_in(answer: &EventInterceptResponse) -> Vec<&'static str> {
    let changes = [
        ("modified_args", answer.modified_args.is_some()),
        ("replace_text", answer.replace_text.is_some()),
        ("system_prompt", answer.system_prompt.is_some()),
    ];
    changes.into_iter().filter_map(|(name, is_there)| is_there.then_some(name)).collect()
}
