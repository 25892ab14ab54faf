//! What the caller of a tool gets: extensions are asked about it once the tool has answered, and may
//! replace or withhold it (`result.asked`).

use std::sync::Arc;

use extline_protocol::frame::{Content, ErrorInfo, EventPayload, EventResult, Phase, ToolResult};
use extline_protocol::{ErrorKind, Field, Id, RawJson};
use tokio::task::JoinHandle;

use super::proposal::Proposal;
use super::watched::Watched;
use crate::connection::{Shared, Standstill};
use crate::hooks::{AboutCall, HookPoint};
use crate::intercepts::Question;
use crate::registry::Point;
use crate::report::{Blocked, CallError};

/// What a call came to.
pub(super) type Answer = Result<Box<ToolResult>, CallError>;

/// A call whose result somebody may want to see first.
#[derive(Debug)]
pub(super) struct Review {
    shared: Arc<Shared>,
    /// The host's own name for the call.
    id: Id,
    tool: String,
    /// The extension that calls.
    caller: Option<String>,
    /// The arguments that ran. Kept only where somebody wanted to be asked when they did.
    args: Option<RawJson>,
    /// The time of those who wait for it.
    time: Option<Standstill>,
    /// What the agent knows it by.
    origin: Option<u64>,
    /// Where the agent makes it, if it is one of its own.
    place: Option<Box<EventPayload>>,
    /// Who wants to know what the call did.
    watched: Option<Watched>,
}

/// A review that goes on whether or not anybody awaits it, and ends when it is dropped.
#[derive(Debug)]
pub(super) struct Reviewing(pub(super) JoinHandle<Answer>);

impl Review {
    /// That of a call with these arguments.
    pub(super) fn of(shared: &Arc<Shared>, call: Proposal<'_>, args: Option<&RawJson>) -> Self {
        Self {
            shared: Arc::clone(shared),
            id: Id::from(call.id),
            tool: call.tool.to_owned(),
            caller: call.caller.map(str::to_owned),
            args: args.filter(|_| shared.reviews_result_of(call.tool)).cloned(),
            time: call.time.cloned(),
            origin: call.origin,
            place: call.place.cloned().map(Box::new),
            watched: None,
        }
    }

    /// Somebody wants to know what the call did, and is told first.
    pub(super) fn watch(&mut self, watched: Option<Watched>) {
        self.watched = watched;
    }

    /// Whether anybody is to be asked or told.
    pub(super) fn is_wanted(&self) -> bool {
        self.watched.is_some() || self.is_asked()
    }

    /// Whether anybody is to be asked.
    pub(super) fn is_asked(&self) -> bool {
        self.shared.reviews_result_of(&self.tool)
    }

    /// Begins to ask, about an answer or what there is in place of one.
    pub(super) fn start(self, answer: Answer) -> Reviewing {
        let runtime = self.shared.runtime.clone();
        Reviewing(runtime.spawn(self.run(answer)))
    }

    /// Asks one after the other; each sees what the one before made of it (`intercept.chain`).
    pub(super) async fn run(self, answer: Answer) -> Answer {
        let is_asked = self.is_asked();
        let Self { shared, id, tool, caller, args, time, origin, place, watched } = self;
        let answer = match watched {
            Some(watched) => watched.answered(answer).await,
            None => answer,
        };
        if !is_asked {
            return answer;
        }
        let about = EventPayload {
            tool_id: Some(id.to_string()),
            tool_name: Some(tool.clone()),
            tool_args: args,
            origin_extension: caller,
            ..place.map(|place| *place).unwrap_or_default()
        };
        let mut result = shown(&answer);
        let mut is_changed = false;
        for asked in shared.asked(Point::ToolResult, &Phase::Intercept) {
            let payload = EventPayload { result: Some(result.clone()), ..about.clone() };
            let question = Question {
                above: time.clone(),
                origin,
                ..Question::new(Point::ToolResult, payload)
            };
            match shared.ask(&asked, question, |answer| Ok(answer.replace_result)).await {
                Ok(Some(Some(other))) => {
                    other.apply(&mut result);
                    is_changed = true;
                }
                Ok(_) => {}
                Err(blocked) => return Ok(withheld(id, &tool, answer, &blocked)),
            }
        }
        if let Err(blocked) = Box::pin(shared.run_hooks_behind(&about, &result)).await {
            return Ok(withheld(id, &tool, answer, &blocked));
        }
        if is_changed { Ok(replaced(id, answer, result)) } else { answer }
    }
}

impl Shared {
    /// Whether somebody is asked about the result of a tool.
    pub(super) fn reviews_result_of(&self, tool: &str) -> bool {
        self.hooks.has(HookPoint::ToolResult, tool) || self.asks_about_results()
    }

    /// Runs the programs that a person wants to have run behind a tool.
    async fn run_hooks_behind(
        &self,
        about: &EventPayload,
        result: &EventResult,
    ) -> Result<(), Blocked> {
        let tool_name = about.tool_name.as_deref().unwrap_or_default();
        if !self.hooks.has(HookPoint::ToolResult, tool_name) {
            return Ok(());
        }
        let mut text = Vec::new();
        result.write(&mut text);
        let result = String::from_utf8(text).ok().and_then(|text| RawJson::parse(&text).ok());
        let nothing = RawJson::empty_object();
        let call = AboutCall {
            tool_id: about.tool_id.as_deref().unwrap_or_default(),
            tool_name,
            tool_args: about.tool_args.as_ref().unwrap_or(&nothing),
            result,
            origin_extension: about.origin_extension.as_deref(),
        };
        let notice = |hook, why: String| self.hook_failed(hook, &why);
        self.hooks.ask(HookPoint::ToolResult, &call, &self.processes, notice).await
    }

    fn asks_about_results(&self) -> bool {
        self.rules.profile.vocabulary.has_point(Point::ToolResult.as_str())
            && !self.registry().listed(Point::ToolResult, &Phase::Intercept).is_empty()
    }
}

impl Drop for Reviewing {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// What extensions see of an answer: a call that failed in the host's words reads as the model would
/// read it.
fn shown(answer: &Answer) -> EventResult {
    match answer {
        Ok(result) => EventResult::whole(result),
        Err(error) => {
            let error = error.to_error_info();
            let content = vec![Content::text(error.message.clone())];
            EventResult { content, is_error: true, error: Some(error), ..EventResult::default() }
        }
    }
}

/// The answer with what extensions made of it.
fn replaced(id: Id, answer: Answer, result: EventResult) -> Box<ToolResult> {
    let EventResult { content, is_error, structured_content, details, error, .. } = result;
    let before = answer.unwrap_or_else(|_| Box::new(ToolResult::new(id, Vec::new())));
    // A view says once more what the content said: what was cut out there would stay in it.
    let view = before.view.clone().filter(|_| before.content == content);
    Box::new(ToolResult { content, is_error, structured_content, details, view, error, ..*before })
}

/// What stands in the place of a result that nobody may read. What the tool did to the world stays
/// known.
fn withheld(id: Id, tool: &str, answer: Answer, blocked: &Blocked) -> Box<ToolResult> {
    let Blocked { by, reason } = blocked;
    let text = format!("the result of {tool} was withheld by {by}: {reason}");
    let error = ErrorInfo::new(ErrorKind::Permission, text);
    let effects = answer.ok().and_then(|result| result.effects);
    Box::new(ToolResult { effects, ..ToolResult::error(id, error) })
}

#[cfg(test)]
mod tests {
    use extline_protocol::RawJson;

    use super::*;

    #[test]
    fn a_view_goes_with_the_content_that_it_showed() {
        let mut before = ToolResult::new("1".into(), vec![Content::text("key sk-1")]);
        before.view = RawJson::parse(r#"{"kind":"lines","lines":["key sk-1"]}"#).ok();
        let seen = EventResult::whole(&before);
        let kept = replaced("1".into(), Ok(Box::new(before.clone())), seen.clone());
        assert_eq!(kept.view, before.view);
        let cut = EventResult { content: vec![Content::text("key ***")], ..seen };
        assert_eq!(replaced("1".into(), Ok(Box::new(before)), cut).view, None);
    }
}
