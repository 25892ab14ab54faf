//! What an agent has extensions asked before something happens.

use extline_protocol::RawJson;
use extline_protocol::frame::{EventInterceptResponse, EventPayload, Phase, ToolResult};

use super::Host;
use crate::intercepts::{
    AgentCall, AgentCallDecision, AgentStart, PromptDecision, Question, UserPrompt,
};
use crate::registry::Point;
use crate::report::{Blocked, CallError};

/// What extensions are asked before something happens. [`Host::call`] asks about tool calls and their
/// results by itself; the agent asks about the rest.
///
/// An extension that does not answer within `Deadlines::intercept`, dies, or answers with something
/// unusable is decided for as it declared with `on_failure`. Where it declared nothing it blocks a tool
/// call, a turn and a message; what a tool answered, a prompt and the start of an agent pass
/// (`intercept.failure-host`). [`News::InterceptFailed`](crate::News::InterceptFailed) tells
/// of it. Where the guard of an extension stood, nothing passes when that extension has died, until
/// it is back or [removed](Host::remove) (`guard.gone`). Dropping one of these futures drops the
/// question.
impl Host {
    /// Asks interceptors and guards about a tool call that is not made, as [`Host::call`] would, has
    /// it approved where it needs that, and returns the arguments that would run. No schema is checked
    /// and no such tool need exist: this is for trying out what extensions decide.
    pub async fn intercept_tool_call(&self, tool: &str, args: &str) -> Result<RawJson, CallError> {
        self.shared.propose_call(tool, args).await
    }

    /// The same about a call that the agent makes, of a tool of its own that no extension offers. It is told
    /// of like other calls, to extensions, news, the audit and `tracing`: when it begins, and when it ends
    /// by being blocked. How one that passes ends the agent knows alone, and tells by
    /// [`emit`](Host::emit)`("tool_result", ..)`; the audit has `call_passed` of it.
    ///
    /// The host's approver is not asked: where a call needs an approval, the agent asks its user itself
    /// ([`AgentCallDecision::ask`]).
    pub async fn intercept_agent_call(
        &self,
        call: AgentCall,
    ) -> Result<AgentCallDecision, CallError> {
        self.shared.propose_agent_call(call).await
    }

    /// Asks about what a tool of the agent's own, which the agent runs itself, has answered, before anybody
    /// reads it, and returns the result that counts: each extension sees what the one before it made of
    /// it. One that withholds it leaves a failure of the kind `permission` that says who and why
    /// (`result.withheld`). [`Host::call`] does the same by itself.
    ///
    /// Arguments that are no JSON are not shown.
    pub async fn intercept_agent_result(&self, call: AgentCall, result: ToolResult) -> ToolResult {
        self.shared.review_agent_result(call, result).await
    }

    /// Asks about what the user has written before the agent takes it: each extension sees the text that
    /// the one before it made. The first that blocks it or has dealt with it itself ends that
    /// (`prompt.handled`). The event `user_prompt_submit` is still the agent's to tell.
    pub async fn intercept_user_prompt_submit(
        &self,
        prompt: UserPrompt,
    ) -> Result<PromptDecision, Blocked> {
        let UserPrompt { mut text, session_id, cwd, queued, image_count } = prompt;
        let about =
            EventPayload { session_id, cwd, queued, image_count, ..EventPayload::default() };
        for asked in self.shared.asked(Point::UserPromptSubmit, &Phase::Intercept) {
            let payload = EventPayload { text: Some(text.clone()), ..about.clone() };
            let question = Question::new(Point::UserPromptSubmit, payload);
            let read = |answer: EventInterceptResponse| Ok((answer.handled, answer.replace_text));
            match self.shared.ask(&asked, question, read).await? {
                Some((true, _)) => {
                    return Ok(PromptDecision::Handled { by: self.shared.name_of(&asked) });
                }
                Some((false, Some(replaced))) => text = replaced,
                _ => {}
            }
        }
        Ok(PromptDecision::Send(text))
    }

    /// Asks whether the model may be called for the `step`th time within a prompt, from 1. Where extensions are
    /// being [reloaded](Host::reload), it waits for that first: list the tools for the model afterwards.
    pub async fn intercept_turn_start(&self, step: u64) -> Result<(), Blocked> {
        self.shared.emission.turns.until_reloaded().await;
        let payload = EventPayload { step: Some(step), ..EventPayload::default() };
        for asked in self.shared.asked(Point::TurnStart, &Phase::Intercept) {
            let question = Question::new(Point::TurnStart, payload.clone());
            self.shared.ask(&asked, question, |_| Ok(())).await?;
        }
        Ok(())
    }

    /// Asks about the model's text before it is shown and kept, and returns the text that stands:
    /// each extension sees what the one before it made (`intercept.chain`).
    pub async fn intercept_assistant_message(&self, text: &str) -> Result<String, Blocked> {
        let mut text = text.to_owned();
        for asked in self.shared.asked(Point::AssistantMessage, &Phase::Intercept) {
            let payload = EventPayload { text: Some(text.clone()), ..EventPayload::default() };
            let question = Question::new(Point::AssistantMessage, payload);
            let answer = self.shared.ask(&asked, question, |answer| Ok(answer.replace_text));
            text = answer.await?.flatten().unwrap_or(text);
        }
        Ok(text)
    }

    /// Asks about the system prompt before the agent starts, and returns the one that stands; an
    /// empty one is none. Nobody can block the start.
    pub async fn intercept_before_agent_start(&self, start: AgentStart) -> String {
        let AgentStart { session_id, agent_run_id, cwd, provider, model, system_prompt } = start;
        let own = |name: &String| Some(name.clone()).filter(|name| !name.is_empty());
        let (provider, model) =
            (provider.or_else(|| own(&self.provider)), model.or_else(|| own(&self.model)));
        let payload = EventPayload {
            session_id,
            agent_run_id,
            cwd,
            provider,
            model,
            ..EventPayload::default()
        };
        let mut prompt = system_prompt;
        for asked in self.shared.asked(Point::BeforeAgentStart, &Phase::Intercept) {
            let question = Question {
                system_prompt: Some(prompt.clone()),
                ..Question::new(Point::BeforeAgentStart, payload.clone())
            };
            let answer = self.shared.ask(&asked, question, |answer| Ok(answer.system_prompt)).await;
            prompt = answer.ok().flatten().flatten().unwrap_or(prompt);
        }
        prompt
    }
}
