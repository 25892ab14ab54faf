//! What is pending: actions that extensions propose.

use extline_protocol::frame::ToolResult;
use extline_services::Method as _;
use extline_services::pending::{PendingAction, PushMethod, Resolution};

use super::{Host, HostBuilder};
use crate::calls;
use crate::lock::lock;

impl HostBuilder {
    /// Lets extensions propose actions, by `pending.push`, that are done only when somebody says so. As long as one is
    /// pending, [`Host::tools`] has the tool `resolve {action: "apply" | "discard", reason}` for the model; no
    /// extension gets that name, and none can call it. [`Host::pending`] lists them, [`Host::pending_note`] is a
    /// line for the model, and [`Host::resolve`] is for a person. By default nothing can be proposed.
    ///
    /// An action is released when its extension ends and when the conversation becomes another one
    /// ([`Host::switch_session`] and its like): whoever resolves next is told, and nothing else is done then.
    #[must_use]
    pub fn pending_actions(mut self) -> Self {
        self.methods.insert(PushMethod::NAME.to_owned(), calls::push_pending());
        self
    }
}

/// What is pending.
impl Host {
    /// The actions that extensions propose and that nobody has resolved yet; the first is resolved next.
    pub fn pending(&self) -> Vec<PendingAction> {
        lock(&self.shared.pending.queue).pending().cloned().collect()
    }

    /// What to tell the model with its next message, as a line of the system, while something is pending.
    pub fn pending_note(&self) -> Option<String> {
        lock(&self.shared.pending.queue).reminder()
    }

    /// Resolves the first of them, as a person decides: the result is what the model would be told. One that could not
    /// be applied has `is_error`, and stays pending.
    ///
    /// Interceptors, guards and approvers are not asked: they are where the model calls `resolve`.
    pub async fn resolve(&self, resolution: Resolution, reason: &str) -> ToolResult {
        self.shared.resolve(resolution, reason).await
    }
}
