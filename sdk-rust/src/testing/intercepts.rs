//! What the extension is asked before it happens, and what it makes of it.

use std::panic::Location;
use std::time::Instant;

use extline_protocol::frame::{
    EventInterceptResponse, EventPayload, EventResult, Object, Phase, Subscribe,
};
use extline_protocol::{Intercept, RawJson};
use serde_json::Value;

use super::failure::Failure;
use super::host::{Host, Model};
use super::seen::Outcome;
use crate::point::{
    AssistantMessage, BeforeAgentStart, Point, ToolCall, ToolResult, TurnStart, UserPromptSubmit,
};
use crate::result::IntoContent;

/// Intercepts.
impl Host {
    /// Asks the extension about something that is about to happen, as far as it wants to be asked.
    ///
    /// About a tool call the interceptors are asked, then the guards on the arguments that came out; a
    /// zot asks once for both.
    ///
    /// ```
    /// # use extline::prelude::*;
    /// # use extline::testing::Host;
    /// # use extline::testing::{Moment, Ruling};
    /// let mut host = Host::new(|| {
    ///     Extension::new("a", "1")
    ///         .intercept(point::ToolCall, async |call, _| call.rewrite(json!({"safe": true})))
    ///         .guard("no_rm", async |call, _| (call.tool() == "rm").then(|| call.block("no")))
    /// });
    /// let ruling = host.intercept(Moment::tool_call("bash", json!({})))?;
    /// assert_eq!(ruling, Ruling::Rewritten(json!({"safe": true})));
    /// assert_eq!(host.intercept(Moment::tool_call("rm", json!({})))?.blocked(), Some("no"));
    /// # Ok::<(), extline::testing::Failure>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`call`](Host::call). A handler that fails is no failure here: see [`Ruling::Blocked`].
    #[track_caller]
    pub fn intercept(&mut self, moment: Moment) -> Result<Ruling, Failure> {
        self.conversation.place = Location::caller();
        let mut intercept = moment.0;
        let point = intercept.event.clone();
        if point == ToolCall::NAME {
            self.proposals += 1;
            let id = || format!("proposal-{}", self.proposals);
            intercept.payload.tool_id.get_or_insert_with(id);
        }
        if point == BeforeAgentStart::NAME {
            let Model { provider, name } = self.model.clone();
            let payload = &mut intercept.payload;
            (payload.provider, payload.model) = (Some(provider), Some(name));
        }
        let mut ruling = Ruling::Allowed;
        for phase in self.phases(&point) {
            intercept.phase = phase;
            let sent = self.conversation.session.intercept(intercept.clone(), Instant::now());
            let key = self.sent(sent, || format!("the extension was not asked about {point}"))?;
            let what = || format!("the extension did not answer at {point}");
            let answer = match self.outcome(&key, what)? {
                Outcome::Intercept(answer) => answer,
                Outcome::Failed(error) => return Err(self.unusable(what(), error)),
                // As above.
                _ => unreachable!("an intercept has another kind of answer"),
            };
            if answer.ask {
                return Ok(Ruling::Asked(answer.reason.unwrap_or_default()));
            }
            if answer.block && point != BeforeAgentStart::NAME {
                return Ok(Ruling::Blocked(answer.reason.unwrap_or_default()));
            }
            if let Some(args) = &answer.modified_args {
                intercept.payload.tool_args = Some(args.clone());
            }
            ruling = ruling_of(answer).unwrap_or(ruling);
        }
        Ok(ruling)
    }

    /// The questions that a host asks at a point.
    fn phases(&self, point: &str) -> Vec<Option<Phase>> {
        let names =
            |points: &Option<Vec<String>>| points.iter().flatten().any(|named| named == point);
        let Subscribe { intercept, guards, .. } = self.subscription();
        let vocabulary = self.profile.vocabulary;
        match (names(intercept), names(guards)) {
            _ if !vocabulary.has_point(point) => Vec::new(),
            (true, _) if !vocabulary.is_extline() => vec![None],
            (asked, guarded) => {
                let phases = [(asked, Phase::Intercept), (guarded, Phase::Guard)];
                phases
                    .into_iter()
                    .filter(|(is_asked, _)| *is_asked)
                    .map(|(_, phase)| Some(phase))
                    .collect()
            }
        }
    }
}

/// Something that is about to happen, for [`Host::intercept`](super::Host::intercept).
#[derive(Clone, Debug)]
pub struct Moment(Intercept);

impl Moment {
    /// The model calls a tool, of this extension or any other. Interceptors are asked, then guards on
    /// the arguments that came out.
    ///
    /// ```
    /// use extline::prelude::*;
    /// use extline::testing::{Host, Moment, Ruling};
    ///
    /// let mut host = Host::new(|| {
    ///     Extension::new("careful", "1.0.0").guard("no_rm", async |call, _| {
    ///         let args: Value = call.args_as()?;
    ///         if args["command"].as_str().is_some_and(|command| command.contains("rm -rf")) {
    ///             return Ok(call.block("refused: rm -rf"));
    ///         }
    ///         Ok(call.allow())
    ///     })
    /// });
    /// let ruling = host.intercept(Moment::tool_call("bash", json!({"command": "rm -rf /"})))?;
    /// assert_eq!(ruling, Ruling::Blocked("refused: rm -rf".to_owned()));
    /// let ruling = host.intercept(Moment::tool_call("bash", json!({"command": "ls"})))?;
    /// assert_eq!(ruling, Ruling::Allowed);
    /// # Ok::<(), extline::testing::Failure>(())
    /// ```
    pub fn tool_call(tool: impl Into<String>, args: impl Into<RawJson>) -> Self {
        let payload = EventPayload {
            tool_name: Some(tool.into()),
            tool_args: Some(args.into()),
            ..EventPayload::default()
        };
        Self::at(ToolCall::NAME, payload)
    }

    /// The model is called for the `step`th time within a prompt, from 1.
    ///
    /// ```
    /// use extline::prelude::*;
    /// use extline::testing::{Host, Moment};
    ///
    /// let mut host = Host::new(|| {
    ///     Extension::new("brief", "1.0.0").intercept(point::TurnStart, async |turn, _| {
    ///         (turn.step() > 20).then(|| turn.block("that is enough"))
    ///     })
    /// });
    /// assert!(host.intercept(Moment::turn_start(20))?.is_allowed());
    /// assert_eq!(host.intercept(Moment::turn_start(21))?.blocked(), Some("that is enough"));
    /// # Ok::<(), extline::testing::Failure>(())
    /// ```
    pub fn turn_start(step: u64) -> Self {
        let payload = EventPayload { step: Some(step), ..EventPayload::default() };
        Self::at(TurnStart::NAME, payload)
    }

    /// The model has written a message.
    ///
    /// ```
    /// use extline::prelude::*;
    /// use extline::testing::{Host, Moment, Ruling};
    ///
    /// let mut host = Host::new(|| {
    ///     Extension::new("polite", "1.0.0").intercept(point::AssistantMessage, async |message, _| {
    ///         message.replace(message.text().replace("damn", "d***"))
    ///     })
    /// });
    /// let ruling = host.intercept(Moment::assistant_message("damn it"))?;
    /// assert_eq!(ruling, Ruling::Replaced("d*** it".to_owned()));
    /// # Ok::<(), extline::testing::Failure>(())
    /// ```
    pub fn assistant_message(text: impl Into<String>) -> Self {
        let payload = EventPayload { text: Some(text.into()), ..EventPayload::default() };
        Self::at(AssistantMessage::NAME, payload)
    }

    /// An agent starts, with that system prompt.
    ///
    /// ```
    /// use extline::prelude::*;
    /// use extline::testing::{Host, Moment, Ruling};
    ///
    /// let mut host = Host::new(|| {
    ///     Extension::new("brief", "1.0.0").intercept(point::BeforeAgentStart, async |start, _| {
    ///         start.system_prompt(format!("{} Be brief.", start.current_prompt()))
    ///     })
    /// });
    /// let ruling = host.intercept(Moment::before_agent_start("You are an agent."))?;
    /// assert_eq!(ruling, Ruling::SystemPrompt("You are an agent. Be brief.".to_owned()));
    /// # Ok::<(), extline::testing::Failure>(())
    /// ```
    pub fn before_agent_start(system_prompt: impl Into<String>) -> Self {
        let mut moment = Self::at(BeforeAgentStart::NAME, EventPayload::default());
        moment.0.system_prompt = Some(system_prompt.into());
        moment
    }

    /// A tool has answered with this content; what more the result has is said by
    /// [`with`](Self::with).
    ///
    /// ```
    /// use extline::prelude::*;
    /// use extline::testing::{Host, Moment};
    ///
    /// let mut host = Host::new(|| {
    ///     Extension::new("quiet", "1.0.0").intercept(point::ToolResult, async |answer, _| {
    ///         if answer.is_error() { answer.fail("it did not work") } else { answer.allow() }
    ///     })
    /// });
    /// let failed = Moment::tool_result("bash", json!({}), ["exit 1"]).with(|payload| {
    ///     payload.result.as_mut().unwrap().is_error = true;
    /// });
    /// let ruling = host.intercept(failed)?;
    /// assert_eq!(ruling.result().unwrap()["content"][0]["text"], "it did not work");
    /// # Ok::<(), extline::testing::Failure>(())
    /// ```
    pub fn tool_result(
        tool: impl Into<String>,
        args: impl Into<RawJson>,
        content: impl IntoIterator<Item = impl IntoContent>,
    ) -> Self {
        let content = content.into_iter().map(IntoContent::into_content).collect();
        let payload = EventPayload {
            tool_name: Some(tool.into()),
            tool_args: Some(args.into()),
            result: Some(EventResult { content, ..EventResult::default() }),
            ..EventPayload::default()
        };
        Self::at(ToolResult::NAME, payload)
    }

    /// The user has written a prompt.
    ///
    /// ```
    /// use extline::prelude::*;
    /// use extline::testing::{Host, Moment, Ruling};
    ///
    /// let mut host = Host::new(|| {
    ///     Extension::new("help", "1.0.0").intercept(point::UserPromptSubmit, async |prompt, _| {
    ///         if prompt.text() == "?" { prompt.handled() } else { prompt.allow() }
    ///     })
    /// });
    /// assert_eq!(host.intercept(Moment::user_prompt_submit("?"))?, Ruling::Handled);
    /// # Ok::<(), extline::testing::Failure>(())
    /// ```
    pub fn user_prompt_submit(text: impl Into<String>) -> Self {
        let payload = EventPayload { text: Some(text.into()), ..EventPayload::default() };
        Self::at(UserPromptSubmit::NAME, payload)
    }

    /// Changes what else the host says about it.
    ///
    /// ```
    /// use extline::testing::Moment;
    ///
    /// let moment = Moment::before_agent_start("").with(|payload| {
    ///     payload.cwd = Some("/project".to_owned());
    /// });
    /// ```
    #[must_use]
    pub fn with(mut self, change: impl FnOnce(&mut EventPayload)) -> Self {
        change(&mut self.0.payload);
        self
    }

    fn at(point: &str, payload: EventPayload) -> Self {
        Self(Intercept { event: point.to_owned(), payload, ..Intercept::default() })
    }
}

/// What became of a [`Moment`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Ruling {
    /// It goes on unchanged, also when the extension does not ask to be asked.
    Allowed,
    /// It must not happen, or nobody gets the result, for that reason: a handler's own, or that it
    /// failed.
    Blocked(String),
    /// A person is asked before it happens, for that reason ([`GuardedCall::ask`](crate::GuardedCall::ask)).
    Asked(String),
    /// The tool runs with these arguments.
    Rewritten(Value),
    /// The message has this text.
    Replaced(String),
    /// The agent starts with this system prompt.
    SystemPrompt(String),
    /// The caller gets a result with these of `content`, `structured_content`, `details` and `is_error`.
    Result(Value),
    /// The extension has dealt with the prompt: the agent sends nothing.
    Handled,
}

impl Ruling {
    /// Whether it goes on unchanged.
    ///
    /// ```
    /// # use extline::testing::Ruling;
    /// assert!(!Ruling::Blocked("no".to_owned()).is_allowed());
    /// ```
    pub fn is_allowed(&self) -> bool {
        *self == Self::Allowed
    }

    /// Why it must not happen.
    ///
    /// ```
    /// # use extline::testing::Ruling;
    /// assert_eq!(Ruling::Blocked("no".to_owned()).blocked(), Some("no"));
    /// assert_eq!(Ruling::Allowed.blocked(), None);
    /// ```
    pub fn blocked(&self) -> Option<&str> {
        if let Self::Blocked(reason) = self { Some(reason) } else { None }
    }

    /// Why a person is asked.
    ///
    /// ```
    /// # use extline::testing::Ruling;
    /// assert_eq!(Ruling::Asked("it pushes".to_owned()).asked(), Some("it pushes"));
    /// assert_eq!(Ruling::Blocked("no".to_owned()).asked(), None);
    /// ```
    pub fn asked(&self) -> Option<&str> {
        if let Self::Asked(reason) = self { Some(reason) } else { None }
    }

    /// The arguments with which the tool runs instead.
    ///
    /// ```
    /// # use extline::testing::Ruling;
    /// let ruling = Ruling::Rewritten(serde_json::json!({"timeout": 60}));
    /// assert_eq!(ruling.rewritten().unwrap()["timeout"], 60);
    /// ```
    pub fn rewritten(&self) -> Option<&Value> {
        if let Self::Rewritten(args) = self { Some(args) } else { None }
    }
}

/// What stands in the place of a tool's result.
impl Ruling {
    /// Those of `content`, `structured_content`, `details` and `is_error` that were replaced.
    ///
    /// ```
    /// # use extline::testing::Ruling;
    /// let ruling = Ruling::Result(serde_json::json!({"is_error": true}));
    /// assert_eq!(ruling.result().unwrap()["is_error"], true);
    /// ```
    pub fn result(&self) -> Option<&Value> {
        if let Self::Result(result) = self { Some(result) } else { None }
    }
}

/// What an answer changes.
fn ruling_of(answer: EventInterceptResponse) -> Option<Ruling> {
    let args = answer.modified_args.map(|args| Ruling::Rewritten(args.to().unwrap_or_default()));
    args.or(answer.replace_text.map(Ruling::Replaced))
        .or(answer.system_prompt.map(Ruling::SystemPrompt))
        .or(answer.replace_result.map(|result| {
            Ruling::Result(serde_json::from_str(&result.object_text()).unwrap_or_default())
        }))
        .or(answer.handled.then_some(Ruling::Handled))
}
