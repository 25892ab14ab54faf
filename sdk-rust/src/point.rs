//! The points at which a host asks an extension before something happens, for
//! [`Extension::intercept`](crate::Extension::intercept).
//!
//! Every zot knows the first three. A host that does not know one of the others never asks there, and
//! says so in its report; for one that does not say what it knows, a line on stderr says so at the
//! start (`report.zot-points`).

use crate::asked::Asked;
use crate::{AgentStart, Message, ModelCall, ToolAnswer, ToolUse, UserPrompt};

/// One of the points of this module.
///
/// ```
/// use extline::point::{self, Point};
///
/// assert_eq!(point::BeforeAgentStart::NAME, "before_agent_start");
/// ```
pub trait Point: sealed::Sealed {
    /// What its handlers get: what is about to happen.
    type Moment: 'static;

    /// Its name on the wire.
    const NAME: &'static str;

    #[doc(hidden)]
    fn moment(asked: Asked) -> Self::Moment;
}

/// Before a tool call: it can be blocked, and its arguments rewritten.
///
/// ```
/// use extline::prelude::*;
///
/// let extension = Extension::new("watch", "1.0.0")
///     .intercept(point::ToolCall, async |call, _| call.allow());
/// ```
#[derive(Clone, Copy, Debug)]
pub struct ToolCall;

impl Point for ToolCall {
    type Moment = ToolUse;
    const NAME: &'static str = "tool_call";

    fn moment(asked: Asked) -> Self::Moment {
        ToolUse::new(asked)
    }
}

/// Before a call of the model: it can be blocked.
///
/// ```
/// use extline::prelude::*;
///
/// let extension = Extension::new("watch", "1.0.0")
///     .intercept(point::TurnStart, async |turn, _| turn.allow());
/// ```
#[derive(Clone, Copy, Debug)]
pub struct TurnStart;

impl Point for TurnStart {
    type Moment = ModelCall;
    const NAME: &'static str = "turn_start";

    fn moment(asked: Asked) -> Self::Moment {
        ModelCall::new(asked)
    }
}

/// Before a message of the model counts: it can be blocked, and its text replaced. A zot has shown
/// the text by then.
///
/// ```
/// use extline::prelude::*;
///
/// let extension = Extension::new("watch", "1.0.0")
///     .intercept(point::AssistantMessage, async |message, _| message.allow());
/// ```
#[derive(Clone, Copy, Debug)]
pub struct AssistantMessage;

impl Point for AssistantMessage {
    type Moment = Message;
    const NAME: &'static str = "assistant_message";

    fn moment(asked: Asked) -> Self::Moment {
        Message::new(asked)
    }
}

/// Before an agent runs: its system prompt can be changed. It cannot be blocked.
///
/// ```
/// use extline::prelude::*;
///
/// let extension = Extension::new("watch", "1.0.0")
///     .intercept(point::BeforeAgentStart, async |start, _| start.allow());
/// ```
#[derive(Clone, Copy, Debug)]
pub struct BeforeAgentStart;

impl Point for BeforeAgentStart {
    type Moment = AgentStart;
    const NAME: &'static str = "before_agent_start";

    fn moment(asked: Asked) -> Self::Moment {
        AgentStart::new(asked)
    }
}

/// After a tool has run, and before its caller gets the result: it can be replaced, and withheld. A
/// failure of a handler lets it pass, unless the author says otherwise
/// ([`Extension::on_failure`](crate::Extension::on_failure)). Only hosts built with extline ask.
///
/// ```
/// use extline::prelude::*;
///
/// let extension = Extension::new("watch", "1.0.0")
///     .intercept(point::ToolResult, async |answer, _| answer.allow())
///     .on_failure(point::ToolResult, OnFailure::Block);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct ToolResult;

impl Point for ToolResult {
    type Moment = ToolAnswer;
    const NAME: &'static str = "tool_result";

    fn moment(asked: Asked) -> Self::Moment {
        ToolAnswer::new(asked)
    }
}

/// Before the agent takes what the user wrote: it can be replaced, dealt with, and blocked. A failure of
/// a handler lets it pass, unless the author says otherwise. Only hosts built with extline ask.
///
/// ```
/// use extline::prelude::*;
///
/// let extension = Extension::new("watch", "1.0.0")
///     .intercept(point::UserPromptSubmit, async |prompt, _| prompt.allow());
/// ```
#[derive(Clone, Copy, Debug)]
pub struct UserPromptSubmit;

impl Point for UserPromptSubmit {
    type Moment = UserPrompt;
    const NAME: &'static str = "user_prompt_submit";

    fn moment(asked: Asked) -> Self::Moment {
        UserPrompt::new(asked)
    }
}

mod sealed {
    pub trait Sealed {}

    impl Sealed for super::ToolCall {}
    impl Sealed for super::TurnStart {}
    impl Sealed for super::AssistantMessage {}
    impl Sealed for super::BeforeAgentStart {}
    impl Sealed for super::ToolResult {}
    impl Sealed for super::UserPromptSubmit {}
}
