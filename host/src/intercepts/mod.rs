//! Extensions that are asked before something happens: interceptors, who may rewrite it, and
//! guards, who see what will happen and may only block it.
//!
//! They are asked one after the other, in load order (`intercept.load-order`), and the first one
//! that blocks ends it (`intercept.first-block`).

mod ask;

use extline_protocol::RawJson;

pub(crate) use self::ask::{Asked, Question, reason_of};

/// What extensions are told before an agent starts, as far as the agent knows it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AgentStart {
    /// The conversation.
    pub session_id: Option<String>,
    /// This run of the agent.
    pub agent_run_id: Option<String>,
    /// The working directory.
    pub cwd: Option<String>,
    /// The model's provider; the one that the host was set up with when absent.
    pub provider: Option<String>,
    /// The model; the one that the host was set up with when absent.
    pub model: Option<String>,
    /// The system prompt as it stands; empty when there is none.
    pub system_prompt: String,
}

/// A prompt of the user, as far as the agent knows it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UserPrompt {
    /// What the user wrote.
    pub text: String,
    /// The conversation.
    pub session_id: Option<String>,
    /// The working directory.
    pub cwd: Option<String>,
    /// It waits for the turn to end.
    pub queued: bool,
    /// Images beside the text.
    pub image_count: Option<u64>,
}

/// What becomes of a prompt that nobody blocked.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PromptDecision {
    /// The agent takes this text.
    Send(String),
    /// An extension has dealt with it: the agent sends nothing.
    Handled {
        /// The extension.
        by: String,
    },
}

/// What is decided about a call of a tool that the agent runs itself.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct AgentCallDecision {
    /// The arguments with which it would run.
    pub args: RawJson,
    /// The agent is to ask its user before it runs, and not to run it where it cannot: why.
    pub ask: Option<String>,
}

/// A call of a tool that the agent has and runs itself, see
/// [`Host::intercept_agent_call`](crate::Host::intercept_agent_call).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AgentCall {
    /// The agent's id of the call; the host names it when absent.
    pub id: Option<String>,
    /// The tool, by the name that extensions know.
    pub tool: String,
    /// Its arguments, a JSON object.
    pub args: String,
    /// The conversation.
    pub session_id: Option<String>,
    /// The working directory.
    pub cwd: Option<String>,
}
