//! A call in flight.

use std::sync::Arc;
use std::time::Duration;

use extline_protocol::frame::{Action, ToolResult, ToolUpdate};
use extline_protocol::{CallKey, ErrorKind, RawJson};
use tokio::sync::{oneshot, watch};

use crate::builtin::Stop;
use crate::call_error::CallError;
use crate::connection::{CommandAnswer, Connection, Unanswered};
use crate::panel::Panel;

/// How one call differs from others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CallOptions {
    /// How long the whole call may take, from [`Host::start_call`](crate::Host::start_call) to the
    /// result: waiting for its turn, interceptors and guards included. It holds for an interactive
    /// tool too, which else has no deadline.
    ///
    /// When absent the tool's own time or the host's default holds, which begins when the tool is
    /// called, and interceptors and guards have a deadline of their own each.
    pub timeout: Option<Duration>,
}

impl CallOptions {
    /// The same with another time.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }
}

/// A tool call that runs. Await its [`Call::outcome`]; dropping it cancels it.
#[derive(Debug)]
pub struct Call {
    pub(crate) name: String,
    pub(crate) runner: Runner,
    pub(crate) result: oneshot::Receiver<Result<ToolResult, Unanswered>>,
    pub(crate) updates: watch::Receiver<Option<Arc<ToolUpdate>>>,
    /// What is said of a timeout.
    pub(crate) timeout: Duration,
}

impl Call {
    /// No longer wants the result. An extension that understands `tool_cancel` is told, and has two
    /// seconds to answer; for another the call fails at once. What the tool has called meanwhile is
    /// cancelled too (`cancel.tree`).
    pub fn cancel(&self, reason: &str) {
        match &self.runner {
            Runner::Extension(guard) => guard.cancel(reason),
            Runner::Agent(stop) => stop.stop(),
        }
    }

    /// How the call stands, once that is new: always the newest snapshot, which replaces those
    /// before it. `None` when no more will come. May be dropped and called again.
    pub async fn update(&mut self) -> Option<Arc<ToolUpdate>> {
        self.updates.changed().await.ok()?;
        self.updates.borrow_and_update().clone()
    }

    /// Waits for the result.
    pub async fn outcome(mut self) -> Result<ToolResult, CallError> {
        self.answered().await
    }

    /// The same once; may be dropped and called again until it has returned.
    pub(crate) async fn answered(&mut self) -> Result<ToolResult, CallError> {
        let answer = (&mut self.result).await.unwrap_or(Err(Unanswered::HostGone));
        answer.map_err(|unanswered| {
            let asked = match &self.runner {
                Runner::Extension(guard) => Some(&*guard.connection),
                Runner::Agent(_) => None,
            };
            unanswered.into_error(&self.name, self.timeout, asked)
        })
    }
}

/// Who runs a call, and how that is told to stop.
#[derive(Debug)]
pub(crate) enum Runner {
    Extension(CallGuard),
    Agent(Stop),
}

/// What a command wants the host to do.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum CommandOutcome {
    /// Submit this to the model.
    Prompt(String),
    /// Put this into the editor.
    Insert(String),
    /// Show this.
    Display(String),
    /// Show this panel, which is open.
    OpenPanel(Panel),
    /// Submit the prompt as if the tool had been called.
    ToolPrompt {
        /// The prompt.
        prompt: String,
        /// The tool.
        tool: String,
        /// Its arguments.
        args: RawJson,
    },
    /// Nothing.
    Noop,
}

/// A command that was sent; dropping it forgets the answer.
pub(crate) struct Invocation {
    pub(crate) name: String,
    /// Forgets the answer with it.
    pub(crate) guard: CallGuard,
    pub(crate) response: oneshot::Receiver<Result<CommandAnswer, Unanswered>>,
    pub(crate) timeout: Duration,
}

impl Invocation {
    pub(crate) async fn outcome(mut self) -> Result<CommandOutcome, CallError> {
        match (&mut self.response).await.unwrap_or(Err(Unanswered::HostGone)) {
            Ok(answer) => outcome_of(&self.name, answer),
            Err(unanswered) => {
                let asked = Some(&*self.guard.connection);
                Err(unanswered.into_error(&self.name, self.timeout, asked))
            }
        }
    }
}

fn outcome_of(name: &str, answer: CommandAnswer) -> Result<CommandOutcome, CallError> {
    let CommandAnswer { response, panel } = answer;
    if let Some(message) = response.error.filter(|message| !message.is_empty()) {
        return Err(CallError::Refused { message });
    }
    let text = |text: Option<String>| text.unwrap_or_default();
    Ok(match response.action {
        Action::Prompt => CommandOutcome::Prompt(text(response.prompt)),
        Action::Insert => CommandOutcome::Insert(text(response.insert)),
        Action::Display => CommandOutcome::Display(text(response.display)),
        Action::Noop => CommandOutcome::Noop,
        Action::ToolPrompt => CommandOutcome::ToolPrompt {
            prompt: text(response.prompt),
            tool: text(response.tool_name),
            args: response.tool_args.unwrap_or_else(RawJson::empty_object),
        },
        Action::OpenPanel => match (panel, response.open_panel) {
            (Some(panel), _) => CommandOutcome::OpenPanel(panel),
            (None, None) => return Err(protocol(name, "the action open_panel has no open_panel")),
            (None, Some(_)) => {
                let (name, kind) = (name.to_owned(), ErrorKind::Budget);
                let message = "it has too many panels open".to_owned();
                return Err(CallError::Unusable { name, kind, message });
            }
        },
        Action::Other(action) => {
            return Err(protocol(name, &format!("the action {action:?} is unknown")));
        }
    })
}

fn protocol(name: &str, message: &str) -> CallError {
    let (name, message) = (name.to_owned(), message.to_owned());
    CallError::Unusable { name, kind: ErrorKind::Protocol, message }
}

/// Cancels a call when nobody waits for its answer any more; one that is answered ignores that.
#[derive(Debug)]
pub(crate) struct CallGuard {
    pub(crate) connection: Arc<Connection>,
    pub(crate) key: CallKey,
}

impl CallGuard {
    pub(crate) fn cancel(&self, reason: &str) {
        self.connection.cancel(&self.key, reason);
    }
}

impl Drop for CallGuard {
    fn drop(&mut self) {
        self.cancel("the caller gave up");
    }
}
