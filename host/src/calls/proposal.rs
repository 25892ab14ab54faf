//! Who is asked about a tool call before it runs: interceptors, guards, and programs of a person
//! (`call.gate`).

use extline_protocol::RawJson;
use extline_protocol::frame::{EventInterceptResponse, EventPayload, Phase};

use super::telling::Telling;
use crate::connection::{News, Shared, Standstill};
use crate::hooks::{AboutCall, HookPoint};
use crate::intercepts::{Asked, Question, reason_of};
use crate::registry::Point;
use crate::report::{Blocked, Notice};

/// One tool call on its way, as those who are asked see it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Proposal<'a> {
    /// The host's own name for the call.
    pub(super) id: &'a str,
    pub(super) tool: &'a str,
    /// The extension that calls.
    pub(super) caller: Option<&'a str>,
    /// The time of those who wait for it.
    pub(super) time: Option<&'a Standstill>,
    /// What the agent knows it by.
    pub(super) origin: Option<u64>,
    /// Where it is made, if the host has no conversation of its own.
    pub(super) place: Option<&'a EventPayload>,
    /// An extension that is not asked: it wants the call for its answer to a question, and would be asked for ever.
    pub(super) unasked: Option<&'a str>,
}

impl Shared {
    pub(super) fn asked_about(&self, call: Proposal<'_>, phase: &Phase) -> Vec<Asked> {
        let mut asked = self.asked(Point::ToolCall, phase);
        asked.retain(|asked| call.unasked.is_none_or(|unasked| !asked.is(unasked)));
        asked
    }

    /// Has programs decide that a person wants to be asked too.
    pub(super) async fn run_hooks(
        &self,
        call: Proposal<'_>,
        args: &RawJson,
    ) -> Result<(), Blocked> {
        if !self.hooks.has(HookPoint::ToolCall, call.tool) {
            return Ok(());
        }
        let about = AboutCall {
            tool_id: call.id,
            tool_name: call.tool,
            tool_args: args,
            result: None,
            origin_extension: call.caller,
        };
        let notice = |hook, why: String| self.hook_failed(hook, &why);
        // What runs is large, and moved wherever this future goes.
        Box::pin(self.hooks.ask(HookPoint::ToolCall, &about, &self.processes, notice)).await
    }

    pub(super) fn hook_failed(&self, hook: String, why: &str) {
        let notice = Notice::new(format!("the hook failed, and the call went on: {why}"));
        self.news.tell(News::Notice { extension: hook, notice });
    }

    /// The arguments in an interceptor's answer.
    fn rewritten_args(&self, answer: EventInterceptResponse) -> Result<Option<RawJson>, String> {
        let args = answer.modified_args.map(|args| self.read_args(args.get())).transpose();
        args.map_err(|error| format!("answered with modified_args that cannot be used: {error}"))
    }

    /// Asks the interceptors, and returns the arguments as the last one left them.
    pub(super) async fn intercept_tool_call(
        &self,
        interceptors: &[Asked],
        call: Proposal<'_>,
        mut args: RawJson,
        telling: &mut Telling,
    ) -> Result<RawJson, Blocked> {
        for asked in interceptors {
            let question = call.question(&args);
            let rewritten = |answer| self.rewritten_args(answer);
            let rewritten = self.ask(asked, question, rewritten).await?;
            if let Some(rewritten) = rewritten.flatten() {
                args = rewritten;
                telling.rewritten(&args);
            }
        }
        Ok(args)
    }

    /// Asks the guards about the arguments that will run (`guard.final-args`), and returns what they
    /// have a person decide: a block of any other counts for more (`guard.ask-host`).
    pub(super) async fn guard_tool_call(
        &self,
        guards: &[Asked],
        call: Proposal<'_>,
        args: &RawJson,
    ) -> Result<Vec<Blocked>, Blocked> {
        let mut for_a_person = Vec::new();
        for asked in guards {
            let mut question = call.question(args);
            question.phase = Phase::Guard;
            let read = |answer: EventInterceptResponse| {
                let changes = changes_in(&answer);
                Ok((changes, answer.ask.then(|| reason_of(answer))))
            };
            let (ignored, reason) = self.ask(asked, question, read).await?.unwrap_or_default();
            if let Some(reason) = reason {
                for_a_person.push(Blocked { by: self.name_of(asked), reason });
            }
            for field in ignored {
                let text = format!("ignored {field} in the answer of the guard at tool_call");
                let suggestion =
                    "a guard can only block or ask; rewrite in an interceptor".to_owned();
                let notice = Notice { text, suggestion: Some(suggestion) };
                asked.connection.iter().for_each(|it| it.notice_from_outside(notice.clone()));
            }
        }
        Ok(for_a_person)
    }
}

impl Proposal<'_> {
    fn question(self, args: &RawJson) -> Question {
        let above = self.time.cloned();
        Question {
            above,
            origin: self.origin,
            ..Question::new(Point::ToolCall, self.payload(args))
        }
    }

    fn payload(self, args: &RawJson) -> EventPayload {
        EventPayload { tool_args: Some(args.clone()), ..self.named() }
    }

    /// Which call it is, in an event.
    pub(super) fn named(self) -> EventPayload {
        EventPayload {
            tool_id: Some(self.id.to_owned()),
            tool_name: Some(self.tool.to_owned()),
            origin_extension: self.caller.map(str::to_owned),
            ..self.place.cloned().unwrap_or_default()
        }
    }
}

/// What a guard tried to change (`guard.only-blocks`).
fn changes_in(answer: &EventInterceptResponse) -> Vec<&'static str> {
    let changes = [
        ("modified_args", answer.modified_args.is_some()),
        ("replace_text", answer.replace_text.is_some()),
        ("system_prompt", answer.system_prompt.is_some()),
        ("replace_result", answer.replace_result.is_some()),
        ("handled", answer.handled),
    ];
    changes.into_iter().filter_map(|(name, is_there)| is_there.then_some(name)).collect()
}
