//! A call in flight.

use std::sync::Arc;
use std::time::Duration;

use extline_protocol::frame::{ToolResult, ToolUpdate};
use tokio::sync::{oneshot, watch};

use super::aftermath::Aftermath;
use super::attempt::Attempt;
use super::builtin::Stop;
use super::review::{Answer, Review, Reviewing};
use super::telling::Telling;
use crate::connection::{CallGuard, Unanswered};
use crate::offers::Offer;
use crate::report::CallError;
use crate::tool::ToolFilter;

/// How one call differs from others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CallOptions {
    /// How long the whole call may take, from [`Host::start_call`](crate::Host::start_call) to the
    /// result: waiting for its turn, interceptors and guards included. It holds for an interactive
    /// tool too, which else has no deadline.
    ///
    /// When absent the tool's own time or the host's default holds, which begins when the tool is
    /// called, and interceptors and guards have a deadline of their own each. Those who are asked about
    /// the result have that in any case.
    pub timeout: Option<Duration>,
    /// What the agent knows the call by, where it has several conversations: dialogs, and approvals, that come of the
    /// call tell it ([`MethodCall::origin`](crate::MethodCall::origin),
    /// [`ApprovalRequest::origin`](crate::ApprovalRequest::origin)), also those of calls below it.
    pub origin: Option<u64>,
    /// Names what the call does, for an agent that calls again what was under way when it ended: the same
    /// key each time (`tool.operation-key`). See [`Host::reconcile`](crate::Host::reconcile).
    pub operation_key: Option<String>,
    /// The filter of the [`Offer`](crate::Offer) that the model has: a tool that it does not let through, or that
    /// is for no model, is [`CallError::Unknown`], `not_found`.
    pub filter: Option<Arc<ToolFilter>>,
    /// Names what the model is at: one prompt and all calls that come of it, say. What the host remembers of calls it
    /// remembers by this name ([`HostBuilder::memo`](crate::HostBuilder::memo)), until
    /// [`Host::end_task`](crate::Host::end_task). Of a call without one nothing is remembered.
    pub task: Option<String>,
}

impl CallOptions {
    /// The same with another time.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// The same with an operation key.
    #[must_use]
    pub fn operation_key(mut self, key: impl Into<String>) -> Self {
        self.operation_key = Some(key.into());
        self
    }

    /// The same for a model that has this offer.
    #[must_use]
    pub fn offered(mut self, offer: &Offer) -> Self {
        self.filter = Some(offer.filter());
        self
    }

    /// The same as a part of that task.
    #[must_use]
    pub fn task(mut self, task: impl Into<String>) -> Self {
        self.task = Some(task.into());
        self
    }

    /// The same with another origin.
    #[must_use]
    pub fn origin(mut self, origin: u64) -> Self {
        self.origin = Some(origin);
        self
    }
}

/// A tool call that runs. Await its [`Call::outcome`]; dropping it cancels it.
#[derive(Debug)]
pub struct Call {
    pub(super) name: String,
    pub(super) running: Running,
    /// What is said of a timeout.
    pub(super) timeout: Duration,
    /// Who may want to see the result first; none where the call is only asked what became of it.
    pub(super) review: Option<Box<Review>>,
    /// Extensions are asked about the result.
    pub(super) reviewing: Option<Reviewing>,
    /// A model called: what the result activates is offered to it.
    pub(super) is_of_model: bool,
    /// What is remembered of it.
    pub(super) aftermath: Aftermath,
    /// Whether it fails is counted.
    pub(super) attempt: Attempt,
    /// Comes behind what runs: that is told of a cancel first.
    pub(super) telling: Telling,
}

/// What runs it, and what comes of that.
#[derive(Debug)]
pub(super) struct Running {
    pub(super) runner: Runner,
    pub(super) result: oneshot::Receiver<Result<Box<ToolResult>, Unanswered>>,
    pub(super) updates: watch::Receiver<Option<Arc<ToolUpdate>>>,
}

impl Call {
    /// No longer wants the result. An extension that understands `tool_cancel` is told, and has two
    /// seconds to answer; for another the call fails at once. What the tool has called meanwhile is
    /// cancelled too (`cancel.tree`).
    pub fn cancel(&self, reason: &str) {
        match &self.running.runner {
            Runner::Extension(guard) => guard.cancel(reason),
            Runner::Agent(stop) => stop.stop(),
            Runner::Memory => {}
        }
    }

    /// How the call stands, once that is new: always the newest snapshot, which replaces those
    /// before it. `None` when no more will come. May be dropped and called again.
    pub async fn update(&mut self) -> Option<Arc<ToolUpdate>> {
        self.running.updates.changed().await.ok()?;
        self.running.updates.borrow_and_update().clone()
    }

    /// Waits for the result.
    pub async fn outcome(mut self) -> Result<ToolResult, CallError> {
        self.answered().await.map(|result| *result)
    }

    /// The same once; may be dropped and called again until it has returned.
    pub(crate) async fn answered(&mut self) -> Answer {
        let mut answer = self.reviewed().await;
        if let Runner::Extension(guard) = &self.running.runner {
            let connection = guard.connection();
            connection.shared().with_banner(&mut answer, connection, guard.key());
            if let Ok(result) = &answer
                && let Some(names) = result.activate_tools.as_deref().filter(|_| self.is_of_model)
            {
                connection.shared().activate(connection.name(), names);
            }
        }
        let answer = self.attempt.ended(answer);
        self.telling.end(&answer);
        answer
    }

    /// The answer as extensions let it pass.
    async fn reviewed(&mut self) -> Answer {
        if self.reviewing.is_none() {
            let answer = (&mut self.running.result).await.unwrap_or(Err(Unanswered::HostGone));
            let mut answer = self.in_words(answer);
            if let (Runner::Extension(guard), Ok(result)) = (&self.running.runner, &mut answer) {
                guard.connection().explain_refusals(result, guard.began());
            }
            self.aftermath.ended(&answer);
            match self.review.take_if(|review| review.is_wanted()) {
                Some(review) => self.reviewing = Some(review.start(answer)),
                None => return answer,
            }
        }
        match &mut self.reviewing {
            // It ends early only when the host does.
            Some(Reviewing(task)) => {
                task.await.unwrap_or_else(|_| self.in_words(Err(Unanswered::HostGone)))
            }
            None => self.in_words(Err(Unanswered::HostGone)),
        }
    }

    fn in_words(&self, answer: Result<Box<ToolResult>, Unanswered>) -> Answer {
        answer.map_err(|unanswered| {
            let asked = match &self.running.runner {
                Runner::Extension(guard) => Some(guard.connection()),
                Runner::Agent(_) | Runner::Memory => None,
            };
            unanswered.into_error(&self.name, self.timeout, asked)
        })
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        // What has an answer that nobody took was not given up. One that nobody has looked at must not
        // be told.
        if self.telling.is_wanted()
            && !self.review.as_ref().is_some_and(|review| review.is_asked())
            && let Ok(answer) = self.running.result.try_recv()
        {
            let answer = self.in_words(answer);
            self.telling.end(&answer);
        }
    }
}

/// Who runs a call, and how that is told to stop.
#[derive(Debug)]
pub(crate) enum Runner {
    Extension(CallGuard),
    Agent(Stop),
    /// Nobody: an earlier call was the same.
    Memory,
}

impl Running {
    /// What has its result already.
    pub(super) fn recalled(result: Box<ToolResult>) -> Self {
        let (sender, receiver) = oneshot::channel();
        // The receiver is there.
        let _ = sender.send(Ok(result));
        let (_, updates) = watch::channel(None);
        Self { runner: Runner::Memory, result: receiver, updates }
    }
}
